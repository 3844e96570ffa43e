# shellcheck shell=sh disable=SC2034 # variables are for the file that sources this one
# Sourced by the tests here: a workspace of its own in $work, whose op `add` is small and has the kernel v5_tuned.
# Usage: . workspace.sh BUILD SOURCE
build=$1 source=$2
work=$(mktemp -d "${TMPDIR:-/tmp}/assay-tuning-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/ops/add"
cp "$source/ops/add/add.h" "$source/ops/add/v1_baseline.cu" "$source/ops/add/v2_tiling.cu" "$source/tests/tuning/v5_tuned.cu" "$work/ops/add" || exit 1
echo "// a header of the kernel" >"$work/ops/add/extra.h"
cp "$source/tests/tuning/op.json" "$work/ops/add/op.json"
sed -e "s|$source/ops/add\"|$work/ops/add\"|" -e "s,\"\(modules\|results\|logs\|plots\)\": \"$build/,\"\1\": \"$work/," \
    -e "s|\"source\": \"[^\"]*\"|\"source\": \"\"|" "$build/assay.json" >"$work/assay.json"
ASSAY_BUILD=$work
export ASSAY_BUILD
failed=0

fail() {
    echo "$*"
    failed=1
}

# expect STATUS PATTERN COMMAND...: what a command prints and ends with. Its text stays in $said.
expect() {
    wanted=$1 pattern=$2
    shift 2
    said=$("$build/bin/assay" "$@" 2>&1)
    status=$?
    if [ "$status" -ne "$wanted" ] || ! printf '%s\n' "$said" | grep -q -- "$pattern"; then
        fail "assay $*: status $status, expected $wanted and \"$pattern\":
$said"
    fi
}
