"""Calls a module: from shapes and parameters to the kernel's argument struct, by the op's own infer() and bind(). No torch here.

Shapes, parameters and the workspace's size are worked out once a problem and kept; a call puts its addresses in and binds.
"""

import ctypes
import json
import threading

from . import abi


class Unsupported(Exception):
    """A request that the kernel does not offer; torch does it."""


class Plan:
    """One problem: `output` (its shape), `workspace_bytes`, and the struct that each call puts its addresses into."""

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
        self._problem, self._pointer, self._bind = problem, ctypes.byref(problem), op.table.bind
        self._tensors = [problem.inputs[i] for i in range(len(shapes))] + [out]
        self._args = ctypes.c_char * op.table.args_bytes
        self._lock = threading.Lock()

    def bind(self, addresses, workspace):
        """The argument struct for these addresses, the output's last. In any thread: what is returned is the caller's."""
        args = self._args()
        with self._lock:
            for tensor, address in zip(self._tensors, addresses):
                tensor.data = address
            self._problem.workspace = workspace
            status = self._bind(self._pointer, args)
        if status != abi.OK:
            raise Unsupported(abi.STATUS[status])
        return args


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
        self._plans = {}

    def plan(self, dtype, shapes, params):
        """The kept plan of a problem. `params`: (name, value) pairs. Raises Unsupported."""
        key = (dtype, shapes, params)
        plan = self._plans.get(key)
        if plan is None:
            plan = Plan(self, dtype, shapes, dict(params))
            if len(self._plans) >= 1024:  # a program with ever new shapes must not grow with them
                self._plans.clear()
            self._plans[key] = plan
        return plan

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
