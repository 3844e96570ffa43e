/* See profile.h. */
#include "profile/profile.h"
#include "core/json_file.h"
#include "core/process.h"
#include "profile/launch_counters.h"
#include "profile/ncu_read.h"
#include "profile/ncu_run.h"
#include "results/result_file.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A page is a source page if a table of it begins with "Line No" or "Address". */
static int is_source_page(const char *text)
{
    static const char *const begins[] = {"\"Line No\",", "\"Address\","};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
        const char *at = strstr(text, begins[i]);
        if (at && (at == text || at[-1] == '\n'))
            return 1;
    }
    return 0;
}

static assay_status read_file(const char *path, int source_pages, launch_profile *launch, assay_error *error)
{
    char *text = NULL;
    size_t bytes;
    assay_error inner = {0};
    assay_status status = text_file_read(path, &text, &bytes, error);
    if (status != ASSAY_OK)
        return status;
    if (is_source_page(text) == source_pages)
        status = source_pages ? ncu_read_source(text, launch, &inner) : ncu_read_page(text, launch, &inner);
    free(text);
    return status == ASSAY_OK ? ASSAY_OK : assay_error_set(error, status, "%s: %s", path, inner.message);
}

/* Lines belong to kernels, so the pages with kernels come first. */
static assay_status read_files(const profile_options *options, launch_profile *launch, assay_error *error)
{
    assay_status status = ASSAY_OK;
    for (int source_pages = 0; source_pages < 2; source_pages++)
        for (int i = 0; i < options->file_count && status == ASSAY_OK; i++)
            status = read_file(options->files[i], source_pages, launch, error);
    if (status == ASSAY_OK && launch->count == 0)
        status = assay_error_set(error, ASSAY_ERR_FORMAT,
                                 "%s: a source page alone names no kernel: give the raw page too",
                                 options->files[0]);
    return status;
}

/* What fails here leaves the case without counters and the page with a reason; an interrupt ends it. */
static assay_status try_source(case_profile *out, const char *name, assay_status status,
                               const assay_error *failure, assay_error *error)
{
    if (status == ASSAY_OK && out->launch.count > 0) {
        out->source = name;
        out->reason[0] = '\0';
        return ASSAY_OK;
    }
    if (process_interrupted())
        return assay_error_set(error, ASSAY_ERR_CHECK, "interrupted");
    const size_t used = strlen(out->reason);
    snprintf(out->reason + used, sizeof out->reason - used, "%s%s", used ? "; " : "",
             failure->message[0] ? failure->message : "no kernel was launched");
    launch_profile_release(&out->launch);
    return ASSAY_OK;
}

static assay_status collect(const profile_options *options, case_profile *out, assay_error *error)
{
    if (options->file_count > 0) {
        out->source = "files of ncu";
        return read_files(options, &out->launch, error);
    }
    assay_status status = ASSAY_OK;
    if (options->use_ncu && strcmp(out->ws->device, "cuda") == 0) {
        assay_error failure = {0};
        const assay_status ran = ncu_run_case(out->ws, &out->c, options->folder, &out->launch, &failure);
        out->ncu_status = ran;
        status = try_source(out, "ncu", ran, &failure, error);
    } else if (options->use_ncu)
        snprintf(out->reason, sizeof out->reason, "this build is for %s, and counters are a GPU's",
                 out->ws->device);
    if (status == ASSAY_OK && out->launch.count == 0 && options->counter) {
        assay_error failure = {0};
        const assay_status ran =
            options->counter->count(options->counter->context, out->ws, &out->c, &out->launch, &failure);
        status = try_source(out, "counted", ran, &failure, error);
    }
    return status;
}

