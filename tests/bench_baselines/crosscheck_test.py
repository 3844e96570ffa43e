"""Tests of tools/crosscheck.py with an invented torch, profiler and worker."""

import contextlib
import io
import json
import os
import stat
import sys
import tempfile
import unittest
from unittest import mock

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "bench", "baselines", "torch"), os.path.join(HERE, "..", "..", "tools")]

import crosscheck
import fake_torch

NCU = '''==PROF== Connected to process 1
==PROF== Profiling "add_v4": 0%
"ID","Process ID","Kernel Name","Metric Name","Metric Unit","Metric Value"
"0","1","add_v4","gpu__time_duration.sum","ns","61,440"
"1","1","add_v4","gpu__time_duration.sum","ns","62,000.5"
'''

WORKER = '''#!/usr/bin/env python3
import json, os, sys
assert sys.argv[1:] == ["--plan", "-"]
plan = json.load(sys.stdin)
workspace = plan["workspace"]
assert plan["method"]["flush"] == "read" and len(plan["variants"]) == 1
manifest = json.load(open(os.path.join(workspace, "assay.json")))
card = os.path.join(manifest["results"], "card")
assert os.path.exists(os.path.join(card, "verify", "add.v4_optimized.f32.large.json"))
assert os.path.isabs(manifest["modules"]) and os.path.isabs(manifest["ops"][0]["reference"])
os.makedirs(os.path.join(card, "bench"), exist_ok=True)
with open(os.path.join(card, "bench", "add.v4_optimized.f32.large.json"), "w") as file:
    json.dump({"assay": {"status": "ok", "modes": {"cold": {"median_us": 64.77}}, "launch_overhead_us": {"cold": %(overhead)s}}}, file)
'''

# Two kernels a launch and an empty one behind them, as many launches as asked for. The first ones are slow, as before clocks rise.
NCU_PROGRAM = '''#!/usr/bin/env python3
import os, sys
program = sys.argv[sys.argv.index("off") + 1]
assert os.path.basename(program) == "assay-launch-case" and os.access(program, os.X_OK), sys.argv
assert sys.argv[sys.argv.index("--mode") + 1] == "profile-overhead"
print("==PROF== Connected")
print('"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"')
launches = int(sys.argv[sys.argv.index("--launches") + 1])
for i in range(launches):
    slow = 2 if i < 4 else 1
    if i < launches - %(lost)d:
        print('"%%d","add_v4","gpu__time_duration.sum","ns","%%d"' %% (3 * i, slow * %(ns)d - 400))
        print('"%%d","add_rest","gpu__time_duration.sum","ns","400"' %% (3 * i + 1))
    print('"%%d","empty_kernel()","gpu__time_duration.sum","ns","%%s"' %% (3 * i + 2, "2,200" if slow == 1 else "9,900"))
'''


def write_program(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)


class Parts(unittest.TestCase):
    def test_verdicts(self):
        self.assertEqual(crosscheck.compare("a", 71.9, 72.6, "x")["verdict"], "agrees")
        self.assertEqual(crosscheck.compare("a", 71.9, 62.0, "x")["verdict"], "differs")
        self.assertEqual(crosscheck.compare("a", 8.6, 10.1, "x")["verdict"], "shown only")

    def test_floors_are_taken_off_before_judging(self):
        check = crosscheck.compare("a", 64.77, 61.84, "x", (4.5, 2.2))
        self.assertAlmostEqual(check["difference"], 0.0474, places=4)
        self.assertAlmostEqual(check["difference_corrected"], 0.0106, places=4)
        self.assertEqual(check["verdict"], "agrees")
        # The raw times agree and what the kernels take does not: 3.1 us of 60.
        check = crosscheck.compare("a", 62.0, 62.0, "x", (5.3, 2.2))
        self.assertEqual((check["difference"], check["verdict"]), (0.0, "differs"))
        self.assertEqual(crosscheck.compare("a", 22.0, 19.9, "x", (4.5, 2.2))["verdict"], "shown only")

    def test_ncu_table(self):
        self.assertEqual(crosscheck.parse_ncu(NCU), [("add_v4", 61.44), ("add_v4", 62.0005)])
        self.assertEqual(crosscheck.parse_ncu("==ERROR== no permission\n"), [])

    def test_permission_is_named(self):
        with self.assertRaisesRegex(RuntimeError, "ERR_NVGPUCTRPERM"):
            crosscheck.read_durations("==ERROR== ERR_NVGPUCTRPERM - no permission\n", "a")


