"""The structs of include/assay/op.h for ctypes: what a reference.c needs to bind a kernel's arguments.

The argument struct of each op is not repeated here: the op's own bind() fills it, and its size comes from the op's table. The test
python.abi holds these structs to what the C compiler makes of the headers.
"""

import ctypes as c

OP_ABI = 1
MAX_RANK, MAX_TENSORS, MAX_PARAMS, NAME_MAX = 8, 8, 16, 64
DTYPES = {"f32": 0, "f16": 1, "bf16": 2}
OK, INVALID, UNSUPPORTED = 0, 1, 2
STATUS = ("ok", "invalid argument", "unsupported", "out of memory", "input/output error", "broken format", "device error",
          "missing environment", "check failed")
REAL, INTEGER, BOOLEAN, TEXT = range(4)
PARAM_TYPES = {"real": REAL, "integer": INTEGER, "boolean": BOOLEAN, "text": TEXT}


class Tensor(c.Structure):
    _fields_ = [("data", c.c_void_p), ("dtype", c.c_int), ("rank", c.c_int32), ("shape", c.c_int64 * MAX_RANK)]


class Param(c.Structure):
    _fields_ = [("name", c.c_char * NAME_MAX), ("type", c.c_int), ("real", c.c_double), ("integer", c.c_int64),
                ("text", c.c_char * NAME_MAX)]


class Problem(c.Structure):
    _fields_ = [("dtype", c.c_int), ("input_count", c.c_int32), ("output_count", c.c_int32), ("param_count", c.c_int32),
                ("inputs", Tensor * MAX_TENSORS), ("outputs", Tensor * MAX_TENSORS), ("params", Param * MAX_PARAMS),
                ("workspace", c.c_void_p), ("workspace_bytes", c.c_int64)]


INFER = c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_void_p, c.c_void_p)
BIND = c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_void_p)
WORKSPACE_BYTES = c.CFUNCTYPE(c.c_int64, c.c_void_p)


class OpImpl(c.Structure):  # without the members behind workspace_bytes
    _fields_ = [("abi", c.c_int32), ("name", c.c_char_p), ("args_bytes", c.c_size_t), ("infer", INFER), ("bind", BIND),
                ("reference", c.c_void_p), ("has_scale", c.c_int32), ("flops", c.c_void_p), ("bytes", c.c_void_p),
                ("workspace_bytes", WORKSPACE_BYTES)]
