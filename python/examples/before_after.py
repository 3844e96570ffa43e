"""A transformer block and a ResNet-50 forward by torch and by assay_ops: time of each, and the error of each against float64.

usage: before_after.py --build DIR [--model block|resnet50] [--dtype f32|f16|bf16] [--width N] [--length N] [--batch N]

The first call in a build folder builds, verifies and, on a GPU, times the kernels that the model needs; later calls find that done.

Times are medians of CUDA events over captured graphs, so they hold no Python; on a CPU there are none. Weights are random: the values that
networks compute do not matter here, their shapes do."""

import argparse
import json
import os
import statistics
import subprocess
import sys

import torch
import torch.nn.functional as torch_functional

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import assay_ops  # noqa: E402
from assay_ops import fallback  # noqa: E402
from assay_ops.workspace import Unavailable, Workspace  # noqa: E402

DTYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}
NEEDS = {"block": ("add", "gelu", "layernorm", "matmul_bias_act", "mha"), "resnet50": ("add", "conv2d", "matmul_bias_act")}


def lacking(build, model, dtype):
    """{op: why} of what the model needs and this build does not offer yet."""
    workspace, reasons = Workspace(build), {}
    for op in NEEDS[model]:
        try:
            workspace.choose(op, dtype)
        except Unavailable as reason:
            reasons[op] = str(reason)
    return reasons


def make_ready(build, model, dtype, variants=None, sizes=None):
    """Build, verify and, on a GPU, time what is lacking; None for variants and sizes: all. What is wrong stays unused, and is said by the
    command. SystemExit: an op has no right kernel in the end."""
    ops = lacking(build, model, dtype)
    if not ops:
        return
    workspace = Workspace(build)
    which = ["--build", str(build), "--op", ",".join(ops), "--dtype", dtype, *(("--variant", variants) if variants else ())]
    targets = ["modules_" + op for op in ops] if not variants else ["module_%s_%s_%s" % (op, variants, dtype) for op in ops]
    if (workspace.build / "CMakeCache.txt").exists():
        subprocess.run(["cmake", "--build", str(build), "--target", *targets], stdout=sys.stderr, check=True)
    assay = str(workspace.libexec / "assay")
    subprocess.run([assay, "verify", *which, *(("--size", sizes) if sizes else ())], stdout=sys.stderr, check=False)
    if workspace.device == "cuda":
        subprocess.run([assay, "bench", *which, "--size", "large", "--quick", "--baselines", "none"], stdout=sys.stderr, check=False)
    left = lacking(build, model, dtype)
    if left:
        raise SystemExit("before_after.py: " + "; ".join("%s: %s" % item for item in left.items()))


class Weights:
    """Drawn once, of a size that keeps activations near 1; the same values for every dtype and side."""

    def __init__(self, seed=1):
        self.generator, self.drawn = torch.Generator().manual_seed(seed), {}

    def __call__(self, name, *shape, terms=1):
        if name not in self.drawn:
            self.drawn[name] = torch.randn(shape, generator=self.generator, dtype=torch.float64) / terms ** 0.5
        return self.drawn[name]


