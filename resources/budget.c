/* Budgets: read from op.json, and proposed from what kernels need today. Holding metrics against them is in resources.c. */
#include "core/json_file.h"
#include "resources/resources.h"
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum {
    REGISTER_STEP = 8, /* registers are given out in units of this many a thread */
    SLACK_PART = 8, /* another release of the compiler may take an eighth more without anything being wrong */
    MOST_REGISTERS = 255
};

assay_status resources_read_budget(const workspace_op *op, const char *variant, json_t **budget,
                                   assay_error *error)
{
    char path[PATH_MAX];
    json_t *root;
    snprintf(path, sizeof path, "%.4000s/op.json", op->spec->directory);
    const assay_status status = json_file_read(path, &root, error);
    *budget = NULL;
    if (status != ASSAY_OK)
        return status;
    *budget = json_incref(json_object_get(json_object_get(root, "budgets"), variant));
    json_decref(root);
    return ASSAY_OK;
}

/* Largest metric of an architecture's kernels for one dtype; -1 if there is none. */
static json_int_t largest_metric(const json_t *resources, const char *arch, const char *limit)
{
    const json_t *value =
        json_object_get(json_object_get(resources_of_arch(resources, arch), "summary"), limit);
    return json_is_integer(value) ? json_integer_value(value) : -1;
}

static void propose_limit(json_t *limits, const json_t *by_dtype, const char *arch, const char *limit)
{
    json_int_t low = -1, high = -1;
    const char *dtype;
    json_t *resources;
    json_object_foreach((json_t *)by_dtype, dtype, resources)
    {
        const json_int_t value = largest_metric(resources, arch, limit);
        high = value > high ? value : high;
        low = value >= 0 && (low < 0 || value < low) ? value : low;
    }
    if (high < 0)
        return;
    if (strcmp(limit, "registers") == 0) {
        low = high < MOST_REGISTERS ? high : MOST_REGISTERS; /* a record from outside may say anything */
        low = (low + low / SLACK_PART + REGISTER_STEP - 1) / REGISTER_STEP * REGISTER_STEP;
        low = low < MOST_REGISTERS ? low : MOST_REGISTERS;
    }
    json_object_set_new(limits, limit, json_integer(low));
    json_object_foreach((json_t *)by_dtype, dtype, resources)
    {
        const json_int_t value = largest_metric(resources, arch, limit);
        if (value <= low)
            continue;
        json_t *own = json_object_get(limits, dtype);
        if (own == NULL) {
            own = json_object();
            json_object_set_new(limits, dtype, own);
        }
        json_object_set_new(own, limit, json_integer(value));
    }
}

json_t *resources_propose_budget(const json_t *by_dtype)
{
    static const char *const proposed[] = {"registers", "spill_bytes", "stack_bytes", "warnings"};
    json_t *budget = json_object(), *resources, *unused;
    const char *dtype, *arch;
    json_object_foreach((json_t *)by_dtype, dtype, resources)
    {
        json_object_foreach(json_object_get(resources, "architectures"), arch, unused)
        {
            if (json_object_get(budget, arch) != NULL)
                continue;
            json_t *limits = json_object();
            for (size_t i = 0; i < sizeof proposed / sizeof *proposed; i++)
                propose_limit(limits, by_dtype, arch, proposed[i]);
            json_object_set_new(budget, arch, limits);
        }
    }
    return budget;
}
