/* Verifying and timing one kernel: see include/assay/assay.h. */
#include "api/session_timing.h"
#include "core/json_file.h"
#include "results/case_verdict.h"
#include "results/result_file.h"
#include "verify/verify.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static assay_status judge(assay_session *s, const case_filter *filter, int unjudged_only, assay_error *error)
{
    verify_summary summary = {0};
    const verify_options options = {.quiet = 1, .unjudged_only = unjudged_only};
    const assay_status status = verify_run(s->ws, filter, &options, &summary, error);
    verify_summary_release(&summary);
    return status;
}

assay_status assay_session_verify(assay_session *s, const assay_selection *which, assay_verdict *out,
                                  assay_error *error)
{
    chosen_kernel k;
    char path[4400];
    json_t *verdict = NULL;
    *out = (assay_verdict){.seconds = NAN};
    assay_status status = session_choose(s, which, &k, error);
    if (status == ASSAY_OK)
        status = judge(s, &k.filter, 0, error);
    if (status != ASSAY_OK)
        return status;
    const assay_case c = session_case(&k);
    case_verdict_path(s->ws, &c, path, sizeof path);
    status = json_file_read(path, &verdict, error);
    snprintf(out->status, sizeof out->status, "%s", json_get_text(verdict, "status", ""));
    snprintf(out->reason, sizeof out->reason, "%s", json_get_text(verdict, "reason", ""));
    out->seconds = json_get_number(verdict, "seconds", NAN);
    out->passed = strcmp(out->status, "pass") == 0;
    json_decref(verdict);
    return status;
}

assay_status session_timing_mode(const assay_timing_options *options, timing_modes *modes, assay_error *error)
{
    *modes = timing_mode_bit(TIMING_COLD);
    assay_status status = ASSAY_OK;
    if (options && options->mode)
        status = timing_modes_parse(options->mode, modes, error);
    return status == ASSAY_OK && timing_modes_count(*modes) != 1
               ? assay_error_set(error, ASSAY_ERR_INVALID, "one timing mode is expected, not \"%s\"",
                                 options->mode)
               : status;
}

void session_bench_options(const assay_timing_options *options, bench_options *bench)
{
    *bench = (bench_options)BENCH_OPTIONS_INIT;
    bench->baselines = "";
    if (!options)
        return;
    bench->quick = options->quick;
    bench->repetitions = options->repetitions;
    if (options->warmup_ms > 0)
        bench->warmup_ms = options->warmup_ms;
    if (options->sample_ms > 0)
        bench->sample_ms = options->sample_ms;
}

static timing_mode only_mode(timing_modes modes)
{
    int mode = 0;
    while (!(modes & timing_mode_bit((timing_mode)mode)))
        mode++;
    return (timing_mode)mode;
}

static assay_status read_times(const assay_session *s, const chosen_kernel *k, timing_mode mode,
                               assay_timing *out, assay_error *error)
{
    char path[4400];
    result *r = NULL;
    const assay_case c = session_case(k);
    case_result_path(s->ws, &c, path, sizeof path);
    const assay_status status = result_read_file(path, RESULT_LOAD_SUMMARY, &r, error);
    if (status != ASSAY_OK)
        return status;
    const result_times *t = result_is_timed(r) ? result_get(r, mode) : NULL;
    if (t)
        *out = (assay_timing){.timed = 1,
                              .mean_us = t->mean_us,
                              .low_us = t->low_us,
                              .high_us = t->high_us,
                              .min_us = t->min_us,
                              .tflops = t->tflops,
                              .gbs = t->gbs,
                              .repetitions = t->repetition_count};
    snprintf(out->reason, sizeof out->reason, "%s", r->reason);
    result_free(r);
    return ASSAY_OK;
}

assay_status assay_session_time(assay_session *s, const assay_selection *which,
                                const assay_timing_options *options, assay_timing *out, assay_error *error)
{
    chosen_kernel k;
    char sizes[2 * ASSAY_NAME_MAX];
    bench_options bench;
    bench_summary summary;
    timing_modes modes;
    assay_error own = {0};
    *out = (assay_timing){
        .mean_us = NAN, .low_us = NAN, .high_us = NAN, .min_us = NAN, .tflops = NAN, .gbs = NAN};
    assay_status status = session_timing_mode(options, &modes, error);
    if (status == ASSAY_OK)
        status = session_choose(s, which, &k, error);
    if (status != ASSAY_OK)
        return status;
    session_bench_options(options, &bench);
    bench.modes = modes;
    snprintf(sizes, sizeof sizes, "%s,edge", k.size);
    case_filter judged = k.filter;
    judged.sizes = sizes;
    if ((status = judge(s, &judged, 1, error)) != ASSAY_OK)
        return status;
    status = bench_run(s->ws, &k.filter, &bench, &summary, &own);
    if (status != ASSAY_OK &&
        status != ASSAY_ERR_CHECK) /* a check that failed is the kernel's: the result says so */
        return assay_error_set(error, status, "%s", own.message);
    return read_times(s, &k, only_mode(modes), out, error);
}
