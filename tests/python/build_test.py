"""assay_ops without torch: the structs against the compiler's, and which kernel of a build is taken.

usage: build_test.py SOURCE BUILD CC"""

import ctypes
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

source, build, compiler = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]


def load(name):
    """A part of the package by itself: the package imports torch."""
    spec = importlib.util.spec_from_file_location(name, source / "python" / "assay_ops" / (name + ".py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


abi, workspace = load("abi"), load("workspace")


class Structs(unittest.TestCase):
    def test_offsets_and_sizes_are_the_compilers(self):
        structs = {"assay_tensor": abi.Tensor, "assay_param": abi.Param, "assay_problem": abi.Problem, "assay_op_impl": abi.OpImpl}
        places = [(name, field[0]) for name, struct in structs.items() for field in struct._fields_]
        lines = ['printf("%%zu\\n", offsetof(%s, %s));' % place for place in places]
        lines += ['printf("%%zu\\n", sizeof(%s));' % name for name in structs if name != "assay_op_impl"]
        lines += ['printf("%d %d %d\\n", ASSAY_BF16, ASSAY_PARAM_TEXT, ASSAY_ERR_CHECK);']
        program = "#include <assay/op.h>\n#include <stddef.h>\nint main(void) { %s }\n" % "\n".join(lines)
        with tempfile.TemporaryDirectory() as folder:
            binary = folder + "/offsets"
            subprocess.run([compiler, "-std=c11", "-I", str(source / "include"), "-xc", "-", "-o", binary], input=program.encode(), check=True)
            told = subprocess.run([binary], stdout=subprocess.PIPE, check=True).stdout.decode().split()
        here = [getattr(structs[name], field).offset for name, field in places]
        here += [ctypes.sizeof(struct) for name, struct in structs.items() if name != "assay_op_impl"]
        here += [abi.DTYPES["bf16"], abi.TEXT, len(abi.STATUS) - 1]
        self.assertEqual([int(word) for word in told], here)


class Runtime(unittest.TestCase):
    def test_the_cpu_device_can_be_loaded_into_a_running_program(self):
        """It is linked for start-up: its thread-locals must fit the room that the loader keeps for latecomers."""
        about = json.loads((build / "assay.json").read_text())
        library = build / "lib" / "libassay_simt.so"
        if about["versions"]["sanitize"] != "none" or not library.exists():
            self.skipTest("a sanitizer's runtime comes first, or there is no CPU device")
        self.assertIsNotNone(ctypes.CDLL(str(library)).simt_take_control)


def row(name, size, mean, status="ok"):
    return {"op": "softmax", "dtype": "f32", "name": name, "size": size, "status": status, "modes": {"cold": {"mean_us": mean}}}


class Fastest(unittest.TestCase):
    variants = ["v1_baseline", "v3_coalesced", "v3d_more", "v4_optimized"]

    def test_without_times_the_last_step(self):
        self.assertEqual(workspace.fastest([], self.variants), ("v4_optimized", 0))
        self.assertEqual(workspace.fastest([], self.variants + ["v5_triton"]), ("v4_optimized", 0))
        self.assertEqual(workspace.fastest([], self.variants[:3]), ("v3d_more", 0))

    def test_small_sizes_count_as_much_as_large_ones(self):
        rows = [row("v3_coalesced", "small", 1), row("v3_coalesced", "large", 110), row("v4_optimized", "small", 2), row("v4_optimized", "large", 100)]
        self.assertEqual(workspace.fastest(rows, self.variants), ("v3_coalesced", 2))

    def test_who_is_timed_at_fewer_sizes_is_not_compared(self):
        rows = [row("v1_baseline", "small", 0.1), row("v4_optimized", "small", 2), row("v4_optimized", "large", 100)]
        self.assertEqual(workspace.fastest(rows, self.variants), ("v4_optimized", 2))

    def test_what_is_not_offered_or_unstable_is_left_out(self):
        rows = [row("baseline_copy", "small", 0.1), row("v1_baseline", "small", 0.2, "unstable"), row("v3_coalesced", "small", 3)]
        self.assertEqual(workspace.fastest(rows, self.variants), ("v3_coalesced", 1))


class Choice(unittest.TestCase):
    """A build folder that is made up here."""

    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.folder = pathlib.Path(self._folder.name)
        (self.folder / "modules").mkdir()
        (self.folder / "results" / "card" / "verify").mkdir(parents=True)
        self.write("assay.json", device="cpu", modules="modules", results="results", libexec="bin",
                   ops=[{"name": "softmax", "directory": "ops/softmax", "reference": "references/softmax.so"}])

    def write(self, path, **values):
        (self.folder / path).write_text(json.dumps(values))

    def module(self, variant, **values):
        self.write("modules/softmax.%s.f32.json" % variant, **{"variant": variant, "status": "ok", "device": "cpu", "source_sha256": "new",
                                                               "library": "softmax.%s.f32.so" % variant, **values})

    def verdict(self, variant, size, status, sha="new"):
        self.write("results/card/verify/softmax.%s.f32.%s.json" % (variant, size), status=status, size=size, source_sha256=sha)

    def refused(self):
        with self.assertRaises(workspace.Unavailable) as caught:
            workspace.Workspace(self.folder).choose("softmax", "f32")
        return str(caught.exception)

    def test_a_verified_one_is_taken(self):
        self.module("v1_baseline")
        self.verdict("v1_baseline", "small", "pass")
        self.module("v4_optimized")
        choice = workspace.Workspace(self.folder).choose("softmax", "f32")
        self.assertEqual((choice.variant, choice.timed), ("v1_baseline", 0))
        self.assertEqual(choice.library, self.folder / "modules" / "softmax.v1_baseline.f32.so")

    def test_reasons(self):
        self.assertIn("none is built", self.refused())
        self.module("v1_baseline")
        self.assertIn("is not verified", self.refused())
        self.verdict("v1_baseline", "small", "pass", sha="old")
        self.assertIn("is not verified", self.refused())
        self.verdict("v1_baseline", "small", "skipped")
        self.assertIn("is not verified", self.refused())
        self.verdict("v1_baseline", "small", "pass")
        self.verdict("v1_baseline", "edge", "fail")
        self.assertIn("is wrong at size edge", self.refused())
        self.module("v1_baseline", status="failed")
        self.assertIn("does not compile", self.refused())
        self.module("v1_baseline", device="cuda")
        self.assertIn("is for the device cuda", self.refused())

    def test_a_folder_that_is_none(self):
        with self.assertRaisesRegex(ValueError, "is no build folder of Assay"):
            workspace.Workspace(self.folder / "modules")
        self.write("assay.json", device="cpu")
        with self.assertRaisesRegex(ValueError, "is no build folder of Assay"):
            workspace.Workspace(self.folder)


unittest.main(argv=sys.argv[:1])
