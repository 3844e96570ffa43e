/* The batches of a search, one after the other: on the device of this process, or on several cards. */
#include "tune/tuner/batch.h"
#include <math.h>

static double best_us(const search *s)
{
    return s->out->best >= 0 ? s->out->candidates[s->out->best].time_us : NAN;
}

/* The batches behind the first are compiled while the first is measured. */
static assay_status run_here(search *s, batch_window *w, assay_error *error)
{
    assay_status status = window_fill(s, w, error);
    while (status == ASSAY_OK && w->count > 0) {
        tune_batch *first = window_at(w, 0);
        status = evaluate_finish(s->e, first->items, first->count, best_us(s), error);
        const assay_status kept = batch_keep(s, first, status == ASSAY_OK ? error : NULL);
        status = status == ASSAY_OK ? kept : status;
        if (status == ASSAY_OK)
            status = window_tell(s, w, error);
    }
    return status;
}

assay_status search_run_batches(search *s, assay_error *error)
{
    batch_window w;
    assay_status status = window_create(s->log.window, &w, error);
    if (status == ASSAY_OK)
        status = s->o->cards ? search_run_on_cards(s, &w, error) : run_here(s, &w, error);
    window_release(&w);
    return status;
}
