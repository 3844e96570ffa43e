#!/bin/sh
# `assay count`: JSON as its schema says and the same each time, budgets kept and broken, results that `assay compare` holds against each
# other.  command_test.sh ASSAY BUILD FOLDER
set -u
assay=$1 build=$2 here=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0

fail() {
    echo "FAILED: $*"
    cat "$folder/out" "$folder/err"
    failed=1
}
# expect STATUS TEXT COMMAND ARGUMENT...: ends with the status; a line of what it prints has the text.
expect() {
    want=$1 text=$2 command=$3 status=0
    shift 3
    "$assay" "$command" --build "$build" "$@" >"$folder/out" 2>"$folder/err" || status=$?
    [ "$status" -eq "$want" ] || fail "$command $*: exit status $status, not $want"
    cat "$folder/out" "$folder/err" | grep -Eq -- "$text" || fail "$command $*: no line with: $text"
}

# Exact: a second run prints the same bytes, and the pad of v2's tile is worth what it says.
expect 0 '"shared_conflicts": 0.0' count transpose --variant v2 --json --out "$folder/base"
cp "$folder/out" "$folder/first"
"$assay" schema count --check "$folder/first" || fail 'the JSON is not as its schema says'
grep -q '"file": "ops/transpose/v2_tiling.cu"' "$folder/first" || fail 'lines are not named from the root of the tree'
expect 0 . count transpose --variant v2 --json --out "$folder/same"
cmp "$folder/first" "$folder/out" || fail 'two runs count differently'

# 256 x 256 in tiles of 32: every read of a column takes 32 passes instead of one.
expect 1 'conflicting_columns.*: shared_conflicts is 63488, over its budget of 0; most of it at .*conflicting_columns.cu:22$' \
    count transpose --variant v2 --check --source "$here/conflicting_columns.cu" --out "$folder/new"
expect 77 'no variant of gelu has budgets' count gelu --variant v1 --check

# A comparison is exact, and fails on more of anything.
expect 0 '0 more' compare "$folder/base" "$folder/same"
mkdir "$folder/changed" # the same case, as an edit of the file in the tree would leave it
sed 's/"variant": *"conflicting_columns"/"variant": "v2_tiling"/' "$folder/new"/*.json >"$folder/changed/transpose.v2_tiling.f32.small.json"
expect 1 '^more +transpose v2_tiling f32 small shared_conflicts +0 -> 63488' compare "$folder/base" "$folder/changed"
expect 0 '^fewer +transpose v2_tiling f32 small shared_conflicts +63488 -> 0' compare "$folder/changed" "$folder/base"
expect 1 '"counted": "shared_wavefronts"' compare "$folder/base" "$folder/changed" --json
"$assay" schema compare --check "$folder/out" || fail 'the JSON of a comparison is not as its schema says'

# Where no profiler runs, the page of a profile has the counts, and says that they are counted.
expect 0 'Evidence: counted, not sampled, on ptx-sm-90 at M=256 N=256' \
    profile transpose --variant v1 --size small --no-ncu --out "$folder/page"
grep -q '57344 .* `out\[(b \* columns + c) \* rows + r\] = x\[i\];`' "$folder/page/ncu_summary.md" || fail 'no line with the extra sectors'
grep -q '^| global_sectors | 73728 .* counted |$' "$folder/page/ncu_summary.md" || fail 'the sectors are not marked as counted'
grep -q 'Most of it: .*v1_baseline.cu:21' "$folder/out" || fail 'the line at fault is not named'

# A prediction says what it is, and needs a card's ceilings.
expect 0 '"kind": "prediction, not a measurement"' count add --variant v1 --json --predict "$here"/../../logs/nvidia-h200-d586adeb/results
"$assay" schema count --check "$folder/out" || fail 'the JSON of a prediction is not as its schema says'
expect 3 'cannot read .*ceilings.json' count add --variant v1 --predict "$folder"

expect 2 'an op is expected' count
expect 2 'budgets are for the size small' count transpose --check --size medium
expect 2 'says against the budget of which one' count transpose --check --source "$here/conflicting_columns.cu"
exit "$failed"
