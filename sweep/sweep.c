/* Batches of shapes through verify and bench: see sweep.h. */
#include "sweep/sweep.h"
#include "bench/run/candidate.h"
#include "bench/timing/clock.h"
#include "core/json_file.h"
#include "core/list.h"
#include "core/process.h"
#include "report/text_buffer.h"
#include "sweep/sweep_case.h"
#include "verify/verify.h"
#include <stdlib.h>
#include <string.h>

/* What is begun is finished, so with a budget batches are small; without one they share the start of workers and of the server for torch. */
enum { BATCH = 100, BATCH_OF_BUDGET = 2, BATCH_OF_TIMED_BUDGET = 16 };

void sweep_outcome_release(sweep_outcome *out)
{
    free(out->cases);
    *out = (sweep_outcome){0};
}

void sweep_quick_baselines(const opspec *spec, char *out, size_t bytes)
{
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; i < spec->baseline_count && used < bytes; i++)
        if (!candidate_is_expensive(spec->baselines[i]))
            used += (size_t)snprintf(out + used, bytes - used, "%s%s", used ? "," : "", spec->baselines[i]);
}

typedef struct batch {
    workspace *ws;
    const workspace_op *op;
    const sweep_options *options;
    const shape_list *shapes;
    int first, count;
    text_buffer sizes; /* names with commas */
} batch;

static assay_status add_shapes(batch *b, assay_error *error)
{
    assay_status status = ASSAY_OK;
    opspec_forget_shapes(b->op->spec);
    for (int i = b->first; i < b->first + b->count && status == ASSAY_OK; i++) {
        const opspec_size *size;
        status = opspec_add_shape(b->op->spec, b->shapes->shapes[i].shape, &size, error);
        text_printf(&b->sizes, "%s%s", b->sizes.length ? "," : "", b->shapes->shapes[i].name);
    }
    return b->sizes.failed ? assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory") : status;
}

static case_filter filter_of(const batch *b)
{
    return (case_filter){.ops = b->op->spec->name,
                         .variants = b->options->variants,
                         .dtypes = b->options->dtypes,
                         .sizes = text_get(&b->sizes)};
}

static void note_errors(const verify_summary *summary, sweep_outcome *out)
{
    if (summary->errors > 0 && out->errors == 0)
        out->error_exit = summary->error_exit;
    out->errors += summary->errors;
    out->interrupted |= summary->interrupted;
}

/* Nothing may be timed whose edge cases do not pass, so they come first, where they are not known. */
static assay_status verify_edges(batch *b, sweep_outcome *out, assay_error *error)
{
    verify_summary summary = {0};
    case_filter filter = filter_of(b);
    filter.sizes = "edge";
    const verify_options options = {.quiet = 1, .unjudged_only = 1, .jobs = b->options->jobs};
    const assay_status status =
        b->options->timed && b->first == 0 ? verify_run(b->ws, &filter, &options, &summary, error) : ASSAY_OK;
    note_errors(&summary, out);
    verify_summary_release(&summary);
    return status;
}

static assay_status verify_batch(batch *b, sweep_outcome *out, assay_error *error)
{
    verify_summary summary = {0};
    const case_filter filter = filter_of(b);
    const verify_options options = {.quiet = 1,
                                    .unjudged_only = !b->options->again,
                                    .jobs = b->options->jobs,
                                    .seed = b->options->seed,
                                    .modules = b->options->modules,
                                    .module_count = b->options->module_count,
                                    .checked = b->options->checked,
                                    .confined = b->options->confined,
                                    .time_limit_s = b->options->limit_s};
    const assay_status status = verify_run(b->ws, &filter, &options, &summary, error);
    note_errors(&summary, out);
    verify_summary_release(&summary);
    return status;
}

/* Python imports torch beside the judging. */
static void begin_torch(const batch *b, torch_server *torch)
{
    int wanted = 0, compiled = 0;
    for (list_item item = {0}; list_next(b->options->bench.baselines, &item);) {
        char name[ASSAY_NAME_MAX];
        snprintf(name, sizeof name, "%.*s", item.length, item.text);
        wanted |= candidate_is_remote(name);
        compiled |= candidate_is_compiled(name);
    }
    if (wanted && b->options->timed && strcmp(b->ws->device, "cuda") == 0)
        torch_server_begin(torch, b->ws, b->options->bench.python, compiled);
}

static assay_status time_batch(batch *b, torch_server *torch, sweep_outcome *out, assay_error *error)
{
    bench_summary summary = {0};
    bench_options bench = b->options->bench;
    const case_filter filter = filter_of(b);
    assay_error own = {0};
    bench.modes = timing_mode_bit(b->options->mode);
    bench.force = b->options->again;
    bench.torch = torch;
    bench.shared = 1;
    const assay_status status = bench_run(b->ws, &filter, &bench, &summary, &own);
    out->interrupted |= summary.interrupted;
    for (int i = 0; i < GROUP_PHASES; i++)
        out->phases_s[i] += summary.phases_s[i];
    return status == ASSAY_OK || status == ASSAY_ERR_CHECK /* the results say of which shape */
               ? ASSAY_OK
               : assay_error_set(error, status, "%s", own.message);
}

static int by_shape(const void *a, const void *b)
{
    const sweep_case *x = a, *y = b;
    return x->shape != y->shape   ? x->shape - y->shape
           : x->dtype != y->dtype ? (int)x->dtype - (int)y->dtype
                                  : strcmp(x->variant, y->variant);
}

