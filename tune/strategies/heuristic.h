/* How promising a configuration looks from what its parameters stand for, before anything is measured. */
#ifndef ASSAY_TUNE_HEURISTIC_H
#define ASSAY_TUNE_HEURISTIC_H

#include "tune/space/space.h"

/* 0 ... 1, larger is better: the product of what each known role says. Where roles say nothing it is 1 for every configuration.
 * - occupancy: warps that fit on a multiprocessor (resources/occupancy.h), of which half is enough
 * - reuse: operations a byte of a tile, BLOCK_M BLOCK_N / (BLOCK_M + BLOCK_N), against what a tile can have at most
 * - alignment: vectors of 16 bytes, threads in whole warps, tiles that divide the problem
 * - waves: blocks of the last, partly filled wave of the grid */
double heuristic_score(const space *s, const configuration *c);

/* 1 if the space says enough for scores to differ. */
int heuristic_is_informed(const space *s);

#endif
