/* assay resources: the modules that it speaks of. */
#include "cli/resources_command.h"
#include "core/process.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void resources_release_modules(module_list *list)
{
    for (int i = 0; i < list->count; i++)
        module_record_release(&list->items[i].record);
    free(list->items);
    free(list->cases);
}

static int same_module(const assay_case *a, const module *m)
{
    return a->op == m->op && strcmp(a->variant, m->variant) == 0 &&
           strcmp(assay_dtype_name(a->dtype), m->dtype) == 0;
}

static assay_status read_module(const workspace *ws, const assay_case *c, module *m, assay_error *error)
{
    char path[PATH_MAX];
    m->op = c->op;
    snprintf(m->variant, sizeof m->variant, "%s", c->variant);
    m->dtype = assay_dtype_name(c->dtype);
    snprintf(m->name, sizeof m->name, "%s.%s.%s", c->op->spec->name, c->variant, m->dtype);
    case_module_path(ws, c, path, sizeof path);
    if (access(path, R_OK) != 0)
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT,
                               "%s is not built: build the target module_%s_%s_%s", m->name,
                               c->op->spec->name, c->variant, m->dtype);
    const assay_status status = module_record_read(path, &m->record, error);
    if (status == ASSAY_OK)
        m->resources = json_object_get(m->record.json, "resources");
    return status;
}

/* Cases of the filter with each module once: cases of one module differ in size only, but are no neighbours. */
static assay_status list_built(const workspace *ws, const case_filter *filter, module_list *list,
                               assay_error *error)
{
    int case_count;
    assay_status status = workspace_list_cases(ws, filter, 0, &list->cases, &case_count, error);
    if (status != ASSAY_OK)
        return status;
    list->items = calloc((size_t)case_count + 1, sizeof *list->items);
    if (list->items == NULL)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    for (int i = 0; i < case_count && status == ASSAY_OK; i++) {
        int seen = 0;
        for (int j = list->count; j-- > 0 && !seen;)
            seen = same_module(&list->cases[i], &list->items[j]);
        if (!seen &&
            (status = read_module(ws, &list->cases[i], &list->items[list->count], error)) == ASSAY_OK)
            list->count++;
    }
    return status;
}

/* assay-module in a process of its own, so that this program needs neither the compiler's ways nor an ELF library. */
static assay_status compile_outside(const workspace *ws, const workspace_op *op, const char *source,
                                    const char *record, const char *dtype, assay_error *error)
{
    char program[PATH_MAX], how[128];
    snprintf(program, sizeof program, "%.4000s/assay-module", ws->libexec);
    const char *const argv[] = {program, "--workspace", ws->path, "--op",  op->spec->name, "--source",
                                source,  "--dtype",     dtype,    "--out", record,         NULL};
    process_result run;
    process_run(argv, 0, 1, &run);
    assay_status status = ASSAY_OK;
    process_describe(&run, how, sizeof how);
    if (run.end == PROCESS_NOT_STARTED)
        status = assay_error_set(
            error, ASSAY_ERR_ENVIRONMENT,
            "%s cannot be started: kernels are compiled in a build folder, not in a bundle", program);
    else if (run.end != PROCESS_EXITED || run.code != 0)
        status =
            assay_error_set(error, run.code == ASSAY_EXIT_USAGE ? ASSAY_ERR_INVALID : ASSAY_ERR_ENVIRONMENT,
                            "assay-module %s: %.400s", how, run.output ? run.output : "");
    process_result_release(&run);
    return status;
}

/* "FILE does not compile: " and the compiler's first error. */
static assay_status refuse(const char *source, const char *log, assay_error *error)
{
    const char *line = strstr(log, "error");
    while (line != NULL && line > log && line[-1] != '\n')
        line--;
    line = line != NULL ? line : log;
    return assay_error_set(error, ASSAY_ERR_CHECK, "%s does not compile: %.*s", source,
                           (int)strcspn(line, "\n"), line);
}

/* A kernel file from outside the tree, for each dtype of its op that the filter has. */
static assay_status list_outside(const workspace *ws, const resources_arguments *a, module_list *list,
                                 assay_error *error)
{
    const case_filter *filter = &a->common.filter;
    const workspace_op *op = filter->ops ? workspace_find_op(ws, filter->ops) : NULL;
    char source[PATH_MAX], record[PATH_MAX];
    int count;
    if (op == NULL)
        return assay_error_set(
            error, ASSAY_ERR_INVALID,
            "--source needs the one op it computes, as in: assay resources --op softmax --source %s",
            a->source);
    if (realpath(a->source, source) == NULL)
        return assay_error_set(error, ASSAY_ERR_INVALID, "cannot read kernel file %s", a->source);
    const case_filter dtypes = {.ops = filter->ops, .dtypes = filter->dtypes};
    assay_status status = workspace_list_cases(ws, &dtypes, 0, &list->cases, &count, error);
    list->items = calloc((size_t)op->spec->dtype_count + 1, sizeof *list->items);
    if (status == ASSAY_OK && list->items == NULL)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    const char *stem = strrchr(source, '/') + 1;
    for (int d = 0; status == ASSAY_OK && d < op->spec->dtype_count; d++) {
        int wanted = 0;
        for (int i = 0; i < count; i++)
            wanted |= list->cases[i].dtype == op->spec->dtypes[d];
        if (!wanted)
            continue;
        module *m = &list->items[list->count];
        m->op = op;
        m->dtype = assay_dtype_name(op->spec->dtypes[d]);
        snprintf(m->variant, sizeof m->variant, "%.*s", (int)strcspn(stem, "."), stem);
        snprintf(m->name, sizeof m->name, "%s.%s.%s", op->spec->name, m->variant, m->dtype);
        snprintf(record, sizeof record, "%.3800s/outside/%s.json", ws->path, m->name);
        status = compile_outside(ws, op, source, record, m->dtype, error);
        if (status == ASSAY_OK)
            status = module_record_read(record, &m->record, error);
        if (status != ASSAY_OK)
            break;
        m->resources = json_object_get(m->record.json, "resources");
        list->count++;
        if (strcmp(m->record.status, "does not compile") == 0)
            status = refuse(a->source, m->record.log, error);
    }
    return status;
}

assay_status resources_list_modules(const workspace *ws, const resources_arguments *a, module_list *list,
                                    assay_error *error)
{
    return a->source != NULL ? list_outside(ws, a, list, error)
                             : list_built(ws, &a->common.filter, list, error);
}
