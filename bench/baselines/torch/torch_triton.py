"""Triton kernels of the form its tutorials teach, as baselines: what a user who writes no CUDA gets in an afternoon.

One entry an op in OPS: `launch(torch, inputs, params, out, tf32)` enqueues it, and `choice()` says what its autotuner took. Sums are
held in f32 whatever the element type; f32 products are not rounded to tf32 unless asked. Imported only where Triton is.
"""

import math

import triton
import triton.language as tl

from torch_ops import Unsupported


def worth_compiling(configs, arguments, **constants):
    """Leave out what would compile for minutes, keep its values in local memory, and lose: large tiles of f32 products without rounding,
    which run on the multiply-add units, each written out; and long rows in few warps."""
    first = next(iter(arguments.values()))
    if constants.get("PRECISION", "tf32") == "ieee" and first.element_size() == 4:
        configs = [config for config in configs if config.kwargs["BM"] * config.kwargs["BN"] <= 64 * 64] or configs[-1:]
    if "BLOCK" in constants:  # a row's
        configs = [config for config in configs if constants["BLOCK"] <= MOST_IN_A_LANE * 32 * config.num_warps] or configs[-1:]
    return configs


def autotuned(configs, key):
    """Decorator: pick the fastest of (constants, warps, stages) for each value of the arguments in `key`."""
    return triton.autotune(configs=[triton.Config(constants, num_warps=warps, num_stages=stages)
                                    for constants, warps, stages in configs], key=key,
                           prune_configs_by={"early_config_prune": worth_compiling})


@autotuned([({"BLOCK": block}, warps, 1) for block in (1024, 2048, 4096) for warps in (4, 8)], key=["count"])
@triton.jit
def add_kernel(x, y, out, count, alpha, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    total = tl.load(x + at, mask=inside).to(tl.float32) + alpha * tl.load(y + at, mask=inside).to(tl.float32)
    tl.store(out + at, total.to(out.dtype.element_ty), mask=inside)


@autotuned([({}, warps, 1) for warps in (1, 2, 4, 8, 16)], key=["length"])
@triton.jit
def softmax_kernel(x, out, length, BLOCK: tl.constexpr):
    """A program a row, the whole row in registers."""
    row = tl.program_id(0).to(tl.int64) * length
    column = tl.arange(0, BLOCK)
    inside = column < length
    values = tl.load(x + row + column, mask=inside, other=-float("inf")).to(tl.float32)
    exponentials = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + row + column, (exponentials / tl.sum(exponentials, axis=0)).to(out.dtype.element_ty), mask=inside)


@autotuned([({}, warps, 1) for warps in (1, 2, 4, 8, 16)], key=["length"])
@triton.jit
def layernorm_kernel(x, weight, bias, out, length, eps, BLOCK: tl.constexpr):
    """A program a row, the whole row in registers: mean, then the variance about it."""
    row = tl.program_id(0).to(tl.int64) * length
    column = tl.arange(0, BLOCK)
    inside = column < length
    values = tl.load(x + row + column, mask=inside, other=0.0).to(tl.float32)
    centred = tl.where(inside, values - tl.sum(values, axis=0) / length, 0.0)
    scale = 1.0 / tl.sqrt(tl.sum(centred * centred, axis=0) / length + eps)
    w = tl.load(weight + column, mask=inside, other=0.0).to(tl.float32)
    b = tl.load(bias + column, mask=inside, other=0.0).to(tl.float32)
    tl.store(out + row + column, (centred * scale * w + b).to(out.dtype.element_ty), mask=inside)


MATMUL_CONFIGS = [({"BM": bm, "BN": bn, "BK": bk, "GROUP": 8}, warps, stages) for bm, bn, bk, warps, stages in (
    (128, 256, 64, 8, 3), (256, 128, 64, 8, 3), (128, 128, 64, 8, 4), (128, 128, 64, 4, 3), (128, 128, 32, 4, 4),
    (128, 64, 64, 4, 4), (64, 128, 64, 4, 4), (64, 64, 64, 4, 4), (64, 64, 32, 4, 5), (32, 64, 64, 4, 5), (32, 32, 64, 2, 5))]


