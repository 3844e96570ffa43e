#!/bin/sh
# Kernels from outside and of the tree, judged on the device ptx: the right ones pass, the others fail for their reason.
# usage: verify_test.sh ASSAY BUILD KERNELS
set -u
assay=$1 build=$2 kernels=$3
output=$(mktemp)
trap 'rm -f "$output"' EXIT
failed=0

# expect STATUS TEXT ARGUMENT...: assay verify ARGUMENT... on the device ends with the status and says the text.
expect() {
    status=$1 text=$2 got=0
    shift 2
    "$assay" verify --build "$build" --device ptx --size small --dtype f32 --seed 1 "$@" >"$output" 2>&1 || got=$?
    if [ "$got" -ne "$status" ] || ! grep -Eq -- "$text" "$output"; then
        echo "assay verify $*: status $got, expected $status and a line with: $text"
        cat "$output"
        failed=1
    fi
}

expect 0 '^PASS add.add_inline_ptx.f32.small' add --source "$kernels/add_inline_ptx.cu"
# Flags that nvcc finds in the environment make another module.
hash_of_verdict() {
    sed -n 's/^ "source_sha256": *"\([0-9a-f]*\)".*/\1/p' "$build/results/ptx-sm-90/outside/verify/add.add_inline_ptx.f32.small.json"
}
plain=$(hash_of_verdict)
NVCC_APPEND_FLAGS="${NVCC_APPEND_FLAGS:+$NVCC_APPEND_FLAGS }-DASSAY_TEST" expect 0 '^PASS add.add_inline_ptx.f32.small' add --source "$kernels/add_inline_ptx.cu"
if [ -z "$plain" ] || [ "$plain" = "$(hash_of_verdict)" ]; then
    echo "with NVCC_APPEND_FLAGS the module has the same hash: $plain"
    failed=1
fi

expect 1 'access out of bounds' add --source "$kernels/add_reads_past_end.cu"
expect 1 'host code reads device memory' add --source "$kernels/add_host_reads.cu"
expect 1 'host code: a copy to [0-9]+ bytes in an input' add --source "$kernels/add_copies_into_input.cu"
expect 1 'global-memory race' add --check --source "$kernels/add_race_blocks.cu"
expect 1 'shared-memory race' add --check --source "$kernels/add_race.cu"
expect 0 '^PASS softmax.v3_coalesced.f32.small' softmax --variant v3_coalesced
exit "$failed"
