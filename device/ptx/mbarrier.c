/* mbarriers: 64 bits of shared memory with a phase, the arrivals still awaited and the bytes still in flight.
 * The layout is this device's own: count of a phase - 1 in bits 0-19, pending arrivals in 20-39, pending bytes (signed) in 40-61,
 * a mark of an initialised barrier in bit 62 and the phase in 63. */
#include "device/ptx/exec.h"
#include "device/ptx/instructions.h"
#include "device/ptx/opcodes.h"
#include "device/ptx/races.h"
#include <string.h>

enum { COUNT_BITS = 20, TX_BITS = 22 };
#define COUNT_MASK ((1u << COUNT_BITS) - 1)

typedef struct mbarrier {
    uint32_t count, pending;
    int32_t bytes;
    bool valid, phase;
} mbarrier;

static mbarrier unpack(uint64_t v)
{
    const int32_t bytes =
        (int32_t)((uint32_t)(v >> 40 & ((1u << TX_BITS) - 1)) << (32 - TX_BITS)) >> (32 - TX_BITS);
    return (mbarrier){(uint32_t)(v & COUNT_MASK) + 1, (uint32_t)(v >> COUNT_BITS & COUNT_MASK), bytes,
                      v >> 62 & 1, v >> 63};
}

static uint64_t pack(mbarrier b)
{
    return ((uint64_t)b.count - 1) | (uint64_t)b.pending << COUNT_BITS |
           (uint64_t)((uint32_t)b.bytes & ((1u << TX_BITS) - 1)) << 40 | (uint64_t)b.valid << 62 |
           (uint64_t)b.phase << 63;
}

void wake_mbarrier_waiters(gang *g)
{
    for (uint32_t r = 0; r < g->block_count; r++)
        for (uint32_t k = 0; k < g->blocks[r].warp_count; k++) {
            warp *w = &g->blocks[r].warps[k];
            for (uint32_t n = 0; n < w->fragment_high; n++)
                if (w->fragments[n].state == FRAGMENT_MBARRIER)
                    fragment_wake(&w->fragments[n]);
        }
}

/* Load a barrier that must be one; NULL after recording a finding. */
static char *load(warp *w, const insn *i, uint32_t lane, uint64_t address, mbarrier *out)
{
    char *p = lane_pointer(w, i, lane, SPACE_CLUSTER, address, 8, true);
    if (!p)
        return NULL;
    if (address % 8) {
        found(w, i, 1u << lane, PTX_FOUND_MISALIGNED, address,
              "an mbarrier at byte %llu of shared memory, not a multiple of 8", (unsigned long long)address);
        return NULL;
    }
    uint64_t v;
    memcpy(&v, p, 8);
    *out = unpack(v);
    if (!out->valid || v == UINT64_MAX) {
        found(w, i, 1u << lane, PTX_FOUND_BARRIER, address,
              "the mbarrier at byte %lld of shared memory is not initialised",
              (long long)(address & 0xffffff) - SHARED_START);
        return NULL;
    }
    return p;
}

static void store(warp *w, char *p, mbarrier b)
{
    if (b.pending == 0 && b.bytes == 0) { /* the phase is complete */
        b.phase = !b.phase;
        b.pending = b.count;
        w->gang->events++;
        wake_mbarrier_waiters(w->gang);
    }
    const uint64_t v = pack(b);
    memcpy(p, &v, 8);
}

bool mbarrier_transfer(warp *w, const insn *i, uint32_t lane, uint64_t address, int64_t bytes)
{
    mbarrier b;
    char *p = load(w, i, lane, address, &b);
    if (!p)
        return false;
    const int64_t sum = b.bytes + bytes;
    if (sum > (1 << 20) - 1 || sum < -(1 << 20))
        return found(w, i, 1u << lane, PTX_FOUND_BARRIER, address,
                     "%lld bytes in flight on an mbarrier, more than 2^20 - 1", (long long)sum),
               false;
    b.bytes = (int32_t)sum;
    store(w, p, b);
    return true;
}

bool mbarrier_arrive(warp *w, const insn *i, uint32_t lane, uint64_t address, uint32_t count)
{
    mbarrier b;
    char *p = load(w, i, lane, address, &b);
    if (!p)
        return false;
    if (count > b.pending) {
        found(w, i, 1u << lane, PTX_FOUND_BARRIER, address,
              "%u arrivals at the mbarrier at byte %lld of shared memory, which awaits %u of %u", count,
              (long long)(address & 0xffffff) - SHARED_START, b.pending, b.count);
        return false;
    }
    if (w->checks & PTX_CHECK_RACES)
        races_release(w, 1u << lane, shared_key(w, address));
    b.pending -= count;
    store(w, p, b);
    return true;
}

bool mbarrier_raise(warp *w, const insn *i, uint32_t lane, uint64_t address)
{
    mbarrier b;
    char *p = load(w, i, lane, address, &b);
    if (!p)
        return false;
    b.pending++;
    const uint64_t v = pack(b);
    memcpy(p, &v, 8);
    return true;
}

/* ---- handlers ---- */

static uint64_t lane_address(warp *w, const insn *i, uint32_t lane)
{
    const char *a = w->base[i->a & 1] + (i->a & ~1u);
    return i->flags & FLAG_ADDRESS32 ? ((const uint32_t *)a)[lane] + (uint32_t)i->imm
                                     : ((const uint64_t *)a)[lane] + (uint64_t)i->imm;
}

