#!/bin/sh
# `ctest -D ExperimentalTest`, without submitting, on two real tests in a folder of their own: the times of the result files are in
# Test.xml as named measurements, and in --output-junit's file is what CTest puts there. cdash_test.sh BUILD ASSAY CTEST SOURCE
set -u
build=$1 assay=$2 ctest=$3 source=$4
folder=$(mktemp -d "${TMPDIR:-/tmp}/assay-cdash-XXXXXX") || exit 3
trap 'rm -rf "$folder"' EXIT
failed=0
fail() {
    echo "FAIL $*"
    failed=1
}

url=$(sed -n 's/^SubmitURL: *//p' "$build/DartConfiguration.tcl") asked=$(sed -n 's/^ASSAY_CDASH_URL:STRING=//p' "$build/CMakeCache.txt")
[ "$url" = "${asked:-${ASSAY_CDASH_URL:-http://}}" ] || fail "results would go to $url, which nobody asked for"
case $(sed -n 's/^BuildName: *//p' "$build/DartConfiguration.tcl") in
*-cpu) ;;
*) grep -q '^BUILDNAME:' "$build/CMakeCache.txt" || fail "the build's name does not tell its device, so a dashboard would mix devices" ;;
esac
"$source/tests/dashboard/cdash_workspace.sh" "$build" "$assay" "$folder" "$url" || exit 1

(cd "$folder" && env -u ASSAY_BUILD "$ctest" -D ExperimentalStart -D ExperimentalTest --output-junit "$folder/junit.xml" --no-tests=error --output-on-failure) >"$folder/ctest.log" 2>&1 ||
    { cat "$folder/ctest.log"; fail "ctest -D ExperimentalTest"; }
xml=$(find "$folder/Testing" -name Test.xml)
[ -n "$xml" ] || { cat "$folder/ctest.log"; fail "there is no Test.xml"; exit 1; }

# measured TEST NAME: the value of a named measurement of a test.
measured() {
    awk -v test="<Name>$1</Name>" -v name="name=\"$2\"" '
        index($0, "<Test Status") { inside = 0 }
        index($0, test) { inside = 1 }
        inside && index($0, "<NamedMeasurement") && index($0, name) { found = 1 }
        found && match($0, /<Value>[^<]*<\/Value>/) { print substr($0, RSTART + 7, RLENGTH - 15); exit }' "$xml"
}
close_to() {
    awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > 0 && b > 0 && (a - b) / b < 1e-6 && (b - a) / b < 1e-6) }'
}

# The mean of a mode in a result.
mean_in() {
    tr -d ' \n' <"$1" | sed -n "s/.*\"modes\":{.*\"$2\":{[^{}]*\"mean_us\":\([0-9.e+-]*\),.*/\1/p"
}
result=$(find "$folder/results" -path '*/bench/add.v1_baseline.f32.small.json')
for mode in cold hot; do
    expected=$(mean_in "$result" $mode)
    [ -n "$expected" ] || continue # a device without graphs has no hot time
    seen=$(measured bench.add.f32.small "v1_baseline.$mode.mean_us")
    echo "$mode: $seen in Test.xml, $expected in the result"
    close_to "${seen:-0}" "$expected" || fail "the mean of $mode is another one"
done
[ -n "$(mean_in "$result" cold)" ] || fail "the result has no cold time"
[ "$(measured bench.add.f32.small v1_baseline.status)" = ok ] || [ "$(measured bench.add.f32.small v1_baseline.status)" = unstable ] ||
    fail "no status of the timed case"
verdict=$(find "$folder/results" -path '*/verify/add.v1_baseline.f32.small.json')
expected=$(tr -d ' \n' <"$verdict" | sed -n 's/.*"reason":"","seconds":\([0-9.e+-]*\),.*/\1/p')
seen=$(measured correctness.add.v1_baseline.f32.small seconds)
echo "verify: $seen s in Test.xml, $expected s in the verdict"
close_to "${seen:-0}" "${expected:-0}" || fail "the seconds of the verdict are others"
[ "$(measured correctness.add.v1_baseline.f32.small max_ulp)" = 0 ] || fail "no max_ulp: $(measured correctness.add.v1_baseline.f32.small max_ulp)"
[ -z "$(measured plain seconds)" ] || fail "a test without measurements has some"
grep -q 'CTestMeasurement' "$xml" && fail "a measurement was left in the output"

grep -q '<testcase name="bench.add.f32.small"' "$folder/junit.xml" || fail "the JUnit file lacks the test"
grep -q '<testsuite[^>]*' "$folder/junit.xml" || fail "the JUnit file has no suite"
grep -o 'tests="[0-9]*"' "$folder/junit.xml" | head -n 1 | grep -q '"3"' || fail "the JUnit file has not three tests"


# Outside CTest nobody sees measurements.
env -u DASHBOARD_TEST_FROM_CTEST -u ASSAY_BUILD "$assay" verify --build "$folder" --op add --variant v1_baseline --dtype f32 --size small | grep -q Measurement &&
    fail "measurements are printed outside CTest"
[ -f "$source/CTestConfig.cmake" ] || fail "CTestConfig.cmake is not there"
exit $failed
