/* Special registers: what a thread knows of its place, its launch and the time. */
#include "device/ptx/special.h"
#include "device/ptx/exec.h"
#include "device/ptx/opcodes.h"
#include <time.h>

static uint64_t nanoseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t uniform_special(const warp *w, uint32_t which)
{
    const launch_state *l = w->launch;
    const block *b = w->block;
    const uint32_t cl[3] = {l->cluster[0], l->cluster[1], l->cluster[2]};
    switch (which) {
    case SPECIAL_NTID_X ... SPECIAL_NTID_Z:
        return l->block[which - SPECIAL_NTID_X];
    case SPECIAL_CTAID_X ... SPECIAL_CTAID_Z:
        return b->index[which - SPECIAL_CTAID_X];
    case SPECIAL_NCTAID_X ... SPECIAL_NCTAID_Z:
        return l->grid[which - SPECIAL_NCTAID_X];
    case SPECIAL_WARPID:
        return w->number;
    case SPECIAL_NWARPID:
        return l->warps;
    case SPECIAL_SMID:
        return b->linear % l->device->limits.multiprocessors;
    case SPECIAL_NSMID:
        return l->device->limits.multiprocessors;
    case SPECIAL_GRIDID:
        return l->grid_id;
    case SPECIAL_RESERVED_SMEM_1:
        return SHARED_SCRATCH;
    case SPECIAL_ENVREG1: /* cooperative_groups: where the barrier of the grid lies, high and low half */
        return l->grid_workspace >> 32;
    case SPECIAL_ENVREG2:
        return l->grid_workspace;
    case SPECIAL_CLOCK:
    case SPECIAL_CLOCK64:
        return w->executed + (nanoseconds() - l->start_ns);
    case SPECIAL_GLOBALTIMER:
    case SPECIAL_GLOBALTIMER_LO:
        return nanoseconds();
    case SPECIAL_CLOCK_HI:
    case SPECIAL_GLOBALTIMER_HI:
        return nanoseconds() >> 32;
    case SPECIAL_DYNAMIC_SMEM:
        return l->launch->dynamic_shared;
    case SPECIAL_TOTAL_SMEM:
    case SPECIAL_AGGR_SMEM:
        return l->shared_end;
    case SPECIAL_CLUSTERID_X ... SPECIAL_CLUSTERID_Z:
        return b->index[which - SPECIAL_CLUSTERID_X] / cl[which - SPECIAL_CLUSTERID_X];
    case SPECIAL_NCLUSTERID_X ... SPECIAL_NCLUSTERID_Z:
        return l->grid[which - SPECIAL_NCLUSTERID_X] / cl[which - SPECIAL_NCLUSTERID_X];
    case SPECIAL_CLUSTER_CTAID_X ... SPECIAL_CLUSTER_CTAID_Z:
        return b->index[which - SPECIAL_CLUSTER_CTAID_X] % cl[which - SPECIAL_CLUSTER_CTAID_X];
    case SPECIAL_CLUSTER_NCTAID_X ... SPECIAL_CLUSTER_NCTAID_Z:
        return cl[which - SPECIAL_CLUSTER_NCTAID_X];
    case SPECIAL_CLUSTER_CTARANK:
        return b->rank;
    case SPECIAL_CLUSTER_NCTARANK:
        return l->cluster_blocks;
    default:
        return 0;
    }
}

static uint32_t lane_special(const warp *w, uint32_t which, uint32_t lane)
{
    const uint32_t *b = w->launch->block, t = w->number * 32 + lane;
    switch (which) {
    case SPECIAL_TID_X:
        return b[1] == 1 && b[2] == 1 ? t : t % b[0];
    case SPECIAL_TID_Y:
        return t / b[0] % b[1];
    case SPECIAL_TID_Z:
        return t / b[0] / b[1];
    case SPECIAL_LANEID:
        return lane;
    case SPECIAL_LANEMASK_EQ:
        return 1u << lane;
    case SPECIAL_LANEMASK_LT:
        return (1u << lane) - 1;
    case SPECIAL_LANEMASK_LE:
        return (2u << lane) - 1;
    case SPECIAL_LANEMASK_GT:
        return ~((2u << lane) - 1);
    default:
        return ~((1u << lane) - 1);
    }
}

static bool is_lane_special(uint32_t which)
{
    return which <= SPECIAL_TID_Z || which == SPECIAL_LANEID ||
           (which >= SPECIAL_LANEMASK_EQ && which <= SPECIAL_LANEMASK_GT);
}

static const insn *run_special(warp *w, const insn *i, uint32_t m)
{
    char *to = w->base[0] + i->d;
    static const uint8_t widths[] = {
#define S(id, text, bytes) bytes,
        PTX_SPECIALS(S)
#undef S
    };
    if (i->sub == SPECIAL_IS_EXPLICIT_CLUSTER) {
        uint32_t *p = (uint32_t *)to;
        *p = (*p & ~m) | (w->launch->cluster_blocks > 1 ? m : 0);
        return i + 1;
    }
    const bool by_lane = is_lane_special(i->sub);
    const uint64_t value = by_lane ? 0 : uniform_special(w, i->sub);
    if (m == ~0u && !by_lane && widths[i->sub] == 4) {
        for (uint32_t lane = 0; lane < 32; lane++)
            ((uint32_t *)to)[lane] = (uint32_t)value;
        return i + 1;
    }
    for (uint32_t lane = 0; lane < 32; lane++) {
        if (!(m >> lane & 1))
            continue;
        if (widths[i->sub] == 8)
            ((uint64_t *)to)[lane] = value;
        else
            ((uint32_t *)to)[lane] = by_lane ? lane_special(w, i->sub, lane) : (uint32_t)value;
    }
    return i + 1;
}

insn_run pick_special(insn *i)
{
    return i->op == OP_SPECIAL ? run_special : NULL;
}
