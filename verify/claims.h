/* Which extras of op.json a kernel from outside claims by its text: it reads a parameter that only extras
 * set. */
#ifndef ASSAY_VERIFY_CLAIMS_H
#define ASSAY_VERIFY_CLAIMS_H

#include "core/opspec.h"
#include <stdint.h>

/* The parameters of the op that the source reads as members (`args->batch`, `args.batch`), bit i for
 * params[i]. Comments and strings do not count; 0 for a file that cannot be read. */
uint64_t claims_read(const opspec *spec, const char *source);

/* 1 if an edge case of an extra sets parameters that edge cases of no extra set, and all of them are among
 * `read`: a kernel that reads them means to heed them. Cases for the code paths of some variants are not
 * claimed so. */
int claims_edge(const opspec *spec, const opspec_edge *edge, uint64_t read);

#endif
