"""Turns a Triton variant, ops/OP/v*_*.py, into a kernel file that is compiled, verified and timed like any other.

usage: triton_source.py VARIANT.py --header OP.h [--dtypes f32,f16,bf16] [--archs 80,90] -o KERNEL.cu

The variant has setup(**kwargs), run_kernel(**kwargs) and reference(**kwargs), and its arguments have the names of the members of the op's
argument struct. run_kernel() is called here once a dtype with symbols for the sizes, so that its grid and arguments become C
expressions, and what it launches is compiled by Triton to PTX. KERNEL.cu holds that PTX and launches it through the CUDA runtime: no
Python, nothing that Triton generated for its own launches, no autotuning.

Where one compiled form cannot serve all sizes, the variant lists them in CHOICES: [("condition on the struct's members", {constants
for run_kernel()})], the first that holds is launched, and a problem that none takes is unsupported. A parameter `precision` is
told what tl.dot may do to f32: "ieee", or "tf32" in that math mode.

Exit status: 0 done, 2 wrong use or a variant that cannot be taken, 77 there is no Triton here."""

import argparse
import ast
import importlib.util
import inspect
import os
import pathlib
import re
import runpy
import sys

ELEMENTS = {"f32": "fp32", "tf32": "fp32", "f16": "fp16", "bf16": "bf16"}
OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg")


class Refused(Exception):
    """Why a variant cannot be taken, one line."""


class Symbol:
    """A size known when the kernel is launched, as a C expression. Python may compute with it and not look at it."""

    def __init__(self, c, kind="i64"):
        self.c, self.kind = c, kind

    def _combine(form):
        def combine(self, other):
            if not isinstance(other, (int, Symbol)) or "f" in self.kind:
                return NotImplemented
            return Symbol(form % (self.c, other.c if isinstance(other, Symbol) else "(int64_t)%d" % other))
        return combine

    __add__, __sub__, __mul__ = _combine("(%s + %s)"), _combine("(%s - %s)"), _combine("(%s * %s)")
    __floordiv__, __mod__ = _combine("(%s / %s)"), _combine("(%s %% %s)")
    __radd__, __rmul__ = __add__, __mul__

    def _refuse(self, *_):
        raise Refused("the launch looks at %s, which is known only when it runs: name the cases in CHOICES" % self.c)
    __bool__ = __index__ = __int__ = __float__ = __lt__ = __le__ = __gt__ = __ge__ = __hash__ = _refuse
    __eq__ = __ne__ = _refuse


class Pointer:
    def __init__(self, c, element):
        self.c, self.dtype = c, element


def read_members(header, op):
    """[(name, C type)] of the op's argument struct."""
    text = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
    found = re.search(r"typedef struct %s_args \{(.*?)\}" % op, text, re.S)
    if not found:
        raise Refused("no struct %s_args in the header" % op)
    members = []
    for line in found.group(1).split(";"):
        declared = re.match(r"\s*(?:const\s+)?(void|int64_t|int32_t|double|float)\b(.*)$", line, re.S)
        for name in declared.group(2).split(",") if declared else ():
            kind = "pointer" if declared.group(1) == "void" else declared.group(1)
            members.append((name.strip(" *\n"), kind))
    return members


def symbols(members, wanted, dtype):
    kinds = {"int64_t": "i64", "int32_t": "i32", "double": "fp32", "float": "fp32"}
    return {name: Pointer("args->" + name, ELEMENTS[dtype]) if kind == "pointer" else Symbol("args->" + name, kinds[kind])
            for name, kind in members if name in wanted}


class Launch:
    """One launch that run_kernel() made: its compiled forms by architecture, grid and arguments as C."""

    def __init__(self, fn, grid, args, named):
        options = {name: named.pop(name) for name in OPTIONS if name in named}
        bound = inspect.signature(fn.fn).bind(*args, **named)
        bound.apply_defaults()
        grid = grid(dict(bound.arguments)) if callable(grid) else grid
        grid = tuple(grid) if isinstance(grid, (tuple, list)) else (grid,)
        self.grid = [value.c if isinstance(value, Symbol) else str(int(value)) for value in grid + (1,) * (3 - len(grid))]
        self.fn, self.options, self.signature, self.constants, self.values, self.aligned = fn, options, {}, {}, [], {}
        for place, (name, value) in enumerate(bound.arguments.items()):
            if isinstance(value, Pointer):
                self.signature[name] = "*" + value.dtype
                self.aligned[(place,)] = [["tt.divisibility", 16]]  # include/assay/device.h
                self.values.append(("const void *", value.c))
            elif isinstance(value, Symbol):
                self.signature[name] = value.kind
                self.values.append(({"i64": "int64_t", "i32": "int32_t", "fp32": "float"}[value.kind], value.c))
            else:
                self.signature[name] = "constexpr"
                self.constants[name] = value

    def compile(self, arch):
        import triton
        from triton.backends.compiler import GPUTarget
        from triton.compiler import ASTSource
        source = ASTSource(self.fn, self.signature, constexprs=self.constants, attrs=self.aligned)
        made = triton.compile(source, target=GPUTarget("cuda", arch, 32), options=self.options)
        if getattr(made.metadata, "global_scratch_size", 0) or getattr(made.metadata, "num_ctas", 1) != 1:
            raise Refused("%s needs scratch memory or clusters, which the launcher does not give" % self.fn.__name__)
        ptx = made.asm["ptx"]
        entry = re.search(r"\.entry\s+(\w+)\s*\((.*?)\)", ptx, re.S)
        return {"ptx": ptx, "name": entry.group(1), "parameters": entry.group(2).count(".param"), "shared": made.metadata.shared,
                "threads": 32 * made.metadata.num_warps}


