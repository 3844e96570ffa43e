"""Tests of tools/baseline_check.py with a benchmark program of the test's own, which writes results as the real one does."""

import contextlib
import io
import json
import os
import stat
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "..", "bench", "baselines", "torch"), os.path.join(HERE, "..", "..", "tools")]

import baseline_check

PROGRAM = '''#!%s
import json, os, sys
assert sys.argv[1:] == ["--plan", "-"]
plan = json.load(sys.stdin)
workspace = json.load(open(os.path.join(plan["workspace"], "assay.json")))
folder = os.path.join(workspace["results"], "card", "bench")
os.makedirs(folder, exist_ok=True)
for baseline in plan["baselines"]:
    assay = {"status": "ok", "kind": "baseline", "output_check": "pass", "version": "lib 1", "choice": "engine 4",
             "modes": {"cold": {"mean_us": 5.25}, "hot": {"mean_us": None}}, "reason": ""}
    if baseline == "wrong":
        assay.update(status="not timed", output_check="fail", reason="the timed output is wrong", modes={})
    if baseline.startswith("torch"):
        assay.update(status="unavailable", output_check=None, reason=plan["torch_missing"], version=None, modes={})
    if baseline != "silent":
        name = "%%s.baseline_%%s.%%s.%%s.json" %% (plan["op"], baseline, plan["dtype"], plan["size"])
        json.dump({"assay": assay}, open(os.path.join(folder, name), "w"))
sys.exit(1 if "wrong" in plan["baselines"] else 0)
'''


class Check(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        build = self.folder.name
        os.makedirs(os.path.join(build, "bin"))
        os.makedirs(os.path.join(build, "ops", "add"))
        program = os.path.join(build, "bin", "assay-bench-group")
        with open(program, "w", encoding="utf-8") as file:
            file.write(PROGRAM % sys.executable)
        os.chmod(program, os.stat(program).st_mode | stat.S_IXUSR)
        with open(os.path.join(build, "assay.json"), "w", encoding="utf-8") as file:
            json.dump({"schema": 1, "ops": [{"name": "add", "directory": "ops/add", "reference": "references/add.so"}],
                       "results": "results", "modules": "modules"}, file)

    def run_main(self, baselines, *arguments, sizes=None):
        with open(os.path.join(self.folder.name, "ops", "add", "op.json"), "w", encoding="utf-8") as file:
            json.dump({"dtypes": ["f32", "tf32"], "baselines": baselines, "sizes": sizes or {"small": {}, "large": {}}}, file)
        out, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            status = baseline_check.main(["--build", self.folder.name, "--python", "/bin/false", *arguments])
        return status, out.getvalue(), errors.getvalue()

    def test_right(self):
        status, out, _ = self.run_main(["cub", "lt_tf32", "torch_eager", "silent"])
        self.assertEqual(status, 0, out)
        self.assertIn("ok          pass  cold 5.25 hot - ", out)
        self.assertIn("lib 1; engine 4", out)
        self.assertIn("unavailable", out)
        self.assertIn("torch_baseline.py did not start", out)
        self.assertIn("no result", out)
        self.assertIn("2 baselines ran and were right, 0 were wrong", out)
        self.assertEqual([line.split()[1] for line in out.splitlines() if line.startswith("add")], ["f32", "tf32"])
        self.assertFalse(os.path.exists(os.path.join(self.folder.name, "results")))  # the build's own are left alone

    def test_wrong(self):
        status, out, _ = self.run_main(["cub", "wrong"])
        self.assertEqual(status, 1)
        self.assertIn("the timed output is wrong", out)

    def test_choice_of_baselines(self):
        status, out, _ = self.run_main(["cub", "wrong"], "--skip", "wrong")
        self.assertEqual(status, 0)
        self.assertNotIn("  wrong ", out)
        status, out, _ = self.run_main(["cub", "wrong"], "--baselines", "wrong", "--dtype", "tf32")
        self.assertEqual((status, out), (3, "0 baselines ran and were right, 0 were wrong\n"))

    def test_a_size_of_each_layout(self):
        turned = {"shapes": {"x": ["N", "M"]}}
        sizes = {"small": {}, "large": {}, "large_turned": {**turned, "dtypes": ["tf32"]}, "huge_turned": turned}
        cases = lambda out: [line.split()[1:3] for line in out.splitlines() if line.startswith("add")]
        status, out, _ = self.run_main(["cub", "lt_tf32"], sizes=sizes)
        self.assertEqual(cases(out), [["f32", "small"], ["f32", "huge_turned"], ["tf32", "small"], ["tf32", "large_turned"]])
        self.assertIn("4 baselines ran and were right", out)
        status, out, _ = self.run_main(["cub"], "--size", "large", sizes=sizes)
        self.assertEqual(cases(out), [["f32", "large"]])

    def test_no_build(self):
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors):
            self.assertEqual(baseline_check.main(["--build", os.path.join(self.folder.name, "bin")]), 2)
        self.assertIn("no assay.json", errors.getvalue())


if __name__ == "__main__":
    unittest.main()
