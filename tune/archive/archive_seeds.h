/* What earlier runs say of where to begin. */
#ifndef ASSAY_TUNE_ARCHIVE_SEEDS_H
#define ASSAY_TUNE_ARCHIVE_SEEDS_H

#include "tune/archive/archive.h"
#include "tune/space/space.h"

/* The two fastest values of each problem of the same op and variant, the problem most like this one first (card, dtype, then size), as far
 * as they are valid in `s`; none twice. Returns how many of `most` there are; 0 also where the archive cannot be read. */
int archive_seeds(archive *a, const archive_problem *problem, const space *s, configuration *out, int most);

#endif
