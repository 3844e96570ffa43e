/* The state of a running kernel: warps, blocks, gangs of blocks that are resident together, the launch. */
#ifndef ASSAY_DEVICE_PTX_EXEC_H
#define ASSAY_DEVICE_PTX_EXEC_H

#include "device/ptx/program.h"
#include <stdatomic.h>

typedef struct warp warp;
typedef struct block block;
typedef struct gang gang;
typedef struct launch_state launch_state;

enum fragment_state {
    FRAGMENT_FREE,
    FRAGMENT_READY,
    FRAGMENT_BARRIER,
    FRAGMENT_MEMBERS,
    FRAGMENT_MBARRIER,
    FRAGMENT_CLUSTER
};

/* Lanes of a warp that are at the same instruction. A warp starts as one fragment; branches split it, meetings join it. */
typedef struct fragment {
    const insn *pc;
    const ptx_function *function;
    uint32_t mask;
    int32_t meeting; /* where its lanes meet others again, or -1 */
    uint8_t state;
    bool timed_out;        /* an mbarrier wait that the hardware would give up by now */
    uint32_t wait;         /* barrier number, or members waited for */
    uint64_t wait_address; /* of an mbarrier, for reports */
} fragment;

/* A point where lanes that parted meet: the post-dominator of a branch, or the return from a call. */
typedef struct meeting {
    const insn *at;
    const ptx_function *function; /* that `at` belongs to */
    uint32_t expected, arrived;
    int32_t parent;
    bool used, is_call;
} meeting;

enum { FRAGMENTS = 32, FIRST_MEETINGS = 48 };

struct async_op;
struct race_state;
struct warp_race;
struct line_counter;

struct warp {
    char *base[2];        /* registers, constants of the running function */
    const operand *lists; /* operand lists of the running function */
    uint32_t active;      /* lanes of the running fragment */
    uint32_t live;        /* lanes that have not exited */
    block *block;
    gang *gang;
    launch_state *launch;
    uint32_t number, checks;
    int32_t budget; /* backward branches until the next warp's turn */
    bool gathered;  /* a warp operation runs for several fragments together */
    int32_t current;
    uint32_t fragment_high; /* fragments beyond are free */
    fragment fragments[FRAGMENTS];
    meeting *meetings;
    uint32_t meeting_count;
    uint32_t carry;   /* the condition code of add.cc, a bit a lane */
    uint32_t stalled; /* turns that ended with a used up budget */
    bool polled;      /* this turn looked at memory that others change */
    uint64_t executed, lane_count;
    uint32_t cluster_phase; /* of its last arrival */
    /* asynchronous work */
    struct async_op *copies; /* cp.async, oldest first */
    struct async_op *copies_tail;
    uint32_t copy_groups[32]; /* committed ones, a lane */
    struct async_op *bulk;    /* bulk copies to global memory of this warp's threads, oldest first */
    struct async_op *bulk_tail;
    uint32_t bulk_groups[32];
    struct async_op *wgmmas, *wgmmas_tail;
    uint32_t wgmma_groups; /* committed ones */
    uint64_t wgmma_issued; /* instructions */
    uint64_t *in_flight;   /* bits of the register file that wgmmas own, one for 64 bytes */
    struct warp_race *race;
    /* with PTX_CHECK_UNINIT */
    uint64_t *undefined;      /* as `in_flight`: registers with what nobody wrote */
    const insn *undefined_at; /* the last read of such; NULL: there are none */
    uint32_t undefined_lane;
    uint64_t undefined_offset;
};

typedef struct named_barrier {
    uint32_t arrived, needed; /* threads; needed 0: all of the block */
    uint32_t threads, votes;  /* of a reduction */
} named_barrier;

struct block {
    gang *gang;
    uint32_t rank; /* in its cluster */
    uint32_t index[3];
    uint64_t linear;
    char *shared;
    uint32_t shared_end; /* offset behind the last byte */
    char *local;
    warp *warps;
    uint32_t warp_count, live_threads;
    named_barrier barriers[16];
    memory_range ranges[4]; /* allocations used last */
    uint32_t next_range;
    struct race_state *race;
    uint8_t *written; /* with PTX_CHECK_UNINIT: a byte for each byte of shared memory */
};

