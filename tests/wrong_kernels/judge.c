/* Judges one row of table.json: compiles the kernel as a module from outside the tree, runs the correctness
 * runner on it, and holds the verdict's status and reason against the row. A wrong kernel that passes, or
 * fails for another reason, fails here; so does a right one that does not pass. Every check is made of the
 * first problem that fails; recall.py reads the verdict, which is left beside the module. */
#include "bench/environment/chosen_card.h"
#include "build_module/compile.h"
#include "core/json_file.h"
#include "verify/verify.h"
#include <assay/device.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct row {
    const char *file, *op, *dtype, *size, *claims, *edges;
    const json_t *expect, *reason;
    double time_limit_s;
    int checked; /* as by `assay verify --check` */
} row;

static int die(const char *what, const char *detail)
{
    fprintf(stderr, "wrong_kernels: %s: %s\n", what, detail);
    return ASSAY_EXIT_USAGE;
}

static row read_row(const json_t *json)
{
    return (row){
        .file = json_get_text(json, "file", ""),
        .op = json_get_text(json, "op", ""),
        .dtype = json_get_text(json, "dtype", ""),
        .size = json_get_text(json, "size", ""),
        .claims = json_get_text(json, "claims", NULL),
        .edges = json_get_text(json, "edges", ""),
        .expect = json_object_get(json, "expect"),
        .reason = json_object_get(json, "reason"),
        .time_limit_s = json_get_number(json, "time_limit_s", 0),
        .checked = json_is_true(json_object_get(json, "check")),
    };
}

/* Is one of the array's texts equal to, or with `part` contained in, `text`? */
static int any_matches(const json_t *texts, const char *text, int part)
{
    size_t i;
    json_t *item;
    json_array_foreach((json_t *)texts, i, item)
    {
        const char *wanted = json_string_value(item);
        if (wanted && (part ? strstr(text, wanted) != NULL : strcmp(text, wanted) == 0))
            return 1;
    }
    return 0;
}

/* The row's edge cases, or where every reason of a wrong kernel's row is an edge case of op.json, these alone are run: *edges,
 * comma-separated, or "". */
static void find_edges(const opspec *spec, const row *r, char *edges, size_t bytes)
{
    static const char begin[] = "edge case ";
    size_t i, used = 0;
    json_t *item;
    snprintf(edges, bytes, "%s", r->edges);
    if (edges[0])
        return;
    json_array_foreach((json_t *)r->reason, i, item)
    {
        const char *reason = json_string_value(item);
        const size_t skip = sizeof begin - 1;
        int e = strncmp(reason, begin, skip) == 0 ? 0 : spec->edge_count;
        while (e < spec->edge_count && strcmp(spec->edges[e].name, reason + skip) != 0)
            e++;
        if (e == spec->edge_count || used + strlen(reason) > bytes) {
            edges[0] = '\0';
            return;
        }
        used += (size_t)snprintf(edges + used, bytes - used, "%s%s", used ? "," : "", reason + skip);
    }
}

/* As `assay verify OP --source FILE` does it. */
static assay_status compile(const workspace *ws, const char *folder, const row *r, const char *record,
                            assay_error *error)
{
    char source[4200];
    module_record made = {0};
    module_request request = {.op = workspace_find_op(ws, r->op),
                              .source = source,
                              .record = record,
                              .checked = r->checked,
                              .is_outside = 1};
    snprintf(source, sizeof source, "%s/%s", folder, r->file);
    if (!request.op || !assay_dtype_parse(r->dtype, &request.dtype))
        return assay_error_set(error, ASSAY_ERR_INVALID, "no op %s, or no dtype %s", r->op, r->dtype);
    const assay_status status = module_compile(ws, &request, &made, error);
    module_record_release(&made);
    return status;
}

/* Half of a small row's time is Clang's, which looks for host code in device code. It is asked about the kernels that it must refuse and the
 * right ones, which it must not; the others are judged as where there is no Clang. */
static void ask_clang_if_it_decides(workspace *ws, const row *r)
{
    if (!any_matches(r->expect, "does not compile", 0) && !any_matches(r->expect, "pass", 0))
        json_object_del(ws->manifest, "device_code_toolchain");
}

