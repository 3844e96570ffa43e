"""An op of torch or Triton with its tensors on the GPU, ready to be timed: what bench/baselines/torch/torch_baseline.py prepares and measures.

Which call is made is torch_ops.py's, how it is timed torch_timing.py's.
"""

import sys

import torch_caches
import torch_ops
import torch_timing

MODES = ("eager", "compile", "triton")
MATH_MODES = ("ieee", "tf32")
COMPILE_MODE = "max-autotune-no-cudagraphs"


def use_math_mode(torch, math_mode):
    """A setting of the whole process, so it is made before every use of a problem: connections alternate. Convolutions try cuDNN's algorithms
    and keep the fastest."""
    tf32 = math_mode == "tf32"
    torch.set_float32_matmul_precision("high" if tf32 else "highest")
    torch.backends.cuda.matmul.allow_tf32 = tf32
    torch.backends.cudnn.allow_tf32 = tf32
    torch.backends.cudnn.benchmark = True


def load_triton():
    try:
        import torch_triton
    except ImportError as failure:
        raise ValueError("no Triton in this Python (%s): %s" % (sys.executable, failure))
    return torch_triton


def warm_compiler(torch):
    """The compiler's first use imports it and starts its helpers. What is wrong with it is told by the first problem that needs it."""
    torch_caches.forget_choices()
    try:
        compiled = torch.compile(lambda x: torch.add(x, x), mode=COMPILE_MODE, dynamic=False, fullgraph=True)
        compiled(torch.zeros((1024,), dtype=torch.float32, device="cuda"))
        torch.cuda.synchronize()
    except Exception as failure:
        print("warming torch.compile failed: %s" % failure, file=sys.stderr)


def compile_plain(torch, op, params, mode=COMPILE_MODE):
    """The op as one compiled function of its inputs."""
    def plain(*inputs):
        return op.call(torch, inputs, params)

    torch_caches.forget_choices()
    try:  # the tables of autotuning would run through the benchmark's own progress
        from torch._inductor import select_algorithm
        select_algorithm.PRINT_AUTOTUNE = False
    except ImportError:
        pass
    return torch.compile(plain, mode=mode, dynamic=False, fullgraph=True)


def wrapper_modules():
    """What torch's compiler loaded: one module a compiled function, with its kernels as attributes. [] where a version keeps it elsewhere."""
    try:
        from torch._inductor.codecache import PyCodeCache
        return [module for module in PyCodeCache.modules if callable(getattr(module, "call", None))]
    except Exception:
        return []


def configurations(modules):
    """The configuration that each kernel ended with: "NAME: CONFIGURATION; ..". Kernels not settled on one are left out."""
    found = []
    for module in modules:
        for name, kernel in sorted(vars(module).items()):
            launchers = getattr(kernel, "launchers", None)
            if isinstance(launchers, list) and len(launchers) == 1 and hasattr(launchers[0], "config"):
                found.append("%s: %s" % (name, launchers[0].config))
    return "; ".join(found)


def triton_op(op_name):
    module = load_triton()
    if op_name not in module.OPS:
        raise torch_ops.Unsupported("no Triton kernel for op '%s' here; there are %s" % (op_name, ", ".join(module.OPS)))
    return module, module.OPS[op_name]


