#!/bin/sh
# shellcheck disable=SC2086,SC2154,SC2240 # $tune is a list; the sourced file takes arguments and sets variables
# A table of values by the shape: from drawn shapes to the module that chooses by it. Usage: shapes_test.sh BUILD SOURCE
set -u
. "$(dirname "$0")/workspace.sh" "$1" "$2"
cp "$source/tests/tuning/by_shape.op.json" "$work/ops/add/op.json"
rm "$work/ops/add/v5_tuned.cu" "$work/ops/add/v2_tiling.cu"
cp "$source/tests/tuning/v6_by_shape.cu" "$work/ops/add/v6_by_shape.cu"
tune="tune add --variant v6 --dtype f32 --sample-ms 3 --warmup-ms 0 --repetitions 2"

expect 2 'it is for --sweep-shapes' $tune --held-out 3
expect 2 'it draws the sizes itself' $tune --sweep-shapes 3 --size small
expect 2 "of a search's options --budget goes with it" $tune --sweep-shapes 3 --evaluations 5
expect 2 'only: it is for --sweep-shapes' $tune --only WAY
expect 2 'has no run-time tunable "FIXED"; there are: WAY$' $tune --sweep-shapes 3 --only WAY,FIXED
expect 2 'at most 128 shapes together' $tune --sweep-shapes 128
expect 0 '^assay tune add --variant v6_by_shape --dtype f32 --sweep-shapes 8 --held-out 4 --seed 2$' $tune --sweep-shapes 8 --seed 2 --dry-run

# Of too many combinations each tunable alone. (No compiler ends in that time, so nothing is timed.)
cp "$work/ops/add/op.json" "$work/whole.op.json"
sed -i 's/"FIXED": {"values": \[1, 2\], "default": 1}/"FIXED": {"values": [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32], "default": 1, "run_time": true}, "MORE": {"values": [1, 2], "default": 1, "run_time": true}/' "$work/ops/add/op.json"
expect 1 '^34 configurations at 3 shapes, 2 of them to choose by; too many combinations, so each tunable is varied alone$' $tune --sweep-shapes 2 --compile-limit 0.001
grep -q '^34 configurations, each with one tunable off its default, at 3 of 3 drawn shapes' "$work/logs/add_table.md" || fail "not in the report: $(head -n 3 "$work/logs/add_table.md")"
expect 1 '^4 configurations at 3 shapes, 2 of them to choose by$' $tune --sweep-shapes 2 --only MORE,WAY --compile-limit 0.001
mv "$work/whole.op.json" "$work/ops/add/op.json"

# What constraints forbid is not missing; a budget that ends it before a shape to judge by is no failure.
cp "$work/ops/add/op.json" "$work/whole.op.json"
sed -i 's/^  "tunables": /  "constraints": {"v6_by_shape": ["WAY == 0 or M > 1000"]},\n&/' "$work/ops/add/op.json"
expect 0 'none yet that gives a regret; the same command goes on$' $tune --sweep-shapes 6 --held-out 4 --seed 2 --budget 0.001s
grep -q '^2 configurations at 1 of 10 .*; 0 of the times are missing (wrong, or not timed)\. 1 of the shapes make the table\.$' "$work/logs/add_table.md" ||
    fail "not in the report: $(head -n 3 "$work/logs/add_table.md")"
mv "$work/whole.op.json" "$work/ops/add/op.json"
rm -r "$work/results"

# A budget ends it after some shapes, and the same command goes on without measuring these again.
of_results() { (cd "$work" && find . -path '*/configurations/bench/*.json' -exec cksum {} + | sort -k 3); }
expect 0 '^budget: 8 of 10 shapes were measured; the same command goes on$' $tune --sweep-shapes 6 --held-out 4 --seed 2 --budget 0.001s
of_results >"$work/first"
[ "$(wc -l <"$work/first")" -eq 16 ] || fail "not two results of each of 8 shapes: $(cat "$work/first")"

# Way 1 is many times faster above 512 elements, so that class gets a row, whatever else runs here.
expect 0 '^saved to .*/ops/add/best/cpu.json' $tune --sweep-shapes 6 --held-out 4 --seed 2 --save
of_results | grep -F -x -f "$work/first" | cmp -s "$work/first" - || fail "what was measured was measured again"
for line in '^2 configurations at 10 shapes, 6 of them to choose by' '^\[ 10/10\] ' '^table: [12] rows of 2 classes of shapes' \
    '^regret of the table at 4 other shapes: geometric mean [0-9.]*%' '^regret of the default at 4 other shapes: geometric mean [0-9]*[0-9][0-9]\.'; do
    printf '%s\n' "$said" | grep -q -- "$line" || fail "missing: $line
