#!/bin/sh
# What a command says of options that it has no use for or that are wrong: one line that names the mistake, exit status 2, nothing
# done. Usage: wrong_use_test.sh ASSAY
set -u
assay=$1
failed=0

# refused TEXT LINES ARGUMENT...: the command must end with status 2 and say TEXT in that many lines.
refused() {
    text=$1 lines=$2
    shift 2
    output=$("$assay" "$@" 2>&1)
    status=$?
    if [ "$status" -ne 2 ] || [ "$(printf '%s\n' "$output" | wc -l)" -ne "$lines" ]; then
        echo "assay $*: status $status instead of 2, or not $lines line(s): $output"
        failed=1
    fi
    case $output in
    *"$text"*) ;;
    *) echo "assay $*: no '$text' in: $output" && failed=1 ;;
    esac
}

for option in op variant dtype size; do
    refused "assay env: --$option: this command always covers all cases" 1 env "--$option" add
done
if "$assay" env --help | grep -qE -- '--(op|variant|dtype|size)='; then
    echo "assay env --help lists options that it refuses"
    failed=1
fi
refused '--op: needs --table; logs and plots cover all cases' 2 report --op add
refused '--dtype: needs --table; logs and plots cover all cases' 2 report --dtype f32
refused "--size: an op's kernels are compared with each other over all sizes" 2 report --table --size small
refused 'unknown op "ad"; there are: ' 1 report --table --op ad
refused '--repetitions: a whole number from 1 to 100000 is expected, not "3.7"' 2 bench -r 3.7
refused '--repetitions: a whole number from 1 to 100000 is expected, not "0"' 2 bench -r 0
refused '--repetitions: a whole number from 1 to 100000 is expected, not "99999999999"' 2 bench -r 99999999999
refused '--device: a whole number from 0 to 2147483647 is expected, not "1e0"' 2 bench --device 1e0
refused '--baselines: no op here has a baseline "cublaslt"; there are: copy, reference, cub, ' 1 bench --op add --baselines copy,cublaslt
refused '--baselines: no op here has a baseline "cub"; there are: copy, reference, cublaslt, cublas, ' 1 bench --op matmul --baselines cub
refused 'unknown size "gigantic"; there are: ' 1 list --size gigantic

# Counting: the last line of a list, against the cases above it.
list=$("$assay" list)
cases=$(printf '%s\n' "$list" | grep -c '^[a-z0-9_]*\.')
ops=$(printf '%s\n' "$list" | grep '^[a-z0-9_]*\.' | cut -d. -f1 | sort -u | wc -l)
last=$(printf '%s\n' "$list" | tail -1)
[ "$cases" -gt 0 ] && [ "$last" = "$cases cases of $ops ops" ] || { echo "list ends with: $last"; failed=1; }
# What follows opens the device, which a CUDA build may lack.
"$assay" verify --dry-run >/dev/null 2>&1
if [ $? -ne 77 ]; then
    refused 'unknown op "nope"; there are: ' 1 verify nope --source /nonexistent.cu
    refused '--source needs the one op it computes' 1 verify --source /nonexistent.cu
    refused '--source: the file is the variant; --variant is for kernels of the tree' 1 verify add --variant v1 --source /nonexistent.cu
    # A quiet run of golden cases keeps its last line: here of one case, of an op that is not there.
    scratch=$(mktemp -d)
    cat >"$scratch/manifest.json" <<'JSON'
{"cases": [{"id": "absent", "op": "no_such_op", "dtype": "f32", "params": {}, "inputs": {"x": {"file": "x.npy", "shape": [3]}},
 "output_shape": [3], "expected": "x.npy"}]}
JSON
    quiet=$("$assay" verify --golden "$scratch" --quiet)
    status=$?
    [ "$status" -eq 77 ] && [ "$quiet" = "0 passed, 0 failed, 1 skipped" ] || { echo "quiet golden run: $status, $quiet"; failed=1; }
    # What could not be judged is counted: the file with the inputs is not there.
    sed 's/no_such_op/gelu/' "$scratch/manifest.json" >"$scratch/edited" && mv "$scratch/edited" "$scratch/manifest.json"
    quiet=$("$assay" verify --golden "$scratch" --variant v1_baseline --quiet 2>/dev/null)
    status=$?
    rm -r "$scratch"
    { [ "$status" -eq 2 ] || [ "$status" -eq 3 ]; } && [ "$quiet" = "0 passed, 0 failed, 1 could not be judged" ] ||
        { echo "golden case without its file: $status, $quiet"; failed=1; }
fi

"$assay" help | grep -q '130 interrupted' || { echo "help does not say what 130 means"; failed=1; }
exit "$failed"
