/* assay tune --devices with several tunings: on the GPUs of this machine at once, a process for each GPU. (One tuning over several GPUs is
 * tune/tuner/cards.h.) */
#ifndef ASSAY_CLI_TUNE_CARDS_H
#define ASSAY_CLI_TUNE_CARDS_H

#include "cli/tune_plan.h"

/* Each tuning is done on one card, its finals too, and its results are that card's. As many run at a time as a->devices names cards; then
 * archives, results, winners and reports are joined. Interrupted or killed, the same command goes on. *exit_status as tune_on_slurm() has
 * it. ASSAY_ERR_INVALID: the list is none, or names a card twice. */
assay_status tune_on_cards(workspace *ws, tune_arguments *a, const tune_plan *plan, int *exit_status,
                           assay_error *error);

/* The numbers of --devices. ASSAY_ERR_INVALID: no list of numbers, one of them twice, or more than `most`. */
assay_status tune_read_devices(const char *text, int *numbers, int most, int *count, assay_error *error);

#endif
