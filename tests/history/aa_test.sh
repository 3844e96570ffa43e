#!/bin/sh
# The A/A scripts from end to end on the CPU device: sets are measured, delayed modules are slower and have another source hash, and the
# evaluation counts each comparison under its kind. What the figures are is the machine's business.
#   aa_test.sh SOURCE BUILD
set -eu
source=$1
build=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() {
    echo "FAILED: $1"
    sed 's/^/  /' "$folder"/*.txt | tail -n 20
    exit 1
}

echo "add f32 small v1,v2,v3,v4 none" >"$folder/groups"
"$source/tools/aa/measure.sh" --workspace "$build" --out "$folder/sets" --limit-s 0 --groups "$folder/groups" --repetitions 3 \
    --warmup-ms 1 --sample-ms 3 >"$folder/measure.txt" 2>&1 || fail "measure.sh"
grep -q "^20 results, 20 of them timed" "$folder/measure.txt" || fail "twenty results are expected"

"$source/tools/aa/measure.sh" --workspace "$build" --out "$folder/some" --limit-s 0 --groups "$folder/groups" --repetitions 2 \
    --warmup-ms 1 --sample-ms 2 --sets base,slow5 >"$folder/some.txt" 2>&1 || fail "measure.sh --sets"
grep -q "^8 results, 8 of them timed" "$folder/some.txt" || fail "eight results of two sets are expected"
for wrong in slow5 base,slow; do
    code=0
    "$source/tools/aa/measure.sh" --workspace "$build" --out "$folder/none" --sets $wrong >"$folder/wrong.txt" 2>&1 || code=$?
    [ $code -eq 2 ] || fail "--sets $wrong is wrong use"
done

round=$folder/sets/gpu0/round1
[ "$(wc -l <"$round/slow2/delayed.txt")" -eq 2 ] || fail "two of four are to be delayed with 2%"
sort "$round/slow2/delayed.txt" "$round/slow5/delayed.txt" | cut -d ' ' -f 1 | uniq -d >"$folder/both.txt"
[ ! -s "$folder/both.txt" ] || fail "another two with 5%"
for set in slow2 slow5; do
    delayed=$(grep -l 'source_sha256": *"delayed-' "$round/$set"/*/bench/*.json | wc -l)
    [ "$delayed" -eq 2 ] || fail "$set: delayed kernels have another source hash"
done
if grep -q delayed- "$round/plain-a"/*/bench/*.json "$round/base"/*/bench/*.json; then fail "the base is not delayed"; fi

"$source/tools/aa/evaluate.sh" "$build/bin/assay" "$folder/sets" "$folder/out" >"$folder/evaluate.txt" 2>&1 || fail "evaluate.sh"
for expected in unchanged:4 delayed-2%:2 beside-delayed-2%:2 delayed-5%:2 beside-delayed-5%:2 scaled-2%:4 beside-scaled-2%:12; do
    count=$(grep -c "^${expected%:*}," "$folder/out/comparisons.csv" || true)
    [ "$count" -eq "${expected#*:}" ] || fail "$count comparisons are ${expected%:*}, ${expected#*:} expected"
done
grep -q "^| unchanged, all | 4 |" "$folder/out/summary.md" || fail "the summary counts four unchanged"

# Two runs of the same kernels, the second while other programs take every processor: what it takes longer is the machine's, not a change's.
busy=
for _ in $(seq "$(($(getconf _NPROCESSORS_ONLN) + 1))"); do
    while :; do :; done &
    busy="$busy $!"
done
loaded=0
"$source/tools/aa/measure.sh" --workspace "$build" --out "$folder/loaded" --limit-s 0 --groups "$folder/groups" --repetitions 3 \
    --warmup-ms 1 --sample-ms 3 --sets plain-a >"$folder/loaded.txt" 2>&1 || loaded=$?
# shellcheck disable=SC2086 # several ids
kill $busy
[ "$loaded" -eq 0 ] || fail "measure.sh on a loaded machine"
code=0
"$build/bin/assay" compare "$round/plain-a" "$folder/loaded/gpu0/round1/plain-a" --all >"$folder/loaded.txt" 2>&1 || code=$?
[ "$code" -eq 0 ] || fail "status $code: kernels that did not change are slower on a loaded machine"
grep -q "^0 slower, 0 faster, " "$folder/loaded.txt" || fail "the same kernels are slower or faster on a loaded machine"