def record_launches(run_kernel, arguments):
    """What run_kernel() launches, without launching it."""
    from triton.runtime.jit import JITFunction
    launches, real = [], JITFunction.run

    def run(self, *args, grid, warmup=False, **named):
        launches.append(Launch(self, grid, args, named))
    JITFunction.run = run
    try:
        run_kernel(**arguments)
    finally:
        JITFunction.run = real
    if not launches:
        raise Refused("run_kernel() launched nothing")
    return launches


def text_literal(ptx):
    """PTX without comments and debug sections, as adjacent C literals: compilers limit the length of one."""
    ptx = re.sub(r"//[^\n]*", "", ptx.split("\t.section")[0])
    return "\n".join('    "%s\\n"' % line.replace("\\", "\\\\").replace('"', '\\"') for line in ptx.splitlines() if line.strip())


def condition_in_c(text, members):
    """Names, numbers, comparisons, `and`, `or` and brackets mean the same in both languages but for the words."""
    if text == "True":
        return "true"
    names = {node.id for node in ast.walk(ast.parse(text, mode="eval")) if isinstance(node, ast.Name)}
    unknown = names - {name for name, _ in members}
    if unknown:
        raise Refused("CHOICES: %s is no member of the argument struct" % ", ".join(sorted(unknown)))
    return re.sub(r"\bor\b", "||", re.sub(r"\band\b", "&&", re.sub(r"\b([A-Za-z_]\w*)\b", lambda m: m.group(0) if m.group(0) in ("and", "or")
                                                                   else "args->" + m.group(0), text)))


HEAD = '''/* %(about)s
 *
 * Written by triton_source.py from %(file)s, by Triton %(version)s; not to be edited. */
#include <assay/kernel.h>
#include "%(op)s.h"
#if defined(ASSAY_CPU_DEVICE)
#error "a Triton kernel is PTX: it runs on the devices cuda and ptx, not on cpu"
#endif

struct image {
    const char *ptx, *name;
    int arch, shared, threads, parameters;
};

/* The newest form that the device takes: Triton's PTX for 9.0 is for that alone, an older one is for all later. Loaded once a process, by the
 * driver, which makes the machine code. NULL: the device takes none, or the driver refuses. */
static cudaKernel_t load(const image *images, int count, const image **taken)
{
    int device, major, minor, best = -1;
    if (cudaGetDevice(&device) != cudaSuccess ||
        cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess ||
        cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) != cudaSuccess)
        return NULL;
    for (int i = 0; i < count; i++)
        if (images[i].arch < 90 ? images[i].arch <= major * 10 + minor : images[i].arch == major * 10 + minor)
            best = best < 0 || images[i].arch > images[best].arch ? i : best;
    cudaLibrary_t library;
    cudaKernel_t kernel;
    if (best < 0 || cudaLibraryLoadData(&library, images[best].ptx, NULL, NULL, 0, NULL, NULL, 0) != cudaSuccess ||
        cudaLibraryGetKernel(&kernel, library, images[best].name) != cudaSuccess)
        return NULL;
    if (images[best].shared > 48 * 1024 &&
        cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, images[best].shared) != cudaSuccess)
        return NULL;
    *taken = &images[best];
    return kernel;
}

static assay_status start(cudaKernel_t kernel, const image *form, int64_t x, int64_t y, int64_t z, void **values, assay_stream stream)
{
    if (x == 0 || y == 0 || z == 0)
        return ASSAY_OK;
    if (kernel == NULL || x > 2147483647 || y > 65535 || z > 65535)
        return ASSAY_ERR_UNSUPPORTED;
    const dim3 grid((unsigned)x, (unsigned)y, (unsigned)z), block((unsigned)form->threads);
    return cudaLaunchKernel((const void *)kernel, grid, block, values, (size_t)form->shared, stream) == cudaSuccess ? ASSAY_OK
                                                                                                              : ASSAY_ERR_DEVICE;
}
'''


