#!/usr/bin/env python3
"""Answers of the recorded provider (tools/recorded_provider.py) for the runs of record.sh: FOLDER/vN.0.json beside the kernels.

usage: write_answers.py            in this folder"""

import json
import pathlib

here = pathlib.Path(__file__).parent
RUNS = {
    "softmax": [
        ("shared_memory", "A block a row with the row in shared memory reads it once, in order.",
         "Lanes of the given kernel stand a row apart, so each load touches 32 lines, three times over.", "tens of times faster", 10),
        ("warp_shuffles", "Maximum and sum by shuffles need two barriers a row instead of one a level of a tree.",
         "Nothing is loaded while the 16 levels of two trees wait at barriers.", "a little faster", 1.05),
        ("vectors", "Accesses of 16 bytes keep eight times the bytes in flight.",
         "A warp that loads 2 bytes a lane fills half a line, and few bytes are in flight.", "faster", 1.2),
        ("registers", "A row that stays in registers needs no shared memory and no wait between load and use.",
         "Step 4 of the ladder: all loads are issued before the first is used; one barrier a row is left.", "faster", 1.2),
        ("fewer_vectors", "Two vectors a thread instead of four put more threads on a row and hide more latency.",
         "The kernel waits for memory; more warps could hide it.", "a little faster", 1.02),
    ],
    "matmul": [
        ("shared_memory", "Tiles in shared memory cut the loads from the caches by 32.",
         "Every multiply-add takes two loads, so the load units set the pace.", "faster", 1.5),
        ("register_tiles", "4 x 4 sums a thread do 16 multiply-adds for 8 reads of shared memory instead of 1 for 2.",
         "Reads of shared memory are the busiest part now.", "faster", 2),
        ("vectors", "Reads of 16 bytes take a quarter of the instructions.",
         "Eight scalar reads a step stand against 16 multiply-adds.", "faster", 1.1),
        ("prefetch", "Loading the next tiles to registers before multiplying hides the latency of memory.",
         "All warps of a block wait for the tile after each barrier, and there are two blocks a multiprocessor.", "faster", 1.1),
        ("tensor_cores", "Three bfloat16 parts of each operand on tensor cores beat the f32 units, with a smaller error.",
         "Step 4 of the ladder for Hopper; the f32 units alone end at a few tens of TFLOPS.", "faster", 1.5),
    ],
}

for op, steps in RUNS.items():
    for number, (name, hypothesis, rationale, expected, speedup) in enumerate(steps, 1):
        answer = {"source_file": f"{name}.cu", "hypothesis": hypothesis, "rationale": rationale, "expected": expected, "expected_speedup": speedup,
                  "provider": "recorded"}
        (here / op / f"v{number}.0.json").write_text(json.dumps(answer, indent=1) + "\n")
        other = here / op / f"{name}_on_tree.cu"  # the same change of a version without shuffles, should these have been reverted
        if other.exists():
            answer["source_file"] = other.name
            (here / op / f"v{number}.1.json").write_text(json.dumps(answer, indent=1) + "\n")
