"""Tests of what bench/baselines/torch/torch_ops.py gives to torch: the layouts of convolutions. No two extents are the same."""

import math
import os
import sys
import types
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "bench", "baselines", "torch")]

import torch_baseline
import torch_ops


class View:
    """Shape and strides of a tensor, in elements; row-major unless said otherwise."""

    def __init__(self, shape, strides=None):
        self.shape = tuple(shape)
        self.strides = strides or tuple(math.prod(self.shape[axis + 1:]) for axis in range(len(self.shape)))

    def permute(self, *order):
        return View([self.shape[axis] for axis in order], tuple(self.strides[axis] for axis in order))


class Layouts(unittest.TestCase):
    """What torch's convolution is given, and what of its output is compared. No two extents are the same."""

    DIMS = {"N": 2, "C": 3, "H": 11, "W": 7, "K": 13, "R": 5}

    def call(self, x, weight, out, params):
        given = []

        def conv2d(*arguments, **settings):
            given.extend([*arguments, settings])
            return out

        torch = types.SimpleNamespace(nn=types.SimpleNamespace(functional=types.SimpleNamespace(conv2d=conv2d)))
        bias = View((13,))
        result = torch_ops.OPS["conv2d"].call(torch, [View(x), View(weight), bias], params)
        self.assertIs(given[2], bias)
        self.assertEqual(given[3], {"stride": (2, 2), "padding": (1, 1), "dilation": (1, 1), "groups": 1})
        return given[0], given[1], result

    def test_channels_first_as_they_lie(self):
        x, weight, out = self.call((2, 3, 11, 7), (13, 3, 5, 4), View((2, 13, 5, 3)), {"stride": 2, "padding": 1, "channels_last": 0})
        self.assertEqual((x.shape, x.strides), ((2, 3, 11, 7), (231, 77, 7, 1)))
        self.assertEqual((weight.shape, weight.strides), ((13, 3, 5, 4), (60, 20, 4, 1)))
        self.assertEqual((out.shape, out.strides), ((2, 13, 5, 3), (195, 15, 3, 1)))

    def test_channels_last_are_views(self):
        last = View((2, 5, 3, 13)).permute(0, 3, 1, 2)
        x, weight, out = self.call((2, 11, 7, 3), (13, 5, 4, 3), last, {"stride": 2, "padding": 1, "channels_last": 1})
        self.assertEqual((x.shape, x.strides), ((2, 3, 11, 7), (231, 1, 21, 3)))
        self.assertEqual((weight.shape, weight.strides), ((13, 3, 5, 4), (60, 1, 12, 3)))
        self.assertEqual((out.shape, out.strides), ((2, 5, 3, 13), (195, 39, 13, 1)))

    def test_shapes_from_dimensions(self):
        shapes, params = torch_baseline.problem_from_op_json("conv2d", self.DIMS, {})
        self.assertEqual((shapes, params["channels_last"]), ([[2, 3, 11, 7], [13, 3, 5, 5], [13]], 0))
        shapes, params = torch_baseline.problem_from_op_json("conv2d", self.DIMS, {"channels_last": 1})
        self.assertEqual((shapes, params["channels_last"]), ([[2, 11, 7, 3], [13, 5, 5, 3], [13]], 1))


if __name__ == "__main__":
    unittest.main()