def launch_in_c(number, launch, archs):
    """A function that makes one launch, and its images before it."""
    forms = [(arch, launch.compile(arch)) for arch in archs]
    rows = ["    {\n%s,\n     \"%s\", %d, %d, %d, %d}," % (text_literal(f["ptx"]), f["name"], arch, f["shared"], f["threads"], f["parameters"])
            for arch, f in forms]
    declared = "".join("    %s%sv%d = %s;\n" % (kind, "" if kind.endswith("*") else " ", i, c) for i, (kind, c) in enumerate(launch.values))
    hidden = max(f["parameters"] for _, f in forms) - len(launch.values)  # Triton's own, for scratch that is not needed
    values = ["&v%d" % i for i in range(len(launch.values))] + ["&nothing"] * hidden
    declared += "    const void *nothing = NULL;\n" if hidden else ""
    return '''
static const image images_%(n)d[] = {
%(rows)s
};

static assay_status launch_%(n)d(const ARGS *args, assay_stream stream)
{
    static const image *form;
    static const cudaKernel_t kernel = load(images_%(n)d, %(count)d, &form);
%(declared)s    void *values[] = {%(values)s};
    return start(kernel, form, %(x)s, %(y)s, %(z)s, values, stream);
}
''' % {"n": number, "rows": "\n".join(rows), "count": len(rows), "declared": declared,
       "values": ", ".join("(void *)" + value for value in values), "x": launch.grid[0], "y": launch.grid[1], "z": launch.grid[2]}


def generate(variant, op, header, dtypes, archs):
    import triton
    scope = runpy.run_path(str(variant))
    for name in ("setup", "run_kernel", "reference"):
        if not callable(scope.get(name)):
            raise Refused("there is no function %s()" % name)
    members = read_members(header, op)
    wanted = inspect.signature(scope["run_kernel"]).parameters
    about = inspect.cleandoc(scope.get("__doc__") or "%s, in Triton." % op).replace("*/", "* /").replace("\n", "\n * ").replace(" * \n", " *\n")
    parts = [HEAD % {"op": op, "about": about, "file": variant.name, "version": triton.__version__}]
    choices = [(condition_in_c(condition, members), constants) for condition, constants in scope.get("CHOICES", [("True", {})])]
    number = 0
    for dtype in dtypes:
        calls = []
        parts.append("\n#if ASSAY_DTYPE_%s%s\n#define ARGS %s_args" % (dtype.upper(), " && !ASSAY_DTYPE_TF32" if dtype == "f32" else "", op))
        mode = {"precision": "tf32" if dtype == "tf32" else "ieee"} if "precision" in wanted else {}
        for condition, constants in choices:
            launches = record_launches(scope["run_kernel"], {**symbols(members, wanted, dtype), **mode, **constants})
            names = []
            for launch in launches:
                parts.append(launch_in_c(number, launch, archs))
                names.append("launch_%d" % number)
                number += 1
            body = "".join("        if ((status = %s(args, stream)) != ASSAY_OK)\n            return status;\n" % name for name in names)
            calls.append("    if (%s) {\n%s        return status;\n    }\n" % (condition, body))
        parts.append('''
extern "C" ASSAY_EXPORT assay_status %s_run(const ARGS *args, assay_stream stream)
{
    assay_status status = ASSAY_ERR_UNSUPPORTED;
%s    return status;
}
#endif
''' % (op, "".join(calls)))
    return "".join(parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("variant", type=pathlib.Path)
    parser.add_argument("--header", type=pathlib.Path, help="the op's OP.h; default: in the variant's folder")
    parser.add_argument("--dtypes", default="f32,f16,bf16")
    parser.add_argument("--archs", default="80,90", help="compute capabilities, such as 80,90")
    parser.add_argument("--always", action="store_true", help="write a file also where the variant is refused: one that does not compile")
    parser.add_argument("-o", "--out", type=pathlib.Path, required=True)
    asked = parser.parse_args()
    if importlib.util.find_spec("triton") is None:
        print("skipped: %s has no Triton" % sys.executable)
        return 77
    try:
        header = asked.header or asked.variant.parent / (asked.variant.absolute().parent.name + ".h")
        dtypes = asked.dtypes.split(",")
        if set(dtypes) - set(ELEMENTS):
            raise Refused("--dtypes %s: allowed are %s" % (asked.dtypes, ", ".join(ELEMENTS)))
        text = generate(asked.variant, header.stem, header.read_text(), dtypes, [int(arch) for arch in asked.archs.split(",")])
    except (Refused, OSError, SyntaxError, TypeError, ValueError) as error:
        reason = " ".join("triton_source.py: {}: {}".format(asked.variant, error).split())
        print(reason, file=sys.stderr)
        if not asked.always:
            return 2
        text = "#error \"%s\"\n" % reason.replace("\\", "/").replace('"', "'")
    temporary = asked.out.with_name(asked.out.name + ".%d" % os.getpid())
    temporary.write_text(text)
    os.replace(temporary, asked.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
