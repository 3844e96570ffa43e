#!/bin/sh
# Makes FOLDER a CTest build folder with BUILD's modules and results of its own, so that a user's results stay, that submits to URL: two
# tests with measurements, one without, and those in LINEs.
#   cdash_workspace.sh BUILD ASSAY FOLDER URL [LINE]...
set -eu
build=$1 assay=$2 folder=$3 url=$4
shift 4
[ -f "$build/DartConfiguration.tcl" ] || { echo "FAIL the build has no DartConfiguration.tcl: ctest -D would do nothing"; exit 1; }
sed "s|\"results\": \"[^\"]*\"|\"results\": \"$folder/results\"|" "$build/assay.json" >"$folder/assay.json"
sed -e "s|^BuildDirectory:.*|BuildDirectory: $folder|" -e "s|^SubmitURL:.*|SubmitURL: $url|" "$build/DartConfiguration.tcl" >"$folder/DartConfiguration.tcl"
case_options="--op add --variant v1_baseline --dtype f32 --size small"
cat >"$folder/CTestTestfile.cmake" <<END
add_test(correctness.add.v1_baseline.f32.small "$assay" verify --build "$folder" $case_options)
add_test(bench.add.f32.small "$assay" bench --build "$folder" $case_options --baselines none --quick --force)
add_test(plain "$assay" --version)
END
for line; do
    echo "$line" >>"$folder/CTestTestfile.cmake"
done
