#!/bin/sh
# shellcheck disable=SC2154,SC2240 # the sourced file takes arguments and sets variables
# The examples of libassay, run. Usage: api_test.sh BUILD SOURCE EXAMPLES
set -u
. "$(dirname "$0")/workspace.sh" "$1" "$2"
examples=$3
sed -i 's/\[0, 1, 2, 3, 4, 5, 6\]/[0, 2]/' "$work/ops/add/op.json"

# example STATUS PATTERN PROGRAM ARGUMENT...
example() {
    wanted=$1 pattern=$2 program=$3
    shift 3
    said=$("$examples/$program" "$@" 2>&1)
    status=$?
    if [ "$status" -ne "$wanted" ] || ! printf '%s\n' "$said" | grep -q -- "$pattern"; then
        fail "$program $*: status $status, expected $wanted and \"$pattern\":
$said"
    fi
}

example 0 '^    WORK: 1 4 16 \[64\]$' list_kernels "$work"
example 2 'no assay.json there' list_kernels /nonexistent
example 0 ' us, 95%: ' time_configuration add v5_tuned f32 M=3,N=36 WORK=1
example 1 '^fail first contents: 108 of 108 elements' time_configuration add v5_tuned f32 M=3,N=36 WORK=1,FAULT=2
example 2 'WORK=3 is no value of op.json; allowed: 1, 4, 16, 64' time_configuration add v5_tuned f32 M=3,N=36 WORK=3
example 2 'add has no dimension "K"' time_configuration add v5_tuned f32 K=3 WORK=1
example 2 'unknown op "sub"' time_configuration sub v5_tuned f32 M=3 WORK=1
example 0 '^4 evaluations, [1-4] right; winner WORK=' tune_kernel add v5_tuned f32 small 4
printf '%s\n' "$said" | grep -q '^  [0-9.]* us  add v5_tuned f32 small  WORK=' || fail "the archive has no row: $said"
exit "$failed"
