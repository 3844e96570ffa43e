"""torch's side of each op: how to call it, and how to make its inputs.

Each entry gives the call as a function of (torch, inputs, params), and, where torch has one that needs no extra kernel, a form
that writes into a given output, so that rotating measurements do not depend on the allocator. Nothing is timed here.
"""

import math
import os
import runpy


class Unsupported(ValueError):
    """A valid request that this baseline does not offer, now or later."""


SEED = 20260131  # of the generator that fills the inputs; results carry it


def _without(matrix, padding):
    """A view of the matrix without what lies behind each of its rows."""
    return matrix[..., :matrix.shape[-1] - padding] if padding else matrix


def _factors(inputs, params):
    """a and b in torch's order: one that lies transposed is seen through its strides, as torch's linear sees its weight."""
    inputs = [_without(x, int(params.get("padding_" + name, 0))) for name, x in zip("ab", inputs)]
    return tuple(x.transpose(-2, -1) if int(params.get("transpose_" + name, 0)) else x for name, x in zip("ab", inputs))


def _matmul_bias_act(torch, inputs, params, out=None):
    (a, b), bias = _factors(inputs, params), inputs[2]
    result = torch.addmm(bias, a, b) if out is None else torch.addmm(bias, a, b, out=out)
    activation = params.get("activation", params.get("act", "none"))
    functional = torch.nn.functional
    if activation == "relu":
        return torch.relu(result) if out is None else torch.relu_(result)
    if activation == "leaky_relu":
        slope = float(params.get("negative_slope", 0.01))
        return functional.leaky_relu(result, slope, inplace=out is not None)
    if activation == "gelu":
        approximate = params.get("approximate", "none")
        if out is None:
            return functional.gelu(result, approximate=approximate)
        return torch._C._nn.gelu(result, approximate=approximate, out=out)
    if activation != "none":
        raise ValueError("unknown activation '%s'; allowed: none, relu, leaky_relu, gelu" % activation)
    return result


def _rows(inputs, params):
    """x without what lies behind each of its rows: a view."""
    return _without(inputs[0], int(params.get("row_padding", 0)))


def _layernorm(torch, inputs, params):
    weight = inputs[1] if len(inputs) > 1 else None
    bias = inputs[2] if len(inputs) > 2 else None
    eps = float(params.get("eps", 1e-5))
    x = _rows(inputs, params)
    return torch.nn.functional.layer_norm(x, (x.shape[-1],), weight, bias, eps)


def _rmsnorm(torch, inputs, params):
    weight = inputs[1] if len(inputs) > 1 else None
    x = _rows(inputs, params)
    return torch.nn.functional.rms_norm(x, (x.shape[-1],), weight, float(params.get("eps", 1e-6)))


def _bottom_right(torch, queries, keys):
    """The mask that torch's fast kernels know, from 2.3 on; else one of booleans."""
    try:
        from torch.nn.attention.bias import causal_lower_right
    except ImportError:
        return torch.ones(queries, keys, dtype=torch.bool, device="cuda").tril(keys - queries)
    return causal_lower_right(queries, keys)


def _mha(torch, inputs, params):
    query, key, value = inputs[:3]
    more = {"scale": float(params.get("scale", 0.0)) or None}  # 0: torch's own 1 / sqrt(head dimension)
    causal = bool(params.get("causal", params.get("is_causal", False)))
    padding = int(params.get("key_padding", 0))
    if padding:
        key, value = (tensor[:, :, :tensor.shape[2] - padding] for tensor in (key, value))
    queries, keys = query.shape[2], key.shape[2]
    if query.shape[1] != key.shape[1]:
        more["enable_gqa"] = True
    if causal and params.get("bottom_right", False) and queries != keys:
        if queries > keys:
            raise Unsupported("torch gives rows that see no key NaN or 0, by the kernel that it takes")
        causal = False
        if queries > 1:  # one query sees all keys
            more["attn_mask"] = _bottom_right(torch, queries, keys)
    return torch.nn.functional.scaled_dot_product_attention(query, key, value, is_causal=causal, **more)


