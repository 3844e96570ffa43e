"""The kernels' form of each op: torch's arguments to the kernel's, or Unsupported with a reason, and then torch computes it.

A reason is a constant text, since it is said once: no shapes in it. What an argument's value or a shape makes wrong is left to torch,
so that the error is torch's.

Operands as they lie: the kernels take contiguous tensors. Where an op is bound by memory a copy would cost as much as the op, so torch,
which reads strides, does it. Attention and convolution copy.
"""

import torch

from .fallback import is_channels_last
from .kernels import Unsupported
from .session import run


def need(offered, reason):
    if not offered:
        raise Unsupported(reason)


def contiguous(*tensors):
    for tensor in tensors:
        need(tensor.is_contiguous(), "a tensor that is not contiguous")


def _elementwise(op, inputs, params):
    """Any memory order that is dense and the same for all: the kernel sees one long row."""
    first = inputs[0]
    need(all(tensor.shape == first.shape for tensor in inputs), "shapes that are broadcast")
    if not all(tensor.is_contiguous() for tensor in inputs):
        need(first.dim() == 4 and all(tensor.is_contiguous(memory_format=torch.channels_last) for tensor in inputs),
             "a tensor that is not contiguous")
    return run(op, inputs, params, ((first.numel(),),) * len(inputs), torch.empty_like(first))


def add(self, other, *, alpha=1):
    need(isinstance(alpha, (int, float)), "alpha that is not a real number")
    return _elementwise("add", (self, other), (("alpha", float(alpha)),))


def gelu(self, *, approximate="none"):
    need(approximate in ("none", "tanh"), "approximate that is not none or tanh")
    return _elementwise("gelu", (self,), (("approximate", approximate),))


def softmax(self, dim, dtype=None):
    need(dtype in (None, self.dtype), "a dtype other than the input's")
    need(self.dim() > 0, "a scalar")
    contiguous(self)
    return run("softmax", (self,), (("dim", dim),))


def _as_it_lies(matrix):
    """The shape of a dense matrix in memory, and whether that is its transpose."""
    if not matrix.is_contiguous() and matrix.dim() == 2 and matrix.t().is_contiguous():
        return tuple(matrix.t().shape), 1
    contiguous(matrix)
    rows = matrix.numel() // matrix.shape[-1] if matrix.shape[-1] else matrix.shape[:-1].numel()
    return (rows, matrix.shape[-1]), 0


def _product(a, b, bias=None):
    """[..., k] times [k, n]; either may be a matrix seen transposed."""
    need(a.dim() >= 1 and b.dim() == 2, "a second factor that is not a matrix")
    need(a.shape[-1] == b.shape[0], "shapes that do not fit")
    (of_a, transpose_a), (of_b, transpose_b) = _as_it_lies(a), _as_it_lies(b)
    shapes, params = (of_a, of_b), (("transpose_a", transpose_a), ("transpose_b", transpose_b))
    if bias is None:
        out = run("matmul", (a, b), params, shapes)
    else:
        need(bias.dim() == 1, "a bias that is not a vector")
        contiguous(bias)
        out = run("matmul_bias_act", (a, b, bias), (("activation", "none"),) + params, shapes + (tuple(bias.shape),))
    return out.view(a.shape[:-1] + b.shape[1:])


def matmul(self, other):
    return _product(self, other)


def linear(input, weight, bias=None):
    need(weight.dim() == 2, "a weight that is not a matrix")
    return _product(input, weight.t(), bias)


def addmm(self, mat1, mat2, *, beta=1, alpha=1):
    need(beta == 1 and alpha == 1, "beta or alpha other than 1")
    need(mat1.dim() == 2, "shapes that do not fit")
    return _product(mat1, mat2, self)


def _rows_of(input, normalized_shape):
    """Shapes of the input seen as rows, and of the weight; the last dimensions make up a row."""
    count = len(normalized_shape)
    need(count > 0 and tuple(input.shape[-count:]) == tuple(normalized_shape), "shapes that do not fit")
    length = 1
    for size in normalized_shape:
        length *= size
    return (input.shape[:-count].numel(), length), (length,)


