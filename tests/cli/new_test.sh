#!/bin/sh
# assay new-op and new-variant: what they write, what they refuse, and that a refusal or --dry-run leaves nothing behind. That what
# they write builds and fails honestly is for tests/build/scratch/new_op.cmake. Usage: new_test.sh ASSAY
set -u
assay=$1
failed=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

complain() {
    echo "$*"
    failed=1
}

# expect STATUS TEXT ARGUMENT...
expect() {
    wanted=$1 text=$2
    shift 2
    output=$("$assay" "$@" 2>&1)
    status=$?
    [ "$status" -eq "$wanted" ] || complain "assay $*: status $status instead of $wanted: $output"
    case $output in
    *"$text"*) ;;
    *) complain "assay $*: no '$text' in: $output" ;;
    esac
}

expect 0 'would write' new-op first --dir "$scratch" --dry-run
[ -z "$(ls "$scratch")" ] || complain "--dry-run wrote: $(ls "$scratch")"
expect 0 'grep -n' new-op first --dir "$scratch"
for file in op.json first.h reference.c v1_baseline.cu README.md; do
    grep -q 'FILL IN' "$scratch/first/$file" || complain "first/$file does not say what to fill in"
    grep -q '{{' "$scratch/first/$file" && complain "first/$file has a place that was not filled"
done
before=$(cat "$scratch"/first/* | cksum)
expect 2 'exists already; nothing was written' new-op first --dir "$scratch"
[ "$(cat "$scratch"/first/* | cksum)" = "$before" ] || complain "a refused new-op changed the files"

for name in Upper 1st has-dash 'has space' '../up' '' a234567890123456789012345678901234567890b; do
    expect 2 'lower-case letters' new-op "$name" --dir "$scratch"
done
expect 2 'holds what ops share' new-op common --dir "$scratch"
expect 2 'bench_all times all ops' new-op all --dir "$scratch"
expect 2 'modules_bf16 compiles all modules of that dtype' new-op bf16 --dir "$scratch"
for name in math string mma; do
    expect 2 "hide the system's <$name.h>" new-op "$name" --dir "$scratch"
done
expect 2 'exists already' new-op add
expect 2 'does not exist: make it first' new-op second --dir "$scratch/nowhere"
expect 2 'the name of the op is missing' new-op
expect 2 'one name is expected' new-op one two
[ "$(ls "$scratch")" = first ] || complain "a refusal left something: $(ls "$scratch")"

expect 2 'unknown op "nope"' new-variant nope mine
expect 2 'an op and a name are expected' new-variant add
expect 2 'lower-case letters' new-variant add 'Mine!'
expect 2 'exists already' new-variant add v1_baseline
expect 2 'exists already' new-variant add baseline
expect 2 'has no variant "v9_absent"' new-variant add mine --from v9_absent
expect 0 'would write' new-variant add mine --dry-run
expect 0 '/v3b_mine.cu' new-variant add v3b_mine --dry-run
expect 0 '_mine.cu' new-variant add mine --from v1_baseline --dry-run
exit "$failed"
