/* A group from its options to its result files: see group.h. */
#include "core/utf8.h"
#include "bench/run/group.h"
#include "bench/run/group_benchmarks.h"
#include "bench/timing/clock.h"
#include "core/json_file.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void append_name(char *list, size_t list_bytes, const char *name)
{
    snprintf(list + strlen(list), list_bytes - strlen(list), "%s%s", list[0] ? ", " : "", name);
}

static assay_status find_names(group *g, assay_error *error)
{
    const group_plan *o = g->plan;
    g->op = workspace_find_op(g->ws, o->op);
    if (!g->op)
        return assay_error_set(error, ASSAY_ERR_INVALID, "unknown op \"%s\"", o->op);
    char there[400] = "";
    for (int i = 0; i < g->op->spec->dtype_count; i++)
        append_name(there, sizeof there, assay_dtype_name(g->op->spec->dtypes[i]));
    if (!assay_dtype_parse(o->dtype, &g->dtype) || !opspec_has_dtype(g->op->spec, g->dtype))
        return assay_error_set(error, ASSAY_ERR_INVALID, "op %s has no dtype \"%s\"; there are: %s", o->op,
                               o->dtype, there);
    if (o->shape_object) {
        const opspec_size *shape;
        const assay_status added = opspec_add_shape(g->op->spec, o->shape_object, &shape, error);
        if (added != ASSAY_OK)
            return added;
    }
    there[0] = '\0';
    for (int i = 0; i < g->op->spec->size_count; i++)
        append_name(there, sizeof there, g->op->spec->sizes[i].name);
    if (!opspec_find_size(g->op->spec, o->size))
        return assay_error_set(error, ASSAY_ERR_INVALID, "op %s has no size \"%s\"; there are: %s", o->op,
                               o->size, there);
    return workspace_load_impl(g->op, &g->impl, error);
}

/* Enough copies for rotating buffers, which hot times need and cold ones on a GPU; one where neither is asked for. */
static assay_status make_problem(group *g, assay_error *error)
{
    const assay_device_info *info = assay_device_get_info(g->device);
    const opspec_size *size = opspec_find_size(g->op->spec, g->plan->size);
    const int rotating =
        strcmp(info->kind, "cuda") == 0 || g->plan->method.modes != timing_mode_bit(TIMING_COLD);
    const assay_status status =
        problem_set_create(g->device, g->op->spec, g->impl, g->dtype, opspec_size_dims(size, info->kind),
                           g->plan->method.seed, rotating ? 2 * info->l2_bytes : 0, &g->set, error);
    if (status != ASSAY_OK)
        return status;
    const assay_status made = output_check_create(g->set, &g->check, error);
    if (made != ASSAY_OK) { /* without a check nothing is timed: as if the problem did not fit */
        problem_set_release(g->set);
        g->set = NULL;
    }
    return made;
}

/* The reference that outputs are held against, if there is a candidate to time. */
static void begin_reference(group *g)
{
    for (int i = 0; i < g->candidate_count; i++)
        if (g->candidates[i].active) {
            output_check_begin(g->check);
            return;
        }
}

static void list_interleaved(group *g)
{
    for (int i = 0; i < g->candidate_count; i++)
        if (g->candidates[i].active)
            snprintf(g->interleaved + strlen(g->interleaved), sizeof g->interleaved - strlen(g->interleaved),
                     "%s%s", g->interleaved[0] ? "," : "", g->candidates[i].record.name);
}

static assay_status read_health(void *device, assay_device_health *health)
{
    return assay_device_read_health(device, health);
}

static assay_status measure_modes(group *g, assay_error *error)
{
    assay_status status = ASSAY_OK;
    for (int m = 0; m < TIMING_MODES && status == ASSAY_OK; m++)
        if (g->plan->method.modes & timing_mode_bit((timing_mode)m)) {
            status = group_measure_mode(g, (timing_mode)m, error);
            group_end_phase(g, GROUP_TIMING);
        }
    return status;
}

