#!/usr/bin/env python3
"""Writes a project of many small ops, for tests of load: make_ops.py FOLDER OPS VARIANTS SIZES [DTYPE...]

Each op adds two tensors; its variants differ in the number of threads of a block. The project finds an installed Assay. Compiling thousands
of modules is not what is tested: FOLDER/c++ is a compiler that compiles the first kernel and copies what came out for all others of
its dtype (set CMAKE_CXX_COMPILER to it)."""
import json
import os
import stat
import sys

HEADER = """/* Arguments of the op `@OP@`. */
#ifndef @OP@_H
#define @OP@_H
#include <assay/module.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
typedef struct @OP@_args {
    const void *x, *y; /* [count], the module's dtype, device memory */
    void *out;
    int64_t count;
} @OP@_args;
ASSAY_EXPORT assay_status @OP@_run(const @OP@_args *args, assay_stream stream);
#ifdef __cplusplus
}
#endif
#endif
"""

REFERENCE = """/* Reference of `@OP@`. */
#include "@OP@.h"
#include <assay/op.h>

static assay_status infer(const assay_problem *problem, assay_tensor *outputs, assay_error *error)
{
    (void)error;
    outputs[0] = problem->inputs[0];
    return ASSAY_OK;
}

static assay_status bind(const assay_problem *problem, void *args)
{
    *(@OP@_args *)args = (@OP@_args){.x = problem->inputs[0].data, .y = problem->inputs[1].data, .out = problem->outputs[0].data,
                                     .count = assay_tensor_count(&problem->outputs[0])};
    return ASSAY_OK;
}

static assay_status reference(const assay_problem *problem, double *scale)
{
    const float *x = problem->inputs[0].data, *y = problem->inputs[1].data;
    double *out = problem->outputs[0].data;
    (void)scale;
    for (int64_t i = 0; i < assay_tensor_count(&problem->outputs[0]); i++)
        out[i] = (double)x[i] + (double)y[i];
    return ASSAY_OK;
}

static double flops(const assay_problem *problem)
{
    return (double)assay_tensor_count(&problem->outputs[0]);
}

static double bytes(const assay_problem *problem)
{
    return 3.0 * (double)assay_tensor_count(&problem->outputs[0]) * (double)assay_dtype_bytes(problem->dtype);
}

const assay_op_impl *assay_op_get(void)
{
    static const assay_op_impl impl = {.abi = ASSAY_OP_ABI, .name = "@OP@", .args_bytes = sizeof(@OP@_args), .infer = infer, .bind = bind,
                                       .reference = reference, .flops = flops, .bytes = bytes};
    return &impl;
}
"""

KERNEL = """// @OP@, @VARIANT@: blocks of @THREADS@ threads.
//
// One thread an element.
#include <assay/kernel.h>
#include "@OP@.h"

static __global__ void add(const scalar_t *x, const scalar_t *y, scalar_t *out, int64_t count)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = assay::from_float<scalar_t>(assay::to_float(x[i]) + assay::to_float(y[i]));
}

extern "C" assay_status @OP@_run(const @OP@_args *args, assay_stream stream)
{
    return args->count == 0 ? ASSAY_OK
                            : assay::launch(add, dim3((unsigned)((args->count + @THREADS@ - 1) / @THREADS@)), dim3(@THREADS@), 0, stream,
                                            (const scalar_t *)args->x, (const scalar_t *)args->y, (scalar_t *)args->out, args->count);
}
"""

PROJECT = """cmake_minimum_required(VERSION 3.25)
project(load LANGUAGES C CXX)
find_package(Assay REQUIRED)
assay_add_all_ops(ops)
"""

# What the copies of a module lack is the name of their entry point: they are never run.
COMPILER = """#!/bin/sh
# A C++ compiler that compiles one kernel of a dtype and copies the module for the others.
out= source= list= dtype= previous=
for word; do
    case $previous in -o) out=$word ;; -MF) list=$word ;; esac
    case $word in *.cu) source=$word ;; -DASSAY_DTYPE_*) dtype=$word ;; esac
    previous=$word
done
case $source in *.cu) ;; *) exec c++ "$@" ;; esac
kept=$(dirname "$0")/kept$dtype.so
case $source in */@FIRST@/v1_*) exec c++ "$@" ;; esac
[ -e "$kept" ] || { c++ "$@" && cp "$out" "$kept.$$" && mv "$kept.$$" "$kept"; } || exit 1
cp "$kept" "$out"
[ -z "$list" ] || echo "$out: $source" > "$list"
"""


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)


def make_op(folder, op, variants, sizes, dtypes):
    described = {
        "schema": 1, "name": op, "family": "elementwise", "torch": "torch.add", "formula": "out[i] = x[i] + y[i]",
        "complexity": "1 operation an element", "access": "in order", "dtypes": dtypes,
        "inputs": [{"name": name, "shape": ["M", "N"], "distribution": "normal"} for name in "xy"],
        "outputs": [{"name": "out"}],
        "sizes": {(["small", "medium", "large"] + [f"size{j}" for j in range(3, sizes)])[i]: {"M": 8 + i, "N": 16} for i in range(max(sizes, 3))},
        "tolerances": {dtype: {"atol": 1.2e-38, "rtol": 1.2e-07, "why": "one addition in binary32"} for dtype in dtypes},
        "edge_cases": [{"name": name, "dims": {"M": 3, "N": 5}, "special": name}
                       for name in ("nonfinite", "denormal", "signed_zero", "constant")],
    }
    write(f"{folder}/ops/{op}/op.json", json.dumps(described, indent=1))
    write(f"{folder}/ops/{op}/{op}.h", HEADER.replace("@OP@", op))
    write(f"{folder}/ops/{op}/reference.c", REFERENCE.replace("@OP@", op))
    for i in range(variants):
        variant = f"v{i + 1}_blocks"
        text = KERNEL.replace("@OP@", op).replace("@VARIANT@", variant).replace("@THREADS@", str(32 * (1 + i)))
        write(f"{folder}/ops/{op}/{variant}.cu", text)


def main():
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    folder, (ops, variants, sizes) = os.path.abspath(sys.argv[1]), (int(word) for word in sys.argv[2:5])
    dtypes = sys.argv[5:] or ["f32"]
    for i in range(ops):
        make_op(folder, f"op{i:04}", variants, sizes, dtypes)
    write(f"{folder}/CMakeLists.txt", PROJECT)
    write(f"{folder}/c++", COMPILER.replace("@FIRST@", "op0000"))
    os.chmod(f"{folder}/c++", os.stat(f"{folder}/c++").st_mode | stat.S_IXUSR)


if __name__ == "__main__":
    main()