/* The least bytes of the op at this size: from the result, else from the op's definition. */
static double least_bytes(const case_profile *p)
{
    const assay_op_impl *impl = NULL;
    assay_problem problem;
    const opspec *spec = p->c.op->spec;
    const opspec_size *size = opspec_find_size(spec, p->c.size);
    if (p->position.result)
        return p->position.result->bytes;
    if (!size || workspace_load_impl(p->c.op, &impl, NULL) != ASSAY_OK || !impl->bytes ||
        opspec_build_problem(spec, impl, p->c.dtype, opspec_size_dims(size, "cuda"), NULL, &problem, NULL) !=
            ASSAY_OK)
        return NAN;
    return impl->bytes(&problem);
}

assay_status profile_case(const workspace *ws, const assay_case *c, const profile_options *options,
                          case_profile *out, assay_error *error)
{
    *out = (case_profile){.ws = ws, .c = *c, .source = "compiler and measurements", .least_bytes = NAN};
    case_name(c, out->name, sizeof out->name);
    assay_status status = position_read(ws, c, options->results, &out->position, error);
    if (status == ASSAY_OK)
        status = collect(options, out, error);
    if (status != ASSAY_OK)
        return status;
    out->least_bytes = least_bytes(out);
    if (out->launch.count == 0 || strcmp(out->source, "counted") == 0)
        position_put_compiled(&out->position, &out->launch);
    if (out->launch.count == 0) /* nothing is known but perhaps a time: a kernel without metrics carries it */
        launch_profile_kernel(&out->launch, 0, c->variant);
    out->main = launch_profile_longest(&out->launch);
    if (!out->main)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for a profile");
    const evidence given = {out->main, out->launch.count == 1 ? out->least_bytes : NAN, NAN};
    if (metric_known(&out->main->metrics, METRIC_SM_SOL)) /* a device that counts knows no peak */
        bottleneck_classify(&given, &out->verdict);
    else
        position_classify(&out->position, out->main, &out->verdict);
    return ASSAY_OK;
}

int profile_ncu_verdict(const case_profile *p, char *out, size_t out_bytes)
{
    int saturated = 0;
    const bottleneck_kind ncu = p->main ? bottleneck_of_ncu(p->main, &saturated) : BOTTLENECK_UNKNOWN;
    const int agrees = bottleneck_agrees(p->verdict.kind, ncu, saturated);
    const char *said = ncu != BOTTLENECK_UNKNOWN ? bottleneck_name(ncu) : "above 80% of a peak";
    if (ncu == BOTTLENECK_UNKNOWN && !saturated)
        snprintf(out, out_bytes, "ncu gives no verdict");
    else if (agrees)
        snprintf(out, out_bytes, "ncu agrees: %s", said);
    else
        snprintf(out, out_bytes, "ncu: %s; our rule %s: %.150s", said,
                 p->verdict.rule ? p->verdict.rule->key : "-", p->verdict.numbers);
    return agrees;
}

assay_status profile_add_to_result(const case_profile *profile, assay_error *error)
{
    char path[4400], verdict[FINDING_TEXT], ncu[FINDING_TEXT];
    launch_counters found;
    result *r = NULL;
    if (strcmp(profile->source, "ncu") != 0 || !*profile->ws->results ||
        launch_counters_take(&profile->launch, &found, NULL) != ASSAY_OK)
        return ASSAY_OK;
    case_result_path(profile->ws, &profile->c, path, sizeof path);
    if (result_read_file(path, RESULT_LOAD_SUMMARY, &r, NULL) != ASSAY_OK)
        return ASSAY_OK; /* never timed */
    const char *part = profile->verdict.part;
    snprintf(verdict, sizeof verdict, "%s%s%s%s", bottleneck_name(profile->verdict.kind), *part ? " (" : "",
             part, *part ? ")" : "");
    profile_ncu_verdict(profile, ncu, sizeof ncu);
    const assay_status status =
        result_is_timed(r) ? launch_counters_write(path, r, &found, verdict, ncu, error) : ASSAY_OK;
    result_free(r);
    return status;
}

void profile_release(case_profile *profile)
{
    launch_profile_release(&profile->launch);
    position_release(&profile->position);
}
