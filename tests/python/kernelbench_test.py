"""KernelBench problems: right, wrong, cheating, crashing candidates. usage: kernelbench_test.py SOURCE; exit status 77 without torch."""

import json
import pathlib
import subprocess
import sys
import tempfile

tool = pathlib.Path(sys.argv[1], "python/kernelbench.py")
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


def run(*words):
    return subprocess.run([sys.executable, "-B", tool, *map(str, words)], capture_output=True, text=True)


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    problem = folder / "problem.py"
    problem.write_text(PROBLEM)
    for name, (text, expected) in CASES.items():
        candidate = folder / f"{name}.py"
        candidate.write_text(text)
        done = run(problem, candidate, "--device", "cpu", "--trials", 2, "--json")
        if done.returncode == 77:
            print(done.stderr.strip())
            sys.exit(77)
        assert done.returncode == (1 if expected else 0), (name, done.stdout, done.stderr)
        reason = json.loads(done.stdout)["reason"]
        assert reason.startswith(expected) if expected else reason == "", (name, reason)
    done = run(problem, folder / "right.py", "--device", "cpu", "--bench", "--calls", 5, "--trials", 1)
    assert done.returncode == 0 and "x on cpu" in done.stdout and "--seed" in done.stdout, done.stdout
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
    (folder / "w.jsonl").write_text("{\n")
    done = run(folder / "d.json", folder / "w.jsonl", folder / "c.py", folder / "t.jsonl")
    assert done.returncode == 2 and "w.jsonl:1: no JSON" in done.stderr, done.stderr
print("ok traces")
