/* Bulk copies: plain ones, and boxes of tensors by a tensor map (tiled and im2col), with multicast and reductions. */
#include "device/ptx/counters.h"
#include "device/ptx/exec.h"
#include "device/ptx/half.h"
#include "device/ptx/instructions.h"
#include "device/ptx/opcodes.h"
#include "device/ptx/tensor_map.h"
#include <string.h>

#define OFFSET_MASK ((1u << SHARED_RANK_SHIFT) - 1)

static uint64_t lane_value(warp *w, operand o, uint32_t lane, bool narrow)
{
    const char *a = w->base[o & 1] + (o & ~1u);
    return narrow ? ((const uint32_t *)a)[lane] : ((const uint64_t *)a)[lane];
}

static uint32_t small_value(warp *w, operand o, uint32_t lane)
{
    return ((const uint16_t *)(w->base[o & 1] + (o & ~1u)))[lane];
}

/* The place in the block of a rank where a multicast puts its copy. */
static uint64_t in_block(uint64_t address, uint32_t rank)
{
    return (address & OFFSET_MASK) | (uint64_t)(rank + 1) << SHARED_RANK_SHIFT;
}

/* ---- one piece of a copy ---- */

/* At most 16 bytes. */
static void reduce_element(const async_op *op, char *to, const char *from, uint32_t bytes)
{
    const tensor_map *t = (const tensor_map *)op->map;
    const bool flushes = t->data_type == TENSOR_F32_FTZ || t->data_type == TENSOR_TF32_FTZ;
    reduce_bytes(to, from, bytes, op->reduction - 1, op->type, flushes);
}

/* Bytes between shared and global memory in the direction of the operation; a target of zeros or NaNs where `global` is 0. */
static bool move(async_op *op, uint64_t shared, uint64_t global, uint32_t bytes)
{
    warp *w = op->warp;
    char *s = shared_pointer(w, shared, bytes);
    if (!s) {
        found(w, op->at, 1u << op->lane, PTX_FOUND_SHARED_BOUNDS, shared,
              "copy of %u bytes at byte %lld of shared memory, which has %u bytes", bytes,
              (long long)(shared & OFFSET_MASK) - SHARED_START, w->block->shared_end - SHARED_START);
        return false;
    }
    if (!global) {
        if (op->load)
            memset(s, 0, bytes);
        return true;
    }
    char *g = lane_pointer(w, op->at, op->lane, SPACE_GLOBAL, global, bytes, !op->load);
    if (!g)
        return false;
    check_async_global(op, global, bytes,
                       op->load        ? ACCESS_READ
                       : op->reduction ? ACCESS_ATOMIC
                                       : ACCESS_WRITE);
    if (op->load)
        memcpy(s, g, bytes);
    else if (op->reduction && op->kind == ASYNC_TENSOR)
        reduce_element(op, g, s, bytes);
    else if (op->reduction)
        reduce_bytes(g, s, bytes, op->reduction - 1, op->type, false);
    else
        memcpy(g, s, bytes);
    return true;
}

static uint64_t swizzled(uint64_t address, int mode)
{
    return mode == 3   ? address ^ (address >> 7 & 7) << 4
           : mode == 2 ? address ^ (address >> 7 & 3) << 4
           : mode == 1 ? address ^ (address >> 7 & 1) << 4
                       : address;
}

/* What lies outside a tensor becomes this NaN of binary16 in every two bytes, whatever the type is: so a card does it. */
static void fill_nan(async_op *op, uint64_t shared, uint32_t bytes, const tensor_map *t)
{
    static const uint16_t nan = 0x7FF7;
    char *s = shared_pointer(op->warp, shared, bytes);
    for (uint32_t k = 0; s && t->oob_nan && k < bytes; k += sizeof nan)
        memcpy(s + k, &nan, sizeof nan);
}

/* Elements of a tensor of type tf32 are rounded to it on their way to shared memory, and its only NaN is 0x7fffe000: recorded on a card,
 * without halves between two values. */
static void round_loaded(char *s, uint32_t bytes, const tensor_map *t)
{
    for (uint32_t k = 0; s && t->data_type >= TENSOR_TF32 && k < bytes; k += 4) {
        uint32_t bits;
        memcpy(&bits, s + k, 4);
        bits = (bits & 0x7FFFFFFF) > 0x7F800000 ? 0x7FFFE000 : (bits + 0x1000) & ~UINT32_C(0x1FFF);
        memcpy(s + k, &bits, 4);
    }
}

