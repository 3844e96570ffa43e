"""A call of an op: what arguments of one kind need is worked out at the first of them and kept in the session; a later call allocates the
result, puts addresses into the argument struct and launches. The kind: numbers, and each tensor's dtype, shape, strides and device.
"""

import numbers

import torch

from . import kernels
from .kernels import Unsupported
from .session import current_device, say_once, session

DTYPES = {torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16"}
kept_zeros = {}  # see _zeros(); of no session, as a captured graph holds their addresses
KEPT = 4096  # kinds of calls; a program with ever new shapes must not grow with them
_PLAIN = frozenset((torch.Tensor, torch.nn.Parameter))
_VALUES = frozenset((int, str, type(None), tuple, torch.Size, torch.dtype))
_BOOLS = object(), object()
_is_grad_enabled = torch.is_grad_enabled

if hasattr(torch, "get_autocast_dtype"):  # 2.4 and later
    _autocast = torch.is_autocast_enabled
else:
    def _autocast(kind):
        return torch.is_autocast_cpu_enabled() if kind == "cpu" else torch.is_autocast_enabled()


def _new_empty(kind):
    """torch.empty_strided(shape, strides, dtype) for the CPU, or for the current GPU: as compiled graphs allocate, where torch has that."""
    quick = getattr(getattr(getattr(torch._C, "_dynamo", None), "guards", None), "_empty_strided_" + kind, None)
    return quick or (lambda shape, strides, dtype: torch.empty_strided(shape, strides, dtype=dtype, device=kind))


class Request:
    """What native.py asks for: the assay op, its parameters and the inputs' shapes as the kernel is told them. `result`: of a meta tensor that
    lies as the kernel's output does, torch's view of it; None: the same. `arrange`: of a call's tensors the kernel's inputs; None: the same.
    `zeros`: elements of a vector of zeros behind the call's tensors; 0: none."""

    def __init__(self, op, params, shapes, result=None, arrange=None, zeros=0):
        self.op, self.params, self.shapes, self.result, self.arrange, self.zeros = op, params, shapes, result, arrange, zeros


class Call:
    """A kernel and a plan for calls of one kind."""

    __slots__ = ("kernel", "name", "device", "dtype", "arrange", "zeros", "empty", "shape", "strides", "order", "pack", "constants", "workspace")

    def __init__(self, here, request, tensors):
        first = tensors[0]
        self.dtype, self.device, name = first.dtype, first.device, DTYPES.get(first.dtype)
        if name is None:
            raise Unsupported("dtype %s" % first.dtype)
        if self.device.type != here.device:
            raise Unsupported("a tensor on %s, and the build is for the device %s" % (self.device.type, here.device))
        if any(tensor.dtype != first.dtype or tensor.device != self.device for tensor in tensors):
            raise Unsupported("tensors of different dtypes or devices")
        self.kernel = here.kernel(request.op, name)
        plan = kernels.Plan(self.kernel.op, name, request.shapes, request.params)
        result = torch.empty(plan.output, device="meta")
        if request.result is not None:
            result = request.result(result)
        self.shape, self.strides, self.arrange, self.zeros = tuple(result.shape), result.stride(), request.arrange, request.zeros
        self.name = "%s %s %s" % (request.op, self.kernel.choice.variant, name)
        self.order, self.pack, self.constants = plan.order, plan.pack, plan.constants
        self.empty = _new_empty(here.device)
        self.workspace = (plan.workspace_bytes + 255,) if plan.workspace_bytes else None  # on a CPU torch aligns to 64


class Function:
    """One of torch's functions. `native`: its Request, or Unsupported; `fallback`: torch's own form. `schema`: torch's, of its arguments."""

    def __init__(self, name, native, fallback, schema):
        self.name, self.native, self.fallback = name, native, fallback
        self.named = [arg.name for arg in schema.arguments if arg.kwarg_only]  # they end `args`
        self.types = [str(arg.type) for arg in schema.arguments]

    def apply(self, function, args):
        """A function of torch's signature, on arguments that are all in order."""
        if not self.named:
            return function(*args)
        count = len(args) - len(self.named)
        return function(*args[:count], **dict(zip(self.named, args[count:])))

    def need_types(self, args):
        """Tensors where tensors belong, and only there; no bool where a number does."""
        for arg, kind in zip(args, self.types):
            is_tensor = isinstance(arg, torch.Tensor)
            if type(arg) is bool and kind in ("number", "int", "float") or \
                    is_tensor != kind.endswith(("Tensor", "Tensor]")) and not (arg is None and kind.startswith("Optional")):
                raise Unsupported("an argument of another type")

    def by_torch(self, args, reason):
        result = self.apply(self.fallback, args)  # raises where the arguments are wrong, and then there is nothing to say
        say_once(self.name, reason)
        return result


def _kind(function, args, dispatched):
    """(key, tensors, their addresses), or None for the dispatcher: it knows of gradients, views and types that are none of a kernel's."""
    key, tensors, addresses = [function], [], []
    grad = dispatched is not None and _is_grad_enabled()
    for arg in args:
        kind = type(arg)
        if kind in _PLAIN or dispatched is None and isinstance(arg, torch.Tensor):
            if dispatched and (grad and arg.requires_grad or arg.is_neg()):
                return None
            key += (arg.dtype, arg.shape, arg.stride(), arg.device)
            tensors.append(arg)
            addresses.append(arg.data_ptr())
        elif kind in _VALUES:
            key.append(arg)
        elif kind is float:
            key.append(arg or repr(arg))  # -0.0 equals 0.0
        elif kind is bool:
            key.append(_BOOLS[arg])  # True equals 1
        elif kind is list:
            key.append(tuple(arg))
        elif dispatched and (hasattr(kind, "__torch_function__") or isinstance(arg, numbers.Number)):
            return None
        else:
            raise Unsupported("an argument of type %s" % kind.__name__)
    return tuple(key), tensors, addresses


def compute(function, args, dispatched, eager=False):
    """By the kernel, or by torch where none is offered. `dispatched`: does the same through torch's dispatcher, or the rest of it; None: that is
    where the call comes from. `eager`: no graph made the call."""
    try:
        found = _kind(function, args, dispatched)
        if found is not None:
            here = session()
            call = here.calls.get(found[0])
    except Unsupported as unsupported:
        return function.by_torch(args, str(unsupported))
    except (RuntimeError, TypeError):  # or no address, or a list in a list, of which torch says what is wrong
        return function.by_torch(args, "a tensor without strides")
    if found is None:
        return dispatched(args)
    key, tensors, addresses = found
    if call is None:
        if dispatched and not all(tensor.is_cpu or tensor.is_cuda for tensor in tensors):
            return dispatched(args)
        call = _prepare(here, function, args, tensors, key)
    if type(call) is str:
        return function.by_torch(args, call)
    try:
        return _launch(here, call, tensors, addresses, eager)
    except Unsupported as unsupported:
        return function.by_torch(args, str(unsupported))


def _prepare(here, function, args, tensors, key):
    """The Call for this kind, or the reason why there is none; kept."""
    try:
        function.need_types(args)
        call = Call(here, function.native(*args), tensors)
    except Unsupported as unsupported:
        call = str(unsupported)
    if len(here.calls) >= KEPT:
        here.calls.clear()
    here.calls[key] = call
    return call


def _zeros(call, like, eager):
    """Zeros of a call's device and dtype, at least as many as it needs. Filling them takes as long as the rest of a call, so they are kept and
    never change; but not what a graph's pool of memory owns, of a stream that is captured or of a compiled graph."""
    count = max(4096, 1 << (call.zeros - 1).bit_length())
    key = call.device, call.dtype, count
    zeros = kept_zeros.get(key)
    if zeros is None:
        zeros = like.new_zeros(count)
        if eager and not (zeros.is_cuda and torch.cuda.is_current_stream_capturing()):
            if zeros.is_cuda:
                torch.cuda.current_stream().synchronize()  # other streams will read them
            kept_zeros[key] = zeros
    return zeros


def _launch(here, call, tensors, addresses, eager):
    if _autocast(here.device):
        raise Unsupported("autocast is on")
    if call.device.index is not None and call.device.index != current_device():
        with torch.cuda.device(call.device):
            return _launch(here, call, tensors, addresses, eager)
    if call.zeros:
        tensors.append(_zeros(call, tensors[0], eager))
        addresses.append(tensors[-1].data_ptr())
    if call.arrange is not None:
        tensors = call.arrange(tensors)
        addresses = [tensor.data_ptr() for tensor in tensors]
    output = call.empty(call.shape, call.strides, call.dtype)
    addresses.append(output.data_ptr())
    bits = 0
    for address in addresses:
        bits |= address
    if bits & 15:
        raise Unsupported("a tensor that does not start at a multiple of 16 bytes")
    if call.workspace:
        scratch = call.empty(call.workspace, (1,), torch.uint8)
        addresses.append((scratch.data_ptr() + 255) & -256)
    try:
        status = here.launch(call.kernel, call.pack(*call.order(addresses + call.constants)), call.device.index)
        if status:
            kernels.check(status)
    except RuntimeError as error:
        raise RuntimeError("assay_ops: %s: %s" % (call.name, error)) from None
    return output
