#!/bin/sh
# Judges `assay compare` by the sets that measure.sh took: how often it calls unchanged kernels slower or faster, and how many of the delayed ones
# it finds. What it puts down to the machine counts here as slower or faster: of unchanged kernels that would be a false alarm.
#
#   evaluate.sh ASSAY SETS OUT [OPTION OF `assay compare`...]
#
# Besides the delayed kernels it makes slower ones in the measured numbers: every sample of one variant a group of plain-b times 1.02 or 1.05
# (scaled-2%, scaled-5%). That is no delay after a kernel, but exactly the share it says, upon the noise as it was.
#
# SETS is measure.sh's output, OUT gets comparisons.csv (one row a case and comparison) and summary.md. Needs a POSIX shell and awk.
# Exit status: 0 done, 2 wrong use, 3 something is missing. It passes no judgement: summary.md has the figures and what they should be.
set -eu

[ $# -ge 3 ] || {
    echo "usage: evaluate.sh ASSAY SETS OUT [OPTION OF assay compare...]" >&2
    exit 2
}
assay=$1
sets=$2
out=$3
shift 3
[ -d "$sets" ] || {
    echo "evaluate: $sets: no such folder" >&2
    exit 2
}
mkdir -p "$out"
csv=$out/comparisons.csv
echo "kind,gpu,round,case,base_us,new_us,ratio,low95,high95,p_adjusted,verdict,relative_to" >"$csv"

