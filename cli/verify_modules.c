/* Compiling what a run of `assay verify` judges beside the build's modules; see verify_modules.h. */
#include "cli/verify_modules.h"
#include "core/process.h"
#include "core/run_lock.h"
#include "build_module/compile.h"
#include "build_module/tuned_module.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One module to be made. */
typedef struct kernel {
    const workspace_op *op;
    const char *source;
    assay_dtype dtype;
    const tuned_variant *tuned; /* NULL: op.json's defaults, or a winner's values */
    int checked, is_outside;
} kernel;

static assay_status compile(const workspace *ws, const kernel *k, int quiet, made_modules *made,
                            assay_error *error)
{
    char record[PATH_MAX];
    const char *stem = strrchr(k->source, '/') + 1, *dtype = assay_dtype_name(k->dtype);
    module_record result;
    char name[ASSAY_NAME_MAX];
    tuned_defines defines;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(stem, "."), stem);
    if (k->tuned)
        snprintf(name, sizeof name, "%s", k->tuned->name);
    const char *folder = strcmp(ws->device, "ptx") == 0 ? "ptx-modules" : k->checked ? "checked" : "outside";
    /* Another file of that name may be judged at the same time: its module must not become the one that is judged here. */
    snprintf(record, sizeof record, "%s/%s/%s.%s.lock", ws->path, folder, k->op->spec->name, name);
    assay_status status = run_lock_hold(record, error);
    if (status != ASSAY_OK)
        return status;
    snprintf(record, sizeof record, "%s/%s/%s.%s.%s.json", ws->path, folder, k->op->spec->name, name, dtype);
    module_request request = {.op = k->op,
                              .source = k->source,
                              .dtype = k->dtype,
                              .record = record,
                              .checked = k->checked,
                              .is_outside = k->is_outside};
    if (k->tuned)
        tuned_module_request(k->tuned, &defines, &request);
    status = module_compile(ws, &request, &result, error);
    if (status != ASSAY_OK)
        return status;
    /* A contest's kernel is for one dtype; that it has no others is no news for each of its cases. */
    const int other = strcmp(result.status, "skipped") == 0;
    if (other && !quiet)
        printf("SKIP %s %s: %s\n", stem, dtype, result.log);
    if (!other)
        made->records[made->count++] = strdup(record);
    module_record_release(&result);
    return ASSAY_OK;
}

/* Is this the first of the cases with its kernel and dtype? All cases of a file are of one kernel. */
static int is_first(const assay_case *cases, int i, const char *source)
{
    for (int before = 0; before < i; before++)
        if (cases[before].op == cases[i].op && cases[before].dtype == cases[i].dtype &&
            (source || strcmp(cases[before].variant, cases[i].variant) == 0))
            return 0;
    return 1;
}

static assay_status compile_all(const workspace *ws, const assay_case *cases, int count,
                                const made_modules_request *which, int quiet, made_modules *made,
                                assay_error *error)
{
    assay_status status = ASSAY_OK;
    for (int i = 0; i < count && status == ASSAY_OK; i++) {
        char path[PATH_MAX], variant[ASSAY_NAME_MAX];
        if (process_interrupted())
            return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "interrupted while compiling");
        if (!is_first(cases, i, which->source))
            continue;
        tuned_variant_base(cases[i].variant, variant);
        workspace_variant_source(cases[i].op, variant, path, sizeof path);
        const kernel k = {.op = cases[i].op,
                          .source = which->source ? which->source : path,
                          .dtype = cases[i].dtype,
                          .tuned = which->tuned,
                          .checked = which->checked,
                          .is_outside = which->source != NULL};
        status = compile(ws, &k, quiet, made, error);
    }
    return status;
}

assay_status made_modules_compile(const workspace *ws, const case_filter *filter,
                                  const made_modules_request *which, int quiet, made_modules *made,
                                  assay_error *error)
{
    assay_case *cases = NULL;
    int count = 0;
    char file[PATH_MAX];
    const char *source = which->source;
    made_modules_request found = *which;
    *made = (made_modules){0};
    /* Names a mistake in the filter before anything is compiled. */
    assay_status status = workspace_list_cases(ws, filter, 1, &cases, &count, error);
    if (status != ASSAY_OK)
        return status;
    if (source && (!filter->ops || !workspace_find_op(ws, filter->ops)))
        status = assay_error_set(
            error, ASSAY_ERR_INVALID,
            "--source needs the one op it computes, as in: assay verify softmax --source %s", source);
    else if (source && !realpath(source, file))
        status = assay_error_set(error, ASSAY_ERR_INVALID, "cannot read kernel file %s", source);
    if (source)
        found.source = file;
    made->records = calloc((size_t)count + 1, sizeof *made->records);
    if (status == ASSAY_OK && !made->records)
        status = assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    if (status == ASSAY_OK)
        status = compile_all(ws, cases, count, &found, quiet, made, error);
    free(cases);
    if (status == ASSAY_OK && made->count == 0)
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "%s: its solve() is for none of the dtypes asked for",
                               source ? source : "the kernel");
    return status;
}

void made_modules_release(made_modules *made)
{
    for (int i = 0; i < made->count; i++)
        free((char *)made->records[i]);
    free(made->records);
    *made = (made_modules){0};
}