/* Blocks that run together on one host thread: a cluster, or a single block. */
struct gang {
    launch_state *launch;
    block *blocks;
    uint32_t block_count;
    uint32_t cluster_arrived, cluster_phase;
    uint32_t live_warps;
    uint64_t events;                           /* changes that others may wait for */
    struct async_op *arrivals, *arrivals_tail; /* copies that complete on an mbarrier, oldest first */
    struct async_op *spare;
    uint32_t idle_rounds, spin_rounds;
    bool finished;
    struct line_counter *counters; /* of the host thread */
    char *memory;                  /* registers, shared and local memory of its blocks */
    uint32_t order;
};

struct launch_state {
    const ptx_launch *launch;
    const ptx_function *function;
    ptx_device *device;
    char *params;
    uint32_t grid[3], block[3], cluster[3];
    uint32_t threads, warps; /* a block */
    uint32_t shared_end, local_bytes, register_bytes;
    uint32_t cluster_blocks;
    uint64_t gangs, blocks;
    uint64_t grid_id;
    ptx_address grid_workspace; /* of a cooperative launch, for its barrier of all blocks; else 0 */
    atomic_uint_fast64_t next_gang;
    atomic_bool stop;
    uint32_t checks;
    uint64_t window_shared, window_local, window_param;
    pthread_mutex_t lock;
    ptx_report *report;
    struct kept_findings *kept;
    atomic_uint_fast64_t executed, lanes;
    uint64_t start_ns;
    struct global_race *global_race;
};

/* ---- findings ---- */

/* Record a finding at an instruction for these lanes. It ends the launch, except races with PTX_CHECK_CONTINUE. Returns NULL, so that
 * handlers can end with it. */
const insn *found(warp *w, const insn *i, uint32_t lanes, ptx_finding_kind kind, uint64_t address,
                  const char *format, ...) __attribute__((format(printf, 6, 7)));
const char *finding_name(ptx_finding_kind kind);
/* A finding of a whole gang: no lane and no instruction. */
void found_gang(gang *g, ptx_finding_kind kind, const char *text);

/* ---- control (control.c) ---- */

/* The lanes of the running fragment stop here: `pc` is where they go on. Returns NULL. */
const insn *fragment_yield(warp *w, const insn *pc);
const insn *fragment_wait(warp *w, const insn *pc, uint8_t state, uint32_t what, uint64_t address);
/* For instructions of several lanes together: true if all live members are in `mask`. Otherwise the lanes wait, and *next is what the
 * handler returns. */
bool members_present(warp *w, const insn *i, uint32_t mask, uint32_t members, const insn **next);
/* Of lanes that name different members: `group` waits for its own, and the rest of the lanes come to the instruction again. */
const insn *part_group(warp *w, const insn *i, uint32_t group, uint32_t rest, uint32_t members);
insn_run pick_control(insn *i);
insn_run pick_special(insn *i);
insn_run pick_barrier(insn *i);
insn_run pick_async(insn *i);
void fragment_wake(fragment *f);
bool give_up_meeting(warp *w);
void barriers_after_exit(block *b);
void wake_mbarrier_waiters(gang *g);

/* ---- scheduling ---- */

void warp_turn(warp *w);
void *worker_run(void *launch);

/* ---- memory ---- */

/* For addresses that are not where most are. */
char *lane_pointer_slowly(warp *w, const insn *i, uint32_t lane, ptx_space space, uint64_t address,
                          uint32_t bytes, bool write);
