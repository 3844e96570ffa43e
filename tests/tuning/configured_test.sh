#!/bin/sh
# shellcheck disable=SC2154,SC2240 # the sourced file takes arguments and sets variables
# --set, --dims and --params of `assay verify` and `assay bench`. Usage: configured_test.sh BUILD SOURCE
set -u
. "$(dirname "$0")/workspace.sh" "$1" "$2"
v5="add --variant v5 --dtype f32"
quick="--baselines none --modes cold --repetitions 2 --sample-ms 1 --warmup-ms 0"

# Wrong use names what is wrong and what there is.
expect 2 'no value of op.json; allowed: 1, 4, 16, 64' verify $v5 --set WORK=3
expect 2 'has no tunable "SPEED"; there are: WORK, FAULT' verify $v5 --set SPEED=3
expect 2 'WORK is given twice' verify $v5 --set WORK=1,WORK=1
expect 2 '"WORK": NAME=INTEGER is expected' verify $v5 --set WORK
expect 2 'WORK=64,FAULT=2 breaks the constraint "WORK < 64 or FAULT == 0" of op.json' verify $v5 --set WORK=64,FAULT=2
expect 2 'v1_baseline of add has no tunables in op.json; variants with tunables: v5_tuned, v2_tiling' verify add --variant v1 --set WORK=1
expect 2 '--set needs one variant of add' verify add --set WORK=1
expect 2 '--set needs one op' verify --variant v5 --set WORK=1
expect 2 'add has no dimension "K"; there are: M, N' verify add --dims K=3
expect 2 'no value for the dimension N of add' verify add --dims M=3
expect 2 'elements; allowed: up to 2^48' verify $v5 --dims M=3000000000,N=3000000000
expect 2 'add has no parameter "beta"; there are: alpha' verify $v5 --dims M=3,N=3 --params beta=1
expect 2 'must be of type real' verify $v5 --dims M=3,N=3 --params alpha=big
expect 2 '--params: is for a problem given with --dims' verify $v5 --params alpha=1
expect 2 '--size is for those of op.json' verify $v5 --dims M=3,N=3 --size small

# Each configuration is judged by itself, on the problem asked for; the order of the values does not make another one.
expect 0 '^PASS add.v5_tuned+[0-9a-f]\{10\}.f32.M=3+N=35 105 elements' verify $v5 --set WORK=16 --dims M=3,N=35
expect 1 '^FAIL add.v5_tuned+' verify $v5 --set FAULT=2,WORK=16 --dims N=35,M=3
expect 1 '^FAIL add.v5_tuned+' verify $v5 --set WORK=16,FAULT=2 --dims M=3,N=35
expect 1 'this value does not compile' verify $v5 --set FAULT=1,WORK=16 --dims M=3,N=35
expect 0 '^PASS .*alpha=2 ' verify $v5 --set WORK=16 --dims M=3,N=35 --params alpha=2
expect 0 '^PASS .*alpha=0 ' verify $v5 --set WORK=16 --dims M=3,N=35 --params alpha=0.0
expect 0 '^PASS .*dims=[0-9a-f]\{10\} ' verify $v5 --set WORK=16 --dims M=3,N=35 --params alpha=-0.0
count=$(ls "$work"/results/*/configurations/verify | wc -l)
[ "$count" -eq 6 ] || fail "expected 6 verdicts of 3 configurations and 4 problems, found $count"

# A module is made once for what it is made of: another header, another module; the same text again, none.
modules="$work/configurations"
module=$(basename "$(ls "$modules"/*.so | head -n 1)")
made() { stat -c %Y.%y "$modules"/*.json | sort; }
before=$(made)
expect 0 '^PASS' verify $v5 --set WORK=16 --dims M=3,N=35
[ "$before" = "$(made)" ] || fail "a module was compiled again although nothing of it changed"
expect 0 '1 of 1 cases timed' bench $v5 --set WORK=16 --dims M=3,N=35 $quick
expect 0 'of them fresh' bench $v5 --set WORK=16 --dims M=3,N=35 $quick
echo "// edited" >>"$work/ops/add/extra.h"
expect 0 'its result is of another kernel source' bench $v5 --set WORK=16 --dims M=3,N=35 $quick
[ "$before" != "$(made)" ] || fail "an edited header made no new module of $module"
expect 0 '1 of 1 cases timed; ' bench $v5 --set WORK=1 --dims M=3,N=35 $quick
count=$(ls "$work"/results/*/configurations/bench | wc -l)
[ "$count" -eq 2 ] || fail "expected the results of 2 configurations, found $count"

# One problem has one name however a parameter is written, also for the process that times it.
expect 0 '1 of 1 cases timed; ' bench $v5 --set WORK=16 --dims M=3,N=35 --params alpha=2 $quick
expect 0 'of them fresh' bench $v5 --set WORK=16 --dims M=3,N=35 --params alpha=2.0 $quick

# The command kept with a result is the one that repeats it.
rerun=$(sed -n 's/.*"rerun": *"assay \(bench .*\) --force".*/\1/p' "$work"/results/*/configurations/bench/*.json | grep WORK=1, | grep -v params)
expect 0 'of them fresh' $rerun $quick
expect 0 '"WORK"' list --op add --tunables --json
expect 0 'constraint: WORK < 64 or FAULT == 0' list --op add --tunables
exit "$failed"
