#!/bin/sh
# Makes a bundle in which this corpus' kernels are variants of their ops, for a GPU node that cannot build the harness:
#   make_bundle.sh PREFIX FOLDER [CMAKE OPTION...]      PREFIX: where Assay is installed; FOLDER: is made, and holds the bundle then
# On the node: unpack it, then  python3 check_bundle.py  inside (a minute), which runs every case of table.json and says which are not judged
# as they must be, then times some of the right ones.
set -eu
prefix=$1 folder=$2
shift 2
corpus=$(cd "$(dirname "$0")" && pwd)
tree=$corpus/../..
mkdir -p "$folder/ops"
cp -r "$tree/ops/common" "$folder/ops/"
cp -r "$tree/examples/my_project/ops/clip" "$folder/ops/"
ops="add softmax matmul reduce_sum transpose"
for op in $ops; do
    mkdir -p "$folder/ops/$op"
    (cd "$tree/ops/$op" && find . -name "*.h" -o -name "*.cuh" | tar cf - -T -) | tar xf - -C "$folder/ops/$op"
    cp "$tree/ops/$op/reference.c" "$tree/ops/$op/v1_baseline.cu" "$folder/ops/$op/"
done
python3 - "$corpus" "$tree" "$folder" "$ops" <<'END'
import json, shutil, sys
corpus, tree, folder, ops = sys.argv[1:]
for row in json.load(open(corpus + "/table.json"))["kernels"]:
    shutil.copy("%s/%s" % (corpus, row["file"]), "%s/ops/%s/v9_%s" % (folder, row["op"], row["file"]))
for op in ops.split():
    spec = json.load(open("%s/ops/%s/op.json" % (tree, op)))
    for key in ("tunables", "constraints", "budgets", "variant_dtypes"):  # of variants that are not there
        spec.pop(key, None)
    for case in spec["edge_cases"]:
        case.pop("variants", None)
    json.dump(spec, open("%s/ops/%s/op.json" % (folder, op), "w"), indent=1)
END
cat >"$folder/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(solve_kernels LANGUAGES C CXX)
find_package(Assay REQUIRED)
assay_add_all_ops(ops)
END
cmake -S "$folder" -B "$folder/build" "-DCMAKE_PREFIX_PATH=$prefix" -DASSAY_DEVICE=cuda "$@"
cmake --build "$folder/build" --parallel 2 --target bundle
bundle=$(ls "$folder"/build/assay-bundle-*.tar.xz)
name=$(basename "$bundle" .tar.xz)
mkdir "$folder/stage"
tar xf "$bundle" -C "$folder/stage"
cp "$corpus/table.json" "$corpus/check_bundle.py" "$folder/stage/$name/"
tar cJf "$folder/solve-kernels-bundle.tar.xz" -C "$folder/stage" "$name"
rm -r "$folder/stage"
echo "$folder/solve-kernels-bundle.tar.xz"
