"""tools/group_plan.py and the program that reads its plans speak the same: group_plan_test.py BUILD."""

import glob
import json
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "tools"))

import baseline_check
import group_plan

build = os.path.abspath(sys.argv[1])
with tempfile.TemporaryDirectory() as folder:
    manifest = baseline_check.absolute_manifest(build, folder)
    with open(os.path.join(folder, "assay.json"), "w", encoding="utf-8") as file:
        json.dump(manifest, file)
    plan = group_plan.make(folder, "add", "f32", "small", baselines=["reference"], repetitions=1, warmup_ms=1.0, sample_ms=2.0,
                           torch_missing="not asked for")
    status, words = group_plan.run(baseline_check.find_program(build), plan)
    results = glob.glob(os.path.join(folder, "results", "*", "bench", "add.baseline_reference.f32.small.json"))
    if manifest["device"] == "cuda" and status == 3:  # no GPU
        print("skipped: %s" % words)
        sys.exit(77)
    if status != 0 or not results:
        sys.exit("status %d, results %s: %s" % (status, results, words))
