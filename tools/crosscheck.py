#!/usr/bin/env python3
"""Cross-check of the measuring method on a GPU machine, against tools that others trust.

1. torch.add at 1024^2 and 4096^2 in f32: the cold time (bench/baselines/torch/torch_baseline.py) against Triton's do_bench of the same call.
2. Variants: the cold time with --flush read against ncu's gpu__time_duration of the same kernel. The two begin and end their clocks at
   different places, so each method's launch overhead, its time of an empty kernel, is taken off: that of events from the result, that of ncu from
   empty kernels between the profiled launches.

From 20 us up the two must agree within 3 percent; below that they are shown only. The raw difference is shown beside it.
The second check works on a copy of the workspace: times taken under a profiler must never land among the results.

    crosscheck.py --build BUILD [--case OP.VARIANT.DTYPE.SIZE ...] [--out FILE]

Exit status: 0 all agree, 1 some do not, 2 wrong use, 3 the environment, 77 nothing could be checked (reasons are printed).
"""

import argparse
import csv
import glob
import io
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

# In the source tree the torch scripts have a folder of their own; in a bundle all scripts share one.
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bench", "baselines", "torch"))
import group_plan
import torch_baseline

LEAST_US = 20.0
MOST_DIFFERENCE = 0.03
PROFILED_LAUNCHES = 24
WARMING_LAUNCHES = 4
EMPTY_KERNEL = "empty_kernel"  # device/cuda/cuda_kernels.cu
CASES = ["add.v4_optimized.f32.large", "softmax.v4_optimized.f32.large", "softmax.v4_optimized.bf16.large",
         "transpose.v4_optimized.f32.large"]


def compare(name, ours_us, theirs_us, theirs, overheads_us=None):
    """`overheads_us`: (ours, theirs) of an empty kernel, taken off both before judging; None where both methods have the same."""
    ours_overhead, theirs_overhead = overheads_us or (None, None)
    raw = ours_us / theirs_us - 1.0
    corrected = (ours_us - ours_overhead) / (theirs_us - theirs_overhead) - 1.0 if overheads_us else None
    judged = min(ours_us, theirs_us) >= LEAST_US
    agrees = abs(raw if corrected is None else corrected) <= MOST_DIFFERENCE
    return {"name": name, "ours_us": ours_us, "theirs_us": theirs_us, "theirs": theirs, "ours_overhead_us": ours_overhead,
            "theirs_overhead_us": theirs_overhead, "difference": raw, "difference_corrected": corrected,
            "verdict": "shown only" if not judged else "agrees" if agrees else "differs"}


def check_torch(torch, extent, arguments=None):
    options = torch_baseline.make_parser().parse_args(arguments or [
        "--op", "add", "--dtype", "f32", "--dims", "M=%d,N=%d" % (extent, extent), "--modes", "cold", "--do-bench"])
    medians = {}
    for entry in torch_baseline.measure_alone(torch, options)["benchmarks"]:
        if entry.get("aggregate_name") == "median":
            medians["do_bench" if "/do_bench/" in entry["run_name"] else "cold"] = entry["real_time"]
    return compare("torch.add f32 %d^2" % extent, medians["cold"], medians["do_bench"], "do_bench")


def copy_workspace(build, folder):
    """A workspace of the same modules with results of its own. Verdicts come along: only verified kernels are timed."""
    with open(os.path.join(build, "assay.json"), encoding="utf-8") as file:
        manifest = json.load(file)
    results = os.path.join(folder, "results")
    for card in glob.glob(os.path.join(build, manifest["results"], "*")):
        verdicts = os.path.join(card, "verify")
        if os.path.isdir(verdicts):
            shutil.copytree(verdicts, os.path.join(results, os.path.basename(card), "verify"))
    for key in ("source", "modules", "baselines", "libexec", "logs", "plots", "templates"):
        if manifest.get(key):
            manifest[key] = os.path.join(os.path.abspath(build), manifest[key])
    for op in manifest["ops"]:
        for key in ("directory", "reference"):
            op[key] = os.path.join(os.path.abspath(build), op[key])
    manifest["results"] = results
    with open(os.path.join(folder, "assay.json"), "w", encoding="utf-8") as file:
        json.dump(manifest, file)
    return results


