#!/bin/sh
# Measures the result sets by which `assay compare` is judged: the same kernels again and again (A/A), and kernels made slower by a known
# share (delayed). Only measures: the comparison is evaluate.sh's, on any machine.
#
#   aa/measure.sh [--workspace DIR] [--out DIR] [--gpus N] [--limit-s S] [--groups FILE] [--repetitions N]
#                 [--warmup-ms X] [--sample-ms X] [--modes LIST] [--sets LIST]
#
# On each GPU rounds are taken until the time is used up, at least one (0: one). A round is five sets, or those of --sets, about 40 s each on an idle host:
#   plain-a, plain-b   the kernels as they are
#   base               each kernel followed by a delay of 2 us
#   slow2, slow5       some kernels (every second one of four, one of fewer) followed by 2 us and 2% or 5% of their cold time in `base`, the
#                      others by 2 us: controls, and unchanged kernels that must not be accused
# A delay of nothing would not do as the base: the first half microsecond after a kernel hides behind the write-back of its output.
# A delayed kernel has another source hash, as a changed one would. Set SET of round K of GPU G goes to OUT/gpuG/roundK/SET/, with the delayed
# cases listed in its delayed.txt. Needs a POSIX shell, sed, awk, and what `assay bench` needs.
# Exit status: 0 done, 1 a measurement failed, 2 wrong use, 3 something is missing.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
workspace=.
out=aa-results
gpus=1
limit=200
groups=$here/groups.txt
repetitions=10
warmup=3
sample=15
modes=cold
sets=plain-a,base,slow2,plain-b,slow5

fail() {
    printf 'aa: %s\n' "$2" >&2
    exit "$1"
}

while [ $# -gt 0 ]; do
    [ $# -gt 1 ] || fail 2 "$1: a value is expected"
    case $1 in
    --workspace) workspace=$2 ;;
    --out) out=$2 ;;
    --gpus) gpus=$2 ;;
    --limit-s) limit=$2 ;;
    --groups) groups=$2 ;;
    --repetitions) repetitions=$2 ;;
    --warmup-ms) warmup=$2 ;;
    --sample-ms) sample=$2 ;;
    --modes) modes=$2 ;;
    --sets) sets=$2 ;;
    *) fail 2 "unknown option $1" ;;
    esac
    shift 2
done
has_set() { case ,$sets, in *,"$1",*) ;; *) return 1 ;; esac }
for set in $(printf '%s' "$sets" | tr , ' '); do
    case $set in
    plain-a | plain-b | base) ;;
    slow2 | slow5) has_set base || fail 2 "--sets: $set is a share of the times in base, which is not in the list" ;;
    *) fail 2 "--sets: plain-a, base, slow2, plain-b or slow5 is expected, not $set" ;;
    esac
done
[ -r "$groups" ] || fail 2 "$groups: no such file"
[ -r "$workspace/assay.json" ] || fail 2 "$workspace has no assay.json: a build folder or an unpacked bundle is expected"
workspace=$(cd "$workspace" && pwd)
mkdir -p "$out"
out=$(cd "$out" && pwd)
assay=$workspace/bin/assay
delayed=$here/delayed.so
[ -r "$delayed" ] || delayed=$workspace/lib/delayed.so
[ -x "$assay" ] || fail 3 "$assay is missing"
[ -r "$delayed" ] || fail 3 "delayed.so is missing (target assay_delayed)"

read_groups() { sed 's/#.*//; /^ *$/d' "$groups"; }

# A workspace like the original with its own results folder, and, if `modules` is given, other modules.
# make_workspace FOLDER RESULTS [MODULES]
make_workspace() {
    mkdir -p "$1" "$2"
    sed -e "s|\"results\" *: *\"[^\"]*\"|\"results\": \"$2\"|" \
        -e "s|\"modules\" *: *\"[^\"]*\"|\"modules\": \"${3:-$(path_of modules)}\"|" \
        -e "s|\"baselines\" *: *\"[^\"]*\"|\"baselines\": \"$(path_of baselines)\"|" \
        -e "s|\"libexec\" *: *\"[^\"]*\"|\"libexec\": \"$(path_of libexec)\"|" \
        -e "s|\"directory\" *: *\"\\([^/\"][^\"]*\\)\"|\"directory\": \"$workspace/\\1\"|" \
        -e "s|\"reference\" *: *\"\\([^/\"][^\"]*\\)\"|\"reference\": \"$workspace/\\1\"|" \
        "$workspace/assay.json" >"$1/assay.json"
}

