"""What the tests of assay_ops share: a Python with torch, a verified build, and what the kernels offer. Their arguments: SOURCE BUILD CC."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
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
        self.assertEqual({w.filename for w in caught} - {sys.modules[type(self).__module__].__file__}, set())
        return result, [str(w.message) for w in caught]


def make_workspace(folder):
    """The build under test with results of its own, which other tests do not see, and with verdicts. Returns the dtypes that are built."""
    (folder / "assay.json").write_text(json.dumps({**about, "results": str(folder / "results")}))
    modules = pathlib.Path(about["modules"])
    built = {kind for kind in DTYPES if all((modules / ("%s.%s.%s.so" % (op["name"], VARIANT, kind))).exists() for op in about["ops"])}
    for kind in built:
        subprocess.run([pathlib.Path(about["libexec"]) / "assay", "verify", "--build", folder, "--variant", VARIANT, "--dtype", kind, "--size", "small"],
                       check=True, stdout=subprocess.DEVNULL)
    return built


def run(*cases):
    """Exits 0 if all tests of these classes pass by a verified build, whose dtypes each knows as `verified`."""
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as made:
        verified = make_workspace(pathlib.Path(made))
        if "f32" not in verified:
            print("skipped: the modules of %s for f32 are not built" % VARIANT)
            sys.exit(77)
        assay_ops.use(made)
        Quiet.verified = verified
        suite = unittest.TestSuite(unittest.defaultTestLoader.loadTestsFromTestCase(case) for case in cases)
        sys.exit(not unittest.TextTestRunner().run(suite).wasSuccessful())