/* The batch's cases in modules, in place of the workspace's variants. */
static assay_status list_module_cases(const batch *b, assay_case **cases, int *count, assay_error *error)
{
    assay_status status = ASSAY_OK;
    *count = 0;
    *cases = calloc((size_t)(b->options->module_count * b->count) + 1, sizeof **cases);
    if (!*cases)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    for (int m = 0; m < b->options->module_count && status == ASSAY_OK; m++) {
        module_record record;
        status = module_record_read(b->options->modules[m], &record, error);
        for (int i = 0; i < b->count && status == ASSAY_OK; i++) {
            assay_case *c = &(*cases)[(*count)++];
            c->op = b->op;
            (void)assay_dtype_parse(json_get_text(record.json, "dtype", ""), &c->dtype);
            snprintf(c->variant, sizeof c->variant, "%s", json_get_text(record.json, "variant", "outside"));
            snprintf(c->size, sizeof c->size, "%s", b->shapes->shapes[b->first + i].name);
        }
        if (status == ASSAY_OK)
            module_record_release(&record);
    }
    return status;
}

static assay_status list_cases(const batch *b, assay_case **cases, int *count, assay_error *error)
{
    const case_filter filter = filter_of(b);
    return b->options->module_count > 0 ? list_module_cases(b, cases, count, error)
                                        : workspace_list_cases(b->ws, &filter, 0, cases, count, error);
}

static assay_status take_cases(batch *b, sweep_outcome *out, assay_error *error)
{
    assay_case *cases = NULL;
    int count = 0;
    assay_status status = list_cases(b, &cases, &count, error);
    sweep_case *grown =
        status == ASSAY_OK ? realloc(out->cases, (size_t)(out->count + count + 1) * sizeof *grown) : NULL;
    if (status == ASSAY_OK && !grown)
        status = assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    if (grown)
        out->cases = grown;
    for (int i = 0; grown && i < count; i++) {
        sweep_case *c = &grown[out->count + i];
        c->shape = b->first;
        while (strcmp(b->shapes->shapes[c->shape].name, cases[i].size) != 0)
            c->shape++;
        sweep_take_case(b->ws, &cases[i], b->options, c);
    }
    if (grown && count > 0)
        qsort(grown + out->count, (size_t)count, sizeof *grown, by_shape);
    out->count += grown ? count : 0;
    free(cases);
    return status;
}

/* Also of a batch that was interrupted: what it did counts. */
static assay_status run_batch(batch *b, sweep_outcome *out, assay_error *error)
{
    assay_status status = add_shapes(b, error);
    torch_server torch = {.pid = 0};
    if (status == ASSAY_OK)
        begin_torch(b, &torch);
    const double start_s = process_clock_s();
    if (status == ASSAY_OK)
        status = verify_edges(b, out, error);
    if (status == ASSAY_OK && !process_interrupted())
        status = verify_batch(b, out, error);
    const double verified_s = process_clock_s();
    if (status == ASSAY_OK && b->options->timed && !process_interrupted())
        status = time_batch(b, &torch, out, error);
    out->verify_s += verified_s - start_s;
    out->timing_s += process_clock_s() - verified_s;
    if (status == ASSAY_OK)
        status = take_cases(b, out, error);
    torch_server_stop(&torch); /* where it did not come to timing */
    opspec_forget_shapes(b->op->spec);
    text_release(&b->sizes);
    return status;
}

/* A kernel may refuse the op on a device, not single shapes of it: as in a run of verify. */
static void fail_partly_refused(sweep_outcome *out)
{
    for (int i = 0; i < out->count; i++) {
        sweep_case *c = &out->cases[i];
        int computes = 0;
        for (int j = 0; c->unsupported && j < out->count && !computes; j++)
            computes = out->cases[j].dtype == c->dtype && strcmp(out->cases[j].variant, c->variant) == 0 &&
                       (out->cases[j].status == SWEEP_RIGHT || out->cases[j].status == SWEEP_COMPARED);
        if (computes)
            c->status = SWEEP_WRONG;
    }
}

static void say_progress(const sweep_options *o, const sweep_outcome *out, int done)
{
    int wrong = 0;
    for (int i = 0; i < out->count; i++)
        wrong += out->cases[i].status == SWEEP_WRONG;
    if (o->progress) {
        fprintf(o->progress, "%s: %d of %d shapes, %d wrong, %.0f s\n", out->op->spec->name, done,
                out->shapes->count, wrong, out->seconds);
        fflush(o->progress);
    }
}

assay_status sweep_run(workspace *ws, const workspace_op *op, const shape_list *shapes,
                       const sweep_options *o, sweep_outcome *out, assay_error *error)
{
    const double start_ms = clock_now_ms();
    const int most = o->budget_s <= 0 ? BATCH : o->timed ? BATCH_OF_TIMED_BUDGET : BATCH_OF_BUDGET;
    assay_status status = ASSAY_OK;
    *out = (sweep_outcome){.op = op, .shapes = shapes};
    for (int first = 0; first < shapes->count && status == ASSAY_OK && !process_interrupted();
         first += most) {
        const int left = shapes->count - first;
        if (o->budget_s > 0 && out->seconds >= o->budget_s)
            break;
        batch b = {.ws = ws,
                   .op = op,
                   .options = o,
                   .shapes = shapes,
                   .first = first,
                   .count = left < most ? left : most};
        status = run_batch(&b, out, error);
        out->seconds = (clock_now_ms() - start_ms) * 1e-3;
        say_progress(o, out, first + b.count);
    }
    fail_partly_refused(out);
    out->interrupted |= process_interrupted();
    return status;
}
