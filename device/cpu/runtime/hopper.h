/* State of the CPU device's Hopper part: one for each worker, made when first used and emptied after each block. */
#ifndef ASSAY_SIMT_HOPPER_INTERNAL_H
#define ASSAY_SIMT_HOPPER_INTERNAL_H

#include "device/cpu/runtime/simt.h"
#include <assay_simt/hopper_runtime.h>

enum { HOPPER_MAX_BARRIERS = 256, HOPPER_NAMED_BARRIERS = 16, HOPPER_MAX_PRODUCTS = 64, NO_THREAD = 0xffff };
enum { HOPPER_WGMMA_M = 64, HOPPER_WGMMA_K = 16, HOPPER_WGMMA_MAX_N = 256 };

typedef struct hopper_barrier {
    uint64_t *address;
    uint32_t expected, pending; /* arrivals of a phase, and those still missing */
    int64_t bytes;              /* still to land in this phase; negative: landed before they were expected */
    uint64_t completed;         /* phases */
    bool visible;               /* its initialisation was fenced */
    uint16_t initialiser, first_waiter;
} hopper_barrier;

typedef struct hopper_named_barrier {
    uint32_t expected, arrived, waiting;
    uint16_t threads[SIMT_MAX_THREADS];
} hopper_named_barrier;

typedef struct hopper_copy {
    assay_simt_tensor_map map;
    char *shared;
    uint64_t *barrier; /* NULL: a store */
    assay_simt_box_at first;
    uint32_t thread, group; /* of a store */
    const void *pc;         /* in the kernel */
} hopper_copy;

typedef struct hopper_product {
    assay_simt_wgmma is;
    uint32_t group;
    int line;
    const char *file;
    const void *pc; /* in the kernel */
} hopper_product;

typedef struct hopper_products { /* of one thread, oldest first */
    hopper_product items[HOPPER_MAX_PRODUCTS];
    uint32_t count, committed;
    bool fenced;
} hopper_products;

typedef struct hopper_thread {
    const char *unfenced_start,
        *unfenced_end;     /* ordinary stores that the asynchronous units may not see yet */
    uint32_t store_groups; /* committed */
    uint16_t next_waiter;
    hopper_products *products; /* allocated when first used */
} hopper_thread;

/* The operands and sums of the wgmma that is being computed. Not thread-locals: the library could then not be loaded into a
 * running program, whose room for initial-exec variables is about 1 KB (python/ does that). */
typedef struct hopper_operands {
    float a[HOPPER_WGMMA_M][HOPPER_WGMMA_K], b[HOPPER_WGMMA_K][HOPPER_WGMMA_MAX_N];
    float tile[HOPPER_WGMMA_M][HOPPER_WGMMA_MAX_N];
} hopper_operands;

typedef struct hopper_state {
    bool used; /* in the running block */
    uint32_t barrier_count, copy_count, copy_capacity, unfenced_threads;
    uint64_t draws; /* of random numbers, in this block */
    hopper_copy *copies;
    hopper_barrier barriers[HOPPER_MAX_BARRIERS];
    hopper_named_barrier named[SIMT_MAX_CLUSTER]
                              [HOPPER_NAMED_BARRIERS]; /* by block; number 0 of block 0 is the cluster's */
    hopper_thread threads[SIMT_MAX_THREADS];
    hopper_operands operands;
} hopper_state;

hopper_state *simt_hopper(simt_worker *w); /* the worker's, marked as used */
/* As above, in a block that keeps track of its threads. */
hopper_state *simt_hopper_tracked(simt_worker *w);

/* hopper_state.c: the place in block `rank` of the cluster that is `address` in the running thread's block */
void *simt_hopper_remote(simt_worker *w, void *address, uint32_t rank, const char *op, const char *file,
                         int line);

/* hopper_barrier.c */
hopper_barrier *simt_hopper_barrier(simt_worker *w, const uint64_t *address, const char *op, const char *file,
                                    int line);
void simt_hopper_bytes_landed(simt_worker *w, hopper_barrier *barrier, uint32_t bytes);

/* hopper_copy.c */
/* Report `bytes` at `start` if a thread's stores to them were not fenced. */
void simt_hopper_check_fenced(simt_worker *w, const char *start, size_t bytes, const char *op,
                              const char *file, int line);

#endif
