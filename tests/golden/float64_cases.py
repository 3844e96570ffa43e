#!/usr/bin/env python3
"""Adds golden cases whose expected result torch computes in float64 by the definition, without a GPU: what came after the cases of the H100.

usage: float64_cases.py   (after choose.py; what it added before is made again; any torch from 1.13 on)

torch before 2.5 has neither groups of heads nor a mask from the bottom right in scaled_dot_product_attention, so the definition is written
in torch's matmul, softmax and repeat_interleave. A row that sees no key is zeros, as flash-attention and torch's own softmax of a masked row
(2.5) have it.
"""
import json

import torch

from other_layouts import FOLDER, write_npy

DTYPES = {"f32": (torch.float32, "<f4"), "f16": (torch.float16, "<f2"), "bf16": (torch.bfloat16, "<u2")}


def attention(q, k, v, group_size, causal, bottom_right, key_padding=0):
    """Of q [batch, heads, queries, dim], and k and v with heads / group_size heads."""
    k, v = (tensor[:, :, :tensor.size(2) - key_padding] for tensor in (k, v))
    k, v = k.repeat_interleave(group_size, 1), v.repeat_interleave(group_size, 1)
    scores = q @ k.transpose(-2, -1) / q.size(-1) ** 0.5
    if causal:
        shift = k.size(-2) - q.size(-2) if bottom_right else 0
        scores = scores.masked_fill(~torch.ones(scores.shape[-2:], dtype=torch.bool).tril(shift), -float("inf"))
    weights = torch.softmax(scores, -1).masked_fill(scores == -float("inf"), 0.0)
    return weights @ v


