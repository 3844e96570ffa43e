"""torch's own form of each op: what runs where no kernel does, what differentiates, and what infers shapes. Signatures are torch's.

Where torch 1.13 lacks a function that later releases have, its definition is written out."""

import math

import torch
import torch.nn.functional as F


def add(self, other, *, alpha=1):
    return torch.add(self, other, alpha=alpha)


def softmax(self, dim, dtype=None):
    return torch.softmax(self, dim, dtype=dtype)


def gelu(self, *, approximate="none"):
    return F.gelu(self, approximate=approximate)


def matmul(self, other):
    return torch.matmul(self, other)


def bmm(self, mat2):
    return torch.bmm(self, mat2)


def linear(input, weight, bias=None):
    return F.linear(input, weight, bias)


def addmm(self, mat1, mat2, *, beta=1, alpha=1):
    return torch.addmm(self, mat1, mat2, beta=beta, alpha=alpha)


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    return F.layer_norm(input, normalized_shape, weight, bias, eps)


def rms_norm(input, normalized_shape, weight=None, eps=None):
    if hasattr(F, "rms_norm"):
        return F.rms_norm(input, normalized_shape, weight, eps)
    count = len(normalized_shape)
    if count == 0 or tuple(input.shape[-count:]) != tuple(normalized_shape):
        raise RuntimeError("Given normalized_shape=%s, expected input with shape [*, %s], but got input of size%s" % (
            list(normalized_shape), ", ".join(map(str, normalized_shape)), list(input.shape)))
    wide = input.float() if input.dtype in (torch.float16, torch.bfloat16) else input
    mean = wide.pow(2).mean(dim=list(range(-count, 0)), keepdim=True)
    scaled = (wide * torch.rsqrt(mean + (torch.finfo(input.dtype).eps if eps is None else eps))).to(input.dtype)
    return scaled if weight is None else scaled * weight


def sum(self, dim=None, keepdim=False, *, dtype=None):
    dims = list(range(self.dim())) if dim is None or len(dim) == 0 else dim
    return torch.sum(self, dims, keepdim, dtype=dtype)


def transpose_copy(self, dim0, dim1):
    return torch.transpose(self, dim0, dim1).clone(memory_format=torch.contiguous_format)


def scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, *, scale=None, enable_gqa=False):
    """Contiguous, as the kernel's result is: torch's own kernels differ in how theirs lies."""
    if not hasattr(F, "scaled_dot_product_attention"):
        return _attention(query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa)
    later = {"scale": scale} if scale is not None else {}
    if enable_gqa:
        later["enable_gqa"] = True
    return F.scaled_dot_product_attention(query, key, value, attn_mask, dropout_p, is_causal, **later).contiguous()


def _repeat_heads(tensor, times):
    """Each head `times` times side by side; repeat_interleave has no form for tensors without data in older releases."""
    return tensor.unsqueeze(-3).expand(*tensor.shape[:-2], times, *tensor.shape[-2:]).flatten(-4, -3)


def _attention(query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa):
    """Its definition in torch's documentation of the function, for torch before 2.0."""
    if is_causal and attn_mask is not None:
        raise RuntimeError("Explicit attn_mask should not be set when is_causal=True")
    if enable_gqa:
        key, value = (_repeat_heads(tensor, query.size(-3) // tensor.size(-3)) for tensor in (key, value))
    if is_causal:
        attn_mask = torch.ones(query.size(-2), key.size(-2), dtype=torch.bool, device=query.device).tril()
    scores = query @ key.transpose(-2, -1) * (1 / math.sqrt(query.size(-1)) if scale is None else scale)
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, -math.inf) if attn_mask.dtype == torch.bool else scores + attn_mask
    return torch.dropout(torch.softmax(scores, -1), dropout_p, True) @ value


def is_channels_last(input, weight):
    """torch's rule for the memory order of a convolution's result: either of them has it."""
    return any(tensor.is_contiguous(memory_format=torch.channels_last) and not tensor.is_contiguous() for tensor in (input, weight)
               if tensor.dim() == 4)


def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """By the rule also where torch's meta function or library of the day does not keep it."""
    out = F.conv2d(input, weight, bias, stride, padding, dilation, groups)
    return out.contiguous(memory_format=torch.channels_last) if out.dim() == 4 and is_channels_last(input, weight) else out
