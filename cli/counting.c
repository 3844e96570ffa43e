/* See counting.h. */
#include "cli/counting.h"
#include "cli/cli.h"
#include "device/ptx/backend_ptx.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

assay_status counting_open(workspace *ws, counting *out, assay_error *error)
{
    const char *asked = "ptx";
    *out = (counting){.ws = ws};
    assay_status status = cli_choose_device(ws, &asked, error);
    out->has_modules = asked == NULL;
    if (status == ASSAY_OK)
        status = assay_device_open("ptx", 0, &out->device, error);
    if (status == ASSAY_OK)
        device_ptx_count();
    return status;
}

void counting_close(counting *c)
{
    assay_device_close(c->device);
    *c = (counting){0};
}

static int is_there(const made_modules *made, const char *path)
{
    for (int i = 0; i < made->count; i++)
        if (strcmp(made->records[i], path) == 0)
            return 1;
    return 0;
}

static assay_status take_built(const workspace *ws, const case_filter *filter, made_modules *made,
                               assay_error *error)
{
    assay_case *cases = NULL;
    int count = 0;
    *made = (made_modules){0};
    assay_status status = workspace_list_cases(ws, filter, 0, &cases, &count, error);
    if (status == ASSAY_OK && !(made->records = calloc((size_t)count + 1, sizeof *made->records)))
        status = assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for a list of modules");
    for (int i = 0; i < count && status == ASSAY_OK; i++) {
        char path[PATH_MAX];
        case_module_path(ws, &cases[i], path, sizeof path);
        if (!is_there(made, path))
            made->records[made->count++] = strdup(path);
    }
    free(cases);
    return status;
}

assay_status counting_modules(const counting *c, const case_filter *filter, const char *source,
                              made_modules *made, assay_error *error)
{
    const made_modules_request which = {.source = source};
    if (c->has_modules && !source)
        return take_built(c->ws, filter, made, error);
    return made_modules_compile(c->ws, filter, &which, 1, made, error);
}
