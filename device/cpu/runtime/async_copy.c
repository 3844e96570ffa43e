/* cp.async: copies that a thread starts, groups and waits for. They land at the wait, not before: hardware may finish at any
 * time until then, and the latest moment is the one that shows a missing wait or barrier. Copies never waited for never land. */
#include "device/cpu/runtime/simt.h"
#include <stdlib.h>
#include <string.h>

static copy_queue *my_queue(simt_worker *w)
{
    if (!w->copies && !(w->copies = calloc(SIMT_MAX_THREADS, sizeof *w->copies)))
        simt_report(w, "out of memory", "no room for asynchronous copies");
    w->copies_used = true;
    return &w->copies[w->context->self.index];
}

void assay_simt_copy_async(void *to, const void *from, uint32_t bytes, uint32_t source_bytes)
{
    simt_worker *w = assay_simt_current.worker;
    copy_queue *q = my_queue(w);
    if (source_bytes > bytes)
        simt_report(w, "invalid asynchronous copy", "%u bytes to read for a copy of %u", source_bytes, bytes);
    if (q->first + q->count == q->capacity) {
        if (q->first)
            memmove(q->items, q->items + q->first, q->count * sizeof *q->items);
        q->first = 0;
        if (q->count == q->capacity) {
            const uint32_t capacity = q->capacity ? 2 * q->capacity : 16;
            pending_copy *items = realloc(q->items, capacity * sizeof *items);
            if (!items)
                simt_report(w, "out of memory", "no room for asynchronous copies");
            q->items = items;
            q->capacity = capacity;
        }
    }
    q->items[q->first + q->count++] = (pending_copy){to, from, bytes, source_bytes, q->committed};
}

void assay_simt_copy_commit(void)
{
    my_queue(assay_simt_current.worker)->committed++;
}

void assay_simt_copy_wait(uint32_t pending_groups)
{
    simt_worker *w = assay_simt_current.worker;
    copy_queue *q = my_queue(w);
    while (q->count && q->items[q->first].group + pending_groups < q->committed) {
        const pending_copy *c = &q->items[q->first];
        if (w->job->checked) {
            assay_simt_check_access(c->from, c->source_bytes, ASSAY_SIMT_READ, __builtin_return_address(0));
            assay_simt_check_access(c->to, c->bytes, ASSAY_SIMT_WRITE, __builtin_return_address(0));
        }
        memcpy(c->to, c->from, c->source_bytes);
        memset((char *)c->to + c->source_bytes, 0, c->bytes - c->source_bytes);
        q->first++;
        q->count--;
    }
}

void simt_copies_reset(simt_worker *w)
{
    for (uint32_t i = 0; i < w->context->count; i++)
        w->copies[i].first = w->copies[i].count = w->copies[i].committed = 0;
    w->copies_used = false;
}
