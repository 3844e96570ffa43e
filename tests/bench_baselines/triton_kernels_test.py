"""The kernels of bench/baselines/torch/torch_triton.py, run by Triton's own interpreter on the host and compared with their definitions in numpy.

Needs Triton and a numpy that its interpreter works with, but no GPU and no torch; skipped (77) without. Tensors are numpy arrays in
as much of torch's clothing as the interpreter looks at.
"""

import math
import os
import sys

os.environ["TRITON_INTERPRET"] = "1"

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "..", "bench", "baselines", "torch"), os.path.join(HERE, "..", "..", "tools")]

try:
    import numpy
    import triton
except ImportError as failure:
    print("skipped: %s" % failure)
    sys.exit(77)
try:
    int(numpy.array([1]))
except TypeError:
    print("skipped: Triton's interpreter does not work with numpy %s" % numpy.__version__)
    sys.exit(77)

import unittest


class Tensor:
    """Its own storage, too."""

    def __init__(self, array):
        self.array = numpy.ascontiguousarray(array)
        self.shape, self.dtype, self.device = self.array.shape, "fp32", "cpu"

    def data_ptr(self):
        return self.array.ctypes.data

    def numel(self):
        return self.array.size

    def dim(self):
        return self.array.ndim

    def element_size(self):
        return 2  # as torch_triton.py sees it: it refuses attention in exact f32, whose code on the GPU is wrong

    def untyped_storage(self):
        return self

    def cpu(self):
        return self

    def size(self):
        return self.shape

    def stride(self):
        return self.array.strides

    def storage_offset(self):
        return 0

    def new_empty(self, count, device):
        return Tensor(numpy.empty(count, numpy.float32))

    def set_(self, storage, offset, size, stride):
        self.array, self.shape = storage.array, storage.shape

    def copy_(self, other):
        self.array[...] = other.array


class OneConfig:
    """In place of Triton's autotuner, which wants a GPU to time on."""

    number = 0

    def __init__(self, kernel, configs):
        self.kernel, self.configs = kernel, configs

    def __getitem__(self, grid):
        constants = self.configs[OneConfig.number % len(self.configs)].kwargs
        return lambda *tensors, **others: self.kernel[grid](*tensors, **{**constants, **others})


triton.autotune = lambda configs, key, prune_configs_by: lambda kernel: OneConfig(kernel, configs)

import torch_triton

random = numpy.random.default_rng(20260131)


def normal(*shape):
    return Tensor(random.standard_normal(shape).astype(numpy.float32))


def softmax(x):
    exponentials = numpy.exp(x - x.max(-1, keepdims=True))
    return exponentials / exponentials.sum(-1, keepdims=True)


class Kernels(unittest.TestCase):
    def check(self, op, inputs, expected, params=None, config=0):
        OneConfig.number = config
        out = Tensor(numpy.full(expected.shape, numpy.nan, numpy.float32))
        torch_triton.OPS[op].launch(None, inputs, params or {}, out, False)
        error = numpy.abs(out.array - expected).max()
        self.assertLessEqual(error, 1e-4, (op, [t.shape for t in inputs], config))

    def test_add(self):
        x, y = normal(3, 777), normal(3, 777)
        self.check("add", [x, y], x.array + 0.5 * y.array, {"alpha": 0.5})

    def test_softmax(self):
        x = normal(5, 777)
        self.check("softmax", [x], softmax(x.array))

    def test_layernorm(self):
        x, weight, bias = normal(5, 777), normal(777), normal(777)
        x.array += 3.0
        mean, variance = x.array.mean(-1, keepdims=True), x.array.var(-1, keepdims=True)
        self.check("layernorm", [x, weight, bias], (x.array - mean) / numpy.sqrt(variance + 1e-5) * weight.array + bias.array)

    def test_matmul(self):
        for config in (0, 5, 9):  # tiles of different proportions
            for m, n, k in ((300, 260, 100), (64, 64, 64), (33, 257, 65), (1100, 40, 36)):
                a, b = normal(m, k), normal(k, n)
                self.check("matmul", [a, b], a.array @ b.array, config=config)

    def test_attention(self):
        for config in (0, 3, 5):
            for causal in (False, True):
                for queries, keys, dim in ((200, 200, 64), (70, 130, 32), (130, 70, 64), (1, 1, 16)):
                    self.check_attention(queries, keys, dim, 1, {"causal": causal}, config)
        self.check_attention(70, 130, 32, 2, {"causal": True, "bottom_right": True}, 3)

    def check_attention(self, queries, keys, dim, group, params, config):
        q, k, v = normal(1, 2 * group, queries, dim), normal(1, 2, keys, dim), normal(1, 2, keys, dim)
        shared_k, shared_v = (x.array.repeat(group, axis=1) for x in (k, v))
        scores = q.array @ shared_k.transpose(0, 1, 3, 2) / math.sqrt(dim)
        shift = keys - queries if params.get("bottom_right") else 0
        seen = numpy.arange(keys)[None, :] <= numpy.arange(queries)[:, None] + shift
        scores = numpy.where(seen, scores, -numpy.inf) if params["causal"] else scores
        self.check("mha", [q, k, v], softmax(scores) @ shared_v, params, config)


if __name__ == "__main__":
    unittest.main()
