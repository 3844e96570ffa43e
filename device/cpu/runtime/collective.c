/* Operations in which several threads of a block meet: the block barrier, warp collectives, and collectives of several warps.
 *
 * Every one works alike: a thread posts its arguments and waits; the last to arrive computes for all and makes them ready.
 * Misuse is reported when it happens: different barriers, a lane missing from a mask, masks or operations that differ. */
#include "device/cpu/runtime/simt.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static simt_worker *tracked_worker(void)
{
    simt_worker *w = assay_simt_current.worker;
    if (!assay_simt_current.tracked)
        simt_track(w);
    return w;
}

/* ---- the block barrier ---- */

__attribute__((cold, noreturn)) static void report_divergence(simt_worker *w, const char *op,
                                                              const char *file, int line)
{
    const barrier_state *b = simt_barrier(w);
    const assay_simt_uint3 other = w->slots[b->threads[0]].at;
    simt_report(w, "divergent barrier",
                "this thread is in %s at %s:%d while thread (%u,%u,%u) is in %s at %s:%d%s", op,
                simt_file_name(file), line, other.x, other.y, other.z, b->op, simt_file_name(b->file),
                b->line, line == b->line ? " (another barrier of the same line)" : "");
}

void simt_barrier_complete(simt_worker *w, barrier_state *b)
{
    for (uint32_t i = 0; i < b->waiting; i++)
        simt_make_ready(w, b->threads[i]);
    if (w->job->checked)
        simt_check_barrier(w);
    b->result = b->true_count;
    b->waiting = b->true_count = 0;
}

/* Threads that have ended are not waited for (since Volta). */
uint32_t assay_simt_block_barrier(int predicate, const char *op, const char *file, int line, int place)
{
    simt_worker *w = tracked_worker();
    barrier_state *b = simt_barrier(w);
    if (b->waiting && (b->line != line || b->place != place || !simt_same_text(b->file, file)))
        report_divergence(w, op, file, line);
    b->true_count += predicate != 0;
    if (b->waiting + 1 == b->live) {
        simt_barrier_complete(w, b);
        return b->result;
    }
    b->op = op;
    b->file = file;
    b->line = line;
    b->place = place;
    b->threads[b->waiting++] = (uint16_t)w->context->self.index;
    simt_wait(w, op, file, line);
    return b->result; /* the next barrier cannot complete before this thread is there */
}

/* ---- warp collectives ---- */

static uint32_t existing_lanes(const simt_worker *w, uint32_t thread)
{
    const uint32_t lanes = w->context->count - (thread & ~31u);
    return lanes >= 32 ? 0xffffffffu : (1u << lanes) - 1;
}

/* Text about one of the lanes that wait in `q`: "lane 3 is in __shfl_sync with mask 0x0000ffff at k.cu:12". */
static const char *lane_text(const simt_worker *w, uint32_t warp, const warp_op *q, int lane, char *out,
                             size_t out_bytes)
{
    const thread_state *t = &w->threads[32 * warp + (uint32_t)lane];
    snprintf(out, out_bytes, "lane %d is in %s with mask 0x%08x at %s:%d", lane, q->op, q->mask,
             simt_file_name(t->file), t->line);
    return out;
}

/* The open collective that a lane joins, a new one if it is the first. It can never meet a lane that waits for it in another
 * collective and that it names itself: that is reported. */
static warp_op *join(simt_worker *w, uint32_t warp, int lane, const warp_op *mine, const char *file, int line)
{
    warp_state *s = &w->warps[warp];
    for (uint32_t i = 0; i < s->open; i++) {
        warp_op *q = &s->ops[i];
        if (q->mask == mine->mask && q->combine == mine->combine && simt_same_text(q->op, mine->op))
            return q;
        const uint32_t common = q->arrived & mine->mask;
        if (common && ((q->mask >> lane) & 1u)) {
            char text[256];
            simt_report(w, "mismatched warp operation",
                        "this lane is in %s with mask 0x%08x at %s:%d while %s%s", mine->op, mine->mask,
                        simt_file_name(file), line,
                        lane_text(w, warp, q, __builtin_ctz(common), text, sizeof text),
                        q->mask == mine->mask && simt_same_text(q->op, mine->op) ? " (of another type)" : "");
        }
    }
    s->ops[s->open] = *mine;
    return &s->ops[s->open++];
}

/* If all lanes that `q` waits for are here, compute and let all but `self` go on. */
static bool complete(simt_worker *w, uint32_t warp, warp_op *q, int self)
{
    warp_state *s = &w->warps[warp];
    if (q->mask & s->live & ~q->arrived)
        return false;
    const warp_op done = *q;
    *q = s->ops[--s->open];
    if (w->job->checked)
        simt_check_warp(w, warp, done.arrived);
    if (done.combine) {
        w->combining = true;
        done.combine(s->args, done.arrived);
        w->combining = false;
    }
    for (uint32_t rest = self >= 0 ? done.arrived & ~(1u << self) : done.arrived; rest; rest &= rest - 1)
        simt_make_ready(w, 32 * warp + (uint32_t)__builtin_ctz(rest));
    return true;
}

