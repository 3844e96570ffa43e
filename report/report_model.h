/* The results of one card in memory, and what is derived from them. Internal to report/.
 *
 * An entry is one op x kernel x dtype x size; a kernel is a variant or a baseline. Entries are made from the
 * files found and from the workspace's own list of variants, so that a case without any file is an entry too
 * and shows up as not run.
 *
 * All entries with a result may stand in one table: report_select.c leaves out what belongs to another
 * problem, card, host or method. */
#ifndef ASSAY_REPORT_REPORT_MODEL_H
#define ASSAY_REPORT_REPORT_MODEL_H

#include "core/workspace.h"
#include "report/verdict_record.h"
#include "results/result.h"

enum { REPORT_MAX_CEILINGS = 16, REPORT_HUGE = 1000 };

typedef struct report_times {        /* of one timing mode; in microseconds */
    double mean_us, low_us, high_us; /* low, high: 95% interval of the mean. NAN: unknown */
    double percent_of_roofline;      /* NAN: there is no bound */
    int above_roofline;              /* less time than the bound allows: a measuring error */
} report_times;

/* What is known of an entry. Only STATE_TIMED and STATE_UNSTABLE carry a time. */
typedef enum report_state {
    STATE_TIMED,
    STATE_UNSTABLE,
    STATE_STALE,        /* timed, but with another source than the present verdict or module */
    STATE_WRONG_OUTPUT, /* timed, but the output of the timed runs was wrong */
    STATE_NOT_COMPILED,
    STATE_FAILED,      /* the correctness run failed, crashed or timed out */
    STATE_NOT_TIMED,   /* the reason is in the result or verdict */
    STATE_UNAVAILABLE, /* a baseline that is not there */
    STATE_REMOVED,     /* a variant whose source file is gone: its files are shown and count for nothing */
    STATE_MISSING      /* no file says anything */
} report_state;

typedef struct report_entry {
    int op; /* index into ws->ops */
    result_kind kind;
    char name[ASSAY_NAME_MAX]; /* "v4_optimized", "torch_eager" */
    int dtype,
        size; /* indices into the op's dtypes and sizes; size_count stands for "edge", REPORT_HUGE for "huge" */
    const verdict_record *verdict; /* owned by the model, like the result; either may be NULL */
    const result *result;
    report_times times[TIMING_MODES]; /* overhead-corrected where overhead_shift_us is not 0 */
    double overhead_shift_us;         /* what was added to a baseline's cold times: report_overhead.h */
    report_state state;
    char reason[256]; /* one line; "" where the state says it all */
} report_entry;

typedef struct report_ceiling {
    char name[32], unit[16];
    double low, high;                     /* of the samples; NAN if unknown */
    double median, theoretical, possible; /* possible: the best measured or theoretical, whichever is more */
} report_ceiling;

typedef struct
    report_note { /* a file that cannot be used and why; or results that are not shown: how many, and why */
    char file[512], reason[512];
    int count, op; /* op: index into ws->ops, -1 if the note is of no one op */
} report_note;
typedef struct report_notes {
    report_note *items;
    int count, capacity;
} report_notes;

typedef struct report_model {
    const workspace *ws;
    char results[4096];
    report_entry *entries; /* sorted: op, dtype, kind, name, size */
    int count, capacity;
    report_entry
        *huge; /* verdicts of large-tensor checks, made on request: no column of tables; sorted alike */
    int huge_count, huge_capacity;
    report_notes unreadable, left_out;
    report_ceiling ceilings[REPORT_MAX_CEILINGS];
    int ceiling_count;
    int file_count; /* usable verdicts and results */
    int cpu;        /* 1: the files come from the CPU SIMT device */
    char device[128], slug[128], time[32], commit[64];
    int dirty;
} report_model;

void report_model_release(report_model *model);

/* ASSAY_ERR_FORMAT with the number of unusable files, if there are any; naming them is the caller's. */
assay_status report_model_verdict(const report_model *model, assay_error *error);

/* "3 results not shown: dimensions ..." */
void report_left_out_text(const report_note *note, char *out, size_t bytes);

/* Keep the entries, and the notes on results left out, of the ops and dtypes that the filter selects; the rest
 * is freed. Its variants and sizes do not count: kernels of an op are compared with each other over all sizes. */
void report_model_keep(report_model *model, const case_filter *filter);

/* One more note, of no one op; `count` of an equal one grows instead. NULL without memory; else valid until the next
 * one is added. */
report_note *report_notes_add(report_notes *notes, const char *file, const char *reason);

int report_entry_compare(const report_entry *a, const report_entry *b);
/* The entries of an op, or of one of its dtypes, are neighbours: [first, end). dtype < 0: all dtypes. */
void report_range(const report_model *model, int op, int dtype, int *first, int *end);
/* NULL if there is none. */
const report_entry *report_find(const report_model *model, int op, int dtype, result_kind kind,
                                const char *name, int size);
int report_has_time(const report_entry *entry, timing_mode mode);
int report_op_has_files(const report_model *model, int op);

/* NAN if that ceiling was not measured. Units as in docs/formats.md. */
double report_ceiling_of(const report_model *model, const char *name);
/* The arithmetic rate that bounds an op's dtype, in TFLOP/s, and its label, by results/roofline_units.h. "" and NAN
 * if not measured. */
double report_compute_bound(const report_model *model, int op, int dtype, int tf32, const char **name);
/* The memory bandwidth that bounds all ops, in GB/s: the better of copy and read, for an op that mostly
 * reads may stream faster than a copy. NAN if neither was measured. */
double report_bandwidth(const report_model *model, const char **name);
/* The same two by the best that was measured or is theoretical, whichever is more: nothing can be faster. */
double report_possible_compute(const report_model *model, int op, int dtype, int tf32);
double report_possible_bandwidth(const report_model *model);
/* min(bandwidth * intensity, arithmetic rate) in TFLOP/s; NAN if there is no bound. */
double report_roofline_tflops(const report_model *model, int op, int dtype, int tf32, double intensity);

/* Name of an op's dtype by its index. Never NULL. */
const char *report_dtype_name(const opspec *spec, int dtype);
/* "small", "edge", "huge" */
const char *report_size_name(const opspec *spec, int size);
int report_is_tf32(const report_entry *entry);

#endif
