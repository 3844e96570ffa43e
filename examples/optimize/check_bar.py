#!/usr/bin/env python3
"""Holds the best version of a recorded run against what it is meant to reach. usage: check_bar.py RUN; exit status 1: it does not."""

import json
import pathlib
import sys

BARS = {"softmax": ("baseline_torch_eager", 2.5), "matmul": ("baseline_cublas", 0.8)}

state = json.loads(pathlib.Path(sys.argv[1], "state.json").read_text())
baseline, bar = BARS[state["op"]]
times = {r["name"]: r["modes"]["cold"]["mean_us"] for r in state["results"] if "cold" in r["modes"]}
best = f"k{state['best']}"
missing = [name for name in (best, baseline) if times.get(name) is None]
if missing:
    sys.exit(f"{state['op']}: not timed: {', '.join(missing)}")
speedup = times[baseline] / times[best]
print(f"{state['op']}: v{state['best']} takes {times[best]:.2f} us, {speedup:.2f} times {baseline} ({times[baseline]:.2f} us); {bar} is aimed at")
sys.exit(speedup < bar)
