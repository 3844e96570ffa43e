"""Host time of a call: each op by torch and by assay_ops, on tensors so small that the kernels cost next to nothing.

usage: call_overhead.py --build DIR [--dtype f32|f16|bf16] [--batches N] [--json]

On a GPU calls are asynchronous, so their host time is what a program without CUDA graphs pays. On the CPU device, whose launches take far
longer than a call, an empty function stands for the kernel, and what is left is the package's own time."""

import argparse
import ctypes
import functools
import json
import os
import sys
import time

import torch

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import assay_ops  # noqa: E402
from assay_ops import fallback, session  # noqa: E402

DTYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}
CALLS = 20  # in a batch: so few that the queue of a GPU never fills


def cases(dtype, device):
    """(label, function's name, arguments, named arguments)"""
    def t(*shape):
        return torch.randn(*shape, dtype=dtype, device=device)
    x, row, image, heads, matrix = t(32, 64), t(64), t(1, 8, 8, 8), t(1, 2, 16, 64), t(64, 64)
    yield "add", "add", (x, x), {}
    yield "gelu", "gelu", (x,), {}
    yield "softmax", "softmax", (x, -1), {}
    yield "layer_norm", "layer_norm", (x, (64,), row, row), {}
    yield "rms_norm", "rms_norm", (x, (64,), row), {"eps": 1e-6}
    yield "sum", "sum", (x, (1,)), {}
    yield "transpose_copy", "transpose_copy", (x, 0, 1), {}
    yield "matmul", "matmul", (x, matrix), {}
    yield "matmul by a transposed matrix", "matmul", (x, matrix.t()), {}
    yield "bmm", "bmm", (t(2, 32, 64), t(2, 64, 32)), {}
    yield "linear", "linear", (x, matrix, row), {}
    yield "linear without bias", "linear", (x, matrix), {}
    yield "addmm", "addmm", (row, x, matrix), {}
    yield "scaled_dot_product_attention", "scaled_dot_product_attention", (heads, heads, heads), {"is_causal": True}
    yield "conv2d", "conv2d", (image, t(8, 8, 3, 3), t(8)), {"padding": 1}
    yield "conv2d without bias", "conv2d", (image, t(8, 8, 3, 3)), {"padding": 1}


def host_us(calls, device, batches):
    """Of each call, in the batch that was disturbed least. They take turns, so that what else the machine does meets all alike."""
    wait = torch.cuda.synchronize if device == "cuda" else lambda: None
    best = [float("inf")] * len(calls)
    for _ in range(batches):
        for i, call in enumerate(calls):
            wait()
            start = time.thread_time()
            for _ in range(CALLS):
                call()
            best[i] = min(best[i], 1e6 * (time.thread_time() - start) / CALLS)
    wait()
    return best


def replace_launches():
    """By a function of the C library that reads no argument and returns 0."""
    empty = ctypes.CDLL(None).pthread_getconcurrency
    empty.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    session.Session.launch = lambda self, kernel, args, index: empty(args, None)


def torch_form(name):
    """torch's own function; `fallback` has some that do more."""
    return fallback.transpose_copy if name == "transpose_copy" else getattr(torch.nn.functional, name, None) or getattr(torch, name, None) or \
        getattr(fallback, name)


def measure(dtype, device, batches):
    labels, calls = [], []
    for label, name, args, named in cases(dtype, device):
        labels.append(label)
        calls += [functools.partial(function, *args, **named) for function in (torch_form(name), getattr(assay_ops, name))]
    with torch.no_grad():
        times = host_us(calls, device, batches)
    return [{"op": label, "torch_us": times[2 * i], "assay_us": times[2 * i + 1]} for i, label in enumerate(labels)]


def main(words=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", help="build folder of Assay whose kernels are verified (default: ASSAY_BUILD)")
    parser.add_argument("--dtype", choices=sorted(DTYPES), default="f32")
    parser.add_argument("--batches", type=int, default=300, help="of %d calls (300)" % CALLS)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args(words)
    if asked.build:
        assay_ops.use(asked.build)
    device = session.session().device
    if device == "cpu":
        torch.set_num_threads(1)
        replace_launches()
    rows = measure(DTYPES[asked.dtype], device, asked.batches)
    if asked.json:
        print(json.dumps(rows, indent=1))
        return
    print("%-32s %9s %9s %9s" % ("us of a call, host", "torch", "assay", "more"))
    for row in rows:
        print("%-32s %9.2f %9.2f %9.2f" % (row["op"], row["torch_us"], row["assay_us"], row["assay_us"] - row["torch_us"]))


if __name__ == "__main__":
    main()