def block(ops, x, w, heads):
    """Pre-norm transformer block: causal attention and a gelu MLP of four times the width, each added to what it came from."""
    batch, length, width = x.shape

    def project(y, name, outputs):
        return ops.linear(y, w(name, outputs, y.shape[-1], terms=y.shape[-1]), w(name + ".bias", outputs))

    def norm(y, name):
        return ops.layer_norm(y, (width,), w(name, width), w(name + ".bias", width))
    y = norm(x, "norm1")
    q, k, v = (project(y, part, width).view(batch, length, heads, width // heads).transpose(1, 2) for part in "qkv")
    y = ops.scaled_dot_product_attention(q, k, v, is_causal=True)
    x = ops.add(x, project(y.transpose(1, 2).reshape(batch, length, width), "out", width))
    return ops.add(x, project(ops.gelu(project(norm(x, "norm2"), "up", 4 * width)), "down", width))


def resnet50(ops, x, w, width):
    """The convolutions of ResNet-50 (He et al., CVPR 2016, table 1) with their normalisation folded in; rectifiers and pooling are torch's."""
    def conv(y, name, outputs, size, stride=1, padding=0):
        return ops.conv2d(y, w(name, outputs, y.shape[1], size, size, terms=y.shape[1] * size * size), w(name + ".bias", outputs),
                          [stride] * 2, [padding] * 2)
    x = torch_functional.max_pool2d(torch.relu(conv(x, "stem", width, 7, 2, 3)), 3, 2, 1)
    for stage, blocks in enumerate((3, 4, 6, 3)):
        inner = width << stage
        for number in range(blocks):
            name, stride = "%d.%d." % (stage, number), 2 if stage > 0 and number == 0 else 1
            y = torch.relu(conv(x, name + "a", inner, 1))
            y = torch.relu(conv(y, name + "b", inner, 3, stride, 1))
            y = conv(y, name + "c", 4 * inner, 1)
            x = torch.relu(ops.add(y, conv(x, name + "s", 4 * inner, 1, stride) if number == 0 else x) * 0.5)
    return ops.linear(x.mean((2, 3)), w("head", 10 * width, x.shape[1], terms=x.shape[1]), w("head.bias", 10 * width))


def model_of(asked):
    """(function of ops, x and weights; its input in double)"""
    draw = torch.Generator().manual_seed(2)
    if asked.model == "block":
        x = torch.randn(asked.batch, asked.length, asked.width, generator=draw, dtype=torch.float64)
        return lambda ops, x, w: block(ops, x, w, max(1, asked.width // 64)), x
    x = torch.randn(asked.batch, 3, asked.length, asked.length, generator=draw, dtype=torch.float64)
    return lambda ops, x, w: resnet50(ops, x, w, asked.width), x


def prepare(model, x, device, dtype):
    """The model as a function without arguments, with its weights where and as they are used."""
    drawn, made = Weights(), {}

    def weight(name, *shape, **terms):
        if name not in made:
            made[name] = drawn(name, *shape, **terms).to(device, dtype)
        return made[name]
    x = x.to(device, dtype)
    return lambda ops: model(ops, x, weight)


def time_us(run):
    """Median over 20 launches of a graph; the run before the capture loads kernels and weights."""
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        for _ in range(3):
            run()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        run()
    times = []
    for _ in range(20):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        graph.replay()
        end.record()
        end.synchronize()
        times.append(1e3 * start.elapsed_time(end))
    return statistics.median(times)


def main(words=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", help="build folder of Assay (default: the one in use, else ASSAY_BUILD)")
    parser.add_argument("--model", choices=("block", "resnet50"), default="block")
    parser.add_argument("--dtype", choices=sorted(DTYPES), default="f32")
    parser.add_argument("--width", type=int, help="of the block (1024), or channels of ResNet's first stage (64)")
    parser.add_argument("--length", type=int, help="tokens (2048), or edge of the images (224)")
    parser.add_argument("--batch", type=int, help="1, or 32 images")
    asked = parser.parse_args(words)
    defaults = (1024, 2048, 1) if asked.model == "block" else (64, 224, 32)
    for key, default in zip(("width", "length", "batch"), defaults):
        setattr(asked, key, getattr(asked, key) or default)
    if asked.build:
        make_ready(asked.build, asked.model, asked.dtype)
        assay_ops.use(asked.build)
    device, dtype = "cuda" if torch.cuda.is_available() else "cpu", DTYPES[asked.dtype]
    model, x = model_of(asked)
    told = {"model": asked.model, "dtype": asked.dtype, "device": torch.cuda.get_device_name() if device == "cuda" else "cpu"}
    with torch.no_grad():
        truth = prepare(model, x, device, torch.float64)(fallback)
        for side, ops in (("torch", fallback), ("assay", assay_ops)):
            run = prepare(model, x, device, dtype)
            error = (run(ops).double() - truth).norm() / truth.norm()
            told[side] = {"relative_error": error.item()}
            if device == "cuda":
                told[side]["median_us"] = time_us(lambda: run(ops))
    told["kernels"] = {"%s %s" % key if isinstance(key, tuple) else key: value for key, value in assay_ops.status().items()}
    return told


if __name__ == "__main__":
    print(json.dumps(main(), indent=1))
