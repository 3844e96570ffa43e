/* The copy engine: boxes of a tensor between global and shared memory. When copies land: see hopper_runtime.h. */
#include "device/cpu/runtime/hopper.h"
#include <stdlib.h>
#include <string.h>

assay_status assay_simt_tensor_map_nd(assay_simt_tensor_map *map, const void *base, int rank,
                                      const int64_t *extents, const int64_t *stride_bytes, const int *box,
                                      const int *every, int element_bytes, int swizzled)
{
    const int64_t width = (int64_t)box[0] * element_bytes, limit = (int64_t)1 << 32;
    if (!base || (uintptr_t)base % 16 || width % 16 || (swizzled && width > 128) || every[0] != 1)
        return ASSAY_ERR_INVALID;
    *map = (assay_simt_tensor_map){.base = base,
                                   .extents = {1, 1, 1, 1},
                                   .box = {1, 1, 1, 1},
                                   .every = {1, 1, 1, 1},
                                   .element_bytes = (uint32_t)element_bytes,
                                   .rank = (uint32_t)rank,
                                   .magic = ASSAY_SIMT_TENSOR_MAP};
    for (int i = 0; i < rank; i++) {
        const int64_t stride = i ? stride_bytes[i - 1] : 0;
        if (extents[i] < 1 || extents[i] > limit || box[i] < 1 || box[i] > 256 || every[i] < 1 ||
            every[i] > 8 || stride % 16 || stride < 0 || stride >= (int64_t)1 << 40)
            return ASSAY_ERR_INVALID;
        map->extents[i] = extents[i];
        map->box[i] = (box[i] + every[i] - 1) / every[i];
        map->every[i] = every[i];
        if (i)
            map->stride_bytes[i - 1] = stride;
    }
    map->swizzle_bytes = !swizzled ? 0 : width == 128 || width == 64 ? (uint32_t)width : 32;
    return swizzled && map->swizzle_bytes < width ? ASSAY_ERR_INVALID : ASSAY_OK;
}

static uint32_t box_rows(const assay_simt_tensor_map *map)
{
    return (uint32_t)(map->box[1] * map->box[2] * map->box[3]);
}

static uint32_t box_bytes(const assay_simt_tensor_map *map)
{
    return box_rows(map) * (uint32_t)map->box[0] * map->element_bytes;
}

/* Where the 16 bytes that would lie at `address` without a swizzle lie with it. */
static char *swizzled(char *address, uint32_t swizzle_bytes)
{
    const uintptr_t bits = (uintptr_t)address;
    const uintptr_t mask = swizzle_bytes ? swizzle_bytes / 16 - 1 : 0;
    return address + (ptrdiff_t)((bits ^ (((bits >> 7) & mask) << 4)) - bits);
}

/* The part of row `row` of the box that lies inside the tensor: its address, and the first byte of it in the box row. */
static char *inside_part(const hopper_copy *c, uint32_t row, uint32_t *first, uint32_t *bytes)
{
    const assay_simt_tensor_map *m = &c->map;
    const int64_t x = c->first.at[0], x0 = x < 0 ? 0 : x;
    const int64_t x1 = x + m->box[0] < m->extents[0] ? x + m->box[0] : m->extents[0];
    const char *address = m->base + x0 * m->element_bytes;
    bool inside = x1 > x0;
    for (int i = 1; i < ASSAY_SIMT_MAX_RANK; i++) {
        const int64_t at = c->first.at[i] + (int64_t)(row % (uint32_t)m->box[i]) * m->every[i];
        row /= (uint32_t)m->box[i];
        inside = inside && at >= 0 && at < m->extents[i];
        address += inside ? at * m->stride_bytes[i - 1] : 0;
    }
    *first = inside ? (uint32_t)(x0 - x) * m->element_bytes : 0;
    *bytes = inside ? (uint32_t)(x1 - x0) * m->element_bytes : 0;
    return inside ? (char *)(uintptr_t)address : NULL;
}

enum { BULK_PIECE = 1024, LONGEST_ROW = 256 * 8 }; /* bytes */

static void perform(simt_worker *w, const hopper_copy *c)
{
    const assay_simt_tensor_map *m = &c->map;
    const uint32_t width = (uint32_t)m->box[0] * m->element_bytes, rows = box_rows(m);
    char line[LONGEST_ROW];
    for (uint32_t row = 0; row < rows; row++) {
        uint32_t first, bytes;
        char *global = inside_part(c, row, &first, &bytes), *shared = c->shared + row * width;
        if (c->barrier) {
            assay_simt_check_access(shared, width, ASSAY_SIMT_WRITE, c->pc);
            memset(line, 0, width);
            if (bytes)
                memcpy(line + first, global, bytes);
            for (uint32_t at = 0; at < width; at += 16)
                memcpy(swizzled(shared + at, m->swizzle_bytes), line + at, 16);
        } else if (bytes) {
            assay_simt_check_access(shared, width, ASSAY_SIMT_READ, c->pc);
            for (uint32_t at = 0; at < width; at += 16)
                memcpy(line + at, swizzled(shared + at, m->swizzle_bytes), 16);
            memcpy(global, line + first, bytes);
        }
    }
    if (c->barrier)
        simt_hopper_bytes_landed(w, simt_hopper_barrier(w, c->barrier, "a landing load", "", 0),
                                 box_bytes(m));
}

