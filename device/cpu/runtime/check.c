/* The checked build's judge of memory accesses: races and uninitialised reads in shared memory, accesses just outside of global
 * buffers, misaligned accesses.
 *
 * Shadow cells, one for two bytes of shared memory, remember who wrote and who read last, and when. "When" is the number of block
 * barriers so far (the epoch) and the thread's clock, which counts the warp operations and fences it took part in. Two accesses
 * are ordered if a thread made both, if a block barrier lies between, or if warp operations, or flags behind fences, lead from one to
 * the other: vector clocks (check_order.h), as in C. Flanagan, S. Freund, "FastTrack", PLDI 2009. Of a cell's readers the last one
 * and the last of another warp are kept, so a race with a third reader can go unseen until the next run.
 *
 * Epochs only grow, over blocks and launches, so cells never need clearing. */
#include "device/cpu/runtime/check_order.h"
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELL_BYTES = 2, FIND_CACHE = 4 };

typedef struct stamp {
    const void *pc;
    uint32_t epoch; /* 0: never */
    uint32_t clock;
    uint16_t thread;
    bool atomic, is_volatile; /* a volatile write of a thread that never fences is like any other */
} stamp;

typedef struct cell {
    stamp write, read, other_read; /* other_read: of another warp than `read` */
    uint8_t written;               /* bit i: byte i was written in the block of `write` */
} cell;

typedef struct region { /* a stretch of shared memory and its cells */
    const char *kind, *start;
    size_t bytes, capacity; /* capacity: cells allocated */
    cell *cells;
} region;

struct check_state {
    region dynamic, fixed;
    order_state order;
    race_state race;
    memory_bounds found[FIND_CACHE];
    uint32_t next_found, found_when; /* simt_memory_changes */
};

/* ---- events ---- */

static void place_region(simt_worker *w, region *r, const char *kind, const void *start, size_t bytes)
{
    const size_t cells =
        (bytes + 1 + CELL_BYTES) / CELL_BYTES; /* one more: a region may start at an odd address */
    if (r->capacity < cells) {
        free(r->cells);
        r->cells = calloc(cells, sizeof *r->cells);
        r->capacity = r->cells ? cells : 0;
        if (!r->cells)
            simt_report(w, "out of memory", "no room to check %zu bytes of shared memory", bytes);
    }
    r->kind = kind;
    r->start = start;
    r->bytes = bytes;
}

void simt_check_prepare(simt_worker *w)
{
    if (!w->check && !(w->check = calloc(1, sizeof *w->check)))
        simt_report(w, "out of memory", "no room for the checks");
    const char *fixed = simt_shared_static(w->job);
    place_region(w, &w->check->dynamic, "dynamic", w->shared_base, simt_shared_total(w->job));
    place_region(w, &w->check->fixed, "static", fixed, fixed ? w->job->tls_bytes : 0);
}

void simt_check_start_block(simt_worker *w)
{
    check_state *s = w->check;
    simt_order_start_block(&s->order, w->context->count);
    simt_race_start_block(w, &s->race);
}

void simt_check_barrier(simt_worker *w)
{
    w->check->order.epoch++;
}

void simt_check_warp(simt_worker *w, uint32_t warp, uint32_t lanes)
{
    simt_order_warp(&w->check->order, warp, lanes);
}

/* ---- shared memory ---- */

static bool ordered(const check_state *s, const stamp *before, const stamp *now)
{
    return before->epoch < s->order.epoch || /* a barrier lies between, or another block's stamp */
           before->thread == now->thread ||
           simt_order_knows(&s->order, now->thread, before->thread, before->clock);
}

/* Both by atomics; or a volatile flag that one thread writes and others read. */
static bool meant_to_meet(const stamp *before, const stamp *now, bool two_writes)
{
    return (before->atomic || (before->is_volatile && !two_writes)) &&
           (now->atomic || (now->is_volatile && !two_writes));
}

__attribute__((cold, noreturn)) static void report_race(simt_worker *w, const region *r, const char *at,
                                                        const stamp *before, const char *before_kind,
                                                        const stamp *now, const char *kind)
{
    char here[512], there[512];
    const assay_simt_uint3 other = w->slots[before->thread].at;
    simt_source_place(now->pc, here, sizeof here);
    simt_source_place(before->pc, there, sizeof there);
    simt_report(w, "shared-memory race",
                "%s at %s of byte %td of %s shared memory, and %s by thread (%u,%u,%u) at %s, with no "
                "barrier between",
                kind, here, at - r->start, r->kind, before_kind, other.x, other.y, other.z, there);
}

__attribute__((cold, noreturn)) static void report_uninitialised(simt_worker *w, const region *r,
                                                                 const char *at, const stamp *now)
{
    char here[512];
    simt_source_place(now->pc, here, sizeof here);
    simt_report(w, "read of uninitialised shared memory",
                "at %s, byte %td of %s shared memory, which no thread of the block has written", here,
                at - r->start, r->kind);
}

