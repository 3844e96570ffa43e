"""build_module/triton/triton_source.py: what it makes of launches, and, where Triton is, a variant of the tree through the PTX device.

usage: triton_test.py SOURCE BUILD CC"""

import ast
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

source, build = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
script = source / "build_module" / "triton" / "triton_source.py"
spec = importlib.util.spec_from_file_location("triton_source", script)
triton_source = importlib.util.module_from_spec(spec)
spec.loader.exec_module(triton_source)
Symbol, Refused = triton_source.Symbol, triton_source.Refused


def has(python, module):
    question = "import importlib.util, sys; sys.exit(importlib.util.find_spec(%r) is None)" % module
    return subprocess.run([python, "-c", question], check=False).returncode == 0


python = os.environ.get("ASSAY_PYTHON") or sys.executable
has_triton, has_torch = has(python, "triton"), has(python, "torch")


class Expressions(unittest.TestCase):
    def test_sizes_become_c(self):
        m = Symbol("args->m")
        self.assertEqual(((m + (64 - 1)) // 64 * 2).c, "(((args->m + (int64_t)63) / (int64_t)64) * (int64_t)2)")
        self.assertEqual((3 * m % Symbol("args->n")).c, "((args->m * (int64_t)3) % args->n)")

    def test_a_launch_that_looks_at_a_size_is_refused(self):
        for look in (bool, int, lambda m: m < 3, lambda m: m == 3, lambda m: [1][m]):
            with self.assertRaisesRegex(Refused, "args->m, which is known only when it runs: name the cases in CHOICES"):
                look(Symbol("args->m"))
        with self.assertRaises(TypeError):
            Symbol("args->scale", "fp32") * 2

    def test_members_of_every_op(self):
        for op, expected in (("softmax", ["x", "out", "outer", "length", "inner", "workspace", "workspace_bytes", "row_padding"]),
                             ("mha", ["q", "k", "v", "out", "batch", "heads", "group", "queries", "keys", "dim", "scale", "causal",
                                      "causal_shift", "workspace", "workspace_bytes", "key_padding"])):
            members = triton_source.read_members((source / "ops" / op / (op + ".h")).read_text(), op)
            self.assertEqual([name for name, _ in members], expected)
        self.assertEqual(dict(members)["scale"], "double")
        self.assertEqual(dict(members)["k"], "pointer")
        with self.assertRaisesRegex(Refused, "no struct other_args"):
            triton_source.read_members("", "other")

    def test_conditions(self):
        members = [("m", "int64_t"), ("n", "int64_t")]
        self.assertEqual(triton_source.condition_in_c("m <= 512 and (n > 3 or m == 1)", members),
                         "args->m <= 512 && (args->n > 3 || args->m == 1)")
        with self.assertRaisesRegex(Refused, "other is no member"):
            triton_source.condition_in_c("other > 3", members)

    def test_every_size_has_a_choice(self):
        """Of the variants in the tree, whose conditions are Python here."""
        for path in sorted((source / "ops").glob("*/v*_triton.py")):
            values = [node.value for node in ast.parse(path.read_text()).body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "CHOICES"]
            choices = ast.literal_eval(values[0])
            for size in (0, 1, 17, 64, 128, 255, 256):
                names = {"length": 40 * size, "m": 9 * size, "n": size, "dim": size, "batch": 1,
                         **dict.fromkeys(("transpose_a", "transpose_b", "padding_a", "padding_b", "row_padding"), 0)}
                self.assertTrue(any(eval(condition, names) for condition, _ in choices), (path, size))


class Script(unittest.TestCase):
    """As a program, by a Python that has Triton."""

    def run_script(self, *arguments):
        return subprocess.run([python, "-W", "ignore", "-B", script, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              universal_newlines=True, check=False)

    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.out = pathlib.Path(self._folder.name) / "kernel.cu"

    @unittest.skipIf(has_triton, "there is Triton")
    def test_without_triton_it_is_skipped(self):
        told = self.run_script(source / "ops/softmax/v5_triton.py", "-o", self.out)
        self.assertEqual((told.returncode, self.out.exists()), (77, False))
        self.assertIn("has no Triton", told.stdout)

    @unittest.skipUnless(has_triton, "no Triton")
    def test_what_is_refused(self):
        variant = self.out.with_name("v5_bad.py")
        text = (source / "ops/softmax/v5_triton.py").read_text()
        for change, reason in (("def run_kernel", "def other"), "no function run_kernel"), (("CHOICES = [", 'CHOICES = [("width > 1", {}), '), "width"), (("(outer * inner,)", "(max(outer, inner),)"), "CHOICES"):
            variant.write_text(text.replace(*change))
            told = self.run_script(variant, "--header", source / "ops/softmax/softmax.h", "--dtypes", "f32", "-o", self.out)
            self.assertEqual((told.returncode, self.out.exists()), (2, False), told.stderr)
            self.assertIn(reason, told.stderr)
            self.assertEqual(told.stderr.count("\n"), 1)

    @unittest.skipUnless(has_triton, "no Triton")
    def test_softmax_is_right_on_the_ptx_device(self):
        told = self.run_script(source / "ops/softmax/v5_triton.py", "--dtypes", "f32", "--archs", "90", "-o", self.out)
        self.assertEqual((told.returncode, told.stderr), (0, ""))
        about = json.loads((build / "assay.json").read_text())
        if not about.get("ptx_toolchain"):
            self.skipTest("no nvcc: no PTX device")
        judged = subprocess.run([pathlib.Path(about["libexec"]) / "assay", "verify", "softmax", "--build", build, "--source", self.out, "--device", "ptx",
                                 "--dtype", "f32", "--size", "small"], stdout=subprocess.PIPE, universal_newlines=True, check=False)
        self.assertEqual(judged.returncode, 0, judged.stdout)
        self.assertIn("1 passed, 0 failed", judged.stdout)

    @unittest.skipUnless(has_triton and has_torch, "no Triton or no torch")
    def test_the_variants_by_themselves(self):
        """setup(), run_kernel() and reference() in Triton's interpreter."""
        program = ("import runpy, sys, torch\nv = runpy.run_path(sys.argv[1])\ns = v['setup'](**eval(sys.argv[2]), device='cpu')\n"
                   "v['run_kernel'](**s)\nout = s[sys.argv[3]]\ntorch.testing.assert_close(out, v['reference'](**s), rtol=1e-4, atol=1e-4)")
        for op, sizes, out in (("softmax", {"M": 5, "N": 300}, "out"), ("matmul", {"M": 70, "N": 33, "K": 50}, "c"),
                               ("mha", {"H": 2, "L": 40, "S": 50, "D": 20, "causal": 1}, "out"),
                               ("mha", {"H": 4, "L": 10, "S": 40, "D": 16, "causal": 1, "group": 2, "bottom_right": 1, "padding": 3}, "out")):
            told = subprocess.run([python, "-W", "ignore", "-B", "-c", program, source / "ops" / op / "v5_triton.py", repr(sizes), out],
                                  env={**os.environ, "TRITON_INTERPRET": "1"}, stderr=subprocess.PIPE, universal_newlines=True, check=False)
            self.assertEqual(told.returncode, 0, (op, told.stderr[-2000:]))


unittest.main(argv=sys.argv[:1])