static void remove_copy(hopper_state *h, uint32_t i)
{
    memmove(&h->copies[i], &h->copies[i + 1], (h->copy_count - i - 1) * sizeof *h->copies);
    h->copy_count--;
}

/* A random bit or more, the same in every run with the same seed. */
static uint64_t draw(simt_worker *w)
{
    return simt_mix(w->job->seed ^ simt_mix(w->block ^ simt_mix(++w->hopper->draws)));
}

static bool land_copy(simt_worker *w)
{
    hopper_state *h = w->hopper;
    if (!h || !h->used || h->copy_count == 0)
        return false;
    const uint32_t i = w->job->order == ASSAY_SIMT_RANDOM ? (uint32_t)(draw(w) % h->copy_count) : 0;
    const hopper_copy copy = h->copies[i];
    remove_copy(h, i);
    perform(w, &copy);
    return true;
}

static void start(simt_worker *w, const hopper_copy *copy)
{
    hopper_state *h = w->hopper;
    if (w->job->order == ASSAY_SIMT_REVERSED || (w->job->order == ASSAY_SIMT_RANDOM && draw(w) & 1)) {
        perform(w, copy);
        return;
    }
    if (h->copy_count == h->copy_capacity) {
        const uint32_t capacity = h->copy_capacity ? 2 * h->copy_capacity : 32;
        hopper_copy *copies = realloc(h->copies, capacity * sizeof *copies);
        if (!copies)
            simt_report(w, "out of memory", "no room for the copies under way");
        h->copies = copies;
        h->copy_capacity = capacity;
    }
    h->copies[h->copy_count++] = *copy;
    w->land_copy = land_copy;
}

static void check_place(simt_worker *w, const void *shared, uint32_t bytes, const char *what, const char *op,
                        const char *file, int line)
{
    const char *start = shared, *base = (const char *)w->context->dynamic_shared;
    if (start < base || start + bytes > base + w->job->config.shared_bytes)
        simt_report(w, "invalid shared address",
                    "%s at %s:%d: %s of %u bytes at offset %td of %zu bytes of dynamic shared memory", op,
                    simt_file_name(file), line, what, bytes, start - base, w->job->config.shared_bytes);
}

static void check_box(simt_worker *w, const assay_simt_tensor_map *map, const assay_simt_box_at *at,
                      uint32_t rank, const void *shared, const char *op, const char *file, int line)
{
    if (map->magic != ASSAY_SIMT_TENSOR_MAP)
        simt_report(w, "invalid tensor map", "%s at %s:%d with a map that tensor_map_2d or _nd did not make",
                    op, simt_file_name(file), line);
    if (map->rank != rank)
        simt_report(w, "invalid tensor map", "%s at %s:%d with a map of %u dimensions", op,
                    simt_file_name(file), line, map->rank);
    if ((uintptr_t)shared % 128)
        assay_simt_misaligned(shared, 128, op, file, line);
    /* An H100 stops such a copy with an illegal instruction. */
    if ((int64_t)at->at[0] * map->element_bytes % 16)
        simt_report(w, "misaligned access",
                    "%s at %s:%d: a box that begins %d elements of %u bytes into a row, which is no multiple "
                    "of 16 bytes",
                    op, simt_file_name(file), line, at->at[0], map->element_bytes);
    check_place(w, shared, box_bytes(map), "a box", op, file, line);
}

void assay_simt_tma_load(void *shared, const assay_simt_tensor_map *map, uint64_t *barrier,
                         assay_simt_box_at at, uint32_t dimensions, unsigned mask, const char *op,
                         const char *file, int line)
{
    simt_worker *w = assay_simt_current.worker;
    simt_hopper_tracked(w);
    check_box(w, map, &at, dimensions, shared, op, file, line);
    const hopper_barrier *b = simt_hopper_barrier(w, barrier, op, file, line);
    if (!b->visible)
        simt_report(w, "invalid mbarrier", "%s at %s:%d on a barrier whose initialisation was not fenced", op,
                    simt_file_name(file), line);
    for (uint32_t rank = 0; rank < 32; rank++) {
        if (!(mask >> rank & 1) && !(mask == 0 && rank == simt_rank(w)))
            continue;
        start(w, &(hopper_copy){.map = *map,
                                .shared = simt_hopper_remote(w, shared, rank, op, file, line),
                                .barrier = simt_hopper_remote(w, barrier, rank, op, file, line),
                                .first = at,
                                .pc = __builtin_return_address(0)});
    }
}

