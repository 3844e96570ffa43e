/* Why a case is as fast as it is: collect what can be known, decide what bounds it, and write the pages.
 *
 * Sources, the best that is there: ncu on the card; files that ncu wrote elsewhere; a device that counts; and always the measured
 * position and the compiler's report. The page says which. Times of a profiler are shown and rank nothing. */
#ifndef ASSAY_PROFILE_PROFILE_H
#define ASSAY_PROFILE_PROFILE_H

#include "core/workspace.h"
#include "profile/classify.h"
#include "profile/position.h"

/* A device that executes a case and counts exactly: it adds its kernels, metrics and lines (origin METRIC_COUNTED) to `out`.
 * ASSAY_ERR_UNSUPPORTED: not this case, with the reason. */
typedef struct profile_counter {
    const char *name; /* "ptx device" */
    assay_status (*count)(void *context, const workspace *ws, const assay_case *c, launch_profile *out,
                          assay_error *error);
    void *context;
} profile_counter;

enum { PROFILE_MOST_FILES = 4 };

typedef struct profile_options {
    const char *folder;  /* where files go */
    const char *results; /* results of a card; NULL: none */
    const char
        *files[PROFILE_MOST_FILES]; /* pages that ncu printed (raw, details, source); then ncu is not run */
    int file_count;
    int use_ncu; /* run ncu where there are no files; its absence is said, and is no error */
    const profile_counter *counter; /* NULL: none */
} profile_options;

typedef struct case_profile {
    const workspace *ws;
    assay_case c;
    char name[256];
    const char *source;      /* "ncu", "files of ncu", "counted", "compiler and measurements" */
    assay_status ncu_status; /* of running ncu; ASSAY_ERR_ENVIRONMENT: no case will have counters here */
    char reason[640];        /* why there are no counters; "" there are */
    position position;
    launch_profile launch;
    double least_bytes;          /* of the op's definition; NAN: not known */
    const profiled_kernel *main; /* the kernel that the verdict is of; NULL: nothing is known of any */
    bottleneck verdict;
} case_profile;

/* Profile one case. ASSAY_ERR_FORMAT: a file is no page of ncu. ASSAY_ERR_CHECK: interrupted. `out` is zeroed first; release it also
 * after an error; it must not be moved. */
assay_status profile_case(const workspace *ws, const assay_case *c, const profile_options *options,
                          case_profile *out, assay_error *error);
void profile_release(case_profile *profile);

/* Put the bytes that ncu counted, and the verdict, into the case's result below ws->results, if ncu ran and the case was timed there.
 * Nothing else of a profile goes into results: its times rank nothing. */
assay_status profile_add_to_result(const case_profile *profile, assay_error *error);

/* What ncu's own speed-of-light rule says of it, one line: "ncu agrees: memory-bound", "ncu gives no verdict", or both verdicts with our rule and
 * its numbers. 1: they agree, or ncu says nothing. */
int profile_ncu_verdict(const case_profile *profile, char *out, size_t out_bytes);

/* The pages, as Markdown: FOLDER/ncu_summary.md and FOLDER/ncu_details.md, and FOLDER/profile.json. */
assay_status profile_write(const case_profile *profile, const char *folder, assay_error *error);
/* The same as JSON (docs/formats.md). New reference. */
json_t *profile_json(const case_profile *profile);

/* The page of the op's summary as text, malloc'ed; NULL without memory. */
char *profile_summary_text(const case_profile *profile);
char *profile_details_text(const case_profile *profile);

#endif
