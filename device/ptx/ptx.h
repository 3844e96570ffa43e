/* The PTX device: executes PTX, the code that nvcc and Triton emit for a GPU, on a CPU, and finds what is wrong with it.
 *
 *     ptx_device *device;      ptx_error error;
 *     ptx_device_open(NULL, &device, &error);
 *     ptx_module *module;
 *     ptx_module_load(device, text, bytes, "saxpy.ptx", &module, &error);
 *     ptx_function *saxpy = ptx_module_function(module, "saxpy");
 *     ptx_address x;
 *     ptx_alloc(device, 4096, "x", &x, &error);
 *     ptx_copy_in(device, x, host_x, 4096, &error);
 *     ptx_launch launch = {.function = saxpy, .grid = {4, 1, 1}, .block = {256, 1, 1}, .params = params};
 *     ptx_report *report;
 *     if (ptx_launch_run(&launch, &report) != PTX_OK) puts(report->text);
 *     ptx_report_free(report);
 *
 * Rules of the interface: sizes are in bytes; every function that can fail returns a status and fills *error (which may be NULL);
 * strings and structs behind `const` pointers belong to the object they were asked of and live as long as it does. All functions may be
 * called from several threads; freeing what a launch still uses is a mistake of the caller. */
#ifndef ASSAY_DEVICE_PTX_PTX_H
#define ASSAY_DEVICE_PTX_PTX_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- status ---- */

typedef enum ptx_status {
    PTX_OK,
    PTX_WRONG_USE, /* an argument is wrong: an unknown name, a free of what is not allocated, a copy out of bounds */
    PTX_NO_MEMORY, /* device or host memory is used up */
    PTX_BAD_TEXT,  /* the text is not PTX that this reader understands; the error names file and line */
    PTX_UNSUPPORTED, /* an instruction or feature outside the opcode set; the error names instruction and line */
    PTX_REFUSED,     /* a launch beyond the limits of the architecture or of the function */
    PTX_KERNEL_ERROR, /* the kernel ran and did something wrong; the report says what */
    PTX_TIMEOUT       /* the kernel did not end within launch.limit_instructions or limit_seconds */
} ptx_status;

typedef struct ptx_error {
    ptx_status status;
    char text[1024]; /* one line without a line end: what, where, what to do */
} ptx_error;

/* ---- device ---- */

/* Limits of the architecture. They are enforced by ptx_launch_run(); the runtime reports them as device properties. */
typedef struct ptx_limits {
    int major, minor;                /* compute capability, 9.0 */
    uint32_t multiprocessors;        /* 132 */
    uint32_t threads_per_block;      /* 1024 */
    uint32_t threads_per_sm;         /* 2048 */
    uint32_t blocks_per_sm;          /* 32 */
    uint32_t block[3], grid[3];      /* largest dimensions */
    uint32_t shared_per_block;       /* 49152: without the opt-in */
    uint32_t shared_per_block_optin; /* 232448 */
    uint32_t shared_per_sm;          /* 233472 */
    uint32_t shared_reserved;        /* 1024 a block */
    uint32_t cluster;                /* largest cluster that needs no attribute: 8; with the attribute 16 */
    uint32_t registers_per_sm;       /* 65536 */
} ptx_limits;

typedef struct ptx_device_options {
    int major, minor;      /* 0: 9.0. 8.0 is the other one known. */
    uint64_t memory_bytes; /* 0: 64 GiB of addresses; the host gives pages when they are written */
    uint64_t heap_bytes;   /* 0: 8 MiB, what malloc() in kernels may use */
    /* Gets what kernels print. NULL: standard output. May be called from several threads, one call at a time. */
    void (*print)(void *context, const char *text, size_t bytes);
    void *print_context;
} ptx_device_options;

typedef struct ptx_device ptx_device;

/* Open a device; options may be NULL. Closing frees its memory; its modules must be freed before. */
ptx_status ptx_device_open(const ptx_device_options *options, ptx_device **device, ptx_error *error);
void ptx_device_close(ptx_device *device);
const ptx_limits *ptx_device_limits(const ptx_device *device);

/* ---- memory ----
 * Device memory is an address range of its own. The host cannot touch it: its pages are PROT_NONE at these addresses, so a host access
 * faults (ptx_device_owns() tells a handler of SIGSEGV whose address it was). Launches and copies reach the bytes through a second view. */

typedef uint64_t ptx_address;

typedef struct ptx_allocation {
    ptx_address start;
    uint64_t bytes;   /* exactly what was asked for: the byte behind it is out of bounds */
    const char *name; /* for messages */
    int host;         /* 1: pinned or managed host memory, known by ptx_host_register() */
    uint64_t number;  /* allocations are counted from 1 */
} ptx_allocation;