char *shared_pointer_slowly(warp *w, uint64_t address, uint32_t bytes);
/* Shared memory of a block of the cluster by its 32-bit address; NULL where that is out of bounds. */
static inline char *shared_pointer(warp *w, uint64_t address, uint32_t bytes)
{
    const block *b = w->block;
    return address >= SHARED_START && address + bytes <= b->shared_end
               ? b->shared + address
               : shared_pointer_slowly(w, address, bytes);
}
/* The host's view of an address of one lane; NULL after recording a finding. */
static inline char *lane_pointer(warp *w, const insn *i, uint32_t lane, ptx_space space, uint64_t address,
                                 uint32_t bytes, bool write)
{
    const block *b = w->block;
    if (space == SPACE_SHARED && address >= SHARED_START && address + bytes <= b->shared_end)
        return b->shared + address;
    for (int k = 0; space == SPACE_GLOBAL && k < 4; k++)
        if (address >= b->ranges[k].start && address + bytes <= b->ranges[k].end &&
            !(write && b->ranges[k].read_only))
            return (char *)(address + (uint64_t)b->ranges[k].delta);
    return lane_pointer_slowly(w, i, lane, space, address, bytes, write);
}
block *shared_block(warp *w, uint64_t address);

/* ---- mbarriers (mbarrier.c) ---- */

/* Bytes that arrived (negative) or are expected (positive). */
bool mbarrier_transfer(warp *w, const insn *i, uint32_t lane, uint64_t address, int64_t bytes);
bool mbarrier_arrive(warp *w, const insn *i, uint32_t lane, uint64_t address, uint32_t count);
/* One more arrival is awaited in this phase, for cp.async.mbarrier.arrive without .noinc. */
bool mbarrier_raise(warp *w, const insn *i, uint32_t lane, uint64_t address);
insn_run pick_mbarrier(insn *i);

/* ---- asynchronous work (async.c, cp_async.c, bulk.c, tma.c) ---- */

enum { ASYNC_POISON = 0xFF }; /* bytes of a target until its copy is done */

typedef enum async_kind {
    ASYNC_COPY,
    ASYNC_COPY_ARRIVE,
    ASYNC_BULK,
    ASYNC_TENSOR,
    ASYNC_STORE,
    ASYNC_WGMMA
} async_kind;

typedef struct async_op {
    struct async_op *next;
    async_kind kind;
    warp *warp;
    const insn *at;
    const ptx_function *function;
    uint32_t mask;             /* lanes it is for */
    uint32_t group[32];        /* of each lane, for cp.async and bulk groups */
    uint64_t to[32], from[32]; /* cp.async: addresses; others: [0] */
    uint32_t bytes[32];        /* cp.async: to copy; the rest up to `size` is zero */
    uint32_t size;
    uint64_t mbarrier; /* shared::cluster address, or UINT64_MAX */
    uint32_t lane;
    uint16_t targets; /* multicast: blocks of the cluster */
    bool load, read_done;
    uint8_t reduction, type;
    int32_t coordinates[5];
    int32_t offsets[3];
    _Alignas(uint64_t) uint8_t map[128]; /* a tensor_map */
    void *data;                          /* wgmma: registers of A */
    uint64_t desc_a, desc_b;
    uint32_t scale;    /* wgmma: the accumulators are added to */
    uint64_t sequence; /* wgmma: among those of its warp */
    void (*compute)(struct async_op *, bool same_b);
} async_op;

async_op *async_new(warp *w, const insn *i, async_kind kind, uint32_t mask);
void async_release(gang *g, async_op *op);
void async_append(async_op **head, async_op **tail, async_op *op);
/* Take an operation out of its list; `before` is what precedes it or NULL. */
void async_unlink(async_op **head, async_op **tail, async_op *before, async_op *op);
uint64_t async_address(warp *w, operand base, int64_t offset, bool narrow, uint32_t lane);
/* Complete what arrives on the mbarrier at this address, as the block of the rank knows it. True if there was something. */
bool async_complete_for(gang *g, uint32_t rank, uint64_t mbarrier);
void async_run(async_op *op);
void async_end_of_warp(warp *w);
insn_run pick_bulk(insn *i);
/* The cp.async of these lanes, but for the newest `keep` groups of each; or all of them, committed or not. */
void cp_async_complete(warp *w, uint32_t lanes, uint32_t keep, bool all);
/* The bulk copies of these lanes to global memory, but for the newest `keep` groups of each lane; or all of them. */
void bulk_complete(warp *w, uint32_t lanes, uint32_t keep, bool all);
bool tensor_issue(warp *w, const insn *i, async_op *op);
/* False with a finding if a card takes the tensor copy, whose map lies at `map`, for an illegal instruction. */
bool tensor_legal(warp *w, const insn *i, const async_op *op, uint64_t map);
void tensor_run(async_op *op);
void tensor_poison(async_op *op);
uint32_t tensor_bytes(const async_op *op);
/* Each element atomically, as blocks run on several threads. `flushes`: subnormal numbers of f32 become 0 in it. */
void reduce_bytes(char *to, const char *from, uint32_t bytes, int op, ptx_type type, bool flushes);
/* While wgmmas are in flight: false if the instruction may not touch its registers yet, with a finding. */
bool wgmma_allows(warp *w, const insn *i, uint32_t mask);
insn_run pick_wgmma_groups(insn *i);
void wgmma_note(warp *w, async_op *op);

