#!/usr/bin/env python3
"""Judges, and with --bench times, a candidate for a KernelBench problem: PROBLEM.py with Model, get_inputs and get_init_inputs, CANDIDATE.py with
ModelNew. The candidate runs in a process of its own and hands over outputs; the truth is the problem's Model in double precision.

What must hold for each trial, whose inputs have seeds that the candidate cannot know: outputs of the shape, dtype and number of Model's; every
element within atol + rtol |expected|, NaN and infinities in the same places; inputs left as they were. Times are medians of calls of both models
in processes of their own: a look, not a result of Assay's method. As in the benchmark, models stay in training mode, so a batch norm takes the
batch's statistics; dropout, whose numbers no candidate can know, is off: modules, functions of torch.nn.functional, and inside of RNNs and attention. Outputs may be nested in tuples, lists and dicts, or be numbers.

Exit status: 0 right, 1 wrong, 2 wrong use, 3 the problem itself fails, 77 skipped: no torch, or no such device."""

import argparse
import importlib.util
import json
import os
import pathlib
import secrets
import signal
import statistics
import subprocess
import sys
import tempfile
import time

try:
    import torch
except ImportError:
    torch = None

INIT_SEED = 42  # as the benchmark has it: both models draw the same weights
DROPOUTS = ("dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout")
TOLERANCES = {"float32": 1e-4, "float64": 1e-4, "float16": 1e-2, "bfloat16": 1e-2}


