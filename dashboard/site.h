/* One run of dashboard_write: what is known of the whole site, and the series of the op at hand. Internal to dashboard/.
 *
 * A series is one timing mode of one case on cards of one model, measured in one way: its points, one a commit, in the order of history. */
#ifndef ASSAY_DASHBOARD_SITE_H
#define ASSAY_DASHBOARD_SITE_H

#include "statistics/change_points.h"
#include "dashboard/dashboard.h"
#include "report/text_buffer.h"

typedef struct site_commit {
    int64_t revision_id, time;
    char *hash, *subject;
} site_commit;

typedef struct site_card { /* a card as the history keeps it: slug, UUID, driver and runtime */
    int64_t card_id, first_run, last_run, results;
    int model; /* index into site.models */
    char *uuid, *driver, *runtime, *compute;
    int sm_count;
} site_card;

typedef struct site_model { /* cards that share a slug: one line in a trend */
    char *slug, *name, *device_kind;
    int64_t newest_result, newest_time; /* for the environment page */
} site_model;

typedef struct series_point {
    int commit, card; /* indices into the site's lists */
    int64_t time, result_id;
    double mean_us, low_us, high_us, percent_of_bound; /* NAN where there is no time */
    double overhead_us; /* of a launch in the process that timed it; NAN or 0: unknown */
    char status;        /* 'o' ok, 'u' unstable, 'n' not timed, 'x' unavailable */
    char dirty;
} series_point;

typedef struct series_static { /* a static metric from this point on: a text, or a number where that is "" */
    char key[96], text[64];
    double number;
    int point;
} series_static;

typedef struct series {
    char *variant, *dtype, *size, *kind, *math_mode, *distribution, *dims;
    timing_mode mode;
    char *method; /* how it was measured, in words (results/method.h); "" for the usual */
    char *reason; /* of the newest point; "" where its status says it all */
    int64_t case_id, newest_time;
    int model, count, capacity;
    series_point *points;
    change_point *changes; /* `index` is into points */
    int change_count;
    series_static *statics; /* by key, then point; only where a value changes */
    int static_count, static_capacity;
    double
        speedup; /* newest mean of the fastest baseline of the same function and method over this one's; NAN without one */
} series;

typedef struct site_log {
    int model;      /* index into site.models, or -1: its card is not in the history */
    char *op;       /* "" for the summary */
    char *page;     /* file name */
    char *roofline; /* path of the plot in the site, or "" */
    char *title;
} site_log;

typedef struct site {
    history *h;
    const char *out;
    const dashboard_options *options;
    dashboard_summary *summary;
    site_commit *commits;
    int commit_count, commit_capacity, last_commit;
    site_card *cards;
    int card_count, card_capacity;
    site_model *models;
    int model_count, model_capacity;
    site_log *logs;
    int log_count, log_capacity;
    /* the op at hand */
    char *op;
    series *series;
    int series_count, series_capacity;
    /* what the overview gets, an op after the other */
    text_buffer overview;
    char **ops;
    int op_count, op_capacity;
    assay_status status;
    assay_error *error;
} site;

/* Room for one more item of `bytes` in an array that grows by doubling, zeroed; NULL and the site's status set if there is no memory. */
void *site_grow(site *s, void *items, int *count, int *capacity, size_t bytes);
/* strdup that sets the site's status. Never NULL: "" (not to be freed by others) after a failure. */
char *site_copy(site *s, const char *text);
void site_say(const site *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Keep the first failure. */
void site_fail(site *s, assay_status status, const assay_error *error);

/* collect.c: commits, cards and models; then every row, op after op, each finished op handed to finish_op. */
assay_status site_collect(site *s, void (*finish_op)(site *s));
void site_release_series(site *s);

/* trends.c: points in order, one a commit; change points; speedups over baselines. */
void site_find_trends(site *s);

/* static_metrics.c: what each case's kernel needs of the hardware. */
void site_find_static_metrics(site *s);

/* op_data.c: data/op-OP.js, and the op's part of the overview. */
void site_write_op_data(site *s);
/* overview_data.c: data/site.js and data/overview.js. */
void site_add_overview(site *s);
void site_write_overview_data(site *s);

/* report_logs.c: OP_log.md of the report folders as pages, with their plots. */
void site_write_logs(site *s);
/* environment.c */
void site_write_environment(site *s);
/* pages.c: the pages that scripts fill, and the assets. */
void site_write_pages(site *s);
/* Render an embedded template into a page; `context` is released. Values must be HTML already (html_escape). */
void site_write_page(site *s, const char *template_name, const char *file, json_t *context);

/* "op-softmax.html" with "op-" and ".html" given: characters that a file name or URL may not hold become "_". */
void site_file_name(const char *before, const char *name, const char *after, char *out, size_t out_bytes);
/* Write OUT/name. */
void site_write_file(site *s, const char *name, const char *text, size_t bytes);

/* text.c */
void html_escape(text_buffer *out, const char *text);
json_t *html_json(const char *text); /* an escaped copy as a JSON string */
void script_string(text_buffer *out,
                   const char *text); /* a JSON string of ASCII characters, safe in any script */
/* A number of `digits` significant digits, or null. */
void script_number(text_buffer *out, double value, int digits);

#endif