# Absolute path of a folder that assay.json names.
path_of() {
    found=$(sed -n "s|.*\"$1\" *: *\"\\([^\"]*\\)\".*|\\1|p" "$workspace/assay.json" | head -n 1)
    case $found in
    /*) printf '%s' "$found" ;;
    *) printf '%s/%s' "$workspace" "$found" ;;
    esac
}

# ---- verdicts and ceilings, once for all sets -------------------------------------------------------------------------

prepare() {
    make_workspace "$out/scratch/prepare" "$out/scratch/prepare/results"
    # A few at a time: each uses the device and some cores.
    read_groups | {
        started=0
        while read -r op dtype size variants _; do
            "$assay" verify --build "$out/scratch/prepare" --op "$op" --dtype "$dtype" --size "$size,edge" \
                --variant "$variants" >"$out/scratch/verify.$op.$dtype.$size.log" 2>&1 &
            started=$((started + 1))
            [ $((started % 5)) -ne 0 ] || wait
        done
        wait
    }
    read_groups | head -n 1 | {
        read -r op dtype size variants _
        "$assay" bench --build "$out/scratch/prepare" --op "$op" --dtype "$dtype" --size "$size" --variant "$variants" \
            --baselines none --quick --modes cold --no-verify >"$out/scratch/ceilings.log" 2>&1 ||
            fail 1 "the first case cannot be timed: see $out/scratch/ceilings.log"
    }
    rm -rf "$out"/scratch/prepare/results/*/bench
}

# ---- modules with a delay ---------------------------------------------------------------------------------------------

base_ns=2000

# delay_modules FOLDER: copies of all records that the groups need, each with its own delayed.so.
delay_modules() {
    mkdir -p "$1"
    read_groups | while read -r op dtype _ variants _; do
        for variant in $(printf '%s' "$variants" | tr , ' '); do
            for record in "$(path_of modules)/$op.$variant"[._]*"$dtype.json"; do
                name=$(basename "$record" .json)
                [ ! -e "$1/$name.so" ] || continue
                cp "$delayed" "$1/$name.so"
                sed "s|\"library\" *: *\"[^\"]*\"|\"library\": \"$name.so\"|" "$record" >"$1/$name.original"
                printf '%s\n%s\n%s\n' "${record%.json}.so" "$op" "$base_ns" >"$1/$name.so.txt"
            done
        done
    done
}

# is_delayed INDEX COUNT OFFSET: of four and more every second, of fewer one.
is_delayed() {
    if [ "$2" -ge 4 ]; then [ $((($1 + $3) % 2)) -eq 0 ]; else [ "$1" -eq $(($3 % $2)) ]; fi
}

# rehash TEXT FILE...: the first ten digits of every source hash become TEXT.
rehash() {
    text=$1
    shift
    for file in "$@"; do
        [ -e "$file" ] || continue
        sed "s|\"source_sha256\" *: *\"..........|\"source_sha256\": \"$text|g" "$file" >"$file.new"
        mv "$file.new" "$file"
    done
}