/* Allocate; the start is a multiple of 512. name (copied, may be NULL) is how messages call it: "x", "cudaMalloc #3". 0 bytes are
 * refused. New memory up to 64 MiB holds 0xCD bytes: nothing is zero by chance. */
ptx_status ptx_alloc(ptx_device *device, uint64_t bytes, const char *name, ptx_address *out,
                     ptx_error *error);
/* Free by the exact start. The addresses are not used again soon, so a later access is reported as one to freed memory. */
ptx_status ptx_free(ptx_device *device, ptx_address start, ptx_error *error);
/* Another name for an allocation, such as that of the tensor it holds. */
void ptx_name(ptx_device *device, ptx_address start, const char *name);
/* Of the allocation at `start` kernels may touch only the `bytes` at `offset`, and not write them if `read_only`; copies and fills still
 * reach all of it. */
void ptx_set_tensor(ptx_device *device, ptx_address start, uint64_t offset, uint64_t bytes, int read_only);
/* 1 if kernels may touch these bytes of device memory, or with `write` also write them. */
int ptx_may_touch(ptx_device *device, ptx_address start, uint64_t bytes, int write);
/* The live allocation that holds an address: 1 and *out, or 0. */
int ptx_find(ptx_device *device, ptx_address address, ptx_allocation *out);
/* 1 if the address lies in the device's range, allocated or not. Async-signal-safe. */
int ptx_device_owns(const ptx_device *device, const void *address);
/* Bytes of live allocations, and of the whole device. */
void ptx_memory_info(ptx_device *device, uint64_t *used, uint64_t *total);

/* Host memory that kernels may touch, at its own address: pinned (cudaHostAlloc) or managed (cudaMallocManaged). */
ptx_status ptx_host_register(ptx_device *device, void *host, uint64_t bytes, const char *name,
                             ptx_error *error);
ptx_status ptx_host_unregister(ptx_device *device, void *host, ptx_error *error);

/* Copies and fills. Every device side must lie within one live allocation. */
ptx_status ptx_copy_in(ptx_device *device, ptx_address to, const void *host, uint64_t bytes,
                       ptx_error *error);
ptx_status ptx_copy_out(ptx_device *device, void *host, ptx_address from, uint64_t bytes, ptx_error *error);
ptx_status ptx_copy(ptx_device *device, ptx_address to, ptx_address from, uint64_t bytes, ptx_error *error);
/* `count` elements of `width` (1, 2, 4) bytes. */
ptx_status ptx_fill(ptx_device *device, ptx_address to, uint32_t value, int width, uint64_t count,
                    ptx_error *error);
/* Where the host sees these device bytes: for the runtime's own code alone. NULL if they do not lie in one allocation. */
void *ptx_view(ptx_device *device, ptx_address address, uint64_t bytes);

/* ---- modules ---- */

typedef struct ptx_module ptx_module;
typedef struct ptx_function ptx_function;

/* Read PTX text (`bytes` without a final NUL; one is allowed). `name` is how messages call the text. Every function is decoded; one that
 * holds an instruction outside the opcode set can be asked about, and is refused with PTX_UNSUPPORTED when it is launched. */
ptx_status ptx_module_load(ptx_device *device, const char *text, size_t bytes, const char *name,
                           ptx_module **module, ptx_error *error);
void ptx_module_free(ptx_module *module);

/* A kernel by its (mangled) name, or NULL; and all of them by number, NULL at the end. */
ptx_function *ptx_module_function(ptx_module *module, const char *name);
ptx_function *ptx_module_function_at(ptx_module *module, size_t number);

/* A variable of the module (.global or .const): its device address and size, in memory of the device until the module is freed. 0: none. */
int ptx_module_global(ptx_module *module, const char *name, ptx_address *address, uint64_t *bytes);
int ptx_module_global_at(ptx_module *module, size_t number, const char **name, ptx_address *address,
                         uint64_t *bytes);

typedef struct ptx_param {
    const char *name;
    uint32_t offset, bytes, align; /* in the parameter block */
} ptx_param;

typedef struct ptx_function_info {
    const char *name;        /* mangled */
    const ptx_param *params; /* param_count of them */
    uint32_t param_count, param_bytes;
    uint32_t static_shared;       /* bytes of .shared variables of known size */
    uint32_t local_bytes;         /* .local bytes a thread */
    uint32_t const_bytes;         /* .const bytes of the module */
    uint32_t max_threads;         /* .maxntid product, or the device's limit */
    uint32_t max_block[3];        /* .maxntid; 0 where not given */
    uint32_t required_block[3];   /* .reqntid; 0 where not given */
    uint32_t min_blocks;          /* .minnctapersm; 0 */
    uint32_t required_cluster[3]; /* .reqnctapercluster; 0 where not given */
    int explicit_cluster;         /* .explicitcluster: must be launched with cluster dimensions */
    uint32_t registers; /* an estimate from the live values of a thread: PTX knows no registers of the card */
    uint32_t register_file_bytes; /* of this device, a warp */
    uint32_t instructions;        /* decoded ones */
    const char *unsupported;      /* the first instruction outside the opcode set with its line, or NULL */
    int ptx_major, ptx_minor;     /* .version */
    int target;                   /* 80 of sm_80, 90 of sm_90a */
} ptx_function_info;

