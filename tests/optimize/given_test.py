"""An op from a plain C reference: judged as ops of the tree are, wrong descriptions refused with their line, and a whole run of `assay optimize`.

usage: given_test.py ASSAY BUILD SOURCE"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

assay, build, source = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])

REFERENCE = """// assay: A[M,K] x[K] y[M]
// assay: small M=64 K=32
// assay: large M=96 K=48
// assay: values alpha=1.5
// assay: tolerance 1e-4
// assay: flops 2*M*K
void solve(const float *A, const float *x, float *y, int M, int K, float alpha)
{
    for (int i = 0; i < M; i++) {
        float sum = 0;
        for (int j = 0; j < K; j++)
            sum += A[i * K + j] * x[j];
        y[i] = alpha * sum;
    }
}
"""
KERNEL = """#define THREADS 32
__global__ void matvec(const float *A, const float *x, float *y, int M, int K, float alpha)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= M)
        return;
    volatile float waste = 0;
    for (int k = 0; k < 15000; k++)
        waste = waste + 1;
    float sum = 0;
    for (int j = 0; j < K; j++)
        sum += A[(size_t)i * K + j] * x[j];
    y[i] = alpha * sum;
}
extern "C" void solve(const float *A, const float *x, float *y, int M, int K, float alpha)
{
    matvec<<<(M + THREADS - 1) / THREADS, THREADS>>>(A, x, y, M, K, alpha);
}
"""
FAST = "\n".join(line for line in KERNEL.splitlines() if "waste" not in line and "15000" not in line) + "\n"
# The same with an entry of Assay's, which the header made of the reference serves.
ENTRY = FAST.split('extern "C"')[0].replace("float *A", "scalar_t *A").replace("float *x", "scalar_t *x").replace("float *y", "scalar_t *y").replace(
    "sum += A[(size_t)i * K + j] * x[j]", "sum += assay::to_float(A[(size_t)i * K + j]) * assay::to_float(x[j])").replace(
    "y[i] = alpha * sum", "y[i] = assay::from_float<scalar_t>(alpha * sum)")
ENTRY = "#include <assay/kernel.h>\n#include \"matvec.h\"\n" + ENTRY + """extern "C" assay_status matvec_run(const matvec_args *a, assay_stream stream)
{
    return assay::launch(matvec, dim3((unsigned)((a->M + THREADS - 1) / THREADS)), dim3(THREADS), 0, stream, (const scalar_t *)a->A,
                         (const scalar_t *)a->x, (scalar_t *)a->y, (int)a->M, (int)a->K, (float)a->alpha);
}
"""


def run(command, *words):
    return subprocess.run([assay, command, "--build", build, *map(str, words)], capture_output=True, text=True)


def verify(scratch, reference, kernel, *more):
    (scratch / "matvec.c").write_text(reference)
    (scratch / "mine.cu").write_text(kernel)
    return run("verify", "--source", scratch / "mine.cu", "--ref", scratch / "matvec.c", "--json", *more)


def judged(scratch):
    """A right kernel passes at every size and at shapes that tiles do not divide; a wrong factor and a missing bound are found."""
    done = verify(scratch, REFERENCE, KERNEL)
    assert done.returncode == 0, (done.returncode, done.stderr)
    names = [case["name"] for case in json.loads(done.stdout)["cases"]]
    assert names == [f"matvec.mine.f32.{size}" for size in ("small", "medium", "large", "edge")], names
    assert verify(scratch, REFERENCE, KERNEL.replace("alpha * sum", "1.01f * alpha * sum")).returncode == 1
    done = verify(scratch, REFERENCE, KERNEL.replace("i >= M", "i >= M - 1"), "--size", "small")
    assert done.returncode == 1 and "1 of 64 elements of y were never written" in done.stdout, done
    done = verify(scratch, REFERENCE, ENTRY, "--size", "small")
    assert done.returncode == 0 and len(json.loads(done.stdout)["cases"]) == 3, (done.stdout, done.stderr)  # three dtypes


def described_by_json(scratch):
    bare = "\n".join(line for line in REFERENCE.splitlines() if "assay:" not in line) + "\n"
    about = {"shapes": {"A": ["M", "K"], "x": ["K"], "y": ["M"]}, "sizes": {"small": {"M": 17, "K": 9}}, "tolerance": 1e-4,
             "op": {"edge_cases": [{"name": "mine", "dims": {"M": 3, "K": 5}}]}}
    path = scratch / "about.json"
    path.write_text(json.dumps(about, indent=1))
    done = verify(scratch, bare, FAST, "--about", path)
    assert done.returncode == 0, (done.returncode, done.stderr)
    about["shapes"]["x"] = ["Q"]
    path.write_text(json.dumps(about, indent=1))
    done = verify(scratch, bare, FAST, "--about", path)
    line = next(i for i, text in enumerate(path.read_text().splitlines(), 1) if '"x"' in text)
    assert done.returncode == 2 and f'about.json:{line}: axis "Q" of x' in done.stderr, done.stderr


def refused(scratch):
    for change, expected in {
        ("x[K]", "x[Q]"): 'matvec.c:1: axis "Q" of x',
        ("A[M,K] x[K]", "A[M,K]"): 'matvec.c:7: the shape of "x" is not known',
        ("small M=64 K=32", "small M=64"): 'matvec.c:2: size "small" has no value for K',
        ("large M=96", "large M=zero"): 'matvec.c:3: "M=zero": NAME=NUMBER is expected',
        ("float *A", "char *A"): 'matvec.c:7: parameter "A": elements of another type',
        ("const float *x", "const float **"): "matvec.c:7: parameter 2 of solve()",
        ("sum += A", "sum += B"): "matvec.c does not compile:",
        ("2*M*K", "2*Q"): "matvec.c does not compile:",
        ("void solve", "void other"): "neither void solve(...) nor void reference(...)",
    }.items():
        assert change[0] in REFERENCE
        done = verify(scratch, REFERENCE.replace(*change, 1), FAST)
        assert done.returncode == 2 and expected in done.stderr and done.stdout == "", (change, done.stderr)
    done = run("verify", "--ref", scratch / "matvec.c")
    assert done.returncode == 2 and "--source" in done.stderr, done.stderr


def improved(scratch):
    """The loop on such a kernel: a wrong answer, then a right one; every page is there."""
    answers, out = scratch / "answers", scratch / "run"
    answers.mkdir()
    words = {"hypothesis": "The loop computes nothing.", "rationale": "It is measured.", "expected": "faster"}
    (answers / "v1.0.json").write_text(json.dumps({"source": FAST.replace("alpha * sum", "sum"), **words}))
    (answers / "v1.1.json").write_text(json.dumps({"source": FAST, **words}))
    (scratch / "matvec.c").write_text(REFERENCE)
    (scratch / "mine.cu").write_text(KERNEL)
    command = ["optimize", scratch / "mine.cu", "--ref", scratch / "matvec.c", "--out", out, "--iterations", 1, "--size", "small", "--repetitions", "3",
               "--sample-ms", "0.01", "--warmup-ms", "0", "--json", "--provider", f"{sys.executable} {source}/tools/recorded_provider.py {answers}"]
    done = run(*command)
    assert done.returncode == 0, done.stderr
    state = json.loads(done.stdout)
    assert [t["error_class"] for t in state["versions"][1]["tries"]] == ["wrong results"], state["versions"][1]
    # A machine under load may not tell the two apart; what is kept is what best.cu holds.
    assert state["versions"][1]["outcome"] in ("kept", "reverted") and state["versions"][1]["speedup"] > 1, state["versions"][1]
    assert (out / "best.cu").read_text() == (FAST if state["best"] else KERNEL), state["best"]
    for name in ("env_check.md", "v0/correctness.md", "v0/ncu_summary.md", "v0/ncu_details.md", "v1/hypothesis.txt", "v1/correctness.md", "v1/ncu_summary.md",
                 "final_report.md", "benchmark.md"):
        assert (out / name).stat().st_size > 0, name
    prompt = json.loads((out / "v1/prompt1.json").read_text())
    assert prompt["profile"]["verdict"] and "# " in prompt["profile"]["page"] and prompt["experience"], prompt.keys()
    assert json.loads(run(*command).stdout)["versions"] == state["versions"]  # done: nothing is asked or timed again


def over_http(scratch):
    """The same from an endpoint: profile and experience are in its prompt, the key in no file."""
    server = subprocess.Popen([sys.executable, "-B", source / "tests/search/provider_server.py"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        address = f"http://127.0.0.1:{server.stdout.readline().strip()}"
        (scratch / "matvec.c").write_text(REFERENCE)
        (scratch / "mine.cu").write_text(FAST)
        for mode, expected in (("kernel", []), ("html", ["provider"] * 4)):
            out = scratch / mode
            done = subprocess.run([assay, "optimize", "--build", build, scratch / "mine.cu", "--ref", scratch / "matvec.c", "--out", out, "--iterations", "1",
                                   "--size", "small", "--repetitions", "2", "--sample-ms", "0.01", "--warmup-ms", "0", "--json", "--provider",
                                   f"{address}/{mode}/", "--model", "tested"], capture_output=True, text=True,
                                  env={**os.environ, "ASSAY_PROVIDER_KEY": "secret-key-0123456789"})
            if "libcurl" in done.stdout:
                print("no libcurl: endpoints are not tested")
                return
            assert done.returncode == 0, done.stderr
            version = json.loads(done.stdout)["versions"][1]
            assert [t["error_class"] for t in version["tries"]] == expected, version
            assert mode == "html" or version["changes"] == ["THREADS 32 -> 64"], version
            for path in out.rglob("*"):
                assert not path.is_file() or b"secret-key" not in path.read_bytes(), path
    finally:
        server.communicate("")


with tempfile.TemporaryDirectory() as folder:
    for test in (judged, described_by_json, refused, improved, over_http):
        place = pathlib.Path(folder, test.__name__)
        place.mkdir()
        test(place)
        print("ok", test.__name__, flush=True)
