#!/usr/bin/env python3
"""Every form of every op.json's "solve" names members of the op's argument struct, of kinds that a solve() can have: for each a
kernel that does nothing is compiled as a module.

Usage: forms_test.py BUILD OP_JSON...   Exit status: 0 all compile, 1 one does not.
"""

import json
import os
import re
import subprocess
import sys
import tempfile


def member_types(header, op):
    """Of each member of OP_args: "void *", "int64_t", "double", ..."""
    struct = re.search(r"typedef struct %s_args \{(.*?)\n\} %s_args;" % (op, op), header, re.S).group(1)
    struct = re.sub(r"/\*.*?\*/", " ", struct, flags=re.S)
    types = {}
    for declaration in struct.split(";"):
        words = declaration.replace("*", " * ").split()
        pointer = False
        kind = " ".join(word for word in words if word in ("void", "double", "float", "int32_t", "int64_t"))
        for word in words:
            pointer |= word == "*"
            if word.endswith(",") or word == words[-1]:
                types[word.rstrip(",")] = "void *" if pointer else kind
    return types


def parameter(member, kind):
    if kind == "void *":
        return "float *%s" % member
    return "%s %s" % ("float" if kind in ("double", "float") else "int", member)


def try_form(build, folder, op, types, form):
    """None, or why the form is wrong."""
    missing = [name for name in form["arguments"] if name not in types]
    if missing:
        return "no such member of %s_args: %s" % (op, ", ".join(missing))
    source, record = os.path.join(folder, "k.cu"), os.path.join(folder, "k.json")
    with open(source, "w", encoding="utf-8") as file:
        file.write('extern "C" void solve(%s) {}\n' % ", ".join(parameter(name, types[name]) for name in form["arguments"]))
    subprocess.run([os.path.join(build, "bin", "assay-module"), "--workspace", build, "--op", op, "--source", source,
                    "--dtype", "f32", "--out", record], check=True)
    result = json.load(open(record, encoding="utf-8"))
    return None if result["status"] == "ok" else "%s: %s" % (result["status"], result["log"])


def main():
    build, failures, tried = sys.argv[1], 0, 0
    for path in sys.argv[2:]:
        spec = json.load(open(path, encoding="utf-8"))
        op = spec["name"]
        header = open(os.path.join(os.path.dirname(path), op + ".h"), encoding="utf-8").read()
        with tempfile.TemporaryDirectory() as folder:
            for form in spec.get("solve", []):
                tried += 1
                why = try_form(build, folder, op, member_types(header, op), form)
                if why:
                    print("%s: solve %s: %s" % (op, form["arguments"], why))
                    failures += 1
    print("%d forms tried, %d wrong" % (tried, failures))
    return 1 if failures or not tried else 0


if __name__ == "__main__":
    sys.exit(main())