const ptx_function_info *ptx_function_describe(const ptx_function *function);
ptx_module *ptx_function_module(const ptx_function *function);

/* Blocks that fit on one multiprocessor by threads, shared memory and the estimate of registers; 0: the launch would be refused. */
uint32_t ptx_function_blocks_per_sm(const ptx_function *function, uint32_t threads, uint32_t dynamic_shared);

/* ---- tensor maps and textures ---- */

/* What cuTensorMapEncodeTiled and ...Im2col are told, in the driver's own order and numbers of its enums. */
typedef struct ptx_tensor_map {
    int im2col;          /* 0: tiled */
    int data_type;       /* CUtensorMapDataType: 0 uint8 ... 6 float16, 7 float32, 9 bfloat16, 11 tfloat32 */
    uint32_t rank;       /* 1 to 5; im2col 3 to 5 */
    ptx_address address; /* global, a multiple of 16 */
    uint64_t dims[5];    /* elements, fastest first */
    uint64_t strides[4]; /* bytes, of dimension 1 on; multiples of 16 */
    uint32_t box[5];     /* elements, tiled */
    uint32_t element_strides[5];
    int32_t lower[3], upper[3]; /* im2col: corners of the pixel box, of the rank-2 spatial dimensions */
    uint32_t channels, pixels;  /* im2col: a column */
    int interleave;             /* only 0 */
    int swizzle;                /* CUtensorMapSwizzle: 0 none, 1 32 B, 2 64 B, 3 128 B */
    int l2_promotion;           /* has no effect */
    int oob_nan;                /* elements outside: 0 zero, 1 NaN */
} ptx_tensor_map;

/* Write the 128 bytes that kernels get as a CUtensorMap; `out` is a multiple of 64. The layout is this device's own. What the driver
 * refuses is refused, and the error says which rule. */
ptx_status ptx_tensor_map_encode(const ptx_tensor_map *map, void *out, ptx_error *error);

/* A texture object over device memory: elements of `channels` (1, 2, 4) values of `bits` (8, 16, 32) bits. */
typedef struct ptx_texture {
    ptx_address address;
    uint32_t width, height; /* elements; height 0: one dimension */
    uint64_t pitch;         /* bytes a row */
    int channels, bits;
    int kind;              /* cudaChannelFormatKind: 0 signed, 1 unsigned, 2 float */
    int normalized_values; /* cudaReadModeNormalizedFloat */
    int normalized_coords; /* coordinates from 0 to 1 */
    int linear_filter;     /* cudaFilterModeLinear */
    int address_mode[2];   /* cudaTextureAddressMode: 0 wrap, 1 clamp, 2 mirror, 3 border */
} ptx_texture;
ptx_status ptx_texture_create(ptx_device *device, const ptx_texture *texture, uint64_t *handle,
                              ptx_error *error);
void ptx_texture_free(ptx_device *device, uint64_t handle);

/* ---- launch ---- */

/* Switches of ptx_launch.checks; all together a kernel runs up to 28 times slower (before the checks of global memory). Bounds, alignment, unknown instructions, traps and deadlocks are always found. */
enum {
    PTX_CHECK_RACES = 1 << 0,    /* by happens-before, in shared and global memory */
    PTX_CHECK_ASYNC = 1 << 1,    /* reads of what an asynchronous copy or wgmma still owns */
    PTX_CHECK_UNINIT = 1 << 2,   /* use of shared memory that nobody wrote */
    PTX_CHECK_COUNTERS = 1 << 3, /* report->lines */
    PTX_CHECK_ALL = 15,
    PTX_CHECK_CONTINUE =
        1 << 8 /* go on after races and note up to 16 of them; default: the first finding ends the launch */
};

typedef struct ptx_launch {
    ptx_function *function;
    uint32_t grid[3], block[3]; /* all >= 1 */
    uint32_t cluster[3];        /* 0,0,0: none, or what the function requires */
    uint32_t dynamic_shared;    /* bytes */
    uint32_t
        max_dynamic_shared; /* cudaFuncAttributeMaxDynamicSharedMemorySize; 0: shared_per_block without static shared memory */
    int nonportable_cluster; /* 1: clusters up to 16 */
    int cooperative;         /* all blocks must be resident at once; refused if they do not fit the card */
    const void *params;  /* param_bytes, laid out as ptx_function_info says; read before the launch returns */
    uint32_t threads;    /* host threads; 0: one for each core that the process may use */
    uint32_t checks;     /* PTX_CHECK_* */
    uint64_t order_seed; /* 0: blocks and warps in their order; else an order drawn from it */
    double limit_seconds;        /* 0: none */
    uint64_t limit_instructions; /* of all warps together; 0: none */
} ptx_launch;

