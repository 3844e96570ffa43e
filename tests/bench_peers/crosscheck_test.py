"""Tests of bench/crosscheck.py with an invented torch, profiler and worker."""

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
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "bench")]

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
workspace = sys.argv[sys.argv.index("--workspace") + 1]
manifest = json.load(open(os.path.join(workspace, "assay.json")))
card = os.path.join(manifest["results"], "card")
assert os.path.exists(os.path.join(card, "verify", "add.v4_optimized.f32.large.json"))
assert os.path.isabs(manifest["modules"]) and os.path.isabs(manifest["ops"][0]["reference"])
os.makedirs(os.path.join(card, "bench"), exist_ok=True)
with open(os.path.join(card, "bench", "add.v4_optimized.f32.large.json"), "w") as file:
    json.dump({"assay": {"status": "ok", "figures": {"cold": {"median_us": 62.9}}}}, file)
'''

# Two kernels a launch, as many launches as asked for.
NCU_PROGRAM = '''#!/usr/bin/env python3
import os, sys
program = sys.argv[sys.argv.index("off") + 1]
assert os.path.basename(program) == "assay-launch-case" and os.access(program, os.X_OK), sys.argv
assert sys.argv[sys.argv.index("--mode") + 1] == "profile"
print("==PROF== Connected")
print('"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"')
for i in range(int(sys.argv[sys.argv.index("--launches") + 1]) - %(lost)d):
    print('"%%d","add_v4","gpu__time_duration.sum","ns","%(ns)s"' %% (2 * i))
    print('"%%d","add_rest","gpu__time_duration.sum","ns","400"' %% (2 * i + 1))
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

    def test_ncu_table(self):
        self.assertEqual(crosscheck.parse_ncu(NCU), [61.44, 62.0005])
        self.assertEqual(crosscheck.parse_ncu("==ERROR== no permission\n"), [])


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
        write_program(os.path.join(self.build, "bin", "assay-bench-group"), WORKER)
        write_program(os.path.join(self.build, "bin", "assay-launch-case"), "#!/bin/sh\n")

    def run_main(self, nanoseconds, *arguments, lost=0):
        programs = os.path.join(self.folder.name, "programs")
        os.makedirs(programs, exist_ok=True)
        write_program(os.path.join(programs, "ncu"), NCU_PROGRAM % {"ns": nanoseconds, "lost": lost})
        out, errors = io.StringIO(), io.StringIO()
        path = programs + os.pathsep + os.environ["PATH"]
        with mock.patch.dict(os.environ, {"PATH": path}), mock.patch.dict(sys.modules, {"torch": None}), \
                contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            status = crosscheck.main(list(arguments))
        return status, out.getvalue(), errors.getvalue()

    def test_agreement(self):
        path = os.path.join(self.folder.name, "out.json")
        status, out, errors = self.run_main("61,000", "--build", self.build, "--out", path)
        self.assertEqual(status, 0, errors)
        self.assertIn("agrees", out)
        self.assertIn("has no torch", errors)
        with open(path, encoding="utf-8") as file:
            self.assertEqual(json.load(file)["comparisons"][0]["theirs_us"], 61.4)
        self.assertFalse(os.path.exists(os.path.join(self.build, "results", "card", "bench")))

    def test_disagreement(self):
        status, out, _ = self.run_main("50,000", "--build", self.build)
        self.assertEqual(status, 1)
        self.assertIn("differs", out)

    def test_lost_launches(self):
        with mock.patch.object(crosscheck, "PROFILED_LAUNCHES", 5):
            status, _, errors = self.run_main("61,000", "--build", self.build, lost=2)
        self.assertEqual(status, 3)
        self.assertIn("ncu saw 6 kernels in 5 launches of add.v4_optimized.f32.large", errors)

    def test_nothing_to_check_is_a_skip(self):
        status, _, errors = self.run_main("1")
        self.assertEqual(status, 77)
        self.assertIn("no --build", errors)

    def test_no_worker(self):
        os.unlink(os.path.join(self.build, "bin", "assay-bench-group"))
        status, _, errors = self.run_main("1", "--build", self.build)
        self.assertEqual(status, 3)
        self.assertIn("no assay-bench-group", errors)

    def test_torch_against_do_bench(self):
        torch = fake_torch.make()
        quick = ["--op", "add", "--dims", "M=64,N=64", "--figures", "cold", "--do-bench", "--repetitions", "2", "--sample-ms",
                 "1", "--warmup-ms", "0"]
        with mock.patch.object(crosscheck.torch_peer, "do_bench_us", lambda problem: 7.5):
            check = crosscheck.check_torch(torch, 64, quick)
        self.assertAlmostEqual(check["ours_us"], 7.0, places=3)
        self.assertEqual(check["theirs_us"], 7.5)


if __name__ == "__main__":
    unittest.main()
