/* Screening: candidates run on the CPU device first, with every access watched, so that races, accesses out of bounds and boundary shapes
 * cost no GPU time, and what is right only by luck is found. Small problems: the size "small" and the edge cases. */
#ifndef ASSAY_TUNE_EVALUATE_SCREEN_H
#define ASSAY_TUNE_EVALUATE_SCREEN_H

#include "tune/evaluate/evaluate.h"

/* Open a build folder of the CPU device for screening. ASSAY_ERR_INVALID: another device, or without watched modules (sanitizers). */
assay_status screen_open(const char *build, workspace **cpu, assay_error *error);

/* Judge the candidates that are not decided. What is wrong there is decided as wrong here; a kernel that does not compile for the CPU
 * device, or that it cannot run, is left to the GPU. */
assay_status screen_batch(workspace *cpu, const tune_subject *subject, tune_candidate *batch, int count,
                          double limit_s, assay_error *error);

#endif
