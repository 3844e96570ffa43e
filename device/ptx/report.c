/* Findings: one line each with everything in it, the first few kept. */
#include "device/ptx/report.h"
#include "device/ptx/instructions.h"
#include "device/ptx/opcodes.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FINDINGS = 16, TEXT_BYTES = 4096 };

struct kept_findings {
    ptx_report report; /* first: users get its address */
    ptx_finding findings[MOST_FINDINGS];
    char texts[MOST_FINDINGS][TEXT_BYTES];
};

static ptx_report no_memory = {.status = PTX_NO_MEMORY, .text = "no memory for a report"};

ptx_report *report_new(void)
{
    kept_findings *k = calloc(1, sizeof *k);
    if (!k)
        return &no_memory;
    k->report.findings = k->findings;
    return &k->report;
}

kept_findings *report_kept(ptx_report *r)
{
    return (kept_findings *)r;
}

void ptx_report_free(ptx_report *r)
{
    if (!r || r == &no_memory)
        return;
    free((void *)r->lines);
    free(r);
}

void report_finish(ptx_report *r)
{
    if (r->finding_count == 0)
        return;
    snprintf(r->text, sizeof r->text, "%s", r->findings[0].text);
    r->status = r->findings[0].kind == PTX_FOUND_TIMEOUT       ? PTX_TIMEOUT
                : r->findings[0].kind == PTX_FOUND_UNSUPPORTED ? PTX_UNSUPPORTED
                                                               : PTX_KERNEL_ERROR;
}

const char *finding_name(ptx_finding_kind kind)
{
    static const char *const names[] = {[PTX_FOUND_NOTHING] = "nothing",
                                        [PTX_FOUND_OUT_OF_BOUNDS] = "access out of bounds",
                                        [PTX_FOUND_FREED] = "access to freed memory",
                                        [PTX_FOUND_HOST_MEMORY] = "access to host memory",
                                        [PTX_FOUND_SHARED_BOUNDS] = "shared-memory access out of bounds",
                                        [PTX_FOUND_LOCAL_BOUNDS] = "local-memory access out of bounds",
                                        [PTX_FOUND_MISALIGNED] = "misaligned access",
                                        [PTX_FOUND_SHARED_RACE] = "shared-memory race",
                                        [PTX_FOUND_GLOBAL_RACE] = "global-memory race",
                                        [PTX_FOUND_UNINITIALISED] = "read of uninitialised shared memory",
                                        [PTX_FOUND_MISSING_WAIT] = "missing wait",
                                        [PTX_FOUND_MISSING_FENCE] = "missing proxy fence",
                                        [PTX_FOUND_DEADLOCK] = "deadlock",
                                        [PTX_FOUND_BARRIER] = "barrier misuse",
                                        [PTX_FOUND_TRAP] = "trap",
                                        [PTX_FOUND_ASSERT] = "assertion failed",
                                        [PTX_FOUND_ILLEGAL] = "illegal instruction",
                                        [PTX_FOUND_UNSUPPORTED] = "unsupported instruction",
                                        [PTX_FOUND_TIMEOUT] = "timeout"};
    return names[kind];
}

/* Room for one more finding, under the lock; NULL where enough are kept. */
static ptx_finding *next_finding(launch_state *l, char **text)
{
    ptx_report *r = l->report;
    r->finding_total++;
    if (r->finding_count == MOST_FINDINGS)
        return NULL;
    *text = l->kept->texts[r->finding_count];
    return &l->kept->findings[r->finding_count++];
}

static void describe_lanes(const warp *w, uint32_t lanes, char *out, size_t bytes)
{
    const uint32_t *b = w->launch->block, first = (uint32_t)__builtin_ctz(lanes ? lanes : 1),
                   t = w->number * 32 + first;
    int n = snprintf(out, bytes, "thread (%u,%u,%u)", t % b[0], t / b[0] % b[1], t / b[0] / b[1]);
    if (lanes & (lanes - 1))
        snprintf(out + n, bytes - (size_t)n, " and %d more lanes of warp %u", __builtin_popcount(lanes) - 1,
                 w->number);
}

static bool is_race(ptx_finding_kind kind)
{
    return kind == PTX_FOUND_SHARED_RACE || kind == PTX_FOUND_GLOBAL_RACE || kind == PTX_FOUND_UNINITIALISED;
}

