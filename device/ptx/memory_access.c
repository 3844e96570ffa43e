/* Addresses of single lanes: the slow way of a memory access, which also finds what is wrong with one. */
#include "device/ptx/exec.h"
#include <stdio.h>

block *shared_block(warp *w, uint64_t address)
{
    const uint64_t rank = address >> SHARED_RANK_SHIFT;
    if (rank == 0)
        return w->block;
    return rank <= w->gang->block_count ? &w->gang->blocks[rank - 1] : NULL;
}

char *shared_pointer_slowly(warp *w, uint64_t address, uint32_t bytes)
{
    block *b = shared_block(w, address);
    const uint64_t offset = address & ((1u << SHARED_RANK_SHIFT) - 1);
    const bool scratch = offset >= SHARED_SCRATCH && offset + bytes <= SHARED_SCRATCH + SHARED_SCRATCH_BYTES;
    if (!b || (offset < SHARED_START && !scratch) || offset + bytes > b->shared_end || !b->shared)
        return NULL;
    return b->shared + offset;
}

static const char *verb(bool write)
{
    return write ? "write" : "read";
}

static char *shared_lane(warp *w, const insn *i, uint32_t lane, uint64_t address, uint32_t bytes, bool write)
{
    char *p = shared_pointer(w, address, bytes);
    if (!p) {
        const uint64_t offset = address & ((1u << SHARED_RANK_SHIFT) - 1);
        found(w, i, 1u << lane, PTX_FOUND_SHARED_BOUNDS, address,
              "%s of %u bytes at byte %lld of shared memory, which has %u bytes", verb(write), bytes,
              (long long)offset - SHARED_START, w->block->shared_end - SHARED_START);
    }
    return p;
}

static char *local_lane(warp *w, const insn *i, uint32_t lane, uint64_t offset, uint32_t bytes, bool write)
{
    const uint32_t size = w->launch->local_bytes;
    if (offset > size || offset + bytes > size) {
        found(w, i, 1u << lane, PTX_FOUND_LOCAL_BOUNDS, offset,
              "%s of %u bytes at byte %lld of local memory, which has %u bytes", verb(write), bytes,
              (long long)offset, size);
        return NULL;
    }
    return w->block->local + ((uint64_t)w->number * 32 + lane) * size + offset;
}

char *lane_pointer_slowly(warp *w, const insn *i, uint32_t lane, ptx_space space, uint64_t address,
                          uint32_t bytes, bool write)
{
    const launch_state *l = w->launch;
    if (space == SPACE_SHARED || space == SPACE_CLUSTER)
        return shared_lane(w, i, lane, address, bytes, write);
    if (address - l->window_shared < WINDOW_BYTES)
        return shared_lane(w, i, lane, address - l->window_shared, bytes, write);
    if (address - l->window_local < WINDOW_BYTES)
        return local_lane(w, i, lane, address - l->window_local, bytes, write);
    if (address - l->window_param < l->function->info.param_bytes && !write)
        return l->params + (address - l->window_param);
    for (int k = 0; k < 4; k++) {
        const memory_range *r = &w->block->ranges[k];
        if (address >= r->start && address + bytes <= r->end && !(write && r->read_only))
            return (char *)(address + (uint64_t)r->delta);
    }
    memory_range range;
    const bool known = memory_lookup(l->device, address, bytes, &range);
    if (known && !(write && range.read_only)) {
        w->block->ranges[w->block->next_range++ % 4] = range;
        return (char *)(address + (uint64_t)range.delta);
    }
    char text[512];
    if (known) {
        memory_place(l->device, address, text, sizeof text);
        found(w, i, 1u << lane, PTX_FOUND_OUT_OF_BOUNDS, address,
              "write of %u bytes at %s, which the kernel may only read", bytes, text);
        return NULL;
    }
    const ptx_finding_kind kind = memory_describe(l->device, address, bytes, text, sizeof text);
    found(w, i, 1u << lane, kind, address, "%s of %s", verb(write), text);
    return NULL;
}