/* A GPU's driver is asked ten times a second; a host has no such driver. */
static health_sampler *start_sampler(assay_device *device)
{
    const char *period = getenv("ASSAY_HEALTH_PERIOD_MS");
    if (strcmp(assay_device_get_info(device)->kind, "cuda") != 0)
        return NULL;
    return health_sampler_start(read_health, device, period ? strtod(period, NULL) : 100.0);
}

/* What was launched; and on the CPU device the work of a kernel, which says what a noisy time cannot. */
static void describe_launches(group *g)
{
    for (int i = 0; i < g->candidate_count; i++) {
        group_candidate *a = &g->candidates[i];
        const double count =
            a->active && a->candidate.instructions ? a->candidate.instructions(&a->candidate) : 0;
        a->record.instructions = count > 0 ? count : 0;
        if (a->active && a->candidate.describe_launch)
            a->candidate.describe_launch(&a->candidate, a->record.launches, sizeof a->record.launches);
    }
}

static assay_status measure(group *g, assay_error *error)
{
    assay_status status = group_add_variants(g, error);
    group_end_phase(g, GROUP_START);
    if (status == ASSAY_OK && g->set)
        begin_reference(g); /* goes on while baselines are prepared */
    if (status == ASSAY_OK)
        status = group_add_baselines(g, error);
    if (status != ASSAY_OK || !g->set)
        return status;
    list_interleaved(g);
    begin_reference(g); /* where only baselines are left */
    output_check_settle(g->check);
    group_end_phase(g, GROUP_REFERENCE);
    if (g->interleaved[0])
        group_measure_overhead(g);
    g->sampler = start_sampler(g->device);
    status = measure_modes(g, error);
    health_sampler_stop(g->sampler);
    g->sampler = NULL;
    if (status == ASSAY_OK)
        describe_launches(g);
    return status;
}

static void count(const group_candidate *a, group_outcome *outcome)
{
    outcome->wrong += strcmp(a->record.output_check, "fail") == 0;
    outcome->timed += a->record.mode_count > 0 && strcmp(a->record.status, "not timed") != 0;
    outcome->unavailable += strcmp(a->record.status, "unavailable") == 0;
    outcome->refused +=
        strcmp(a->record.status, "not timed") == 0 && strcmp(a->record.output_check, "fail") != 0;
}

/* A result holds all modes of its method: what a filter left out would be missing from a fuller one. */
static int is_partial(const group *g, const group_candidate *a)
{
    return a->selected != g->plan->method.modes;
}

static int is_complete(const group *g, const group_candidate *a)
{
    /* After a device failure only what was decided before it counts: refusals and absences. */
    return g->device_status == ASSAY_OK || strcmp(a->record.status, "ok") != 0;
}

static assay_status write_result(const group *g, const result_group *common, group_candidate *a,
                                 assay_error *error)
{
    char prefix[sizeof g->benchmarks.items->name];
    benchmark_name(g->plan, a->record.name, TIMING_COLD, prefix, sizeof prefix);
    prefix[strlen(prefix) - strlen(timing_mode_name(TIMING_COLD))] =
        '\0'; /* "op/name/dtype/size/" of all modes */
    assay_status status =
        a->record.mode_count > 0 ? gbench_report(prefix, &a->record.benchmark_report, error) : ASSAY_OK;
    return status == ASSAY_OK ? result_write(common, &a->record, error) : status;
}

static void print_line(const group *g, const group_candidate *a)
{
    char line[1024];
    if (g->plan->quiet)
        return;
    result_describe(&a->record, line, sizeof line);
    clean_printf(stdout, "  %s.%s.%s.%s  %s%s\n", g->op->spec->name, a->record.name,
                 assay_dtype_name(g->dtype), g->plan->size, line,
                 is_partial(g, a) ? " (no result is written of some modes alone)" : "");
    fflush(stdout);
}