static void check_read(simt_worker *w, const region *r, cell *c, const char *at, uint8_t bytes,
                       const stamp *now)
{
    const check_state *s = w->check;
    if ((w->job->checked & ASSAY_SIMT_CHECK_STRICT) &&
        (c->write.epoch < s->order.block_epoch || (c->written & bytes) != bytes))
        report_uninitialised(w, r, at, now);
    if (!meant_to_meet(&c->write, now, false) && !ordered(s, &c->write, now))
        report_race(w, r, at, &c->write, "a write", now, "read");
    if (c->read.epoch >= s->order.block_epoch && c->read.thread / 32u != now->thread / 32u)
        c->other_read = c->read;
    c->read = *now;
}

static void check_write(simt_worker *w, const region *r, cell *c, const char *at, uint8_t bytes,
                        const stamp *now)
{
    const check_state *s = w->check;
    /* Lanes that write one place in one instruction: CUDA lets one of them win. */
    const bool one_instruction = c->write.pc == now->pc && c->write.thread / 32u == now->thread / 32u;
    if (!meant_to_meet(&c->write, now, true) && !one_instruction && (c->written & bytes) &&
        !ordered(s, &c->write, now))
        report_race(w, r, at, &c->write, "a write", now, now->atomic ? "atomic write" : "write");
    if (!meant_to_meet(&c->read, now, false) && !ordered(s, &c->read, now))
        report_race(w, r, at, &c->read, "a read", now, now->atomic ? "atomic write" : "write");
    if (!meant_to_meet(&c->other_read, now, false) && !ordered(s, &c->other_read, now))
        report_race(w, r, at, &c->other_read, "a read", now, now->atomic ? "atomic write" : "write");
    c->written = c->write.epoch < s->order.block_epoch ? bytes : (uint8_t)(c->written | bytes);
    c->write = *now;
}

static void check_shared(simt_worker *w, const region *r, const char *at, size_t bytes, int kind,
                         const void *pc)
{
    const uint32_t me = w->context->self.index;
    const order_state *order = &w->check->order;
    const bool writes = kind & ASSAY_SIMT_WRITE,
               is_volatile = (kind & ASSAY_SIMT_VOLATILE) && (!writes || simt_order_fenced(order, me));
    const uint32_t clock =
        is_volatile && writes ? simt_order_fence_clock(order, me) : simt_order_clock(order, me);
    const stamp now = {pc, order->epoch, clock, (uint16_t)me, (kind & 4) != 0, is_volatile};
    const uintptr_t base = (uintptr_t)r->start / CELL_BYTES;
    const char *end = at + bytes;
    while (at < end) {
        const uintptr_t odd = (uintptr_t)at % CELL_BYTES;
        const size_t part = end - at < (ptrdiff_t)(CELL_BYTES - odd) ? (size_t)(end - at) : CELL_BYTES - odd;
        const uint8_t mask = (uint8_t)(((1u << part) - 1u) << odd);
        cell *c = &r->cells[(uintptr_t)at / CELL_BYTES - base];
        if (kind & ASSAY_SIMT_READ)
            check_read(w, r, c, at, mask, &now);
        if (kind & ASSAY_SIMT_WRITE)
            check_write(w, r, c, at, mask, &now);
        at += part;
    }
}

/* ---- all memory ---- */

static bool within(const region *r, const char *at)
{
    return r->start && at >= r->start && at < r->start + r->bytes;
}

__attribute__((cold, noreturn)) static void report_outside(simt_worker *w, const char *what, const char *at,
                                                           size_t bytes, int kind, const void *pc,
                                                           ptrdiff_t distance, const char *of,
                                                           size_t of_bytes)
{
    char here[512];
    simt_source_place(pc, here, sizeof here);
    simt_report(w, what, "%s of %zu bytes at %s, at address %p, %td bytes %s of %s%zu bytes",
                kind & ASSAY_SIMT_WRITE ? "write" : "read", bytes, here, (const void *)at,
                distance < 0 ? -distance : distance, distance < 0 ? "before the start" : "past the end", of,
                of_bytes);
}

static int find_segment(struct dl_phdr_info *info, size_t info_bytes, void *argument)
{
    memory_bounds *b = argument; /* `data` is the address */
    (void)info_bytes;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const char *start = (const char *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
        const char *end = start + info->dlpi_phdr[i].p_memsz;
        if (info->dlpi_phdr[i].p_type != PT_LOAD || b->data < start || b->data >= end)
            continue;
        *b = (memory_bounds){start, start, end, end};
        return 1;
    }
    return 0;
}

/* Constants and the variables of modules. */
static bool find_image(const char *at, memory_bounds *bounds)
{
    memory_bounds b = {.data = at};
    const bool found = dl_iterate_phdr(find_segment, &b) != 0;
    if (found)
        *bounds = b;
    return found;
}

/* What code of the device's headers reads: a launch's parameters, which the host holds; what meets in a collective, which is other threads'. */
static bool is_runtime_own(const simt_worker *w, const char *at)
{
    const char *call = w->job->call, *own = (const char *)w;
    return w->combining || (at >= call && at < call + w->job->call_bytes) ||
           (at >= own && at < own + sizeof *w); /* the order of threads */
}

