#!/bin/sh
# The recipes under docs/ci: ci_recipes_test.sh SOURCE. check-jsonschema comes from PATH or, where ASSAY_TEST_NETWORK is set, from PyPI.
set -u
source=$1
command -v python3 >/dev/null || { echo "skipped: python3 is not here"; exit 77; }
check=$(command -v check-jsonschema || true)
if [ -z "$check" ]; then
    [ -n "${ASSAY_TEST_NETWORK:-}" ] || { echo "skipped: check-jsonschema is not here (pip install check-jsonschema, or ASSAY_TEST_NETWORK=1)"; exit 77; }
    folder=$(mktemp -d "${TMPDIR:-/tmp}/assay-recipes-XXXXXX") || exit 3
    trap 'rm -rf "$folder"' EXIT
    { python3 -m venv "$folder" && "$folder/bin/pip" install -q check-jsonschema; } >"$folder/log" 2>&1 ||
        { echo "skipped: check-jsonschema could not be had from PyPI"; exit 77; }
    check=$folder/bin/check-jsonschema
fi
python3 "$source/tests/dashboard/ci_recipes.py" "$source/docs/ci" "$check"
