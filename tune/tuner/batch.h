/* One batch of a search. Inside batches.c, card_batches.c and run_batches.c only. */
#ifndef ASSAY_TUNE_BATCH_H
#define ASSAY_TUNE_BATCH_H

#include "tune/tuner/search.h"

typedef enum batch_phase {
    BATCH_COMPILING,
    BATCH_WAITING,   /* for a card */
    BATCH_MEASURING, /* on card `card` of several */
    BATCH_MEASURED,  /* there, in its times, until its factor is known */
    BATCH_DONE
} batch_phase;

typedef struct tune_batch {
    tune_candidate items[EVALUATE_MOST];
    int recorded[EVALUATE_MOST]; /* taken from the archive */
    int sent[EVALUATE_MOST];     /* not decided by the compiler's report */
    double at_s[EVALUATE_MOST];  /* of the run when it was decided */
    int count, card;
    batch_phase phase;
} tune_batch;

/* Batches asked for and not told, in the order asked. */
typedef struct batch_window {
    tune_batch *items; /* owned; a ring */
    int capacity, first, count;
} batch_window;

/* Room for `capacity` batches; window_release() gives it back, with the candidates. */
assay_status window_create(int capacity, batch_window *w, assay_error *error);
void window_release(batch_window *w);
tune_batch *window_at(const batch_window *w, int i); /* 0: the oldest */

/* Ask for batches until the window is full or the search is over. */
assay_status window_fill(search *s, batch_window *w, assay_error *error);
/* Keep what is decided of a batch, which is then BATCH_DONE. What an interrupt left undecided is dropped. */
assay_status batch_keep(search *s, tune_batch *b, assay_error *error);
/* Tell the strategy of the oldest batches that are done, and ask for another for each. */
assay_status window_tell(search *s, batch_window *w, assay_error *error);

/* search_run_batches() over s->o->cards. */
assay_status search_run_on_cards(search *s, batch_window *w, assay_error *error);

#endif
