"""Calls a module: from shapes and parameters to the kernel's argument struct, by the op's own infer() and bind(). No torch here.

Both run when a problem is first met. A call only puts its addresses where bind() put those of the trial.
"""

import ctypes
import itertools
import json
import operator
import struct
import threading

from . import abi

# Addresses to bind with: of the first tensor, and from each to the next. Those of the two trials differ in both halves of a word, and no
# distance between two tensors is the same in both.
TRIALS = ((1 << 40 | 1 << 28, 1 << 12), (1 << 41 | 1 << 29, 1 << 20))


class Unsupported(Exception):
    """A request that the kernel does not offer; torch does it."""


class Plan:
    """One problem: `output` (its shape), `workspace_bytes`, and how its argument struct is written. Read by any thread at once."""

    def __init__(self, op, dtype, shapes, params):
        problem = abi.Problem(dtype=abi.DTYPES[dtype], input_count=len(shapes), output_count=1)
        for tensor, shape in zip(problem.inputs, shapes):
            _describe(tensor, dtype, shape)
        op.fill_params(problem, params)
        if op.table.infer(ctypes.byref(problem), ctypes.byref(problem.outputs), None) != abi.OK:
            raise Unsupported("shapes or parameters that the op does not have")
        out = problem.outputs[0]
        self.output = tuple(out.shape[:out.rank])
        self.workspace_bytes = op.table.workspace_bytes(ctypes.byref(problem)) if op.table.workspace_bytes else 0
        problem.workspace_bytes = self.workspace_bytes
        count = len(shapes) + 1
        trials = [_bind(op.table, problem, count, *trial) for trial in TRIALS]
        self._write_from(_fields(trials, count + (self.workspace_bytes > 0)), count + (self.workspace_bytes > 0))

    def _write_from(self, fields, count):
        """Runs of constants become one piece each; `order` picks from the addresses and, behind them, the pieces."""
        self.constants, order, layout = [], [], "="
        for kind, run in itertools.groupby(fields, type):
            if kind is int:
                indices = list(run)
                order += indices
                layout += "%dQ" % len(indices)
            else:
                order.append(count + len(self.constants))
                self.constants.append(b"".join(run))
                layout += "%ds" % len(self.constants[-1])
        self.order, self.pack = operator.itemgetter(*order), struct.Struct(layout).pack

    def arguments(self, addresses):
        """The argument struct for the addresses of the inputs, the output and, if the plan has one, the workspace."""
        return self.pack(*self.order(addresses + self.constants))


def _bind(table, problem, count, first, apart):
    """The words of the argument struct for tensors and a workspace from the address `first` on."""
    for i, tensor in enumerate([*problem.inputs[:count - 1], problem.outputs[0]]):
        tensor.data = first + i * apart
    problem.workspace = first + count * apart if problem.workspace_bytes else None
    args = ctypes.create_string_buffer(table.args_bytes)
    status = table.bind(ctypes.byref(problem), args)
    if status != abi.OK:
        raise Unsupported(abi.STATUS[status])
    return struct.unpack("=%dQ" % (table.args_bytes // 8), args.raw)


def _fields(trials, count):
    """Of each word of the struct the index of the address that it holds, or its bytes."""
    fields = []
    for word, other in zip(*trials):
        index = (word - TRIALS[0][0]) // TRIALS[0][1]
        if 0 <= index < count and (word, other) == tuple(first + index * apart for first, apart in TRIALS):
            fields.append(index)
        elif (word ^ other) >> 32 and (word ^ other) & 0xffffffff:  # in one half alone what differs is padding
            raise Unsupported("arguments that are worked out from addresses")
        else:
            fields.append(struct.pack("=Q", word))
    return fields


def _describe(tensor, dtype, shape):
    if len(shape) > abi.MAX_RANK:
        raise Unsupported("more than %d dimensions" % abi.MAX_RANK)
    tensor.dtype, tensor.rank = abi.DTYPES[dtype], len(shape)
    tensor.shape[:len(shape)] = shape


class Op:
    """What reference.c and op.json say of an op. OSError: its library cannot be loaded."""

    def __init__(self, directory, reference):
        self.params = json.loads((directory / "op.json").read_text()).get("params", [])
        self._library = ctypes.CDLL(str(reference))
        self._library.assay_op_get.restype = ctypes.POINTER(abi.OpImpl)
        self.table = self._library.assay_op_get().contents
        if self.table.abi != abi.OP_ABI:
            raise OSError("%s has interface %d of an op, this package knows %d" % (reference, self.table.abi, abi.OP_ABI))

    def fill_params(self, problem, values):
        problem.param_count = len(self.params)
        for param, about in zip(problem.params, self.params):
            value = values.get(about["name"], about["default"])
            param.name, param.type = about["name"].encode(), abi.PARAM_TYPES[about["type"]]
            if param.type == abi.TEXT:
                param.text = value.encode()
            else:
                param.real = float(value) if param.type == abi.REAL else 0.0
                param.integer = int(value) if param.type != abi.REAL else 0


class CpuRuntime:
    """The CPU device: its own stream, and one launch at a time, since each takes all cores. Errors are known when a call returns."""

    def __init__(self, library):
        class Control(ctypes.Structure):  # device/cpu/runtime/control.h
            _fields_ = [("set_options", ctypes.c_void_p),
                        ("take_error", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t)),
                        ("take_order_shown", ctypes.c_void_p), ("open_stream", ctypes.CFUNCTYPE(ctypes.c_void_p)),
                        ("close_stream", ctypes.c_void_p), ("finish_stream", ctypes.CFUNCTYPE(None, ctypes.c_void_p))]

        runtime = ctypes.CDLL(library)
        runtime.simt_take_control.restype = ctypes.POINTER(Control)
        control = runtime.simt_take_control()
        if not control:
            raise OSError("the CPU device of this process has another owner already")
        self._control, self._runtime = control.contents, runtime
        self._stream = self._control.open_stream()
        self._lock = threading.Lock()

    def launch(self, run, args):
        message = ctypes.create_string_buffer(512)
        with self._lock:
            status = run(args, self._stream)
            self._control.finish_stream(self._stream)
            failed = self._control.take_error(message, len(message))
        if failed:
            raise RuntimeError(message.value.decode(errors="replace"))
        return status


class Kernel:
    """A loaded module, with its op. Never unloaded: launches may be under way, and graphs keep its code."""

    def __init__(self, op_name, op, choice):
        self.op, self.choice = op, choice
        self.library = ctypes.CDLL(str(choice.library))
        self.run = getattr(self.library, op_name + "_run")
        self.run.argtypes = [ctypes.c_void_p, ctypes.c_void_p]


def check(status):
    """Turn what a launch returned into an exception."""
    if status == abi.UNSUPPORTED:
        raise Unsupported("the kernel does not offer this problem")
    if status != abi.OK:
        raise RuntimeError(abi.STATUS[status] if 0 <= status < len(abi.STATUS) else "status %d" % status)
