#!/bin/sh
# shellcheck disable=SC2154,SC2240 # the sourced file takes arguments and sets variables
# `assay tune` from search to the build that uses its winner. Usage: tune_test.sh BUILD SOURCE
set -u
. "$(dirname "$0")/workspace.sh" "$1" "$2"
tune="tune add --variant v5 --dtype f32 --size small --sample-ms 1 --warmup-ms 0 --repetitions 8"

# Wrong use.
expect 2 'one op is expected' tune
expect 2 'unknown op "sub"' tune sub
expect 2 'no variant of add that was asked for has tunables for f32' tune add --variant v1
expect 2 '--size: add has no size "tiny"' tune add --variant v5 --size tiny
expect 2 'random' tune add --variant v5 --strategy guessing
expect 2 'a time such as 90s, 10m or 2h' tune add --budget soon
expect 0 '^random ' tune add --strategy help
expect 0 '^assay tune add --variant v5_tuned --dtype f32 --size small --strategy random --seed 3 --evaluations 5$' \
    tune add --variant v5 --dtype f32 --size small --strategy random --seed 3 --evaluations 5 --dry-run

# Several tunings: every combination that is there, each with a report of its own.
expect 0 '^assay tune add --variant v5_tuned --dtype bf16 --size large ' tune add --variant v5 --dtype f32,bf16 --size small,large --dry-run
[ "$(printf '%s\n' "$said" | grep -c '^assay tune add')" -eq 4 ] || fail "not four tunings: $said"
expect 0 '^assay tune add --variant v5_tuned --dtype f32 --size large ' tune --all --dtype f32,f64 --dry-run
expect 2 'params: is for a problem given with --dims' tune add --variant v5 --params alpha=2
expect 2 'model: it is for a --provider that is an endpoint' tune add --variant v5 --provider heuristic --model m
expect 2 'proposals: it is for --provider' tune add --variant v5 --proposals 3
expect 2 'add has no dtype "f64"' tune add --dtype f32,f64 --dry-run
expect 2 'no op has such a tuning' tune --all --dtype f64
expect 2 'name the file of one tuning; this asks for 2' tune add --variant v5 --dtype f32,bf16 --report mine

# The whole space but hangs, whose end takes the time limit. Each failure costs itself and is named.
sed -i 's/\[0, 1, 2, 3, 4, 5, 6\]/[0, 1, 2, 3, 4]/; s/\[1, 4, 16, 64\]/[1, 64]/' "$work/ops/add/op.json"
expect 0 '^faster: WORK=1,FAULT=0, ' $tune --strategy exhaustive --evaluations 100 --save
for line in '6 evaluations in .* (exhausted), 3 success, 1 failed_compile, 1 failed_correctness, 1 crashed$' \
    'failed_compile: .*this value does not compile' 'crashed: killed by signal' '^saved to .*/ops/add/best/cpu.json' '^regret against the whole space: [0-9.]*%'; do
    printf '%s\n' "$said" | grep -q -- "$line" || fail "missing: $line
$said"
done
report=$work/logs/add_tuning.md
for line in '^\*\*Faster\*\*: `WORK=1,FAULT=0` takes' '| `WORK=1,FAULT=0` \*\*winner\*\*' \
    '^| WORK | [0-9.]*x |' '^This process, finals included: [0-9.]* s, of which' '^Repeat it: `assay tune add --variant v5_tuned' '^| crashed | 1 |' '| \*\*wrong\*\*: first contents' 'is right at the size small and wrong elsewhere' '^| large | [0-9.]* | [0-9.]* | -'; do
    grep -q -- "$line" "$report" || fail "missing in the report: $line
$(cat "$report")"
done
grep -q '<circle' "$work/logs/add_tuning.svg" || fail "no chart"

