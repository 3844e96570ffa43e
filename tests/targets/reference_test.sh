#!/bin/sh
# The committed targets name ops, dtypes and sizes that there are, and can be held against the committed results: exit status 0 or 1
# and a line of counts, never a mistake in the file. A report of these results writes targets.md with the same counts.
#   reference_test.sh ASSAY BUILD RESULTS
set -u
out=$("$1" targets --build "$2" "$3" 2>&1)
status=$?
case $status in
0 | 1) ;;
*)
    printf 'exit status %s\n%s\n' "$status" "$out" >&2
    exit 1
    ;;
esac
printf '%s\n' "$out" | grep -Eq '^[1-9][0-9]+ targets: [0-9]+ met, [0-9]+ missed, [0-9]+ not measured$' || {
    printf 'no line of counts:\n%s\n' "$out" >&2
    exit 1
}
missed=$(printf '%s\n' "$out" | grep -Ec ' (missed|not measured)')
[ "$status" -eq 0 ] || [ "$missed" -gt 1 ] || {
    printf 'exit status 1 without a miss:\n%s\n' "$out" >&2
    exit 1
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$1" report --build "$2" "$3" --logs "$work" --no-plots >"$work/out" 2>&1 || {
    cat "$work/out" >&2
    exit 1
}
rows=$(grep -c '^| [a-z0-9_]* | [a-z0-9]* | ' "$work/targets.md")
heads=$(grep -c '^| op | dtype | ' "$work/targets.md")
printf '%s\n' "$out" | grep -q "^$((rows - heads)) targets: " || {
    printf 'targets.md has %s rows, and the table ends with:\n%s\n' "$((rows - heads))" "$(printf '%s\n' "$out" | tail -1)" >&2
    exit 1
}
