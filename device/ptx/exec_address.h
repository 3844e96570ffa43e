/* From an address operand to the host's view of it, for all lanes of an instruction. */
#ifndef ASSAY_DEVICE_PTX_EXEC_ADDRESS_H
#define ASSAY_DEVICE_PTX_EXEC_ADDRESS_H

#include "device/ptx/lanes.h"

INLINE void lane_addresses(warp *w, const insn *i, operand base, s64 offset, bool narrow, u64 *out)
{
    if (narrow) {
        const u32 *a = REG(u32, base);
        EACH(l) out[l] = a[l] + (u32)offset;
    } else {
        const u64 *a = REG(u64, base);
        EACH(l) out[l] = a[l] + (u64)offset;
    }
    (void)i;
}

/* True if an address of a lane that is on lies outside of [start, start + span]. */
INLINE bool any_outside(const u64 *addresses, u64 start, u64 span, u32 m)
{
    u64 outside = 0;
    if (m == ~0u) {
        EACH(l) outside |= addresses[l] - start > span;
        return outside != 0;
    }
    EACH_ON(l, m) outside |= addresses[l] - start > span;
    return outside != 0;
}

static __attribute__((cold, unused)) bool resolve_slowly(warp *w, const insn *i, u32 m, u32 bytes, bool write,
                                                         const u64 *addresses, u64 *pointers)
{
    EACH_ON(l, m)
    {
        char *p = lane_pointer(w, i, l, i->space, addresses[l], bytes, write);
        if (!p)
            return false;
        pointers[l] = (u64)p;
    }
    return true;
}

/* Pointers for the lanes in `m`; those of other lanes must not be used. False: a finding was recorded. */
INLINE bool resolve(warp *w, const insn *i, u32 m, u32 bytes, bool write, u64 *addresses, u64 *pointers)
{
    lane_addresses(w, i, i->a, i->imm, i->flags & FLAG_ADDRESS32, addresses);
    u64 low_bits = 0;
    if (m == ~0u)
        EACH(l) low_bits |= addresses[l];
    else
        EACH_ON(l, m) low_bits |= addresses[l];
    if (__builtin_expect((low_bits & (bytes - 1)) != 0, 0)) {
        u32 wrong = 0;
        EACH_ON(l, m) wrong |= (u32)((addresses[l] & (bytes - 1)) != 0) << l;
        found(w, i, wrong, PTX_FOUND_MISALIGNED, addresses[FIRST(wrong)],
              "%s of %u bytes at address %#llx, which is not a multiple of %u", write ? "write" : "read",
              bytes, (unsigned long long)addresses[FIRST(wrong)], bytes);
        return false;
    }
    block *b = w->block;
    if (i->space == SPACE_SHARED || i->space == SPACE_CLUSTER) {
        if (!any_outside(addresses, SHARED_START, (u64)b->shared_end - SHARED_START - bytes, m) &&
            b->shared_end >= SHARED_START + bytes) {
            EACH(l) pointers[l] = addresses[l] + (u64)b->shared;
            return true;
        }
        return resolve_slowly(w, i, m, bytes, write, addresses, pointers);
    }
    if (i->space == SPACE_LOCAL) {
        const u64 window = w->launch->window_local, size = w->launch->local_bytes;
        const u64 first = (u64)b->local + (u64)w->number * 32 * size - window;
        if (size >= bytes && !any_outside(addresses, window, size - bytes, m)) {
            EACH(l) pointers[l] = addresses[l] + first + (u64)l * size;
            return true;
        }
        return resolve_slowly(w, i, m, bytes, write, addresses, pointers);
    }
    for (int k = 0; k < 4; k++) {
        const memory_range *r = &b->ranges[k];
        if (r->end - r->start >= bytes && !(write && r->read_only) &&
            !any_outside(addresses, r->start, r->end - r->start - bytes, m)) {
            const u64 delta = (u64)r->delta;
            EACH(l) pointers[l] = addresses[l] + delta;
            return true;
        }
    }
    return resolve_slowly(w, i, m, bytes, write, addresses, pointers);
}

#endif
