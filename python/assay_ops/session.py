"""The build in use, and a launch of one of its kernels on torch's current stream."""

import ctypes
import os
import sys
import threading
import warnings

import torch

from . import kernels
from .kernels import Unsupported
from .workspace import Unavailable, Workspace


class AssayFallback(UserWarning):
    """torch computed what no kernel offers. Given once for each op and reason."""


class Session:
    """A build whose kernels are loaded when they are first needed. `calls`: what calls.py keeps of the calls so far."""

    def __init__(self, build):
        self.workspace = Workspace(build)
        self.device = self.workspace.device
        if self.device not in ("cpu", "cuda"):
            raise ValueError("%s is a build for the device %s; this package runs cpu and cuda" % (build, self.device))
        self._lock = threading.Lock()
        self._ops, self._kernels, self._cpu, self.calls = {}, {}, None, {}

    def kernel(self, op, dtype):
        """The Kernel of an op and dtype, or Unsupported, which is kept, too."""
        found = self._kernels.get((op, dtype))
        if found is None:
            with self._lock:
                found = self._kernels.get((op, dtype))
                if found is None:
                    found = self._kernels[op, dtype] = self._load(op, dtype)
        if isinstance(found, str):
            raise Unsupported(found)
        return found

    def _load(self, op, dtype):
        try:
            choice = self.workspace.choose(op, dtype)
            if op not in self._ops:
                self._ops[op] = kernels.Op(*self.workspace.ops[op])
            if self.device == "cpu" and self._cpu is None:
                self._cpu = _cpu_runtime(choice.library)
            return kernels.Kernel(op, self._ops[op], choice)
        except Unavailable as reason:
            return str(reason)
        except (OSError, AttributeError) as error:
            return "its kernel cannot be loaded: %s" % error

    def launch(self, kernel, args, index):
        """On the current stream of the GPU of that index, which is the current one, or on the CPU device."""
        if self._cpu is not None:
            return self._cpu.launch(kernel.run, args)
        return kernel.run(args, _raw_stream(index))

    def loaded(self):
        """{(op, dtype): "VARIANT, ..." or the reason why there is none}."""
        def tell(found):
            if isinstance(found, str):
                return "torch: " + found
            choice = found.choice
            return "%s, %s" % (choice.variant, "fastest at %d sizes" % choice.timed if choice.timed else "not timed")
        return {key: tell(found) for key, found in sorted(self._kernels.items())}


_cpu_runtimes = {}


def _cpu_runtime(library):
    """The CPU device of this process, whichever build asks. The module brings the runtime that it links; this names the same one."""
    ctypes.CDLL(str(library))
    if "libassay_simt.so" not in _cpu_runtimes:
        _cpu_runtimes["libassay_simt.so"] = kernels.CpuRuntime("libassay_simt.so")
    return _cpu_runtimes["libassay_simt.so"]


# torch.cuda's forms of these first look whether CUDA is initialized, which it is where a tensor lies on a GPU.
current_device = getattr(torch._C, "_cuda_getDevice", torch.cuda.current_device)
_raw_stream = getattr(torch._C, "_cuda_getCurrentRawStream", lambda index: torch.cuda.current_stream(index).cuda_stream)


_session, _none, _session_lock = None, None, threading.Lock()


def use(build):
    """Take kernels from this build of Assay from now on. ValueError: it is none."""
    global _session, _none
    fresh = Session(build)
    with _session_lock:
        _session, _none = fresh, None


def session():
    """The one in use; the first time that of $ASSAY_BUILD. Unsupported: none."""
    global _session, _none
    if _session is None:
        with _session_lock:
            if _session is None and _none is None:
                try:
                    _session = Session(os.environ["ASSAY_BUILD"])
                except KeyError:
                    _none = "no build of Assay is named: set ASSAY_BUILD or call assay_ops.use()"
                except ValueError as error:
                    _none = str(error)
        if _session is None:
            raise Unsupported(_none)
    return _session


_said = set()


def say_once(op, reason):
    """At the line of the user's program."""
    if (op, reason) not in _said:
        _said.add((op, reason))
        level, frame, not_theirs = 1, sys._getframe(), (os.path.dirname(__file__), os.path.dirname(torch.__file__))
        while frame is not None and frame.f_code.co_filename.startswith(not_theirs):
            level, frame = level + 1, frame.f_back
        warnings.warn("assay_ops.%s: torch computes this: %s" % (op, reason), AssayFallback, stacklevel=level)
