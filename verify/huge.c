/* The sampled judgement of problems beyond 2^31 elements; see huge.h. */
#include "verify/huge.h"
#include "verify/check_memory.h"
#include "verify/inputs.h"
#include "verify/periodic.h"
#include "verify/random.h"
#include "verify/sampled.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ROW_FLOPS 1e9 /* spent on reference rows: about a second */

enum {
    FEWEST_ROWS = 2,
    MOST_ROWS = 64,
    PERIOD_PAGES = 16411, /* of 1024 elements: 2^24 and a little more; odd */
    SCAN_PIECE_BYTES = 4096,
    SCAN_STEP_BYTES = 1 << 20,
    ROWS_STREAM = 4097
};

typedef struct huge_run {
    const check_subject *subject;
    const huge_options *options;
    check_report *report;
    check_item *item;
    assay_error *error;
    assay_problem host; /* inputs in `arrays`, outputs without data */
    periodic arrays[ASSAY_MAX_TENSORS];
    guarded_problem guarded;
} huge_run;

huge_options huge_default_options(uint64_t seed, const char *label)
{
    return (huge_options){.seed = seed,
                          .label = label,
                          .period_pages = PERIOD_PAGES,
                          .marks = {INT64_C(1) << 31, INT64_C(1) << 32}};
}

static int64_t row_length(const assay_tensor *tensor)
{
    return tensor->rank > 0 ? tensor->shape[tensor->rank - 1] : 1;
}

/* Add a row unless it is outside or there already. */
static void add_row(int64_t row, int64_t row_count, int most, int64_t *rows, int *count)
{
    for (int i = 0; i < *count; i++)
        if (rows[i] == row)
            return;
    if (row >= 0 && row < row_count && *count < most)
        rows[(*count)++] = row;
}