static uint32_t value32(warp *w, operand o, uint32_t lane, uint32_t otherwise)
{
    return o == NO_OPERAND ? otherwise : ((const uint32_t *)(w->base[o & 1] + (o & ~1u)))[lane];
}

static bool init(warp *w, const insn *i, uint32_t lane, uint64_t address)
{
    const uint32_t count = value32(w, i->b, lane, 1);
    char *p = lane_pointer(w, i, lane, SPACE_SHARED, address, 8, true);
    if (!p)
        return false;
    if (address % 8 || count == 0 || count > COUNT_MASK)
        return found(w, i, 1u << lane, address % 8 ? PTX_FOUND_MISALIGNED : PTX_FOUND_BARRIER, address,
                     "mbarrier.init at byte %llu with a count of %u", (unsigned long long)address, count),
               false;
    const uint64_t v = pack((mbarrier){count, count, 0, true, false});
    memcpy(p, &v, 8);
    return true;
}

static bool arrive(warp *w, const insn *i, uint32_t lane, uint64_t address)
{
    mbarrier b;
    char *p = load(w, i, lane, address, &b);
    if (!p)
        return false;
    if (i->d != NO_OPERAND) /* the state: the phase that this arrival belongs to */
        ((uint64_t *)(w->base[0] + i->d))[lane] = pack(b);
    const bool expects = i->sub == MBARRIER_ARRIVE_EXPECT || i->sub == MBARRIER_DROP_EXPECT;
    const bool drops = i->sub == MBARRIER_DROP || i->sub == MBARRIER_DROP_EXPECT;
    if (drops) {
        b.count -= b.count > 1;
        const uint64_t v = pack(b);
        memcpy(p, &v, 8);
    }
    if (expects && !mbarrier_transfer(w, i, lane, address, value32(w, i->b, lane, 0)))
        return false;
    return mbarrier_arrive(w, i, lane, address, expects ? 1 : value32(w, i->b, lane, 1));
}

/* Has the awaited phase ended? */
static bool phase_over(const insn *i, const mbarrier *b, uint64_t wanted)
{
    const bool phase = i->sub == MBARRIER_WAIT_PARITY ? wanted & 1 : wanted >> 63;
    return b->phase != phase;
}

static const insn *wait(warp *w, const insn *i, uint32_t m)
{
    uint32_t done = 0;
    uint64_t first = 0;
    for (uint32_t lane = 0; lane < 32; lane++) {
        if (!(m >> lane & 1))
            continue;
        mbarrier b;
        const uint64_t address = lane_address(w, i, lane);
        const char *from = w->base[i->b & 1] + (i->b & ~1u);
        const uint64_t wanted =
            i->sub == MBARRIER_WAIT_STATE ? ((const uint64_t *)from)[lane] : ((const uint32_t *)from)[lane];
        if (!load(w, i, lane, address, &b))
            return NULL;
        if (!phase_over(i, &b, wanted) && async_complete_for(w->gang, w->block->rank, address)) {
            if (atomic_load(&w->launch->stop) || !load(w, i, lane, address, &b))
                return NULL;
        }
        first = address;
        if (phase_over(i, &b, wanted)) {
            done |= 1u << lane;
            if (w->checks & PTX_CHECK_RACES)
                races_acquire(w, 1u << lane, shared_key(w, address));
        }
    }
    fragment *f = &w->fragments[w->current];
    if (!done && i->width == MBARRIER_TRY && !f->timed_out)
        return fragment_wait(w, i, FRAGMENT_MBARRIER, 0, first);
    f->timed_out = false;
    if (!done) { /* polled without success: others first */
        w->budget -= 4096;
        w->polled = true;
    }
    uint32_t *d = (uint32_t *)(w->base[0] + i->d);
    if (i->d != NO_OPERAND)
        *d = (*d & ~m) | done;
    return i + 1;
}

static const insn *run_mbarrier(warp *w, const insn *i, uint32_t m)
{
    if (i->sub == MBARRIER_WAIT_PARITY || i->sub == MBARRIER_WAIT_STATE)
        return wait(w, i, m);
    for (uint32_t lane = 0; lane < 32; lane++) {
        if (!(m >> lane & 1))
            continue;
        if (i->sub == MBARRIER_PENDING) {
            const uint64_t state = ((const uint64_t *)(w->base[i->b & 1] + (i->b & ~1u)))[lane];
            ((uint32_t *)(w->base[0] + i->d))[lane] = unpack(state).pending;
            continue;
        }
        const uint64_t address = lane_address(w, i, lane);
        bool good = true;
        mbarrier b;
        char *p;
        switch (i->sub) {
        case MBARRIER_INIT:
            good = init(w, i, lane, address);
            break;
        case MBARRIER_INVAL:
            if ((good = (p = load(w, i, lane, address, &b)) != NULL))
                memset(p, 0xFF, 8);
            break;
        case MBARRIER_EXPECT:
            good = mbarrier_transfer(w, i, lane, address, value32(w, i->b, lane, 0));
            break;
        case MBARRIER_COMPLETE:
            good = mbarrier_transfer(w, i, lane, address, -(int64_t)value32(w, i->b, lane, 0));
            break;
        default:
            good = arrive(w, i, lane, address);
        }
        if (!good)
            return NULL;
    }
    w->gang->events++;
    return i + 1;
}

insn_run pick_mbarrier(insn *i)
{
    return i->op == OP_MBARRIER ? run_mbarrier : NULL;
}