# delay MODULE SET PERCENT BASE SIZE: delay and source hash of one module, and the hash of its verdicts in SET. PERCENT 0: not delayed.
delay() {
    name=$(basename "$1" .so.txt)
    folder=$(dirname "$1")
    ns=$base_ns
    hash=
    if [ "$3" -gt 0 ]; then
        result=$(find "$4" -name "$name.$5.json" 2>/dev/null | head -n 1)
        us=$(sed -n 's/.*"cold" *: *{[^{}]*"mean_us" *: *\([0-9.e+-]*\).*/\1/p' "${result:-/dev/null}" | head -n 1)
        ns=$(awk -v us="${us:-0}" -v percent="$3" -v base="$base_ns" 'BEGIN { printf "%.1f", base + us * 10 * percent }')
        hash=delayed-$3-
        printf '%s.%s %s\n' "$name" "$5" "$3" >>"$2/delayed.txt"
    fi
    sed "3s/.*/$ns/" "$1" >"$1.new" && mv "$1.new" "$1"
    cp "$folder/$name.original" "$folder/$name.json"
    [ -z "$hash" ] || rehash "$hash" "$folder/$name.json" "$2"/*/verify/"$name".*.json
}

# delay_group MODULES SET OP DTYPE SIZE PERCENT BASE OFFSET
delay_group() {
    count=0
    for text in "$1/$3".*".$4.so.txt"; do count=$((count + 1)); done
    index=0
    for text in "$1/$3".*".$4.so.txt"; do
        share=0
        if [ "$6" -gt 0 ] && is_delayed $index $count "$8"; then share=$6; fi
        delay "$text" "$2" "$share" "$7" "$5"
        index=$((index + 1))
    done
}

# ---- sets -------------------------------------------------------------------------------------------------------------

# measure_set GPU ROUND SET PERCENT OFFSET, if it is asked for: PERCENT is "" for the kernels as they are.
measure_set() {
    has_set "$3" || return 0
    set_folder=$out/gpu$1/round$2/$3
    modules=
    [ -z "$4" ] || modules=$out/scratch/gpu$1/modules
    make_workspace "$out/scratch/gpu$1/$3" "$set_folder" "$modules"
    for card in "$out"/scratch/prepare/results/*/; do
        card=$(basename "$card")
        mkdir -p "$set_folder/$card"
        cp -r "$out/scratch/prepare/results/$card/verify" "$set_folder/$card/"
        cp "$out/scratch/prepare/results/$card/ceilings.json" "$set_folder/$card/" 2>/dev/null || true
    done
    read_groups | while read -r op dtype size variants baselines; do
        [ -z "$4" ] ||
            delay_group "$modules" "$set_folder" "$op" "$dtype" "$size" "$4" "$out/gpu$1/round$2/base" "$5"
        CUDA_VISIBLE_DEVICES=$1 "$assay" bench --build "$out/scratch/gpu$1/$3" --op "$op" --dtype "$dtype" --size "$size" \
            --variant "$variants" --baselines "$baselines" --modes "$modes" --repetitions "$repetitions" \
            --warmup-ms "$warmup" --sample-ms "$sample" --no-verify --force ||
            printf 'aa: gpu %s round %s %s: %s %s %s failed\n' "$1" "$2" "$3" "$op" "$dtype" "$size" >&2
    done >"$out/scratch/gpu$1/$3/round$2.log" 2>&1
    rm -rf "$set_folder"/*/verify
}

measure_gpu() {
    start=$(date +%s)
    round=0
    took=0
    delay_modules "$out/scratch/gpu$1/modules"
    while [ "$round" -eq 0 ] || [ $(($(date +%s) - start + took)) -lt "$limit" ]; do
        round=$((round + 1))
        begun=$(date +%s)
        measure_set "$1" $round plain-a "" 0
        measure_set "$1" $round base 0 0
        measure_set "$1" $round slow2 2 $((round + $1))
        measure_set "$1" $round plain-b "" 0
        measure_set "$1" $round slow5 5 $((round + $1 + 1))
        took=$(($(date +%s) - begun))
        printf 'gpu %s round %s: %s s\n' "$1" "$round" "$took"
    done
}

begun=$(date +%s)
prepare
printf 'prepared in %s s\n' $(($(date +%s) - begun))
gpu=0
while [ "$gpu" -lt "$gpus" ]; do
    measure_gpu "$gpu" &
    gpu=$((gpu + 1))
done
wait
files=$(find "$out"/gpu* -name '*.json' -path '*/bench/*' | wc -l)
timed=$(find "$out"/gpu* -name '*.json' -path '*/bench/*' -exec grep -l '"cold"' {} + | wc -l)
printf '%s results, %s of them timed, in %s\n' "$files" "$timed" "$out"
[ "$timed" -gt 0 ] || fail 1 "nothing was timed: see $out/scratch/"
