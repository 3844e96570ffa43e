/* State of the CPU SIMT runtime that its files share. Nothing outside device/cpu/runtime includes this.
 *
 * One worker is one host thread that runs one block at a time; all of a block's state lives in its worker, so nothing here
 * needs a lock while blocks run. Threads are named by their linear number in the block. */
#ifndef ASSAY_SIMT_INTERNAL_H
#define ASSAY_SIMT_INTERNAL_H

#include "device/cpu/runtime/control.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define SIMT_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SIMT_ASAN 1
#endif
#endif
#ifndef SIMT_ASAN
#define SIMT_ASAN 0
#endif
#if defined(__SANITIZE_THREAD__)
#define SIMT_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SIMT_TSAN 1
#endif
#endif
#ifndef SIMT_TSAN
#define SIMT_TSAN 0
#endif

enum {
    SIMT_MAX_THREADS = 1024, /* of a block */
    SIMT_MAX_WARPS = SIMT_MAX_THREADS / 32,
    SIMT_MAX_CLUSTER = 8,         /* blocks; they share the limit on threads */
    SIMT_MAX_SHARED = 227 * 1024, /* of a block, on sm_90 */
    SIMT_GUARD_BYTES = 64 * 1024  /* inaccessible zone on either side of an allocation */
};

/* A stack on which CUDA threads run, one after another. */
typedef struct fiber {
    void *stack_pointer; /* of the suspended fiber */
    char *stack;         /* lowest address; below it lies a guard page if `guarded` */
    bool guarded;
    void *
        sanitizer; /* AddressSanitizer's fake stack of the suspended fiber; ThreadSanitizer's state of the fiber */
} fiber;

/* A CUDA thread that waits, and where. */
typedef struct thread_state {
    fiber *fiber;
    const char *op, *file; /* op is NULL while the thread does not wait */
    int line;
    uint32_t active; /* the answer to __activemask() */
} thread_state;

/* A warp collective that some lanes wait in. Several can be open at once: half a warp may wait for the whole while the other
 * half first meets among itself. */
typedef struct warp_op {
    uint32_t mask, arrived; /* lanes named, lanes that are here */
    bool needs_all;
    assay_simt_warp_fn combine;
    const char *op;
} warp_op;

typedef struct warp_state {
    uint32_t live; /* lanes that exist and have not ended */
    uint32_t open; /* entries of `ops` */
    warp_op ops[32];
    void *args[32]; /* of the waiting lanes */
} warp_state;

typedef struct group_state { /* a collective of several whole warps */
    uint32_t arrived, count;
    void *args[256];
} group_state;

typedef struct barrier_state {    /* of one block */
    uint32_t live;                /* its threads that have not ended */
    uint32_t waiting, true_count; /* threads waiting; of them, those whose predicate is not 0 */
    uint32_t result;              /* true_count of the last completed barrier */
    int line, place;
    const char *op, *file;
    uint16_t threads[SIMT_MAX_THREADS];
} barrier_state;

typedef struct pending_copy {
    void *to;
    const void *from;
    uint32_t bytes, source_bytes, group;
} pending_copy;

typedef struct check_state check_state; /* check.c */

typedef struct copy_queue { /* the asynchronous copies of one thread, oldest first */
    pending_copy *items;
    uint32_t first, count, capacity;
    uint32_t committed; /* groups committed so far */
} copy_queue;

/* One launch; shared by the workers that run it. */
typedef struct simt_job {
    assay_simt_launch_config config;
    void (*run)(const void *call);
    const void *call;
    size_t call_bytes;
    uint64_t blocks;
    int order;
    uint64_t seed;
    bool poison_shared;
    int checked;         /* ASSAY_SIMT_CHECK bits; 0: accesses are not reported */
    uint32_t race_clock; /* of a checked job: see check_global.c */
    uint64_t block_stride,
        block_offset; /* block i of the hand-out order is (i * stride + offset) mod blocks */
    size_t tls_module, tls_offset,
        tls_bytes; /* the module's static shared memory; tls_module 0: none or unknown */
    _Atomic uint64_t next;
} simt_job;

