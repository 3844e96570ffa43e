/* Sizes that fit: see shrink.h. */
#include "cli/shrink.h"
#include "cli/numbers.h"
#include "core/json_file.h"
#include "verify/fit_sizes.h"
#include <stdio.h>

void cli_parse_shrink(struct argp_state *state, const char *argument, cli_shrink *shrink)
{
    shrink->asked = 1;
    if (argument)
        shrink->gigabytes = cli_parse_number(state, "shrink", argument, 1e-6, 1e6);
}

static assay_status free_bytes(const workspace *ws, const cli_shrink *shrink, int64_t *bytes,
                               assay_error *error)
{
    assay_device *device = NULL;
    *bytes = (int64_t)(shrink->gigabytes * 1e9);
    if (*bytes > 0)
        return ASSAY_OK;
    assay_status status = assay_device_open(ws->device, 0, &device, error);
    if (status == ASSAY_OK)
        status = assay_device_free_bytes(device, bytes, error);
    assay_device_close(device);
    return status;
}

static void say(FILE *out, const json_t *one)
{
    fprintf(out, "%s %s needs %.3g GB, and %.3g GB are free: added %s\n", json_get_text(one, "op", ""),
            json_get_text(one, "size", ""),
            (double)json_integer_value(json_object_get(one, "need_bytes")) * 1e-9,
            (double)json_integer_value(json_object_get(one, "free_bytes")) * 1e-9,
            json_get_text(one, "name", ""));
}

assay_status cli_shrink_sizes(const workspace *ws, const workspace_op *op, const case_filter *filter,
                              const cli_shrink *shrink, FILE *out, json_t *shrunk, assay_error *error)
{
    int64_t bytes;
    if (!shrink->asked)
        return ASSAY_OK;
    assay_status status = free_bytes(ws, shrink, &bytes, error);
    const size_t before = json_array_size(shrunk);
    if (status == ASSAY_OK)
        status = fit_sizes(ws, op, filter->dtypes, filter->sizes, bytes, shrunk, error);
    for (size_t i = before; out && i < json_array_size(shrunk); i++)
        say(out, json_array_get(shrunk, i));
    return status;
}