/* Guards catch what is far outside of a buffer; this catches the bytes between, and what no guard is around. */
static void check_global(simt_worker *w, const char *at, size_t bytes, int kind, const void *pc)
{
    check_state *s = w->check;
    const memory_bounds *b = NULL;
    const uint32_t changes = atomic_load_explicit(&simt_memory_changes, memory_order_relaxed);
    if (s->found_when != changes) {
        memset(s->found, 0, sizeof s->found);
        s->found_when = changes;
    }
    for (int i = 0; i < FIND_CACHE && !b; i++)
        if (at >= s->found[i].from && at < s->found[i].to)
            b = &s->found[i];
    if (!b) {
        memory_bounds *slot = &s->found[s->next_found];
        if (!simt_memory_find(at, slot) && !find_image(at, slot)) {
            char here[512];
            if (is_runtime_own(w, at))
                return;
            simt_source_place(pc, here, sizeof here);
            simt_report(w, "access to host memory",
                        "%s of %zu bytes at %s, at address %p, which is in no buffer: host memory, or "
                        "another thread's stack",
                        kind & ASSAY_SIMT_WRITE ? "write" : "read", bytes, here, (const void *)at);
        }
        s->next_found = (s->next_found + 1) % FIND_CACHE;
        b = slot;
    }
    const size_t size = (size_t)(b->data_end - b->data);
    if (at < b->data)
        report_outside(w, "out-of-bounds global access", at, bytes, kind, pc, at - b->data, "a buffer of ",
                       size);
    if (at + bytes > b->data_end)
        report_outside(w, "out-of-bounds global access", at, bytes, kind, pc, at + bytes - b->data_end,
                       "a buffer of ", size);
    simt_race_access(w, &s->race, at, bytes, kind, pc);
}

void assay_simt_check_access(const void *address, size_t bytes, int kind, const void *pc)
{
    simt_worker *w = assay_simt_current.worker;
    const char *at = address;
    if (!w || !w->job || !w->job->checked || bytes == 0)
        return; /* host code of the module */
    if ((at >= (char *)&assay_simt_current && at < (char *)(&assay_simt_current + 1)) ||
        (at >= (char *)&assay_simt_grid_dim && at < (char *)(&assay_simt_grid_dim + 1)) ||
        (at >= (char *)&assay_simt_block_dim && at < (char *)(&assay_simt_block_dim + 1)) ||
        simt_fiber_holds(w->running, at))
        return; /* the thread's own */
    check_state *s = w->check;
    ptrdiff_t distance;
    if (kind & (4 | ASSAY_SIMT_VOLATILE))
        simt_order_flag(&s->order, w->context->self.index, at, kind);
    if (within(&s->fixed, at)) {
        if (bytes > 1 || !(w->job->checked & ASSAY_SIMT_CHECK_GUARDED))
            check_shared(w, &s->fixed, at, bytes, kind, pc);
    } else if (within(&s->dynamic, at) && at + bytes <= s->dynamic.start + s->dynamic.bytes)
        check_shared(w, &s->dynamic, at, bytes, kind, pc);
    else if (simt_shared_hit_guard(w, at, &distance))
        report_outside(w, "out-of-bounds shared access", at, bytes, kind, pc,
                       distance < 0 ? distance : distance + (ptrdiff_t)bytes, "dynamic shared memory of ",
                       s->dynamic.bytes);
    else
        check_global(w, at, bytes, kind, pc);
}

void assay_simt_check_block_fence(void)
{
    simt_worker *w = assay_simt_current.worker;
    if (w && w->job && w->job->checked)
        simt_order_fence(&w->check->order, w->context->self.index);
}

void assay_simt_check_fence(void)
{
    simt_worker *w = assay_simt_current.worker;
    assay_simt_check_block_fence();
    if (w && w->job && w->job->checked)
        simt_race_fence(&w->check->race);
}

void assay_simt_check_here(const void *address, size_t bytes, int kind)
{
    assay_simt_check_access(address, bytes, kind, __builtin_return_address(0));
}

void assay_simt_check_aligned(const void *address, size_t bytes, int kind, const void *pc)
{
    simt_worker *w = assay_simt_current.worker;
    /* g++ calls 16 bytes aligned from 8 on: a structure of two 64-bit members is, and CUDA moves it in two parts. */
    const size_t alignment = bytes > 8 ? 8 : bytes;
    if (((uintptr_t)address & (alignment - 1)) && w && w->job) {
        char here[512];
        simt_source_place(pc, here, sizeof here);
        simt_report(w, "misaligned access", "%s at %s of address %p, which is not a multiple of %zu bytes",
                    kind & ASSAY_SIMT_WRITE ? "write" : "read", here, address, bytes);
    }
    assay_simt_check_access(address, bytes, kind, pc);
}

void assay_simt_check_misaligned(const void *address, size_t alignment, const char *type, const char *file,
                                 int line)
{
    simt_worker *w = assay_simt_current.worker;
    if (w && w->job)
        simt_report(w, "misaligned access",
                    "of a %s at %s:%d, address %p, which is not a multiple of %zu bytes", type,
                    simt_file_name(file), line, address, alignment);
}
