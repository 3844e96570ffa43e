#!/usr/bin/env python3
"""What each check of verify finds alone: recall.py [--jobs N] [--keep FILE] [--write PAGE] JUDGE BUILD SCRATCH CORPUS...

Judges each kernel of the corpora's tables (folders with a table.json), by the first row that its file and --check have there, with all
checks, none ended by the failure of another one, and prints a table: of the wrong kernels, how many a check rejects, and how many it
alone; of the right ones, how many it refuses. A kernel that ends its process in a run is rejected by that run and by those that were not
reached, which would have ended so, too. A row that needs clang is left out where there is none. With --keep each judgement is a line of
FILE, and those that are there already are not made again. With --write the table replaces what stands in PAGE between the lines
`<!-- recall -->` and `<!-- end -->`. Exit status 1: a wrong kernel is found by no check, or a right one is refused."""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from threading import Lock

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
    ("roundings that are biased, errors near their bounds", r"roundings of|root of (their|the) mean square"),
    ("NaN, infinity or zeros out of place", r"NaN or infinity|expected -0(?![.0-9])"),
    ("elements out of tolerance", r"out of tolerance|are wrong"),
    ("edge cases refused", r"does not support|refuses"),
    ("the process ended", r"killed by|exited with|crash"),
]


def is_wrong(row):
    return "pass" not in row["expect"] and "skipped" not in row["expect"]


def judge(program, build, scratch, corpus, number, row):
    modules = os.path.join(scratch, "modules")
    verdicts = os.path.join(build, "results", "wrong-kernels", "checked" if row.get("check") else "outside", "verify")
    variant = row["file"].split(".")[0]
    path = os.path.join(verdicts, f"{row['op']}.{variant}.{row['dtype']}.{row['size']}.json")
    if os.path.exists(path):
        os.unlink(path)
    subprocess.run([program, build, corpus, modules, str(number), "--every"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return json.load(open(path)) if os.path.exists(path) else None


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
    """(corpus, number, row, name) of each kernel of the tables, by the first row of its file and --check."""
    found = []
    for corpus in corpora:
        known = set()
        for number, row in enumerate(json.load(open(os.path.join(corpus, "table.json")))["kernels"]):
            kernel = (row["file"], row.get("check"), is_wrong(row))
            if device not in row.get("devices", [device]) or "skipped" in row["expect"] or kernel in known:
                continue
            known.add(kernel)
            if row.get("needs") == "clang" and not shutil.which("clang++"):
                continue
            name = f"{row['file']} {row['dtype']} {row['size']}" + (" --check" if row.get("check") else "") + (
                f" --claim {row['claims']}" if row.get("claims") else "")
            found.append((os.path.abspath(corpus), number, row, name))
    return found


def judge_all(arguments, rows, kept):
    """Judgements by name, with those of `kept`: {"failed": checks, "evidence": kind, "status": ..., "reason": ...}."""
    judging = defaultdict(Lock)  # two rows of one file have one verdict

    def one(item):
        corpus, number, row, name = item
        with judging[row["file"]]:
            verdict = judge(arguments.judge, arguments.build, arguments.scratch, corpus, number, row)
        if verdict is None:
            return name, None
        failed, evidence = found_by(verdict) if verdict["status"] != "pass" else (set(), "")
        return name, {"failed": sorted(failed), "evidence": evidence, "status": verdict["status"], "reason": verdict.get("reason") or ""}

    with ThreadPoolExecutor(arguments.jobs) as pool:
        for name, judgement in pool.map(one, [item for item in rows if item[3] not in kept]):
            if judgement is None:
                print(f"{name}: no verdict", flush=True)
                continue
            kept[name] = judgement
            print(f"{name}: {', '.join(judgement['failed']) or 'nothing'}; {judgement['evidence']}", flush=True)
            if arguments.keep:
                with open(arguments.keep, "a") as out:
                    out.write(json.dumps({"name": name, **judgement}) + "\n")
    return kept


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep")
    parser.add_argument("--write")
    for name in ("judge", "build", "scratch"):
        parser.add_argument(name, type=os.path.abspath)
    parser.add_argument("corpora", nargs="+")
    arguments = parser.parse_args()
    device = json.load(open(os.path.join(arguments.build, "assay.json")))["device"]
    rows, kept, wrong, right, problems = rows_of(arguments.corpora, device), {}, [], [], []
    if arguments.keep and os.path.exists(arguments.keep):
        kept = {line.pop("name"): line for line in map(json.loads, open(arguments.keep))}
    judgements = judge_all(arguments, rows, kept)
    for _, _, row, name in rows:
        judgement = judgements.get(name)
        if judgement is None:
            problems.append(f"{name}: no verdict")
            continue
        (wrong if is_wrong(row) else right).append((name, set(judgement["failed"]), judgement["evidence"]))
        if is_wrong(row) != bool(judgement["failed"]):
            problems.append(f"{name}: {judgement['status']} {judgement['reason']}")
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
