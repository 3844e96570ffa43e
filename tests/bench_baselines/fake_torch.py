"""A stand-in for torch with a GPU of its own invention, for testing bench/baselines/torch/torch_*.py on machines without either.

The invented GPU has one queue. Every piece of work has a duration in microseconds; events note where the queue is. The host's
pace is invented too: `host_us` passes for each call it makes, so that a spinning kernel can end too early, as a real one can.
"""

import math
import types

import torch_timing


class FakeGpu:
    def __init__(self, host_us=10.0):
        self.queue_us = 0.0  # when all queued work will have ended
        self.host_now_us = 0.0
        self.host_us = host_us
        self.capture = None
        self.log = []
        self.durations = {"add": 7.0, "memset": 40.0, "amax": 30.0}

    def work(self, name, us=None):
        duration = self.durations.get(name, 5.0) if us is None else us
        self.log.append(name)
        if self.capture is not None:
            self.capture.append(duration)
            return
        self.host_now_us += self.host_us
        self.queue_us = max(self.queue_us, self.host_now_us) + duration


class Tensor:
    """`payload` is what a file held that the tensor came from: it follows copies, and sums take it from their first operand."""

    def __init__(self, gpu, shape, element=4, payload=None):
        self.gpu, self.shape, self.element, self.payload = gpu, tuple(shape), element, payload

    def numel(self):
        return math.prod(self.shape)

    def element_size(self):
        return self.element

    def dim(self):
        return len(self.shape)

    def to(self, target):
        element = self.element if target == "cuda" else {"float32": 4}.get(target, 2)
        return Tensor(self.gpu, self.shape, element, self.payload)

    def reshape(self, shape):
        return Tensor(self.gpu, shape if isinstance(shape, tuple) else (self.numel(),), self.element, self.payload)

    def contiguous(self, memory_format=None):
        return self

    def cpu(self):
        return self

    def view(self, dtype):
        return self

    def numpy(self):
        return self.payload

    def fill_(self, value):
        self.payload = b"poison"

    def data_ptr(self):
        return 0x1000


def fake_memset(torch, pointer, count):
    """In place of the driver's, which a machine without a GPU lacks; the flush's buffer is the only one that is filled."""
    assert pointer == 0x1000 and count >= 64 << 20, (pointer, count)
    torch.gpu.work("memset")


