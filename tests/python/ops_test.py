"""assay_ops against torch, on CPU tensors through the CPU device.

usage: ops_test.py SOURCE BUILD CC"""

import json
import os
import pathlib
import runpy
import subprocess
import sys
import tempfile
import threading
import unittest
import warnings

# Debian's package is for Debian's Python, which need not be the one on PATH.
pythons = [python for python in (os.environ.get("ASSAY_PYTHON"), "/usr/bin/python3") if python and os.access(python, os.X_OK)]
try:
    import torch
except ImportError:
    if "ASSAY_TEST_PYTHON" in os.environ or not pythons:
        print("skipped: %s has no torch (apt-get install python3-torch, or name a Python that has it by ASSAY_PYTHON)" % sys.executable)
        sys.exit(77)
    os.execve(pythons[0], [pythons[0], "-B", *sys.argv], {**os.environ, "ASSAY_TEST_PYTHON": pythons[0]})

source, build = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
about = json.loads((build / "assay.json").read_text())
if about["device"] != "cpu" or about["versions"]["sanitize"] != "none":
    print("skipped: this is a build for the device %s with the sanitizer %s" % (about["device"], about["versions"]["sanitize"]))
    sys.exit(77)
sys.path.insert(0, str(source / "python"))
os.environ.pop("ASSAY_BUILD", None)
import assay_ops  # noqa: E402
from assay_ops import fallback, session  # noqa: E402

VARIANT = "v4_optimized"
DTYPES = {"f32": (torch.float32, 1e-5), "f16": (torch.float16, 2e-3), "bf16": (torch.bfloat16, 1.6e-2)}


def drawn(*shape, dtype=torch.float32, seed=1):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def cases(dtype):
    """(function, arguments, named arguments): what the kernels offer."""
    def t(*shape, seed=1):
        return drawn(*shape, dtype=dtype, seed=seed)
    image, last = t(2, 8, 9, 7), {"memory_format": torch.channels_last}
    heads = t(2, 5, 3, 16).transpose(1, 2)
    yield "add", (t(3, 5, 7), t(3, 5, 7, seed=2)), {}
    yield "add", (t(17), t(17, seed=2)), {"alpha": -0.5}
    yield "add", (image.contiguous(**last), t(2, 8, 9, 7, seed=2).contiguous(**last)), {}
    yield "add", (t(0, 4), t(0, 4)), {}
    yield "gelu", (t(33, 5),), {}
    yield "gelu", (t(33, 5),), {"approximate": "tanh"}
    yield "softmax", (t(5, 33), -1), {}
    yield "softmax", (t(5, 33, 3), 1), {}
    yield "softmax", (t(0, 33), 1), {}
    yield "matmul", (t(17, 24), t(24, 9, seed=2)), {}
    yield "matmul", (t(2, 3, 24), t(24, 9, seed=2)), {}
    yield "matmul", (t(24), t(24, 9, seed=2)), {}
    yield "matmul", (t(4, 0), t(0, 9)), {}
    yield "matmul", (t(24, 17).t(), t(9, 24, seed=2).t()), {}
    yield "linear", (t(2, 3, 24), t(9, 24, seed=2)), {}
    yield "linear", (t(7, 24), t(9, 24, seed=2), t(9, seed=3)), {}
    yield "linear", (t(7, 24), t(24, 9, seed=2).t(), t(9, seed=3)), {}
    yield "addmm", (t(9, seed=3), t(7, 24), t(24, 9, seed=2)), {}
    yield "matmul", (t(7, 40)[:, :24], t(24, 20, seed=2)[:, 8:17]), {}
    yield "linear", (t(2, 7, 40)[..., :24], t(9, 40, seed=2)[:, 8:32]), {}
    yield "matmul", (t(2, 3, 7, 24), t(2, 3, 9, 24, seed=2).transpose(2, 3)), {}
    yield "bmm", (t(3, 24, 7).transpose(1, 2), t(3, 24, 9, seed=2)), {}
    yield "layer_norm", (t(4, 6, 33), (33,), t(33, seed=2), t(33, seed=3)), {}
    yield "layer_norm", (t(4, 6, 33), (6, 33), t(6, 33, seed=2), t(6, 33, seed=3)), {"eps": 0.1}
    yield "rms_norm", (t(4, 6, 33), (33,), t(33, seed=2)), {"eps": 1e-6}
    yield "softmax", (t(4, 6, 40)[..., :21], -1), {}
    yield "sum", (t(4, 6, 40)[..., 8:29], 2), {"keepdim": True}
    yield "rms_norm", (t(4, 6, 40)[..., :32], (32,), t(32, seed=2)), {"eps": 1e-6}
    yield "layer_norm", (t(6, 40)[:, 8:29], (21,), t(21, seed=2), t(21, seed=3)), {}
    yield "sum", (t(4, 6, 33), 1), {}
    yield "sum", (t(4, 6, 33), (-1, 1)), {"keepdim": True}
    yield "sum", (t(4, 6, 33),), {}
    yield "sum", (t(4, 0), 1), {}
    yield "transpose_copy", (t(2, 19, 23), 1, 2), {}
    yield "transpose_copy", (t(19, 23), -1, 0), {}
    yield "scaled_dot_product_attention", (t(2, 3, 9, 16), t(2, 3, 12, 16, seed=2), t(2, 3, 12, 16, seed=3)), {}
    yield "scaled_dot_product_attention", (t(3, 9, 16), t(3, 9, 16, seed=2), t(3, 9, 16, seed=3)), {"is_causal": True, "scale": 0.3}
    yield "scaled_dot_product_attention", (heads, heads, heads), {}
    cache = t(2, 3, 20, 16, seed=2)[:, :, :12]
    yield "scaled_dot_product_attention", (t(2, 3, 9, 16), cache, cache), {}
    yield "scaled_dot_product_attention", (t(2, 6, 9, 16), t(2, 2, 12, 16, seed=2), t(2, 2, 12, 16, seed=3)), {"enable_gqa": True}
    yield "conv2d", (image, t(6, 8, 3, 3, seed=2), t(6, seed=3)), {"padding": 1, "stride": (2, 2)}
    yield "conv2d", (image, t(6, 4, 3, 3, seed=2)), {"groups": 2, "dilation": 2}
    yield "conv2d", (image, t(6, 8, 3, 1, seed=2), t(6, seed=3)), {"stride": (1, 2), "padding": (2, 0), "dilation": (2, 1)}
    yield "conv2d", (image.contiguous(**last), t(6, 8, 3, 3, seed=2), t(6, seed=3)), {"padding": "valid"}