def find_program(build, program):
    with open(os.path.join(build, "assay.json"), encoding="utf-8") as file:
        libexec = os.path.join(build, json.load(file).get("libexec", ""))
    for folder in (libexec, os.path.join(build, "bin"), os.path.join(build, "libexec"), build):
        path = os.path.join(folder, program)
        if os.access(path, os.X_OK):
            return os.path.abspath(path)
    raise FileNotFoundError("no %s in %s" % (program, build))


def find_worker(build):
    return find_program(build, "assay-bench-group")


def run(command, what):
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        raise RuntimeError("%s ended with status %d: %s" % (what, done.returncode, lines[-1] if lines else "no output"))
    return done.stdout


def measure(worker, plan):
    status, words = group_plan.run(worker, plan)
    if status != 0:
        raise RuntimeError("assay-bench-group ended with status %d: %s" % (status, words))


def parse_ncu(text):
    """(kernel name, microseconds) of each kernel in `ncu --csv --print-units base`, which writes lines of its own before the table."""
    lines = text.splitlines()
    header = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if header is None:
        return []
    return [(row.get("Kernel Name", ""), float(row["Metric Value"].replace(",", "")) * 1e-3)
            for row in csv.DictReader(io.StringIO("\n".join(lines[header:])))
            if row.get("Metric Name", "").startswith("gpu__time_duration")]


def read_durations(text, name):
    """Medians in microseconds of one launch of the case, and of the empty kernel, over what ncu saw."""
    durations = parse_ncu(text)
    empty = [us for kernel, us in durations if EMPTY_KERNEL in kernel]
    own = [us for kernel, us in durations if EMPTY_KERNEL not in kernel]
    # A variant of several kernels takes their sum; the first launches run before the clocks have risen.
    kernels = len(own) // PROFILED_LAUNCHES
    if kernels < 1 or len(own) % PROFILED_LAUNCHES != 0 or len(empty) != PROFILED_LAUNCHES:
        errors = [line for line in text.splitlines() if line.startswith("==ERROR==")]
        raise RuntimeError(errors[0] if errors else "ncu saw %d kernels in %d launches of %s, and %d empty ones"
                           % (len(own), PROFILED_LAUNCHES, name, len(empty)))
    launches = [sum(own[i:i + kernels]) for i in range(0, len(own), kernels)]
    return statistics.median(launches[WARMING_LAUNCHES:]), statistics.median(empty[WARMING_LAUNCHES:])


def measure_case(worker, folder, results, name):
    """The case's result, measured with the reading flush into the copied workspace."""
    op, variant, dtype, size = name.split(".")
    measure(worker, group_plan.make(folder, op, dtype, size, variants=[variant], flush="read"))
    paths = glob.glob(os.path.join(results, "*", "bench", name + ".json"))
    if not paths:
        raise RuntimeError("assay-bench-group wrote no result of %s" % name)
    with open(paths[0], encoding="utf-8") as file:
        result = json.load(file)["assay"]
    if result["status"] not in ("ok", "unstable"):
        raise RuntimeError("%s was not timed: %s" % (name, result.get("reason")))
    if not (result.get("launch_overhead_us") or {}).get("cold"):
        raise RuntimeError("the result of %s has no launch overhead" % name)
    return result


