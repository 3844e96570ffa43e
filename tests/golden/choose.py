#!/usr/bin/env python3
"""Chooses the golden cases that are kept in the repository.

usage: choose.py SOURCE_DIR   (a folder with manifest.json and its .npy files, as generated with torch on an H100)

Rule: every case of the ops in ALWAYS; of the other ops every case whose own files are below LIMIT_BYTES. Rewrites manifest.json and the .npy files beside this script.
"""
import json
import pathlib
import shutil
import sys

ALWAYS = {"add", "softmax", "matmul", "mha"}
LIMIT_BYTES = 200_000


def files_of(case):
    return {tensor["file"] for tensor in case["inputs"].values()} | {case["expected"], case["torch"]}


def main():
    source, target = pathlib.Path(sys.argv[1]), pathlib.Path(__file__).parent
    manifest = json.loads((source / "manifest.json").read_text())

    def is_kept(case):
        return case["op"] in ALWAYS or sum((source / name).stat().st_size for name in files_of(case)) < LIMIT_BYTES

    total = len(manifest["cases"])
    manifest["cases"] = [case for case in manifest["cases"] if is_kept(case)]
    for old in target.glob("*.npy"):
        old.unlink()
    for name in sorted(set().union(*map(files_of, manifest["cases"]))):
        shutil.copyfile(source / name, target / name)
    (target / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n")
    print(f"kept {len(manifest['cases'])} of {total} cases")


if __name__ == "__main__":
    main()
