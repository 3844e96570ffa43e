/* Edge cases that no one lists: parameters drawn over their ranges. */
#ifndef ASSAY_VERIFY_DRAWN_H
#define ASSAY_VERIFY_DRAWN_H

#include "core/opspec.h"
#include <stdint.h>

/* What a round takes for each real parameter with "min" and "max": any value, the smallest, the largest,
 * one just beside the default, and one just beside 0. A kernel may have a path of its own for the default
 * or for 0 and take it too often. */
enum { DRAWN_ANY, DRAWN_SMALLEST, DRAWN_LARGEST, DRAWN_BESIDE_DEFAULT, DRAWN_BESIDE_ZERO, DRAWN_ROUNDS };

/* How many combinations of the op's choices and booleans there are; 0 where no parameter has a range. */
int drawn_combinations(const opspec *spec);

/* Put parameters into an edge case that has its dims already, and name it by them. The rounds beside a
 * value run once. */
void drawn_parameters(const opspec *spec, uint64_t seed, int combination, int round, opspec_edge *edge);

#endif
