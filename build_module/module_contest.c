/* See module_contest.h. */
#include "build_module/module_contest.h"
#include "core/text_stream.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A float kernel has nothing to say about binary16: that is no failure. What op.json cannot call is one. */
static void refuse(contest_kernel *contest, assay_dtype dtype, const assay_error *error)
{
    const assay_dtype elements = dtype == ASSAY_F16 || dtype == ASSAY_BF16 ? dtype : ASSAY_F32;
    if (error->status != ASSAY_OK) {
        contest->refusal = "does not compile";
        snprintf(contest->reason, sizeof contest->reason, "%s", error->message);
    } else if (contest->source.dtypes != 0 && (contest->source.dtypes & 1u << elements) == 0) {
        contest->refusal = "skipped";
        snprintf(contest->reason, sizeof contest->reason, "its solve() takes no pointers to %s elements",
                 assay_dtype_name(elements));
    }
}

assay_status contest_open(const module_request *request, int on_cpu, contest_kernel *contest,
                          assay_error *error)
{
    const opspec *spec = request->op->spec;
    const char *slash = strrchr(request->source, '/');
    assay_error refusal = {0};
    const assay_status status =
        solve_read(spec, request->source, &contest->is_one, &contest->source, &refusal);
    if (!contest->is_one)
        return status == ASSAY_OK ? ASSAY_OK : assay_error_set(error, status, "%s", refusal.message);
    snprintf(contest->generated, sizeof contest->generated, "%.*s.solve.cu",
             (int)(strlen(request->record) - strlen(".json")), request->record);
    snprintf(contest->folder, sizeof contest->folder, "%.*s", slash ? (int)(slash - request->source) : 1,
             slash ? request->source : ".");
    refuse(contest, request->dtype, &refusal);
    return contest->refusal
               ? ASSAY_OK
               : solve_write(spec, &contest->source, request->source, on_cpu, contest->generated, error);
}

void contest_close(contest_kernel *contest)
{
    solve_release(&contest->source);
    contest->is_one = 0;
}

/* As make wants a path: blanks as "\\ ". */
static void escape(const char *path, char *out)
{
    for (; *path != '\0'; path++) {
        if (*path == ' ')
            *out++ = '\\';
        *out++ = *path;
    }
    *out = '\0';
}

void contest_name_original(const contest_kernel *contest, const char *source, char **dependencies)
{
    char generated[2 * PATH_MAX], original[2 * PATH_MAX], *replaced = NULL;
    size_t bytes = 0;
    if (*dependencies == NULL || strlen(source) >= PATH_MAX)
        return;
    escape(contest->generated, generated);
    escape(source, original);
    const char *at = strstr(*dependencies, generated);
    FILE *out = at ? text_stream_open(&replaced, &bytes) : NULL;
    if (out == NULL)
        return;
    fprintf(out, "%.*s%s%s", (int)(at - *dependencies), *dependencies, original, at + strlen(generated));
    if (text_stream_close(out, &replaced)) {
        free(*dependencies);
        *dependencies = replaced;
    }
}
