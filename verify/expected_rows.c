/* Rows of a reference shared among threads: see expected_rows.h. */
#include "verify/expected_rows.h"
#include "core/parallel_for.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

/* An operation or an element costs a reference less than 8 ns on a slow core, and 10 ms are worth threads. A row that takes four times as long
 * as its share does work that rows have in common. */
#define WORTH_UNITS     2e6
#define MOST_UNIT_S     30e-9
#define MOST_OVERHEAD_S 50e-6

enum { PIECES_A_THREAD = 4, ENOUGH_ROWS = 64, LEAST_ROWS = 4 };

typedef struct rows_work {
    const assay_op_impl *impl;
    const assay_problem *host;
    const int64_t *rows;
    int64_t count, length, in_piece;
    double *ref, *scale;
    atomic_int status; /* of the first piece that failed */
} rows_work;

static void compute_piece(void *context, int64_t piece)
{
    rows_work *w = context;
    const int64_t first = piece * w->in_piece, left = w->count - first, at = first * w->length;
    const assay_status status =
        w->impl->reference_rows(w->host, w->rows + first, left < w->in_piece ? left : w->in_piece,
                                w->ref + at, w->scale ? w->scale + at : NULL);
    int none = ASSAY_OK;
    if (status != ASSAY_OK)
        atomic_compare_exchange_strong(&w->status, &none, (int)status);
}

static int64_t divide(int64_t count, int64_t by)
{
    return (count + by - 1) / by;
}

/* Several pieces a thread even out what they cost. But rows that a product takes together share what it does for each column: rather
 * one piece a thread than less than ENOUGH_ROWS in each. */
static int64_t rows_in_piece(int64_t count)
{
    const int64_t threads = parallel_for_threads(), one_each = divide(count, threads),
                  several_each = divide(count, threads * PIECES_A_THREAD);
    const int64_t rows = several_each >= ENOUGH_ROWS ? several_each
                         : one_each < ENOUGH_ROWS    ? one_each
                                                     : ENOUGH_ROWS;
    return rows > LEAST_ROWS ? rows : LEAST_ROWS;
}

assay_status expected_rows_share(const assay_op_impl *impl, const assay_problem *host, const int64_t *rows,
                                 int64_t count, double *ref, double *scale)
{
    const assay_tensor *output = &host->outputs[0];
    rows_work w = {.impl = impl,
                   .host = host,
                   .rows = rows,
                   .count = count,
                   .length = output->rank > 0 ? output->shape[output->rank - 1] : 1,
                   .in_piece = rows_in_piece(count),
                   .ref = ref,
                   .scale = scale};
    atomic_init(&w.status, ASSAY_OK);
    parallel_for(divide(count, w.in_piece), compute_piece, &w);
    return (assay_status)atomic_load(&w.status);
}

/* Operations, and elements that are read and written. */
static double units_of(const assay_op_impl *impl, const assay_problem *problem)
{
    double units = impl->flops(problem) + (double)assay_tensor_count(&problem->outputs[0]);
    for (int i = 0; i < problem->input_count; i++)
        units += (double)assay_tensor_count(&problem->inputs[i]);
    return units;
}

static double thread_clock_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* By a try, since an op does not say. */
static int row_costs_its_share(const assay_op_impl *impl, const assay_problem *host, double *scale,
                               double share)
{
    const int64_t row = 0;
    const double start_s = thread_clock_s();
    const assay_status status = impl->reference_rows(host, &row, 1, host->outputs[0].data, scale);
    return status == ASSAY_OK && thread_clock_s() - start_s <= MOST_OVERHEAD_S + MOST_UNIT_S * share;
}

int expected_rows_compute(const assay_op_impl *impl, const assay_problem *host, double *scale,
                          assay_status *status)
{
    const assay_tensor *output = &host->outputs[0];
    const int64_t length = output->rank > 0 ? output->shape[output->rank - 1] : 1;
    const int64_t count = length > 0 ? assay_tensor_count(output) / length : 0;
    if (!impl->reference_rows || host->output_count != 1 || count < 2 || parallel_for_threads() < 2)
        return 0;
    const double units = units_of(impl, host);
    if (units < WORTH_UNITS || !row_costs_its_share(impl, host, scale, units / (double)count))
        return 0;
    int64_t *rows = malloc(sizeof *rows * (size_t)count);
    if (!rows)
        return 0;
    for (int64_t i = 0; i < count; i++)
        rows[i] = i;
    *status = expected_rows_share(impl, host, rows, count, host->outputs[0].data, scale);
    free(rows);
    return 1;
}