typedef struct simt_worker {
    simt_job *job;
    assay_simt_context *context;
    uint64_t block; /* linear number of the running block or cluster */
    uint32_t live;  /* threads of a tracked block or cluster that have not ended */

    fiber *running, main_fiber;
    void (*fiber_main)(void); /* the body of its fibers: blocks.c */
    fiber **free_fibers;
    uint32_t free_count, fiber_count;
    const void *main_stack; /* of the host thread, as AddressSanitizer names it */
    size_t main_stack_bytes;

    uint16_t ready[SIMT_MAX_THREADS]; /* ring of threads that can go on; each is in it at most once */
    uint32_t ready_head, ready_tail;
    uint32_t active_waiting, active_yields; /* threads in __activemask(), and yields since the first came */

    barrier_state barriers[SIMT_MAX_CLUSTER]; /* by block of the cluster */
    warp_state warps[SIMT_MAX_WARPS];
    group_state *groups[SIMT_MAX_WARPS]; /* by first warp; allocated when first used */
    thread_state threads[SIMT_MAX_THREADS];

    check_state *check; /* allocated when the first checked kernel runs */
    bool combining;     /* a collective's arguments are being put together */

    copy_queue *copies; /* by thread; allocated when first used */
    bool copies_used;   /* in the running block */

    struct hopper_state *hopper; /* allocated when first used */
    bool (*land_copy)(struct simt_worker *
                          w); /* let a copy under way land; false: there is none. NULL: there never was one */

    char *shared_arena;         /* see shared_memory.c */
    unsigned char *shared_base; /* dynamic shared memory of the cluster's first block; the others' follows */
    size_t shared_slack;        /* bytes between the end of dynamic shared memory and the guard */

    assay_simt_uint3 slots_of;                  /* the block shape that `slots` was made for */
    assay_simt_slot slots[SIMT_MAX_THREADS];    /* by linear number */
    assay_simt_slot permuted[SIMT_MAX_THREADS]; /* in starting order, if that is not forward */
} simt_worker;

/* fiber.c */
fiber *simt_fiber_take(simt_worker *w); /* a free fiber, or a new one */
void simt_fiber_switch(simt_worker *w, fiber *to);
bool simt_fiber_hit_guard(const fiber *f, const void *address);
bool simt_fiber_holds(const fiber *f, const void *address); /* is it on this stack? */

/* blocks.c */
void simt_worker_run(simt_worker *w, simt_job *job); /* run blocks until none is left */

/* scheduler.c */
fiber *simt_next_fiber(simt_worker *w); /* to go on with when the running one cannot */
void simt_track(simt_worker *w);        /* before the first collective of a block */
void simt_wait(simt_worker *w, const char *op, const char *file, int line);
void simt_set_block_index(assay_simt_context *c, uint64_t block); /* from the linear number of a block */
static inline void simt_make_ready(simt_worker *w, uint32_t thread)
{
    w->ready[w->ready_tail++ % SIMT_MAX_THREADS] = (uint16_t)thread;
}

/* collective.c */
void simt_warp_lane_ended(simt_worker *w, uint32_t thread);

void simt_barrier_complete(simt_worker *w, barrier_state *b); /* all that wait go on */

/* hopper_barrier.c */
void simt_cluster_thread_ended(simt_worker *w);

/* async_copy.c */
void simt_copies_reset(simt_worker *w);

/* hopper_state.c */
void simt_hopper_end_block(simt_worker *w);

/* Whether two names or paths are the same; the compiler often gives them one address. */
static inline bool simt_same_text(const char *a, const char *b)
{
    return a == b || strcmp(a, b) == 0;
}

/* Number of the running thread's block in its cluster. */
static inline uint32_t simt_rank(const simt_worker *w)
{
    const assay_simt_context *c = w->context;
    return c->count == c->block_threads
               ? 0
               : c->self.index / c->block_threads; /* no division outside of clusters */
}
static inline barrier_state *simt_barrier(simt_worker *w)
{
    return &w->barriers[simt_rank(w)];
}

/* shared_memory.c */
size_t simt_shared_stride(const simt_job *job); /* from one block's dynamic shared memory to the next one's */
size_t simt_shared_total(const simt_job *job);  /* of a cluster */
void simt_shared_prepare(simt_worker *w);       /* place dynamic shared memory for the worker's job */
void simt_shared_start_block(simt_worker *w);
void simt_shared_check_block(simt_worker *w);
void simt_shared_find_static(simt_job *job);
/* 1 and the distance in bytes past the end (negative: before the start) if `address` is in the guards around it */
bool simt_shared_hit_guard(const simt_worker *w, const void *address, ptrdiff_t *distance);

/* check_global.c: races between blocks, for checked jobs only */
typedef struct race_state { /* of a running block */
    uint32_t block, launch_clock, clock;
    uint32_t published; /* the clock at its last fence */
} race_state;
uint32_t simt_race_start_launch(void); /* the launch's first clock */
void simt_race_start_block(simt_worker *w, race_state *state);
void simt_race_fence(race_state *state);
/* Memory that the device's heap gives out: who had it before is no rival of who gets it. */
void simt_race_forget(const char *at, size_t bytes);
void simt_race_access(simt_worker *w, race_state *state, const char *at, size_t bytes, int kind,
                      const void *pc);

/* check.c: called for checked jobs only */
void simt_check_prepare(simt_worker *w);
void simt_check_start_block(simt_worker *w);
void simt_check_barrier(simt_worker *w); /* all accesses so far are ordered before all that follow */
void simt_check_warp(simt_worker *w, uint32_t warp,
                     uint32_t lanes); /* the same for these lanes among themselves */

