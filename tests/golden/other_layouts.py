#!/usr/bin/env python3
"""Adds golden cases of the manifest beside this script once more with their tensors laid out anew: conv2d's with channels last, and those of
the matrix products with a, b or both transposed.

usage: other_layouts.py   (after choose.py; what it added before is made again)

The numbers stay torch's: only where they lie changes. Files are .npy of version 1, read and written here by the few rules of that format.
"""
import ast
import itertools
import json
import math
import operator
import pathlib

FOLDER = pathlib.Path(__file__).parent
LAST = ".last"
TRANSPOSED = {".at": "a", ".bt": "b", ".abt": "ab"}  # the inputs that are transposed


def read_npy(path):
    """Type and bytes of a row-major file; its shape is the manifest's."""
    raw = path.read_bytes()
    assert raw[:8] == b"\x93NUMPY\x01\x00", path
    start = 10 + int.from_bytes(raw[8:10], "little")
    header = ast.literal_eval(raw[10:start].decode("latin1"))
    assert not header["fortran_order"], path
    return header["descr"], raw[start:]


def write_npy(path, descr, shape, data):
    header = str({"descr": descr, "fortran_order": False, "shape": tuple(shape)})
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode("latin1") + data)


def channels_last(shape):
    outer, channels, rows, columns = shape
    return [outer, rows, columns, channels]


def lay_out(name, shape, axes, suffix):
    """Write the file `name` of `shape` anew with its axes in the order `axes`, and return the new file's name."""
    descr, data = read_npy(FOLDER / name)
    size = int(descr[2:])
    assert len(data) == size * math.prod(shape), name
    strides = [size * math.prod(shape[axis + 1:]) for axis in axes]
    places = itertools.product(*(range(shape[axis]) for axis in axes))
    offsets = (sum(map(operator.mul, place, strides)) for place in places)
    new = name[:-len(".npy")] + suffix + ".npy"
    write_npy(FOLDER / new, descr, [shape[axis] for axis in axes], b"".join(data[at:at + size] for at in offsets))
    return new


def with_channels_last(case):
    def turned(name, shape):
        return lay_out(name, shape, (0, 2, 3, 1), LAST)

    inputs = {name: {"file": turned(tensor["file"], tensor["shape"]), "shape": channels_last(tensor["shape"])}
              for name, tensor in case["inputs"].items() if name != "bias"}
    return {**case, "id": case["id"] + LAST, "params": {**case["params"], "channels_last": 1},
            "inputs": {**inputs, "bias": case["inputs"]["bias"]}, "output_shape": channels_last(case["output_shape"]),
            "expected": turned(case["expected"], case["output_shape"]), "torch": turned(case["torch"], case["output_shape"])}


def with_transposed(case, suffix):
    """The result stays the same file. A file shared by several cases is written once for each, with the same bytes."""
    names = TRANSPOSED[suffix]
    inputs = {name: {"file": lay_out(tensor["file"], tensor["shape"], (1, 0), ".t"), "shape": tensor["shape"][::-1]} if name in names else tensor
              for name, tensor in case["inputs"].items()}
    return {**case, "id": case["id"] + suffix, "params": {**case["params"], **{"transpose_" + name: 1 for name in names}}, "inputs": inputs}


def is_transposed_too(case):
    """Those whose layout matters, below 20 000 elements, and of matmul_bias_act one activation: files stay few."""
    shapes = [case["inputs"][name]["shape"] for name in "ab"] if case["op"] in ("matmul", "matmul_bias_act") else []
    return bool(shapes) and 2 < sum(map(math.prod, shapes)) < 20_000 and case["params"].get("activation", "gelu") == "gelu"


def main():
    path = FOLDER / "manifest.json"
    manifest = json.loads(path.read_text())
    cases = [case for case in manifest["cases"] if not case["id"].endswith((LAST, *TRANSPOSED))]
    added = [with_channels_last(case) for case in cases if case["op"] == "conv2d" and math.prod(case["output_shape"]) > 1]
    added += [with_transposed(case, suffix) for case in cases if is_transposed_too(case) for suffix in TRANSPOSED]
    manifest["cases"] = cases + added
    path.write_text(json.dumps(manifest, indent=1) + "\n")
    print(f"{len(added)} cases with other layouts beside {len(cases)} others")


if __name__ == "__main__":
    main()
