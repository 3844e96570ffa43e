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
    uint32_t order_shown; /* 1 once an atomic's result could tell the order of threads; see atomics.h */
} assay_simt_context;

extern ASSAY_SIMT_TLS __thread assay_simt_context assay_simt_current;
extern ASSAY_SIMT_TLS __thread assay_simt_uint3 assay_simt_grid_dim, assay_simt_block_dim; /* the context's */

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
    int leave;        /* how more than 48 KiB of dynamic shared memory is allowed: ASSAY_SIMT_LEAVE_... */
} assay_simt_launch_config;

enum {
    ASSAY_SIMT_LEAVE_GIVEN,      /* the launch itself gave it, as assay::launch does */
    ASSAY_SIMT_LEAVE_BY_ADDRESS, /* assay_simt_allow_shared() did, for `kernel` */
    ASSAY_SIMT_LEAVE_BY_NAME,    /* the same, for a kernel named `name` */
    ASSAY_SIMT_LEAVE_OF_ANY      /* the same, for any kernel: nothing says which this is */
};

/* Run `run(call)` on every fiber of every block until all threads are claimed. On the stream of an open device the launch is
 * complete on return, unless a kernel made streams of its own; else `call_bytes` bytes of `call` are copied and the launch waits in
 * its stream's queue (runtime/stream.c). ASSAY_ERR_DEVICE if the configuration is one that CUDA refuses. */
ASSAY_EXPORT assay_status assay_simt_launch(const assay_simt_launch_config *config,
                                            void (*run)(const void *call), const void *call,
                                            size_t call_bytes);

/* Let launches of this kernel have `bytes` bytes of dynamic shared memory. 0: more than there is. */
ASSAY_EXPORT int assay_simt_allow_shared(const void *kernel, long long bytes);

ASSAY_EXPORT int assay_simt_worker_count(void); /* host threads, as launches now use */

/* ---- streams and events, as cudaStream_t and cudaEvent_t want them: see host_streams.h ----
 * Functions that return int return 0 for a stream that is none. */
typedef struct assay_simt_event assay_simt_event;

ASSAY_EXPORT assay_stream assay_simt_stream_make(int blocking); /* NULL: out of memory */
ASSAY_EXPORT int assay_simt_stream_drop(assay_stream stream);   /* its work goes on */
/* Call `run` with a copy of `call` in the stream's order, on the host. */
ASSAY_EXPORT int assay_simt_stream_call(assay_stream stream, void (*run)(const void *call), const void *call,
                                        size_t call_bytes);
ASSAY_EXPORT int
assay_simt_stream_finish(assay_stream stream); /* wait for its work, and what that waits for */
ASSAY_EXPORT void assay_simt_device_finish(void);
/* What the stream 0 means; NULL: CUDA's legacy stream. */
ASSAY_EXPORT void assay_simt_stream_zero(assay_stream stream);

ASSAY_EXPORT assay_simt_event *assay_simt_event_make(int timed); /* NULL: out of memory */
ASSAY_EXPORT void assay_simt_event_drop(assay_simt_event *event);
ASSAY_EXPORT int assay_simt_event_record(assay_simt_event *event, assay_stream stream);
ASSAY_EXPORT int assay_simt_event_await(assay_simt_event *event, assay_stream stream);
ASSAY_EXPORT void assay_simt_event_finish(assay_simt_event *event);
/* 1 and the time; 0: not complete; -1: not recorded or without times. */
ASSAY_EXPORT int assay_simt_event_elapsed(const assay_simt_event *from, const assay_simt_event *to,
                                          float *ms);

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

/* The lanes of the caller's warp that are at this place with it when nothing else in the block can go on: those that a warp in lockstep has
 * there together. */
ASSAY_EXPORT uint32_t assay_simt_active_mask(const char *file, int line);

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
       ASSAY_SIMT_CHECK_ACCESSES = 1,
       ASSAY_SIMT_CHECK_STRICT = 2,
       ASSAY_SIMT_CHECK_GUARDED = 4 /* single bytes of static shared memory may be the compiler's own */
};
enum {
    ASSAY_SIMT_READ = 1,
    ASSAY_SIMT_WRITE = 2,
    ASSAY_SIMT_ATOMIC_READ = 5, /* bit 2: atomic accesses do not race with each other */
    ASSAY_SIMT_ATOMIC_WRITE = 6,
    ASSAY_SIMT_ATOMIC = 7,
    ASSAY_SIMT_VOLATILE = 8 /* added to the others */
};
/* Every kernel of the process is checked, whatever its launch says: libassay_simt_check.so calls it when it is loaded. */
ASSAY_EXPORT void assay_simt_check_process(void);
/* Fences of a checked kernel: over the device, __threadfence(), and over the block, __threadfence_block(). */
ASSAY_EXPORT void assay_simt_check_fence(void);
ASSAY_EXPORT void assay_simt_check_block_fence(void);
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
