#!/usr/bin/env python3
"""Adds conv2d's golden cases with their channels last: those of the manifest beside this script, with x, weight and results laid out anew.

usage: channels_last.py   (after choose.py; what it added before is made again)

The numbers stay torch's: only where they lie changes. Files are .npy of version 1, read and written here by the few rules of that format.
"""
import ast
import itertools
import json
import math
import pathlib

FOLDER = pathlib.Path(__file__).parent
SUFFIX = ".last"


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


def lay_out(name, shape):
    """Write the file `name` of [outer, channels, rows, columns] anew with channels last, and return the new file's name."""
    descr, data = read_npy(FOLDER / name)
    size = int(descr[2:])
    assert len(data) == size * math.prod(shape), name
    _, channels, rows, columns = shape
    places = itertools.product(*map(range, channels_last(shape)))
    offsets = ((((n * channels + c) * rows + h) * columns + w) * size for n, h, w, c in places)
    new = name[:-len(".npy")] + SUFFIX + ".npy"
    write_npy(FOLDER / new, descr, channels_last(shape), b"".join(data[at:at + size] for at in offsets))
    return new


def turned(case):
    inputs = {name: {"file": lay_out(tensor["file"], tensor["shape"]), "shape": channels_last(tensor["shape"])}
              for name, tensor in case["inputs"].items() if name != "bias"}
    return {**case, "id": case["id"] + SUFFIX, "params": {**case["params"], "channels_last": 1},
            "inputs": {**inputs, "bias": case["inputs"]["bias"]}, "output_shape": channels_last(case["output_shape"]),
            "expected": lay_out(case["expected"], case["output_shape"]), "torch": lay_out(case["torch"], case["output_shape"])}


def main():
    path = FOLDER / "manifest.json"
    manifest = json.loads(path.read_text())
    cases = [case for case in manifest["cases"] if not case["id"].endswith(SUFFIX)]
    added = [turned(case) for case in cases if case["op"] == "conv2d" and math.prod(case["output_shape"]) > 1]
    manifest["cases"] = cases + added
    path.write_text(json.dumps(manifest, indent=1) + "\n")
    print(f"{len(added)} cases with channels last beside {len(cases)} others")


if __name__ == "__main__":
    main()
