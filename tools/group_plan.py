"""Plans of groups for the tools: what assay-bench-group is to measure, as the JSON document that it reads (bench/plan/group_plan.h)."""

import json
import subprocess


def make(workspace, op, dtype, size, variants=(), baselines=(), modes=("cold",), flush="memset", repetitions=10, warmup_ms=25.0,
         sample_ms=100.0, **more):
    """`more`: further keys of the plan, such as torch_socket."""
    return {"schema": 1, "workspace": workspace, "op": op, "dtype": dtype, "size": size, "variants": list(variants),
            "baselines": list(baselines), **more,
            "method": {"repetitions": repetitions, "warmup_ms": warmup_ms, "sample_ms": sample_ms, "min_samples": 1, "max_samples": 400,
                       "bound_s": 20.0, "flush": flush, "modes": list(modes), "seed": 20260}}


def run(worker, plan, timeout_s=600):
    """Measure a plan; (exit status, the last line that was said)."""
    done = subprocess.run([worker, "--plan", "-"], input=json.dumps(plan), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          errors="replace", timeout=timeout_s)
    lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    return done.returncode, lines[-1] if lines else "no message"
