/* The results of one card in memory, and what is derived from them. Internal to logs/ and plots/.
 *
 * An entry is one op x kernel x dtype x size, where a kernel is a variant, a peer or a bound (a yardstick such as a device
 * copy). Entries are made from the files found and from the workspace's own list of variants, so that a case without
 * any file is an entry too and shows up as not run. */
#ifndef ASSAY_LOGS_REPORT_MODEL_H
#define ASSAY_LOGS_REPORT_MODEL_H

#include "core/method_words.h"
#include "core/workspace.h"
#include <stdio.h>

typedef enum report_kind { REPORT_VARIANT, REPORT_PEER, REPORT_BOUND } report_kind;
enum {
    REPORT_COLD,
    REPORT_HOT,
    REPORT_BURST,
    REPORT_SUSTAINED,
    REPORT_COLD_READ,
    REPORT_HOST,
    REPORT_FIGURES
};
enum { REPORT_MAX_KERNELS = 48, REPORT_MAX_CEILINGS = 16, REPORT_MAX_METHODS = 9, REPORT_HUGE = 1000 };

typedef struct report_figure { /* of one timing method; times in microseconds */
    int present;
    double mean_us, median_us, min_us, p95_us, low_us,
        high_us;                         /* low, high: 95% interval of the mean; NAN if unknown */
    double gbs, tflops, percent_of_roof; /* NAN if unknown */
    int above_roof;
    char flaws
        [160]; /* what its samples lack, "bimodal, drift", or how little is known, "imprecise: 12% either way"; "" for none or if nobody
                        looked */
    char method
        [METHOD_LABEL_BYTES]; /* method_label() of the figure; "" is the usual. Also where there is no time */
} report_figure;

/* What is known of an entry. Only STATE_TIMED and STATE_UNSTABLE carry a time. */
typedef enum report_state {
    STATE_TIMED,
    STATE_UNSTABLE,
    STATE_STALE,        /* timed, but with another source than the present verdict or module */
    STATE_WRONG_OUTPUT, /* timed, but the output of the timed runs was wrong */
    STATE_NOT_COMPILED,
    STATE_FAILED,      /* the correctness run failed, crashed or timed out */
    STATE_NOT_TIMED,   /* the reason is in the result or verdict */
    STATE_UNAVAILABLE, /* a peer that is not there */
    STATE_REMOVED,     /* a variant whose source file is gone: its files are shown and count for nothing */
    STATE_MISSING      /* no file says anything */
} report_state;

/* Clocks, power and temperature around the repetitions of a result, of all figures together. */
enum { HEALTH_SM_MHZ, HEALTH_MEMORY_MHZ, HEALTH_POWER_W, HEALTH_TEMPERATURE_C, HEALTH_VALUES };
typedef struct report_health {
    double low[HEALTH_VALUES], high[HEALTH_VALUES]; /* NAN if unknown */
    long long reasons;                              /* all clock event reasons seen */
} report_health;

typedef struct report_entry {
    int op; /* index into ws->ops */
    report_kind kind;
    char name[ASSAY_NAME_MAX]; /* "v4_optimized", "peer_torch_eager" */
    int dtype,
        size; /* indices into the op's dtypes and sizes; size_count stands for "edge", REPORT_HUGE for "huge" */
    json_t *verdict, *result; /* `result` is the "assay" object without repetitions; either may be NULL */
    report_figure figures[REPORT_FIGURES];
    report_health health;
    double flops, bytes, floor_cold_us, floor_hot_us; /* NAN if unknown */
    double floor_shift_us;       /* what was added to a peer's cold figures, see report_floors.h; else 0 */
    double dram_bytes, l2_bytes; /* really moved by one launch, from counters; 0 if nobody counted */
    report_state state;
    char reason[256]; /* one line; "" where the state says it all */
} report_entry;

typedef struct report_ceiling {
    char name[32], unit[16];
    double low, high;                     /* of the samples; NAN if unknown */
    double median, theoretical, possible; /* possible: the best measured or theoretical, whichever is more */
} report_ceiling;
typedef struct report_unreadable {
    char file[512], reason[512];
} report_unreadable;

typedef struct report_model {
    const workspace *ws;
    char results[4096];
    report_entry *entries; /* sorted: op, kind, name, dtype, size */
    int count, capacity;
    report_entry *
        huge; /* verdicts on tensors above 2^31 elements, judged on request: no column of tables; sorted alike */
    int huge_count, huge_capacity;
    report_unreadable *unreadable;
    int unreadable_count, unreadable_capacity;
    report_ceiling ceilings[REPORT_MAX_CEILINGS];
    int ceiling_count;
    int file_count; /* usable verdicts and results */
    int cpu;        /* 1: the files come from the CPU SIMT device */
    char device[128], slug[128], time[32], commit[64];
    int dirty;
} report_model;

/* Read a results folder (NULL: ws->results). Broken files are listed in the model, never an error here.
 * ASSAY_ERR_INVALID if no usable file is there at all. Release also after a failure. */
assay_status report_model_read(const workspace *ws, const char *results_dir, report_model *model,
                               assay_error *error);
void report_model_release(report_model *model);

/* ASSAY_ERR_FORMAT with the number of unusable files, if there are any; naming them is the caller's. */
assay_status report_model_verdict(const report_model *model, assay_error *error);