def in_double(name, args, named):
    """The truth: torch's form on the same values."""
    wide = [arg.double() if isinstance(arg, torch.Tensor) else arg for arg in args]
    if name == "sum":
        wide[1:] = [[wide[1]] if isinstance(wide[1], int) else wide[1]] if len(wide) > 1 else []
    return getattr(fallback, name)(*wide, **named)


class Quiet(unittest.TestCase):
    """No notices of earlier tests, and the launches counted."""

    def setUp(self):
        session._said.clear()
        self.launches = 0
        real = session.Session.launch

        def launch(*args):
            self.launches += 1
            return real(*args)
        session.Session.launch = launch
        self.addCleanup(setattr, session.Session, "launch", real)

    def said(self, function):
        """(result, notices)"""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = function()
        caught = [w for w in caught if issubclass(w.category, assay_ops.AssayFallback)]
        self.assertEqual({w.filename for w in caught} - {__file__}, set())
        return result, [str(w.message) for w in caught]


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
        for kind in sorted(verified):
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
                           ("matmul", (x, x.t().double())), ("softmax", (x.long(), 0)), ("transpose_copy", (x, 0, 2))):
            with self.subTest(op=name):
                with self.assertRaises(Exception) as theirs:
                    getattr(fallback, name)(*args)
                with self.assertRaises(type(theirs.exception)) as ours, warnings.catch_warnings():
                    warnings.simplefilter("error")  # nothing is said of what torch does not compute either
                    getattr(assay_ops, name)(*args)
                self.assertEqual(str(ours.exception), str(theirs.exception))

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


def make_workspace(folder):
    """The build under test with results of its own, which other tests do not see, and with verdicts. Returns the dtypes that are built."""
    (folder / "assay.json").write_text(json.dumps({**about, "results": str(folder / "results")}))
    modules = pathlib.Path(about["modules"])
    built = {kind for kind in DTYPES if all((modules / ("%s.%s.%s.so" % (op["name"], VARIANT, kind))).exists() for op in about["ops"])}
    for kind in built:
        subprocess.run([pathlib.Path(about["libexec"]) / "assay", "verify", "--build", folder, "--variant", VARIANT, "--dtype", kind, "--size", "small"],
                       check=True, stdout=subprocess.DEVNULL)
    return built


if __name__ == "__main__":
    torch.set_num_threads(1)
    if not unittest.TextTestRunner().run(unittest.defaultTestLoader.loadTestsFromTestCase(NoBuild)).wasSuccessful():
        sys.exit(1)
    with tempfile.TemporaryDirectory() as made:
        verified = make_workspace(pathlib.Path(made))
        if "f32" not in verified:
            print("skipped: the modules of %s for f32 are not built" % VARIANT)
            sys.exit(77)
        assay_ops.use(made)
        suite = unittest.TestSuite(unittest.defaultTestLoader.loadTestsFromTestCase(case) for case in (Kernels, Fallbacks, Shapes, Example))
        sys.exit(not unittest.TextTestRunner().run(suite).wasSuccessful())
