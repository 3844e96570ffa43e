#!/usr/bin/env python3
"""What a build tree of many cases costs: load_test.py BUILD SCRATCH [CASES...]

Installs the Assay of BUILD, and for each number of cases (default 600 and 2400) makes a project of ops (make_ops.py), and measures
the processor time to configure, to find nothing to do, to list the tests, and to list the cases. Of the first and the last number of
cases the second must cost no more than in proportion, with half as much again allowed, and at 10,000 cases at most the limits below:
they are held in proportion. Processor time, because time on the wall tells more of the machine's other work."""
import os
import resource
import shutil
import subprocess
import sys

LIMITS = {"configure": 60, "build with nothing to do": 5, "list the tests": 5, "list the cases": 5}  # seconds at 10,000 cases
DTYPES, VARIANTS, SIZES = ["f32", "bf16"], 5, 20
HERE = os.path.dirname(os.path.abspath(__file__))


def timed(words, folder=None):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"{words}: status {run.returncode}\n{run.stdout[-2000:]}{run.stderr[-2000:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, run.stdout


def measure(prefix, folder, cases):
    ops = max(1, round(cases / (len(DTYPES) * VARIANTS * SIZES)))
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([sys.executable, f"{HERE}/make_ops.py", folder, str(ops), str(VARIANTS), str(SIZES), *DTYPES], check=True)
    build = f"{folder}/build"
    configure = ["cmake", "-S", folder, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}", "-DASSAY_DEVICE=cpu",
                 f"-DCMAKE_CXX_COMPILER={folder}/c++"] + (["-GNinja"] if shutil.which("ninja") else [])
    costs = {"configure": timed(configure)[0]}
    timed(["cmake", "--build", build, "--parallel", str(os.cpu_count() or 2)])
    costs["build with nothing to do"] = timed(["cmake", "--build", build])[0]
    costs["list the tests"], listed = timed(["ctest", "-N"], build)
    costs["list the cases"], names = timed([f"{build}/bin/assay", "list"])
    made = ops * len(DTYPES) * VARIANTS * SIZES
    if int(listed.rsplit("Total Tests:", 1)[1]) < made or not names:
        sys.exit(f"fewer than {made} tests are listed")
    shutil.rmtree(folder, ignore_errors=True)
    return made, costs


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    build, scratch = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    numbers = [int(word) for word in sys.argv[3:]] or [600, 2400]
    prefix, failed, rows = f"{scratch}/prefix", 0, []
    shutil.rmtree(scratch, ignore_errors=True)
    timed(["cmake", "--install", build, "--prefix", prefix])
    for cases in numbers:
        made, costs = measure(prefix, f"{scratch}/project", cases)
        rows.append((made, costs))
        print(f"{made} cases: " + ", ".join(f"{what} {seconds:.2f} s" for what, seconds in costs.items()), flush=True)
        for what, seconds in costs.items():
            if seconds > max(LIMITS[what] * made / 10000, 1.5):
                failed = 1
                print(f"  {what}: more than {LIMITS[what]} s at 10,000 cases")
    (few, cheap), (many, dear) = rows[0], rows[-1]
    for what in LIMITS:
        if dear[what] > 1.5 * many / few * max(cheap[what], 0.1):
            failed = 1
            print(f"  {what}: {many} cases cost more than in proportion to {few}")
    shutil.rmtree(scratch, ignore_errors=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