def load(path):
    """A module, with the functional dropouts off before it can import them by name."""
    for name in DROPOUTS:
        setattr(torch.nn.functional, name, drop_nothing)
    spec = importlib.util.spec_from_file_location(pathlib.Path(path).stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def seed(number):
    torch.manual_seed(number)
    if torch.cuda.is_available():
        torch.cuda.manual_seed(number)


def each(value, change):
    """A value with `change` done to the tensors in it."""
    if isinstance(value, torch.Tensor):
        return change(value)
    if isinstance(value, (list, tuple)):
        items = [each(item, change) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if isinstance(value, dict):
        return {key: each(item, change) for key, item in value.items()}
    return value


def as_list(outputs):
    """What a model returns, as a flat list of plain tensors; a number is one, too. TypeError: there is something else."""
    if isinstance(outputs, torch.Tensor):
        return [outputs.detach().as_subclass(torch.Tensor)]
    if isinstance(outputs, dict):
        outputs = [outputs[key] for key in sorted(outputs)]
    if isinstance(outputs, (list, tuple)):
        return [tensor for item in outputs for tensor in as_list(item)]
    if isinstance(outputs, (int, float, complex)):
        return [torch.tensor(outputs)]
    raise TypeError(f"an output is a {type(outputs).__name__} and no tensor")


def tensors_of(inputs):
    found = []
    each(inputs, found.append)
    return found


def to_double(tensor):
    return tensor.double() if tensor.is_floating_point() else tensor


def drop_nothing(input, *rest, **named):
    """In place of torch.nn.functional's dropouts."""
    return input


def stop_dropout(model):
    """Of this model, and of all functions that models of this process call."""
    for part in model.modules():
        if isinstance(part, torch.nn.modules.dropout._DropoutNd):
            part.eval()
        elif isinstance(part, (torch.nn.RNNBase, torch.nn.MultiheadAttention)):
            part.dropout = 0.0


def build(module, name, init_inputs, device):
    seed(INIT_SEED)
    model = getattr(module, name)(*init_inputs).to(device)
    stop_dropout(model)
    return model


def in_double(model):
    """The model with all its numbers in double precision, also tensors that are neither parameters nor buffers."""
    for part in model.modules():
        for name, value in list(vars(part).items()):
            if not name.startswith("_"):
                setattr(part, name, each(value, to_double))
    return model.double()


def run_in_double(model, inputs):
    """Also tensors that the model makes while it runs."""
    usual = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        return as_list(model(*each(inputs, to_double)))
    finally:
        torch.set_default_dtype(usual)


def wait(device):
    if device == "cuda":
        torch.cuda.synchronize()


def work(path, name, folder, device, calls):
    """The process of one model: its outputs for the inputs of every trial, the inputs as it left them, and times of calls."""
    folder = pathlib.Path(folder)
    given = torch.load(folder / "given.pt", weights_only=False)
    model = build(load(path), name, given["init"], device)
    results, times = [], []
    with torch.no_grad():
        for inputs in given["trials"]:
            inputs = each(inputs, lambda t: t.to(device))
            outputs = model(*inputs)
            wait(device)
            results.append({"outputs": [t.cpu() for t in as_list(outputs)], "inputs": [t.cpu() for t in tensors_of(inputs)]})
        torch.save(results, folder / "results.pt")
        inputs = each(given["trials"][-1], lambda t: t.to(device))
        for call in range(calls):
            begin = time.perf_counter()
            model(*inputs)
            wait(device)
            times.append((time.perf_counter() - begin) * 1e6)
    (folder / "times.json").write_text(json.dumps(times))


def run_worker(path, name, folder, device, calls, limit_s):
    """None, or why there are no results."""
    words = [sys.executable, "-B", __file__, "--work", str(path), name, str(folder), device, str(calls)]
    for old in ("results.pt", "times.json"):
        (folder / old).unlink(missing_ok=True)
    with open(folder / "said.txt", "w+", errors="replace") as said:  # no pipe: what the model starts could hold it open
        done = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=said, stderr=said, start_new_session=True)
        try:
            done.wait(limit_s)
        except subprocess.TimeoutExpired:
            return f"timed out after {limit_s:g} s"
        finally:
            end_group(done)
        said.seek(0)
        last = said.read().strip().splitlines()[-1:] or ["it printed nothing"]
    if done.returncode == 0:
        return None
    return (f"killed by signal {-done.returncode}" if done.returncode < 0 else f"exited with status {done.returncode}") + f": {last[0][:300]}"


def end_group(process):
    """With all that it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def compare(got, expected, like, tolerance):
    """None, or what is wrong with one output. `expected` is the truth in double, `like` what Model itself gives."""
    if got.shape != like.shape or got.dtype != like.dtype:
        return f"is {tuple(got.shape)} of {got.dtype}; expected: {tuple(like.shape)} of {like.dtype}"
    if not like.is_floating_point():
        wrong = got != like
    else:
        bound = tolerance * (1 + expected.abs())
        near = (got.double() - expected).abs() <= bound
        same = (got.double() == expected) | (got.isnan() & expected.isnan())
        wrong = ~(near | same)
    if not wrong.any():
        return None
    at = tuple(int(i) for i in wrong.nonzero()[0])
    return f"{int(wrong.sum())} of {wrong.numel()} elements are out of tolerance, first at {list(at)}: got {got[at].item():.9g}, expected {expected[at].item():.9g}"


def judge(results, problem, given, tolerance):
    """None, or what is wrong first."""
    model = build(problem, "Model", given["init"], "cpu")
    exact = in_double(build(problem, "Model", given["init"], "cpu"))
    if len(results) != len(given["trials"]):
        return f"{len(results)} trials instead of {len(given['trials'])}"
    for number, (result, inputs) in enumerate(zip(results, given["trials"])):
        with torch.no_grad():
            like = as_list(model(*each(inputs, torch.clone)))
            expected = run_in_double(exact, inputs)
        if len(result["outputs"]) != len(like):
            return f"trial {number}: {len(result['outputs'])} outputs instead of {len(like)}"
        for before, after in zip(tensors_of(inputs), result["inputs"]):
            if not torch.equal(before.nan_to_num(), after.nan_to_num()):
                return f"trial {number}: an input was changed"
        for place, (got, want, own) in enumerate(zip(result["outputs"], expected, like)):
            limit = tolerance or TOLERANCES.get(str(own.dtype).split(".")[-1], 0)
            wrong = compare(got, want.double() if own.is_floating_point() else want, own, limit)
            if wrong:
                return f"trial {number}, output {place}: {wrong}"
    return None


def read_results(folder):
    """(what the candidate's process left, why that is nothing)"""
    try:
        results = torch.load(folder / "results.pt", weights_only=True)
        for result in results:
            for tensor in [*result["outputs"], *result["inputs"]]:
                tensor.as_subclass(torch.Tensor)
        len(results)
        return results, None
    except Exception as broken:  # whatever a candidate wrote there, or did not
        return None, f"its process left no results: {type(broken).__name__}"


def read_median(folder):
    """(median of the times that a process left, why there is none)"""
    try:
        return statistics.median([float(time) for time in json.loads((folder / "times.json").read_text())]), None
    except Exception as broken:  # as above
        return None, f"its process left no times: {type(broken).__name__}"


def evaluate(options, folder):
    problem = load(options.problem)
    first = secrets.randbelow(1 << 30) if options.seed is None else options.seed
    trials = []
    for number in range(options.trials):
        seed(first + number)
        trials.append(problem.get_inputs())
    given = {"init": problem.get_init_inputs(), "trials": trials}
    torch.save(given, folder / "given.pt")
    calls = options.calls if options.bench else 0
    out = {"problem": str(options.problem), "candidate": str(options.candidate), "device": options.device, "seed": first, "trials": options.trials,
           "status": "pass", "reason": "", "candidate_us": None, "model_us": None, "speedup": None}
    wrong = run_worker(options.candidate, "ModelNew", folder, options.device, calls, options.time_limit)
    if not wrong:
        results, wrong = read_results(folder)
    if not wrong:
        wrong = judge(results, problem, given, options.tolerance)
    if not wrong and options.bench:
        out["candidate_us"], wrong = read_median(folder)
    if wrong:
        return {**out, "status": "fail", "reason": wrong}
    if options.bench:
        failed = run_worker(options.problem, "Model", folder, options.device, calls, options.time_limit)
        if not failed:
            out["model_us"], failed = read_median(folder)
        if failed:
            sys.exit(fail(3, f"Model of {options.problem} cannot be timed: {failed}"))
        out["speedup"] = out["model_us"] / out["candidate_us"]
    return out


def fail(status, message):
    print(f"kernelbench.py: {message}", file=sys.stderr)
    return status


def parse(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problem", type=pathlib.Path)
    parser.add_argument("candidate", type=pathlib.Path)
    parser.add_argument("--bench", action="store_true", help="time both models where the candidate is right")
    parser.add_argument("--trials", type=int, default=5, help="inputs to judge with (default 5)")
    parser.add_argument("--calls", type=int, default=100, help="calls to time (default 100)")
    parser.add_argument("--tolerance", type=float, help="atol and rtol (default 1e-4; 1e-2 for 16-bit outputs)")
    parser.add_argument("--seed", type=int, help="of the inputs; one is drawn without it, and printed")
    parser.add_argument("--device", default=None, help="cpu or cuda (default: cuda where there is one)")
    parser.add_argument("--time-limit", type=float, default=300, help="seconds for a model's process (default 300)")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args(words)


def main(words):
    options = parse(words)
    if torch is None:
        return fail(77, "skipped: this Python has no torch (name another one, or: apt-get install python3-torch)")
    options.device = options.device or ("cuda" if torch.cuda.is_available() else "cpu")
    if options.device == "cuda" and not torch.cuda.is_available():
        return fail(77, "skipped: torch finds no GPU")
    for path in (options.problem, options.candidate):
        if not path.is_file():
            return fail(2, f"cannot read {path}")
    missing = [name for name in ("Model", "get_inputs", "get_init_inputs") if name not in options.problem.read_text()]
    if missing or "ModelNew" not in options.candidate.read_text():
        return fail(2, f"{options.problem} must define Model, get_inputs and get_init_inputs, {options.candidate} ModelNew; missing: {', '.join(missing) or 'ModelNew'}")
    with tempfile.TemporaryDirectory() as folder:
        try:
            out = evaluate(options, pathlib.Path(folder))
        except Exception as failure:  # the problem's own code, of which anything may come
            return fail(3, f"{options.problem}: {type(failure).__name__}: {failure}")
    if options.json:
        print(json.dumps(out, indent=1))
    else:
        print(f"{out['status'].upper()} {options.candidate.name} {out['reason']}".rstrip())
        if out["speedup"] is not None:
            print(f"candidate {out['candidate_us']:.1f} us, Model {out['model_us']:.1f} us: {out['speedup']:.2f}x on {options.device}")
        print(f"inputs: --seed {out['seed']}")
    return 0 if out["status"] == "pass" else 1


if __name__ == "__main__":
    if sys.argv[1:2] == ["--work"]:
        work(sys.argv[2], sys.argv[3], sys.argv[4], sys.argv[5], int(sys.argv[6]))
        os._exit(0)  # what a candidate registered for the end is not run
    sys.exit(main(sys.argv[1:]))