static bool move_element(async_op *op, const tensor_map *t, uint64_t shared, uint64_t global, uint32_t bytes)
{
    const bool moved = move(op, shared, global, bytes);
    if (moved && op->load)
        round_loaded(shared_pointer(op->warp, shared, bytes), bytes, t);
    return moved;
}

/* 16 bytes at a time of what lies within a row, as move() does them. */
static bool move_chunks(async_op *op, const tensor_map *t, uint64_t shared, uint64_t global, uint32_t bytes)
{
    warp *w = op->warp;
    const block *b = shared_block(w, shared);
    const uint64_t rank = shared & ~(uint64_t)OFFSET_MASK;
    char *g =
        op->reduction ? NULL : lane_pointer(w, op->at, op->lane, SPACE_GLOBAL, global, bytes, !op->load);
    if (!g && !op->reduction)
        return false;
    if (!op->reduction)
        check_async_global(op, global, bytes, op->load ? ACCESS_READ : ACCESS_WRITE);
    for (uint32_t k = 0; k < bytes; k += 16) {
        const uint64_t place = swizzled(shared + k, t->swizzle), offset = place - rank;
        if (op->reduction || !b || offset < SHARED_START || offset + 16 > b->shared_end) {
            if (!move_element(op, t, place, global + k, 16))
                return false;
        } else if (op->load) {
            memcpy(b->shared + offset, g + k, 16);
            round_loaded((char *)b->shared + offset, 16, t);
        } else {
            memcpy(g + k, b->shared + offset, 16);
        }
    }
    return true;
}

/* A row of `count` elements along the fastest dimension, 16 bytes at a time: the swizzle moves those, and stores write them whole, beyond
 * the end of the row too. `row`: the global address of element 0 of the row, or 0 where the whole row lies outside. */
static bool move_row(async_op *op, const tensor_map *t, uint64_t shared, uint64_t row, int64_t first,
                     uint32_t count)
{
    const uint32_t size = t->element_bytes, per = 16 / size;
    const int64_t width = (int64_t)t->dims[0] + 1;
    uint32_t whole = 0; /* elements of 16 bytes each within the row */
    if (row && first >= 0 && first < width)
        whole = (uint32_t)(width - first < count ? width - first : count) / per * per;
    if (whole && !move_chunks(op, t, shared, row + (uint64_t)first * size, whole * size))
        return false;
    for (uint32_t k = whole; k < count; k += per) {
        const uint32_t n = count - k < per ? count - k : per;
        const uint64_t place = swizzled(shared + k * size, t->swizzle);
        const int64_t x = first + k;
        if (row && x >= 0 && (op->load ? x + n <= width : x < width)) {
            if (!move_element(op, t, place, row + (uint64_t)x * size, n * size))
                return false;
            continue;
        }
        for (uint32_t j = 0; j < n; j++) {
            const bool in = row && x + j >= 0 && x + j < width;
            if (!move_element(op, t, place + j * size, in ? row + (uint64_t)(x + j) * size : 0, size))
                return false;
            if (!in && op->load)
                fill_nan(op, place + j * size, size, t);
        }
    }
    return true;
}

/* The stride of the fastest dimension has no effect. */
static uint32_t box_count(const tensor_map *t, uint32_t d)
{
    return d == 0 ? t->box[0] : (t->box[d] + t->element_strides[d] - 1u) / t->element_strides[d];
}

static bool run_tiled(async_op *op, const tensor_map *t, uint64_t shared)
{
    uint32_t at[5] = {0};
    const uint32_t row_elements = box_count(t, 0);
    for (uint32_t done = 0;; done += row_elements * t->element_bytes) {
        uint64_t row = t->address;
        bool in = true;
        for (uint32_t d = 1; d < t->rank; d++) {
            const int64_t x = (int64_t)op->coordinates[d] + (int64_t)at[d] * t->element_strides[d];
            in = in && x >= 0 && x <= (int64_t)t->dims[d];
            row += (uint64_t)x * t->strides[d - 1] * 16;
        }
        if (!move_row(op, t, shared + done, in ? row : 0, op->coordinates[0], row_elements))
            return false;
        uint32_t d = 1;
        while (d < t->rank && ++at[d] == box_count(t, d))
            at[d++] = 0;
        if (d >= t->rank)
            return true;
    }
}