# compare KIND GPU ROUND BASE NEW [OPTION...]: rows of one comparison.
compare() {
    kind=$1 gpu=$2 round=$3 base=$4 new=$5
    shift 5
    [ -d "$base" ] && [ -d "$new" ] || return 0
    code=0
    "$assay" compare "$base" "$new" --json "$@" >"$out/last.json" || code=$?
    [ "$code" -le 1 ] || {
        echo "evaluate: $base and $new: assay compare ended with status $code" >&2
        return 0
    }
    awk -v kind="$kind" -v gpu="$gpu" -v round="$round" -v list="$new/delayed.txt" '
        BEGIN { while ((getline line < list) > 0) { split(line, part, " "); delayed[part[1]] = 1; any = 1 } }
        function value(line) { sub(/^[^:]*: */, "", line); gsub(/[",]/, "", line); return line }
        /^   "op":/ { op = value($0); counted = 0 }
        /^   "counted":/ { counted = 1 }
        /^   "variant":/ { variant = value($0) }
        /^   "dtype":/ { dtype = value($0) }
        /^   "size":/ { size = value($0) }
        /^   "verdict":/ { verdict = value($0) }
        /^   "base_us":/ { base = value($0) }
        /^   "new_us":/ { new = value($0) }
        /^   "ratio":/ { ratio = value($0) }
        /^   "interval95":/ { getline low; getline high; gsub(/[ ,]/, "", low); gsub(/[ ,]/, "", high) }
        /^   "p_adjusted":/ { p = value($0) }
        /^   "relative_to":/ { by = value($0); if (by == "null") by = "" }
        /^   "machine":/ && !counted {
            if (verdict == "machine") verdict = ratio > 1 ? "slower" : "faster"
            name = op "." variant "." dtype "." size
            printf "%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s\n", any && !(name in delayed) ? "beside-" kind : kind, gpu, round, name,
                base, new, ratio, low, high, p, verdict, by
        }' "$out/last.json" >>"$csv"
}

for gpu_folder in "$sets"/gpu*; do
    gpu=${gpu_folder##*/gpu}
    for round_folder in "$gpu_folder"/round*; do
        round=${round_folder##*/round}
        compare unchanged "$gpu" "$round" "$round_folder/plain-a" "$round_folder/plain-b" "$@"
        compare delayed-2% "$gpu" "$round" "$round_folder/base" "$round_folder/slow2" "$@"
        compare delayed-5% "$gpu" "$round" "$round_folder/base" "$round_folder/slow5" "$@"
    done
done
# ---- scaled numbers -------- -------------------------------------------------------------------------------------------

# scale FILE FACTOR: on standard output FILE with all its samples times FACTOR, and another source hash.
scale() {
    awk -v factor="$2" '{
        sub(/"source_sha256": *".........."?/, "\"source_sha256\":\"scaled----")
        rest = $0
        while (match(rest, /"samples_us": *\[[^]]*\]/)) {
            list = substr(rest, RSTART, RLENGTH)
            printf "%s\"samples_us\":[", substr(rest, 1, RSTART - 1)
            rest = substr(rest, RSTART + RLENGTH)
            sub(/^[^[]*\[/, "", list)
            sub(/\]$/, "", list)
            count = split(list, values, ",")
            for (i = 1; i <= count; i++) printf "%s%.6f", (i > 1 ? "," : ""), values[i] * factor
            printf "]"
        }
        print rest
    }' "$1"
}

# scale_set FROM TO FACTOR SLOT: a copy of a set with the SLOTth variant of every op, dtype and size scaled.
scale_set() {
    rm -rf "$2"
    mkdir -p "$2"
    groups=' '
    for file in "$1"/*/bench/*.v[0-9]*.json; do
        name=${file##*/}
        group=${name%%.*}.${name#*.*.}
        groups="$groups$group "
        rank=$(printf '%s' "$groups" | tr ' ' '\n' | grep -c -x -F "$group")
        if [ "$rank" -eq "$4" ]; then
            scale "$file" "$3" >"$2/$name"
            echo "${name%.json} $3" >>"$2/delayed.txt"
        else
            cp "$file" "$2/$name"
        fi
    done
    for file in "$1"/*/bench/*.baseline_*.json; do [ ! -e "$file" ] || cp "$file" "$2/"; done
}

for round_folder in "$sets"/gpu*/round*; do
    gpu=${round_folder%/*} gpu=${gpu##*/gpu}
    [ -d "$round_folder/plain-b" ] || continue
    for slot in 1 2 3 4; do
        for percent in 2 5; do
            scale_set "$round_folder/plain-b" "$out/scaled" "1.0$percent" "$slot"
            compare scaled-$percent% "$gpu" "${round_folder##*/round}" "$round_folder/plain-a" "$out/scaled" "$@"
        done
    done
done
rm -rf "$out/scaled"

# The same kernels on two cards of one model: every pair of cards, and of plain sets.
earlier=
for gpu_folder in "$sets"/gpu*; do
    for other in $earlier; do
        for pair in plain-a:plain-a plain-a:plain-b plain-b:plain-a plain-b:plain-b; do
            compare other-card "$other-${gpu_folder##*/gpu}" 1 "$sets/gpu$other/round1/${pair%:*}" \
                "$gpu_folder/round1/${pair#*:}" "$@"
        done
    done
    earlier="$earlier ${gpu_folder##*/gpu}"
done
rm -f "$out/last.json"

# ---- summary ----------------------------------------------------------------------------------------------------------

awk -F, '
    NR > 1 && ($11 == "slower" || $11 == "faster" || $11 == "same" || $11 == "inconclusive") {
        group[1] = $1 ", all"
        group[2] = $1 ($5 >= 20 ? ", from 20 us" : ", below 20 us")
        for (i = 1; i <= 2; i++) {
            g = group[i]
            if (!(g in count)) order[++groups] = g
            count[g]++
            verdicts[g, $11]++
            sum[g] += $7 - 1
            square[g] += ($7 - 1) * ($7 - 1)
            d = $7 > 1 ? $7 - 1 : 1 - $7
            if (d > worst[g]) worst[g] = d
        }
    }
    END {
        print "| comparisons | number | slower | faster | same | inconclusive | mean change | deviation | largest |"
        print "|---|--:|--:|--:|--:|--:|--:|--:|--:|"
        for (i = 1; i <= groups; i++) {
            g = order[i]
            mean = sum[g] / count[g]
            variance = square[g] / count[g] - mean * mean
            printf "| %s | %d | %d (%.1f%%) | %d | %d | %d | %+.2f%% | %.2f%% | %.2f%% |\n", g, count[g], verdicts[g, "slower"],
                100 * verdicts[g, "slower"] / count[g], verdicts[g, "faster"], verdicts[g, "same"],
                verdicts[g, "inconclusive"], 100 * mean, 100 * sqrt(variance > 0 ? variance : 0), 100 * worst[g]
        }
        print ""
        print "To be reached: of 200 unchanged comparisons at most 1 called slower or faster; 95% of those delayed by 5% called slower, and"
        print "80% of those delayed by 2% on cases from 20 us."
    }' "$csv" >"$out/summary.md"
cat "$out/summary.md"
