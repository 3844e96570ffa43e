#!/bin/sh
# shellcheck disable=SC2154,SC2240 # the sourced file takes arguments and sets variables
# assay tune --executor slurm against a Slurm on this machine. Usage: slurm_test.sh BUILD SOURCE
set -u
. "$(dirname "$0")/slurm_cluster.sh"
find_slurm
. "$(dirname "$0")/workspace.sh" "$1" "$2"
trap 'stop_slurm; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
start_slurm "$work"
sed -i 's/\[0, 1, 2, 3, 4, 5, 6\]/[0, 2]/; s/\[1, 4, 16, 64\]/[1, 64]/' "$work/ops/add/op.json"
tune="tune add --variant v5 --size small --sample-ms 1 --warmup-ms 0 --repetitions 8 --strategy exhaustive --executor slurm"
has_begun() { grep -q '^\[  1' "$work"/slurm/*/0/log.txt 2>/dev/null; }
outcome_has() { grep -q -- "$2" "$work"/slurm/*/"$1"/outcome.json; }

# What is refused, and what a dry run prints: the script, and nothing is made.
expect 2 'local or slurm is expected' tune add --executor cloud
expect 2 'for --executor slurm' tune add --executor-options --partition=debug
expect 0 "^0) set -- 'tune' 'add' '--variant' 'v5_tuned' '--dtype' 'f32' .*'--size' 'small' '--sample-ms=1'" $tune --dry-run
printf '%s\n' "$said" | sh -n || fail "no script: $said"
expect 3 'sbatch did not take the job: .*partition' $tune --executor-options --partition=nowhere
said=$(PATH=/nowhere "$build/bin/assay" $tune 2>&1) && fail "without sbatch: $said"
printf '%s\n' "$said" | grep -q 'there is no sbatch on PATH' || fail "not named: $said"
rm -rf "$work/slurm"

# Two tunings, two tasks, and one result. A task that is cancelled is named with its log, and the same command submits it alone.
"$build/bin/assay" $tune --dtype f32,bf16 --save --executor-options "--partition=debug  --hold" >"$work/held" 2>&1 &
waiting=$!
wait_for 30 grep -q '2 pending' "$work/held" || fail "nothing is pending: $(cat "$work/held")"
job=$(sed -n 's/^job \([0-9]*\) submitted: 2 tasks; logs in .*/\1/p' "$work/held")
scancel "${job}_1"
scontrol release "$job"
wait "$waiting"
[ $? -eq 3 ] || fail "a cancelled task is no failure"
for line in '^add v5_tuned f32 small: [a-z]*: WORK=[0-9]* FAULT=0, .*log.txt$' '^add v5_tuned bf16 small: ended .*; failed, log: .*/1/log.txt$' \
    '^1 of 2 tasks failed; the same command submits them again'; do
    grep -q -- "$line" "$work/held" || fail "missing: $line
$(cat "$work/held")"
done
expect 0 '^job [0-9]* submitted: 1 tasks; logs in ' $tune --dtype f32,bf16 --save
for line in '^add v5_tuned bf16 small: [a-z]*: WORK=' '^report: .*/logs/add_v5_tuned_bf16_small_tuning.md'; do
    printf '%s\n' "$said" | grep -q -- "$line" || fail "missing: $line
$said"
done
# Each of them that is faster, which a loaded machine may not show, is saved.
faster=$(cat "$work"/slurm/*/[01]/outcome.json | grep -c '^ "row": {')
saved=$(cat "$work/ops/add/best/cpu.json" 2>/dev/null | grep -c '"verdict": "faster"')
[ "$saved" -eq "$faster" ] || fail "$faster winners and $saved of them saved: $(cat "$work/ops/add/best/cpu.json")"
expect 0 '^6 attempts in 2 runs' archive stats
grep -q '^| `WORK=' "$work/logs/add_v5_tuned_f32_small_tuning.md" || fail "the report is not there"
ls "$work"/results/*/configurations/bench/*.json >/dev/null || fail "the results were not joined"
expect 0 '0 runs and 0 candidates added; 1 runs and 3 candidates were known' merge "$(ls -d "$work"/slurm/*/0/results)"
rm -rf "$work/ops/add/best" "$work/slurm"

# The wait is interrupted and the job is not. Its task is killed and queued again, and goes on; the same command waits for it.
sed -i 's/\[1, 64\]/[1, 4, 16, 64]/' "$work/ops/add/op.json"
"$build/bin/assay" $tune --batch 1 >"$work/waits" 2>&1 &
waiting=$!
wait_for 60 has_begun || fail "the task does not run: $(cat "$work/waits")"
job=$(sed -n 's/^job \([0-9]*\) submitted.*/\1/p' "$work/waits")
kill -INT "$waiting"
wait "$waiting"
[ $? -eq 130 ] || fail "no interrupt: $(cat "$work/waits")"
grep -q "interrupted; job $job goes on: the same command waits for it again" "$work/waits" || fail "not said how to go on: $(cat "$work/waits")"
expect 2 "still in the queue; \"scancel $job\" ends it" $tune --batch 1 --new
scontrol requeue "${job}_0" || fail "Slurm does not requeue"
expect 0 "^job $job is in the queue: waiting for its 1 tasks" $tune --batch 1
printf '%s\n' "$said" | grep -q '^add v5_tuned f32 small: [a-z]*: WORK=' || fail "no winner: $said"
[ "$(grep -c '^going on with a run that has [1-9]' "$work"/slurm/*/0/log.txt)" -ge 1 ] || fail "the task began anew: $(cat "$work"/slurm/*/0/log.txt)"
outcome_has 0 '"resumed": [1-9]' && outcome_has 0 '"end": "exhausted"' || fail "not resumed: $(cat "$work"/slurm/*/0/outcome.json)"
expect 0 '^13 attempts in 3 runs' archive stats
exit "$failed"
