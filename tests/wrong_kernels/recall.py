#!/usr/bin/env python3
"""What each check of verify finds alone: recall.py [--write PAGE] BUILD CORPUS...

Reads what the tests of the corpora (folders with a table.json) left in BUILD: the verdict of each row, in
which every check was made of the first problem that failed. Prints a table: of the wrong kernels, how many a
check rejects, and how many it alone; of the right ones, how many it refuses. Each kernel counts once, by the
first row that its file and --check have. A kernel that ends its process in a run is rejected by that run and
by those that were not reached, which would have ended so, too. With --write the table replaces what stands in
PAGE between the lines `<!-- recall -->` and `<!-- end -->`. Exit status 1: a wrong kernel is found by no
check, a right one is refused, or a row has no verdict."""
import argparse
import json
import os
import re
import sys

# In the order of the runs, with the names of verify/check.c.
RUNS = ["first contents", "other contents", "repeat", "over its own result", "over the old result", "a few elements changed",
        "at the start of a page", "whole device"]
# What of a run tells that a kernel is wrong, by the words of reasons; the first that fits counts.
EVIDENCE = [
    ("refused by the compiler or the check of device code", r"does not compile|entry point"),
    ("host code touches device memory", r"host code (reads|writes)"),
    ("a kernel touches host memory", r"access to host memory|host memory"),
    ("accesses out of bounds (pages, zones, --check)", r"out-of-bounds|out of bounds|AddressSanitizer|use of freed"),
    ("a write to an input", r"write to an input|modified its input"),
    ("races, between threads and blocks", r"race|depends on the order|order only"),
    ("misaligned accesses", r"misaligned"),
    ("barriers and deadlocks", r"barrier|deadlock|timed out"),
    ("device limits and wrong calls", r"returned an error|the device reported an error: cpu: launch"),
    ("what calls leave behind (memory, floating-point environment)", r"calls leave|floating-point environment"),
    ("outputs never written, or late", r"never written|wrong stream"),
    ("roundings that are biased, errors near their bounds", r"roundings of|root of (their|the) mean square|mean square error is"),
    ("NaN, infinity or zeros out of place", r"NaN or infinity|expected -0(?![.0-9])"),
    ("elements out of tolerance", r"out of tolerance|are wrong"),
    ("edge cases refused", r"does not support|refuses"),
    ("the process ended", r"killed by|exited with|crash"),
]


def is_wrong(row):
    return "pass" not in row["expect"] and "skipped" not in row["expect"]


def found_by(verdict):
    """Names of the runs that reject the kernel, and the kind of evidence."""
    reason, status = verdict.get("reason") or "", verdict["status"]
    failed = {check["name"].split(": ")[-1] for check in verdict.get("checks", [])
              if check["status"] != "pass" and check.get("required", True) is not False}
    failed &= set(RUNS)
    if status in ("crash", "timeout"):
        at = [run for run in RUNS if re.search(rf"in [^:]*{re.escape(run)}", reason)]
        failed |= set(RUNS[RUNS.index(at[0]):-1] if at else RUNS[:1])
    if status == "does not compile" or (status == "fail" and not failed):
        failed.add("before any run")
    evidence = next((name for name, words in EVIDENCE if re.search(words, f"{status} {reason}")), "other")
    return failed, evidence


def make_tables(wrong, right, device):
    lines = [f"{len(wrong)} judgements of wrong kernels and {len(right)} of right ones, on the device `{device}`.", "",
             "| check | finds | finds alone | right kernels refused |", "|---|---|---|---|"]
    for run in ["before any run"] + RUNS:
        found = sum(run in failed for _, failed, _ in wrong)
        alone = sum(failed == {run} for _, failed, _ in wrong)
        refused = sum(run in failed for _, failed, _ in right)
        lines.append(f"| {run} | {found} ({100 * found / max(1, len(wrong)):.0f}%) | {alone} | {refused} |")
    together = sum(bool(failed) for _, failed, _ in wrong)
    lines.append(f"| all together | {together} ({100 * together / max(1, len(wrong)):.0f}%) | | {sum(bool(f) for _, f, _ in right)} |")
    lines += ["", "| first evidence | wrong kernels |", "|---|---|"]
    for kind in [name for name, _ in EVIDENCE] + ["other"]:
        count = sum(bool(failed) and evidence == kind for _, failed, evidence in wrong)
        if count:
            lines.append(f"| {kind} | {count} |")
    return lines


def rows_of(corpora, device):
    """(corpus, row, name) of each kernel of the tables, by the first row of its file and --check."""
    found = []
    for corpus in map(os.path.abspath, corpora):
        known = set()
        for row in json.load(open(os.path.join(corpus, "table.json")))["kernels"]:
            kernel = (row["file"], row.get("check"), is_wrong(row))
            if device not in row.get("devices", [device]) or "skipped" in row["expect"] or kernel in known:
                continue
            known.add(kernel)
            name = f"{row['file']} {row['dtype']} {row['size']}" + (" --check" if row.get("check") else "") + (
                f" --claim {row['claims']}" if row.get("claims") else "")
            found.append((corpus, row, name))
    return found


def verdict_of(build, corpus, row):
    """As judge.c names it."""
    name = f"{row['file']}.{row['dtype']}.{row['size']}" + (".check" if row.get("check") else ".claims" if row.get("claims") else "")
    path = os.path.join(build, "tests", os.path.basename(corpus), "modules", f"{name}.verdict.json")
    return json.load(open(path)) if os.path.exists(path) else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--write")
    parser.add_argument("build")
    parser.add_argument("corpora", nargs="+")
    arguments = parser.parse_args()
    device = json.load(open(os.path.join(arguments.build, "assay.json")))["device"]
    wrong, right, problems = [], [], []
    for corpus, row, name in rows_of(arguments.corpora, device):
        verdict = verdict_of(arguments.build, corpus, row)
        if verdict is None:
            problems.append(f"{name}: no verdict; run its test: ctest -L 'wrong_kernels|solve_kernels'")
            continue
        failed, evidence = found_by(verdict) if verdict["status"] != "pass" else (set(), "")
        (wrong if is_wrong(row) else right).append((name, failed, evidence))
        if is_wrong(row) != bool(failed):
            problems.append(f"{name}: {verdict['status']} {verdict.get('reason')}")
    lines = make_tables(wrong, right, device)
    print("\n".join(lines))
    for problem in problems:
        print(f"PROBLEM {problem}")
    if arguments.write:
        text = open(arguments.write).read()
        text = re.sub(r"(<!-- recall -->\n).*?(<!-- end -->)", lambda m: m[1] + "\n".join(lines) + "\n" + m[2], text, flags=re.S)
        open(arguments.write, "w").write(text)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
