"""What a call of assay_ops costs and keeps: ops_test.py runs these."""

import ctypes
import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest
from unittest import mock

from ops_setup import Quiet, assay_ops, cases, drawn, in_double, source, torch
from assay_ops import calls, fallback, kernels, session


def events_of(function):
    """How many functions, Python's and C's, a call runs."""
    counted = {"call": 0, "c_call": 0}

    def count(frame, event, arg):
        if event in counted:
            counted[event] += 1
    sys.setprofile(count)
    try:
        function()
    finally:
        sys.setprofile(None)
    return counted["call"], counted["c_call"]


class Calls(Quiet):
    def setUp(self):
        super().setUp()
        session.session().calls.clear()

    def test_the_second_call_of_a_kind_works_nothing_out(self):
        for name, args, named in cases(torch.float32):
            with self.subTest(op=name, named=named), mock.patch.object(kernels, "Plan", wraps=kernels.Plan) as planned, \
                    mock.patch.object(kernels, "_bind", wraps=kernels._bind) as bound:
                session.session().calls.clear()
                for _ in range(3):
                    getattr(assay_ops, name)(*args, **named)
                self.assertEqual((planned.call_count, bound.call_count, self.launches), (1, len(kernels.TRIALS), 3))
                self.launches = 0

    def test_the_work_of_a_call_is_bounded(self):
        """In functions run, since times depend on what else the machine does. What is left: allocate, write the struct, launch."""
        session.Session.launch = lambda *_: 0
        for name, args, named in cases(torch.float32):
            with self.subTest(op=name, named=named):
                def call():
                    return getattr(assay_ops, name)(*args, **named)
                call()
                python, c = events_of(call)
                self.assertLessEqual(python, 18)
                self.assertLessEqual(c, 50)

    def test_a_reason_is_kept_as_well(self):
        x = drawn(6, 8)
        with mock.patch.object(calls, "Call", wraps=calls.Call) as made:
            for _ in range(3):
                self.assertTrue(torch.equal(assay_ops.softmax(x.double(), -1), torch.softmax(x.double(), -1)))
        self.assertEqual(made.call_count, 1)

    def test_kinds_are_told_apart(self):
        x, y, wide = drawn(8, 8), drawn(8, 8, seed=2), drawn(8, 16)
        for name, args, named in (
                ("softmax", (x, 0), {}), ("softmax", (x, 1), {}), ("softmax", (x.view(4, 16), 1), {}), ("softmax", (wide[:, :8], 1), {}),
                ("softmax", (x.t(), 1), {}), ("softmax", (x.double(), 1), {}), ("softmax", (x, 1, torch.float64), {}),
                ("add", (x, y), {}), ("add", (x, y), {"alpha": 2}), ("add", (x, y), {"alpha": 2.5}), ("add", (x.t(), y.t()), {}),
                ("matmul", (x, y), {}), ("matmul", (x.t(), y), {}), ("matmul", (x, y.t()), {}), ("linear", (x, y), {}), ("linear", (x, y, x[0]), {}),
                ("gelu", (x,), {}), ("gelu", (x,), {"approximate": "tanh"}), ("sum", (x, 0), {}), ("sum", (x, 0), {"keepdim": True})):
            for _ in range(2):
                got = getattr(assay_ops, name)(*args, **named)
                expected = in_double(name, args, named)
                self.assertEqual(got.shape, expected.shape)
                torch.testing.assert_close(got.double(), expected, rtol=1e-4, atol=1e-4)

    def test_what_changes_between_calls_of_a_kind(self):
        x = drawn(6, 8)
        expected, weight = torch.softmax(x, -1), x.clone().requires_grad_()
        for _ in range(2):
            torch.testing.assert_close(assay_ops.softmax(x, -1), expected)
            self.assertTrue(assay_ops.softmax(weight, -1).requires_grad)
            with torch.no_grad():
                self.assertFalse(assay_ops.softmax(weight, -1).requires_grad)
            with torch.autocast("cpu", dtype=torch.bfloat16):
                assay_ops.softmax(x, -1)
            unaligned = torch.empty(49)[1:].view(6, 8).copy_(x)
            torch.testing.assert_close(assay_ops.softmax(unaligned, -1), expected)
        self.assertEqual(self.launches, 4)

    def test_zeros_have_signs(self):
        for alpha in 0.0, -0.0:
            got = assay_ops.add(torch.full((4,), -0.0), torch.ones(4), alpha=alpha)
            self.assertTrue(torch.equal(got.signbit(), torch.full((4,), alpha.hex() == "-0x0.0p+0")))

    def test_a_convolution_without_a_bias_fills_no_zeros_twice(self):
        """Kept ones serve all calls of a dtype; a compiled graph's, whose memory is the graph's, are its own."""
        for channels in 4, 8, 5000:
            image, weight = drawn(1, 2, 3, 3), drawn(channels, 2, 1, 1, seed=2)
            expected, before = torch.nn.functional.conv2d(image, weight), dict(calls.kept_zeros)
            torch.testing.assert_close(torch.ops.assay.conv2d(image, weight), expected)
            self.assertEqual(calls.kept_zeros, before)
            for _ in range(2):
                torch.testing.assert_close(assay_ops.conv2d(image, weight), expected)
            with mock.patch.object(torch.Tensor, "new_zeros", side_effect=AssertionError):
                torch.testing.assert_close(assay_ops.conv2d(image, weight), expected)
        self.assertEqual(sorted(zeros.numel() for zeros in calls.kept_zeros.values() if zeros.dtype == torch.float32), [4096, 8192])
        self.assertFalse(any(zeros.any() for zeros in calls.kept_zeros.values()))

    def test_tensors_that_are_more_than_their_memory(self):
        x = drawn(6, 8)
        assay_ops.gelu(x)
        torch.testing.assert_close(assay_ops.gelu(torch._neg_view(x)), torch.nn.functional.gelu(-x))
        torch.testing.assert_close(assay_ops.matmul(x.to_sparse(), x.t().contiguous()), x @ x.t())
        traced = torch.fx.symbolic_trace(lambda x: assay_ops.gelu(x))
        self.assertIn("assay.gelu", traced.code)
        self.assertTrue(torch.equal(traced(x), assay_ops.gelu(x)))

    def test_types_that_are_more_than_torch_s_and_python_s(self):
        class Image(torch.Tensor):
            pass

        class Scale(float):
            pass
        q = drawn(1, 2, 5, 16)
        got = assay_ops.softmax(q.as_subclass(Image), -1)
        self.assertIs(type(got), Image)
        torch.testing.assert_close(got.as_subclass(torch.Tensor), torch.softmax(q, -1))
        torch.testing.assert_close(assay_ops.scaled_dot_product_attention(q, q, q, scale=Scale(0.5)),
                                   fallback.scaled_dot_product_attention(q, q, q, scale=0.5))
        self.assertEqual(self.launches, 2)

    def test_a_failed_launch_is_told_though_the_dispatcher_was_asked(self):
        x = drawn(6, 8)
        with mock.patch.object(session.Session, "launch", side_effect=RuntimeError("no room")), self.assertRaisesRegex(RuntimeError, "no room"):
            assay_ops.gelu(torch._neg_view(x))

    def test_a_tensor_where_a_number_belongs(self):
        """Its value is no part of a kind."""
        x, row = drawn(6, 8), drawn(8)
        for eps in 1e-5, 2.0:
            eps = torch.tensor(eps)
            got, notices = self.said(lambda: assay_ops.layer_norm(x, (8,), row, row, eps))
            self.assertTrue(torch.equal(got, fallback.layer_norm(x, (8,), row, row, eps)))
        self.assertEqual((self.launches, assay_ops.softmax(x, torch.tensor(1)).shape), (0, x.shape))

    def test_what_is_kept_is_bounded(self):
        with mock.patch.object(calls, "KEPT", 4):
            for length in range(1, 12):
                x = drawn(3, length)
                torch.testing.assert_close(assay_ops.softmax(x, -1), torch.softmax(x, -1))
                self.assertLessEqual(len(session.session().calls), 4)

    def test_threads_with_kinds_of_their_own(self):
        wrong = []

        def work(seed):
            for turn in range(15):
                x = drawn(3 + seed, 8 + turn % 3, seed=seed)
                if not torch.allclose(assay_ops.add(x, x, alpha=seed), x + seed * x):
                    wrong.append((seed, turn))
        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual((wrong, self.launches), ([], 75))


