"""softmax, in Triton: a program a row, two runs over it in blocks.

The first run keeps the maximum and the sum of the row so far, the second writes. A row that fits one block is read from the cache in the
second run. Elements of a row lie `inner` apart, so that any dimension can be reduced.

CHOICES: a block for short rows, where most of a longer one would be idle, and one for the others."""

import triton
import triton.language as tl

CHOICES = [("row_padding == 0 and length <= 256", {"BLOCK": 256}), ("row_padding == 0 and length <= 1024", {"BLOCK": 1024}),
           ("row_padding == 0 and length > 1024", {"BLOCK": 4096})]


@triton.jit
def softmax_kernel(x, out, length, inner, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    first = row // inner * length * inner + row % inner
    lane = tl.arange(0, BLOCK).to(tl.int64)
    largest = -float("inf")
    total = 0.0
    for start in range(0, length, BLOCK):
        at = start + lane
        values = tl.load(x + first + at * inner, mask=at < length, other=-float("inf")).to(tl.float32)
        higher = tl.maximum(largest, tl.max(values, axis=0))
        base = tl.where(higher == -float("inf"), 0.0, higher)  # of a block that is masked altogether: -inf - -inf is no number
        total = total * tl.exp(largest - base) + tl.sum(tl.exp(values - base), axis=0)
        largest = higher
    base = tl.where(largest == -float("inf"), 0.0, largest)
    for start in range(0, length, BLOCK):
        at = start + lane
        values = tl.load(x + first + at * inner, mask=at < length, other=-float("inf")).to(tl.float32)
        tl.store(out + first + at * inner, (tl.exp(values - base) / total).to(out.dtype.element_ty), mask=at < length)


def setup(M=1024, N=1024, dtype=None, device="cuda"):
    """The arguments of run_kernel(), named as in softmax.h."""
    import torch
    x = torch.randn(M, N, dtype=dtype or torch.float32, device=device)
    return {"x": x, "out": torch.empty_like(x), "outer": M, "length": N, "inner": 1,
            "BLOCK": next(constants["BLOCK"] for condition, constants in CHOICES if eval(condition, {"length": N, "row_padding": 0}))}


def run_kernel(x, out, outer, length, inner, BLOCK):
    softmax_kernel[(outer * inner,)](x, out, length, inner, BLOCK=BLOCK, num_warps=4)


def reference(x, outer, length, inner, **_):
    return x.view(outer, length, inner).softmax(1).view_as(x)