static assay_status write_results(group *g, group_outcome *outcome, assay_error *error)
{
    result_group common = {.ws = g->ws,
                           .op = g->op,
                           .dtype = g->dtype,
                           .size = g->plan->size,
                           .device = assay_device_get_info(g->device),
                           .method = &g->plan->method,
                           .interleaved_with = g->interleaved};
    memcpy(common.overhead_us, g->overhead_us, sizeof common.overhead_us);
    assay_status status = ASSAY_OK;
    for (int i = 0; i < g->candidate_count; i++) {
        group_candidate *a = &g->candidates[i];
        if (!is_complete(g, a))
            continue;
        assay_error failure = {0};
        const assay_status written = is_partial(g, a) ? ASSAY_OK : write_result(g, &common, a, &failure);
        if (written != ASSAY_OK && status == ASSAY_OK)
            status = assay_error_set(error, written, "%s", failure.message);
        count(a, outcome);
        print_line(g, a);
    }
    return status;
}

/* A candidate that cannot be timed by any of the modes asked for. */
static void mark_without_times(group *g)
{
    for (int i = 0; i < g->candidate_count; i++) {
        group_candidate *a = &g->candidates[i];
        if (a->active && a->record.mode_count == 0)
            group_drop(g, a, a->record.kind == RESULT_VARIANT ? "not timed" : "unavailable", a->lost);
    }
}

/* The problem does not fit this device: every candidate that could have run says so. */
static void mark_too_large(group *g, const char *reason)
{
    for (int i = 0; i < g->candidate_count; i++)
        if (strcmp(g->candidates[i].record.status, "ok") == 0)
            record_set_status(&g->candidates[i].record, "not timed", RESULT_TOO_LARGE "%s", reason);
}

assay_status group_run(workspace *ws, assay_device *device, const group_plan *plan, group_outcome *outcome,
                       assay_error *error)
{
    *outcome = (group_outcome){0};
    group *g = calloc(1, sizeof *g);
    if (!g)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for a group");
    *g = (group){.ws = ws, .device = device, .plan = plan, .extra_left = 3, .phase_began_ms = clock_now_ms()};
    assay_status status = benchmark_list_make(plan, &g->benchmarks, error), fits = ASSAY_OK;
    if (status == ASSAY_OK)
        status = find_names(g, error);
    assay_error why = {0};
    group_end_phase(g, GROUP_START);
    if (status == ASSAY_OK) {
        fits = make_problem(g, &why);
        if (fits != ASSAY_OK && fits != ASSAY_ERR_UNSUPPORTED && fits != ASSAY_ERR_NO_MEMORY)
            status = assay_error_set(error, fits, "%s", why.message);
    }
    if (status == ASSAY_OK) {
        group_end_phase(g, GROUP_INPUTS);
        const assay_status measured = measure(g, error);
        if (fits != ASSAY_OK)
            mark_too_large(g, why.message);
        if (measured == ASSAY_OK)
            mark_without_times(g);
        const assay_status written = write_results(g, outcome, error);
        status = measured != ASSAY_OK ? measured : written;
    }
    if (status == ASSAY_OK && outcome->wrong > 0)
        status = assay_error_set(error, ASSAY_ERR_CHECK, "%d candidate%s found wrong while timing",
                                 outcome->wrong, outcome->wrong == 1 ? " was" : "s were");
    if (status == ASSAY_OK && fits != ASSAY_OK)
        status = assay_error_set(error, ASSAY_ERR_UNSUPPORTED, "%s", why.message);
    group_release_candidates(g);
    output_check_release(g->check);
    benchmark_list_release(&g->benchmarks);
    problem_set_release(g->set);
    sample_set_release(&g->samples);
    group_end_phase(g, GROUP_WRITING);
    memcpy(outcome->phases_s, g->phases_s, sizeof g->phases_s);
    free(g);
    return status;
}
