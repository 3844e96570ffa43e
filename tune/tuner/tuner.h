/* The tuner: a strategy proposes configurations of a variant, evaluate/ compiles, verifies and times them, the archive keeps each as soon
 * as it is decided, and the best are measured again, interleaved with the default, before one is named. A run that was killed goes on where
 * it stopped: the same strategy and seed ask for the same configurations, and what the archive has of them is not measured again. */
#ifndef ASSAY_TUNE_TUNER_H
#define ASSAY_TUNE_TUNER_H

#include "tune/tuner/tuning.h"

/* Tune. The results folder of the card must be chosen. ASSAY_OK: searched, perhaps interrupted; release the outcome either way.
 * ASSAY_ERR_INVALID: no such strategy, variant without tunables, no valid configuration. */
assay_status tune_run(workspace *ws, const workspace_op *op, const tune_options *options,
                      tune_outcome *outcome, assay_error *error);
void tune_outcome_release(tune_outcome *outcome);

/* The outcome for programs. New reference. */
json_t *tune_outcome_json(const tune_outcome *outcome);

/* ---- parts, for tests and the report ---- */

/* Finalists, their verdicts and the winner. */
assay_status tune_finals(const tune_options *options, evaluator *e, tune_outcome *outcome,
                         assay_error *error);
/* What ops/OP/best/ARCH.json gets of a run: a new reference, or NULL where the winner is not measurably faster than the default, or the size
 * is a shape of the user's. */
json_t *tune_winner_row(const tune_options *options, const tune_outcome *outcome);
/* Add a row to that file, in place of its row of that variant, dtype and size. `saved` gets the file's path. */
assay_status tune_put_winner(const workspace *ws, const workspace_op *op, json_t *row, char saved[4400],
                             assay_error *error);
/* Write LOGS/OP_tuning.md, or what options->report names. Sets outcome->report. */
assay_status tune_report_write(const tune_options *options, tune_outcome *outcome, assay_error *error);

#endif
