"""Operators of PyTorch by the fastest verified kernels of an Assay build: `y = assay_ops["softmax"](x, dim=-1)`.

Each function has the signature of torch's function of that name, and is also an op, torch.ops.assay.NAME. What no kernel offers, torch
computes, and that is said once (AssayFallback). Gradients are torch's: where one is required, torch computes."""

import torch

from . import fallback as _fallback
from . import native as _native
from .kernels import Unsupported as _Unsupported
from .registration import register as _register
from .session import AssayFallback, say_once as _say_once, session as _session, use

__all__ = ["AssayFallback", "add", "addmm", "bmm", "conv2d", "gelu", "layer_norm", "linear", "matmul", "rms_norm",
           "scaled_dot_product_attention", "softmax", "status", "sum", "transpose_copy", "use"]

_ops = _register(_native, _fallback)


def add(input, other, *, alpha=1):
    if not isinstance(other, torch.Tensor):
        _say_once("add", "a number for the second tensor")
        return torch.add(input, other, alpha=alpha)
    return _ops["add"](input, other, alpha=alpha)


def softmax(input, dim, dtype=None):
    return _ops["softmax"](input, dim, dtype)


def gelu(input, approximate="none"):
    return _ops["gelu"](input, approximate=approximate)


def matmul(input, other):
    return _ops["matmul"](input, other)


def bmm(input, mat2):
    return _ops["bmm"](input, mat2)


def linear(input, weight, bias=None):
    return _ops["linear"](input, weight, bias)


def addmm(input, mat1, mat2, *, beta=1, alpha=1):
    return _ops["addmm"](input, mat1, mat2, beta=beta, alpha=alpha)


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    return _ops["layer_norm"](input, normalized_shape, weight, bias, eps)


def rms_norm(input, normalized_shape, weight=None, eps=None):
    return _ops["rms_norm"](input, normalized_shape, weight, eps)


def sum(input, dim=None, keepdim=False, *, dtype=None):
    return _ops["sum"](input, [dim] if isinstance(dim, int) else dim, keepdim, dtype=dtype)


def transpose_copy(input, dim0, dim1):
    return _ops["transpose_copy"](input, dim0, dim1)


def scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    return _ops["scaled_dot_product_attention"](query, key, value, attn_mask, dropout_p, is_causal, scale=scale, enable_gqa=enable_gqa)


def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    if padding == "valid":
        padding = 0
    if isinstance(padding, str):
        _say_once("conv2d", "padding by name")
        return _fallback.conv2d(input, weight, bias, stride, padding, dilation, groups)
    stride, padding, dilation = ([value, value] if isinstance(value, int) else value for value in (stride, padding, dilation))
    return _ops["conv2d"](input, weight, bias, stride, padding, dilation, groups)


def status():
    """{(op, dtype): which kernel is used, or why torch is} of what was called so far; {"build": why not} without a build."""
    try:
        return _session().loaded()
    except _Unsupported as reason:
        return {"build": str(reason)}