def profile_case(launcher, folder, name):
    """ncu's table of the case's launches, an empty kernel after each. Clocks are left alone, and ncu flushes the caches itself, as it does
    by default. The worker itself cannot be profiled: ncu waits for each kernel, so its blocking kernel holds every sample up until it
    gives up."""
    op, variant, dtype, size = name.split(".")
    return run(["ncu", "--csv", "--print-units", "base", "--metrics", "gpu__time_duration.sum", "--clock-control", "none",
                "--profile-from-start", "off", launcher, "--workspace", folder, "--op", op, "--dtype", dtype, "--size", size,
                "--variant", variant, "--mode", "profile-overhead", "--launches", str(PROFILED_LAUNCHES)], "ncu")


def check_ncu(build, cases):
    """(comparisons, reasons why cases are missing)"""
    checks, reasons = [], []
    worker, launcher = find_worker(build), find_program(build, "assay-launch-case")
    with tempfile.TemporaryDirectory() as folder:
        results = copy_workspace(build, folder)
        for name in cases:
            try:
                result = measure_case(worker, folder, results, name)
                theirs_us, theirs_overhead = read_durations(profile_case(launcher, folder, name), name)
            except (RuntimeError, subprocess.SubprocessError) as failure:
                reasons.append("%s against ncu: %s" % (name, failure))
                continue
            checks.append(compare(name + " --flush read", result["modes"]["cold"]["median_us"], theirs_us,
                                  "ncu gpu__time_duration", (result["launch_overhead_us"]["cold"], theirs_overhead)))
    return checks, reasons


def collect(options):
    """(comparisons, reasons why some are missing)"""
    checks, reasons = [], []
    try:
        torch = torch_baseline.load_torch()
        for extent in (1024, 4096):
            checks.append(check_torch(torch, extent))
    except (torch_baseline.Skip, ImportError) as reason:
        reasons.append("torch against do_bench: %s" % reason)
    if not options.build:
        reasons.append("a variant against ncu: no --build")
    elif not shutil.which("ncu"):
        reasons.append("a variant against ncu: ncu is not on PATH")
    else:
        found, lacking = check_ncu(options.build, options.case or CASES)
        checks += found
        reasons += lacking
    return checks, reasons


def print_check(check):
    correction = "" if check["difference_corrected"] is None else "  overhead-corrected (%.2f and %.2f us) %+5.1f%%" % (
        check["ours_overhead_us"], check["theirs_overhead_us"], 100 * check["difference_corrected"])
    print("%-46s ours %8.2f us  %s %8.2f us  %+5.1f%%%s  %s" % (
        check["name"], check["ours_us"], check["theirs"], check["theirs_us"], 100 * check["difference"], correction,
        check["verdict"]))


def case_name(text):
    if len(text.split(".")) != 4 or not all(text.split(".")):
        raise argparse.ArgumentTypeError("not OP.VARIANT.DTYPE.SIZE: %s" % text)
    return text


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", metavar="DIR", help="build folder or unpacked bundle")
    parser.add_argument("--case", action="append", type=case_name, metavar="OP.VARIANT.DTYPE.SIZE",
                        help="against ncu; may be repeated; default: " + " ".join(CASES))
    parser.add_argument("--out", metavar="FILE", help="write the comparisons as JSON")
    options = parser.parse_args(arguments)
    try:
        checks, reasons = collect(options)
        if options.out:
            torch_baseline.write_json(options.out, {"schema": 1, "comparisons": checks, "missing": reasons})
    except (OSError, RuntimeError, ValueError, KeyError, subprocess.SubprocessError) as failure:
        print("crosscheck.py: %s" % torch_baseline.reason_of(failure), file=sys.stderr)
        return torch_baseline.EXIT_ENVIRONMENT
    for check in checks:
        print_check(check)
    for reason in reasons:
        print("not checked: %s" % reason, file=sys.stderr)
    if not checks:
        return torch_baseline.EXIT_ENVIRONMENT if options.build and shutil.which("ncu") else torch_baseline.EXIT_SKIPPED
    return 1 if any(check["verdict"] == "differs" for check in checks) else 0


if __name__ == "__main__":
    sys.exit(main())