def _conv2d(torch, inputs, params):
    """With channels_last the tensors come as they lie, [n, h, w, c]; seen in torch's order they have its memory format channels_last."""
    x, weight = inputs[:2]
    bias = inputs[2] if len(inputs) > 2 else None
    channels_last = int(params.get("channels_last", 0)) == 1

    def pair(name, default):
        along_h, along_w = int(params.get(name, default)), int(params.get(name + "_w", -1))
        return (along_h, along_h if along_w == -1 else along_w)

    if channels_last:
        x, weight = x.permute(0, 3, 1, 2), weight.permute(0, 3, 1, 2)
    out = torch.nn.functional.conv2d(x, weight, bias, stride=pair("stride", 1), padding=pair("padding", 0),
                                     dilation=pair("dilation", 1), groups=int(params.get("groups", 1)))
    return out.permute(0, 2, 3, 1) if channels_last else out


def _dim(params):
    return int(params.get("dim", -1))


class Op:
    """One op. `call(torch, inputs, params)` returns the output; `into(torch, inputs, params, out)` writes it, or is None."""

    def __init__(self, call, into=None):
        self.call = call
        self.into = into


OPS = {
    "add": Op(lambda t, x, p: t.add(x[0], x[1], alpha=float(p.get("alpha", 1.0))),
              lambda t, x, p, out: t.add(x[0], x[1], alpha=float(p.get("alpha", 1.0)), out=out)),
    "softmax": Op(lambda t, x, p: t.softmax(_rows(x, p), _dim(p)),
                  lambda t, x, p, out: t.softmax(_rows(x, p), _dim(p), out=out)),
    "matmul": Op(lambda t, x, p: t.matmul(*_factors(x, p)),
                 lambda t, x, p, out: t.matmul(*_factors(x, p), out=out)),
    "gelu": Op(lambda t, x, p: t.nn.functional.gelu(x[0], approximate=p.get("approximate", "none")),
               lambda t, x, p, out: t._C._nn.gelu(x[0], approximate=p.get("approximate", "none"), out=out)),
    "layernorm": Op(_layernorm),
    "rmsnorm": Op(_rmsnorm),
    "matmul_bias_act": Op(_matmul_bias_act, _matmul_bias_act),
    "mha": Op(_mha),
    "conv2d": Op(_conv2d),
    "reduce_sum": Op(lambda t, x, p: t.sum(_rows(x, p), dim=_dim(p)),
                     lambda t, x, p, out: t.sum(_rows(x, p), dim=_dim(p), out=out)),
    "transpose": Op(lambda t, x, p: x[0].transpose(-2, -1).contiguous(),
                    lambda t, x, p, out: out.copy_(x[0].transpose(-2, -1))),
}


def find(name, directory=None):
    """The entry of an op: one of OPS, or, for an op from outside, what the file torch_op.py in its own folder gives: a function
    `call(torch, inputs, params)` and, if it can, `into(torch, inputs, params, out)`."""
    if name in OPS:
        return OPS[name]
    path = os.path.join(directory or "", "torch_op.py")
    if not directory or not os.path.exists(path):
        raise ValueError("torch has no entry for op '%s' here; there are %s, and %s is not there" % (name, ", ".join(OPS), path))
    scope = runpy.run_path(path)
    if not callable(scope.get("call")):
        raise ValueError("%s defines no call(torch, inputs, params)" % path)
    return Op(scope["call"], scope.get("into"))


def torch_dtype(torch, name):
    names = {"f32": "float32", "f16": "float16", "bf16": "bfloat16"}
    if name not in names:
        raise ValueError("unknown dtype '%s'; allowed: %s" % (name, ", ".join(names)))
    return getattr(torch, names[name])


def make_inputs(torch, shapes, dtype, generator):
    """Random normal inputs on the GPU, never zeros: a card runs faster on constant data."""
    return [torch.randn(tuple(shape), generator=generator, device="cuda", dtype=torch.float32).to(dtype) for shape in shapes]


def load_inputs(torch, shapes, dtype, paths):
    """Inputs from files: raw, row-major, in `dtype`."""
    if len(paths) != len(shapes):
        raise ValueError("%d files for %d inputs" % (len(paths), len(shapes)))
    loaded = []
    for shape, path in zip(shapes, paths):
        count = math.prod(shape)
        flat = torch.from_file(path, shared=False, size=count, dtype=dtype) if count else torch.empty(0, dtype=dtype)
        loaded.append(flat.reshape(tuple(shape)).to("cuda"))
    return loaded


def store_output(torch, output, path):
    """The counterpart of load_inputs."""
    raw = output.contiguous().cpu().reshape(-1).view(torch.uint8)
    with open(path, "wb") as file:
        file.write(memoryview(raw.numpy()))
