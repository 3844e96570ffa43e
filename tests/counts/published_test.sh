#!/bin/sh
# The tables of docs/prediction.md, of the cards that the fit saw and of the one that it did not, against runs of the fit. Compilers round
# differently, so the last digit of a figure may move.
#   published_test.sh FIT SOURCE_TREE
set -u
fit=$1 source=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Counts without a fact that the model needs are refused with their file and the fact.
mkdir -p "$folder/old/bench"
sed 's/"warp_barriers"/"older"/' "$source/tools/prediction/counts/bench/add.jsonl" >"$folder/old/bench/add.jsonl"
"$fit" "$folder/old" "$source/logs/nvidia-h200-b9996e0c/results" 2>"$folder/said" && { echo "counts without warp_barriers were fitted"; exit 1; }
grep -q 'add.jsonl.*: no fact "warp_barriers"' "$folder/said" || { cat "$folder/said"; exit 1; }

set -- "$source/tools/prediction/counts" "$source"/logs/nvidia-h200-b9996e0c/results "$source"/logs/nvidia-h200-d586adeb/results
"$fit" "$@" --unseen "$source/tools/prediction/h100" >"$folder/table" || exit 1
grep '^| [a-z0-9_]* | [0-9]' "$source/docs/prediction.md" | tr -d '%' >"$folder/page"
grep '^| [a-z0-9_]* | [0-9]' "$folder/table" | tr -d '%' >"$folder/now"
[ -s "$folder/page" ] || { echo "docs/prediction.md has no table"; exit 1; }
paste -d'|' "$folder/page" "$folder/now" | awk -F'|' '
    function off(a, b, most) { return a - b > most || b - a > most }
    $2 != $10 || $3 != $11 { print "other rows or cases: " $0; bad = 1; next }
    off($4, $12, 3) || off($5, $13, 10) || off($6, $14, 6) || off($7, $15, 0.05) { print "docs/prediction.md says otherwise: " $0; bad = 1 }
    END { exit bad }' && [ "$(wc -l <"$folder/page")" -eq "$(wc -l <"$folder/now")" ]
