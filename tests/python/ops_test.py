"""assay_ops against torch, on CPU tensors through the CPU device.

usage: ops_test.py SOURCE BUILD CC"""

import contextlib
import io
import json
import pathlib
import runpy
import sys
import tempfile
import threading
import unittest
import warnings

from ops_setup import DTYPES, VARIANT, Quiet, about, assay_ops, cases, drawn, in_double, run, source, torch  # first: it finds a torch
from ops_calls import Arguments, Calls
from assay_ops import fallback, session


class Kernels(Quiet):
    def check(self, dtype, tolerance):
        for name, args, named in cases(dtype):
            with self.subTest(op=name, shapes=[tuple(a.shape) for a in args if isinstance(a, torch.Tensor)], named=named):
                for _ in range(2):  # the second by the kept plan
                    self.launches = 0
                    got, notices = self.said(lambda: getattr(assay_ops, name)(*args, **named))
                    self.assertEqual((notices, self.launches), ([], 1))
                expected = in_double(name, args, named)
                self.assertEqual((got.shape, got.dtype), (expected.shape, dtype))
                torch.testing.assert_close(got.double(), expected, rtol=tolerance, atol=tolerance * 4)

    def test_values(self):
        for kind in sorted(self.verified):
            with self.subTest(dtype=kind):
                self.check(*DTYPES[kind])

    def test_memory_order_is_torchs(self):
        for name, args, named in cases(torch.float32):
            if name in ("add", "gelu", "conv2d"):
                got = getattr(assay_ops, name)(*args, **named)
                self.assertEqual(got.stride(), getattr(fallback, name)(*args, **named).stride(), (name, named))

    def test_inputs_are_left_alone(self):
        x = drawn(5, 33)
        kept = x.clone()
        assay_ops.softmax(x, 0)
        self.assertTrue(torch.equal(x, kept))

    def test_the_registered_op_is_the_same(self):
        x = drawn(5, 33)
        self.assertTrue(torch.equal(torch.ops.assay.softmax(x, -1), assay_ops.softmax(x, -1)))
        self.assertEqual(self.launches, 2)

    def test_threads(self):
        wrong = []

        def work(seed):
            x = drawn(seed + 1, 40 + seed, seed=seed)
            for _ in range(20):
                if not torch.allclose(assay_ops.softmax(x, -1), torch.softmax(x, -1), atol=1e-6):
                    wrong.append(seed)
        threads = [threading.Thread(target=work, args=(seed % 3,)) for seed in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual((wrong, self.launches), ([], 120))

    def test_status_names_the_kernel(self):
        assay_ops.softmax(drawn(2, 2), 0)
        self.assertEqual(assay_ops.status()["softmax", "f32"], VARIANT + ", not timed")

    def test_a_failing_kernel_is_an_error(self):
        session.Session.launch = lambda *_: 6
        with self.assertRaisesRegex(RuntimeError, "softmax %s f32: device error" % VARIANT):
            assay_ops.softmax(drawn(2, 2), 0)

    def test_what_a_kernel_refuses_torch_does(self):
        session.Session.launch = lambda *_: 2
        x = drawn(2, 2)
        got, notices = self.said(lambda: assay_ops.softmax(x, 0))
        self.assertTrue(torch.equal(got, torch.softmax(x, 0)))
        self.assertIn("does not offer", notices[0])


class Fallbacks(Quiet):
    def test_torch_does_the_rest_and_it_is_said_once(self):
        x, w, image = drawn(6, 8), drawn(8, 8), drawn(1, 8, 9, 7)
        f64, q = x.double(), drawn(1, 2, 6, 8)
        for name, args, named, reason in (
                ("softmax", (f64, -1), {}, "float64"),
                ("softmax", (x.t(), -1), {}, "not contiguous"),
                ("softmax", (drawn(9)[1:], -1), {}, "multiple of 16 bytes"),
                ("softmax", (x, -1), {"dtype": torch.float64}, "dtype"),
                ("add", (x, drawn(8)), {}, "broadcast"),
                ("add", (x, f64), {}, "different dtypes"),
                ("add", (x, 2.5), {}, "a number"),
                ("add", (x, x.t().contiguous().t()), {}, "not contiguous"),
                ("matmul", (x, drawn(8, 14)[:, ::2]), {}, "not contiguous"),
                ("matmul", (q, drawn(1, 1, 8, 6)), {}, "broadcast"),
                ("addmm", (w[0], x, w), {"beta": 2}, "beta"),
                ("layer_norm", (x, (8,)), {}, "no weight"),
                ("rms_norm", (x, (8,)), {"eps": 1e-6}, "no weight"),
                ("sum", (q, (1, 3)), {}, "neighbours"),
                ("sum", (x, 1), {"dtype": torch.float64}, "dtype"),
                ("transpose_copy", (q, 0, 3), {}, "last two"),
                ("scaled_dot_product_attention", (q, q, q, torch.ones(6, 6, dtype=torch.bool)), {}, "a mask"),
                ("scaled_dot_product_attention", (x, x, x), {}, "without heads"),
                ("conv2d", (image, drawn(4, 8, 3, 3)), {"padding": "same"}, "padding by name"),
                ("conv2d", (image[0], drawn(4, 8, 3, 3)), {}, "without a batch")):
            with self.subTest(op=name, reason=reason):
                session._said.clear()
                self.launches = 0
                got, notices = self.said(lambda: getattr(assay_ops, name)(*args, **named))
                again = self.said(lambda: getattr(assay_ops, name)(*args, **named))[1]
                self.assertEqual((self.launches, len(notices), again), (0, 1, []))
                self.assertIn(reason, notices[0])
                self.assertIn("assay_ops.%s: torch computes this" % name, notices[0])
                if name == "sum":
                    args = (args[0], [args[1]] if isinstance(args[1], int) else args[1])
                plain = torch.add if name == "add" else getattr(fallback, name)
                expected = plain(*args, **named)
                self.assertEqual((got.dtype, got.stride()), (expected.dtype, expected.stride()))
                self.assertTrue(torch.equal(got, expected))

    def test_gradients_are_torchs(self):
        ours, theirs = drawn(5, 8).requires_grad_(), drawn(5, 8).requires_grad_()
        weight = drawn(8, 8, seed=2)
        _, notices = self.said(lambda: assay_ops.matmul(torch.ops.assay.softmax(ours, -1), weight).square().sum().backward())
        torch.matmul(torch.softmax(theirs, -1), weight).square().sum().backward()
        self.assertTrue(torch.equal(ours.grad, theirs.grad))
        self.assertEqual((self.launches, len(notices)), (0, 2))
        self.assertIn("a gradient is required", notices[0])

    def test_forward_mode_is_torchs(self):
        x, direction = drawn(5, 8), drawn(5, 8, seed=2)
        tangents = []
        for softmax in assay_ops.softmax, torch.ops.assay.softmax, torch.softmax:
            with torch.autograd.forward_ad.dual_level():
                dual = torch.autograd.forward_ad.make_dual(x, direction)
                tangents.append(torch.autograd.forward_ad.unpack_dual(softmax(dual, -1)).tangent)
        self.assertTrue(torch.equal(tangents[0], tangents[2]) and torch.equal(tangents[1], tangents[2]))

    @unittest.skipUnless(hasattr(torch, "func"), "torch before 2.0")
    def test_transforms(self):
        x = drawn(5, 8)
        for transform in (torch.func.vmap, lambda f: torch.func.grad(lambda x: f(x).square().sum()), torch.func.jacrev, torch.func.jacfwd):
            torch.testing.assert_close(transform(lambda x: assay_ops.softmax(x, -1))(x), transform(lambda x: torch.softmax(x, -1))(x))

    def test_without_gradients_the_kernel_computes(self):
        x = drawn(5, 8).requires_grad_()
        with torch.no_grad():
            self.assertFalse(torch.ops.assay.softmax(x, -1).requires_grad)
            assay_ops.softmax(x, -1)
        self.assertEqual(self.launches, 2)

    def test_errors_are_torchs(self):
        x, w = drawn(6, 8), drawn(7, 9)
        for name, args in (("softmax", (x, 2)), ("matmul", (x, w)), ("add", (x, w)), ("addmm", (x[0], x, w)),
                           ("layer_norm", (x, (7,), w[:, 0], w[:, 0])), ("linear", (x, w)), ("conv2d", (x.view(1, 1, 6, 8), w.view(7, 3, 3, 1))),
                           ("matmul", (x, x.t().double())), ("softmax", (x.long(), 0)), ("transpose_copy", (x, 0, 2)),
                           ("conv2d", (drawn(1, 2, 0, 5), drawn(3, 2, 3, 3), None, 1, 3))):  # an image of padding alone
            with self.subTest(op=name):
                with self.assertRaises(Exception) as theirs:
                    getattr(fallback, name)(*args)
                with self.assertRaises(type(theirs.exception)) as ours, warnings.catch_warnings():
                    warnings.simplefilter("error")  # nothing is said of what torch does not compute either
                    getattr(assay_ops, name)(*args)
                self.assertEqual(str(ours.exception), str(theirs.exception))

    def test_true_is_not_one(self):
        """Though they are equal, and so of one kind."""
        x = drawn(6, 8)
        assay_ops.add(x, x, alpha=1)
        with self.assertRaisesRegex(RuntimeError, "Boolean alpha only supported for Boolean results"):
            assay_ops.add(x, x, alpha=True)
        torch.testing.assert_close(assay_ops.add(x, x, alpha=1), x + x)
        self.assertEqual(self.launches, 2)

    def test_autocast_is_torchs(self):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            got, notices = self.said(lambda: assay_ops.matmul(drawn(8, 8), drawn(8, 8)))
        self.assertEqual((got.dtype, self.launches), (torch.bfloat16, 0))
        self.assertIn("autocast", notices[0])

    def test_a_folder_that_is_no_build(self):
        with self.assertRaisesRegex(ValueError, "is no build folder of Assay"):
            assay_ops.use(source / "python")


class Shapes(Quiet):
    """What torch.compile asks: shapes and memory order without data."""

    def test_meta(self):
        for name, args, named in cases(torch.float32):
            if name == "layer_norm" and torch.__version__.startswith("1."):
                continue  # 1.13 has no meta function of its own layer_norm
            with self.subTest(op=name):
                expected = getattr(assay_ops, name)(*args, **named)
                got = getattr(assay_ops, name)(*[a.to("meta") if isinstance(a, torch.Tensor) else a for a in args], **named)
                self.assertEqual((got.device.type, got.shape, got.stride()), ("meta", expected.shape, expected.stride()))

    @unittest.skipUnless(hasattr(torch, "compile"), "torch before 2.0")
    def test_compile(self):
        def block(x, w, norm, dim):
            y = assay_ops.layer_norm(assay_ops.gelu(assay_ops.linear(x, w)), (16,), norm, norm)
            return assay_ops.softmax(assay_ops.add(x, y, alpha=0.5), dim) * 2
        args = drawn(5, 16), drawn(16, 16, seed=2), drawn(16, seed=3), -1
        compiled = torch.compile(block, backend="aot_eager", fullgraph=True)
        torch.testing.assert_close(compiled(*args), block(*args))
        self.assertEqual(self.launches, 10)
        x = args[0].clone().requires_grad_()
        compiled(x, *args[1:]).sum().backward()
        self.assertEqual((x.grad.shape, self.launches), (x.shape, 10))

    @unittest.skipUnless(hasattr(torch.library, "opcheck"), "torch before 2.4")
    def test_torchs_own_check_of_an_op(self):
        for name, args, named in cases(torch.float32):
            if name == "conv2d" or name == "sum":
                continue  # their functions take more forms of an argument than the op
            with self.subTest(op=name):
                torch.library.opcheck(getattr(torch.ops.assay, name).default, args, named,
                                      test_utils=("test_schema", "test_faketensor", "test_autograd_registration"))


class Example(Quiet):
    def test_a_fresh_build_is_made_ready(self):
        made = runpy.run_path(str(source / "python" / "examples" / "before_after.py"))
        with tempfile.TemporaryDirectory() as folder:
            text = json.dumps({**about, "results": folder + "/results"})
            pathlib.Path(folder, "assay.json").write_text(text)
            before = made["lacking"](folder, "resnet50", "f32")
            self.assertEqual(sorted(before), ["add", "conv2d", "matmul_bias_act"])
            self.assertIn("is not verified", before["add"])
            made["make_ready"](folder, "resnet50", "f32", VARIANT, "small")
            self.assertEqual(made["lacking"](folder, "resnet50", "f32"), {})
            with self.assertRaisesRegex(SystemExit, "gelu: no verified kernel for f64"):
                made["make_ready"](folder, "block", "f64", VARIANT, "small")

    def test_the_host_time_of_calls_is_told(self):
        main = runpy.run_path(str(source / "python" / "examples" / "call_overhead.py"))["main"]
        with contextlib.redirect_stdout(io.StringIO()) as told:
            _, notices = self.said(lambda: main(["--batches", "1", "--json"]))
        rows = json.loads(told.getvalue())
        self.assertEqual((notices, len(rows)), ([], 16))
        self.assertTrue(all(row["torch_us"] > 0 and row["assay_us"] > 0 for row in rows))

    def test_a_block_and_a_network_agree_with_torch(self):
        main = runpy.run_path(str(source / "python" / "examples" / "before_after.py"))["main"]
        for words, launches in (("--width 32 --length 6", 12), ("--model resnet50 --width 8 --length 32 --batch 1", 70)):
            with self.subTest(words=words):
                self.launches = 0
                told, notices = self.said(lambda: main(words.split()))
                self.assertEqual((notices, self.launches), ([], launches))
                self.assertLess(told["assay"]["relative_error"], 1e-5)


class NoBuild(unittest.TestCase):
    def test_torch_computes(self):
        x = drawn(3, 4)
        with self.assertWarnsRegex(assay_ops.AssayFallback, "no build of Assay is named"):
            self.assertTrue(torch.equal(assay_ops.softmax(x, 0), torch.softmax(x, 0)))
        self.assertIn("ASSAY_BUILD", assay_ops.status()["build"])


if __name__ == "__main__":
    if not unittest.TextTestRunner().run(unittest.defaultTestLoader.loadTestsFromTestCase(NoBuild)).wasSuccessful():
        sys.exit(1)
    run(Kernels, Calls, Arguments, Fallbacks, Shapes, Example)
