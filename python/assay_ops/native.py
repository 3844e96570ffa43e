"""The kernels' form of each op: of torch's arguments the Request to a kernel, or Unsupported with a reason, and then torch computes it.

What is said here holds for every call with such numbers and tensors of such dtypes, shapes and strides: addresses and data are not looked at.

A reason is a constant text, since it is said once: no shapes in it. What an argument's value or a shape makes wrong is left to torch,
so that the error is torch's.

Operands as they lie: the kernels take contiguous tensors. Where an op is bound by memory a copy would cost as much as the op, so torch,
which reads strides, does it. Attention copies what is not a slice of a cache of keys, and convolution copies.
"""

import torch

from .calls import Request
from .fallback import is_channels_last
from .kernels import Unsupported


def need(offered, reason):
    if not offered:
        raise Unsupported(reason)


def contiguous(*tensors):
    for tensor in tensors:
        need(tensor.is_contiguous(), "a tensor that is not contiguous")


def _padding_of_rows(view):
    """What lies behind each row of a slice of columns. Its rows are evenly apart."""
    need(view.dim() > 1 and view.stride(-1) == 1 and view.stride(-2) > view.shape[-1], "a tensor that is not contiguous")
    step = view.stride(-2)
    for axis in range(view.dim() - 3, -1, -1):
        need(view.stride(axis) == view.stride(axis + 1) * view.shape[axis + 1], "a tensor that is not contiguous")
    return step - view.shape[-1]


def _elementwise(op, inputs, params):
    """Any memory order that is dense and the same for all: the kernel sees one long row."""
    first = inputs[0]
    need(all(tensor.shape == first.shape for tensor in inputs), "shapes that are broadcast")
    if not all(tensor.is_contiguous() for tensor in inputs):
        need(first.dim() == 4 and all(tensor.is_contiguous(memory_format=torch.channels_last) for tensor in inputs),
             "a tensor that is not contiguous")
    return Request(op, params, ((first.numel(),),) * len(inputs), lambda out: torch.empty_like(first, device="meta"))


def add(self, other, alpha):
    need(isinstance(alpha, (int, float)), "alpha that is not a real number")
    return _elementwise("add", (self, other), {"alpha": float(alpha)})


def gelu(self, approximate):
    need(approximate in ("none", "tanh"), "approximate that is not none or tanh")
    return _elementwise("gelu", (self,), {"approximate": approximate})


def softmax(self, dim, dtype):
    need(dtype in (None, self.dtype), "a dtype other than the input's")
    need(self.dim() > 0, "a scalar")
    if self.is_contiguous():
        return Request("softmax", {"dim": dim}, (self.shape,))
    padding = _padding_of_rows(self)
    need(dim in (-1, self.dim() - 1), "a tensor that is not contiguous")
    return Request("softmax", {"dim": dim, "row_padding": padding}, (self.shape[:-1] + (self.shape[-1] + padding,),))


def _as_it_lies(matrix):
    """The shape of a matrix in memory, whether that is its transpose, and how many elements of each row are none of it."""
    turned = not matrix.is_contiguous() and matrix.dim() == 2 and matrix.stride(0) == 1 and matrix.stride(1) > 1
    if turned:
        matrix = matrix.t()
    padding = 0 if matrix.is_contiguous() else _padding_of_rows(matrix)
    rows = matrix.numel() // matrix.shape[-1] if matrix.shape[-1] else matrix.shape[:-1].numel()
    return (rows, matrix.shape[-1] + padding), int(turned), padding


def _product(a, b, bias=None, arrange=None):
    """[..., k] times [k, n]; either may be a matrix seen transposed."""
    need(a.dim() >= 1 and b.dim() == 2, "a second factor that is not a matrix")
    need(a.shape[-1] == b.shape[0], "shapes that do not fit")
    (of_a, transpose_a, padding_a), (of_b, transpose_b, padding_b) = _as_it_lies(a), _as_it_lies(b)
    shapes, params = (of_a, of_b), {"transpose_a": transpose_a, "transpose_b": transpose_b}
    shape = a.shape[:-1] + b.shape[1:]
    if bias is None:
        return Request("matmul", {**params, "padding_a": padding_a, "padding_b": padding_b}, shapes, lambda out: out.view(shape))
    need(padding_a == 0 and padding_b == 0, "a tensor that is not contiguous")
    need(bias.dim() == 1, "a bias that is not a vector")
    contiguous(bias)
    return Request("matmul_bias_act", {**params, "activation": "none"}, shapes + (bias.shape,), lambda out: out.view(shape), arrange)


