#include "device/ptx/races.h"
#include "device/ptx/counters.h"
void races_new_gang(gang *g)
{
    (void)g;
}
void races_free_gang(gang *g)
{
    (void)g;
}
void races_start_block(block *b)
{
    (void)b;
}
void check_shared(warp *w, const insn *i, uint32_t mask, const uint64_t *a, uint32_t bytes, access_kind kind)
{
    (void)kind;
    if (w->checks & PTX_CHECK_COUNTERS)
        count_shared(w, i, mask, a, bytes);
}
void check_global(warp *w, const insn *i, uint32_t mask, const uint64_t *a, uint32_t bytes, access_kind kind)
{
    (void)kind;
    if (w->checks & PTX_CHECK_COUNTERS)
        count_global(w, i, mask, a, bytes);
}
void check_access(warp *w, const insn *i, uint32_t mask, const uint64_t *a, uint32_t bytes, access_kind kind)
{
    if (i->space == SPACE_SHARED || i->space == SPACE_CLUSTER)
        check_shared(w, i, mask, a, bytes, kind);
    else if (i->space != SPACE_LOCAL)
        check_global(w, i, mask, a, bytes, kind);
}
void check_block_barrier(block *b, uint32_t n, bool whole)
{
    (void)b, (void)n, (void)whole;
}
void check_warp_sync(warp *w, uint32_t mask)
{
    (void)w, (void)mask;
}
void check_cluster_barrier(gang *g)
{
    (void)g;
}
uint64_t shared_key(warp *w, uint64_t address)
{
    (void)w;
    return address;
}
void races_release(warp *w, uint32_t lanes, uint64_t key)
{
    (void)w, (void)lanes, (void)key;
}
void races_acquire(warp *w, uint32_t lanes, uint64_t key)
{
    (void)w, (void)lanes, (void)key;
}
void check_async_issue(warp *w, const insn *i, uint32_t mask, const uint64_t *addresses, uint32_t bytes)
{
    (void)w, (void)i, (void)mask, (void)addresses, (void)bytes;
}
void check_async_done(warp *w, const insn *i, uint32_t mask, const uint64_t *addresses, uint32_t bytes)
{
    (void)w, (void)i, (void)mask, (void)addresses, (void)bytes;
}
void check_bulk_issue(async_op *op)
{
    (void)op;
}
void check_bulk_done(async_op *op)
{
    (void)op;
}
