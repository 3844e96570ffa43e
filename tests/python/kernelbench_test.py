"""KernelBench problems: right, wrong, cheating, crashing candidates. usage: kernelbench_test.py SOURCE; exit status 77 without torch."""

import contextlib
import io
import json
import pathlib
import subprocess
import sys
import tempfile

tool = pathlib.Path(sys.argv[1], "python/kernelbench.py")
sys.path.insert(0, str(tool.parent))
import kernelbench  # noqa: E402
if kernelbench.torch is None:
    print("skipped: this Python has no torch")
    sys.exit(77)
PROBLEM = """import torch
class Model(torch.nn.Module):
    def __init__(self, size):
        super().__init__()
        self.linear = torch.nn.Linear(size, 8)
    def forward(self, x, scale):
        return torch.relu(self.linear(x)) * scale
def get_inputs():
    return [torch.randn(16, 12), 2.0]
def get_init_inputs():
    return [12]
"""
RIGHT = """import torch
class ModelNew(torch.nn.Module):
    def __init__(self, size):
        super().__init__()
        self.linear = torch.nn.Linear(size, 8)
    def forward(self, x, scale):
        return (x @ self.linear.weight.t() + self.linear.bias).clamp(min=0) * scale
"""
# A candidate, and the beginning of what is said of it; None: it passes.
CASES = {
    "right": (RIGHT, None),
    "wrong_factor": (RIGHT.replace("* scale", "* scale * 1.001"), "trial 0, output 0: "),
    "remembers": (RIGHT.replace("        return (", "        if hasattr(self, 'kept'): return self.kept\n        self.kept = y = (").replace("* scale\n", "* scale\n        return y\n"),
                  "trial 1, output 0: "),
    "shape": (RIGHT.replace("* scale", "[:8] * scale"), "trial 0, output 0: is (8, 8)"),
    "changes_input": (RIGHT.replace("        return (", "        x.mul_(1)\n        y = (").replace("* scale\n", "* scale\n        x.add_(1)\n        return y\n"), "trial 0: an input was changed"),
    "raises": (RIGHT.replace("return (", "raise ValueError('no'); ("), "exited with status 1: ValueError: no"),
    "patches_torch": ("import torch\ntorch.allclose = torch.equal = lambda *a, **k: True\n" + RIGHT.replace("* scale", "* 3"), "trial 0, output 0: "),
}

# Batch statistics, a parameter that is drawn, tensors that are no buffers or made in between, nested outputs and a number.
NESTED = """import torch
class Model(torch.nn.Module):
    def __init__(self, size):
        super().__init__()
        self.norm, self.drop, self.h0 = torch.nn.BatchNorm1d(size), torch.nn.Dropout(0.5), torch.randn(1, 16, 8)
        self.rnn, self.bias = torch.nn.GRU(size, 8, batch_first=True), torch.nn.Parameter(torch.randn(8))
    def forward(self, feature_map, keep):
        y, state = self.rnn(self.drop(self.norm(feature_map)).unsqueeze(1), self.h0)
        return {"out": (y + self.bias) @ torch.ones(8, 8), "rest": (state, torch.max(y, 2)), "kept": int(keep.sum())}
def get_inputs():
    return [torch.rand(16, 12), torch.randint(0, 2, (16,)).bool()]
def get_init_inputs():
    return [12]
"""
NESTED_CASES = {
    "same": (NESTED, None),
    "not_the_batchs_statistics": (NESTED.replace("self.norm(feature_map)", "feature_map"), "trial 0, output 1: "),
    "writes_results": ("import os, sys, torch\ntorch.save([{'outputs': [5]}], sys.argv[4] + '/results.pt')\nos._exit(0)\nclass ModelNew: pass\n", "its process left no results: "),
    "leaves_nothing": ("import os\nos._exit(0)\nclass ModelNew: pass\n", "its process left no results"),
    "child_that_hangs": ("import subprocess, time\nsubprocess.Popen(['sleep', '300'])\ntime.sleep(300)\nclass ModelNew: pass\n", "timed out"),
}


# Dropout that no dropout module does.
DROPPING = """import torch
import torch.nn.functional as F
from torch.nn.functional import dropout2d
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn, self.attention = torch.nn.GRU(8, 8, 2, dropout=0.5), torch.nn.MultiheadAttention(8, 2, dropout=0.5)
    def forward(self, x):
        y = F.dropout(x, p=0.5, training=self.training)
        return self.rnn(y)[0], self.attention(y, y, y)[0], dropout2d(x.unsqueeze(0))
def get_inputs():
    return [torch.randn(4, 3, 8)]
def get_init_inputs():
    return []
"""


