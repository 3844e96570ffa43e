#!/bin/sh
# shellcheck disable=SC2086,SC2154,SC2240 # $tune is a list; the sourced file takes arguments and sets variables
# One tuning over several devices. On the CPU device any number is that device, so that what is tested is who evaluates what, and that no
# kill loses or repeats an evaluation. Usage: cards_test.sh BUILD SOURCE
set -u
. "$(dirname "$0")/workspace.sh" "$1" "$2"
sed -i 's/\[0, 1, 2, 3, 4, 5, 6\]/[0, 2]/' "$work/ops/add/op.json"
tune="tune add --variant v5 --dtype f32 --size small --sample-ms 1 --warmup-ms 0 --repetitions 2 --strategy random --seed 5 --evaluations 7 --batch 1 --devices 2,5"

# Configuration and status of each evaluation, in order; and what each device did.
trace() { sed -n '/"trace": \[/,/^ \]/p' "$1" | tr -d ' \n' | sed 's/{"configuration":{\([^}]*\)},"status":"\([a-z_]*\)"/\n\1 \2\n/g' | grep '^"[A-Z]'; }
of_devices() { sed -n '/"devices": \[/,/^ \]/p' "$1" | tr -d ' \n' | sed 's/{/\n/g' | sed -n "s/.*\"$2\":\([^,}]*\).*/\1/p"; }

# Each is evaluated once, and the second device has work while the first is busy: one that is free is given work first.
"$build/bin/assay" $tune --new --json >"$work/whole.json" 2>"$work/said" || fail "failed: $(cat "$work/said")"
trace "$work/whole.json" >"$work/whole"
[ "$(sort "$work/whole" | uniq | wc -l)" -eq 7 ] && [ "$(wc -l <"$work/whole")" -eq 7 ] || fail "not each once: $(cat "$work/whole")"
expect 0 '^7 attempts in 1 run' archive stats
of_devices "$work/whole.json" device | tr '\n' ' ' | grep -q '^2 5 *$' || fail "devices: $(of_devices "$work/whole.json" device)"
first=$(of_devices "$work/whole.json" evaluations | head -n 1) second=$(of_devices "$work/whole.json" evaluations | tail -n 1)
[ "$second" -gt 1 ] && [ "$((first + second))" -eq 8 ] || # the default is measured on both
    fail "device 2 evaluated $first, device 5 $second"
[ "$(of_devices "$work/whole.json" factor | head -n 1)" = 1.0 ] || fail "the first device's times count as they are"
of_devices "$work/whole.json" factor | tail -n 1 | grep -q '^[0-9]*\.[0-9]' || fail "the second device has no factor"
ls "$work"/devices/cards/5/results/*/configurations/bench/*small* >/dev/null || fail "no results of the second device"
grep -q '^| 5 | .* | [0-9.]* | [0-9.]* | [0-9]* |$' "$work/logs/add_tuning.md" || fail "not in the report: $(head -n 20 "$work/logs/add_tuning.md")"

# The finals are of the first device alone: each result that they left lies there, and was measured interleaved with all other finalists.
python3 - "$work" <<'PY' || fail "the finals are not of one device"
import glob, json, re, sys
whole = json.load(open(sys.argv[1] + "/whole.json"))
timed = [f for f in whole["finalists"] if f["us"]]
assert len(timed) > 1 and whole["winner"], whole["finalists"]
interleaved = {}
for path in glob.glob(sys.argv[1] + "/results/*/configurations/bench/*.small.json"):
    one = json.load(open(path))["assay"]
    interleaved[tuple(sorted(one["tunables"].items()))] = one["variant"], one["method"]["interleaved_with"], one["modes"]["cold"]["mean_us"]
finals = [interleaved[tuple(sorted(f["configuration"].items()))] for f in timed]
for finalist, (name, beside, mean) in zip(timed, finals):
    assert abs(mean - finalist["us"]) < 1e-9 * mean, (name, mean, finalist["us"])
    assert set(beside) == {other for other, _, _ in finals} - {name}, (name, beside)
PY

grep -q '^Repeat it: `assay tune add .* --devices 2,5`' "$work/logs/add_tuning.md" || fail "not how to repeat it"
"$build/bin/assay" schema tune --check "$work/whole.json" || fail "the document is not as its schema says"

# Killed at some moments, it goes on as if it had not been; the processes of its devices end with it.
mv "$work/results" "$work/results.whole" && rm -rf "$work/devices" "$work/configurations"
for pause in 0.9 1.7 2.6; do
    "$build/bin/assay" $tune --json >"$work/killed.json" 2>&1 &
    pid=$!
    sleep "$pause"
    kill -9 "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null && break # it has come to its end: the next one would be another run
done
if grep -q '"winner": {' "$work/killed.json"; then
    cp "$work/killed.json" "$work/resumed.json"
else
    "$build/bin/assay" $tune --json >"$work/resumed.json" 2>"$work/said" || fail "it did not go on: $(cat "$work/said")"
fi
trace "$work/resumed.json" >"$work/resumed"
cmp -s "$work/whole" "$work/resumed" || fail "the resumed run is another one:
$(diff "$work/whole" "$work/resumed")"
expect 0 '^7 attempts in 1 run' archive stats

# Without a time of the default no two cards can be compared: the first goes on alone.
sed -i 's/"default": 0/"default": 2/; s/"WORK < 64 or FAULT == 0"/"WORK < 128"/' "$work/ops/add/op.json"
expect 0 'device 5 is left out: the default configuration, by which cards are compared' $tune --new
exit "$failed"
