#!/bin/sh
# command_test.sh ASSAY BUILD RESULTS: the pages of assay profile from files of ncu, from results, and where nothing is known; wrong use.
assay=$1 build=$2 results=$3
folder=$(mktemp -d) || exit 3
trap 'rm -rf "$folder"' EXIT
fail() { echo "command_test.sh: $*" >&2; exit 1; }
run() { "$assay" profile --build "$build" "$@" >"$folder/out" 2>"$folder/err"; }
has() { grep -q -- "$2" "$1" || { cat "$1" >&2; fail "$1 has no \"$2\""; }; }

# A page that ncu wrote elsewhere, of two kernels; the verdict is of the longer one.
head='"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC"'
row='"77","p","h","KERNEL","1","7","(256, 1, 1)","(64, 1, 1)","0","9.0"'
{
  echo '==PROF== Connected to process 77'
  echo "$head,\"gpu__time_duration.sum\",\"sm__throughput.avg.pct_of_peak_sustained_elapsed\",\"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed\",\"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed\",\"dram__bytes_read.sum\",\"dram__bytes_write.sum\",\"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio\",\"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum\",\"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum\""
  echo '"","","","","","","","","","","","us","%","%","%","Mbyte","Mbyte","","",""'
  echo "\"0\",$row,\"5\",\"90\",\"10\",\"10\",\"1\",\"1\",\"32\",\"10\",\"40\"" | sed 's/KERNEL/fill(int)/'
  echo "\"1\",$row,\"100\",\"10\",\"91.5\",\"91.5\",\"800\",\"67\",\"4\",\"10\",\"320\"" | sed 's/KERNEL/rows(int, "")/'
} >"$folder/raw.csv"
run softmax --variant v1 --from "$folder/raw.csv" --out "$folder/p" || { cat "$folder/err" >&2; fail "--from failed"; }
has "$folder/out" '\*\*memory-bound (DRAM)\*\*: compute 10%, memory 92% of peak'
has "$folder/out" 'load_bytes_per_sector 4, load_requests 10, load_sectors 320'
has "$folder/p/ncu_summary.md" 'The launch has 2 kernels'
has "$folder/p/ncu_summary.md" '^| dram_sol | 91.5% | the card'
has "$folder/p/ncu_details.md" 'fill(int)'
run softmax --variant v1 --from "$folder/raw.csv" --out "$folder/p" --json || fail "--json failed"
python3 - "$folder/out" "$folder/p/profile.json" <<'PY' || fail "profile.json"
import json, sys
printed, written = (json.load(open(path)) for path in sys.argv[1:])
one = printed["profiles"][0]
assert printed["schema"] == 1 and one == written, one
assert one["verdict"]["kind"] == "memory-bound" and one["evidence"] == "files of ncu", one
assert one["kernels"][1]["metrics"]["dram_read"] == 8e8 and one["kernels"][1]["origins"]["dram_read"] == "profiled"
assert 0.5 <= one["verdict"]["confidence"] <= 1 and one["verdict"]["changes"], one["verdict"]
PY

# Without counters: the measured position, marked as such.
run softmax --variant v4 --size large --results "$results" --no-ncu --no-count --out "$folder/m" || { cat "$folder/err" >&2; fail "--results failed"; }
has "$folder/out" 'Evidence: compiler and measurements'
has "$folder/out" 'Of the measured ceilings: '
has "$folder/m/ncu_summary.md" 'Not known without counters.'
run softmax --variant v1 --size edge 2>/dev/null && fail "the size edge was taken"
run softmax --variant v1 --no-ncu --results "$folder/nothing"
[ $? -eq 2 ] || fail "results that are not there: another status than 2"
run softmax --variant v1 --dry-run || fail "--dry-run failed"
has "$folder/out" 'softmax.v1_baseline.f32.large -> '

for wrong in "" "softmax" "softmax,matmul --variant v1" "nothing --variant v1" "softmax --variant v99"; do
  # shellcheck disable=SC2086 # a list of words
  run $wrong
  [ $? -eq 2 ] || fail "\"$wrong\": another status than 2"
  [ -s "$folder/err" ] || fail "\"$wrong\": no message"
