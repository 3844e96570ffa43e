/* Fits the model of predicted times (counts/predict.h) to measured results and says how good it is on ops that the fit did not see.
 *
 *     assay-fit-prediction [--model] COUNTS RESULTS... [--unseen RESULTS]
 *
 * COUNTS has the results of `assay count --card-sizes --out`, each RESULTS those of a card with its ceilings.json. Prints the table of
 * docs/prediction.md, or with --model the text of counts/predict_fitted.c. With --unseen comes a second table, of that card, which no fit
 * sees. The same files give the same text. */
#include "counts/predict.h"
#include "results/identity.h"
#include "results/result_file.h"
#include "results/results_folder.h"
#include "statistics/describe.h"
#include "tools/prediction/minimize.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARAMETERS = PREDICT_PARTS + 1, MOST_OPS = 64 };

typedef struct point {
    const result *counted;
    double part[PREDICT_PARTS]; /* of the counts, on the card that timed */
    double us, predicted;       /* measured; by the fit that did not see the op */
    int unseen;                 /* of a card that no fit sees */
} point;

typedef struct point_list {
    result **results; /* owned */
    int result_count, count;
    point *points;
    const char *unseen; /* the folder of the card that no fit sees, or NULL */
} point_list;

/* ---- reading ---- */

static int is_counted(const result *r)
{
    return strcmp(r->device.kind, "ptx") == 0;
}

static assay_status keep(void *context, results_item *item, assay_error *error)
{
    point_list *list = context;
    if (item->kind != RESULTS_RESULT)
        return assay_error_set(error, ASSAY_ERR_FORMAT, "%s: %s", item->path, item->reason);
    const char *missing = is_counted(item->result) ? predict_missing_fact(item->result) : NULL;
    if (missing) {
        result_free(item->result);
        return assay_error_set(error, ASSAY_ERR_FORMAT, "%s: no fact \"%s\"; count again (assay count --out)",
                               item->path, missing);
    }
    result **grown = realloc(list->results, (size_t)(list->result_count + 1) * sizeof *grown);
    if (!grown) {
        result_free(item->result);
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for results");
    }
    list->results = grown;
    list->results[list->result_count++] = item->result;
    return ASSAY_OK;
}

/* A timed kernel of the tree, and its counts at the same dimensions. */
static int is_pair(const result *counted, const result *timed)
{
    const unsigned same = IDENTITY_PROBLEM | IDENTITY_BIT(IDENTITY_NAME);
    return is_counted(counted) && !is_counted(timed) && timed->id.kind == RESULT_VARIANT &&
           timed->status == RESULT_OK && result_has(timed, TIMING_COLD) &&
           result_differs(counted, timed, TIMING_COLD, same, "", NULL, 0) == 0;
}

/* Times from `first` on, all of one card, with the counts before `counted`. */
static assay_status pair_up(point_list *list, int counted, int first, const predict_card *card, int unseen,
                            assay_error *error)
{
    for (int t = first; t < list->result_count; t++)
        for (int c = 0; c < counted; c++) {
            if (!is_pair(list->results[c], list->results[t]))
                continue;
            point *grown = realloc(list->points, (size_t)(list->count + 1) * sizeof *grown);
            if (!grown)
                return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for cases");
            list->points = grown;
            point *added = &list->points[list->count++];
            *added = (point){.counted = list->results[c],
                             .us = list->results[t]->times[TIMING_COLD].mean_us,
                             .unseen = unseen};
            predict_find_parts(added->counted, card, added->part);
        }
    return ASSAY_OK;
}

/* ---- fitting ---- */

typedef struct fit_job {
    const point_list *list;
    const char *left_out; /* an op, or NULL */
    const double *start;
} fit_job;

static predict_model model_of(const double *x)
{
    predict_model m = {.norm = 1 + exp(x[PREDICT_PARTS]), .low = 1, .high = 1};
    for (int i = 0; i < PREDICT_PARTS; i++)
        m.factor[i] = exp(x[i]);
    return m;
}

static double error_of(const point *p, const predict_model *m)
{
    prediction out;
    predict_combine(p->part, m, &out);
    return log(out.us / p->us);
}

/* Mean absolute error of the logarithm, and a little for leaving the start, which decides what the data
 * leave open. */
