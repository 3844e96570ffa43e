#!/bin/sh
# What `./run bench` builds, with stand-ins for cmake and for `assay`: run_bench_test.sh SOURCE
set -u
source=$1
folder=$(mktemp -d "${TMPDIR:-/tmp}/assay-run-XXXXXX") || exit 3
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/path"
cat >"$folder/path/cmake" <<'END'
#!/bin/sh
case $1 in
--version) echo "cmake version 3.25.1" ;;
-S) mkdir -p "$4/bin" && cp "$ASSAY_STAND_IN" "$4/bin/assay" ;;
--build) shift 4 && echo "build $*" >>"$CALLS" ;; # --build DIR --parallel N
esac
END
cat >"$folder/stand_in" <<'END'
#!/bin/sh
echo "$1 $(shift 3 && echo "$*")" >>"$CALLS" # COMMAND --build DIR ...
case "$*" in
*" --op nope "*) exit 2 ;;
*" --benchmark_list_tests"*)
    echo "softmax/v1_baseline/f32/small/cold/iterations:1/repeats:10/manual_time"
    echo "softmax/v1_baseline/f32/small/hot/iterations:1/repeats:10/manual_time"
    echo "softmax/baseline_copy/f32/small/hot/iterations:1/repeats:10/manual_time" ;;
esac
exit 0
END
chmod +x "$folder/path/cmake" "$folder/stand_in"
export CALLS="$folder/calls" ASSAY_STAND_IN="$folder/stand_in" ASSAY_BUILD_DIR="$folder/build" ASSAY_DEVICE=cpu ASSAY_NO_INSTALL=1

# expect STATUS CALLS OPTION...: the calls are lines; the stand-in's programs are built and nothing else.
expect() {
    status_expected=$1 calls=$2
    shift 2
    : >"$CALLS"
    PATH=$folder/path:$PATH "$source/run" bench "$@" >"$folder/out" 2>&1
    status=$?
    if [ "$status" -ne "$status_expected" ] || [ "$(cat "$CALLS")" != "$calls" ]; then
        printf 'FAIL run bench %s: status %s, and\n%s\ninstead of\n%s\n' "$*" "$status" "$(cat "$CALLS")" "$calls" >&2
        cat "$folder/out" >&2
        exit 1
    fi
}
programs='build --target assay'
modules='build --target assay_programs module_softmax_v1_baseline_f32 softmax_reference'
subset='--dtype f32 --size small,medium,large --modes cold --repetitions 3 --warmup-ms 3 --sample-ms 15 --bound-s 0.4'
expect 0 "$programs
bench $subset -- --benchmark_list_tests
$modules
bench $subset
report "
expect 0 "$programs
bench softmax --variant v1 -- --benchmark_list_tests
$modules
bench softmax --variant v1
report " softmax --variant v1
expect 0 "$programs
bench -- --benchmark_filter=cold --benchmark_list_tests
$modules
bench -- --benchmark_filter=cold
report " -- --benchmark_filter=cold
expect 2 "$programs
bench --op nope -- --benchmark_list_tests" --op nope