const insn *found(warp *w, const insn *i, uint32_t lanes, ptx_finding_kind kind, uint64_t address,
                  const char *format, ...)
{
    launch_state *l = w->launch;
    const bool ends = !(l->checks & PTX_CHECK_CONTINUE && is_race(kind));
    char details[2048], who[160], *text;
    va_list list;
    va_start(list, format);
    vsnprintf(details, sizeof details, format, list);
    va_end(list);
    pthread_mutex_lock(&l->lock);
    if (!atomic_load(&l->stop)) {
        ptx_finding *f = next_finding(l, &text);
        if (f) {
            const ptx_function *function = w->fragments[w->current].function;
            const uint32_t *b = w->block->index;
            describe_lanes(w, lanes, who, sizeof who);
            *f = (ptx_finding){.kind = kind,
                               .block = {b[0], b[1], b[2]},
                               .warp = w->number,
                               .lanes = lanes,
                               .address = address,
                               .text = text};
            f->file = program_file(function, i, &f->line);
            f->ptx_line = function->lines[i - function->code].ptx_line;
            snprintf(text, TEXT_BYTES, "%s in kernel %s, block (%u,%u,%u), %s, at %s:%u: %s",
                     finding_name(kind), l->function->info.name, b[0], b[1], b[2], who, f->file, f->line,
                     details);
        }
        if (ends)
            atomic_store(&l->stop, true);
    }
    pthread_mutex_unlock(&l->lock);
    return NULL;
}

/* ---- where everybody stands ---- */

static size_t describe_fragment(const warp *w, const fragment *f, char *out, size_t bytes)
{
    char place[300], what[96] = "runs";
    program_place(f->function, f->pc, place, sizeof place);
    if (f->state == FRAGMENT_BARRIER)
        snprintf(what, sizeof what, "waits at barrier %u (%u threads arrived)", f->wait,
                 w->block->barriers[f->wait].arrived);
    else if (f->state == FRAGMENT_MEMBERS)
        snprintf(what, sizeof what, "waits for lanes %08x", f->wait & w->live & ~f->mask);
    else if (f->state == FRAGMENT_MBARRIER)
        snprintf(what, sizeof what, "waits on the mbarrier at byte %lld of shared memory",
                 (long long)(f->wait_address & 0xffffff) - SHARED_START);
    else if (f->state == FRAGMENT_CLUSTER)
        snprintf(what, sizeof what, "waits at the cluster's barrier");
    const int n = snprintf(out, bytes, "; warp %u lanes %08x %s at %s", w->number, f->mask, what, place);
    return n < 0 ? 0 : (size_t)n < bytes ? (size_t)n : bytes - 1;
}

static size_t describe_warp(const warp *w, char *out, size_t bytes)
{
    size_t used = 0;
    out[0] = 0;
    for (uint32_t k = 0; k < w->fragment_high; k++)
        if (w->fragments[k].state != FRAGMENT_FREE)
            used += describe_fragment(w, &w->fragments[k], out + used, bytes - used);
    for (uint32_t k = 0; k < w->meeting_count; k++)
        if (w->meetings[k].used && w->meetings[k].arrived && used + 64 < bytes)
            used += (size_t)snprintf(out + used, bytes - used, "; warp %u lanes %08x wait to join lanes %08x",
                                     w->number, w->meetings[k].arrived,
                                     w->meetings[k].expected & ~w->meetings[k].arrived);
    return used;
}

void found_gang(gang *g, ptx_finding_kind kind, const char *what)
{
    launch_state *l = g->launch;
    char *text;
    pthread_mutex_lock(&l->lock);
    if (!atomic_load(&l->stop)) {
        ptx_finding *f = next_finding(l, &text);
        if (f) {
            const uint32_t *b = g->blocks[0].index;
            *f = (ptx_finding){
                .kind = kind, .block = {b[0], b[1], b[2]}, .text = text, .file = l->function->module->name};
            size_t used =
                (size_t)snprintf(text, TEXT_BYTES, "%s in kernel %s, block (%u,%u,%u): %s",
                                 finding_name(kind), l->function->info.name, b[0], b[1], b[2], what);
            for (uint32_t r = 0; r < g->block_count; r++) {
                if (g->block_count > 1 && used + 64 < TEXT_BYTES)
                    used +=
                        (size_t)snprintf(text + used, TEXT_BYTES - used, "; block (%u,%u,%u) of the cluster",
                                         g->blocks[r].index[0], g->blocks[r].index[1], g->blocks[r].index[2]);
                for (uint32_t k = 0; k < g->blocks[r].warp_count && used + 400 < TEXT_BYTES; k++) {
                    const warp *w = &g->blocks[r].warps[k];
                    if (!w->live)
                        continue;
                    for (uint32_t n = 0; n < w->fragment_high && !f->line; n++)
                        if (w->fragments[n].state != FRAGMENT_FREE) {
                            f->file = program_file(w->fragments[n].function, w->fragments[n].pc, &f->line);
                            f->warp = k;
                            f->lanes = w->fragments[n].mask;
                        }
                    used += describe_warp(w, text + used, TEXT_BYTES - used);
                }
            }
        }
        atomic_store(&l->stop, true);
    }
    pthread_mutex_unlock(&l->lock);
}