static double loss(const double *x, void *context)
{
    const fit_job *job = context;
    const predict_model m = model_of(x);
    double away = 0, sum = 0, weights = 0;
    for (int i = 0; i < job->list->count; i++) {
        const point *p = &job->list->points[i];
        if (p->unseen || (job->left_out && strcmp(p->counted->id.op, job->left_out) == 0))
            continue;
        sum += fabs(error_of(p, &m));
        weights += 1;
    }
    for (int i = 0; i < PARAMETERS; i++)
        away += (x[i] - job->start[i]) * (x[i] - job->start[i]);
    return sum / fmax(1, weights) + 0.001 * away;
}

static predict_model fit(const point_list *list, const char *left_out)
{
    /* Each part at its ceiling, an instruction of a chain every 6 cycles, a request or barrier of it every 300, and the norm 2. */
    static const double start[PARAMETERS] = {[PREDICT_LAUNCH] = -0.7,
                                             [PREDICT_LATENCY] = 1.8,
                                             [PREDICT_MEMORY_LATENCY] = 5.7,
                                             [PREDICT_BARRIERS] = 5.7};
    double x[PARAMETERS];
    fit_job job = {list, left_out, start};
    memcpy(x, start, sizeof x);
    for (int again = 0; again < 3; again++) /* a simplex that has collapsed begins anew */
        minimize(loss, &job, x, PARAMETERS, 0.5 / (1 + again), 700);
    return model_of(x);
}

/* ---- how good it is ---- */

/* Ranks of `values`, equal ones their mean. */
static void rank(const double *values, int count, double *out)
{
    for (int i = 0; i < count; i++) {
        int below = 0, equal = 0;
        for (int k = 0; k < count; k++) {
            below += values[k] < values[i];
            equal += values[k] == values[i];
        }
        out[i] = below + 0.5 * (equal + 1);
    }
}

/* Spearman's rank correlation; NAN of fewer than three. */
static double rank_correlation(const double *a, const double *b, int count)
{
    double *ra = malloc((size_t)count * sizeof *ra), *rb = malloc((size_t)count * sizeof *rb), sxy = 0,
           sxx = 0, syy = 0;
    const double middle = 0.5 * (count + 1);
    if (count < 3 || !ra || !rb) {
        free(ra);
        free(rb);
        return NAN;
    }
    rank(a, count, ra);
    rank(b, count, rb);
    for (int i = 0; i < count; i++) {
        sxy += (ra[i] - middle) * (rb[i] - middle);
        sxx += (ra[i] - middle) * (ra[i] - middle);
        syy += (rb[i] - middle) * (rb[i] - middle);
    }
    free(ra);
    free(rb);
    return sxy / sqrt(sxx * syy);
}

/* Over the points of `op` (NULL: all) and `size` (NULL: all), of the unseen card or of the others. */
static void put_row(const point_list *list, int unseen, const char *op, const char *size)
{
    double *measured = malloc((size_t)list->count * sizeof *measured),
           *predicted = malloc((size_t)list->count * sizeof *predicted),
           *error = malloc((size_t)list->count * sizeof *error);
    int count = 0, within = 0;
    for (int i = 0; i < list->count && measured && predicted && error; i++) {
        const point *p = &list->points[i];
        if ((op && strcmp(op, p->counted->id.op)) || (size && strcmp(size, p->counted->id.size)) ||
            p->unseen != unseen)
            continue;
        measured[count] = p->us;
        predicted[count] = p->predicted;
        error[count] = fabs(p->predicted / p->us - 1);
        within += error[count] <= 0.2;
        count++;
    }
    const double correlation = rank_correlation(measured, predicted, count);
    if (count > 0) {
        printf("| %s | %d | %.0f%% | %.0f%% | %.0f%% | ",
               op     ? op
               : size ? size
                      : "all",
               count, 100 * stats_median(error, count), 100 * stats_quantile(error, count, 0.9),
               100.0 * within / count);
        printf(isnan(correlation) ? "- |\n" : "%.2f |\n", correlation);
    }
    free(measured);
    free(predicted);
    free(error);
}

static int list_ops(const point_list *list, const char *ops[MOST_OPS])
{
    int count = 0;
    for (int i = 0; i < list->count; i++) {
        int at = 0;
        while (at < count && strcmp(ops[at], list->points[i].counted->id.op) != 0)
            at++;
        if (at == count && count < MOST_OPS)
            ops[count++] = list->points[i].counted->id.op;
    }
    return count;
}

