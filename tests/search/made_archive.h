/* Made-up tuning runs for tests of the archive. */
#ifndef ASSAY_TESTS_SEARCH_MADE_ARCHIVE_H
#define ASSAY_TESTS_SEARCH_MADE_ARCHIVE_H

#include "tune/archive/archive.h"

archive_run made_run(const char *size);
/* A success of `us` with label BLOCK_M=64*(1 + i % 4),STAGES=i / 4; every fifth fails to compile. */
archive_candidate made_candidate(int i, char label[64]);

#endif
