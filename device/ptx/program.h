/* Decoded modules: instructions, functions, variables. */
#ifndef ASSAY_DEVICE_PTX_PROGRAM_H
#define ASSAY_DEVICE_PTX_PROGRAM_H

#include "device/ptx/device.h"
#include "device/ptx/types.h"

/* An operand of an instruction. While a function is decoded: 2 * number of a virtual register, or 2 * number of a constant + 1.
 * Afterwards: a byte offset into the register file of the warp, a multiple of 64, or into the function's constants, + 1. */
typedef uint32_t operand;
#define NO_OPERAND UINT32_MAX

struct warp;
struct insn;
/* Executes one instruction for the lanes in `mask`. Returns the next one, or NULL when the fragment cannot go on now. */
typedef const struct insn *(*insn_run)(struct warp *, const struct insn *, uint32_t mask);

typedef struct insn {
    insn_run run;
    uint16_t op; /* enum opcode */
    uint8_t defs,
        uses; /* lengths in the list of operands that starts at `list`: first what is written, then what is read */
    operand guard; /* a predicate, or NO_OPERAND */
    operand d, d2, a, b, c;
    uint32_t list;
    int64_t imm;
    union {
        struct {
            uint32_t target;     /* branch: instruction number; calls: number of the call */
            uint32_t reconverge; /* branch: where its lanes meet again, or UINT32_MAX */
        };
        void (*move)(struct warp *, const struct insn *, uint32_t mask,
                     const uint64_t *pointers); /* loads, stores */
    };
    uint8_t guard_negated, type, from, space; /* type: enum ptx_type */
    uint8_t sub, flags, narrow, width;        /* meaning by instruction; width: bytes of an element */
} insn;

/* insn.flags */
enum {
    FLAG_ADDRESS32 = 1, /* the address register has 32 bits */
    FLAG_FTZ = 1,       /* of comparisons and selections: subnormal operands are zeros */
    FLAG_NEGATED_A = 2, /* predicate operands with "!" */
    FLAG_NEGATED_B = 4,
    FLAG_VOLATILE = 8, /* volatile, relaxed, acquire: may be polled */
    FLAG_ACQUIRE = 16,
    FLAG_RELEASE = 32,
    FLAG_ADDRESS32_B = 64, /* a second address */
    FLAG_SATURATE = 128    /* of integer matrix products */
};
/* insn.narrow holds, for instructions that run under run_modified(), rounding and flushing of the hardware's control register. */
enum { MODE_FTZ = 1, MODE_RZ = 2, MODE_RM = 4, MODE_RP = 8, MODE_RELU = 16, MODE_SAT = 32 };

typedef struct source_line {
    uint32_t file, line; /* of .loc; 0: none */
    uint32_t ptx_line;
} source_line;

typedef struct variable {
    char *name;
    ptx_space space;
    uint64_t address; /* global, const: device address; shared: offset once placed; local, param: offset */
    uint64_t bytes;
    uint32_t align;
    bool is_extern, placed, dynamic, is_function_param;
    const struct ptx_function *placed_in; /* shared: the function whose layout `address` belongs to */
    ptx_type type;
    struct variable *next; /* in its hash list */
} variable;

/* A variable of a called function's or of a call's parameters: where it lies in the local memory of a thread. */
typedef struct call_param {
    uint32_t offset, bytes;
} call_param;

typedef struct call_site {
    int32_t function; /* number in the module, or -1: builtin */
    int32_t builtin;  /* enum builtin */
    operand pointer;  /* indirect: the register, or NO_OPERAND */
    uint32_t argument_count, result_count;
    call_param arguments[16], results[2]; /* of the caller */
} call_site;

struct ptx_function {
    ptx_module *module;
    ptx_function_info info;
    bool is_kernel, defined;
    uint32_t number;
    insn *code;
    source_line *lines;
    uint32_t count, capacity;
    operand *lists;
    uint32_t list_count, list_capacity;
    /* while decoding */
    uint8_t *widths; /* bytes of each virtual register, 0 for predicates */
    uint32_t register_count, register_capacity;
    uint64_t *constants;
    uint8_t *constant_widths; /* | 0x80: an address in dynamic shared memory, relative to its start */
    uint32_t constant_count, constant_capacity;
    /* afterwards */
    char *constant_data;
    uint32_t register_bytes; /* of the register file, with what the functions of the module use */
    uint32_t frame_start;
    uint32_t local_start, local_bytes;
    uint32_t shared_static, shared_dynamic_start;
    bool uses_dynamic, calls;
    call_site *calls_made;
    uint32_t call_count;
    call_param params_in[16], params_out[2]; /* of a called function */
    uint32_t params_in_count, params_out_count;
    ptx_param *params;
    uint64_t address;      /* what a function pointer holds */
    size_t counters_start; /* of its first instruction among the counters of the module */
    char unsupported[512];
};

struct ptx_module {
    ptx_device *device;
    char *name;
    ptx_function **functions;
    size_t function_count;
    char **files; /* by number of .file */
    size_t file_count;
    variable *variables[1024]; /* hash lists */
    variable **globals;
    size_t global_count;
    int version_major, version_minor, target;
    uint32_t const_bytes;
    uint32_t frames;       /* register bytes of all called functions */
    uint32_t local_bytes;  /* local bytes of all called functions */
    uint32_t shared_bytes; /* shared bytes of variables that called functions use */
};

/* The first bytes of shared memory are the system's, as on Hopper. Kernels may use a few of them, by %reserved_smem_offset_1: for
 * cooperative_groups' tiles of more than a warp, zero when a block starts. */
enum { SHARED_START = 1024, SHARED_SCRATCH = 64, SHARED_SCRATCH_BYTES = 384 };

/* "v2.cu:31" of an instruction, or "text.ptx:120" */
void program_place(const ptx_function *function, const insn *at, char *out, size_t bytes);
const char *program_file(const ptx_function *function, const insn *at, uint32_t *line);

/* A function is decoded: finds its control flow, reconvergence points and registers. */
ptx_status cfg_build(ptx_function *function, ptx_error *error);
ptx_status allocate_registers(ptx_function *function, const uint32_t *block_starts, uint32_t blocks,
                              const uint32_t (*successors)[2], ptx_error *error);
/* Choose the instructions' handlers for this processor. */
void exec_bind(ptx_function *function);

#endif