/* NULL if there is none. */
const report_entry *report_find(const report_model *model, int op, const char *name, int dtype, int size);
int report_has_time(const report_entry *entry, int figure);
int report_op_has_files(const report_model *model, int op);

/* NAN if that ceiling was not measured. Units as in docs/formats.md. */
double report_ceiling_of(const report_model *model, const char *name);
/* The compute roof that an op's dtype is held against, in TFLOP/s, and its label, by core/roof_rule.h. "" and NAN if not measured. */
double report_compute_roof(const report_model *model, int op, int dtype, int tf32, const char **name);
/* The memory bandwidth that ops are held against, in GB/s: the better of copy and read, for an op that mostly reads may stream
 * faster than a copy. NAN if neither was measured. */
double report_bandwidth(const report_model *model, const char **name);
/* min(bandwidth * intensity, compute roof) in TFLOP/s; NAN if unknown. */
double report_roof_tflops(const report_model *model, int op, int dtype, int tf32, double intensity);

/* "cold", "hot", ...: a figure's name in result files. */
const char *report_figure_name(int figure);
/* Name of an op's dtype by its index. Never NULL. */
const char *report_dtype_name(const opspec *spec, int dtype);
/* "peer_torch_eager" -> "torch_eager"; other names unchanged. */
const char *report_display_name(const char *name);
int report_is_tf32(const report_entry *entry);

/* 1 if, as far as the method of measuring goes, the entries' times of a figure may be compared. */
int report_same_method(const report_entry *a, const report_entry *b, int figure);
/* 1 if `a` has a method that goes before that of `b`, where results of several stand side by side: the usual before others, and of
 * others that of the newer result. */
int report_method_leads(const report_entry *a, const report_entry *b, int figure);
/* method_of_figure() of an entry with a result. */
void report_method_words(const report_entry *entry, int figure, char *out, size_t bytes);

/* One line of a table: a kernel of an op in one dtype over all sizes. */
typedef struct report_row {
    const char *name;
    report_kind kind;
    const char *math_mode;                         /* "ieee", "tf32", "" where nothing was timed */
    const report_entry *entries[OPSPEC_MAX_SIZES]; /* NULL where a peer has no file */
    int timed;                                     /* sizes with a time */
    int flagged;                                   /* a cold figure lies above its roof */
    double final_us;   /* mean over the timed sizes of `figure`'s means; NAN if none */
    int counted;       /* sizes with a time by the method that counts there (report_rows.lead) */
    double counted_us; /* mean over these: what the best kernel is chosen by; NAN if none */
    /* Variants only; NAN without a peer of the same method to set against. */
    double speedup;        /* best peer's final / own final, over the sizes both have */
    double geomean;        /* over the sizes, of the fastest peer at that size / own */
    int compared;          /* sizes that `speedup` covers */
    int faced;             /* sizes at which any peer stands */
    double faced_speedup;  /* of their fastest peers' times, added up, over own */
    const char *best_peer; /* the peer of `speedup`, or NULL */
    int refused;           /* times of peers that count for nothing here because they are of another method */
} report_row;

typedef struct report_rows {
    int op, dtype, figure, count, sizes;        /* sizes: of the op */
    int played[OPSPEC_MAX_SIZES], played_count; /* sizes at which any kernel has a result in this dtype */
    report_row row[REPORT_MAX_KERNELS];
    int best; /* row of the best kernel (see report_rows_build), or -1 */
    /* A result of the method that counts at a size: among the kernels' (peers' where no kernel has a time) the one that leads. NULL: no time */
    const report_entry *lead[OPSPEC_MAX_SIZES];
    const report_entry
        *others[REPORT_MAX_METHODS]; /* one result of each further method; the last stands for all */
    int other_count;                 /*   that found no room */
} report_rows;

/* Rows of an op in a dtype for one figure, variants first. The best kernel is the one with the least final figure among
 * variants timed at the most sizes, by the methods that count there, stable and not above a roof where there is such a one. */
void report_rows_build(const report_model *model, int op, int dtype, int figure, report_rows *rows);

/* 0 where a row's entry is of the method that counts at its size, or has no time; else the number of its method, from 1 on. */
int report_rows_mark(const report_rows *rows, const report_entry *entry);
/* Of a row's final figure: the mark of its first size that has one. */
int report_rows_final_mark(const report_rows *rows, const report_row *row);
/* The method of a mark in words. */
void report_rows_mark_words(const report_rows *rows, int mark, char *out, size_t bytes);

/* The fastest peer with the entry's math mode and method and status ok at the same op, dtype and size, or NULL. */
const report_entry *report_fastest_peer(const report_model *model, const report_entry *entry, int figure);
/* 1 if there are such peers but for their method. */
int report_has_other_peer(const report_model *model, const report_entry *entry, int figure);

/* 1 if the two times cannot be told apart: their 95% intervals overlap and both were measured in one group, so that no other run stands
 * between them. 0 where either interval is unknown. */
int report_is_tie(const report_entry *kernel, const report_entry *baseline, int figure);

/* 1 success: the best kernel's speedup is at least 1.0 over all sizes that were run, stable and below its roof. 0: not.
 * -1: no peer with that math mode and method to judge by. */
int report_rows_success(const report_rows *rows);

#endif
