#!/bin/sh
# Records what ncu says of kernels built to have one bottleneck each, on the card that is there, as test data for profile/.
#
#   record.sh OUT [BUILD]
#
# Compiles tests/profile/kernels with nvcc and profiles each kernel with the sections and metrics of profile/metrics.def. With BUILD, a
# build folder or bundle with CUDA modules, also v1_baseline and v4_optimized of each op, f32 at `large`, as far as they are built.
#
# OUT gets kinds_N.raw.csv and kinds_N.details.csv (several kernels each), suite/CASE.raw.csv and .details.csv, the source pages
# (*.source_*.csv.gz), versions.txt and logs. What fails is said and left out.
#
# Variables: KINDS_SECONDS (55, after compiling) and SUITE_SECONDS (55) bound the two parts; KINDS is an expression for the names of the
# kernels; NCU and NVCC name the programs, ARCH the architecture (native).
# Exit status: 0 something was recorded, 1 nothing was, 2 wrong use, 3 no ncu or no nvcc.
here=$(cd "$(dirname "$0")" && pwd) || exit 3
if [ $# -lt 1 ] || [ $# -gt 2 ]; then
  echo "usage: record.sh OUT [BUILD]" >&2
  exit 2
fi
mkdir -p "$1/suite" || exit 3
out=$(cd "$1" && pwd)
build=${2:-}
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT
export LC_ALL=C TMPDIR="$work"
arch=${ARCH:-native} kinds_seconds=${KINDS_SECONDS:-55} suite_seconds=${SUITE_SECONDS:-55}
definitions=$here/../../profile/metrics.def

find_program() { # NAME CANDIDATE...: the first that can be run
  name=$1
  shift
  for candidate in "$@"; do
    command -v "$candidate" >/dev/null 2>&1 && { command -v "$candidate"; return 0; }
  done
  echo "record.sh: $name was not found; put its folder on PATH" >&2
  return 1
}
ncu=$(find_program ncu ${NCU:+"$NCU"} ncu /usr/local/cuda/bin/ncu /opt/nvidia/nsight-compute/*/ncu) || exit 3
nvcc=$(find_program nvcc ${NVCC:+"$NVCC"} nvcc /usr/local/cuda/bin/nvcc) || exit 3

now() { date +%s; }
begin=$(now)
say() { echo "record.sh: $(($(now) - begin)) s: $*" | tee -a "$out/record.log"; }
: >"$out/record.log"
: >"$out/kinds.log"

{
  "$ncu" --version
  "$nvcc" --version
  nvidia-smi --query-gpu=name,driver_version,clocks.max.sm,clocks.max.mem --format=csv
  date -u
} >"$out/versions.txt" 2>&1

# The metrics that this ncu knows for this card; one that it does not know would end the whole run.
timeout 30 "$ncu" --query-metrics >"$work/known.txt" 2>"$work/known.err" &
asker=$!
timeout 20 "$ncu" --list-sections >"$out/sections.txt" 2>&1 &

# Each file by itself: one that does not compile costs its own kernels.
compilers=
for source in "$here"/kernels/*.cu; do
  name=$(basename "$source" .cu)
  {
    "$nvcc" -std=c++17 -O3 -lineinfo -arch="$arch" -c -o "$work/$name.o" "$source" ||
      "$nvcc" -std=c++17 -O3 -lineinfo -arch=sm_90 -c -o "$work/$name.o" "$source"
  } >"$work/$name.txt" 2>&1 &
  compilers="$compilers $!"
done
for compiler in $compilers; do
  wait "$compiler" || say "a file of kernels did not compile"
done
cat "$work"/*.txt >"$out/compile.log"
"$nvcc" -arch=sm_90 -o "$work/kinds" "$work"/*.o >>"$out/compile.log" 2>&1 || { say "the kernels do not link: see compile.log"; exit 1; }
wait "$asker"
gzip -c "$work/known.txt" >"$out/metrics_known.txt.gz"
say "compiled"
kinds_begin=$(now)

all='' known='' missing=''
for metric in $(sed -n 's/^METRIC([A-Z0-9_]*, ASKED, "\([^"]*\)".*/\1/p' "$definitions"); do
  all="$all${all:+,}$metric"
  if grep -q "^${metric%%.*}[[:space:]]" "$work/known.txt"; then
    known="$known${known:+,}$metric"
  else
    missing="$missing $metric"
  fi
done
[ -z "$missing" ] || say "not in this ncu's list:$missing"
sections=
for section in $(sed -n 's/^SECTION(\([A-Za-z_]*\))$/\1/p' "$definitions"); do
  sections="$sections --section $section"
done

asked="--metrics $all"
profile() { # SECONDS REPORT COMMAND...: one report; where metrics are refused, with those of ncu's list, then with none
  limit=$1 report=$2
  shift 2
  while :; do
    # shellcheck disable=SC2086 # lists of words
    timeout -k 2 "$limit" "$ncu" --force-overwrite --export "$report" --import-source yes $sections $asked --clock-control none \
      --cache-control all --profile-from-start off --launch-count 40 "$@" >"$report.log" 2>&1
    code=$?
    [ -s "$report.ncu-rep" ] && return 0
    [ "$code" -lt 124 ] && [ -n "$asked" ] && grep -q -i "metric" "$report.log" || return 1
    cp "$report.log" "$out/refused.log"
    if [ -n "$known" ] && [ "$asked" != "--metrics $known" ]; then
      asked="--metrics $known"
    else
      asked=''
    fi
    say "metrics were refused; now ${asked:-without any}"
  done
}

import() { # REPORT NAME: the pages of a report, in the background
  (
    timeout 40 "$ncu" --import "$1.ncu-rep" --csv --page raw --print-units base >"$2.raw.csv" 2>"$2.import.log" &
    timeout 40 "$ncu" --import "$1.ncu-rep" --csv --page details >"$2.details.csv" 2>>"$2.import.log" &
    for view in sass cuda,sass; do
      timeout 40 "$ncu" --import "$1.ncu-rep" --csv --page source --print-source "$view" 2>&1 | gzip >"$2.source_$view.csv.gz" &
    done
    wait
    [ -s "$2.import.log" ] || rm -f "$2.import.log"
  ) &
}

# The kernels, in groups, so that one that kills its process costs its group; what a group lacks is tried alone while there is time.
"$work/kinds" --list | sort | grep -E "^(${KINDS:-.*})\$" >"$work/names"
total=$(wc -l <"$work/names")
group=0
split -n r/3 "$work/names" "$work/group."
for list in "$work"/group.*; do
  group=$((group + 1))
  left=$((kinds_begin + kinds_seconds - $(now)))
  [ "$left" -gt 5 ] || { say "no time for group $group"; continue; }
  # shellcheck disable=SC2046 # a list of words
  profile "$left" "$work/kinds_$group" "$work/kinds" $(cat "$list") || say "group $group failed"
  cat "$work/kinds_$group.log" >>"$out/kinds.log" 2>/dev/null
  [ -s "$work/kinds_$group.ncu-rep" ] && import "$work/kinds_$group" "$out/kinds_$group"
  say "group $group done"
done
for name in $(cat "$work/names"); do
  grep -q "^kinds: $name\$" "$out/kinds.log" && continue
  left=$((kinds_begin + kinds_seconds - $(now)))
  [ "$left" -gt 4 ] || { say "no time for $name"; continue; }
  group=$((group + 1))
  if profile 12 "$work/kinds_$group" "$work/kinds" "$name"; then
    import "$work/kinds_$group" "$out/kinds_$group"
  else
    say "$name failed"
  fi
  cat "$work/kinds_$group.log" >>"$out/kinds.log" 2>/dev/null
done
say "$(grep -c '^kinds: ' "$out/kinds.log") of $total kernels profiled"

# The suite: the optimized kernels first, then the baselines.
launcher=
[ -z "$build" ] || launcher=$(find "$build" -name assay-launch-case -type f 2>/dev/null | head -n 1)
if [ -n "$launcher" ]; then
  suite_begin=$(now)
  for variant in v4_optimized v1_baseline; do
    for module in "$build"/modules/*."$variant".f32.so; do
      [ -e "$module" ] || continue
      op=$(basename "$module" ".$variant.f32.so")
      case=$op.$variant.f32.large
      left=$((suite_begin + suite_seconds - $(now)))
      [ "$left" -gt 2 ] || { say "no time for $case"; continue; }
      [ "$left" -lt 12 ] || left=12
      if profile "$left" "$work/$case" "$launcher" --workspace "$build" --op "$op" --variant "$variant" --dtype f32 --size large \
        --mode profile; then
        import "$work/$case" "$out/suite/$case"
        say "$case done"
      else
        say "$case failed: $(tail -n 1 "$work/$case.log" 2>/dev/null)"
      fi
      cat "$work/$case.log" >>"$out/suite.log" 2>/dev/null
    done
  done
elif [ -n "$build" ]; then
  say "no assay-launch-case below $build: the suite was left out"
fi
wait

# Small enough to be brought back: first the combined source pages go, then all of them but those of the kinds.
too_large() { [ "$(du -sk "$out" | cut -f1)" -gt 9000 ]; }
too_large && rm -f "$out"/suite/*.source_cuda,sass.csv.gz
too_large && rm -f "$out"/suite/*.source_*.csv.gz
too_large && rm -f "$out"/*.source_*.csv.gz
say "done: $(ls "$out"/*.raw.csv "$out"/suite/*.raw.csv 2>/dev/null | wc -l) reports, $(du -sk "$out" | cut -f1) KiB"
ls "$out"/*.raw.csv >/dev/null 2>&1
