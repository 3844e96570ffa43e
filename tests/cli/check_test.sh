#!/bin/sh
# assay verify --check on the CPU device: a race that results do not show is found, a right kernel passes, and what cannot be asked for
# is refused; and kernels hold at limits that are lowered for it. Usage: check_test.sh ASSAY CORPUS LIMITS
set -u
assay=$1 corpus=$2 limits=$3
failed=0

expect() { # STATUS PATTERN ARGUMENT...
    wanted=$1 pattern=$2
    shift 2
    said=$("$assay" verify "$@" 2>&1)
    status=$?
    if [ "$status" -ne "$wanted" ] || ! printf '%s\n' "$said" | grep -q -- "$pattern"; then
        echo "assay verify $*: status $status, expected $wanted and \"$pattern\":"
        echo "$said"
        failed=1
    fi
}

expect 0 '^1 passed, 0 failed$' add --source "$corpus/hidden_race.cu" --dtype f32 --size small
expect 1 'shared-memory race in kernel add_kernel, .* write at hidden_race.cu:' add --check --source "$corpus/hidden_race.cu" --dtype f32 --size small
expect 0 '^3 passed, 0 failed$' add --check --variant v1_baseline --dtype f32
expect 0 '^add.v1_baseline.f32.edge$' add --check --variant v1_baseline --dtype f32 --dry-run
expect 2 'golden cases are run as they are' --check --golden /nonexistent
for dtype in f32 bf16; do
    expect 0 '^1 passed, 0 failed$' transpose --source "$limits/transpose_numbered_tiles.cu" --dtype $dtype --size edge
done
expect 0 '^1 passed, 0 failed$' matmul --source "$limits/matmul_rows_packed_in_turns.cu" --dtype bf16 --size edge
exit "$failed"