/* What a finding is. The text of a report begins with its name: "shared-memory race in kernel ...". */
typedef enum ptx_finding_kind {
    PTX_FOUND_NOTHING,
    PTX_FOUND_OUT_OF_BOUNDS, /* "access out of bounds": global memory */
    PTX_FOUND_FREED,         /* "access to freed memory" */
    PTX_FOUND_HOST_MEMORY,   /* "access to host memory" that is neither pinned nor managed */
    PTX_FOUND_SHARED_BOUNDS, /* "shared-memory access out of bounds" */
    PTX_FOUND_LOCAL_BOUNDS,  /* "local-memory access out of bounds" */
    PTX_FOUND_MISALIGNED,    /* "misaligned access" */
    PTX_FOUND_SHARED_RACE,   /* "shared-memory race" */
    PTX_FOUND_GLOBAL_RACE,   /* "global-memory race" */
    PTX_FOUND_UNINITIALISED, /* "read of uninitialised shared memory" */
    PTX_FOUND_MISSING_WAIT,  /* "missing wait": a read or write of what an asynchronous operation owns */
    PTX_FOUND_MISSING_FENCE, /* "missing proxy fence" */
    PTX_FOUND_DEADLOCK,      /* "deadlock", with where everybody stands */
    PTX_FOUND_BARRIER, /* "barrier misuse": mbarrier used before init, counts that overflow, diverged wgmma */
    PTX_FOUND_TRAP,    /* "trap" */
    PTX_FOUND_ASSERT,  /* "assertion failed" */
    PTX_FOUND_ILLEGAL, /* "illegal instruction": operands that the hardware refuses */
    PTX_FOUND_UNSUPPORTED, /* "unsupported instruction": met in a called function */
    PTX_FOUND_TIMEOUT      /* "timeout", with where everybody stands */
} ptx_finding_kind;

typedef struct ptx_finding {
    ptx_finding_kind kind;
    uint32_t block[3], warp, lanes; /* lanes: a mask of the lanes of the warp */
    const char *file;               /* source file by .loc; the PTX text where there is none */
    uint32_t line;
    uint32_t ptx_line;   /* in the module's text */
    ptx_address address; /* of the first lane, where the finding has one */
    const char *text;    /* one line, everything in it */
} ptx_finding;

/* Counters of one source line. Summed over all blocks; exact, and the same for any number of host threads. */
typedef struct ptx_line {
    const char *file;
    uint32_t line;
    uint64_t instructions; /* warp instructions */
    uint64_t lanes;        /* active lanes of them: lanes / (32 * instructions) is 1 without divergence */
    uint64_t integer, floating, special, conversion, control, memory, other; /* warp instructions by class */
    uint64_t tensor;                                                         /* mma and wgmma instructions */
    uint64_t tensor_flops;                                                   /* 2 m n k of them */
    uint64_t barriers;            /* block, cluster and named barriers, mbarrier operations */
    uint64_t branches, divergent; /* conditional branches; those where lanes went both ways */
    uint64_t global_requests, global_sectors,
        global_ideal;      /* requests; 32-byte sectors; the least that could hold the bytes */
    uint64_t global_bytes; /* asked for by lanes */
    uint64_t shared_requests, shared_wavefronts, shared_ideal;
    uint64_t atomics;
    uint64_t async_bytes; /* by cp.async, bulk copies and TMA */
} ptx_line;

typedef struct ptx_report {
    ptx_status status;
    char text[4096];             /* the first finding, or why the launch was refused; "" where all is well */
    const ptx_finding *findings; /* finding_count of them, in the order found */
    uint32_t finding_count;
    uint64_t finding_total; /* also those not kept */
    uint64_t instructions,
        lane_instructions; /* of all warps; lane_instructions with PTX_CHECK_COUNTERS alone */
    double seconds;
    const ptx_line *lines; /* line_count of them, by file and line; with PTX_CHECK_COUNTERS */
    uint32_t line_count;
    ptx_line total; /* the sum of the lines */
} ptx_report;

/* Run a kernel to its end. *report (never NULL afterwards; out of memory gives a static one) is the caller's: ptx_report_free().
 * Returns report->status. */
ptx_status ptx_launch_run(const ptx_launch *launch, ptx_report **report);
void ptx_report_free(ptx_report *report);

#ifdef __cplusplus
}
#endif
#endif
