#!/bin/sh
# A submission read by CDash itself, nothing of which is here. cdash_server_test.sh BUILD ASSAY CTEST schema|server
#   schema   Test.xml keeps the schema in the source tree that ASSAY_TEST_CDASH_SOURCE names (app/Validators/Schemas, CDash 3.5 and newer)
#   server   `ctest -D ExperimentalSubmit` to the server that ASSAY_TEST_CDASH_URL names (https://.../submit.php?project=NAME, a public
#            project to try things on, CDash 5), which is then asked whether it has all of it
set -u
build=$1 assay=$2 ctest=$3 mode=$4
case $mode in
schema)
    [ -n "${ASSAY_TEST_CDASH_SOURCE:-}" ] || { echo "skipped: ASSAY_TEST_CDASH_SOURCE names no source tree of CDash"; exit 77; }
    command -v xmllint >/dev/null || { echo "skipped: xmllint is not here (apt-get install libxml2-utils)"; exit 77; }
    url=http:// ;;
server)
    url=${ASSAY_TEST_CDASH_URL:-}
    [ -n "$url" ] || { echo "skipped: ASSAY_TEST_CDASH_URL names no server"; exit 77; }
    command -v python3 >/dev/null || { echo "skipped: python3 is not here"; exit 77; } ;;
*) exit 2 ;;
esac
folder=$(mktemp -d "${TMPDIR:-/tmp}/assay-cdash-XXXXXX") || exit 3
trap 'rm -rf "$folder"' EXIT
failed=0
fail() {
    echo "FAIL $*"
    failed=1
}

# Output in colours, with characters of XML and bytes that are no UTF-8, must not break the file.
printf '%s\n' 'printf "\033[1mnot here \302\265 \377 <&>]]>\n"' 'exit 77' >"$folder/skips.sh"
"$(dirname "$0")/cdash_workspace.sh" "$build" "$assay" "$folder" "$url" "add_test(fails \"$assay\" verify --build \"$folder\" --op no_such)" \
    "add_test(skips sh \"$folder/skips.sh\")" 'set_tests_properties(skips PROPERTIES SKIP_RETURN_CODE 77 LABELS "unit;dashboard")' || exit 1

(cd "$folder" && env -u ASSAY_BUILD "$ctest" -D ExperimentalStart -D ExperimentalTest --no-tests=error) >"$folder/ctest.log" 2>&1
xml=$(find "$folder/Testing" -name Test.xml)
if [ -z "$xml" ] || ! grep -q 'NamedMeasurement.*name="v1_baseline.cold.mean_us"' "$xml"; then
    cat "$folder/ctest.log"
    fail "there is no Test.xml with measurements"
    exit 1
fi
if [ "$mode" = schema ]; then
    schema=$ASSAY_TEST_CDASH_SOURCE/app/Validators/Schemas/Test.xsd
    xmllint --noout --schema "$schema" "$xml" || fail "Test.xml does not keep $schema"
    # What would pass anything is no check.
    sed 's/<Value>/<Worth>/; s/<\/Value>/<\/Worth>/' "$xml" | xmllint --noout --schema "$schema" - 2>/dev/null && fail "the schema takes anything"
else
    (cd "$folder" && "$ctest" -D ExperimentalSubmit) >"$folder/submit.log" 2>&1 || { cat "$folder/submit.log"; fail "ctest -D ExperimentalSubmit"; }
    python3 "$(dirname "$0")/cdash_server.py" "$url" "$xml" || failed=1
fi
exit "$failed"
