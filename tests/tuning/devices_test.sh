#!/bin/sh
# shellcheck disable=SC2086,SC2154,SC2240 # $tune is a list; the sourced file takes arguments and sets variables
# Several tunings on several devices at once. On the CPU device the numbers are of cards that are not there: what is tested is who runs when,
# and what becomes of it. Usage: devices_test.sh BUILD SOURCE
set -u
. "$(dirname "$0")/workspace.sh" "$1" "$2"
sed -i 's/\[0, 1, 2, 3, 4, 5, 6\]/[0]/; s/\[1, 4, 16, 64\]/[1, 64]/' "$work/ops/add/op.json"
tune="tune add --variant v5 --dtype f32,bf16 --size small --sample-ms 1 --warmup-ms 0 --repetitions 2 --strategy exhaustive --batch 1"

expect 2 'each once, as in 0,1,2; not "0,0"' $tune --devices 0,0
expect 2 'each once, as in 0,1,2; not "one"' $tune --devices one
expect 2 'exclude each other' $tune --devices 0,1 --device 1
expect 2 "takes the nodes'" $tune --devices 0 --executor slurm

# Interrupted: nothing is joined, and both have begun, each on a device of its own.
has_begun() { [ "$(cat "$work"/devices/*/[01]/log.txt 2>/dev/null | grep -c '^tuning add')" -eq 2 ]; }
"$build/bin/assay" $tune --devices 3,5 >"$work/said" 2>&1 &
pid=$!
for _ in $(seq 60); do
    has_begun && break
    sleep 0.5
done
kill -INT "$pid"
wait "$pid"
[ $? -eq 130 ] || fail "not interrupted: $(cat "$work/said")"
for line in '^add v5_tuned f32 small: on device 3, log: ' '^add v5_tuned bf16 small: on device 5, log: ' 'the same command goes on'; do
    grep -q -- "$line" "$work/said" || fail "missing: $line
$(cat "$work/said")"
done

# The same command goes on, here with one device: one after the other, each run once.
expect 0 '^add v5_tuned bf16 small: on device 7' $tune --devices 7
for line in '^add v5_tuned f32 small: [a-z]*: WORK=' '^add v5_tuned bf16 small: [a-z]*: WORK=' '^report: .*/logs/add_v5_tuned_f32_small_tuning.md'; do
    printf '%s\n' "$said" | grep -q -- "$line" || fail "missing: $line
$said"
done
expect 0 '^4 attempts in 2 runs' archive stats
grep -q '^| `WORK=' "$work/logs/add_v5_tuned_bf16_small_tuning.md" || fail "no report of the second"

# A tuning that fails is named with its log, and costs the others nothing.
mv "$work/ops/add/v5_tuned.cu" "$work/away" && expect 2 'no variant of add' $tune --devices 0
mv "$work/away" "$work/ops/add/v5_tuned.cu"
expect 3 'small: exited with status 2: .*log: .*/0/log.txt' $tune --devices 0,1 --provider nobody
printf '%s\n' "$said" | grep -q '^2 of 2 tasks failed; the same command' || fail "not said how to go on: $said"

# What is left of a job is not gone on with when the file of values was edited.
count_jobs() { find "$work/devices" -mindepth 1 -maxdepth 1 -type d | wc -l; }
before=$(count_jobs)
for value in 1 64; do
    printf '{"ConfigurationSpace": {"TuningParameters": [{"Name": "WORK", "Type": "int", "Values": "[%d]", "Default": %d}]}}' \
        "$value" "$value" >"$work/space.json"
    expect 3 '^2 of 2 tasks failed' $tune --devices 7 --space "$work/space.json" --provider nobody
done
[ "$(count_jobs)" -eq $((before + 2)) ] || fail "$(count_jobs) jobs, $before before two files of values"
exit "$failed"