def _norm(op, input, normalized_shape, vectors, eps):
    shape, row = _rows_of(input, normalized_shape)
    need(all(vector is not None for vector in vectors), "no weight or no bias")
    need(all(tuple(vector.shape) == tuple(normalized_shape) for vector in vectors), "shapes that do not fit")
    contiguous(input, *vectors)
    return run(op, (input,) + vectors, (("eps", float(eps)),), (shape,) + (row,) * len(vectors), torch.empty_like(input))


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    return _norm("layernorm", input, normalized_shape, (weight, bias), eps)


def rms_norm(input, normalized_shape, weight=None, eps=None):
    if eps is None:  # releases of torch differ in what that means for 16-bit types
        need(input.dtype == torch.float32, "no eps for a 16-bit type")
        eps = torch.finfo(input.dtype).eps
    return _norm("rmsnorm", input, normalized_shape, (weight,), eps)


def sum(self, dim=None, keepdim=False, *, dtype=None):
    need(dtype in (None, self.dtype), "a dtype other than the input's")
    need(self.dim() > 0, "a scalar")
    rank = self.dim()
    dims = sorted(d + rank if d < 0 else d for d in (dim or range(rank)))
    need(dims[0] >= 0 and dims == list(range(dims[0], dims[0] + len(dims))) and dims[-1] < rank, "dimensions that are not neighbours")
    contiguous(self)
    before, within, after = self.shape[:dims[0]], self.shape[dims[0]:dims[-1] + 1], self.shape[dims[-1] + 1:]
    out = run("reduce_sum", (self,), (("dim", 1),), ((before.numel(), within.numel(), after.numel()),))
    return out.view(before + (1,) * len(dims) + after if keepdim else before + after)


def transpose_copy(self, dim0, dim1):
    rank = self.dim()
    need(rank >= 2 and {dim0 % rank, dim1 % rank} == {rank - 2, rank - 1} and -rank <= min(dim0, dim1) and max(dim0, dim1) < rank,
         "other than the last two dimensions")
    contiguous(self)
    return run("transpose", (self,))


def scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, *, scale=None, enable_gqa=False):
    need(attn_mask is None, "a mask")
    need(dropout_p == 0.0, "dropout")
    need(scale is None or scale != 0, "a scale of 0")
    need(query.dim() == key.dim() == value.dim() and query.dim() in (3, 4), "shapes without heads")
    heads, key_heads = query.shape[-3], key.shape[-3]
    group = heads // key_heads if enable_gqa and key_heads and heads % key_heads == 0 else 1
    need(query.shape[:-3] == key.shape[:-3] and heads == group * key_heads and key.shape == value.shape and query.shape[-1] == key.shape[-1],
         "shapes of query, key and value that differ in more than length" + (" and heads" if enable_gqa else ""))
    tensors = tuple(tensor.contiguous() for tensor in (query, key, value))
    shapes = tuple((1,) * (4 - tensor.dim()) + tuple(tensor.shape) for tensor in tensors)
    out = run("mha", tensors, (("causal", bool(is_causal)), ("scale", 0.0 if scale is None else float(scale)), ("group_size", group)), shapes)
    return out.view(query.shape)


def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    need(input.dim() == 4 and weight.dim() == 4, "an input without a batch")
    values = []
    for name, value in (("stride", stride), ("padding", padding), ("dilation", dilation)):
        pair = [value] if isinstance(value, int) else list(value)
        need(1 <= len(pair) <= 2 and pair[0] == pair[-1], "stride, padding or dilation that differ by direction")
        values.append((name, pair[0]))
    last = is_channels_last(input, weight)
    layout = torch.channels_last if last else torch.contiguous_format
    input, weight = input.contiguous(memory_format=layout), weight.contiguous(memory_format=layout)
    if bias is None:
        bias = torch.zeros(weight.shape[0], dtype=input.dtype, device=input.device)
    contiguous(bias)
    shapes = tuple(tuple(t.permute(0, 2, 3, 1).shape if last else t.shape) for t in (input, weight)) + (tuple(bias.shape),)
    out = run("conv2d", (input, weight, bias), tuple(values) + (("groups", groups), ("channels_last", int(last))), shapes)
    return out.permute(0, 3, 1, 2) if last else out