# What is known is not measured again, and a new run is another run.
expect 0 '"resumed": 0' $tune --strategy exhaustive --evaluations 100 --json
set -- "$work"/results/*/configurations/bench/*small*
[ $# -eq 3 ] || fail "expected the results of 3 configurations"

# A T1 file's values and conditions in the place of op.json's; what it does not name keeps its default.
cat >"$work/space.json" <<'END'
{"ConfigurationSpace": {
  "TuningParameters": [{"Name": "WORK", "Type": "int", "Values": "[2**i for i in range(1, 4)]", "Default": 2}],
  "Conditions": [{"Parameters": ["WORK"], "Expression": "WORK != 4 and WORK <= max_threads_per_block"}]}}
END
expect 0 '2 valid configurations of 3,' $tune --space "$work/space.json" --strategy exhaustive --evaluations 100 --no-finals
printf '%s\n' "$said" | grep -q '^2 evaluations in .* (exhausted), 2 success' || fail "not the space of the file: $said"
printf '%s\n' "$said" | grep -q ' 1/100 .* WORK=2,FAULT=0' || fail "the search does not begin with the file's default: $said"
expect 0 ' --space [^ ]*space.json' tune add --variant v5 --space "$work/space.json" --dry-run
expect 2 '--space and --save exclude each other' $tune --space "$work/space.json" --save
expect 2 'one op and variant; this asks for several' tune add --variant v5,v2 --space "$work/space.json" --dry-run
bad_space() {
    sed "$1" "$work/space.json" >"$work/bad.json"
    expect 2 "bad.json.*: $2" $tune --space "$work/bad.json"
}
bad_space 's/"WORK", "Type"/"WROK", "Type"/' '"WROK" is no tunable of v5_tuned in op.json'
bad_space 's/WORK != 4/WORK !! 4/' 'constraint "WORK !! 4 and .*": column 6'
bad_space 's/}}$/}/' 'not valid JSON'

# A provider proposes first; what it says of a space that is not there is dropped, and one that fails is replaced.
cat >"$work/provider" <<'END'
cat >/dev/null
echo '{"candidates": [{"values": {"WORK": 7, "FAULT": 0}, "reason": "none"}, {"values": {"WORK": 1, "FAULT": 0}, "reason": "less work"}]}'
END
rm -rf "$work/ops/add/best.away" && mv "$work/ops/add/best" "$work/ops/add/best.away"
expect 0 'provider command:sh .*provider: 1 candidates; 1 invalid' $tune --strategy exhaustive --evaluations 2 --new --provider "command:sh $work/provider"
printf '%s\n' "$said" | grep -q '2/2 .* WORK=1,FAULT=0' || fail "the proposal did not come after the default: $said"
expect 0 'provider heuristic: .*in place of the one asked for' $tune --strategy exhaustive --evaluations 2 --new --provider "command:false"
expect 2 'provider' $tune --provider nobody --new --evaluations 1
expect 0 'command:sh' archive history --limit 0
mv "$work/ops/add/best.away" "$work/ops/add/best"

# A race that no result shows is found where every access is watched, before the configuration is timed.
sed -i 's/\[0, 1, 2, 3, 4\]/[0, 6]/' "$work/ops/add/op.json"
expect 2 'no assay.json there' $tune --screen "$work/logs"
expect 0 'failed_correctness: on the CPU device, small: ' $tune --strategy exhaustive --evaluations 3 --screen "$work"
grep -q 'on the CPU device, small: .*shared-memory race' "$report" || fail "the report does not name the race: $(grep 'CPU device' "$report")"
expect 0 '3 success' $tune --strategy exhaustive --evaluations 3 --new
sed -i 's/\[0, 6\]/[0, 1, 2, 3, 4]/' "$work/ops/add/op.json"

# The next build takes the winner, and says which run it is of.
module() { "$build/bin/assay-module" --workspace "$work" --op add --source "$work/ops/add/v5_tuned.cu" --dtype "$1" --out "$work/modules/add.v5_tuned.$1.json"; }
module f32 && module bf16 || fail "the modules were not compiled"
grep -q '"WORK": 1' "$work/modules/add.v5_tuned.f32.json" || fail "the build did not take the winner"
grep -q '"winner": {' "$work/modules/add.v5_tuned.f32.json" || fail "the record does not name the winner"
expect 0 '1 passed' verify add --variant v5 --dtype f32 --size small
expect 0 '' report
grep -q '`WORK` = 1 (of 1, 64).*; tuned for f32 small on .*, run [0-9a-f]\{8\} of 20' "$work/logs/add_log.md" || fail "the log does not name the run:
$(grep Tunables "$work/logs/add_log.md")"
grep -q '"WORK": 64' "$work/modules/add.v5_tuned.bf16.json" || fail "a winner of f32 was taken for bf16"
sed -i 's/"WORK": 1,/"WORK": 3,/' "$work/ops/add/best/cpu.json"
said=$(module f32 2>&1) && fail "a winner with a value that op.json does not have was taken"
printf '%s\n' "$said" | grep -q 'best/cpu.json: winners\[0\].tunables.WORK: no value of op.json' || fail "not named: $said"
# What is faster by its mean and cannot be told from the default is named, and why.
expect 0 '^the fastest by its mean, WORK=1,FAULT=0, .* us, cannot be told from it: too few repetitions' $tune --strategy exhaustive --evaluations 2 --new --repetitions 2
exit "$failed"
