"""Whole runs of `assay optimize` on the CPU device with a recorded provider: good, wrong, non-compiling, cheating and hanging answers.

usage: loop_test.py ASSAY BUILD SOURCE"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

assay, build, source = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
right = (source / "ops/add/v1_baseline.cu").read_text()
marker = "out[i] = "
begin_of_kernel = "const int64_t i = "
assert marker in right and begin_of_kernel in right
# The kernel as given: right, and slow by a loop that computes nothing.
slow = right.replace(begin_of_kernel, "volatile float waste = 0;\n    for (int k = 0; k < 25; k++)\n        waste = waste + 1;\n    " + begin_of_kernel, 1)


def wrong(name):
    return (source / f"tests/wrong_kernels/{name}.cu").read_text()


def answer(text, **words):
    return dict({"source": text, "hypothesis": "A hypothesis.", "rationale": "A reason.", "expected": "faster"}, **words)


def write(folder, answers):
    folder.mkdir(parents=True)
    for name, value in answers.items():
        (folder / f"{name}.json").write_text(json.dumps(value))


def command(kernel, out, recorded, iterations):
    words = [assay, "optimize", "--build", build, kernel, "--ref", "add", "--out", out, "--iterations", str(iterations), "--dtype", "f32", "--size", "small",
             "--repetitions", "8", "--sample-ms", "0.01", "--warmup-ms", "0", "--time-limit", "40", "--provider-limit", "5", "--json"]
    if recorded:
        words += ["--provider", f"{sys.executable} {source}/tools/recorded_provider.py {recorded}"]
    return [str(word) for word in words]


def run(*arguments):
    done = subprocess.run(command(*arguments), capture_output=True, text=True)
    return done.returncode, json.loads(done.stdout) if done.returncode == 0 else None, done.stderr


def a_whole_run(scratch):
    kernel = scratch / "mine.cu"
    kernel.write_text(slow)
    liar = 'printf("PASS\\n");'
    cheat = wrong("launches_nothing").replace("return ASSAY_OK;", liar + " return ASSAY_OK;", 1).replace("#include", "#include <cstdio>\n#include", 1)
    two = right.replace("256", "128").replace(marker, "#pragma unroll\n    for (int k = 0; k < 1; k++) " + marker, 1)
    write(scratch / "answers", {
        # No answer, no JSON, an endless wait, then a good one: the third repair.
        "v1.0": {"replay": "exit"}, "v1.1": {"replay": "garbage"}, "v1.2": {"replay": "hang"},
        "v1.3": answer(right, hypothesis="The loop computes nothing.", expected_speedup=1.5),
        # Wrong in four ways: abandoned, never timed.
        "v2.0": answer(wrong("constant")), "v2.1": answer(wrong("does_not_compile")), "v2.2": answer(wrong("infinite_loop")), "v2.3": answer(cheat),
        # Slower: reverted. The answer before it changes two things.
        "v3.0": answer(two), "v3.1": answer(slow, expected_speedup=3),
        **{f"v4.{attempt}": {"replay": "exit"} for attempt in range(4)},
    })
    out = scratch / "run"
    # Killed in the middle, it goes on: what was judged stays.
    first = subprocess.Popen(command(kernel, out, scratch / "answers", 4), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.monotonic() + 300
    while not (out / "v2/correctness.md").exists() and time.monotonic() < end and first.poll() is None:
        time.sleep(0.05)
    assert first.poll() is None, "the run ended before it could be interrupted"
    first.send_signal(signal.SIGINT)
    assert first.wait(60) == 130, first.returncode
    before = json.loads((out / "state.json").read_text())
    status, state, messages = run(kernel, out, scratch / "answers", 4)
    assert status == 0, messages
    v = state["versions"]
    assert v[:2] == before["versions"][:2], "a finished version was made again"
    assert [t["error_class"] for t in v[1]["tries"]] == ["provider"] * 3, v[1]
    assert (v[1]["outcome"], v[1]["verdict"], v[1]["expectation"]) == ("kept", "faster", "held"), v[1]
    assert [t["error_class"] for t in v[2]["tries"]] == ["wrong results", "does not compile", "time limit", "wrong results"], v[2]["tries"]
    assert v[2]["outcome"] == "abandoned" and v[2]["tries"][0]["mismatches"], v[2]
    assert [t["error_class"] for t in v[3]["tries"]] == ["refused change"], v[3]["tries"]
    assert (v[3]["outcome"], v[3]["verdict"], v[3]["expectation"]) == ("reverted", "slower", "did not hold"), v[3]
    assert state["best"] == 1 and (out / "best.cu").read_text() == right
    # The next prompt holds what was wrong.
    repair = json.loads((out / "v2/prompt2.json").read_text())["repair"]
    assert repair["error_class"] == "wrong results" and repair["mismatches"][0]["got"] == 0.5, repair
    assert "error" in json.loads((out / "v2/prompt3.json").read_text())["repair"]["message"]
    for name in ("v1/hypothesis.txt", "v1/correctness.md", "final_report.md", "benchmark.md", "env_check.md"):
        assert (out / name).stat().st_size > 0, name
    for word in ("Hypothesis: The loop computes nothing.", "Rationale: ", "Expected: faster (1.5x)", "Change: a rewrite"):
        assert word in (out / "v1/hypothesis.txt").read_text(), word
    report = (out / "final_report.md").read_text()
    assert "Best: **v1**" in report and "| v4 | no answer that could be taken | abandoned |" in report, report
    # Nothing of it came into the build's own results, and no kernel's word was taken for a verdict.
    assert not list(pathlib.Path(build, "results").glob("*/bench/add.k*")), "results of the run lie in the build"
    # Called once more it has nothing to do; another number of iterations is another run.
    assert run(kernel, out, scratch / "answers", 4)[1]["versions"] == v
    status, _, messages = run(kernel, out, scratch / "answers", 5)
    assert status == 2 and "fixed at its start" in messages, messages


def without_provider(scratch):
    kernel = scratch / "tuned.cu"
    kernel.write_text(right.replace("#include <assay/kernel.h>", "#ifndef BLOCK\n#define BLOCK 1\n#endif\n#include <assay/kernel.h>", 1))
    status, state, messages = run(kernel, scratch / "tuned", None, 3)
    assert status == 0, messages
    assert state["versions"][1]["changes"] == ["BLOCK 1 -> 2"], state["versions"]
    assert all(item["outcome"] in ("as given", "kept", "reverted") for item in state["versions"]), state["versions"]


def a_wrong_kernel(scratch):
    status, _, messages = run(source / "tests/wrong_kernels/constant.cu", scratch / "wrong", None, 1)
    assert status == 1 and "wrong results" in messages, (status, messages)
    assert "constant" in (scratch / "wrong/v0/correctness.md").read_text()


with tempfile.TemporaryDirectory() as folder:
    for test in (a_wrong_kernel, without_provider, a_whole_run):
        begin = time.monotonic()
        test(pathlib.Path(folder))
        print(f"ok {test.__name__} ({time.monotonic() - begin:.0f} s)", flush=True)