void assay_simt_warp_collective(uint32_t mask, int needs_all, void *arg, assay_simt_warp_fn combine,
                                const char *op, const char *file, int line)
{
    simt_worker *w = tracked_worker();
    const uint32_t me = w->context->self.index, warp = me / 32;
    const int lane = (int)(me % 32);
    const uint32_t live = w->warps[warp].live;
    if (!((mask >> lane) & 1u))
        simt_report(w, "missing lane",
                    "%s at %s:%d with mask 0x%08x, which does not name the calling lane %d", op,
                    simt_file_name(file), line, mask, lane);
    mask &= existing_lanes(w, me);
    if (needs_all && (mask & ~live))
        simt_report(w, "missing lane",
                    "%s at %s:%d with mask 0x%08x, which names lane %d, but that lane has ended", op,
                    simt_file_name(file), line, mask, __builtin_ctz(mask & ~live));

    const warp_op mine = {mask, 0, needs_all != 0, combine, op};
    warp_op *q = join(w, warp, lane, &mine, file, line);
    w->warps[warp].args[lane] = arg;
    q->arrived |= 1u << lane;
    if (!complete(w, warp, q, lane))
        simt_wait(w, op, file, line);
}

/* A lane that ends may be the one that others wait for. */
void simt_warp_lane_ended(simt_worker *w, uint32_t thread)
{
    const uint32_t warp = thread / 32, bit = 1u << (thread % 32);
    warp_state *s = &w->warps[warp];
    s->live &= ~bit;
    for (uint32_t i = 0; i < s->open;) {
        warp_op *q = &s->ops[i];
        char text[256];
        if ((q->mask & bit) && q->needs_all)
            simt_report(w, "missing lane", "this thread ended while %s, which names it",
                        lane_text(w, warp, q, __builtin_ctz(q->arrived), text, sizeof text));
        if (!(q->mask & bit) || !complete(w, warp, q, -1))
            i++;
    }
    for (uint32_t first = 0; first <= warp; first++) {
        const group_state *g = w->groups[first];
        if (g && g->arrived && warp < first + g->count / 32)
            simt_report(w, "missing thread",
                        "this thread ended while %u of its group of %u threads wait in a collective",
                        g->arrived, g->count);
    }
}

/* ---- collectives of several warps ---- */

void assay_simt_group_collective(uint32_t count, void *arg, assay_simt_group_fn combine, const char *op,
                                 const char *file, int line)
{
    simt_worker *w = tracked_worker();
    const uint32_t me = w->context->self.index, first = me / count * count;
    group_state **slot = &w->groups[first / 32];
    if (!*slot && !(*slot = calloc(1, sizeof **slot)))
        simt_report(w, "out of memory", "%s at %s:%d", op, simt_file_name(file), line);
    group_state *g = *slot;
    if (first + count > w->context->count)
        simt_report(w, "missing thread", "%s at %s:%d needs %u threads, but the block ends at thread %u", op,
                    simt_file_name(file), line, count, w->context->count);
    for (uint32_t i = first; i < first + count; i += 32)
        if (w->warps[i / 32].live != 0xffffffffu)
            simt_report(w, "missing thread", "%s at %s:%d needs %u threads, but some of them have ended", op,
                        simt_file_name(file), line, count);
    for (uint32_t i = first; g->arrived && i < first + count;
         i++) { /* all that wait here must be in the same operation */
        const thread_state *t = &w->threads[i];
        if (g->args[i - first] && (g->count != count || !t->op || !simt_same_text(t->op, op)))
            simt_report(w, "mismatched group operation",
                        "this thread is in %s at %s:%d while thread %u is in %s at %s:%d", op,
                        simt_file_name(file), line, i, t->op ? t->op : "none", simt_file_name(t->file),
                        t->line);
        if (g->args[i - first])
            break;
    }
    static char nothing; /* stands for "arrived" when the operation has no arguments */
    g->count = count;
    g->args[me - first] = arg ? arg : &nothing;
    if (++g->arrived < count) {
        simt_wait(w, op, file, line);
        return;
    }
    if (combine) {
        w->combining = true;
        combine(g->args, count);
        w->combining = false;
    }
    g->arrived = 0;
    memset(g->args, 0, count * sizeof g->args[0]);
    for (uint32_t i = first; i < first + count; i++)
        if (i != me)
            simt_make_ready(w, i);
}
