/* What the files of the stand-in CUDA runtime share. They implement cuda_runtime_api.h (and of cuda.h what launchers need) on the executor of
 * device/ptx/ptx.h; structs and constants are those of the installed toolkit's headers.
 *
 * One lock guards everything: a call takes it with RT_CALL() and gives it back with rt_end(). Work on streams runs under it, in whatever thread
 * needs the work done. */
#ifndef ASSAY_PTX_RUNTIME_H
#define ASSAY_PTX_RUNTIME_H

#include "device/ptx/ptx.h"
#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

/* ---- calls and errors (call.c) ---- */

/* Take the lock. Not cudaSuccess: the device is lost to an earlier error, which is returned; the lock is not held then. */
cudaError_t rt_begin(void);
/* Give the lock back; `error` becomes the thread's last error unless it is cudaSuccess. Returns `error`. */
cudaError_t rt_end(cudaError_t error);
/* Begin a call, or return the error that the device is lost to. The driver's functions return the same numbers as another type. */
#define RT_CALL_AS(type)                     \
    do {                                     \
        const cudaError_t lost = rt_begin(); \
        if (lost != cudaSuccess)             \
            return (type)lost;               \
    } while (0)
#define RT_CALL() RT_CALL_AS(cudaError_t)
/* The lock alone, for what works on a lost device too. */
void rt_lock(void);
bool rt_try_lock(void);
void rt_unlock(void);

