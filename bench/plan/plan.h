/* Planning what `assay bench` measures: which groups there are and which have to be measured (make_plan.c), by which method
 * (default_method.c), what the worker of a group is told (describe_group.c), and results of what is not measured (untimed_result.c). */
#ifndef ASSAY_BENCH_PLAN_H
#define ASSAY_BENCH_PLAN_H

#include "bench/plan/bench.h"
#include "bench/plan/group_plan.h"
#include "bench/run/record.h"
#include "bench/run/result.h"
#include "bench/baselines/torch_server.h"

enum { PLAN_MOST_VARIANTS = 32, PLAN_MOST_BASELINES = 16, PLAN_WHY_BYTES = 200 };

typedef struct planned_variant {
    char name[ASSAY_NAME_MAX];
    int verified; /* its verdict is "pass" */
    int fresh;    /* its result file is of all that would be measured now (results/identity.h), or kept */
    int kept;     /* a quick look leaves its result, of a fuller method, alone */
    char differs
        [PLAN_WHY_BYTES]; /* what the result there is of: "dimensions M=1024 N=256, now M=256 N=256"; "" if there is none */
    int selected; /* --benchmark_filter matches all of its modes */
    int measured; /* its result file was written in this run */
} planned_variant;

typedef struct planned_baseline {
    char name[ASSAY_NAME_MAX];
    int fresh, kept, selected, measured; /* as of a variant */
} planned_baseline;

typedef struct planned_group {
    const workspace_op *op;
    assay_dtype dtype;
    char size[ASSAY_NAME_MAX];
    bench_method method;
    int variant_count, baseline_count;
    planned_variant variants[PLAN_MOST_VARIANTS];
    planned_baseline baselines[PLAN_MOST_BASELINES];
    int stale; /* has to be measured */
} planned_group;

typedef struct plan {
    workspace *ws;
    const bench_options *options;
    assay_device_info device;
    int torch_here; /* a Python with torch was found */
    int group_count;
    planned_group *groups; /* owned */
} plan;

/* The device's description, by opening it; sets the slug of the workspace. */
assay_status plan_read_device(plan *p, assay_error *error);
/* Groups, verdicts and freshness of all cases that the filter matches. Release with plan_release, also on
 * failure. */
assay_status plan_make(plan *p, const case_filter *filter, assay_error *error);
void plan_release(plan *p);

/* Defaults of a device kind; `family` is op.json's (matrix products on CUDA get `sustained`, too). `quick` cuts repetitions and times. */
void bench_method_default(bench_method *method, const char *device_kind, const char *family, int quick);

typedef enum found_result {
    FOUND_NOTHING,
    FOUND_TIMED,
    FOUND_UNSTABLE,
    FOUND_UNAVAILABLE,
    FOUND_TOO_LARGE,
    FOUND_FAILED
} found_result;

/* How a result file relates to what would be measured now. */
typedef enum result_age {
    RESULT_STALE, /* of another identity */
    RESULT_FRESH,
    RESULT_FULLER /* as fresh, but by more or longer repetitions of at least the same modes */
} result_age;

/* Add a group to the counts, from its result files. */
void plan_count(const plan *p, const planned_group *g, bench_summary *summary);

/* Write a result without times, unless one that says the same is there. */
assay_status untimed_result_write(const plan *p, const planned_group *g, const char *name, const char *status,
                                  const char *reason, assay_error *error);
/* The same for a variant whose verdict is not "pass", with the verdict's reason. */
assay_status untimed_result_refuse(const plan *p, const planned_group *g, const char *variant,
                                   assay_error *error);

/* A group's plan with the lists that it points to. */
typedef struct described_group {
    group_plan plan;
    char variants[PLAN_MOST_VARIANTS * ASSAY_NAME_MAX], baselines[PLAN_MOST_BASELINES * ASSAY_NAME_MAX];
} described_group;

/* What the worker of a group is told. `only`: one candidate alone (a variant's name, or baseline_NAME), or NULL for all. `socket` is that of
 * the measuring server; where it is NULL, `no_socket` says why ("": nobody asked for one). The texts are borrowed. */
void plan_describe_group(const plan *p, const planned_group *g, const char *only, const char *socket,
                         const char *no_socket, described_group *out);

/* Decides what --benchmark_filter leaves of the plan. */
assay_status plan_select(plan *p, assay_error *error);

/* The record of a variant's module; 0 if it cannot be read. Release it after use. */
int planned_module(const plan *p, const planned_group *g, const char *variant, module_record *record);

#endif
