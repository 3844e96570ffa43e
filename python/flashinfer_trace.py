#!/usr/bin/env python3
"""Judges, and with --bench times, a candidate for the workloads of a FlashInfer-Bench definition, and writes traces (JSON lines).

usage: flashinfer_trace.py DEFINITION.json WORKLOADS.jsonl CANDIDATE.py OUT.jsonl [--bench] [--device cpu|cuda] [--solution NAME]

CANDIDATE.py defines run(...) with the definition's inputs in their order. Each workload is judged as kernelbench.py judges a problem, the
definition's reference being its Model. Inputs are random or scalars; a workload with other inputs is left out, and said. A trace has the
workload as it was read, and an evaluation: status, environment, timestamp, correctness, performance.

Exit status: 0 all passed, 1 some did not, 2 wrong use, 3 the definition itself fails, 77 skipped: no torch, or no workload that can be run."""

import argparse
import datetime
import json
import os
import pathlib
import platform
import sys
import tempfile

import kernelbench

torch = kernelbench.torch

PROBLEM = """import json
import torch
{reference}
_inputs = json.loads({inputs!r})
class Model(torch.nn.Module):
    def forward(self, *inputs):
        return run(*inputs)
def _make(item):
    if "value" in item:
        return item["value"]
    dtype = getattr(torch, item["dtype"])
    if dtype.is_floating_point:
        return torch.randn(item["shape"]).to(dtype)
    return torch.randint(0, 2, item["shape"]).to(dtype)
def get_inputs():
    return [_make(item) for item in _inputs]
def get_init_inputs():
    return []
"""
CANDIDATE = """{source}
import torch as _torch
class ModelNew(_torch.nn.Module):
    def forward(self, *inputs):
        return run(*inputs)
"""
STATUSES = (("timed out", "TIMEOUT"), ("exited with status", "RUNTIME_ERROR"), ("killed by", "RUNTIME_ERROR"), ("its process left", "RUNTIME_ERROR"))


def read_lines(path):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.strip():
            try:
                yield json.loads(line)
            except json.JSONDecodeError as wrong:
                raise ValueError(f"{path}:{number}: no JSON: {wrong}") from wrong


def describe_inputs(definition, workload):
    """What get_inputs() makes, in the definition's order. ValueError: what cannot be made."""
    axes = {name: axis["value"] for name, axis in definition["axes"].items() if axis["type"] == "const"}
    axes.update(workload["axes"])
    out = []
    for name, tensor in definition["inputs"].items():
        given = workload["inputs"].get(name, {"type": "random"})
        if given["type"] == "scalar":
            out.append({"value": given["value"]})
        elif given["type"] == "random" and tensor["shape"] is not None:
            missing = [axis for axis in tensor["shape"] if axis not in axes]
            if missing:
                raise ValueError(f"input {name}: axis {missing[0]} has no value")
            out.append({"shape": [axes[axis] for axis in tensor["shape"]], "dtype": tensor["dtype"]})
        else:
            raise ValueError(f"input {name}: of type {given['type']}; random and scalar are read")
    return out


def status_of(reason):
    for beginning, status in STATUSES:
        if reason.startswith(beginning):
            return status
    return "INCORRECT_SHAPE" if "; expected: " in reason else "INCORRECT_NUMERICAL"


def largest_errors(problem, folder):
    """Absolute and relative, over all outputs of the first trial."""
    module = kernelbench.load(problem)
    given = torch.load(folder / "given.pt", weights_only=False)
    with torch.no_grad():
        expected = kernelbench.as_list(module.Model()(*given["trials"][0]))
    absolute = relative = 0.0
    for got, want in zip(kernelbench.read_results(folder)[0][0]["outputs"], expected):
        if got.numel():
            error = (got.double() - want.double()).abs().nan_to_num()
            absolute = max(absolute, error.max().item())
            relative = max(relative, (error / want.double().abs().clamp(min=1e-8)).nan_to_num().max().item())
    return {"max_relative_error": relative, "max_absolute_error": absolute}


def evaluate(definition, workload, options, folder):
    problem, candidate = folder / "problem.py", folder / "candidate.py"
    problem.write_text(PROBLEM.format(reference=definition["reference"], inputs=json.dumps(describe_inputs(definition, workload))))
    candidate.write_text(CANDIDATE.format(source=options.candidate.read_text()))
    out = kernelbench.evaluate(argparse.Namespace(problem=problem, candidate=candidate, bench=options.bench, trials=2, calls=50, tolerance=None, seed=None,
                                                  device=options.device, time_limit=options.time_limit), folder)
    passed = out["status"] == "pass"
    hardware = torch.cuda.get_device_name() if options.device == "cuda" else platform.processor() or platform.machine()
    evaluation = {"status": "PASSED" if passed else status_of(out["reason"]), "environment": {"hardware": hardware, "libs": {"torch": torch.__version__}},
                  "timestamp": datetime.datetime.now(datetime.timezone.utc).isoformat(), "log": out["reason"],
                  "correctness": largest_errors(problem, folder) if passed else None, "performance": None}
    if out["speedup"] is not None:
        evaluation["performance"] = {"latency_ms": out["candidate_us"] / 1000, "reference_latency_ms": out["model_us"] / 1000, "speedup_factor": out["speedup"]}
    return evaluation


def parse(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("definition", "workloads", "candidate", "out"):
        parser.add_argument(name, type=pathlib.Path)
    parser.add_argument("--bench", action="store_true", help="time what passed beside the reference")
    parser.add_argument("--device", choices=("cpu", "cuda"), default=None)
    parser.add_argument("--solution", default=None, help="name in the traces (default: the candidate's file)")
    parser.add_argument("--time-limit", type=float, default=300, help="seconds for a process (default 300)")
    return parser.parse_args(words)


def main(words):
    options = parse(words)
    if torch is None:
        return kernelbench.fail(77, "skipped: this Python has no torch")
    options.device = options.device or ("cuda" if torch.cuda.is_available() else "cpu")
    traces, failed = [], 0
    try:
        definition = json.loads(options.definition.read_text())
        lines = [line for line in read_lines(options.workloads) if line["definition"] == definition["name"]]
        options.candidate.read_text()
    except (OSError, KeyError, ValueError) as wrong:
        return kernelbench.fail(2, f"{type(wrong).__name__}: {wrong}")
    for line in lines:
        workload = line["workload"]
        with tempfile.TemporaryDirectory() as folder:
            try:
                evaluation = evaluate(definition, workload, options, pathlib.Path(folder))
            except ValueError as wrong:
                print(f"LEFT OUT {workload.get('uuid', '')}: {wrong}", file=sys.stderr)
                continue
            except Exception as failure:  # the reference's own code, of which anything may come
                return kernelbench.fail(3, f"{options.definition}: workload {workload.get('uuid', '')}: {type(failure).__name__}: {failure}")
        failed += evaluation["status"] != "PASSED"
        print(f"{evaluation['status']} {workload.get('uuid', '')} {evaluation['log']}".rstrip())
        traces.append({"definition": definition["name"], "workload": workload, "solution": options.solution or options.candidate.stem, "evaluation": evaluation})
    if not traces:
        return kernelbench.fail(77, f"skipped: no workload of {definition['name']} can be run")
    temporary = options.out.with_name(options.out.name + ".new")
    temporary.write_text("".join(json.dumps(trace) + "\n" for trace in traces))
    os.replace(temporary, options.out)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
