#!/bin/sh
# Everything that a user does, round after round, for some minutes: soak.sh ASSAY BUILD SCRATCH MINUTES
# Each round verifies kernels on inputs of a new seed, times one, reports, and puts its results into one history from several processes. Fails
# where a command fails, or a process or a file is left behind.
set -u
assay=$1 build=$2 scratch=$3 minutes=$4
rm -rf "$scratch"
mkdir -p "$scratch"
end=$(($(date +%s) + minutes * 60))
round=0 failed=0

try() { # what, expected status, words
    what=$1 expected=$2
    shift 2
    "$@" >"$scratch/out" 2>&1
    status=$?
    if [ "$status" -ne "$expected" ]; then
        echo "round $round: $what ended with $status instead of $expected:"
        tail -n 5 "$scratch/out"
        failed=$((failed + 1))
    fi
}

sed -e "s#\"results\": \"[^\"]*\"#\"results\": \"$scratch/results\"#" -e "s#\"logs\": \"[^\"]*\"#\"logs\": \"$scratch/logs\"#" \
    -e "s#\"plots\": \"[^\"]*\"#\"plots\": \"$scratch/plots\"#" "$build/assay.json" >"$scratch/assay.json"
before=$(pgrep -c -f "$build/bin/assay-" || true)
while [ "$(date +%s)" -lt "$end" ]; do
    round=$((round + 1))
    try verify 0 "$assay" verify add --build "$scratch" --dtype f32 --size small,edge --quiet
    try 'verify a kernel from outside' 0 "$assay" verify add --build "$scratch" --source "$(dirname "$0")/../wrong_kernels/right_add.cu" --dtype f32 --size small
    try 'verify a wrong kernel' 1 "$assay" verify add --build "$scratch" --source "$(dirname "$0")/../wrong_kernels/zeros.cu" --dtype f32 --size small
    try bench 0 "$assay" bench add --build "$scratch" --variant v1_baseline --dtype f32 --size small --force --repetitions 2 \
        --warmup-ms 1 --sample-ms 5 --baselines none --modes cold
    try report 0 "$assay" report --build "$scratch" --no-plots
    for writer in 1 2 3 4; do
        "$assay" ingest "$scratch/results" --build "$scratch" --db "$scratch/history.db" >"$scratch/out.$writer" 2>&1 || echo "$writer" >>"$scratch/failed"
    done &
    try ingest 0 "$assay" ingest "$scratch/results" --build "$scratch" --db "$scratch/history.db"
    wait
    if [ -e "$scratch/failed" ]; then
        echo "round $round: an ingest beside another one failed: $(cat "$scratch"/out.*)"
        failed=$((failed + 1))
        rm -f "$scratch/failed"
    fi
    left=$(find "$scratch" -name '*.tmp*' -o -name '*.scratch' | head -n 3)
    if [ -n "$left" ]; then
        echo "round $round: left behind: $left"
        failed=$((failed + 1))
    fi
done
after=$(pgrep -c -f "$build/bin/assay-" || true)
if [ "$after" -gt "$before" ]; then
    echo "$((after - before)) processes are left"
    failed=$((failed + 1))
fi
rows=$("$assay" history --build "$scratch" --db "$scratch/history.db" | wc -l)
echo "$round rounds in $minutes minutes, $failed failures, a history of $rows lines"
[ "$failed" -gt 0 ] || rm -rf "$scratch"
[ "$failed" -eq 0 ]