$said"
done
tr -d ' \n' <"$work/ops/add/best/cpu.json" | grep -q '"least":\[513\],"most":\[4096\],"values":\[1\]' || fail "no row: $(cat "$work/ops/add/best/cpu.json")"
for line in '^| table | 4 | ' '^| default | 4 | ' '^| 513 to 4096 | `WAY=1,FIXED=1` | ' '^Repeat it: `assay tune add'; do
    grep -q -- "$line" "$work/logs/add_table.md" || fail "missing in the report: $line
$(cat "$work/logs/add_table.md")"
done

# What was measured is not measured again.
"$build/bin/assay" $tune --sweep-shapes 6 --held-out 4 --seed 2 --json >"$work/shapes.json" || fail "not again"
"$build/bin/assay" schema tune --check "$work/shapes.json" || fail "the document is not as its schema says"

# Over two devices, killed once it has a result: its processes end, what it has is kept, and the same command measures the rest. Where the
# kill comes too late, each measurement takes longer the next time.
of_cards() { (cd "$work" && find ./devices ./results -path '*/configurations/bench/*.json' -exec cksum {} + 2>/dev/null | sort -k 3); }
of_all() { (cd "$work" && find ./devices ./results -path '*/configurations/*.json' -exec cksum {} + 2>/dev/null | sort -k 3); }
for sample_ms in 3 30 300; do
    rm -rf "$work/results" "$work/devices"
    tune="tune add --variant v6 --dtype f32 --sample-ms $sample_ms --warmup-ms 0 --repetitions 2"
    "$build/bin/assay" $tune --sweep-shapes 6 --held-out 4 --seed 2 --devices 3,4 >"$work/killed" 2>&1 &
    pid=$!
    while kill -0 "$pid" 2>/dev/null && [ -z "$(of_cards)" ]; do sleep 0.02; done
    kill -9 "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
    sleep 0.3
    of_cards >"$work/first"
    of_all >"$work/first_all"
    [ "$(wc -l <"$work/first")" -ge 20 ] || break
done
[ "$(wc -l <"$work/first")" -lt 20 ] || fail "it was not killed in time"
[ -s "$work/first" ] || fail "no result before the kill: $(cat "$work/killed")"
sleep 0.5
of_all | cmp -s "$work/first_all" - || fail "a process of a device goes on after the kill"
expect 0 '^\[ 10/10\] ' $tune --sweep-shapes 6 --held-out 4 --seed 2 --devices 3,4
of_cards | grep -F -x -f "$work/first" | cmp -s "$work/first" - || fail "what was measured before the kill was measured again"
[ "$(of_cards | grep -c ' ./results/')" -eq 10 ] && [ "$(of_cards | grep -c ' ./devices/cards/4/')" -eq 10 ] || fail "not half of the shapes on each: $(of_cards)"
grep -q '^Repeat it: `assay tune add .* --devices 3,4`$' "$work/logs/add_table.md" || fail "the report does not name the devices"

# The next build chooses by it, says so in the module's record, and is another module; one with values of its own does not.
module() { "$build/bin/assay-module" --workspace "$work" --op add --source "$work/ops/add/v6_by_shape.cu" --dtype f32 --out "$work/modules/add.v6_by_shape.f32.json" 2>&1; }
said=$(module) || fail "not compiled: $said"
grep -q '"table": {' "$work/modules/add.v6_by_shape.f32.json" || fail "the record has no table"
grep -q '#define ASSAY_TUNED_TABLE' "$work/modules/add.v6_by_shape.f32.tunables.h" || fail "no table in the header"
with=$(sed -n 's/.*"source_sha256": "\([0-9a-f]*\)".*/\1/p' "$work/modules/add.v6_by_shape.f32.json")
expect 0 '2 passed' verify add --variant v6 --dtype f32 --size small,large
expect 0 '' report
grep -q 'by the shape, from a table of [12] classes: `WAY`; tuned on ' "$work/logs/add_log.md" || fail "the log does not name the table:
$(grep Tunables "$work/logs/add_log.md")"
mkdir "$work/away" && mv "$work/ops/add/best/cpu.json" "$work/away"
said=$(module) || fail "not compiled without a table: $said"
grep -q '"table": {' "$work/modules/add.v6_by_shape.f32.json" && fail "a table that is not there"
[ "$with" != "$(sed -n 's/.*"source_sha256": "\([0-9a-f]*\)".*/\1/p' "$work/modules/add.v6_by_shape.f32.json")" ] || fail "the same module with and without a table"

# A table with a value that op.json does not have stops the build.
tr -d '\n' <"$work/away/cpu.json" | sed 's/"values": *\[ *1 *\]/"values": [7]/' >"$work/ops/add/best/cpu.json"
said=$(module) && fail "a broken table was taken"
printf '%s\n' "$said" | grep -q 'tables\[0\].rows\[[01]\]: no ranges and values' || fail "not named: $said"
exit "$failed"
