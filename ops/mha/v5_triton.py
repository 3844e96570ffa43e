"""mha, in Triton: a program a tile of queries of one head, running over the keys with an online softmax in powers of two.

Rows are padded to the next power of two, for which tl.dot asks; CHOICES has one for each. What a query does not see has the score
-infinity, and a tile in which a query sees nothing yet leaves its sums as they are."""

import triton
import triton.language as tl

CHOICES = [("dim <= 16", {"DIM": 16, "TILE": 32}), ("dim <= 64", {"DIM": 64, "TILE": 32}), ("dim <= 128", {"DIM": 128, "TILE": 32}),
           ("dim <= 256", {"DIM": 256, "TILE": 16})]
LOG2_E = 1.4426950408889634


@triton.jit
def attention_kernel(q, k, v, out, group, queries, keys, key_padding, dim, scale, causal, causal_shift, DIM: tl.constexpr,
                     TILE: tl.constexpr, LOG2_E: tl.constexpr):
    head = tl.program_id(1).to(tl.int64) + tl.program_id(2).to(tl.int64) * tl.num_programs(1)
    i, d = tl.program_id(0) * TILE + tl.arange(0, TILE), tl.arange(0, DIM)
    at_q = head * queries * dim + i[:, None] * dim + d[None, :]
    in_q = (i < queries)[:, None] & (d < dim)[None, :]
    tile_q = tl.load(q + at_q, mask=in_q, other=0.0)
    largest = tl.full((TILE,), -float("inf"), dtype=tl.float32)
    weight = tl.zeros((TILE,), dtype=tl.float32)
    total = tl.zeros((TILE, DIM), dtype=tl.float32)
    end = keys
    if causal != 0:
        end = tl.minimum(keys, (tl.program_id(0) + 1) * TILE + causal_shift)
    for start in range(0, end, TILE):
        j = start + tl.arange(0, TILE)
        at = head // group * (keys + key_padding) * dim + j[:, None] * dim + d[None, :]
        inside = (j < keys)[:, None] & (d < dim)[None, :]
        tile_k = tl.load(k + at, mask=inside, other=0.0)
        scores = tl.dot(tile_q, tl.trans(tile_k), input_precision="ieee") * (scale * LOG2_E)
        seen = (j < keys)[None, :] & ((causal == 0) | (j[None, :] <= i[:, None] + causal_shift))
        scores = tl.where(seen, scores, -float("inf"))
        highest = tl.maximum(largest, tl.max(scores, axis=1))
        base = tl.where(highest == -float("inf"), 0.0, highest)
        p = tl.exp2(scores - base[:, None])
        shrink = tl.exp2(largest - base)
        weight = weight * shrink + tl.sum(p, axis=1)
        tile_v = tl.load(v + at, mask=inside, other=0.0)
        total = tl.dot(p.to(tile_v.dtype), tile_v, total * shrink[:, None], input_precision="ieee")
        largest = highest
    divisor = tl.where((keys == 0) | ((causal != 0) & (i + causal_shift < 0)), 1.0, weight)  # no key: zeros
    tl.store(out + at_q, (total / divisor[:, None]).to(out.dtype.element_ty), mask=in_q)


def setup(B=1, H=8, L=1024, S=1024, D=64, group=1, causal=0, bottom_right=0, padding=0, dtype=None, device="cuda"):
    """The arguments of run_kernel(), named as in mha.h."""
    import torch
    q = torch.randn(B, H, L, D, dtype=dtype or torch.float32, device=device)
    k, v = (torch.randn(B, H // group, S, D, dtype=q.dtype, device=device) for _ in range(2))
    tile = next(constants for condition, constants in CHOICES if eval(condition, {"dim": D}))
    return {"q": q, "k": k, "v": v, "out": torch.empty_like(q), "batch": B, "heads": H, "group": group, "queries": L,
            "keys": S - padding, "key_padding": padding, "dim": D, "scale": D ** -0.5, "causal": causal,
            "causal_shift": S - padding - L if bottom_right else 0, **tile}


def run_kernel(q, k, v, out, batch, heads, group, queries, keys, key_padding, dim, scale, causal, causal_shift, DIM, TILE):
    attention_kernel[(triton.cdiv(queries, TILE), heads, batch)](q, k, v, out, group, queries, keys, key_padding, dim, scale, causal,
                                                                 causal_shift, DIM, TILE, LOG2_E, num_warps=4, num_stages=2)


def reference(q, k, v, group, queries, keys, scale, causal, causal_shift, **_):
    import torch
    k, v = (x[:, :, :keys].repeat_interleave(group, 1) for x in (k, v))
    seen = torch.ones(queries, keys, dtype=torch.bool, device=q.device).tril(causal_shift if causal else keys)
    return torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=seen, scale=scale)
