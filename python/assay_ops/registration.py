"""Registers the ops with torch.library: on CPU and CUDA the kernel or torch, under autograd torch where a gradient is required, and shapes
by torch's own meta functions, which torch.compile asks. Nothing newer than torch 1.13 is needed; what later releases add is used where it is.
"""

import functools

import torch
from torch.autograd import forward_ad

from .kernels import Unsupported
from .session import say_once

_INT = "SymInt" if hasattr(torch, "SymInt") and not torch.__version__.startswith("1.") else "int"
_SCHEMAS = """
add(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
softmax(Tensor self, int dim, ScalarType? dtype=None) -> Tensor
gelu(Tensor self, *, str approximate='none') -> Tensor
matmul(Tensor self, Tensor other) -> Tensor
bmm(Tensor self, Tensor mat2) -> Tensor
linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor
addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor
layer_norm(Tensor input, INT[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float eps=1e-05) -> Tensor
rms_norm(Tensor input, INT[] normalized_shape, Tensor? weight=None, float? eps=None) -> Tensor
sum(Tensor self, int[]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor
transpose_copy(Tensor self, int dim0, int dim1) -> Tensor
scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0.0, bool is_causal=False, \
*, float? scale=None, bool enable_gqa=False) -> Tensor
conv2d(Tensor input, Tensor weight, Tensor? bias=None, int[] stride=[1,1], int[] padding=[0,0], int[] dilation=[1,1], int groups=1) -> Tensor
"""

_library = None  # lives as long as the process: dropping it takes the ops away


class BelowAutograd:
    """As a context, in every release: in 1.13 the guard works from its making to its end, later between enter and exit."""

    def __enter__(self):
        self.guard = torch._C._AutoDispatchBelowAutograd()
        if hasattr(self.guard, "__enter__"):
            self.guard.__enter__()

    def __exit__(self, *error):
        if hasattr(self.guard, "__exit__"):
            self.guard.__exit__(*error)
        del self.guard


def _is_forward_mode():
    return forward_ad._current_level >= 0


def _needs_gradient(args):
    if torch.is_grad_enabled():
        for arg in args:
            if isinstance(arg, torch.Tensor) and arg.requires_grad:
                return True
    return _is_forward_mode()


def _kernel_or_torch(name, native, fallback):
    @functools.wraps(fallback)
    def call(*args, **named):
        try:
            return native(*args, **named)
        except Unsupported as unsupported:
            reason = str(unsupported)
        result = fallback(*args, **named)  # raises where the arguments are wrong, and then there is nothing to say
        say_once(name, reason)
        return result
    return call


def _under_autograd(name, op, fallback):
    @functools.wraps(fallback)
    def call(*args, **named):
        if _needs_gradient(args):
            result = fallback(*args, **named)
            say_once(name, "a gradient is required")
            return result
        with BelowAutograd():
            return op(*args, **named)
    return call


_is_compiling = getattr(getattr(torch, "compiler", None), "is_compiling", lambda: False)
_modes = getattr(torch._C, "_len_torch_dispatch_stack", lambda: 0)
_transform_level = getattr(getattr(torch._C, "_functorch", None), "maybe_current_level", lambda: None)
_PLAIN = (torch.Tensor, torch.nn.Parameter)


def _is_plain(args):
    """Nothing that the dispatcher would do: no gradient, trace, mode, transform or subclass."""
    if _is_compiling() or torch.jit.is_tracing() or _modes() or _transform_level() is not None or _is_forward_mode():
        return False
    grad = torch.is_grad_enabled()
    for arg in args:
        if isinstance(arg, torch.Tensor) and (type(arg) not in _PLAIN or grad and arg.requires_grad or not (arg.is_cpu or arg.is_cuda)):
            return False
    return True


def _quick(op, direct):
    """The op without the dispatcher where that has nothing to do: it costs as much as the rest of a call."""
    @functools.wraps(direct)
    def call(*args, **named):
        return direct(*args, **named) if _is_plain(args) else op(*args, **named)
    return call


def register(native, fallback):
    """{name: function}, each also in torch.ops.assay. `native` and `fallback`: modules with a function of each name."""
    global _library
    _library = torch.library.Library("assay", "DEF")
    tag = getattr(torch.Tag, "pt2_compliant_tag", None) if hasattr(torch, "Tag") else None
    functions = {}
    for schema in _SCHEMAS.strip().splitlines():
        name = schema.partition("(")[0]
        schema = schema.replace("INT", _INT)
        _library.define(schema, tags=(tag,)) if tag is not None else _library.define(schema)
        op, plain = getattr(torch.ops.assay, name).default, getattr(fallback, name)
        direct = _kernel_or_torch(name, getattr(native, name), plain)
        for key in ("CPU", "CUDA"):
            _library.impl(name, direct, key)
        _library.impl(name, plain, "Meta")
        _library.impl(name, _under_autograd(name, op, plain), "Autograd")
        functions[name] = _quick(op, direct)
    return functions
