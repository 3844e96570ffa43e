#!/bin/sh
# Reports and targets of a card's folder, as a user meets them: report_test.sh ASSAY MAKE_RESULTS BUILD.
set -u
assay=$1 make_results=$2 build=$3
folder=$(mktemp -d "${TMPDIR:-/tmp}/assay-report-XXXXXX") || exit 3
trap 'rm -rf "$folder"' EXIT

fail() {
    echo "FAIL $*" >&2
    exit 1
}

"$make_results" "$build" "$folder/card" || exit 3
"$assay" report --build "$build" "$folder/card" --table >"$folder/table" 2>"$folder/errors" || fail "exit status of report --table"
[ ! -s "$folder/errors" ] || fail "a complaint: $(cat "$folder/errors")"
grep -q '^softmax  *f32  ' "$folder/table" || fail "no line of softmax: $(cat "$folder/table")"
grep -q 'not shown' "$folder/table" && fail "results are left out: $(cat "$folder/table")"
awk 'length > 110 { print "FAIL more than 110 columns: " $0; bad = 1 } END { exit bad }' "$folder/table" || exit 1

# The table of one op is that op's part of the whole, with a line a kernel.
"$assay" report --build "$build" "$folder/card" --table --op softmax --dtype f32 >"$folder/one" || fail "exit status of report --table --op"
grep -q '^softmax f32  ' "$folder/one" || fail "no block of softmax: $(cat "$folder/one")"
grep -qE '^(add|matmul|softmax f16)' "$folder/one" && fail "another op or dtype: $(cat "$folder/one")"
counts=$(sed -n 's/.*, \([0-9]*\) timed\.$/\1/p' "$folder/one") all=$(sed -n 's/.*, \([0-9]*\) timed\.$/\1/p' "$folder/table")
[ "$counts" -gt 0 ] && [ "$counts" -lt "$all" ] || fail "counts are not of softmax alone: $(tail -3 "$folder/one")"

# Compact copies report alike.
"$assay" report --build "$build" "$folder/card" --compact "$folder/kept" || fail "exit status of report --compact"
"$assay" report --build "$build" "$folder/kept" --table >"$folder/again" || fail "exit status for archives"
cmp "$folder/table" "$folder/again" || fail "a report of the copy differs"

# Wins are met targets; times of a made-up card are far below a copy's at some sizes, which is a miss.
"$assay" targets --build "$build" "$folder/card" >"$folder/targets" 2>&1
[ $? -le 1 ] || fail "exit status of targets: $(cat "$folder/targets")"
grep -Eq '^[1-9][0-9]* targets: [0-9]+ met, [0-9]+ missed, [0-9]+ not measured' "$folder/targets" || fail "no line of counts: $(cat "$folder/targets")"
"$assay" targets --build "$build" "$folder/card" --op softmax --dtype f32 --size small >"$folder/targets" || fail "softmax small: $(cat "$folder/targets")"