/* ---- stores ---- */

void assay_simt_wrote_shared(const void *start_, size_t bytes)
{
    simt_worker *w = assay_simt_current.worker;
    hopper_state *h = simt_hopper(w);
    hopper_thread *t = &h->threads[w->context->self.index];
    const char *from = start_, *to = from + bytes;
    if (!t->unfenced_start) {
        h->unfenced_threads++;
        t->unfenced_start = from;
        t->unfenced_end = to;
    }
    t->unfenced_start = from < t->unfenced_start ? from : t->unfenced_start;
    t->unfenced_end = to > t->unfenced_end ? to : t->unfenced_end;
}

void assay_simt_fence_async(void)
{
    simt_worker *w = assay_simt_current.worker;
    hopper_state *h = simt_hopper(w);
    hopper_thread *t = &h->threads[w->context->self.index];
    if (t->unfenced_start)
        h->unfenced_threads--;
    t->unfenced_start = t->unfenced_end = NULL;
}

void simt_hopper_check_fenced(simt_worker *w, const char *from, size_t bytes, const char *op,
                              const char *file, int line)
{
    const hopper_state *h = w->hopper;
    for (uint32_t i = 0; h->unfenced_threads && i < w->context->count; i++)
        if (h->threads[i].unfenced_start && h->threads[i].unfenced_start < from + bytes &&
            h->threads[i].unfenced_end > from)
            simt_report(
                w, "missing fence",
                "%s at %s:%d reads shared memory that thread (%u,%u,%u) wrote without fence_async_shared()",
                op, simt_file_name(file), line, w->slots[i].at.x, w->slots[i].at.y, w->slots[i].at.z);
}

void assay_simt_tma_store(const assay_simt_tensor_map *map, const void *shared, assay_simt_box_at at,
                          uint32_t dimensions, const char *op, const char *file, int line)
{
    simt_worker *w = assay_simt_current.worker;
    hopper_state *h = simt_hopper_tracked(w);
    check_box(w, map, &at, dimensions, shared, op, file, line);
    simt_hopper_check_fenced(w, shared, box_bytes(map), op, file, line);
    const uint32_t me = w->context->self.index;
    start(w, &(hopper_copy){.map = *map,
                            .shared = (char *)(uintptr_t)shared,
                            .first = at,
                            .thread = me,
                            .group = h->threads[me].store_groups,
                            .pc = __builtin_return_address(0)});
}

/* As boxes of one row of bytes, so long that perform() has room for one. */
void assay_simt_bulk_store(void *global, const void *shared, int bytes, const char *file, int line)
{
    const char op[] = "bulk_store";
    simt_worker *w = assay_simt_current.worker;
    hopper_state *h = simt_hopper_tracked(w);
    if ((uintptr_t)shared % 16)
        assay_simt_misaligned(shared, 16, op, file, line);
    if ((uintptr_t)global % 16)
        assay_simt_misaligned(global, 16, op, file, line);
    if (bytes <= 0 || bytes % 16) /* what a card makes of nothing to copy is not documented */
        simt_report(w, "misaligned access", "%s at %s:%d of %d bytes, which is no positive multiple of 16",
                    op, simt_file_name(file), line, bytes);
    check_place(w, shared, (uint32_t)bytes, "a store", op, file, line);
    simt_hopper_check_fenced(w, shared, (size_t)bytes, op, file, line);
    assay_simt_check_access(global, (size_t)bytes, ASSAY_SIMT_WRITE, __builtin_return_address(0));
    const uint32_t me = w->context->self.index;
    for (int at = 0; at < bytes; at += BULK_PIECE) {
        const int piece = bytes - at < BULK_PIECE ? bytes - at : BULK_PIECE;
        start(w, &(hopper_copy){.map = {.base = (const char *)global + at,
                                        .extents = {piece, 1, 1, 1},
                                        .box = {piece, 1, 1, 1},
                                        .every = {1, 1, 1, 1},
                                        .element_bytes = 1},
                                .shared = (char *)(uintptr_t)shared + at,
                                .thread = me,
                                .group = h->threads[me].store_groups,
                                .pc = __builtin_return_address(0)});
    }
}

void assay_simt_tma_commit(void)
{
    simt_worker *w = assay_simt_current.worker;
    simt_hopper(w)->threads[w->context->self.index].store_groups++;
}

void assay_simt_tma_wait(uint32_t pending)
{
    simt_worker *w = assay_simt_current.worker;
    hopper_state *h = simt_hopper(w);
    const uint32_t me = w->context->self.index;
    for (uint32_t i = 0; i < h->copy_count;) {
        const hopper_copy copy = h->copies[i];
        if (copy.barrier || copy.thread != me || copy.group + pending >= h->threads[me].store_groups) {
            i++;
            continue;
        }
        remove_copy(h, i);
        perform(w, &copy);
    }
}
