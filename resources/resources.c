/* Reading the "resources" of a module record: which architecture a card runs, and holding metrics against budgets. */
#include "resources/resources.h"
#include "core/json_file.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const resources_limit_names[RESOURCES_LIMIT_COUNT] = {
    "registers", "spill_bytes", "stack_bytes", "shared_bytes", "code_bytes", "warnings"};

static double number_or_nan(const json_t *kernel, const char *key)
{
    const json_t *value = json_object_get(kernel, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

double resources_metric(const json_t *kernel, const char *limit)
{
    if (strcmp(limit, "spill_bytes") == 0)
        return number_or_nan(kernel, "spill_store_bytes") + number_or_nan(kernel, "spill_load_bytes");
    if (strcmp(limit, "shared_bytes") == 0)
        return json_is_false(json_object_get(kernel, "entry")) ? 0
                                                               : number_or_nan(kernel, "static_shared_bytes");
    if (strcmp(limit, "warnings") == 0)
        return (double)json_array_size(json_object_get(kernel, "warnings"));
    return number_or_nan(kernel, limit);
}

const json_t *resources_of_arch(const json_t *resources, const char *arch)
{
    return arch != NULL ? json_object_get(json_object_get(resources, "architectures"), arch) : NULL;
}

const char *resources_arch_for(const json_t *resources, const char *compute)
{
    int major, minor, best_number = -1;
    const char *arch, *best = NULL;
    json_t *unused;
    if (compute == NULL || sscanf(compute, "%d.%d", &major, &minor) != 2)
        return NULL;
    json_object_foreach(json_object_get(resources, "architectures"), arch, unused)
    {
        char suffix = '\0';
        int number;
        if (sscanf(arch, "sm_%d%c", &number, &suffix) < 1 || number / 10 != major || number % 10 > minor)
            continue;
        if (suffix == 'a' && number % 10 != minor)
            continue; /* runs on exactly that one */
        const int rank = 2 * number + (suffix != '\0');
        if (rank > best_number) {
            best_number = rank;
            best = arch;
        }
    }
    return best;
}

json_t *resources_for_card(const json_t *resources, const char *compute)
{
    const char *arch = resources_arch_for(resources, compute);
    json_t *summary = json_object_get(resources_of_arch(resources, arch), "summary");
    if (summary == NULL)
        return json_null();
    json_t *out = json_pack("{s:s}", "arch", arch);
    json_object_update(out, summary);
    return out;
}

/* A dtype's own limit, else the architecture's. */
static const json_t *find_limit(const json_t *limits, const char *dtype, const char *name)
{
    const json_t *own = json_object_get(json_object_get(limits, dtype), name);
    return own != NULL ? own : json_object_get(limits, name);
}

static int check_arch(const json_t *kernels, const json_t *limits, const char *dtype, resources_excess excess,
                      void (*each)(void *, const resources_excess *), void *context, int *checked)
{
    size_t index;
    json_t *kernel;
    int count = 0;
    json_array_foreach(kernels, index, kernel)
    {
        const int entry = json_is_true(json_object_get(kernel, "entry"));
        for (int i = 0; i < RESOURCES_LIMIT_COUNT; i++) {
            excess.limit = resources_limit_names[i];
            const json_t *limit = find_limit(limits, dtype, excess.limit);
            if (limit == NULL || (!entry && (i == 0 || strcmp(excess.limit, "code_bytes") == 0)))
                continue; /* of a device function only stack and spills are reported */
            excess.kernel = json_get_text(kernel, "name", "?");
            excess.value = resources_metric(kernel, excess.limit);
            excess.budget = json_number_value(limit);
            (*checked)++;
            if (!(excess.value <= excess.budget)) {
                count++;
                each(context, &excess);
            }
        }
    }
    return count;
}

int resources_check(const json_t *resources, const json_t *budget, const char *dtype,
                    void (*each)(void *context, const resources_excess *excess), void *context, int *checked)
{
    const char *arch;
    json_t *limits;
    int count = 0;
    *checked = 0;
    json_object_foreach((json_t *)budget, arch, limits)
    {
        const json_t *kernels = json_object_get(resources_of_arch(resources, arch), "kernels");
        count += check_arch(kernels, limits, dtype, (resources_excess){.arch = arch}, each, context, checked);
    }
    return count;
}
