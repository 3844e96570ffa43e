/* Runs the blocks of a launch on a worker: which block comes next, what its threads begin with, what must hold when it ends. Which thread
 * of a block runs next is scheduler.c's. */
#include "device/cpu/runtime/simt.h"
#include <string.h>
#if SIMT_ASAN
#include <sanitizer/common_interface_defs.h>
#endif

static void number_threads(simt_worker *w, assay_simt_uint3 block)
{
    if (memcmp(&w->slots_of, &block, sizeof block) == 0)
        return;
    const uint32_t threads = block.x * block.y * block.z;
    uint32_t i = 0;
    for (uint32_t z = 0; z < block.z; z++)
        for (uint32_t y = 0; y < block.y; y++)
            for (uint32_t x = 0; x < block.x; x++, i++)
                w->slots[i] = (assay_simt_slot){{x, y, z}, i};
    for (; i < SIMT_MAX_THREADS; i++) /* of the further blocks of a cluster */
        w->slots[i] = (assay_simt_slot){w->slots[i - threads].at, i};
    w->slots_of = block;
}

/* A permutation that depends on the seed and the block only, so that it is the same with any number of workers. */
static void shuffle_threads(simt_worker *w, uint64_t seed, uint32_t count)
{
    memcpy(w->permuted, w->slots, count * sizeof w->slots[0]);
    uint64_t random = simt_mix(seed ^ simt_mix(w->block));
    for (uint32_t i = count - 1; i > 0; i--) { /* Fisher-Yates */
        random = simt_mix(random);
        const uint32_t j = (uint32_t)(((random >> 32) * (i + 1)) >> 32);
        const assay_simt_slot other = w->permuted[j];
        w->permuted[j] = w->permuted[i];
        w->permuted[i] = other;
    }
}

static bool start_block(simt_worker *w)
{
    simt_job *job = w->job;
    const uint64_t i = atomic_fetch_add_explicit(&job->next, 1, memory_order_relaxed);
    if (i >= job->blocks)
        return false;
    w->block = job->order == ASSAY_SIMT_FORWARD
                   ? i
                   : (uint64_t)(((unsigned __int128)i * job->block_stride + job->block_offset) % job->blocks);
    simt_set_block_index(w->context, w->block * (w->context->count / w->context->block_threads));
    if (job->order == ASSAY_SIMT_RANDOM)
        shuffle_threads(w, job->seed, w->context->count);
    w->context->started = 0;
    w->context->tracked = 0;
    simt_shared_start_block(w);
    if (job->checked)
        simt_check_start_block(w);
    return true;
}

static void end_block(simt_worker *w)
{
    simt_shared_check_block(w);
    if (w->copies_used)
        simt_copies_reset(w);
    simt_hopper_end_block(w);
}

void assay_simt_thread_exit(void)
{
    simt_worker *w = assay_simt_current.worker;
    barrier_state *b = simt_barrier(w);
    w->live--;
    b->live--;
    if (b->waiting && b->waiting == b->live) /* the others wait for no one else */
        simt_barrier_complete(w, b);
    simt_cluster_thread_ended(w);
    simt_warp_lane_ended(w, assay_simt_current.self.index);
}

/* The body of every fiber. */
static void fiber_main(void)
{
    simt_worker *w = assay_simt_current.worker;
#if SIMT_ASAN
    const void *bottom;
    size_t bytes;
    __sanitizer_finish_switch_fiber(NULL, &bottom, &bytes);
    if (!w->main_stack) { /* the first fiber of a host thread is entered from its own stack */
        w->main_stack = bottom;
        w->main_stack_bytes = bytes;
    }
#endif
    for (;;) {
        w->job->run(w->job->call);
        fiber *next;
        if (!w->context->tracked || w->live == 0) { /* the block is done, and all other fibers are free */
            end_block(w);
            if (start_block(w))
                continue;
            next = &w->main_fiber;
        } else {
            next = simt_next_fiber(w);
        }
        w->free_fibers[w->free_count++] = w->running;
        simt_fiber_switch(w, next);
    }
}

void simt_worker_run(simt_worker *w, simt_job *job)
{
    assay_simt_context *c = &assay_simt_current;
    w->job = job;
    w->context = c;
    w->fiber_main = fiber_main;
    c->worker = w;
    c->grid = job->config.grid;
    c->block = job->config.block;
    assay_simt_grid_dim = c->grid;
    assay_simt_block_dim = c->block;
    c->block_threads = c->block.x * c->block.y * c->block.z;
    c->count = c->block_threads * (job->config.cluster ? job->config.cluster : 1);
    number_threads(w, c->block);
    c->order = w->slots;
    if (job->order != ASSAY_SIMT_FORWARD) {
        for (uint32_t i = 0; i < c->count; i++)
            w->permuted[i] = w->slots[c->count - 1 - i];
        c->order = w->permuted;
    }
    simt_shared_prepare(w);
    if (job->checked)
        simt_check_prepare(w);
    if (start_block(w)) {
        w->running = &w->main_fiber;
        simt_fiber_switch(w, simt_fiber_take(w));
    }
    if (c->order_shown)
        simt_note_order_shown();
    c->order_shown = 0;
    w->job = NULL; /* a fault from here on is not a kernel's */
}