static int by_value(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Rows before and behind a mark; where only an input reaches it, the rows at the same share of the output. */
static void add_marked_rows(const assay_problem *shapes, int64_t mark, int64_t row_count, int most,
                            int64_t *rows, int *count)
{
    const int64_t n = row_length(&shapes->outputs[0]);
    add_row(mark / n, row_count, most, rows, count);
    add_row((mark - 1) / n, row_count, most, rows, count);
    for (int i = 0; i < shapes->input_count; i++) {
        const int64_t elements = assay_tensor_count(&shapes->inputs[i]);
        if (elements <= mark)
            continue;
        const int64_t row = (int64_t)((double)mark / (double)elements * (double)row_count);
        for (int64_t near = row - 1; near <= row + 1; near++)
            add_row(near, row_count, most, rows, count);
    }
}

int huge_pick_rows(const assay_problem *shapes, const huge_options *options, int most, int64_t *rows)
{
    const int64_t elements = assay_tensor_count(&shapes->outputs[0]);
    const int64_t row_count = elements / row_length(&shapes->outputs[0]);
    int count = 0;
    add_row(row_count - 1, row_count, most, rows, &count);
    for (int i = HUGE_MARKS - 1; i >= 0; i--)
        if (options->marks[i] > 0)
            add_marked_rows(shapes, options->marks[i], row_count, most, rows, &count);
    add_row(0, row_count, most, rows, &count);
    for (int i = 0; i < MOST_ROWS; i++)
        add_row((int64_t)(random_word_at(options->seed, ROWS_STREAM, (uint64_t)i) % (uint64_t)row_count),
                row_count, most, rows, &count);
    qsort(rows, (size_t)count, sizeof *rows, by_value);
    return count;
}

/* Draw one period of every input and map it over the whole of it. */
static assay_status open_inputs(huge_run *r, const assay_problem *shapes)
{
    assay_problem drawn = *shapes;
    assay_status status = ASSAY_OK;
    r->host = *shapes;
    for (int i = 0; i < shapes->input_count && status == ASSAY_OK; i++) {
        status = periodic_open(assay_tensor_count(&shapes->inputs[i]), r->options->period_pages + 2 * i,
                               &r->arrays[i], r->error);
        r->host.inputs[i].data = r->arrays[i].data;
        r->host.inputs[i].dtype = ASSAY_F32;
        drawn.inputs[i] = (assay_tensor){
            .data = r->arrays[i].data, .dtype = ASSAY_F32, .rank = 1, .shape = {r->arrays[i].period}};
    }
    return status == ASSAY_OK ? inputs_fill_widened(&drawn, r->subject->spec, shapes->dtype, r->options->seed,
                                                    NULL, r->error)
                              : status;
}

static assay_status upload_inputs(huge_run *r)
{
    int64_t periods[ASSAY_MAX_TENSORS] = {0};
    for (int i = 0; i < r->host.input_count; i++)
        periods[i] = r->arrays[i].period;
    return guarded_upload_periodic(&r->guarded, &r->host, periods, r->error);
}

/* Poisoned elements in a piece that was downloaded. */
static int64_t count_poisoned(const void *piece, size_t size, int64_t bytes)
{
    int64_t poisoned = 0;
    for (int64_t i = 0; i < bytes / (int64_t)size; i++)
        poisoned += size == 4 ? ((const uint32_t *)piece)[i] == UINT32_MAX
                              : ((const uint16_t *)piece)[i] == UINT16_MAX;
    return poisoned;
}

/* Search pieces of every output, spread evenly and with its end among them, for elements that still hold the poison. */
static assay_status scan_outputs(huge_run *r)
{
    for (int o = 0; o < r->host.output_count; o++) {
        const assay_tensor *tensor = &r->guarded.problem.outputs[o];
        const int64_t bytes = r->guarded.outputs[o].bytes, size = (int64_t)assay_dtype_bytes(tensor->dtype);
        for (int64_t at = 0; at < bytes; at += SCAN_STEP_BYTES) {
            const int64_t last = bytes - SCAN_PIECE_BYTES > 0 ? bytes - SCAN_PIECE_BYTES : 0;
            const int64_t from = bytes - at <= SCAN_STEP_BYTES ? last / size * size : at;
            const int64_t n = bytes - from < SCAN_PIECE_BYTES ? bytes - from : SCAN_PIECE_BYTES;
            const assay_status status = guarded_read_output(&r->guarded, o, from, n, r->error);
            if (status != ASSAY_OK)
                return status;
            const int64_t poisoned = count_poisoned(r->guarded.chunk, (size_t)size, n);
            if (poisoned == 0)
                continue;
            r->item->compared.unwritten = poisoned;
            snprintf(r->item->reason, sizeof r->item->reason,
                     "%lld of %lld elements of %s from element %lld on were never written",
                     (long long)poisoned, (long long)(n / size), r->subject->spec->outputs[o].name,
                     (long long)(from / size));
            return ASSAY_ERR_CHECK;
        }
    }
    return ASSAY_OK;
}

static assay_status compare_sampled(huge_run *r)
{
    const assay_tensor *output = &r->guarded.problem.outputs[0];
    const double row_count = (double)(assay_tensor_count(output) / row_length(output));
    const double affordable = MOST_ROW_FLOPS * row_count / (r->subject->impl->flops(&r->host) + 1);
    int64_t rows[MOST_ROWS];
    const int count = huge_pick_rows(&r->host, r->options,
                                     affordable < FEWEST_ROWS ? FEWEST_ROWS
                                     : affordable > MOST_ROWS ? MOST_ROWS
                                                              : (int)affordable,
                                     rows);
    compare_begin(&r->item->compared, output->dtype, &r->subject->tolerance, GUARD_POISON_NAN);
    r->item->shape = *output;
    const assay_status status = sampled_compare_rows(r->subject, &r->guarded, &r->host, rows, count,
                                                     &r->item->compared, r->item->reason, r->error);
    r->item->elements = r->item->compared.elements;
    return status;
}

static assay_status run(huge_run *r)
{
    const launch_mode mode = {.poison = GUARD_POISON_NAN, .sparse = 1};
    worker_name_step(r->subject->worker, r->options->label, r->item->name);
    assay_status status = launch_kernel(r->subject, &r->guarded, &r->host, &mode, r->item->reason, r->error);
    if (status == ASSAY_OK)
        status = scan_outputs(r);
    if (status == ASSAY_OK)
        status = compare_sampled(r);
    return status;
}

/* Note the run's end in the report. What is no verdict is left to the caller. */
static assay_status finish(huge_run *r, assay_status status)
{
    check_report *report = r->report;
    r->item->passed = status == ASSAY_OK;
    if (status != ASSAY_ERR_CHECK && status != ASSAY_ERR_UNSUPPORTED)
        return status;
    report->verdict = status == ASSAY_ERR_CHECK ? CHECK_FAIL : CHECK_SKIPPED;
    report->unsupported = status == ASSAY_ERR_UNSUPPORTED;
    snprintf(report->reason, sizeof report->reason, "%s", r->item->reason);
    return ASSAY_OK;
}

static int fits(huge_run *r, const assay_problem *shapes)
{
    const int64_t need = guarded_need_bytes(worker_info(r->subject->worker)->kind, shapes),
                  have = check_free_bytes(r->subject->worker);
    if (have < 0 || need <= have)
        return 1;
    r->report->verdict = CHECK_SKIPPED;
    snprintf(r->report->reason, sizeof r->report->reason,
             "not enough memory: needs %.1f GiB, the device has %.1f GiB free", (double)need / 0x1p30,
             (double)have / 0x1p30);
    return 0;
}

assay_status huge_check(const check_subject *subject, const assay_problem *shapes,
                        const huge_options *options, check_report *report, assay_error *error)
{
    huge_run r = {.subject = subject, .options = options, .report = report, .error = error};
    *report = (check_report){.deterministic = -1};
    if (!subject->impl->reference_rows)
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "%s has huge cases and no reference_rows to judge them by",
                               subject->spec->name);
    if (!fits(&r, shapes))
        return ASSAY_OK;
    r.item = check_begin(report, CHECK_SAMPLED_ROWS);
    assay_status status = open_inputs(&r, shapes);
    if (status == ASSAY_OK)
        status = guarded_open(subject->worker, subject->spec, shapes, GUARDED_WINDOWED, &r.guarded, error);
    if (status == ASSAY_OK)
        status = upload_inputs(&r);
    if (status == ASSAY_OK)
        status = run(&r);
    check_let_end(subject->worker);
    guarded_close(&r.guarded);
    for (int i = 0; i < shapes->input_count; i++)
        periodic_close(&r.arrays[i]);
    if (status == ASSAY_ERR_NO_MEMORY) {
        report->item_count = 0;
        report->verdict = CHECK_SKIPPED;
        snprintf(report->reason, sizeof report->reason, "not enough memory: needs %.1f GiB",
                 (double)guarded_need_bytes(worker_info(subject->worker)->kind, shapes) / 0x1p30);
        return ASSAY_OK;
    }
    return finish(&r, status);
}
