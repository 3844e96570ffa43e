/* The C interface of libassay_simt.so, the runtime of the CPU SIMT device, to kernel-side headers and to the device backend.
 *
 * A launch hands out blocks to host threads ("workers"). A worker runs one block at a time; the block's CUDA threads run
 * as fibers: a fiber claims one not-yet-started thread after another and runs it to its end; only a thread that has to
 * wait (at a barrier or a warp operation) keeps its fiber, and another fiber goes on. Errors in a kernel are reported as
 * one line on stderr and end the process with SIGABRT. Kernel files use the CUDA names in the headers beside this one,
 * never these functions. */
#ifndef ASSAY_SIMT_RUNTIME_H
#define ASSAY_SIMT_RUNTIME_H

#include <assay/module.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what the running CUDA thread is ----
 * initial-exec makes each access two instructions; it holds because programs link the runtime at start-up (and a late
 * dlopen fits these few bytes into the loader's reserve). */
#define ASSAY_SIMT_TLS __attribute__((visibility("default"), tls_model("initial-exec")))

typedef struct assay_simt_uint3 { /* the kernel side's uint3 */
    uint32_t x, y, z;
} assay_simt_uint3;

typedef struct assay_simt_slot { /* a thread's coordinates and its linear number x + X * (y + Y * z) */
    assay_simt_uint3 at;
    uint32_t index;
} assay_simt_slot;

typedef struct assay_simt_context {
    assay_simt_slot self;         /* the running thread */
    const assay_simt_slot *order; /* the block's threads in the order in which they start */
    uint32_t started, count;      /* threads of `order` claimed so far, threads of the block or cluster */
    uint32_t
        block_threads; /* less than `count` in a cluster: its blocks run together, one after another in `order` */
    uint32_t tracked; /* 1 once a thread of the block used a collective: exits must then be reported */
    assay_simt_uint3 grid, block, block_index;
    unsigned char *dynamic_shared; /* 1024-byte aligned */
    void *worker;
} assay_simt_context;

extern ASSAY_SIMT_TLS __thread assay_simt_context assay_simt_current;

/* Called by a kernel's trampoline before a thread of a cluster: what belongs to its block becomes current. */
ASSAY_EXPORT void assay_simt_enter_block(void);

/* Called by a kernel's trampoline after each thread of a tracked block. */
ASSAY_EXPORT void assay_simt_thread_exit(void);

/* ---- launching ---- */

typedef struct assay_simt_launch_config {
    const void *kernel; /* address of the kernel's function, for its name in reports */
    assay_simt_uint3 grid, block;
    size_t shared_bytes;
    assay_stream stream;
    int checked; /* ASSAY_SIMT_CHECK: the kernel reports its memory accesses to assay_simt_check_access() */
    uint32_t cluster; /* blocks, along x, that run together; 0 means 1 */
    const char *name; /* of the kernel, for reports; NULL: found from its address */
} assay_simt_launch_config;

/* Run `run(call)` on every fiber of every block until all threads are claimed. On the stream of an open device the launch is
 * complete on return. On any other stream `call_bytes` bytes of `call` are copied and the launch waits for
 * assay_simt_run_deferred(): a kernel on the wrong stream must not look right by luck. ASSAY_ERR_DEVICE if the
 * configuration is one that CUDA refuses. */
ASSAY_EXPORT assay_status assay_simt_launch(const assay_simt_launch_config *config,
                                            void (*run)(const void *call), const void *call,
                                            size_t call_bytes);
ASSAY_EXPORT void assay_simt_run_deferred(void);

/* Streams on which launches run at once. */
ASSAY_EXPORT assay_stream assay_simt_stream_create(void); /* NULL: out of memory */
ASSAY_EXPORT void assay_simt_stream_destroy(assay_stream stream);

/* Copy the first launch error since the last call into `message` and return its status; ASSAY_OK and "" if there is none. */
ASSAY_EXPORT assay_status assay_simt_take_error(char *message, size_t message_bytes);

enum { ASSAY_SIMT_FORWARD = 0, ASSAY_SIMT_REVERSED = 1, ASSAY_SIMT_RANDOM = 2 };

typedef struct assay_simt_options {
    int workers;       /* host threads; 0: all cores */
    int order;         /* the order in which a block's threads, and the blocks, start */
    uint64_t seed;     /* of the random order */
    int poison_shared; /* fill shared memory with 0xFF bytes (NaN patterns) before every block */
} assay_simt_options;

/* Not while a launch runs. Defaults: all cores, forward, no poison. */
ASSAY_EXPORT void assay_simt_set_options(const assay_simt_options *options);
ASSAY_EXPORT int assay_simt_worker_count(void); /* as launches now use */

/* ---- global memory ----
 * The last byte, rounded up to 16, ends right before an inaccessible guard zone, and another lies before the first page.
 * Aligned to 16 bytes, and to 256 where the size is a multiple of 256. */
enum {
    ASSAY_SIMT_TENSOR, /* the harness's */
    ASSAY_SIMT_DEVICE, /* a kernel's own: filled with NaN patterns; what it leaves allocated is counted */
    ASSAY_SIMT_MAPPED  /* the same, and the kernel's host code may access it too */
};
ASSAY_EXPORT void *assay_simt_memory_alloc_for(size_t bytes, int use); /* NULL: out of memory */
ASSAY_EXPORT void *assay_simt_memory_alloc(size_t bytes);              /* for the harness */
/* 0 if the bytes around the allocation that no guard page covers were overwritten. */
ASSAY_EXPORT int assay_simt_memory_intact(const void *pointer);
ASSAY_EXPORT int assay_simt_memory_free(void *pointer); /* 0: it was no allocation; NULL is fine */

/* Of an allocation only the `bytes` at `offset` are a tensor, which kernels must not leave, and not write if `read_only`. */
ASSAY_EXPORT void assay_simt_memory_set_tensor(void *pointer, size_t offset, size_t bytes, int read_only);

/* What a kernel's host code copies and fills memory with. 0: what is said to be device memory does not lie within one allocation, or
 * in a module's variables; nothing was done. */
ASSAY_EXPORT int assay_simt_memory_copy(void *to, int to_device, const void *from, int from_device,
                                        size_t bytes);
ASSAY_EXPORT int assay_simt_memory_set(void *to, int byte, size_t bytes);
ASSAY_EXPORT int assay_simt_memory_is_device(const void *address);

/* ---- a kernel's host code ----
 * Between these two the launches of a kernel, and the functions above, reach device memory, and nothing else does. The end looks at what
 * the code left behind: memory that every call leaves allocated, and a changed floating-point environment, become launch errors. */
ASSAY_EXPORT void assay_simt_host_begin(void);
ASSAY_EXPORT void assay_simt_host_end(void);

/* ---- collectives ----
 * `file` and `line` say where the kernel called; `op` is a literal that names the operation in reports. */

/* A barrier over the whole block; `place` tells two barriers of one line apart. Returns the number of threads whose
 * `predicate` is not 0. */
ASSAY_EXPORT uint32_t assay_simt_block_barrier(int predicate, const char *op, const char *file, int line,
                                               int place);

/* Called once, by the last lane to arrive, with the arguments of the lanes of `lanes`, indexed by lane. */
typedef void (*assay_simt_warp_fn)(void *const *args, uint32_t lanes);

/* All lanes of `mask` meet, then `combine` (may be NULL) runs, then all go on. Lanes beyond the block are no part of any
 * mask. A lane of `mask` that has ended: an error if `needs_all`, else it is left out. */
ASSAY_EXPORT void assay_simt_warp_collective(uint32_t mask, int needs_all, void *arg,
                                             assay_simt_warp_fn combine, const char *op, const char *file,
                                             int line);

/* The same for the aligned group of `count` threads (a multiple of 32, at most 256) that the caller is in. */
typedef void (*assay_simt_group_fn)(void *const *args, uint32_t count);
ASSAY_EXPORT void assay_simt_group_collective(uint32_t count, void *arg, assay_simt_group_fn combine,
                                              const char *op, const char *file, int line);

/* Let other threads of the block run. */
ASSAY_EXPORT void assay_simt_yield(void);

/* ---- asynchronous copies of a thread ----
 * They land when the thread waits for them and never before, so that a missing wait is seen. */
ASSAY_EXPORT void assay_simt_copy_async(void *to, const void *from, uint32_t bytes, uint32_t source_bytes);
ASSAY_EXPORT void assay_simt_copy_commit(void);
ASSAY_EXPORT void assay_simt_copy_wait(uint32_t pending_groups);

/* ---- the checked build ----
 * Modules compiled with -fsanitize=thread,alignment -DASSAY_SIMT_CHECK=1 and linked to libassay_simt_check.so call this before each memory
 * access; see docs/simt-device.md. `pc` is the address of the access's code. */
enum { /* bits of `checked` */
       ASSAY_SIMT_CHECK_STRICT = 2,
       ASSAY_SIMT_CHECK_GUARDED = 4 /* single bytes of static shared memory may be the compiler's own */
};
enum {
    ASSAY_SIMT_READ = 1,
    ASSAY_SIMT_WRITE = 2,
    ASSAY_SIMT_ATOMIC_READ = 5, /* bit 2: atomic accesses do not race with each other */
    ASSAY_SIMT_ATOMIC_WRITE = 6,
    ASSAY_SIMT_ATOMIC = 7
};
ASSAY_EXPORT void assay_simt_check_access(const void *address, size_t bytes, int kind, const void *pc);
/* The same with the caller's address as `pc`, for wrappers whose accesses a compiler may not announce. */
ASSAY_EXPORT void assay_simt_check_here(const void *address, size_t bytes, int kind);
/* As the first, for an access that must be aligned to its size (a power of two). */
ASSAY_EXPORT void assay_simt_check_aligned(const void *address, size_t bytes, int kind, const void *pc);

/* An access at a place of the source that wants more alignment than the address has; `type` is quoted. Host code is let be. */
ASSAY_EXPORT void assay_simt_check_misaligned(const void *address, size_t alignment, const char *type,
                                              const char *file, int line);

/* ---- reports ---- */
ASSAY_EXPORT __attribute__((noreturn, cold)) void
assay_simt_misaligned(const void *pointer, size_t alignment, const char *op, const char *file, int line);
ASSAY_EXPORT __attribute__((noreturn, cold)) void assay_simt_trap(const char *what, const char *file,
                                                                  int line);

#ifdef __cplusplus
}
#endif
#endif
