/* Between a tuner and the processes of its cards, as they lie in memory: both are one program. Inside cards.c, card_serve.c and shape_cards.c
 * only. */
#ifndef ASSAY_TUNE_CARD_MESSAGES_H
#define ASSAY_TUNE_CARD_MESSAGES_H

#include "tune/tuner/cards.h"

/* What every card evaluates. Borrowed. */
typedef struct card_subject {
    workspace *ws;
    const workspace_op *op;
    const tune_options *options;
    int cards; /* that share the machine's cores */
} card_subject;

/* Said once the card is open. */
typedef struct card_hello {
    assay_status status;
    char message[400];
    assay_device_info device;
} card_hello;

typedef struct card_request {
    int count;
    double best_us;
    configuration items[EVALUATE_MOST];
} card_request;

/* Followed by as many card_candidate as were asked for, each with the bytes of its report. */
typedef struct card_reply {
    assay_status status;
    char message[400];
    evaluator_times spent; /* since the reply before */
} card_reply;

typedef struct card_candidate {
    tune_candidate candidate; /* its report is not there */
    size_t report_bytes;      /* with its end; 0: none */
} card_candidate;

/* All of it, or 0: the other end is gone. */
int card_read(int fd, void *to, size_t bytes);
int card_write(int fd, const void *from, size_t bytes);

/* In a card's process: see that device alone, with its results in the workspace (`is_first`) or in BUILD/devices/cards/NUMBER/. */
assay_status card_open(workspace *ws, int number, int is_first, assay_device_info *info, assay_error *error);

/* Let what this process computes itself take its share of the cores. */
void card_share_cores(int cards);

/* The process of a card: evaluates what it is asked until the connection or `parent` ends. `is_first`: its results are the workspace's. */
void card_serve(const card_subject *subject, int number, int is_first, long parent, int fd)
    __attribute__((noreturn));

#endif
