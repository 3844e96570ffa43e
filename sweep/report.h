/* What a sweep leaves behind: logs/OP_sweep.md with its plots, a table on the terminal, and JSON for programs. */
#ifndef ASSAY_SWEEP_REPORT_H
#define ASSAY_SWEEP_REPORT_H

#include "report/text_buffer.h"
#include "sweep/summary.h"

enum { SWEEP_WORST = 10 };

/* How the sweep was asked for. */
typedef struct sweep_request {
    char command[1024]; /* that repeats it */
    const char *device, *baselines;
    uint64_t seed; /* 0: a list of shapes was given */
    int timed;
    timing_mode mode;
    const char *missed; /* what --require misses; "" for nothing */
} sweep_request;

/* "1.23x"; below 0.1 with two digits that say something. */
void sweep_ratio_text(char *out, size_t bytes, double ratio);

/* The terminal's text: wrong shapes, a line a dtype and variant, the worst shapes. */
void sweep_print(const sweep_outcome *out, const sweep_summary *summary, const sweep_request *request,
                 FILE *to);
/* New reference. */
json_t *sweep_json(const sweep_outcome *out, const sweep_summary *summary, const sweep_request *request);
/* Write logs/OP_sweep.md and, unless `no_plots` or nothing was compared, its plots. `path` gets the log's. What plots lack is said in
 * the log. */
assay_status sweep_report_write(const workspace *ws, const sweep_outcome *out, const sweep_summary *summary,
                                const sweep_request *request, int no_plots, char *path, size_t path_bytes,
                                assay_error *error);

/* Two plots of the op: NAME_dims (ratio against each dimension) and NAME_heat (geometric mean over the two dimensions that vary most).
 * `why` gets why there is none, "" otherwise; `heat` 0 where fewer than two dimensions vary. */
assay_status sweep_plots_draw(const workspace *ws, const sweep_outcome *out, const char *name, int *heat,
                              char *why, size_t bytes, assay_error *error);

#endif