/* Compare the one verdict of the run with the row. */
static int hold_against(const row *r, const verify_summary *summary)
{
    const json_t *judged = json_array_get(summary->cases, 0);
    const char *status = json_get_text(judged, "status", "none"),
               *reason = json_get_text(judged, "reason", "");
    if (strcmp(status, "skipped") == 0 && strstr(reason, "not enough memory")) {
        fprintf(stderr, "%s: skipped: %s\n", r->file, reason);
        return ASSAY_EXIT_SKIPPED;
    }
    if (json_array_size(summary->cases) != 1 || !any_matches(r->expect, status, 0)) {
        fprintf(stderr, "%s is judged \"%s\" (%s), which is not among the expected\n", r->file, status,
                reason);
        return ASSAY_EXIT_CHECK;
    }
    if (json_array_size(r->reason) > 0 && !any_matches(r->reason, reason, 1)) {
        fprintf(stderr, "%s is rejected for another reason than the expected: %s\n", r->file, reason);
        return ASSAY_EXIT_CHECK;
    }
    const int wanted = strcmp(status, "pass") == 0      ? ASSAY_EXIT_OK
                       : strcmp(status, "skipped") == 0 ? ASSAY_EXIT_SKIPPED
                                                        : ASSAY_EXIT_CHECK;
    if (verify_summary_exit(summary) != wanted) {
        fprintf(stderr, "%s: the exit status does not fit the verdict \"%s\"\n", r->file, status);
        return ASSAY_EXIT_CHECK;
    }
    return ASSAY_EXIT_OK;
}

/* Copy the verdict to where recall.py finds it, whatever other row is judged under the same name. */
static assay_status keep_verdict(const workspace *ws, const char *record, const row *r, assay_error *error)
{
    char path[4400];
    json_t *verdict = NULL;
    snprintf(path, sizeof path, "%s/%s/verify/%s.%.*s.%s.%s.json", ws->results,
             r->checked ? "checked" : "outside", r->op, (int)(strrchr(r->file, '.') - r->file), r->file,
             r->dtype, r->size);
    assay_status status = json_file_read(path, &verdict, error);
    snprintf(path, sizeof path, "%.*s.verdict.json", (int)(strrchr(record, '.') - record), record);
    if (status == ASSAY_OK)
        status = json_file_write(path, verdict, 0, error);
    json_decref(verdict);
    return status;
}

static int judge(workspace *ws, const char *folder, const char *scratch, const row *r)
{
    char record[4300], edges[512];
    assay_error error = {0};
    verify_summary summary;
    snprintf(record, sizeof record, "%s/%s.%s.%s%s.json", scratch, r->file, r->dtype, r->size,
             r->checked  ? ".check"
             : r->claims ? ".claims"
                         : "");
    workspace_use_slug(ws,
                       "wrong-kernels"); /* verdicts of the corpus stay apart from the results of a card */
    if (make_folders(scratch, &error) != ASSAY_OK)
        return die("cannot write", error.message);
    ask_clang_if_it_decides(ws, r);
    if (compile(ws, folder, r, record, &error) != ASSAY_OK)
        return die("no module record", error.message);
    find_edges(workspace_find_op(ws, r->op)->spec, r, edges, sizeof edges);
    const char *const modules[] = {record};
    const verify_options options = {.time_limit_s = r->time_limit_s,
                                    .modules = modules,
                                    .module_count = 1,
                                    .checked = r->checked,
                                    .claims = r->claims,
                                    .edges = edges[0] ? edges : NULL,
                                    .every_check = 1,
                                    .first_failure = 1,
                                    .confined = 1};
    const case_filter filter = {.sizes = r->size};
    int code = ASSAY_EXIT_CHECK;
    if (verify_run(ws, &filter, &options, &summary, &error) != ASSAY_OK ||
        keep_verdict(ws, record, r, &error) != ASSAY_OK)
        fprintf(stderr, "%s\n", error.message);
    else
        code = hold_against(r, &summary);
    verify_summary_release(&summary);
    return code;
}

int main(int argc, char **argv)
{
    (void)chosen_card_use_given();
    if (argc != 5)
        return die("usage", "judge BUILD_FOLDER CORPUS_FOLDER SCRATCH_FOLDER ROW_NUMBER");
    char path[4200];
    assay_error error = {0};
    json_t *table = NULL;
    workspace *ws = NULL;
    snprintf(path, sizeof path, "%s/table.json", argv[2]);
    if (json_file_read(path, &table, &error) != ASSAY_OK || workspace_open(argv[1], &ws, &error) != ASSAY_OK)
        return die("cannot start", error.message);
    const json_t *json =
        json_array_get(json_object_get(table, "kernels"), (size_t)strtoul(argv[4], NULL, 10));
    row r = read_row(json);
    if (r.checked && strcmp(ws->device, "ptx") == 0) { /* there the device watches, whatever the module */
        setenv("ASSAY_PTX_CHECK", "1", 1);
        r.checked = 0;
    }
    const int code = json ? judge(ws, argv[2], argv[3], &r) : die("no such row", argv[4]);
    workspace_close(ws);
    json_decref(table);
    return code;
}