class Problem:
    """An op with its tensors on the GPU, compiled if asked, ready to be timed.

    `data`: files with the inputs of the first buffer set, raw and row-major in the problem's dtype; without them all sets are
    random. Its output can then be written to a file and compared with what it should be.
    """

    def __init__(self, torch, op_name, dtype, shapes, params, mode, l2_bytes, math_mode="ieee", data=None,
                 directory=None, flush="memset"):
        op = torch_ops.find(op_name, directory)
        if mode not in MODES:
            raise ValueError("unknown mode '%s'; allowed: %s" % (mode, ", ".join(MODES)))
        if math_mode not in MATH_MODES:
            raise ValueError("unknown math mode '%s'; allowed: %s" % (math_mode, ", ".join(MATH_MODES)))
        self.torch = torch
        self.op = op
        self.params = params
        self.math_mode = math_mode
        self.version = "torch %s" % torch.__version__
        self.compiled = self.triton = self.outputs = None
        self.kernels = ""
        use_math_mode(torch, math_mode)
        generator = torch.Generator(device="cuda").manual_seed(torch_ops.SEED)
        element = torch_ops.torch_dtype(torch, dtype)

        def make():
            return torch_ops.make_inputs(torch, shapes, element, generator)

        inputs = torch_ops.load_inputs(torch, shapes, element, data) if data else make()
        output = self._first_call(op_name, mode, inputs)
        set_bytes = sum(t.numel() * t.element_size() for t in inputs + [output])
        count = torch_timing.choose_sets(l2_bytes, set_bytes, torch.cuda.mem_get_info()[0])
        self.inputs = [inputs] + [make() for _ in range(count - 1)]
        if self.triton or (mode == "eager" and self._can_write_into(inputs, output)):
            self.outputs = [output] + [torch.empty_like(output) for _ in range(count - 1)]
        self.timer = torch_timing.Timer(torch, self.run, count, l2_bytes)
        self.launch_overhead_us = self.timer.launch_overhead_us(flush)

    def _first_call(self, op_name, mode, inputs):
        """Compile or tune if that is the mode, and return an output."""
        if mode == "compile":
            before = len(wrapper_modules())
            output = self._compile(inputs)
            self.kernels += configurations(wrapper_modules()[before:])
            return output
        output = self.op.call(self.torch, inputs, self.params)
        if mode == "triton":
            module, self.triton = triton_op(op_name)
            self.version = "Triton %s (%s)" % (module.version(), self.version)
            output = self.torch.empty_like(output)
            self._launch_triton(inputs, output)
        return output

    def _compile(self, inputs):
        """By the mode that tries most; where that fails, by the default one, which the choice then says."""
        try:
            self.compiled = compile_plain(self.torch, self.op, self.params)
            return self.compiled(*inputs)
        except Exception as failure:
            self.kernels = "default mode, as %s fails: %s; " % (COMPILE_MODE, str(failure).split("\n")[0][:80])
            self.compiled = compile_plain(self.torch, self.op, self.params, "default")
            return self.compiled(*inputs)

    def _launch_triton(self, inputs, output):
        self.triton.launch(self.torch, inputs, self.params, output, self.math_mode == "tf32")

    def choice(self):
        return self.triton.choice() if self.triton else self.kernels

    def _can_write_into(self, inputs, output):
        """Whether this torch has the op's out= form; without it the output is allocated, which no GPU time is spent on."""
        if self.op.into is None:
            return False
        try:
            self.op.into(self.torch, inputs, self.params, output)
            self.torch.cuda.synchronize()
            return True
        except (TypeError, AttributeError, NotImplementedError):
            return False

    def run(self, index):
        inputs = self.inputs[index]
        if self.compiled is not None:
            return self.compiled(*inputs)
        if self.triton is not None:
            self._launch_triton(inputs, self.outputs[index])
            return self.outputs[index]
        if self.outputs is not None:
            self.op.into(self.torch, inputs, self.params, self.outputs[index])
            return self.outputs[index]
        return self.op.call(self.torch, inputs, self.params)

    def measure(self, request):
        use_math_mode(self.torch, self.math_mode)
        if self.outputs is not None:  # so that what is compared later was written by what is timed now
            self.outputs[0].fill_(float("nan"))
        return self.timer.measure(request["mode"], float(request.get("warmup_ms", 25)),
                                  float(request.get("sample_ms", 100)), request.get("flush") or "memset",
                                  int(request.get("max_samples") or 0))

    def write_output(self, path):
        """The output of the last timed call on the first buffer set, raw and row-major."""
        self.torch.cuda.synchronize()
        torch_ops.store_output(self.torch, self.timer.last_output, path)

    def release(self):
        self.inputs = self.outputs = self.timer = None
        if self.compiled is not None:
            self.compiled = None
            self.torch._dynamo.reset()  # each problem counts against a limit of compilations otherwise