/* im2col: `pixels` positions from the coordinates on, through the box that the corners describe, each moved by the offsets. */
static bool run_im2col(async_op *op, const tensor_map *t, uint64_t shared)
{
    const uint32_t spatial = t->rank - 2u, channels = t->box[0], pixels = t->box[1];
    int64_t at[3], batch = op->coordinates[t->rank - 1];
    for (uint32_t d = 0; d < spatial; d++)
        at[d] = op->coordinates[d + 1];
    for (uint32_t k = 0; k < pixels; k++) {
        uint64_t row = t->address + (uint64_t)batch * t->strides[t->rank - 2] * 16;
        bool in = batch >= 0 && batch <= (int64_t)t->dims[t->rank - 1];
        for (uint32_t d = 0; d < spatial; d++) {
            const int64_t x = at[d] + op->offsets[d];
            in = in && x >= 0 && x <= (int64_t)t->dims[d + 1];
            row += (uint64_t)x * t->strides[d] * 16;
        }
        if (!move_row(op, t, shared + (uint64_t)k * channels * t->element_bytes, in ? row : 0,
                      op->coordinates[0], channels))
            return false;
        uint32_t d = 0;
        while (d < spatial && (at[d] += t->element_strides[d + 1]) > (int64_t)t->dims[d + 1] + t->upper[d]) {
            at[d] = t->lower[d];
            d++;
        }
        if (d == spatial)
            batch++;
    }
    return true;
}

uint32_t tensor_bytes(const async_op *op)
{
    if (op->kind != ASYNC_TENSOR)
        return op->size;
    const tensor_map *t = (const tensor_map *)op->map;
    if (t->im2col)
        return (uint32_t)t->box[0] * t->box[1] * t->element_bytes;
    uint32_t n = t->element_bytes;
    for (uint32_t d = 0; d < t->rank; d++)
        n *= box_count(t, d);
    return n;
}

/* ---- issue ---- */

static bool issue_tensor(warp *w, const insn *i, async_op *op)
{
    const uint32_t lane = op->lane;
    const uint64_t map =
        lane_value(w, i->a, lane, i->flags & FLAG_ADDRESS32_B) + (uint64_t)(int64_t)(int32_t)i->target;
    const char *bytes = lane_pointer(w, i, lane, SPACE_GENERIC, map, TENSOR_MAP_BYTES, false);
    if (!bytes)
        return false;
    memcpy(op->map, bytes, TENSOR_MAP_BYTES);
    const tensor_map *t = (const tensor_map *)op->map;
    const operand *list = w->lists + i->list;
    for (uint32_t k = 0; k < i->width; k++)
        op->coordinates[k] = (int32_t)lane_value(w, *list++, lane, true);
    op->load = i->sub;
    if (!tensor_legal(w, i, op, map))
        return false;
    for (uint32_t k = 0; i->narrow & TMA_OFFSETS && k + 2 < t->rank; k++)
        op->offsets[k] = (int32_t)small_value(w, *list++, lane);
    if (i->narrow & TMA_MULTICAST)
        op->targets = (uint16_t)small_value(w, *list, lane);
    static const uint8_t types[] = {TYPE_u8,  TYPE_u16, TYPE_u32,  TYPE_s32, TYPE_u64, TYPE_s64, TYPE_f16,
                                    TYPE_f32, TYPE_f64, TYPE_bf16, TYPE_f32, TYPE_f32, TYPE_f32};
    op->type = types[t->data_type % sizeof types];
    op->to[0] = lane_value(w, i->b, lane, i->flags & FLAG_ADDRESS32) + (uint64_t)i->imm;
    if (op->to[0] % (t->swizzle ? 128 : 16) || (op->load && op->to[0] % 128))
        return found(w, i, 1u << lane, PTX_FOUND_MISALIGNED, op->to[0],
                     "a tensor copy at byte %lld of shared memory, not a multiple of 128",
                     (long long)(op->to[0] & OFFSET_MASK) - SHARED_START),
               false;
    if (op->load)
        op->mbarrier =
            lane_value(w, i->c, lane, i->flags & FLAG_NEGATED_A) + (uint64_t)(int64_t)(int32_t)i->reconverge;
    return true;
}

