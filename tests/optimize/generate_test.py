"""Runs of `assay generate` on the CPU device with a recorded provider: names of ops, attempts, what is kept, what is timed, the log.

usage: generate_test.py ASSAY BUILD SOURCE"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

assay, build, source = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
right = (source / "ops/add/v1_baseline.cu").read_text()


def wrong(name):
    return {"source": (source / f"tests/wrong_kernels/{name}.cu").read_text()}


def generate(ops, out, answers, *more):
    provider = f"{sys.executable} {source}/tools/recorded_provider.py {answers}"
    words = [assay, "generate", "--build", build, ops, "--provider", provider, "--out", str(out), "--dtype", "f32", "--size", "small", "--quick",
             "--time-limit", "15", "--provider-limit", "5", *more]
    return subprocess.run(words, capture_output=True, text=True)


def names(scratch):
    """One op under many names, each once; an unknown one stops all before anything is asked."""
    done = generate(" torch.nn.functional.softmax ,F.softmax,, layer_norm,F.gelu,torch.nn.Linear,add", scratch / "x", scratch, "--dry-run")
    assert done.returncode == 2 and 'no op is called "torch.nn.Linear"' in done.stderr, done.stderr
    done = generate(" torch.nn.functional.softmax ,F.softmax,, F.layer_norm,GELU,sdpa,torch.mm,aten::add,F.rms_norm , Conv2d", scratch / "x", scratch, "--dry-run")
    made = re.findall(r"would generate (\w+) ", done.stdout)
    assert made == ["softmax", "layernorm", "gelu", "mha", "matmul", "add", "rmsnorm", "conv2d"], done
    assert not (scratch / "x").exists()
    assert generate(" , ", scratch / "x", scratch).returncode == 2


def a_run(scratch):
    answers, out = scratch / "answers", scratch / "made"
    answers.mkdir()
    (answers / "right.cu").write_text(right)
    for name, answer in {
        "add.v1_baseline.0": {"source_file": "right.cu", "provider": "tester\n#error injected"},
        "add.v2_tiling.0": {"replay": "garbage"}, "add.v2_tiling.1": wrong("does_not_compile"), "add.v2_tiling.2": {"source_file": "right.cu"},
        "add.v3_coalesced.0": wrong("constant"), "add.v3_coalesced.1": wrong("infinite_loop"), "add.v3_coalesced.2": wrong("launches_nothing"),
        "add.v3_coalesced.3": {"source_file": "right.cu"},  # a fourth attempt is not made
        "add.v4_optimized.0": {"replay": "exit"}, "add.v4_optimized.1": {"source_file": "right.cu"},
    }.items():
        (answers / f"{name}.json").write_text(json.dumps(answer))
    done = generate("torch.add", out, answers, "--json")
    assert done.returncode == 1, (done.returncode, done.stderr)
    (state,) = json.loads(done.stdout)["ops"]
    classes = {name: [a["error_class"] for a in v["attempts"]] for name, v in state["variants"].items()}
    assert classes == {"v1_baseline": ["passed"], "v2_tiling": ["provider", "does not compile", "passed"],
                       "v3_coalesced": ["wrong results", "time limit", "wrong results"], "v4_optimized": ["provider", "passed"]}, classes
    assert {name: v["outcome"] for name, v in state["variants"].items()} == {
        "v1_baseline": "right", "v2_tiling": "right", "v3_coalesced": "skipped", "v4_optimized": "right"}
    folder = out / "add"
    assert sorted(path.name for path in folder.glob("*.cu")) == ["v1_baseline.cu", "v2_tiling.cu", "v4_optimized.cu"]
    timed = {r["name"] for r in state["results"] if r["kind"] == "variant" and "cold" in r["modes"]}
    assert timed == {"v1_baseline", "v2_tiling", "v4_optimized"}, timed  # what is not proven right is never timed
    head = (folder / "v1_baseline.cu").read_text().splitlines()[0]
    assert re.fullmatch(r"// Generated\. Provider: tester #error injected\. Prompt: sha256 [0-9a-f]{64}\. Date: 20\d\d-.*Z\.", head), head
    # What was wrong is in the next prompt.
    repair = json.loads((folder / "history/v2_tiling.2.prompt.json").read_text())["repair"]
    assert repair["error_class"] == "does not compile" and "error" in repair["message"] and repair["attempts_left"] == 1, repair
    assert json.loads((folder / "history/v3_coalesced.1.prompt.json").read_text())["repair"]["mismatches"][0]["got"] == 0.5
    log = (folder / "add_log.md").read_text()
    for text in ("3 of 4 variants are proven right", "- [ ] they are proven right at all cases asked for (3 of 4)", "- [x] all that are right are timed (3 of 3)",
                 "- [x] four variants were written (4 of 4)", "Speedup vs torch", "## Final", "| small | f32 | v", "- [x] sources of all that are right are in their place (3 of 3)",
                 "## Launches", "| v1_baseline | f32 | small | grid 256x1x1, block 256x1x1, 0 B |"):
        assert text in log, (text, log)
    assert "| add | 3 | 1 | 3 |" in (out / "summary.md").read_text()
    # Once more: nothing is asked, nothing is measured.
    before = (folder / "state.json").read_text()
    done = generate("add", out, scratch / "no_answers", "--json")
    assert done.returncode == 1 and (folder / "state.json").read_text() == before, done.stderr


def shrunk(scratch):
    """A size beyond the memory gets a smaller one beside it, which is judged, timed and said so; a run that goes on keeps it."""
    answers, out = scratch / "shrunk_answers", scratch / "shrunk"
    answers.mkdir()
    (answers / "right.cu").write_text(right)
    for variant in ("v1_baseline", "v2_tiling", "v3_coalesced", "v4_optimized"):
        (answers / f"add.{variant}.0.json").write_text(json.dumps({"source_file": "right.cu"}))
    done = generate("add", out, answers, "--json", "--shrink=0.0008")
    assert done.returncode == 0, (done.returncode, done.stderr)
    (state,) = json.loads(done.stdout)["ops"]
    (one,) = state["shrunk"]
    assert one["size"] == "small" and one["free_bytes"] == 800000 < one["need_bytes"], one
    assert {r["size"] for r in state["results"] if r["kind"] == "variant"} == {"small", one["name"]}, state["results"]
    log = (out / "add/add_log.md").read_text()
    assert f"| {one['name']} (shrunk from small) |" in log and "0.0008 GB are free" in log, log
    done = generate("add", out, answers, "--json")
    assert json.loads(done.stdout)["ops"][0]["shrunk"] == [one]


with tempfile.TemporaryDirectory() as folder:
    for test in (names, a_run, shrunk):
        test(pathlib.Path(folder))
        print("ok", test.__name__, flush=True)