/* ---- checks ---- */

typedef enum access_kind { ACCESS_READ, ACCESS_WRITE, ACCESS_ATOMIC } access_kind;
/* After bounds are known to be good. `addresses`: of each lane of the mask, shared::cluster offsets or global addresses. */
void check_shared(warp *w, const insn *i, uint32_t mask, const uint64_t *addresses, uint32_t bytes,
                  access_kind kind);
void check_global(warp *w, const insn *i, uint32_t mask, const uint64_t *addresses, uint32_t bytes,
                  access_kind kind);
/* The same by the instruction's state space, generic addresses included. */
void check_access(warp *w, const insn *i, uint32_t mask, const uint64_t *addresses, uint32_t bytes,
                  access_kind kind);
/* After an atomic, volatile or acquiring access to global memory took effect, for happens-before: whoever wrote what it read, on another
 * host thread too, released it before. */
void check_acquired(warp *w, const insn *i, uint32_t mask, const uint64_t *addresses);
/* Volatile reads that need not see the last write of another warp: the lanes which here do not, and what they read instead. Before
 * check_access(). */
uint32_t check_stale_reads(warp *w, const insn *i, uint32_t mask, const uint64_t *addresses,
                           uint32_t *values);
/* Volatile writes of `values`, while `pointers` still show what was there before: reports what such reads have undone. */
void check_stale_writes(warp *w, const insn *i, uint32_t mask, const uint64_t *addresses,
                        const uint64_t *pointers, const uint32_t *values);
/* An asynchronous copy owns these bytes of shared memory from its issue until it is done. */
void check_async_issue(warp *w, const insn *i, uint32_t mask, const uint64_t *addresses, uint32_t bytes);
void check_async_done(warp *w, const insn *i, uint32_t mask, const uint64_t *addresses, uint32_t bytes);
void check_bulk_issue(async_op *op);
void check_bulk_done(async_op *op);
/* Of uninitialised shared memory: an access of one lane, and an instruction while registers hold what nobody wrote. */
void check_written(warp *w, const insn *i, uint32_t lane, uint64_t address, uint32_t bytes, bool write);
void check_undefined(warp *w, const insn *i);
/* Synchronisation, for happens-before. */
void check_warp_sync(warp *w, uint32_t mask);
void check_barrier_arrive(warp *w, uint32_t id, uint32_t mask);
void check_barrier_leave(warp *w, uint32_t id, uint32_t mask);
void check_barrier_reset(block *b, uint32_t id);
void check_cluster_arrive(warp *w);
void check_cluster_leave(warp *w);
void check_proxy_fence(warp *w);
void check_device_fence(warp *w);
/* wgmma reads its matrices late, up to the wait for its group. False: a finding was recorded. `address`: of 16 bytes of one. */
bool check_wgmma_read(async_op *op, uint64_t address, bool is_b);
void check_wgmma_commit(warp *w);
void check_wgmma_wait(warp *w, uint32_t keep);
/* The global side of an asynchronous copy, piece by piece. */
void check_async_global(const async_op *op, uint64_t address, uint32_t bytes, access_kind kind);

#endif
