/* Batches of a search, from the strategy's proposal to what it is told: see search.h.
 *
 * Batches are asked for and told in one order, one asked for each one told, whichever card is faster: a run that was killed asks for the
 * same ones again. What is decided is kept in the archive at once, in whatever order. */
#include "bench/timing/clock.h"
#include "core/process.h"
#include "tune/tuner/batch.h"
#include "tune/tuner/search.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL_BYTES = TUNED_VARIANT_TEXT_MAX };

int search_window(const tune_options *o, const char *device_kind)
{
    if (o->cards)
        return 2 * o->cards->count < EVALUATE_BATCHES ? 2 * o->cards->count : EVALUATE_BATCHES;
    return strcmp(device_kind, "cuda") == 0 ? 2 : 1;
}

/* The next batch of the strategy; its compiling starts. A count of 0: the search is over, and outcome->end says why. */
static assay_status ask(search *s, tune_batch *b, assay_error *error)
{
    configuration asked[EVALUATE_MOST];
    char values[LABEL_BYTES];
    const long left = s->o->evaluations > 0 ? s->o->evaluations - s->asked : s->log.batch;
    const int wanted = left < s->log.batch ? (int)left : s->log.batch;
    *b = (tune_batch){.card = -1};
    if (s->out->end[0])
        return ASSAY_OK;
    if (process_interrupted())
        snprintf(s->out->end, sizeof s->out->end, "interrupted");
    else if (wanted <= 0)
        snprintf(s->out->end, sizeof s->out->end, "evaluations");
    else if (s->o->budget_s > 0 && search_elapsed_s(s) >= s->o->budget_s && s->asked >= s->log.recorded_count)
        snprintf(s->out->end, sizeof s->out->end, "budget");
    else if (s->o->target_us > 0 && s->out->best >= 0 &&
             s->out->candidates[s->out->best].time_us <= s->o->target_us)
        snprintf(s->out->end, sizeof s->out->end, "target");
    else if (s->o->patience > 0 && s->out->count - s->best_at >= s->o->patience)
        snprintf(s->out->end, sizeof s->out->end, "patience");
    if (s->out->end[0])
        return ASSAY_OK;
    const int count = strategy_ask(s->st, asked, wanted);
    if (count == 0)
        snprintf(s->out->end, sizeof s->out->end, "exhausted");
    assay_status status = ASSAY_OK;
    for (int i = 0; i < count && status == ASSAY_OK; i++) {
        tune_candidate *c = &b->items[b->count++];
        status = tune_candidate_make(&s->out->subject, &asked[i], c, error);
        tuned_variant_text(&c->tuned, values);
        const recorded_candidate *known = tune_log_find(&s->log, values);
        if (known)
            tune_log_take(known, c);
        b->recorded[i] = known != NULL;
    }
    s->asked += count;
    return status == ASSAY_OK && b->count > 0 ? evaluate_begin(s->e, b->items, b->count, error) : status;
}

static void say_candidate(const search *s, const tune_candidate *c)
{
    const tune_outcome *out = s->out;
    char values[LABEL_BYTES], best[LABEL_BYTES] = "", limit[32] = "";
    const long seconds = lround(out->elapsed_s[out->count - 1]);
    tuned_variant_text(&c->tuned, values);
    if (s->o->evaluations > 0)
        snprintf(limit, sizeof limit, "/%ld", s->o->evaluations);
    search_say(s, "[%3d%s  %ld:%02ld] %s  ", out->count, limit, seconds / 60, seconds % 60, values);
    if (c->status == EVALUATION_SUCCESS)
        search_say(s, "%.4g us", c->time_us);
    else
        search_say(s, "%s: %.100s%s", evaluation_status_name(c->status), c->reason,
                   strlen(c->reason) > 100 ? "..." : "");
    if (out->best >= 0) {
        const tune_candidate *leader = &out->candidates[out->best];
        const double speedup = tune_default_us(out) / leader->time_us;
        tuned_variant_text(&leader->tuned, best);
        if (out->best == out->count - 1)
            search_say(s, "  best so far");
        else
            search_say(s, "  best %.4g us", leader->time_us);
        if (!isnan(speedup))
            search_say(s, ", %.3fx the default", speedup);
    }
    search_say(s, "\n");
}