def judged(problem, candidate, *words):
    """(exit status, reason), in this process: torch is loaded once, and again for each candidate."""
    with contextlib.redirect_stdout(io.StringIO()) as told:
        status = kernelbench.main([str(word) for word in (problem, candidate, "--device", "cpu", "--json", *words)])
    return status, json.loads(told.getvalue())["reason"]


def run(*words):
    return subprocess.run([sys.executable, "-B", tool, *map(str, words)], capture_output=True, text=True)


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    problem = folder / "problem.py"
    problem.write_text(PROBLEM)
    nested = folder / "nested.py"
    nested.write_text(NESTED)
    dropping = folder / "dropping.py"
    dropping.write_text(DROPPING)
    for asked, cases in ((problem, CASES), (nested, NESTED_CASES), (dropping, {"drops_nothing": (DROPPING, None)})):
        for name, (text, expected) in cases.items():
            candidate = folder / f"{name}.py"
            candidate.write_text(text.replace("class Model(", "class ModelNew("))
            status, reason = judged(asked, candidate, "--trials", 2, *(("--time-limit", 3) if expected == "timed out" else ()))
            assert status == (1 if expected else 0), (name, status, reason)
            assert reason.startswith(expected) if expected else reason == "", (name, reason)
    done = run(problem, folder / "right.py", "--device", "cpu", "--bench", "--calls", 5, "--trials", 1)
    assert done.returncode == 0 and "x on cpu" in done.stdout and "--seed" in done.stdout, done.stdout
    (folder / "no_times.py").write_text("import pathlib\npathlib.Path.write_text = lambda *rest, **named: 0\n" + RIGHT)
    status, reason = judged(problem, folder / "no_times.py", "--bench", "--calls", 1, "--trials", 1)
    assert (status, reason) == (1, "its process left no times: FileNotFoundError"), (status, reason)
    assert run(problem, problem).returncode == 2 and run(problem, folder / "none.py").returncode == 2
    (folder / "broken.py").write_text(PROBLEM.replace("torch.randn(16, 12)", "undefined"))
    done = run(folder / "broken.py", folder / "right.py", "--device", "cpu")
    assert done.returncode == 3 and "NameError" in done.stderr, done.stderr
print("ok")

# The same for a definition and workloads of FlashInfer-Bench.
tool = tool.with_name("flashinfer_trace.py")
DEFINITION = {"name": "scaled_sum", "op_type": "test", "axes": {"M": {"type": "var"}, "N": {"type": "const", "value": 8}},
              "inputs": {"x": {"shape": ["M", "N"], "dtype": "float16"}, "scale": {"shape": None, "dtype": "float32"}},
              "outputs": {"y": {"shape": ["M"], "dtype": "float16"}}, "reference": "import torch\ndef run(x, scale):\n    return (x.sum(-1) * scale).to(torch.float16)\n"}
WORKLOADS = [{"uuid": "a", "axes": {"M": 3}, "inputs": {"x": {"type": "random"}, "scale": {"type": "scalar", "value": 2.0}}},
             {"uuid": "b", "axes": {"M": 3}, "inputs": {"x": {"type": "safetensors", "path": "x", "tensor_key": "x"}, "scale": {"type": "scalar", "value": 2.0}}}]
with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    (folder / "d.json").write_text(json.dumps(DEFINITION))
    (folder / "w.jsonl").write_text("".join(json.dumps({"definition": "scaled_sum", "workload": w, "solution": None, "evaluation": None}) + "\n" for w in WORKLOADS))
    for factor, status in (("2.0", "PASSED"), ("3.0", "INCORRECT_NUMERICAL")):
        (folder / "c.py").write_text(f"def run(x, scale):\n    return x.sum(-1) * {factor}\n")
        done = run(folder / "d.json", folder / "w.jsonl", folder / "c.py", folder / "t.jsonl", "--device", "cpu", "--bench")
        assert done.returncode == (status != "PASSED") and "LEFT OUT b: input x" in done.stderr, (done.stdout, done.stderr)
        (trace,) = [json.loads(line) for line in (folder / "t.jsonl").read_text().splitlines()]
        assert trace["workload"] == WORKLOADS[0] and trace["solution"] == "c" and trace["evaluation"]["status"] == status, trace
        assert (trace["evaluation"]["performance"] is None) == (status != "PASSED"), trace
    (folder / "d.json").write_text(json.dumps({**DEFINITION, "reference": "def run(x, scale):\n    return undefined\n"}))
    done = run(folder / "d.json", folder / "w.jsonl", folder / "c.py", folder / "t.jsonl", "--device", "cpu")
    assert done.returncode == 3 and "d.json: workload a: NameError" in done.stderr, done.stderr
    (folder / "w.jsonl").write_text("{\n")
    done = run(folder / "d.json", folder / "w.jsonl", folder / "c.py", folder / "t.jsonl")
    assert done.returncode == 2 and "w.jsonl:1: no JSON" in done.stderr, done.stderr
print("ok traces")