def _batch_as_it_lies(matrices):
    """The shape of dense matrices one behind the other in memory, and whether they lie transposed."""
    turned = not matrices.is_contiguous() and matrices.transpose(-2, -1).is_contiguous()
    if turned:
        matrices = matrices.transpose(-2, -1)
    contiguous(matrices)
    return (matrices.shape[:-2].numel(),) + matrices.shape[-2:], int(turned)


def _products(a, b):
    """[..., m, k] times [..., k, n], matrix by matrix."""
    need(a.dim() == b.dim() and a.shape[:-2] == b.shape[:-2], "batches that are broadcast")
    need(a.shape[-1] == b.shape[-2], "shapes that do not fit")
    (of_a, transpose_a), (of_b, transpose_b) = _batch_as_it_lies(a), _batch_as_it_lies(b)
    params, shape = {"transpose_a": transpose_a, "transpose_b": transpose_b, "batch": of_a[0]}, a.shape[:-1] + b.shape[-1:]
    return Request("matmul", params, (of_a, of_b), lambda out: out.view(shape))


def matmul(self, other):
    return _products(self, other) if other.dim() > 2 else _product(self, other)


def bmm(self, mat2):
    need(self.dim() == mat2.dim() == 3, "shapes that do not fit")
    return _products(self, mat2)


def linear(input, weight, bias):
    need(weight.dim() == 2, "a weight that is not a matrix")
    return _product(input, weight.t(), bias)


def addmm(self, mat1, mat2, beta, alpha):
    need(beta == 1 and alpha == 1, "beta or alpha other than 1")
    need(mat1.dim() == 2, "shapes that do not fit")
    return _product(mat1, mat2, self, lambda tensors: (tensors[1], tensors[2], tensors[0]))


def _rows_of(input, normalized_shape):
    """Shapes of the input seen as rows, and of the weight; the last dimensions make up a row."""
    need(isinstance(normalized_shape, (tuple, list)), "a normalized_shape that is no tuple")
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
    contiguous(*vectors)
    padding = 0
    if not input.is_contiguous():
        need(len(normalized_shape) == 1, "a tensor that is not contiguous")
        padding = _padding_of_rows(input)
        shape = (shape[0], shape[1] + padding)
    return Request(op, {"eps": float(eps), "row_padding": padding}, (shape,) + (row,) * len(vectors),
                   lambda out: out.view(input.shape) if padding else torch.empty_like(input, device="meta"))


def layer_norm(input, normalized_shape, weight, bias, eps):
    return _norm("layernorm", input, normalized_shape, (weight, bias), eps)


def rms_norm(input, normalized_shape, weight, eps):
    if eps is None:  # releases of torch differ in what that means for 16-bit types
        need(input.dtype == torch.float32, "no eps for a 16-bit type")
        eps = torch.finfo(input.dtype).eps
    return _norm("rmsnorm", input, normalized_shape, (weight,), eps)


def sum(self, dim, keepdim, dtype):
    need(dtype in (None, self.dtype), "a dtype other than the input's")
    need(self.dim() > 0, "a scalar")
    rank = self.dim()
    dims = sorted(d + rank if d < 0 else d for d in (dim or range(rank)))
    need(dims[0] >= 0 and dims == list(range(dims[0], dims[0] + len(dims))) and dims[-1] < rank, "dimensions that are not neighbours")
    padding = 0
    if not self.is_contiguous():
        need(dims == [rank - 1], "a tensor that is not contiguous")
        padding = _padding_of_rows(self)
    before, within, after = self.shape[:dims[0]], self.shape[dims[0]:dims[-1] + 1], self.shape[dims[-1] + 1:]
    shape = before + (1,) * len(dims) + after if keepdim else before + after
    seen = (before.numel(), within.numel(), after.numel()) if padding == 0 else (before.numel(), within.numel() + padding)
    return Request("reduce_sum", {"dim": 1, "row_padding": padding}, (seen,), lambda out: out.view(shape))