static bool issue_bulk(warp *w, const insn *i, async_op *op)
{
    const uint32_t lane = op->lane;
    const uint64_t to = lane_value(w, i->a, lane, i->flags & FLAG_ADDRESS32) + (uint64_t)i->imm;
    const uint64_t from =
        lane_value(w, i->b, lane, i->flags & FLAG_ADDRESS32_B) + (uint64_t)(int64_t)(int32_t)i->target;
    op->size = (uint32_t)lane_value(w, i->c, lane, true);
    op->type = i->type;
    op->load = i->sub != BULK_TO_GLOBAL;
    op->to[0] = op->load ? to : from; /* the side in shared memory; in from[0] the other one */
    op->from[0] = op->load ? from : to;
    const operand *list = w->lists + i->list;
    if (i->sub != BULK_TO_GLOBAL)
        op->mbarrier = lane_value(w, list[0], lane, i->flags & FLAG_NEGATED_A) +
                       (uint64_t)(int64_t)(int32_t)i->reconverge;
    if (i->narrow & TMA_MULTICAST)
        op->targets = (uint16_t)small_value(w, list[1], lane);
    if (to % 16 || from % 16 || op->size % 16)
        return found(w, i, 1u << lane, PTX_FOUND_MISALIGNED, to,
                     "a bulk copy of %u bytes from %#llx to %#llx; all must be multiples of 16", op->size,
                     (unsigned long long)from, (unsigned long long)to),
               false;
    return true;
}

void tensor_poison(async_op *op)
{
    const uint32_t bytes = tensor_bytes(op);
    for (uint32_t r = 0; r < op->warp->gang->block_count; r++) {
        if (op->targets && !(op->targets >> r & 1))
            continue;
        const uint64_t address = op->targets ? in_block(op->to[0], r) : op->to[0];
        char *p = shared_pointer(op->warp, address, bytes);
        if (p)
            memset(p, 0xFF, bytes);
        if (!op->targets)
            break;
    }
}

bool tensor_issue(warp *w, const insn *i, async_op *op)
{
    op->reduction = i->from == TYPE_NONE ? 0 : i->from;
    if (!(i->op == OP_TMA ? issue_tensor(w, i, op) : issue_bulk(w, i, op)))
        return false;
    if (!shared_pointer(w, op->to[0], tensor_bytes(op)))
        return found(w, i, 1u << op->lane, PTX_FOUND_SHARED_BOUNDS, op->to[0],
                     "a copy of %u bytes at byte %lld of shared memory, which has %u bytes", tensor_bytes(op),
                     (long long)(op->to[0] & OFFSET_MASK) - SHARED_START,
                     w->block->shared_end - SHARED_START),
               false;
    if (op->load)
        tensor_poison(op);
    if (w->checks & PTX_CHECK_COUNTERS)
        count_async(w, i, tensor_bytes(op));
    if (w->checks)
        check_bulk_issue(op);
    return true;
}

/* ---- completion ---- */

static bool run_to(async_op *op, uint64_t shared)
{
    if (op->kind == ASYNC_TENSOR) {
        const tensor_map *t = (const tensor_map *)op->map;
        return t->im2col ? run_im2col(op, t, shared) : run_tiled(op, t, shared);
    }
    if (op->at->sub != BULK_SHARED_TO_SHARED)
        return op->size == 0 || move(op, shared, op->from[0], op->size);
    const char *from = shared_pointer(op->warp, op->from[0], op->size);
    char *to = shared_pointer(op->warp, shared, op->size);
    if (!from || !to)
        return found(op->warp, op->at, 1u << op->lane, PTX_FOUND_SHARED_BOUNDS, op->from[0],
                     "a bulk copy of %u bytes within shared memory", op->size),
               false;
    memcpy(to, from, op->size);
    return true;
}

void tensor_run(async_op *op)
{
    const uint32_t bytes = tensor_bytes(op);
    if (op->warp->checks)
        check_bulk_done(op);
    if (!op->targets) {
        if (run_to(op, op->to[0]) && op->mbarrier != UINT64_MAX)
            mbarrier_transfer(op->warp, op->at, op->lane, op->mbarrier, -(int64_t)bytes);
        return;
    }
    for (uint32_t r = 0; r < op->warp->gang->block_count; r++)
        if (op->targets >> r & 1) {
            if (!run_to(op, in_block(op->to[0], r)) ||
                !mbarrier_transfer(op->warp, op->at, op->lane, in_block(op->mbarrier, r), -(int64_t)bytes))
                return;
        }
}
