#!/usr/bin/env bash
# Fuzz readers: tests/fuzz/run.sh SECONDS [TARGET...]. Each target in turn for that long, beginning with its corpus; all targets where
# none is named. The fuzzers come from a build of clang with sanitizers, $ASSAY_FUZZ_BUILD or build/asan: cmake --build build/asan
# --target fuzzers. New inputs and those that crash go to BUILD/fuzz/TARGET; the last lines are a table. Exit status 1: a fault was found.
set -uo pipefail

seconds=${1:?usage: tests/fuzz/run.sh SECONDS [TARGET...]}
shift
here=$(cd "$(dirname "$0")" && pwd)
build=${ASSAY_FUZZ_BUILD:-$here/../../build/asan}
work=$build/fuzz
export ASAN_OPTIONS=allocator_may_return_null=1:handle_abort=1
if [ $# -eq 0 ]; then
    mapfile -t all < <(find "$here/corpus" -mindepth 1 -maxdepth 1 -printf '%f\n' | sort)
    set -- "${all[@]}"
fi

failed=0 table=''
for target; do
    program=$build/tests/fuzz/fuzz_$target
    [ -x "$program" ] || { echo "no $program: build the target 'fuzzers' with clang"; exit 2; }
    export TMPDIR=$work/$target/tmp
    mkdir -p "$work/$target/corpus" "$TMPDIR"
    # The words of the corpus, such as keys, are what random bytes do not come to.
    cat "$here/corpus/$target"/* | tr '\0' ' ' | grep -aoE '[A-Za-z_.<>/=-][A-Za-z0-9_.<>/=-]{2,30}' | LC_ALL=C sort -u |
        sed 's/.*/"&"/' >"$work/$target/words.dict"
    largest=$(find "$here/corpus/$target" -type f -printf '%s\n' | sort -n | tail -n 1)
    log=$work/$target/log begin=$SECONDS status=0
    "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=$((2 * largest + 1024)) -dict="$work/$target/words.dict" \
        -artifact_prefix="$work/$target/" -print_final_stats=1 "$work/$target/corpus" "$here/corpus/$target" >"$log" 2>&1 || status=$?
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    outcome=ok
    [ $status -eq 0 ] || { outcome=FAULT failed=1; tail -n 40 "$log"; }
    row=$(printf '%-18s %12s executions %6d s  %s' "$target" "${runs:-?}" $((SECONDS - begin)) "$outcome")
    echo "$row"
    rm -rf "$TMPDIR"
    table+=$row$'\n'
done
[ $# -eq 1 ] || printf '\n%s' "$table"
exit $failed
