/* Commit times and subjects, asked of git once for each commit that the history does not know them of. */
#ifndef ASSAY_HISTORY_REVISIONS_H
#define ASSAY_HISTORY_REVISIONS_H

#include "history/history.h"

/* A commit that git does not know keeps no time: that is no failure, as results come from anywhere. */
assay_status revisions_ask_git(history *h, const char *source, assay_error *error);

#endif
