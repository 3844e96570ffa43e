/* The copy engine: boxes of a matrix between global and shared memory. When copies land: see hopper_runtime.h. */
#include "hopper.h"
#include <stdlib.h>
#include <string.h>

assay_status assay_simt_tensor_map_2d(assay_simt_tensor_map *map, const void *base, int64_t rows,
                                      int64_t columns, int64_t stride_bytes, int box_rows, int box_columns,
                                      int element_bytes)
{
    const int64_t width = (int64_t)box_columns * element_bytes, limit = (int64_t)1 << 32;
    if (!base || (uintptr_t)base % 16 || stride_bytes % 16 || stride_bytes < 0 ||
        stride_bytes >= (int64_t)1 << 40 || rows < 1 || rows > limit || columns < 1 || columns > limit ||
        box_rows < 1 || box_rows > 256 || box_columns < 1 || box_columns > 256 || width % 16)
        return ASSAY_ERR_INVALID;
    *map = (assay_simt_tensor_map){.base = base,
                                   .rows = rows,
                                   .columns = columns,
                                   .stride_bytes = stride_bytes,
                                   .box_rows = (uint32_t)box_rows,
                                   .box_columns = (uint32_t)box_columns,
                                   .element_bytes = (uint32_t)element_bytes,
                                   .magic = ASSAY_SIMT_TENSOR_MAP};
    map->swizzle_bytes = width == 128 || width == 64 || width == 32 ? (uint32_t)width : 0;
    return ASSAY_OK;
}

static uint32_t box_bytes(const assay_simt_tensor_map *map)
{
    return map->box_rows * map->box_columns * map->element_bytes;
}

/* Where the 16 bytes that would lie at `address` without a swizzle lie with it. */
static char *swizzled(char *address, uint32_t swizzle_bytes)
{
    const uintptr_t bits = (uintptr_t)address;
    const uintptr_t mask = swizzle_bytes ? swizzle_bytes / 16 - 1 : 0;
    return address + (ptrdiff_t)((bits ^ (((bits >> 7) & mask) << 4)) - bits);
}

/* The part of row `row` of the box that lies inside the matrix: its address, and the first byte of it in the box row. */
static char *inside_part(const hopper_copy *c, uint32_t row, uint32_t *first, uint32_t *bytes)
{
    const assay_simt_tensor_map *m = &c->map;
    const int64_t y = c->y + (int64_t)row, x0 = c->x < 0 ? 0 : c->x;
    const int64_t x1 =
        c->x + (int64_t)m->box_columns < m->columns ? c->x + (int64_t)m->box_columns : m->columns;
    *first = *bytes = 0;
    if (y < 0 || y >= m->rows || x1 <= x0)
        return NULL;
    *first = (uint32_t)(x0 - c->x) * m->element_bytes;
    *bytes = (uint32_t)(x1 - x0) * m->element_bytes;
    return (char *)(uintptr_t)m->base + y * m->stride_bytes + x0 * m->element_bytes;
}

static void perform(simt_worker *w, const hopper_copy *c)
{
    const assay_simt_tensor_map *m = &c->map;
    const uint32_t width = m->box_columns * m->element_bytes;
    char line[256 * 8];
    for (uint32_t row = 0; row < m->box_rows; row++) {
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
        simt_hopper_bytes_landed(w, simt_hopper_barrier(w, c->barrier, "a landing tma_load_2d", "", 0),
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
}

bool simt_hopper_land(simt_worker *w)
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

static void check_box(simt_worker *w, const assay_simt_tensor_map *map, const void *shared, const char *op,
                      const char *file, int line)
{
    if (map->magic != ASSAY_SIMT_TENSOR_MAP)
        simt_report(w, "invalid tensor map", "%s at %s:%d with a map that tensor_map_2d did not make", op,
                    simt_file_name(file), line);
    if ((uintptr_t)shared % 128)
        assay_simt_misaligned(shared, 128, op, file, line);
    const char *start = shared, *base = (const char *)w->context->dynamic_shared;
    if (start < base || start + box_bytes(map) > base + w->job->config.shared_bytes)
        simt_report(w, "invalid shared address",
                    "%s at %s:%d: a box of %u bytes at offset %td of %zu bytes of dynamic shared memory", op,
                    simt_file_name(file), line, box_bytes(map), start - base, w->job->config.shared_bytes);
}

void assay_simt_tma_load(void *shared, const assay_simt_tensor_map *map, uint64_t *barrier, int x, int y,
                         unsigned mask, const char *op, const char *file, int line)
{
    simt_worker *w = assay_simt_current.worker;
    simt_hopper_tracked(w);
    check_box(w, map, shared, op, file, line);
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
                                .x = x,
                                .y = y,
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

void assay_simt_tma_store(const assay_simt_tensor_map *map, const void *shared, int x, int y,
                          const char *file, int line)
{
    simt_worker *w = assay_simt_current.worker;
    hopper_state *h = simt_hopper_tracked(w);
    check_box(w, map, shared, "tma_store_2d", file, line);
    simt_hopper_check_fenced(w, shared, box_bytes(map), "tma_store_2d", file, line);
    const uint32_t me = w->context->self.index;
    start(w, &(hopper_copy){.map = *map,
                            .shared = (char *)(uintptr_t)shared,
                            .x = x,
                            .y = y,
                            .thread = me,
                            .group = h->threads[me].store_groups,
                            .pc = __builtin_return_address(0)});
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
