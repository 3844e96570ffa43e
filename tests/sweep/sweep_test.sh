#!/bin/sh
# shellcheck disable=SC2154,SC2240 # the sourced file takes arguments and sets variables
# assay sweep as a user meets it: right, wrong and given shapes, going on after an end, times, requirements, files.
# Usage: sweep_test.sh BUILD SOURCE
set -u
. "$(dirname "$0")/../tuning/workspace.sh" "$1" "$2"
sed -i "s|\"modules\": \"[^\"]*\"|\"modules\": \"$work/modules\"|" "$work/assay.json"
mkdir -p "$work/modules"

# module VARIANT SOURCE DEFINITION...
module() {
    variant=$1 file=$work/ops/add/$2
    shift 2
    "$build/bin/assay-module" --workspace "$work" --op add --source "$file" --dtype f32 --out "$work/modules/add.$variant.f32.json" "$@" ||
        fail "no module $variant"
}
module v5_tuned v5_tuned.cu --define FAULT=0 --define WORK=16
add="sweep add --dtype f32 --no-plots"
log=$work/logs/add_sweep.md

# The same list each time, of the family asked for; a longer one begins with it.
"$build/bin/assay" sweep add --list --count 5 >"$work/five"
"$build/bin/assay" sweep add --list --count 9 | head -n 5 | cmp -s - "$work/five" || fail "nine shapes do not begin with the five of the same seed"
"$build/bin/assay" sweep add --list --count 5 --seed 2 | cmp -s - "$work/five" && fail "another seed gave the same shapes"
expect 2 'has no family "many"; there are: any' $add --family many
expect 2 'an op is needed' sweep
expect 2 'one op is expected, not "add" and "add"' sweep add add
expect 2 'unknown op "sub"; there are: add' sweep sub
expect 2 'a sweep draws its shapes' $add --size small
expect 2 'the file is the list' $add --shapes "$work/five" --count 3
expect 2 'a whole number from 1 to 10000' $add --count 0
expect 2 '--require is about times' $add --count 1 --require minimum=1
expect 2 'NAME=RATIO is expected' $add --timed --require p20=1
expect 2 'cannot be read' $add --shapes "$work/none"

# Right shapes; what is known is not judged again unless that is asked for.
expect 0 '5 right$' $add --count 5
judged() { grep -l '"attempts"' "$work"/results/*/configurations/verify/add.v5_tuned.f32.*.json | xargs cat | grep -c '"time":'; }
[ "$(judged)" -eq 5 ] || fail "expected 5 judgements, found $(judged)"
expect 0 '7 right$' $add --count 7
[ "$(judged)" -eq 7 ] || fail "expected 7 judgements after two more shapes, found $(judged)"
expect 0 '7 right$' $add --count 7 --again
[ "$(judged)" -eq 14 ] || fail "expected 14 judgements after --again, found $(judged)"
grep -q '7 cases: 7 right, \*\*0 wrong\*\*' "$log" || fail "the log says otherwise: $(cat "$log")"
expect 0 '"status": "right"' $add --count 2 --json

# A wrong kernel: each of its shapes is named, with a command that shows the same, and the others go on.
module v5_tuned v5_tuned.cu --define FAULT=2 --define WORK=16
printf '{"M": 3, "N": 35}\n{"M": 4, "N": 8, "params": {"alpha": 2.0}, "family": "mine"}\n' >"$work/two.jsonl"
expect 1 '2 WRONG' $add --shapes "$work/two.jsonl"
grep -q '^## Wrong' "$log" && grep -q '| mine | 1 | 1 |' "$log" || fail "no wrong shapes in the log: $(cat "$log")"
command=$(printf '%s\n' "$said" | sed -n 's/^ *assay \(verify .*M=4,N=8 .*\)/\1/p')
expect 1 '^FAIL add.v5_tuned.f32.M=4+N=8+alpha=2' $command
# A kernel that crashes costs its own shapes.
module v5_tuned v5_tuned.cu --define FAULT=3 --define WORK=16
expect 1 'WRONG .*M=3 N=35' $add --shapes "$work/two.jsonl"

# Times, beside the C reference; and what is required of them. Edge cases come first, as in bench.
module v5_tuned v5_tuned.cu --define FAULT=0 --define WORK=16
timed="$add --shapes $work/two.jsonl --timed --repetitions 2 --sample-ms 1 --warmup-ms 0"
expect 0 'assay bench add --variant v5_tuned --dtype f32 --dims M=3,N=35 --modes cold' $timed --require geomean=0.000001
expect 1 'required and missed: v5_tuned f32: minimum is' $timed --require minimum=999999
grep -q '^\*\*Required and missed' "$log" || fail "the log does not say what is missed"
expect 0 '"ratio": [0-9]' $timed --json
# Where the time went: both shapes were timed by one process, which tells.
expect 0 '"seconds_by_phase"' $timed --again --json
printf '%s\n' "$said" | grep -q '"timing": 0*\.*0*[1-9]' || fail "no seconds of timing: $said"
grep -q '^Seconds: [0-9.]* verifying; of the processes that time: start' "$log" || fail "no seconds in the log"

# A kernel file, and kernels whose accesses are watched: what is wrong there repeats by the command, too.
rm "$work/modules/"*
expect 0 '2 right$' $add --source "$source/ops/add/v1_baseline.cu" --shapes "$work/two.jsonl"
sed 's/^#define FAULT 0/#define FAULT 4/' "$work/ops/add/v5_tuned.cu" >"$work/ops/add/odd.cu"
expect 1 '1 right, 1 WRONG' $add --source "$work/ops/add/odd.cu" --shapes "$work/two.jsonl"
command=$(printf '%s\n' "$said" | sed -n 's/^ *assay \(verify .*M=3,N=35 .*\)/\1/p')
expect 1 '^FAIL add.odd.f32.M=3+N=35' $command
# One that computes some shapes and refuses others is wrong; one that refuses all is not here to be judged.
sed 's/^    if (args->count == 0)/    if (args->count % 2)\n        return ASSAY_ERR_UNSUPPORTED;\n&/' "$work/ops/add/v5_tuned.cu" >"$work/ops/add/even.cu"
expect 1 'WRONG .*M=3 N=35' $add --source "$work/ops/add/even.cu" --shapes "$work/two.jsonl"
head -n 1 "$work/two.jsonl" >"$work/one.jsonl"
expect 0 '0 right, 1 refused$' $add --source "$work/ops/add/even.cu" --shapes "$work/one.jsonl"
expect 0 '2 right$' $add --check --variant v1 --shapes "$work/two.jsonl"
expect 2 '--check and --source verify' $add --check --timed
expect 2 'the file is the variant' $add --source "$work/ops/add/odd.cu" --variant v1
exit "$failed"
