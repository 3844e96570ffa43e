#!/bin/sh
# A kernel from outside the tree is timed only where it passes, beside what was asked for, and cannot reach the machine meanwhile.
# Usage: bench_source_test.sh ASSAY SOURCE_TREE
set -u
assay=$1 source=$2
failed=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() {
    echo "$*"
    failed=1
}
key() { python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$scratch/out.json" "$1"; }
time_it() {
    "$assay" bench add --source "$1" --dtype f32 --size small --quick --json >"$scratch/out.json" 2>"$scratch/messages"
}

"$assay" verify --dry-run >/dev/null 2>&1
[ $? -ne 77 ] || { echo "skipped: no device"; exit 77; }

# A right kernel under the name of one of the tree: timed, by a name of its own, with the baselines of the op.
cp "$source/ops/add/v1_baseline.cu" "$scratch/v1_baseline.cu"
time_it "$scratch/v1_baseline.cu" || fail "a right kernel: status $?: $(cat "$scratch/messages")"
[ "$(key 'd["variant"], d["failed"], d["timed"]')" = "('mine_v1_baseline', 0, 1)" ] || fail "right kernel: $(cat "$scratch/out.json")"
[ "$(key 'sorted(r["name"] for r in d["results"])[0][:9]')" = "baseline_" ] || fail "no baseline: $(cat "$scratch/out.json")"
[ "$(key '[r["modes"]["cold"]["mean_us"] > 0 for r in d["results"] if r["kind"] == "variant"]')" = "[True]" ] || fail "no time"

# A wrong one, and one that does not compile: judged, not timed, status 1.
time_it "$source/tests/wrong_kernels/constant.cu"
[ $? -eq 1 ] && [ "$(key 'd["passed"], d["timed"], d["results"]')" = "(0, 0, [])" ] || fail "wrong kernel: $(cat "$scratch/out.json")"
time_it "$source/tests/wrong_kernels/does_not_compile.cu"
[ $? -eq 1 ] && [ "$(key 'd["passed"], d["timed"]')" = "(0, 0)" ] || fail "no kernel: $(cat "$scratch/out.json")"
"$assay" bench add --source "$source/tests/wrong_kernels/does_not_compile.cu" --dtype f32 --size small >"$scratch/text" 2>&1
grep -q 'error' "$scratch/text" || fail "the compiler's message is not shown: $(cat "$scratch/text")"

# Code that runs when a module is loaded, also in the process that times: it tries to leave a file behind.
{
    printf '#include <cstdio>\n'
    cat "$source/ops/add/v1_baseline.cu"
    cat <<CODE
struct escape {
    escape() { if (FILE *out = fopen("$scratch/escaped", "w")) fclose(out); }
};
static escape attempt;
CODE
} >"$scratch/escapes.cu"
time_it "$scratch/escapes.cu"
case $(key '"Landlock" in d["confinement"], d["timed"]') in
"(True, 1)") [ ! -e "$scratch/escaped" ] || fail "a kernel wrote a file while it was timed" ;;
"(False, "*) echo "Landlock is not here: what a kernel may write is not held" ;;
*) fail "escaping kernel: $(cat "$scratch/out.json" "$scratch/messages")" ;;
esac

# Wrong use: status 2, before anything is compiled.
refused() {
    text=$1
    shift
    output=$("$assay" bench "$@" 2>&1)
    status=$?
    case $output in *"$text"*) [ "$status" -eq 2 ] ;; *) false ;; esac || fail "bench $*: $status, $output"
}
refused '--source needs the one op it computes' --source "$scratch/escapes.cu"
refused '--source: goes with no --no-verify' add --source "$scratch/escapes.cu" --no-verify
refused 'cannot read kernel file' add --source "$scratch/absent.cu"
refused 'unknown variant "v9"' add --source "$scratch/escapes.cu" --variant v9
exit "$failed"
