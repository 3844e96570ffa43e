"""Operators of PyTorch by the fastest verified kernels of an Assay build: `y = assay_ops.softmax(x, dim=-1)`.

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

_ops = _register(_native, _fallback)  # each takes all its arguments in order
_add, _softmax, _gelu, _layer_norm, _rms_norm = (_ops[name] for name in ("add", "softmax", "gelu", "layer_norm", "rms_norm"))
_matmul, _bmm, _linear, _addmm, _sum = (_ops[name] for name in ("matmul", "bmm", "linear", "addmm", "sum"))
_transpose_copy, _attention, _conv2d = (_ops[name] for name in ("transpose_copy", "scaled_dot_product_attention", "conv2d"))


def add(input, other, *, alpha=1):
    if not isinstance(other, torch.Tensor):
        _say_once("add", "a number for the second tensor")
        return torch.add(input, other, alpha=alpha)
    return _add(input, other, alpha)


def softmax(input, dim, dtype=None):
    return _softmax(input, dim, dtype)


def gelu(input, approximate="none"):
    return _gelu(input, approximate)


def matmul(input, other):
    return _matmul(input, other)


def bmm(input, mat2):
    return _bmm(input, mat2)


def linear(input, weight, bias=None):
    return _linear(input, weight, bias)


def addmm(input, mat1, mat2, *, beta=1, alpha=1):
    return _addmm(input, mat1, mat2, beta, alpha)


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    return _layer_norm(input, normalized_shape, weight, bias, eps)


def rms_norm(input, normalized_shape, weight=None, eps=None):
    return _rms_norm(input, normalized_shape, weight, eps)


def sum(input, dim=None, keepdim=False, *, dtype=None):
    return _sum(input, [dim] if isinstance(dim, int) else dim, keepdim, dtype)


def transpose_copy(input, dim0, dim1):
    return _transpose_copy(input, dim0, dim1)


def scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    return _attention(query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa)


def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    if padding == "valid":
        padding = 0
    if isinstance(padding, str):
        _say_once("conv2d", "padding by name")
        return _fallback.conv2d(input, weight, bias, stride, padding, dilation, groups)
    if isinstance(stride, int):
        stride = [stride, stride]
    if isinstance(padding, int):
        padding = [padding, padding]
    if isinstance(dilation, int):
        dilation = [dilation, dilation]
    return _conv2d(input, weight, bias, stride, padding, dilation, groups)


def status():
    """{(op, dtype): which kernel is used, or why torch is} of what was called so far; {"build": why not} without a build."""
    try:
        return _session().loaded()
    except _Unsupported as reason:
        return {"build": str(reason)}
