#!/bin/sh
# Records two runs of `assay optimize` on the card that is here: softmax at 4096 x 4096 and matmul of 1024^3, from v1 over five versions, whose
# sources are replayed (softmax/, matmul/: ideas of the ladders in ops/) and whose times are measured.
#
#   record.sh BUILD OUT [OP...]        BUILD: a build folder for CUDA; OUT/OP gets the run's folder
#
# Both take 3 to 4 minutes in all, mostly of nvcc and of torch being loaded. Interrupted, the same call goes on. At the end the line that is
# aimed at is held against the times: softmax in bf16 at 2.5 times torch eager, matmul in f32 at 0.8 times cuBLAS.
# Exit status: 0 both reached it, 1 one did not, 2 wrong use, 3 something is missing.
here=$(cd "$(dirname "$0")" && pwd) || exit 3
root=$(cd "$here/../.." && pwd) || exit 3
if [ $# -lt 2 ] || [ ! -x "$1/bin/assay" ]; then
  echo "usage: record.sh BUILD OUT [softmax] [matmul]" >&2
  exit 2
fi
build=$1 out=$2
shift 2
[ $# -gt 0 ] || set -- softmax matmul
python=${ASSAY_PYTHON:-python3}
ncu=
command -v ncu >/dev/null && ncu=--ncu # the sources are known, so they may run unconfined under it

run() { # OP DTYPE SIZE BASELINES
  "$build/bin/assay" optimize --build "$build" "$root/ops/$1/v1_baseline.cu" --ref "$1" --dtype "$2" --size "$3" --iterations 5 \
    --baselines "$4" --repetitions 5 --sample-ms 40 --warmup-ms 10 $ncu --provider "'$python' '$root/tools/recorded_provider.py' '$here/$1'" \
    --out "$out/$1" --experience "$out/experience.db"
}

status=0
for op in "$@"; do
  case $op in
  softmax) run softmax bf16 large torch_eager,torch_compile || exit 3 ;;
  matmul) run matmul f32 medium torch_eager,cublas || exit 3 ;;
  *) echo "record.sh: $op: softmax or matmul is expected" >&2; exit 2 ;;
  esac
  "$python" "$here/check_bar.py" "$out/$op" || status=1
  # Modules, single results and ncu's own files: the pages and state.json say it all.
  rm -rf "$out/$op/work"
  find "$out/$op" -name 'ncu*.csv' -exec rm {} + -o -name '*.ncu-rep' -exec rm {} +
  # The run is the same wherever the tree and the folder of the run lie.
  for prefix in "$(cd "$out" && pwd)" "$root"; do
    grep -rlF "$prefix/" "$out/$op" | xargs -r sed -i "s|$prefix/||g"
  done
done
exit $status
