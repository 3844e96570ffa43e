"""Registers the ops with torch.library: on CPU and CUDA the kernel or torch, under autograd torch where a gradient is required, and shapes
by torch's own meta functions, which torch.compile asks. Nothing newer than torch 1.13 is needed; what later releases add is used where it is.
"""

import torch
from torch.autograd import forward_ad

from .calls import Function, compute

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


_is_compiling = getattr(getattr(torch, "compiler", None), "is_compiling", lambda: False)
_is_tracing = torch._C._is_tracing
_modes = getattr(torch._C, "_len_torch_dispatch_stack", lambda: 0)
_function_modes = getattr(torch._C, "_len_torch_function_stack", lambda: 0)
_transform_level = getattr(getattr(torch._C, "_functorch", None), "maybe_current_level", lambda: None)


def _is_special():
    """Whether torch's dispatcher would do something whatever the arguments: a trace, mode, transform or forward mode."""
    return _is_compiling() or _is_tracing() or _modes() or _function_modes() or _transform_level() is not None or _is_forward_mode()


def _in_order(schema):
    """A function of (args, named) as the dispatcher passes them, without the defaults: all of the schema's arguments in order."""
    about = [(arg.name, arg.default_value) for arg in schema.arguments]

    def in_order(args, named):
        return args + tuple([named.get(name, default) for name, default in about[len(args):]])
    return in_order


def _entries(function, op):
    """(for the user, with all arguments in order; for the dispatcher under autograd; for the dispatcher on a device). The first two go without
    the dispatcher where that has nothing to do: it costs more than the rest of a call."""
    in_order = _in_order(op._schema)

    def dispatched(args):
        return function.apply(op, args)

    def dispatched_below(args):
        with BelowAutograd():
            return function.apply(op, args)

    def quick(*args):
        return dispatched(args) if _is_special() else compute(function, args, dispatched, True)

    def under_autograd(*args, **named):
        args = in_order(args, named)
        if _needs_gradient(args):
            return function.by_torch(args, "a gradient is required")
        return dispatched_below(args) if _is_special() else compute(function, args, dispatched_below)

    def on_device(*args, **named):
        return compute(function, in_order(args, named), None)
    return quick, under_autograd, on_device


def register(native, fallback):
    """{name: function of all its arguments in order}, each also in torch.ops.assay. `native` and `fallback`: modules with a function of each
    name."""
    global _library
    _library = torch.library.Library("assay", "DEF")
    tag = getattr(torch.Tag, "pt2_compliant_tag", None) if hasattr(torch, "Tag") else None
    functions = {}
    for schema in _SCHEMAS.strip().splitlines():
        name = schema.partition("(")[0]
        schema = schema.replace("INT", _INT)
        _library.define(schema, tags=(tag,)) if tag is not None else _library.define(schema)
        op, plain = getattr(torch.ops.assay, name).default, getattr(fallback, name)
        functions[name], under_autograd, on_device = _entries(Function(name, getattr(native, name), plain, op._schema), op)
        for key in ("CPU", "CUDA"):
            _library.impl(name, on_device, key)
        _library.impl(name, plain, "Meta")
        _library.impl(name, under_autograd, "Autograd")
    return functions