static assay_status add_outcome(search *s, const tune_candidate *c, double at_s, assay_error *error)
{
    tune_outcome *out = s->out;
    if (out->count == out->capacity) {
        const int capacity = out->capacity ? 2 * out->capacity : 64;
        tune_candidate *grown = realloc(out->candidates, (size_t)capacity * sizeof *grown);
        out->candidates = grown ? grown : out->candidates;
        double *times = grown ? realloc(out->elapsed_s, (size_t)capacity * sizeof *times) : NULL;
        out->elapsed_s = times ? times : out->elapsed_s;
        if (!grown || !times)
            return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
        out->capacity = capacity;
    }
    out->candidates[out->count] = *c;
    out->elapsed_s[out->count++] = at_s;
    out->counts[c->status]++;
    if (c->status == EVALUATION_SUCCESS &&
        (out->best < 0 || c->time_us < out->candidates[out->best].time_us)) {
        out->best = out->count - 1;
        s->best_at = out->count;
    }
    return ASSAY_OK;
}

assay_status batch_keep(search *s, tune_batch *b, assay_error *error)
{
    assay_status status = ASSAY_OK;
    char values[LABEL_BYTES];
    b->phase = BATCH_DONE;
    for (int i = 0; i < b->count && status == ASSAY_OK; i++) {
        tune_candidate *c = &b->items[i];
        tuned_variant_text(&c->tuned, values);
        const recorded_candidate *known = b->recorded[i] ? tune_log_find(&s->log, values) : NULL;
        b->at_s[i] = known ? known->elapsed_s : search_elapsed_s(s);
        if (c->done && !known)
            status = tune_log_add(&s->log, c, error);
    }
    return status;
}

static assay_status tell(search *s, tune_batch *b, assay_error *error)
{
    assay_status status = ASSAY_OK;
    for (int i = 0; i < b->count; i++) {
        tune_candidate *c = &b->items[i];
        if (!c->done || status != ASSAY_OK) {
            tune_candidate_release(c);
            continue;
        }
        status = add_outcome(s, c, b->at_s[i], error);
        s->out->resumed += b->recorded[i];
        const evaluation e = {c->configuration, c->status, c->time_us};
        strategy_tell(s->st, &e);
        if (status == ASSAY_OK)
            say_candidate(s, c);
    }
    return status;
}

/* ---- the window ---- */

assay_status window_create(int capacity, batch_window *w, assay_error *error)
{
    *w = (batch_window){.items = calloc((size_t)capacity, sizeof *w->items), .capacity = capacity};
    return w->items ? ASSAY_OK : assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
}

tune_batch *window_at(const batch_window *w, int i)
{
    return &w->items[(w->first + i) % w->capacity];
}

void window_release(batch_window *w)
{
    for (int i = 0; i < w->count; i++)
        for (int k = 0; k < window_at(w, i)->count; k++)
            tune_candidate_release(&window_at(w, i)->items[k]);
    free(w->items);
    *w = (batch_window){.count = 0};
}

assay_status window_fill(search *s, batch_window *w, assay_error *error)
{
    assay_status status = ASSAY_OK;
    while (status == ASSAY_OK && w->count < w->capacity) {
        tune_batch *b = window_at(w, w->count);
        status = ask(s, b, error);
        if (b->count == 0)
            break;
        w->count++;
    }
    return status;
}

assay_status window_tell(search *s, batch_window *w, assay_error *error)
{
    assay_status status = ASSAY_OK;
    while (status == ASSAY_OK && w->count > 0 && window_at(w, 0)->phase == BATCH_DONE) {
        status = tell(s, window_at(w, 0), error);
        w->first = (w->first + 1) % w->capacity;
        w->count--;
        if (process_interrupted())
            snprintf(s->out->end, sizeof s->out->end, "interrupted");
        if (status == ASSAY_OK)
            status = window_fill(s, w, error);
    }
    return status;
}