class Whole(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.build = os.path.join(self.folder.name, "build")
        verdicts = os.path.join(self.build, "results", "card", "verify")
        os.makedirs(verdicts)
        os.makedirs(os.path.join(self.build, "bin"))
        with open(os.path.join(verdicts, "add.v4_optimized.f32.large.json"), "w", encoding="utf-8") as file:
            json.dump({"status": "pass"}, file)
        with open(os.path.join(self.build, "assay.json"), "w", encoding="utf-8") as file:
            json.dump({"schema": 1, "source": "", "results": "results", "modules": "modules", "libexec": "bin",
                       "ops": [{"name": "add", "directory": "ops/add", "reference": "references/add.so"}]}, file)
        write_program(os.path.join(self.build, "bin", "assay-bench-group"), WORKER % {"overhead": 4.5})
        write_program(os.path.join(self.build, "bin", "assay-launch-case"), "#!/bin/sh\n")

    def run_main(self, nanoseconds, *arguments, lost=0):
        """nanoseconds: of one launch in ncu"""
        programs = os.path.join(self.folder.name, "programs")
        os.makedirs(programs, exist_ok=True)
        write_program(os.path.join(programs, "ncu"), NCU_PROGRAM % {"ns": nanoseconds, "lost": lost})
        out, errors = io.StringIO(), io.StringIO()
        path = programs + os.pathsep + os.environ["PATH"]
        with mock.patch.dict(os.environ, {"PATH": path}), mock.patch.dict(sys.modules, {"torch": None}), \
                contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            status = crosscheck.main(list(arguments))
        return status, out.getvalue(), errors.getvalue()

    ONE_CASE = ("--case", "add.v4_optimized.f32.large")

    def test_agreement(self):
        path = os.path.join(self.folder.name, "out.json")
        status, out, errors = self.run_main(61840, "--build", self.build, "--out", path, *self.ONE_CASE)
        self.assertEqual(status, 0, errors)
        self.assertRegex(out, r"\+4.7%  overhead-corrected \(4.50 and 2.20 us\)  \+1.1%  agrees")
        self.assertIn("has no torch", errors)
        with open(path, encoding="utf-8") as file:
            check = json.load(file)["comparisons"][0]
        self.assertAlmostEqual(check["theirs_us"], 61.84)
        self.assertAlmostEqual(check["theirs_overhead_us"], 2.2)
        self.assertFalse(os.path.exists(os.path.join(self.build, "results", "card", "bench")))

    def test_disagreement(self):
        status, out, _ = self.run_main(60000, "--build", self.build, *self.ONE_CASE)
        self.assertEqual(status, 1)
        self.assertIn("differs", out)

    def test_lost_launches(self):
        with mock.patch.object(crosscheck, "PROFILED_LAUNCHES", 5):
            status, _, errors = self.run_main(61840, "--build", self.build, *self.ONE_CASE, lost=2)
        self.assertEqual(status, 3)
        self.assertIn("ncu saw 6 kernels in 5 launches of add.v4_optimized.f32.large, and 5 empty ones", errors)

    def test_a_case_that_fails_leaves_the_others(self):
        status, out, errors = self.run_main(61840, "--build", self.build, "--case", "softmax.v1.f32.large", *self.ONE_CASE)
        self.assertEqual(status, 0)
        self.assertIn("agrees", out)
        self.assertIn("softmax.v1.f32.large against ncu: assay-bench-group wrote no result", errors)

    def test_no_overhead(self):
        write_program(os.path.join(self.build, "bin", "assay-bench-group"), WORKER % {"overhead": None})
        status, _, errors = self.run_main(61840, "--build", self.build, *self.ONE_CASE)
        self.assertEqual(status, 3)
        self.assertIn("has no launch overhead", errors)

    def test_a_name_that_is_no_case(self):
        with self.assertRaises(SystemExit) as end:
            self.run_main(1, "--build", self.build, "--case", "add.v4_optimized")
        self.assertEqual(end.exception.code, 2)

    def test_nothing_to_check_is_a_skip(self):
        status, _, errors = self.run_main(1)
        self.assertEqual(status, 77)
        self.assertIn("no --build", errors)

    def test_no_worker(self):
        os.unlink(os.path.join(self.build, "bin", "assay-bench-group"))
        status, _, errors = self.run_main(1, "--build", self.build)
        self.assertEqual(status, 3)
        self.assertIn("no assay-bench-group", errors)

    def test_torch_against_do_bench(self):
        torch = fake_torch.make()
        quick = ["--op", "add", "--dims", "M=64,N=64", "--modes", "cold", "--do-bench", "--repetitions", "2", "--sample-ms",
                 "1", "--warmup-ms", "0"]
        with mock.patch.object(crosscheck.torch_baseline, "do_bench_us", lambda problem: 7.5):
            check = crosscheck.check_torch(torch, 64, quick)
        self.assertAlmostEqual(check["ours_us"], 7.0, places=3)
        self.assertEqual(check["theirs_us"], 7.5)


if __name__ == "__main__":
    unittest.main()