def grouped_heads(batch, heads, group_size, queries, keys, dim, causal, bottom_right):
    kv = (batch, heads // group_size, keys, dim)
    return {"q": (batch, heads, queries, dim), "k": kv, "v": kv}, {"causal": causal, "bottom_right": bottom_right, "group_size": group_size}


def without(tensor, padding):
    return tensor[..., :tensor.size(-1) - padding]


def softmax(x, row_padding):
    return torch.softmax(without(x, row_padding), -1)


def reduce_sum(x, row_padding):
    return without(x, row_padding).sum(-1)


def layernorm(x, weight, bias, row_padding, eps):
    return torch.nn.functional.layer_norm(without(x, row_padding), weight.shape, weight, bias, eps)


def rmsnorm(x, weight, row_padding, eps):
    x = without(x, row_padding)
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * weight


def view(rows, length, padding, vectors=(), **params):
    return {"x": (rows, length + padding), **{name: (length,) for name in vectors}}, {"row_padding": padding, **params}


def product(a, b, batch, transpose_a, transpose_b, padding_a=0, padding_b=0):
    a, b = without(a, padding_a), without(b, padding_b)
    return (a.transpose(-2, -1) if transpose_a else a) @ (b.transpose(-2, -1) if transpose_b else b)


def batched(batch, m, n, k, transpose_a, transpose_b):
    return {"a": (batch, k, m) if transpose_a else (batch, m, k), "b": (batch, n, k) if transpose_b else (batch, k, n)}, {
        "batch": batch, "transpose_a": transpose_a, "transpose_b": transpose_b}


def views(padding_a, padding_b, *case):
    shapes, params = batched(*case)
    return ({name: shape[:-1] + (shape[-1] + padding,) for (name, shape), padding in zip(shapes.items(), (padding_a, padding_b))},
            {**params, "padding_a": padding_a, "padding_b": padding_b})


def padded_keys(padding, *case):
    shapes, params = grouped_heads(*case)
    return shapes, {**params, "key_padding": padding}


def convolution(x, weight, bias, stride, stride_w, padding, padding_w, dilation, dilation_w, groups):
    return torch.nn.functional.conv2d(x, weight, bias, (stride, stride_w), (padding, padding_w), (dilation, dilation_w), groups)


def by_direction(image, filters, stride, padding, dilation, groups):
    params = {"groups": groups}
    for name, pair in (("stride", stride), ("padding", padding), ("dilation", dilation)):
        params[name], params[name + "_w"] = pair
    return {"x": image, "weight": filters, "bias": filters[:1]}, params


# Prefix of the ids: the op, its result of inputs and parameters by name, and each case's shapes and parameters.
KINDS = {
    "mha.grouped.": ("mha", attention, [
        grouped_heads(2, 4, 2, 5, 9, 32, False, False), grouped_heads(1, 6, 3, 17, 20, 16, True, False),
        grouped_heads(2, 4, 4, 6, 19, 24, True, True), grouped_heads(1, 4, 2, 12, 5, 32, True, True)]),
    "mha.padded.": ("mha", attention, [padded_keys(4, 2, 4, 2, 5, 13, 32, False, False), padded_keys(7, 2, 2, 1, 6, 20, 16, True, True)]),
    "matmul.batched.": ("matmul", product, [batched(3, 9, 11, 13, 0, 0), batched(2, 24, 16, 40, 0, 1), batched(4, 5, 8, 6, 1, 1)]),
    "matmul.views.": ("matmul", product, [views(5, 3, 2, 6, 9, 7, 0, 0), views(8, 0, 2, 16, 24, 8, 1, 1)]),
    "softmax.views.": ("softmax", softmax, [view(5, 19, 4)]),
    "reduce_sum.views.": ("reduce_sum", reduce_sum, [view(4, 33, 7)]),
    "layernorm.views.": ("layernorm", layernorm, [view(5, 24, 8, ("weight", "bias"), eps=1e-5)]),
    "rmsnorm.views.": ("rmsnorm", rmsnorm, [view(5, 21, 3, ("weight",), eps=1e-6)]),
    "conv2d.by_direction.": ("conv2d", convolution, [
        by_direction((2, 6, 9, 11), (8, 6, 3, 2), (1, 2), (2, 0), (1, 1), 1), by_direction((1, 8, 7, 10), (12, 4, 1, 5), (1, 1), (0, 2), (1, 1), 2),
        by_direction((1, 3, 12, 9), (10, 3, 3, 3), (3, 1), (1, 4), (1, 3), 1)]),
}


def store(name, descr, tensor):
    values = tensor.view(torch.int16) if tensor.dtype == torch.bfloat16 else tensor
    write_npy(FOLDER / name, descr, tensor.shape, values.contiguous().numpy().tobytes())
    return name


def make(prefix, index, dtype):
    op, compute, cases = KINDS[prefix]
    (shapes, params), (kind, descr) = cases[index], DTYPES[dtype]
    torch.manual_seed(index)
    inputs = {name: torch.randn(shape).to(kind) for name, shape in shapes.items()}
    case = "%s%s.s%d" % (prefix, dtype, index)
    expected = compute(**{name: tensor.double() for name, tensor in inputs.items()}, **params)
    return {"id": case, "op": op, "dtype": dtype, "params": params,
            "inputs": {name: {"file": store("%s.%s.npy" % (case, name), descr, tensor), "shape": list(tensor.shape)}
                       for name, tensor in inputs.items()},
            "output_shape": list(expected.shape), "expected": store(case + ".expected.npy", "<f8", expected)}


def main():
    path = FOLDER / "manifest.json"
    manifest = json.loads(path.read_text())
    cases = [case for case in manifest["cases"] if not case["id"].startswith(tuple(KINDS))]
    added = [make(prefix, index, dtype) for prefix in KINDS for dtype in DTYPES for index in range(len(KINDS[prefix][2]))]
    manifest["cases"] = cases + added
    path.write_text(json.dumps(manifest, indent=1) + "\n")
    print("%d cases of float64 beside %d others" % (len(added), len(cases)))


if __name__ == "__main__":
    main()
