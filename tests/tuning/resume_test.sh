#!/bin/sh
# shellcheck disable=SC2154,SC2240 # the sourced file takes arguments and sets variables
# A tuning run that is killed loses nothing and ends as if it had not been. Usage: resume_test.sh BUILD SOURCE KILLS
set -u
. "$(dirname "$0")/workspace.sh" "$1" "$2"
kills=$3
tune="tune add --variant v5 --dtype f32 --size small --sample-ms 1 --warmup-ms 0 --repetitions 2 --evaluations 6 --strategy random --seed 5 --batch 3"
sed -i 's/\[0, 1, 2, 3, 4, 5, 6\]/[0, 2]/' "$work/ops/add/op.json"

# Configuration and status of each evaluation, in order.
trace() { sed -n '/"trace": \[/,/^ \]/p' "$1" | tr -d ' \n' | sed 's/{"configuration":{\([^}]*\)},"status":"\([a-z_]*\)"/\n\1 \2\n/g' | grep '^"[A-Z]'; }

"$build/bin/assay" $tune --new --json >"$work/whole.json" || fail "the run that nobody killed failed"
trace "$work/whole.json" >"$work/whole"
[ "$(wc -l <"$work/whole")" -eq 6 ] || fail "expected evaluations: $(cat "$work/whole.json")"
mv "$work/results" "$work/results.whole"
rm -rf "$work/configurations"

same() { # DOCUMENT: of a run that was killed any number of times before it came to its end
    trace "$1" >"$work/resumed"
    cmp -s "$work/whole" "$work/resumed" || fail "the resumed run is another one:
$(diff "$work/whole" "$work/resumed")"
}

seed=1
for _ in $(seq "$kills"); do
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    "$build/bin/assay" $tune --json >"$work/killed.json" 2>&1 &
    pid=$!
    sleep "$((seed / 65536 % 2)).$((seed / 131072 % 10))$((seed / 16384 % 10))"
    kill -9 "$pid" 2>/dev/null
    if wait "$pid" 2>/dev/null; then # it had come to its end: the next one begins anew
        same "$work/killed.json"
        rm -rf "$work/results" "$work/configurations"
    fi
done
"$build/bin/assay" $tune --json >"$work/resumed.json" || fail "the run did not go on: $(tail -n 3 "$work/resumed.json")"
same "$work/resumed.json"
exit "$failed"
