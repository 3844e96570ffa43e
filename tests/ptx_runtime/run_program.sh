#!/bin/sh
# Runs a program of this folder by `assay run` and holds it to the comments at the head of its source:
#   // options: WORDS          options of assay run
#   // seeds: N N              the runs, each with its seed (default: one run)
#   // expect: status N        its exit status
#   // expect: REGEX           a line that its output must hold (extended regular expression)
# usage: run_program.sh ASSAY PROGRAM SOURCE.cu
set -u
assay=$1 program=$2 source=$3
if [ ! -x "$program" ]; then
    echo "skipped: $program was not built"
    exit 77
fi
options=$(sed -n 's|^// options: ||p' "$source")
seeds=$(sed -n 's|^// seeds: ||p' "$source")
expected=$(sed -n 's|^// expect: status ||p' "$source")
output=$(mktemp)
trap 'rm -f "$output"' EXIT
failed=0
for seed in ${seeds:-1}; do
    status=0
    # shellcheck disable=SC2086 # words
    "$assay" run $options --seed "$seed" "$program" >"$output" 2>&1 || status=$?
    if [ "$status" -ne "$expected" ]; then
        echo "seed $seed: status $status, expected $expected"
        failed=1
    fi
    sed -n 's|^// expect: ||p' "$source" | grep -v '^status ' | while IFS= read -r line; do
        grep -Eq -- "$line" "$output" || echo "seed $seed: no line with: $line"
    done >"$output.lacks"
    if [ -s "$output.lacks" ] || [ "$failed" -ne 0 ]; then
        failed=1
        cat "$output.lacks" "$output"
    fi
    rm -f "$output.lacks"
done
exit "$failed"