def make(host_us=10.0, l2_bytes=1 << 20, free_bytes=1 << 30):
    """A module-like object with as much of torch as the baseline uses."""
    gpu = FakeGpu(host_us)
    torch_timing.memset_async = fake_memset
    torch_timing.launch_empty = lambda torch: torch.gpu.work("empty", 3.0)
    torch = types.SimpleNamespace(gpu=gpu, __version__="9.9.9+fake", float32="float32", float16="float16",
                                  bfloat16="bfloat16", int32="int32")

    class Event:
        def __init__(self, enable_timing=False):
            self.at = None

        def record(self):
            gpu.host_now_us += gpu.host_us
            self.at = max(gpu.queue_us, gpu.host_now_us)

        def query(self):
            return self.at <= gpu.host_now_us

        def elapsed_time(self, other):
            if not (self.query() and other.query()):
                raise RuntimeError("device not ready")
            return (other.at - self.at) * 1e-3

    class Graph:
        def __init__(self):
            self.work = []

        def replay(self):
            gpu.work("replay", sum(self.work))

    class Capture:
        def __init__(self, graph):
            self.graph = graph

        def __enter__(self):
            gpu.capture = self.graph.work

        def __exit__(self, *_):
            gpu.capture = None

    def synchronize():
        gpu.log.append("synchronize")
        gpu.host_now_us = max(gpu.host_now_us, gpu.queue_us)

    class Generator:
        def __init__(self, device):
            self.device = device

        def manual_seed(self, seed):
            self.seed = seed
            return self

    def add(x, y, alpha=1.0, out=None):
        if x.shape != y.shape:
            raise RuntimeError("The size of tensor a must match the size of tensor b\nand more lines")
        gpu.work("add")
        out = out if out is not None else Tensor(gpu, x.shape, x.element)
        out.payload = x.payload
        return out

    def from_file(path, shared, size, dtype):
        with open(path, "rb") as file:
            payload = file.read()
        element = {"float32": 4}.get(dtype, 2)
        if shared or len(payload) != size * element:
            raise RuntimeError("a file of another size")
        return Tensor(gpu, (size,), element, payload)

    torch.cuda = types.SimpleNamespace(
        Event=Event, CUDAGraph=Graph, graph=Capture, synchronize=synchronize, empty_cache=lambda: None,
        is_available=lambda: True, mem_get_info=lambda: (free_bytes, free_bytes),
        _sleep=lambda cycles: gpu.work("sleep", max(cycles / 2000.0, 1.5)),  # a kernel that does nothing takes its time, too
        get_device_properties=lambda index: types.SimpleNamespace(name="Fake GPU", L2_cache_size=l2_bytes))
    torch.backends = types.SimpleNamespace(cuda=types.SimpleNamespace(matmul=types.SimpleNamespace()),
                                           cudnn=types.SimpleNamespace())
    torch.version = types.SimpleNamespace(cuda="99.9")
    torch.resets = 0
    torch.compilations = 0
    torch.broken_modes = ()

    def reset():
        torch.resets += 1

    def compile_call(function, **settings):
        assert settings["mode"] in ("max-autotune-no-cudagraphs", "default")
        assert {**settings, "mode": ""} == {"mode": "", "dynamic": False, "fullgraph": True}
        if settings["mode"] in torch.broken_modes:
            raise RuntimeError("no kernel of this mode\nmore")
        torch.compilations += 1
        return function

    torch._dynamo = types.SimpleNamespace(reset=reset)
    torch.compile = compile_call
    torch.Generator = Generator
    torch.from_file = from_file
    torch.uint8 = "uint8"
    torch.randn = lambda shape, generator, device, dtype: Tensor(gpu, shape)
    torch.zeros = lambda shape, dtype, device: Tensor(gpu, shape if isinstance(shape, tuple) else (shape,))
    torch.empty_like = lambda t: Tensor(gpu, t.shape, t.element)
    torch.amax = lambda t, dim, out: gpu.work("amax")
    torch.add = add
    torch.set_grad_enabled = lambda enabled: None
    torch.set_float32_matmul_precision = lambda precision: setattr(torch, "precision", precision)
    return torch


def make_triton():
    """The modules `triton` and `triton.language`, by name: kernels are not run, their launches are written down."""
    triton = types.ModuleType("triton")
    language = types.ModuleType("triton.language")
    triton.launches = []
    triton.language = language
    triton.__version__ = "8.8.8"
    language.constexpr = object
    triton.cdiv = lambda a, b: -(-a // b)
    triton.next_power_of_2 = lambda n: 1 << max(0, n - 1).bit_length()

    class Config:
        def __init__(self, constants, num_warps, num_stages):
            self.kwargs, self.num_warps, self.num_stages = constants, num_warps, num_stages

        def __str__(self):
            return "%s, num_warps: %d" % (self.kwargs, self.num_warps)

    class Kernel:
        def __init__(self, function, configs=()):
            self.function, self.configs = function, list(configs)

        def __getitem__(self, grid):
            def launch(*tensors, **constants):
                for config in self.configs[:1]:
                    self.best_config = config
                    constants = {**config.kwargs, **constants}
                names = self.function.__code__.co_varnames[:self.function.__code__.co_argcount]
                assert set(names[len(tensors):]) == set(constants), "the launch does not give what %s takes" % self.function.__name__
                tensors[0].gpu.work("triton")
                triton.launches.append((self.function.__name__, grid(constants) if callable(grid) else grid, constants))
            return launch

    triton.Config = Config
    triton.jit = Kernel
    triton.autotune = lambda configs, key, prune_configs_by: lambda kernel: Kernel(kernel.function, configs)
    return {"triton": triton, "triton.language": language}
