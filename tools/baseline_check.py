#!/usr/bin/env python3
"""Runs every baseline of every op once, shortly, and says of each whether it ran, whether its output was right and what it chose.

    python3 tools/baseline_check.py --build BUILD [--op A,B] [--dtype A,B] [--size NAME] [--baselines A,B] [--skip A,B]

BUILD is a build folder for CUDA, or an unpacked bundle. The size is small, and for an op that has inputs in two memory layouts also the first
size of the other, which is for other baselines. Kernels need not be verified: only baselines run. The times are of a few
samples and of no use; the results go to a folder of their own (--keep leaves it). torch_compile and Triton's autotuner build for
up to a minute an op, so --skip torch_compile is the quick look.

Exit status: 0 all that ran were right, 1 an output was wrong, 2 wrong use, 3 something needed is missing.
"""

import argparse
import glob
import json
import os
import subprocess
import sys
import tempfile
import time

import group_plan

PATHS = ("modules", "baselines", "libexec", "templates", "logs", "plots")


def absolute_manifest(build, results):
    """assay.json with every path absolute and other results."""
    with open(os.path.join(build, "assay.json"), encoding="utf-8") as file:
        manifest = json.load(file)
    for key in PATHS:
        if manifest.get(key):
            manifest[key] = os.path.join(build, manifest[key])
    for op in manifest["ops"]:
        for key in ("directory", "reference"):
            op[key] = os.path.join(build, op[key])
    manifest["results"] = os.path.join(results, "results")
    return manifest


def read_op(op):
    with open(os.path.join(op["directory"], "op.json"), encoding="utf-8") as file:
        return json.load(file)


def find_program(build):
    for folder in ("bin", "libexec", "."):
        path = os.path.join(build, folder, "assay-bench-group")
        if os.access(path, os.X_OK):
            return path
    raise SystemExit("baseline_check.py: no assay-bench-group in %s; build it, or name the build folder by --build" % build)


class TorchServer:
    """bench/baselines/torch/torch_baseline.py, or the reason why there is none."""

    def __init__(self, folder, python):
        self.socket = os.path.join(folder, "socket")
        self.log = open(os.path.join(folder, "torch_baseline.log"), "wb")
        here = os.path.dirname(os.path.abspath(__file__))
        script = os.path.join(here, "torch_baseline.py")  # as in a bundle
        if not os.path.exists(script):
            script = os.path.join(here, "..", "bench", "baselines", "torch", "torch_baseline.py")
        self.process = subprocess.Popen([python, script, "--socket", self.socket], stdout=self.log, stderr=self.log)
        self.reason = None
        started = time.monotonic()
        while not os.path.exists(self.socket) and self.reason is None:
            if self.process.poll() is not None or time.monotonic() - started > 120:
                self.reason = "torch_baseline.py did not start: " + self.last_line()
            time.sleep(0.1)

    def last_line(self):
        with open(self.log.name, encoding="utf-8", errors="replace") as file:
            lines = [line.strip() for line in file if line.strip()]
        return lines[-1] if lines else "no message"

    def options(self):
        return {"torch_missing": self.reason} if self.reason else {"torch_socket": self.socket}

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()


def fits(baseline, dtype):
    """As the benchmark decides: baselines named after tf32 are for that math mode alone."""
    return ("tf32" in baseline) == (dtype == "tf32")


def sizes_of(spec, dtype, given):
    if given:
        return [given]
    others = [name for name, size in spec["sizes"].items() if "shapes" in size and dtype in size.get("dtypes", [dtype])]
    return ["small"] + others[:1]


def describe(path):
    with open(path, encoding="utf-8") as file:
        assay = json.load(file)["assay"]
    modes = assay.get("modes") or {}
    times = " ".join("%s %s" % (name, "%.4g" % modes[name]["mean_us"] if modes[name].get("mean_us") else "-")
                     for name in sorted(modes))
    words = assay.get("reason") or assay.get("choice") or ""
    kind = "" if assay.get("kind") == "baseline" else " (%s)" % assay.get("kind")
    return assay.get("output_check"), "%-11s%s %-5s %-28s %s; %s" % (
        assay["status"], kind, assay.get("output_check") or "-", times, assay.get("version") or "?", words)


def run_group(program, folder, op, dtype, size, baselines, torch):
    plan = group_plan.make(folder, op, dtype, size, baselines=baselines, modes=("cold", "hot"), repetitions=1, warmup_ms=2.0,
                           sample_ms=5.0, **torch.options())
    status, words = group_plan.run(program, plan, 1800)
    return "" if status in (0, 1) else "assay-bench-group ended with %d: %s" % (status, words)


def check(options):
    build = os.path.abspath(options.build)
    program = find_program(build)
    wanted = lambda text, name: not text or name in text.split(",")
    wrong = ran = 0
    with tempfile.TemporaryDirectory(prefix="assay-baselines-") as folder:
        manifest = absolute_manifest(build, os.path.abspath(options.keep) if options.keep else folder)
        with open(os.path.join(folder, "assay.json"), "w", encoding="utf-8") as file:
            json.dump(manifest, file)
        torch = TorchServer(folder, options.python)
        try:
            for op in manifest["ops"]:
                spec = read_op(op)
                for dtype in spec["dtypes"] if wanted(options.op, op["name"]) else ():
                    baselines = [p for p in spec.get("baselines", []) if fits(p, dtype) and wanted(options.baselines, p)
                             and not (options.skip and p in options.skip.split(","))]
                    if not baselines or not wanted(options.dtype, dtype):
                        continue
                    for size in sizes_of(spec, dtype, options.size):
                        started = time.monotonic()
                        failure = run_group(program, folder, op["name"], dtype, size, baselines, torch)
                        print("%s %s %s (%.1f s) %s" % (op["name"], dtype, size, time.monotonic() - started, failure))
                        for baseline in baselines:
                            pattern = os.path.join(manifest["results"], "*", "bench", "%s.baseline_%s.%s.%s.json" % (
                                op["name"], baseline, dtype, size))
                            for path in glob.glob(pattern) or [None]:
                                verdict, line = describe(path) if path else (None, "no result")
                                print("  %-18s %s" % (baseline, line), flush=True)
                                wrong += verdict == "fail"
                                ran += verdict == "pass"
        finally:
            torch.stop()
    print("%d baselines ran and were right, %d were wrong" % (ran, wrong))
    return 1 if wrong else 0 if ran else 3


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=".", metavar="DIR")
    parser.add_argument("--size", metavar="NAME")
    parser.add_argument("--python", default=os.environ.get("ASSAY_PYTHON") or "python3", help="one that has torch")
    parser.add_argument("--keep", metavar="DIR", help="write the results here and leave them")
    for name in ("op", "dtype", "baselines", "skip"):
        parser.add_argument("--" + name, metavar="A,B")
    options = parser.parse_args(arguments)
    if not os.path.exists(os.path.join(options.build, "assay.json")):
        print("baseline_check.py: no assay.json in %s; name a build folder or a bundle by --build" % options.build, file=sys.stderr)
        return 2
    return check(options)


if __name__ == "__main__":
    sys.exit(main())
