#!/bin/sh
# What a target bench_* does when kernels are right, wrong, cannot be judged, or nothing was timed, with a stand-in for `assay`:
# bench_and_report_test.sh cmake/bench-and-report
set -u
script=$1
folder=$(mktemp -d "${TMPDIR:-/tmp}/assay-bench-XXXXXX") || exit 3
trap 'rm -rf "$folder"' EXIT
cat >"$folder/assay" <<'END'
#!/bin/sh
printf '<%s>' "$@" >>"$CALLS"
echo >>"$CALLS"
[ "$1" = bench ] && exit "$BENCH"
exit "$REPORT"
END
chmod +x "$folder/assay"
export CALLS="$folder/calls" BENCH REPORT

# expect STATUS BENCH REPORT CALLS: the script's status, given that of bench and of report, and how many calls it makes.
expect() {
    BENCH=$2 REPORT=$3
    : >"$CALLS"
    sh "$script" "$folder/assay" "/a build" "--table --op add" --op add --size small
    status=$?
    if [ "$status" -ne "$1" ] || [ "$(wc -l <"$CALLS")" -ne "$4" ]; then
        echo "FAIL bench $2, report $3: status $status instead of $1, or not $4 calls: $(cat "$CALLS")" >&2
        exit 1
    fi
}
expect 0 0 0 2
printf '%s\n' '<bench><--build></a build><--op><add><--size><small>' '<report><--build></a build><--table><--op><add>' |
    cmp - "$CALLS" || exit 1
expect 1 1 0 2   # a wrong kernel: the others were timed
expect 1 1 2 2   # the kernel's status, whatever the report finds
expect 3 3 0 2   # one that could not be judged
expect 2 0 2 2   # the report names files that it cannot read
expect 2 2 0 1   # wrong use: nothing was timed
expect 77 77 0 1 # no device
expect 130 130 0 1
