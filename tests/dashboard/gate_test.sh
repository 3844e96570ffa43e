#!/bin/sh
# docs/ci/gate.sh in a repository of its own, with a build and an assay that only pretend: wrong use, leftovers of an earlier run, exit
# statuses, and that the tree it is called in stays.
#   gate_test.sh SOURCE
set -u
source=$1
command -v git >/dev/null || { echo "skipped: git is not here"; exit 77; }
folder=$(mktemp -d) || exit 3
trap 'rm -rf "$folder"' EXIT
unset GIT_DIR GIT_WORK_TREE
mkdir -p "$folder/docs/ci"
cp "$source/docs/ci/gate.sh" "$folder/docs/ci/"
echo build >"$folder/.gitignore"
git init -q "$folder"
git -C "$folder" checkout -q -b work
git -C "$folder" add -A
git -C "$folder" -c user.name=n -c user.email=e -c commit.gpgsign=false commit -q -m first
failures=0

# expect STATUS TEXT ARGUMENT...
expect() {
    wanted=$1 text=$2 status=0
    shift 2
    sh "$folder/docs/ci/gate.sh" "$@" >"$folder/out" 2>&1 || status=$?
    [ "$status" -eq "$wanted" ] && { [ -z "$text" ] || grep -qF -- "$text" "$folder/out"; } && return
    echo "FAILED: gate.sh $*: status $status, expected $wanted and \"$text\":"
    sed 's/^/  /' "$folder/out"
    failures=$((failures + 1))
}

expect 2 "gate.sh BASE"
expect 2 "no_such is no commit here" no_such
expect 3 "does not build" HEAD # there is no CMakeLists.txt
echo old >"$folder/build/gate/gate.md"
expect 3 "does not build" HEAD
if [ -e "$folder/build/gate/gate.md" ]; then
    echo "FAILED: the comparison of an earlier run is still there"
    failures=$((failures + 1))
fi
rm -rf "$folder/build" # and with it a worktree that git still knows of
expect 3 "does not build" HEAD
rm -rf "$folder/build"
git -C "$folder" worktree prune
mkdir -p "$folder/build/gate/base-source"
echo left >"$folder/build/gate/base-source/file"
expect 3 "remove that folder" HEAD
if [ "$(git -C "$folder" symbolic-ref --short HEAD)" != work ]; then
    echo "FAILED: the checkout of the base was one of the tree around it"
    failures=$((failures + 1))
fi

# cmake that makes an assay which notes how it is called and ends with the status in $BENCH or $COMPARE.
rm -rf "$folder/build"
git -C "$folder" worktree prune
mkdir "$folder/path"
cat >"$folder/path/cmake" <<'END'
#!/bin/sh
[ "$1" = -S ] || exit 0
echo "$2 ${CUDACXX:-}" >>"$CMAKE_LOG"
mkdir -p "$4/bin"
cat >"$4/bin/assay" <<'INNER'
#!/bin/sh
if [ "$1" = bench ]; then
    ls "$3/results/card/bench" 2>/dev/null && exit 9
    mkdir -p "$3/results/card/bench" "$3/results/card/verify"
    touch "$3/results/card/bench/x" "$3/results/card/ceilings.json"
    exit "${BENCH:-0}"
fi
exit "${COMPARE:-0}"
INNER
chmod +x "$4/bin/assay"
END
chmod +x "$folder/path/cmake"
PATH=$folder/path:$PATH
CMAKE_LOG=$folder/cmake.log
export PATH CMAKE_LOG
unset CUDACXX ASSAY_BUILD_DIR ASSAY_DEVICE
mkdir -p "$folder/build/cuda"
echo "CMAKE_CUDA_COMPILER:FILEPATH=$folder/path/cmake" >"$folder/build/cuda/CMakeCache.txt"
expect 0 "" HEAD
if [ "$(grep -c " $folder/path/cmake\$" "$CMAKE_LOG")" -ne 2 ]; then
    echo "FAILED: the trees are not built by the compiler of ./run:"
    cat "$CMAKE_LOG"
    failures=$((failures + 1))
fi
expect 0 "" HEAD # and the results of before are gone
[ -e "$folder/build/gate/new/results/card/ceilings.json" ] || { echo "FAILED: the ceilings are gone, too"; failures=$((failures + 1)); }
BENCH=77 expect 3 "nothing could be timed" HEAD
BENCH=1 expect 1 "" HEAD
COMPARE=1 expect 1 "" HEAD
COMPARE=2 expect 2 "" HEAD
[ "$failures" -eq 0 ]
