#!/bin/sh
# The regression gate of a GPU runner: builds BASE and the present tree, times both on this machine's GPU, and compares them.
#   docs/ci/gate.sh BASE [OPTION of `assay bench`...]      such as: docs/ci/gate.sh origin/main --op softmax,matmul
# Writes gate.md (Markdown for a summary or a comment), gate.xml (JUnit) and gate.json into build/gate/. Both trees are timed by their own
# harness and the same options; ASSAY_DEVICE and ASSAY_CMAKE_FLAGS are those of ./run. Suspicious cases are measured again before they are called slower.
# Exit status, as of `assay compare`: 0 nothing is slower, 1 a confirmed slowdown or a kernel that is wrong, 2 wrong use, 3 something is missing.
set -eu
[ $# -ge 1 ] || { sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 2; }
base=$1
shift
cd "$(dirname "$0")/../.."
gate=$PWD/build/gate
device=${ASSAY_DEVICE:-cuda}
mkdir -p "$gate"
rm -f "$gate/gate.md" "$gate/gate.xml" "$gate/gate.json" # of an earlier run: nobody must take them for this one's
commit=$(git rev-parse --verify --quiet "$base^{commit}") || { echo "gate: $base is no commit here; fetch it first" >&2; exit 2; }

# The compiler that ./run found or brought, which need not be where CMake looks: both trees are built by the one that was verified.
nvcc=$(sed -n 's/^CMAKE_CUDA_COMPILER:[A-Z]*=//p' "${ASSAY_BUILD_DIR:-build/$device}/CMakeCache.txt" 2>/dev/null || true)
if [ -z "${CUDACXX:-}" ] && [ -x "$nvcc" ]; then
    export CUDACXX="$nvcc"
fi

git worktree prune # a build folder that was deleted had one
# Without a .git of its own the checkout would be one of the tree around it.
if ! { [ -e "$gate/base-source/.git" ] || git worktree add --quiet --detach "$gate/base-source" "$commit"; } ||
    ! git -C "$gate/base-source" checkout --quiet --detach "$commit"; then
    echo "gate: the source of $base cannot be put into $gate/base-source; remove that folder and try again" >&2
    exit 3
fi

build() { # SOURCE BUILD
    # shellcheck disable=SC2086 # words
    if ! { cmake -S "$1" -B "$2" -G Ninja -DASSAY_DEVICE="$device" -DBUILD_TESTING=OFF ${ASSAY_CMAKE_FLAGS:-} && cmake --build "$2"; } >"$2.log" 2>&1; then
        tail -n 40 "$2.log" >&2
        echo "gate: $1 does not build" >&2
        exit 3
    fi
}
build "$gate/base-source" "$gate/base"
build "$PWD" "$gate/new"

wrong=0
for side in base new; do
    status=0
    rm -rf "$gate/$side"/results/*/bench # of another commit, or of cases that are not asked for now
    "$gate/$side/bin/assay" bench --build "$gate/$side" --force "$@" || status=$?
    [ "$status" -ne 77 ] || { echo "gate: nothing could be timed here" >&2; exit 3; }
    [ "$status" -le 1 ] || exit "$status"
    # What was wrong in the base already is not this change's doing.
    [ "$side" = base ] || wrong=$status
done

status=0
"$gate/new/bin/assay" compare --build "$gate/new" --repeat --markdown="$gate/gate.md" --junit="$gate/gate.xml" \
    --json-file="$gate/gate.json" "$gate/base/results" "$gate/new/results" || status=$?
[ "$status" -ne 0 ] || status=$wrong
exit "$status"
