#!/usr/bin/env python3
"""Cross-check of the cold time (memset flush) against nvbench's way of taking it (assay-launch-case), on a GPU machine.

For each case the worker measures the cold time into a scratch folder, then the independent program measures the same module. From 20 us
up the medians must agree within 3 percent; below that they are shown only, because the launch overheads of the methods differ.

    crosscheck_cold.py --build BUILD [--case OP.VARIANT.DTYPE.SIZE ...] [--out FILE]

Exit status: 0 all agree, 1 some do not, 2 wrong use, 3 the environment.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

import crosscheck
import group_plan

MOST_DIFFERENCE = 0.03
CASES = ["add.v4_optimized.f32.small", "add.v4_optimized.f32.medium", "add.v4_optimized.f32.large",
         "softmax.v4_optimized.f32.large", "softmax.v4_optimized.bf16.large", "layernorm.v4_optimized.f32.large",
         "transpose.v4_optimized.f32.large", "gelu.v4_optimized.bf16.large", "reduce_sum.v4_optimized.f32.large"]


def run(command, what):
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        raise RuntimeError("%s ended with status %d: %s" % (what, done.returncode, lines[-1] if lines else "no output"))
    return done.stdout


def check(case, worker, theirs, workspace, results):
    op, variant, dtype, size = case.split(".")
    names = ["--workspace", workspace, "--op", op, "--dtype", dtype, "--size", size]
    crosscheck.measure(worker, group_plan.make(workspace, op, dtype, size, variants=[variant]))
    paths = [os.path.join(folder, name) for folder, _, files in os.walk(results) for name in files
             if name == case + ".json" and os.path.basename(folder) == "bench"]
    with open(paths[0], encoding="utf-8") as file:
        result = json.load(file)["assay"]
    if result["status"] not in ("ok", "unstable"):
        raise RuntimeError("%s was not timed: %s" % (case, result.get("reason")))
    other = json.loads(run([theirs] + names + ["--variant", variant, "--mode", "cold"], "assay-launch-case"))
    ours_us, theirs_us = result["modes"]["cold"]["median_us"], other["median_us"]
    difference = ours_us / theirs_us - 1.0
    judged = min(ours_us, theirs_us) >= crosscheck.LEAST_US
    return {"name": case, "ours_us": ours_us, "theirs_us": theirs_us, "theirs": "nvbench-style", "difference": difference,
            "samples": other["samples"], "noise_percent": other["noise_percent"],
            "verdict": "shown only" if not judged else "agrees" if abs(difference) <= MOST_DIFFERENCE else "differs"}


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", metavar="DIR", required=True, help="build folder or unpacked bundle")
    parser.add_argument("--case", action="append", metavar="OP.VARIANT.DTYPE.SIZE", help="may be repeated")
    parser.add_argument("--out", metavar="FILE", help="write the comparisons as JSON")
    options = parser.parse_args(arguments)
    checks, missing = [], []
    try:
        worker = crosscheck.find_worker(options.build)
        theirs = os.path.join(os.path.dirname(worker), "assay-launch-case")
        if not os.access(theirs, os.X_OK):
            raise RuntimeError("%s is not there; it is built with CUDA only" % theirs)
        with tempfile.TemporaryDirectory() as folder:
            results = crosscheck.copy_workspace(options.build, folder)
            for case in options.case or CASES:
                try:
                    checks.append(check(case, worker, theirs, folder, results))
                    print("%-40s ours %9.2f us  %s %9.2f us  %+6.1f%%  %s" % (
                        case, checks[-1]["ours_us"], checks[-1]["theirs"], checks[-1]["theirs_us"],
                        100 * checks[-1]["difference"], checks[-1]["verdict"]), flush=True)
                except (RuntimeError, IndexError, subprocess.SubprocessError) as failure:
                    missing.append("%s: %s" % (case, failure))
        if options.out:
            with open(options.out, "w", encoding="utf-8") as file:
                json.dump({"schema": 1, "comparisons": checks, "missing": missing}, file, indent=1)
                file.write("\n")
    except (OSError, RuntimeError, ValueError, KeyError) as failure:
        print("crosscheck_cold.py: %s" % failure, file=sys.stderr)
        return 3
    for reason in missing:
        print("not checked: %s" % reason, file=sys.stderr)
    return 3 if not checks else 1 if any(entry["verdict"] == "differs" for entry in checks) else 0


if __name__ == "__main__":
    sys.exit(main())