static void leave_each_out(point_list *list, const char *const *ops, int count)
{
    for (int o = 0; o < count; o++) {
        const predict_model m = fit(list, ops[o]);
        for (int i = 0; i < list->count; i++)
            if (strcmp(list->points[i].counted->id.op, ops[o]) == 0)
                list->points[i].predicted = list->points[i].us * exp(error_of(&list->points[i], &m));
    }
}

static void put_table(const point_list *list, int unseen, const char *const *ops, int count)
{
    static const char *const sizes[] = {"small", "medium", "large"};
    printf("| left out | cases | median error | 90%% of the errors below | within 20%% | rank correlation |\n"
           "|---|--:|--:|--:|--:|--:|\n");
    for (int o = 0; o < count; o++)
        put_row(list, unseen, ops[o], NULL);
    for (int s = 0; s < 3; s++)
        put_row(list, unseen, NULL, sizes[s]);
    put_row(list, unseen, NULL, NULL);
}

static void put_model(const point_list *list)
{
    predict_model m = fit(list, NULL);
    double *parts = malloc((size_t)list->count * sizeof *parts);
    for (int i = 0; parts && i < list->count; i++)
        parts[i] = list->points[i].us / list->points[i].predicted;
    m.low = parts ? stats_quantile(parts, list->count, 0.1) : 0;
    m.high = parts ? stats_quantile(parts, list->count, 0.9) : 0;
    free(parts);
    printf("/* Written by assay-fit-prediction --model (tools/prediction/) from %d cases; docs/prediction.md "
           "says how good it is. */\n"
           "#include \"counts/predict.h\"\n\nconst predict_model predict_fitted = {\n    .factor = {",
           list->count);
    for (int i = 0; i < PREDICT_PARTS; i++)
        printf("%s%.4g", i ? ", " : "", m.factor[i]);
    printf("},\n    .norm = %.4g,\n    .low = %.3g,\n    .high = %.3g,\n};\n", m.norm, m.low, m.high);
}

/* ---- the program ---- */

static assay_status load(point_list *list, char **folders, int count, assay_error *error)
{
    assay_status status =
        results_each(folders[0], RESULTS_WITH_RESULTS, RESULT_LOAD_SUMMARY, keep, list, error);
    const int counted = list->result_count;
    for (int i = 1; i < count && status == ASSAY_OK; i++) {
        predict_card card;
        const int first = list->result_count;
        status = predict_card_read(folders[i], &card, error);
        if (status == ASSAY_OK)
            status = results_each(folders[i], RESULTS_WITH_RESULTS, RESULT_LOAD_SUMMARY, keep, list, error);
        if (status == ASSAY_OK)
            status = pair_up(list, counted, first, &card, folders[i] == list->unseen, error);
    }
    if (status == ASSAY_OK && list->count < PARAMETERS)
        status = assay_error_set(error, ASSAY_ERR_INVALID,
                                 "%s: only %d cases were counted and timed at the same dimensions",
                                 folders[0], list->count);
    return status;
}

int main(int argc, char **argv)
{
    const int model = argc > 1 && strcmp(argv[1], "--model") == 0;
    const char *ops[MOST_OPS];
    point_list list = {0};
    assay_error error = {0};
    argv += 1 + model, argc -= 1 + model;
    if (argc > 3 && strcmp(argv[argc - 2], "--unseen") == 0) {
        argv[argc - 2] = argv[argc - 1];
        list.unseen = argv[--argc - 1];
    }
    if (argc < 2 || (model && list.unseen)) {
        fprintf(stderr, "usage: assay-fit-prediction [--model] COUNTS RESULTS... [--unseen RESULTS]\n");
        return ASSAY_EXIT_USAGE;
    }
    const assay_status status = load(&list, argv, argc, &error);
    if (status != ASSAY_OK)
        fprintf(stderr, "assay-fit-prediction: %s\n", error.message);
    else {
        const int count = list_ops(&list, ops);
        leave_each_out(&list, ops, count);
        if (model)
            put_model(&list);
        for (int unseen = 0; !model && unseen <= (list.unseen != NULL); unseen++)
            put_table(&list, unseen, ops, count);
    }
    for (int i = 0; i < list.result_count; i++)
        result_free(list.results[i]);
    free(list.results);
    free(list.points);
    return assay_status_exit(status);
}
