/* The modules that a tuning needs before it knows which run it is. Inside the tuner only. */
#ifndef ASSAY_TUNE_FIRST_MODULES_H
#define ASSAY_TUNE_FIRST_MODULES_H

#include "tune/tuner/search.h"

/* Compile the default configuration; `hash` gets its module's source_sha256, which says of which kernel the run is. Where compiling does not
 * disturb measuring, what a fresh run asks for first is compiled beside it, so that the first batches need not wait once more: a run that goes on,
 * or has other seeds, asks for others and has these compiled already or in vain. */
assay_status first_modules_make(search *s, char hash[65], assay_error *error);

#endif
