#!/usr/bin/env python3
"""Runs the cases of table.json in an unpacked bundle of make_bundle.sh and holds their verdicts against it; then times right ones.

Exit status: 0 all judged as they must be and timed, 1 not so, 3 no verdicts (no GPU?).
"""

import glob
import json
import os
import subprocess
import sys

TIMED = (("add", "v1_baseline,v9_add,v9_add_streams"), ("softmax", "v1_baseline,v9_softmax_rows"),
         ("transpose", "v1_baseline,v9_transpose"), ("clip", "v1_baseline,v2_vectors,v3_contest"))


def run(*words):
    print("./run", *words, flush=True)
    return subprocess.run(["./run", *words], check=False).returncode


def read_one(pattern):
    found = glob.glob(pattern)
    return json.load(open(found[0])) if found else None


def hold_against(row):
    """None, or what is wrong with the verdict of a row."""
    name = "%s.v9_%s.%s.%s" % (row["op"], row["file"][:-len(".cu")], row["dtype"], row["size"])
    verdict = read_one("results/*/verify/%s.json" % name)
    if verdict is None:
        return "%s: no verdict" % name
    status, reason = verdict["status"], verdict["reason"]
    if status not in row["expect"]:
        return "%s: judged '%s' (%s), expected %s" % (name, status, reason, " or ".join(row["expect"]))
    if row["reason"] and not any(part in reason for part in row["reason"]):
        return "%s: judged '%s' for another reason: %s" % (name, status, reason)
    return None


def main():
    os.chdir(os.path.dirname(os.path.abspath(__file__)))
    device = json.load(open("assay.json"))["device"]
    rows = [row for row in json.load(open("table.json"))["kernels"] if device in row.get("devices", [device])]
    for op in sorted({row["op"] for row in rows}):
        mine = [row for row in rows if row["op"] == op]
        run("verify", "--op", op, "--variant", "v9", "--dtype", ",".join(sorted({row["dtype"] for row in mine})),
            "--size", ",".join(sorted({row["size"] for row in mine})))
    wrong = [text for text in map(hold_against, rows) if text]
    if len(wrong) == len(rows):
        print("check_bundle: nothing was judged as it must be; is there a GPU?")
        return 3
    timed = 0
    for op, variants in TIMED:
        run("verify", "--op", op, "--variant", variants, "--dtype", "f32", "--size", "small,large", "--quiet")
        run("bench", "--op", op, "--variant", variants, "--dtype", "f32", "--size", "small,large", "--quick",
            "--baselines", "copy")
        for variant in variants.split(","):
            for size in ("small", "large"):
                result = read_one("results/*/bench/%s.%s.f32.%s.json" % (op, variant, size))
                timed += 1
                modes = (result or {}).get("assay", {}).get("modes", {})
                if "cold" not in modes:
                    wrong.append("%s.%s.f32.%s: not timed" % (op, variant, size))
                    continue
                print("%-10s %-18s %-6s cold %9.3f us, blocked %s" % (op, variant, size, modes["cold"]["mean_us"],
                                                                     modes["cold"].get("blocked")))
    for text in wrong:
        print("WRONG", text)
    print("check_bundle: %d verdicts and timings looked at, %d not as they must be" % (len(rows) + timed, len(wrong)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
