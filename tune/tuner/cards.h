/* One tuning over several cards of one kind: a process for each card verifies and times batches, one at a time, and this process compiles
 * and decides. The processes are forked before anything here asks for a device.
 *
 * Times of two cards are never held against each other as they are. Each card also times the default configuration, once, with its first
 * batch; a candidate's time on a card, over the default's there, times the default's on the first card, is what is ranked and kept
 * (tune_card.factor). The finals are timed on the first card alone. */
#ifndef ASSAY_TUNE_CARDS_H
#define ASSAY_TUNE_CARDS_H

#include "tune/evaluate/evaluate.h"

enum { TUNE_MOST_CARDS = 16 };

typedef struct tune_options tune_options;

typedef enum tune_card_phase { CARD_FREE, CARD_BUSY, CARD_LOST } tune_card_phase;

typedef struct tune_card {
    int number; /* of the device */
    long pid;   /* 0: ended */
    int fd;     /* both ways */
    tune_card_phase phase;
    char name[128], uuid[64];
    double default_us; /* of the default configuration, here; NAN: not timed yet */
    double factor;     /* from a time here to one of the first card; NAN: not known yet */
    int evaluations;   /* of these, timed or not */
    char lost[300];    /* why it takes no more work; "" */
} tune_card;

typedef struct tune_cards {
    int count;
    tune_card items[TUNE_MOST_CARDS];
    evaluator_times spent; /* of all cards together */
} tune_cards;

/* Of one kind: the same name, multiprocessors and memory. */
int tune_cards_are_alike(const assay_device_info *a, const assay_device_info *b);
/* The devices of the first one's kind, the first one first. A process of its own asks, so that this
 * one has no device open afterwards. 0: there is none. */
int tune_cards_alike(const char *kind, int numbers[TUNE_MOST_CARDS]);

/* Start a process for each device. The first one's results are the workspace's; those of the others lie in BUILD/devices/cards/NUMBER/.
 * `options`: variant, dtype, size and how to evaluate. ASSAY_ERR_ENVIRONMENT: a device is not there, or is of another kind than the first.
 * Stop them in any case. */
assay_status tune_cards_start(workspace *ws, const workspace_op *op, const tune_options *options,
                              const int *numbers, int count, tune_cards *out, assay_error *error);
void tune_cards_stop(tune_cards *cards);
/* Hand an interrupt on. */
void tune_cards_interrupt(const tune_cards *cards);

/* Let a free card verify and time those of the batch that are not decided, and `beside` (may be NULL). `best_us` as evaluate_finish() has it, in times of the card. */
assay_status tune_card_send(tune_card *card, const tune_candidate *batch, int count,
                            const tune_candidate *beside, double best_us, assay_error *error);
/* Wait at most `wait_ms` until a busy card has answered: its index; -1: none did. */
int tune_cards_wait(const tune_cards *cards, int wait_ms);
/* Its answer into what was sent; times are the card's own. ASSAY_ERR_ENVIRONMENT: nothing more can be evaluated on that card. */
assay_status tune_card_receive(tune_cards *cards, tune_card *card, tune_candidate *batch, int count,
                               tune_candidate *beside, assay_error *error);

#endif
