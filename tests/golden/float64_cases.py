#!/usr/bin/env python3
"""Adds golden cases of mha with heads in groups and with the causal mask from the bottom right, computed by torch in float64.

usage: grouped.py   (after choose.py; what it added before is made again; any torch from 1.13 on)

torch before 2.5 has neither in scaled_dot_product_attention, so the definition is written in torch's matmul, softmax and
repeat_interleave. A row that sees no key is zeros, as flash-attention and torch's own softmax of a masked row (2.5) have it.
"""
import json

import torch

from channels_last import FOLDER, write_npy

PREFIX = "mha.grouped."
DTYPES = {"f32": (torch.float32, "<f4"), "f16": (torch.float16, "<f2"), "bf16": (torch.bfloat16, "<u2")}
#        batch, heads, group, queries, keys, dim, causal, bottom right
CASES = [(2, 4, 2, 5, 9, 32, False, False), (1, 6, 3, 17, 20, 16, True, False), (2, 4, 4, 6, 19, 24, True, True), (1, 4, 2, 12, 5, 32, True, True)]


def attention(q, k, v, group, causal, bottom_right):
    """float64; of q [batch, heads, queries, dim], and k and v with heads / group heads."""
    q, k, v = q.double(), k.double().repeat_interleave(group, 1), v.double().repeat_interleave(group, 1)
    scores = q @ k.transpose(-2, -1) / q.size(-1) ** 0.5
    if causal:
        shift = k.size(-2) - q.size(-2) if bottom_right else 0
        scores = scores.masked_fill(~torch.ones(scores.shape[-2:], dtype=torch.bool).tril(shift), -float("inf"))
    weights = torch.softmax(scores, -1).masked_fill(scores == -float("inf"), 0.0)
    return weights @ v


def store(name, descr, tensor):
    values = tensor.view(torch.int16) if tensor.dtype == torch.bfloat16 else tensor
    write_npy(FOLDER / name, descr, tensor.shape, values.contiguous().numpy().tobytes())
    return name


def make(index, dtype):
    batch, heads, group, queries, keys, dim, causal, bottom_right = CASES[index]
    kind, descr = DTYPES[dtype]
    torch.manual_seed(index)
    shapes = {"q": (batch, heads, queries, dim), "k": (batch, heads // group, keys, dim), "v": (batch, heads // group, keys, dim)}
    inputs = {name: torch.randn(shape).to(kind) for name, shape in shapes.items()}
    case = "%s%s.s%d" % (PREFIX, dtype, index)
    expected = attention(inputs["q"], inputs["k"], inputs["v"], group, causal, bottom_right)
    return {"id": case, "op": "mha", "dtype": dtype, "params": {"causal": causal, "bottom_right": bottom_right, "group_size": group},
            "inputs": {name: {"file": store("%s.%s.npy" % (case, name), descr, tensor), "shape": list(tensor.shape)}
                       for name, tensor in inputs.items()},
            "output_shape": list(shapes["q"]), "expected": store(case + ".expected.npy", "<f8", expected)}


def main():
    path = FOLDER / "manifest.json"
    manifest = json.loads(path.read_text())
    cases = [case for case in manifest["cases"] if not case["id"].startswith(PREFIX)]
    added = [make(index, dtype) for dtype in DTYPES for index in range(len(CASES))]
    manifest["cases"] = cases + added
    path.write_text(json.dumps(manifest, indent=1) + "\n")
    print("%d cases with heads in groups beside %d others" % (len(added), len(cases)))


if __name__ == "__main__":
    main()