@autotuned(MATMUL_CONFIGS, key=["m", "n", "k"])
@triton.jit
def matmul_kernel(a, b, c, m, n, k, PRECISION: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
                  GROUP: tl.constexpr):
    """A program a tile of c; tiles go in groups of rows, so that neighbours share what is in the L2 cache."""
    program, rows, columns = tl.program_id(0), tl.cdiv(m, BM), tl.cdiv(n, BN)
    first = program // (GROUP * columns) * GROUP
    height = min(rows - first, GROUP)
    tile_row = first + program % (GROUP * columns) % height
    tile_column = program % (GROUP * columns) // height
    i = (tile_row * BM + tl.arange(0, BM)).to(tl.int64)
    j = (tile_column * BN + tl.arange(0, BN)).to(tl.int64)
    p = tl.arange(0, BK)
    from_a = a + (i % m)[:, None] * k + p[None, :]
    from_b = b + p[:, None].to(tl.int64) * n + (j % n)[None, :]
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for step in range(0, tl.cdiv(k, BK)):
        left = k - step * BK
        tile_a = tl.load(from_a, mask=p[None, :] < left, other=0.0)
        tile_b = tl.load(from_b, mask=p[:, None] < left, other=0.0)
        total = tl.dot(tile_a, tile_b, total, input_precision=PRECISION)
        from_a += BK
        from_b += BK * n
    inside = (i[:, None] < m) & (j[None, :] < n)
    tl.store(c + i[:, None] * n + j[None, :], total.to(c.dtype.element_ty), mask=inside)


ATTENTION_CONFIGS = [({"BM": bm, "BN": bn}, warps, stages) for bm, bn, warps, stages in (
    (128, 128, 8, 2), (128, 64, 4, 3), (128, 64, 8, 3), (64, 64, 4, 3), (64, 32, 4, 4), (128, 32, 4, 4))]


@autotuned(ATTENTION_CONFIGS, key=["queries", "keys", "DIM", "CAUSAL"])
@triton.jit
def attention_kernel(q, k, v, out, queries, keys, shift, scale, DIM: tl.constexpr, CAUSAL: tl.constexpr,
                     GROUP: tl.constexpr, PRECISION: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    """A program a tile of queries of one head, running over the keys with an online softmax in powers of two. GROUP heads share keys;
    under a mask query i sees the keys j <= i + shift, and every query sees one."""
    head = tl.program_id(1).to(tl.int64)
    i, d = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, DIM)
    from_q = q + head * queries * DIM + i[:, None] * DIM + d[None, :]
    tile_q = tl.load(from_q, mask=i[:, None] < queries, other=0.0)
    largest = tl.full((BM,), -float("inf"), dtype=tl.float32)
    weight = tl.zeros((BM,), dtype=tl.float32)
    total = tl.zeros((BM, DIM), dtype=tl.float32)
    factor = scale * 1.4426950408889634
    end = min(keys, (tl.program_id(0) + 1) * BM + shift) if CAUSAL else keys
    for start in range(0, end, BN):
        j = start + tl.arange(0, BN)
        at = head // GROUP * keys * DIM + j[:, None] * DIM + d[None, :]
        tile_k = tl.load(k + at, mask=j[:, None] < keys, other=0.0)
        scores = tl.dot(tile_q, tl.trans(tile_k), input_precision=PRECISION) * factor
        seen = (j[None, :] < keys) & (j[None, :] <= i[:, None] + shift) if CAUSAL else j[None, :] < keys
        scores = tl.where(seen, scores, -float("inf"))
        highest = tl.maximum(largest, tl.max(scores, axis=1))
        p = tl.exp2(scores - highest[:, None])
        shrink = tl.exp2(largest - highest)
        weight = weight * shrink + tl.sum(p, axis=1)
        tile_v = tl.load(v + at, mask=j[:, None] < keys, other=0.0)
        total = tl.dot(p.to(tile_v.dtype), tile_v, total * shrink[:, None], input_precision=PRECISION)
        largest = highest
    to = out + head * queries * DIM + i[:, None] * DIM + d[None, :]
    tl.store(to, (total / weight[:, None]).to(out.dtype.element_ty), mask=i[:, None] < queries)