def transpose_copy(self, dim0, dim1):
    rank = self.dim()
    need(rank >= 2 and {dim0 % rank, dim1 % rank} == {rank - 2, rank - 1} and -rank <= min(dim0, dim1) and max(dim0, dim1) < rank,
         "other than the last two dimensions")
    contiguous(self)
    return Request("transpose", {}, (self.shape,))


def _padding_of_keys(key, value):
    """How many rows lie behind those of each head of key and value: of a cache that is not full a slice is taken as it lies. None: a copy is."""
    length, dim, step = key.shape[-2], key.shape[-1], key.stride(-3)
    strides = ((step * key.shape[-3],) if key.dim() == 4 else ()) + (step, dim, 1)
    if dim > 0 and step % dim == 0 and step >= length * dim and key.stride() == value.stride() == strides:
        return step // dim - length
    return None


def scaled_dot_product_attention(query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa):
    need(attn_mask is None, "a mask")
    need(dropout_p == 0.0, "dropout")
    need(scale is None or scale != 0, "a scale of 0")
    need(query.dim() == key.dim() == value.dim() and query.dim() in (3, 4), "shapes without heads")
    heads, key_heads = query.shape[-3], key.shape[-3]
    group = heads // key_heads if enable_gqa and key_heads and heads % key_heads == 0 else 1
    need(query.shape[:-3] == key.shape[:-3] and heads == group * key_heads and key.shape == value.shape and query.shape[-1] == key.shape[-1],
         "shapes of query, key and value that differ in more than length" + (" and heads" if enable_gqa else ""))
    padding = _padding_of_keys(key, value)
    copied = padding is None

    def arrange(tensors):
        query, key, value = tensors
        return (query.contiguous(), key.contiguous(), value.contiguous()) if copied else (query.contiguous(), key, value)
    of_keys = (1,) * (4 - key.dim()) + key.shape[:-2] + (key.shape[-2] + (padding or 0), key.shape[-1])
    params = {"causal": bool(is_causal), "scale": 0.0 if scale is None else float(scale), "group_size": group, "key_padding": padding or 0}
    shape = query.shape
    return Request("mha", params, ((1,) * (4 - query.dim()) + shape, of_keys, of_keys), lambda out: out.view(shape),
                   arrange if copied or not query.is_contiguous() else None)


def conv2d(input, weight, bias, stride, padding, dilation, groups):
    need(input.dim() == 4 and weight.dim() == 4, "an input without a batch")
    need(all(input.shape[1:]) and all(weight.shape), "an image or a filter without elements")  # padding alone is no image
    params = {"groups": groups}
    for name, value in (("stride", stride), ("padding", padding), ("dilation", dilation)):
        pair = [value] if isinstance(value, int) else list(value)
        need(1 <= len(pair) <= 2, "stride, padding or dilation that is no pair")
        params[name], params[name + "_w"] = pair[0], pair[-1]
    last = is_channels_last(input, weight)
    layout, outputs = torch.channels_last if last else torch.contiguous_format, weight.shape[0]
    params["channels_last"] = int(last)
    if bias is not None:
        contiguous(bias)

    def arrange(tensors):
        input, weight, bias = tensors
        return input.contiguous(memory_format=layout), weight.contiguous(memory_format=layout), bias
    shapes = tuple(t.permute(0, 2, 3, 1).shape if last else t.shape for t in (input, weight)) + ((outputs,) if bias is None else bias.shape,)
    as_they_lie = input.is_contiguous(memory_format=layout) and weight.is_contiguous(memory_format=layout)
    return Request("conv2d", params, shapes, (lambda out: out.permute(0, 3, 1, 2)) if last else None, None if as_they_lie else arrange,
                   outputs if bias is None else 0)