done
echo 'no table' >"$folder/none.csv"
run softmax --variant v1 --from "$folder/none.csv" --out "$folder/n" && fail "a file without a table was taken"
has "$folder/err" 'none.csv: ncu printed no table of kernels: no table'
echo '==ERROR== ERR_NVGPUCTRPERM - The user does not have permission' >"$folder/none.csv"
run softmax --variant v1 --from "$folder/none.csv" --out "$folder/n"
[ $? -eq 3 ] || fail "no permission: another status than 3"
has "$folder/err" 'NVreg_RestrictProfilingToAdminUsers=0'
[ ! -e "$folder/n/ncu_summary.md" ] || fail "a page was written of nothing"

# --all, by a fake ncu: a build for CUDA with two timed results; no permission, no ncu, a kernel that fails, going on.
python3 - "$build/assay.json" "$results/results/bench/softmax.jsonl" "$folder" <<'PY' || fail "no workspace"
import json, os, sys
about, out = json.load(open(sys.argv[1])), sys.argv[3] + "/cuda"
about.update(device="cuda", results=out + "/results", libexec=out, modules=out)
os.makedirs(out + "/results/card/bench")
json.dump(about, open(out + "/assay.json", "w"))
for line in open(sys.argv[2]):
    one = json.loads(line)
    if one["op"] == "softmax" and one["variant"] in ("v1_baseline", "v4_optimized") and (one["dtype"], one["size"]) == ("f32", "large"):
        json.dump({"assay": one}, open(f"{out}/results/card/bench/softmax.{one['variant']}.f32.large.json", "w"))
PY
printf '#!/bin/sh\n' >"$folder/cuda/assay-launch-case" && chmod +x "$folder/cuda/assay-launch-case"
ASSAY_NCU=$(dirname "$0")/fake_ncu.sh
export ASSAY_NCU FAKE_NCU_LOG="$folder/calls" FAKE_NCU=''
all() { "$assay" profile --all --build "$folder/cuda" --results "$folder/cuda/results" "$@" >"$folder/out" 2>"$folder/err"; }
counters() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["assay"].get("counters"))' "$folder/cuda/results/card/bench/softmax.$1.f32.large.json"; }
FAKE_NCU=denied all; [ $? -eq 3 ] || fail "no permission: another status than 3"
[ "$(wc -l <"$folder/calls")" -eq 1 ] || fail "it went on without permission"
has "$folder/err" 'ERR_NVGPUCTRPERM'
ASSAY_NCU="$folder/none" all; [ $? -eq 3 ] || fail "without ncu: another status than 3"
FAKE_NCU=crashed all; [ $? -eq 1 ] || fail "kernels that fail: another status than 1"
has "$folder/err" 'softmax.v4_optimized.f32.large: no counters: .*illegal memory access'
all --variant v1 || { cat "$folder/err" >&2; fail "--all failed"; }
has "$folder/out" 'softmax.v1_baseline.f32.large  memory-bound; ncu agrees: memory-bound  (1 of 1)'
counters v1_baseline | grep -q "'dram_bytes': 8000.*'bottleneck': 'memory-bound.*'ncu_verdict': 'ncu agrees: memory-bound'" || fail "in the result: $(counters v1_baseline)"
FAKE_NCU_RULE='Compute is more heavily utilized than Memory' all || fail "--all did not go on"
has "$folder/out" '^1 cases got counters, 1 had them, 0 failed; ncu.s own verdict differs in 1'
has "$folder/out" 'v4_optimized.* ncu: compute-bound; our rule memory: compute 12%, memory 91% of peak'
all || fail "--all with nothing to do failed"
has "$folder/out" '^0 cases got counters, 2 had them'
all --force --variant v1 --json || fail "--all --json failed"
"$assay" schema profile --check "$folder/out" || fail "--all --json is not what the schema says"
tr -d ' \n' <"$folder/out" | grep -q '"counts":{"done":1,"had":0,"failed":0,"differ":0}' || fail "counts: $(cat "$folder/out")"
exit 0