def _precision(x, tf32):
    """Matters for f32 alone: tl.dot would round its operands to tf32 unless told."""
    return "tf32" if tf32 else "ieee"


def _last_dim(x, params):
    if int(params.get("dim", -1)) not in (-1, x.dim() - 1):
        raise Unsupported("the Triton baseline works along the last dimension only")


MOST_IN_REGISTERS = 65536
MOST_IN_A_LANE = 256  # elements; rows of 65536 in one warp, 2048 a lane, took three minutes to compile


def _row_block(length):
    if length > MOST_IN_REGISTERS:
        raise Unsupported("the Triton baseline holds a row in registers: %d elements at most, not %d" % (MOST_IN_REGISTERS, length))
    return triton.next_power_of_2(length)


def _add(torch, inputs, params, out, tf32):
    count = out.numel()
    add_kernel[lambda meta: (triton.cdiv(count, meta["BLOCK"]),)](
        inputs[0], inputs[1], out, count, float(params.get("alpha", 1.0)))


def _no_padding(params):
    if int(params.get("row_padding", 0)):
        raise Unsupported("the Triton baseline takes rows without padding")


def _softmax(torch, inputs, params, out, tf32):
    _no_padding(params)
    x = inputs[0]
    _last_dim(x, params)
    length = x.shape[-1]
    softmax_kernel[(x.numel() // length,)](x, out, length, BLOCK=_row_block(length))


def _layernorm(torch, inputs, params, out, tf32):
    _no_padding(params)
    x, weight, bias = inputs
    length = x.shape[-1]
    layernorm_kernel[(x.numel() // length,)](x, weight, bias, out, length, float(params.get("eps", 1e-5)),
                                             BLOCK=_row_block(length))


def _matmul(torch, inputs, params, out, tf32):
    if len(inputs[0].shape) != 2 or int(params.get("padding_a", 0)) or int(params.get("padding_b", 0)):
        raise Unsupported("the Triton baseline multiplies one pair of matrices without padding")
    if int(params.get("transpose_a", 0)) or int(params.get("transpose_b", 0)):
        raise Unsupported("the Triton baseline takes matrices by rows")
    a, b = inputs
    (m, k), n = a.shape, b.shape[1]
    matmul_kernel[lambda meta: (triton.cdiv(m, meta["BM"]) * triton.cdiv(n, meta["BN"]),)](
        a, b, out, m, n, k, PRECISION=_precision(a, tf32))


def _mha(torch, inputs, params, out, tf32):
    q, k, v = inputs[:3]
    batch, heads, queries, dim = q.shape
    if int(params.get("key_padding", 0)):
        raise Unsupported("the Triton baseline counts all keys")
    if dim not in (16, 32, 64, 128, 256):
        raise Unsupported("the Triton baseline takes head dimensions that are powers of two, not %d" % dim)
    if q.element_size() == 4 and not tf32:  # seen on an H100 with Triton 3.6.0; its interpreter computes the same kernel right
        raise Unsupported("Triton's code for this kernel is wrong with exact f32 products")
    scale, keys = float(params.get("scale", 0.0)) or 1.0 / math.sqrt(dim), k.shape[2]
    shift = keys - queries if params.get("bottom_right", False) else 0
    if shift < 0 and params.get("causal", False):
        raise Unsupported("the Triton baseline has no rows that see no key")
    attention_kernel[lambda meta: (triton.cdiv(queries, meta["BM"]), batch * heads)](
        q, k, v, out, queries, keys, shift, scale, DIM=dim, CAUSAL=bool(params.get("causal", False)), GROUP=heads // k.shape[1],
        PRECISION=_precision(q, tf32))


class Op:
    def __init__(self, launch, kernel):
        self.launch = launch
        self.kernel = kernel

    def choice(self):
        best = getattr(self.kernel, "best_config", None)
        return "" if best is None else "autotuned: %s" % best


OPS = {
    "add": Op(_add, add_kernel),
    "softmax": Op(_softmax, softmax_kernel),
    "layernorm": Op(_layernorm, layernorm_kernel),
    "matmul": Op(_matmul, matmul_kernel),
    "mha": Op(_mha, attention_kernel),
}


def version():
    return triton.__version__
