"""matmul, in Triton: a program a tile of c, tiles in groups of rows so that neighbours share what is in the L2 cache.

tl.dot takes the tensor cores for 16-bit factors and the multiply-add units for f32, which is rounded to tf32 only in that math
mode. What lies outside the matrices is loaded as 0, so any size is taken; transposed operands,
batches and views are not."""

import triton
import triton.language as tl

CHOICES = [("transpose_a == 0 and transpose_b == 0 and batch == 1 and padding_a == 0 and padding_b == 0 and "
            "(m <= 512 or n <= 512)", {"BM": 64, "BN": 64}),
           ("transpose_a == 0 and transpose_b == 0 and batch == 1 and padding_a == 0 and padding_b == 0 and "
            "m > 512 and n > 512", {"BM": 128, "BN": 128})]
BK, GROUP = 32, 8


@triton.jit
def matmul_kernel(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr,
                  PRECISION: tl.constexpr):
    program, rows, columns = tl.program_id(0), tl.cdiv(m, BM), tl.cdiv(n, BN)
    first = program // (GROUP * columns) * GROUP
    height = tl.minimum(rows - first, GROUP)
    i = (first + program % (GROUP * columns) % height) * BM + tl.arange(0, BM)
    j = program % (GROUP * columns) // height * BN + tl.arange(0, BN)
    p = tl.arange(0, BK)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, k, BK):
        inside = start + p < k
        tile_a = tl.load(a + i[:, None] * k + (start + p)[None, :], mask=(i < m)[:, None] & inside[None, :], other=0.0)
        tile_b = tl.load(b + (start + p)[:, None] * n + j[None, :], mask=inside[:, None] & (j < n)[None, :], other=0.0)
        total = tl.dot(tile_a, tile_b, total, input_precision=PRECISION)
    tl.store(c + i[:, None] * n + j[None, :], total.to(c.dtype.element_ty), mask=(i < m)[:, None] & (j < n)[None, :])


def setup(M=1024, N=1024, K=1024, dtype=None, device="cuda"):
    """The arguments of run_kernel(), named as in matmul.h."""
    import torch
    a = torch.randn(M, K, dtype=dtype or torch.float32, device=device)
    b = torch.randn(K, N, dtype=a.dtype, device=device)
    tile = next(constants for condition, constants in CHOICES if eval(condition, {"m": M, "n": N, "transpose_a": 0, "transpose_b": 0, "batch": 1,
                                                                                   "padding_a": 0, "padding_b": 0}))
    return {"a": a, "b": b, "c": a.new_empty(M, N), "m": M, "n": N, "k": K, **tile}


def run_kernel(a, b, c, m, n, k, BM, BN, precision="ieee"):
    grid = (triton.cdiv(m, BM) * triton.cdiv(n, BN),)
    matmul_kernel[grid](a, b, c, m, n, k, BM, BN, BK, GROUP, precision, num_warps=4 if BM == 64 else 8, num_stages=3)


def reference(a, b, **_):
    return a @ b