/* From now on every call fails with `error`, as after a fault on a card. The first one stays. */
void rt_lose_device(cudaError_t error);
cudaError_t rt_device_error(void);
/* One line on stderr: "assay-ptx: ...". */
void rt_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same for what makes a run fail: `assay run` and the device's owner are told too. */
void rt_report(const char *text);
/* The first of them since the last call, or "". */
void rt_take_report(char *text, size_t bytes);
/* Say why a call fails, and return `error`. */
cudaError_t rt_refuse(cudaError_t error, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A call that does not exist here: says so once for each name, and becomes the thread's last error. */
int rt_unsupported(const char *name);

/* ---- what the environment asks for (options.c) ---- */

typedef struct rt_options {
    char arch[16]; /* "sm_90a" */
    int major, minor;
    uint32_t threads, checks; /* as in ptx_launch */
    uint64_t seed;            /* of the order of streams */
    uint64_t order_seed;      /* of the order of blocks and warps; 0: as they are numbered */
    bool only_needed;         /* no work before it is waited for */
    bool
        is_judged; /* the calls come from a kernel's own host code, which is held to the tensors as its kernels are */
    double limit_s; /* of one kernel; 0: none */
    bool verbose;
    const char *findings; /* a file that gets the reports, or NULL */
} rt_options;
rt_options *rt_get_options(void);
/* The next number of the seeded sequence that decides orders. */
uint64_t rt_draw(void);

/* ---- the device (device.c) ---- */

ptx_device *rt_device(void); /* NULL: it could not be opened, which was said */
const ptx_limits *rt_limits(void);
/* Report host accesses to device memory (fault.c). */
void rt_faults_install(ptx_device *device);

/* ---- memory (memory.c) ---- */

typedef enum rt_memory_kind {
    RT_PAGEABLE, /* nothing that this runtime knows */
    RT_DEVICE,
    RT_PINNED,
    RT_MANAGED,
    RT_REGISTERED
} rt_memory_kind;

rt_memory_kind rt_memory_of(const void *pointer);
cudaError_t rt_from_ptx(ptx_status status);
cudaError_t rt_malloc(void **pointer, size_t bytes, const char *call);
cudaError_t rt_free(void *pointer);
/* Pinned or managed memory, at an address that both sides use. */
cudaError_t rt_malloc_host(void **pointer, size_t bytes, rt_memory_kind kind);
cudaError_t rt_free_host(void *start);
/* The program's own memory, from now on for kernels too. */
cudaError_t rt_register_host(void *start, size_t bytes);
cudaError_t rt_unregister_host(void *start);
/* The allocation that holds an address; false if none does. `kind` is filled in any case. */
bool rt_find_allocation(const void *pointer, rt_memory_kind *kind, void **start, size_t *bytes);

/* A box of bytes to copy; depth and height 1 for a line. */
typedef struct rt_copy {
    void *to;
    const void *from;
    size_t width, height, depth; /* bytes, rows, slices */
    size_t to_pitch, to_slice, from_pitch, from_slice;
    enum cudaMemcpyKind kind;
} rt_copy;

typedef struct rt_fill {
    void *to;
    uint32_t value;
    int element;                 /* bytes: 1, 2 or 4 */
    size_t width, height, depth; /* elements, rows, slices */
    size_t pitch, slice;
} rt_fill;

/* Is the copy allowed: are the sides what `kind` says? */
cudaError_t rt_copy_check(const rt_copy *copy);
cudaError_t rt_copy_run(const rt_copy *copy);
cudaError_t rt_copy_of_box(const struct cudaMemcpy3DParms *box, rt_copy *copy);
cudaError_t rt_fill_check(const rt_fill *fill);
cudaError_t rt_fill_run(const rt_fill *fill);

/* ---- modules and kernels (module.c) ---- */

typedef struct rt_kernel {
    const void *host; /* the function of that name in host code, or NULL */
    const char *name;
    struct rt_module *module;
    ptx_function *function; /* NULL until it is first needed */
    uint32_t max_dynamic;   /* 0: not raised */
    int nonportable_cluster;
    int carveout;
} rt_kernel;

/* The kernel of a host function, a cudaKernel_t or a cudaFunction_t, loaded. */
cudaError_t rt_find_kernel(const void *handle, rt_kernel **kernel);
/* The variable that is registered for a host symbol: where it lies and how long it is. */
cudaError_t rt_find_symbol(const void *symbol, void **address, size_t *bytes);

/* PTX text or a fat binary as a module of its own (cuModuleLoadData, cudaLibraryLoadData). */
cudaError_t rt_module_load(const void *image, const char *name, struct rt_module **module);
void rt_module_unload(struct rt_module *module);
cudaError_t rt_module_kernel(struct rt_module *module, const char *name, rt_kernel **kernel);
cudaError_t rt_module_global(struct rt_module *module, const char *name, void **address, size_t *bytes);
/* Did a kernel since the last call come from a module with atomics? */
int rt_take_order(void);
void rt_note_launch(const rt_kernel *kernel);
size_t rt_module_kernels(struct rt_module *module, rt_kernel **kernels, size_t most);

/* ---- work on streams (work.c, stream.c) ---- */

typedef struct rt_launch {
    rt_kernel *kernel;
    dim3 grid, block, cluster; /* cluster 0,0,0: none */
    size_t shared;
    int cooperative;
    void *params; /* malloc()ed parameter block */
} rt_launch;

typedef enum rt_work_kind {
    RT_NOTHING, /* an empty node; a wait */
    RT_LAUNCH,
    RT_COPY,
    RT_FILL,
    RT_HOST,
    RT_FREE,
    RT_RECORD,
    RT_GRAPH
} rt_work_kind;

typedef struct rt_work {
    rt_work_kind kind;
    union {
        rt_launch launch;
        rt_copy copy;
        rt_fill fill;
        struct {
            cudaHostFn_t function;
            void *data;
        } host;
        void *pointer;     /* RT_FREE */
        cudaEvent_t event; /* RT_RECORD */
        cudaGraph_t graph; /* RT_GRAPH: a copy of its own */
    } as;
    void *staged; /* what a copy from pageable memory reads, or NULL */
} rt_work;

cudaError_t rt_work_run(rt_work *work);
/* A deep copy; what `work` owns is given back by rt_work_release(). */
cudaError_t rt_work_clone(const rt_work *work, rt_work *clone);
void rt_work_release(rt_work *work);

/* Check a launch and gather its parameters from `args` (or from the block of `packed_bytes` bytes at `packed`, where that is not NULL). */
cudaError_t rt_launch_make(rt_kernel *kernel, const cudaLaunchConfig_t *config, void **args,
                           const void *packed, size_t packed_bytes, rt_work *work);
cudaError_t rt_launch_run(const rt_launch *launch);

/* Enqueue; takes over what `work` owns, also on failure. In a capture it becomes a node. */
cudaError_t rt_enqueue(cudaStream_t stream, rt_work *work);
/* The stream of a handle, or NULL for one that is none. */
cudaStream_t rt_find_stream(cudaStream_t handle);
bool rt_is_capturing(cudaStream_t stream);
cudaError_t rt_finish_stream(cudaStream_t stream);
cudaError_t rt_finish_all(void);
void rt_event_happen(cudaEvent_t event);
void rt_event_release(cudaEvent_t event);
void rt_event_retain(cudaEvent_t event);

/* Add the counters of a launch (count.c). */
void rt_count(const rt_launch *launch, const ptx_report *report);

/* ---- graphs (graph.c) ---- */

cudaError_t rt_graph_create(cudaGraph_t *graph);
cudaError_t rt_graph_add(cudaGraph_t graph, const cudaGraphNode_t *after, size_t after_count, rt_work *work,
                         cudaGraphNode_t *node);
cudaError_t rt_graph_clone(cudaGraph_t graph, cudaGraph_t *clone);
void rt_graph_destroy(cudaGraph_t graph);
/* Its nodes in an order that its edges allow, drawn by the seed. */
cudaError_t rt_graph_run(cudaGraph_t graph);

#endif