/* The first byte of the module's static shared memory on this worker; NULL if there is none. */
char *simt_shared_static(const simt_job *job);
/* The allocation whose mapping, guards included, holds `address`: its mapping's bounds and those of its data. */
typedef struct memory_bounds {
    const char *from, *data, *data_end, *to;
} memory_bounds;
bool simt_memory_find(const void *address, memory_bounds *bounds);
extern _Atomic uint32_t simt_memory_changes; /* grows when an allocation comes, goes or gets other bounds */

/* memory.c: what lies at `address`, for a report. 0: no allocation and no guard of one. */
typedef struct memory_place {
    bool inside;        /* of the buffer, or of the tensor in it */
    ptrdiff_t distance; /* from its start if inside; else past its end, or, negative, before its start */
    size_t bytes;       /* its size */
    bool read_only, freed, host; /* host: memory of a kernel's host code */
} memory_place;
bool simt_memory_describe(const void *address, memory_place *place);
void simt_memory_launch(int begins); /* 1: a launch begins, 0: it has ended */
void simt_memory_host(int begins);   /* the same for a kernel's host code */
enum { SIMT_HOST_MEMORY = 100 };     /* a use of assay_simt_memory_alloc_for() beside those of runtime.h */
void *simt_memory_alloc_host(size_t bytes); /* NULL: not now, or no more; the C library has some */
bool simt_memory_is_host(const void *pointer);
size_t simt_memory_size(const void *pointer); /* as it was asked for; 0: no allocation */
void simt_memory_outstanding(size_t *device,
                             size_t *host_code); /* bytes that a kernel's host code has allocated */
uint64_t simt_memory_generation(void);           /* changes when the harness allocates or frees */

/* host.c */
size_t simt_host_bytes(void);             /* on the heap of this process; 0: not known */
void simt_host_bytes_left(size_t before); /* a launch has ended: what came since `before` is no host code's */

/* pool.c */
void simt_pool_run(simt_job *job);

/* state.c */
assay_simt_options simt_options(void);
assay_status simt_launch_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void simt_note_order_shown(void); /* a kernel used atomics whose results show the order of its threads */
void simt_set_options(const assay_simt_options *given); /* these three: see control.h */
assay_status simt_take_error(char *message, size_t message_bytes);
int simt_take_order_shown(void);

/* launch.c: run a launch and return when it is done; a kernel that may not run is refused before */
void simt_run_now(const assay_simt_launch_config *config, void (*run)(const void *call), const void *call,
                  size_t call_bytes);
void simt_watch_launches(void (*launched)(void *context, const assay_simt_launch_config *config),
                         void *context); /* see control.h */

/* limits.c: why CUDA refuses this launch on compute capability 9.0, or NULL */
const char *simt_limits_refuse(const assay_simt_launch_config *config);

/* stream.c, stream_queue.c */
assay_stream
simt_stream_open_own(void); /* a stream of the device: its work runs at once where that is right */
void simt_stream_close_own(assay_stream stream);
void simt_stream_finish(assay_stream stream);
void simt_stream_finish_all(void);

/* fiber.c, for stacks that are no fibers: save the callee-saved registers on this stack and its pointer in *save, and go on where `load`
 * was saved; what to load to begin with `entry`, which never returns, on the stack that ends at `top`. */
void simt_swap_stacks(void **save, void *load) __asm__("simt_swap_stacks");
void *simt_first_frame(char *top, void (*entry)(void));

/* host_stack.c: run `run(argument)` on another stack, with the calling thread's own inaccessible as far as it is in use. Only between
 * assay_simt_host_begin() and _end() on the thread that called it; else on the stack there is. */
void simt_host_stack_leave(void (*run)(void *argument), void *argument);
bool simt_host_stack_holds(const void *address); /* while it is inaccessible */
void simt_host_stack_open(void);                 /* before a report, which may need it */
void simt_host_stack_begin(void);
void simt_host_stack_end(void);

/* symbol.c */
const void *simt_module_of(const void *kernel); /* where it is loaded; NULL if it is in none */
size_t
simt_most_static_shared(const void *kernel); /* bytes: the most that a function of the kernel's module has */
void simt_kernel_name(const void *kernel, char *out, size_t out_bytes);
void simt_config_name(const assay_simt_launch_config *config, char *out, size_t out_bytes);
const char *simt_file_name(const char *path); /* without folders */

/* "file.cu:12" of the code at `pc`, or "module.so+0x123" where addr2line or line numbers are missing */
void simt_source_place(const void *pc, char *out, size_t out_bytes);

/* report.c: one line on stderr about the running thread, then SIGABRT */
__attribute__((noreturn, cold)) void simt_report(simt_worker *w, const char *what, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* fault.c */
void simt_faults_install(void);        /* once a process */
void simt_faults_thread_install(void); /* once a thread that runs blocks: its signal stack */

static inline uint64_t simt_mix(uint64_t x) /* splitmix64 (S. Vigna, public domain) */
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

#endif