REFERENCE = """
#include <assay/op.h>
typedef struct { int64_t first; void *out; int32_t flag; const void *x; void *workspace; double last; const void *x_again; } made_args;
static assay_status infer(const assay_problem *p, assay_tensor *out, assay_error *e) { (void)e; out[0] = p->inputs[0]; return ASSAY_OK; }
static assay_status bind(const assay_problem *p, void *args) {
    *(made_args *)args = (made_args){7, p->outputs[0].data, 3, p->inputs[0].data, p->workspace, 0.5, (const char *)p->inputs[0].data + BEHIND};
    return ASSAY_OK;
}
static int64_t workspace_bytes(const assay_problem *p) { (void)p; return 64; }
const assay_op_impl *assay_op_get(void) {
    static const assay_op_impl impl = {.abi = ASSAY_OP_ABI, .args_bytes = sizeof(made_args), .infer = infer, .bind = bind,
                                       .workspace_bytes = workspace_bytes};
    return &impl;
}
"""


class Arguments(unittest.TestCase):
    """The struct that a plan writes is the one that the op's bind() would."""

    def op(self, behind):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name)
        (path / "op.json").write_text(json.dumps({}))
        flags = ["-std=c11", "-shared", "-fPIC", "-DBEHIND=%d" % behind, "-I", source / "include"]
        subprocess.run([sys.argv[3], *flags, "-xc", "-", "-o", path / "op.so"], input=REFERENCE.encode(), check=True)
        return kernels.Op(path, path / "op.so")

    def test_in_any_order(self):
        plan = kernels.Plan(self.op(0), "f32", ((3, 5),), {})
        self.assertEqual((plan.output, plan.workspace_bytes), ((3, 5), 64))

        class Made(ctypes.Structure):
            _fields_ = [("first", ctypes.c_int64), ("out", ctypes.c_uint64), ("flag", ctypes.c_int32), ("x", ctypes.c_uint64),
                        ("workspace", ctypes.c_uint64), ("last", ctypes.c_double), ("x_again", ctypes.c_uint64)]
        made = Made.from_buffer_copy(plan.arguments([0x1000, 0x2000, 0x3000]))
        self.assertEqual([getattr(made, name) for name, _ in Made._fields_], [7, 0x2000, 3, 0x1000, 0x3000, 0.5, 0x1000])

    def test_computed_addresses_are_refused(self):
        for behind in 16, kernels.TRIALS[0][1], kernels.TRIALS[1][1]:
            with self.subTest(behind=behind), self.assertRaisesRegex(kernels.Unsupported, "worked out from addresses"):
                kernels.Plan(self.op(behind), "f32", ((3, 5),), {})

    def test_padding_may_differ(self):
        self.assertEqual(kernels._fields(((5, kernels.TRIALS[0][0]), (5 | 9 << 32, kernels.TRIALS[1][0])), 1), [(5).to_bytes(8, sys.byteorder), 0])
