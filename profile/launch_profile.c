/* See launch_profile.h. */
#include "profile/launch_profile.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

profiled_kernel *launch_profile_kernel(launch_profile *profile, int id, const char *name)
{
    for (int i = 0; i < profile->count; i++)
        if (profile->kernels[i].id == id && strcmp(profile->kernels[i].name, name) == 0)
            return &profile->kernels[i];
    if (profile->count >= PROFILE_MOST_KERNELS)
        return NULL;
    profiled_kernel *grown =
        realloc(profile->kernels, (size_t)(profile->count + 1) * sizeof *profile->kernels);
    if (!grown)
        return NULL;
    profile->kernels = grown;
    profiled_kernel *kernel = &grown[profile->count++];
    memset(kernel, 0, sizeof *kernel);
    kernel->id = id;
    snprintf(kernel->name, sizeof kernel->name, "%s", name);
    metric_set_clear(&kernel->metrics);
    return kernel;
}

profile_line *profiled_kernel_line(profiled_kernel *kernel, const char *file, int line, const char *text)
{
    for (int i = kernel->line_count - 1; i >= 0; i--)
        if (kernel->lines[i].line == line && strcmp(kernel->lines[i].file, file) == 0)
            return &kernel->lines[i];
    if (kernel->line_count >= PROFILE_MOST_LINES)
        return NULL;
    profile_line *grown = realloc(kernel->lines, (size_t)(kernel->line_count + 1) * sizeof *kernel->lines);
    if (!grown)
        return NULL;
    kernel->lines = grown;
    profile_line *added = &grown[kernel->line_count];
    memset(added, 0, sizeof *added);
    added->file = strdup(file);
    added->text = strdup(text);
    added->line = line;
    if (!added->file || !added->text) {
        free(added->file);
        free(added->text);
        return NULL;
    }
    kernel->line_count++;
    return added;
}

static void release_kernel(profiled_kernel *kernel)
{
    for (int i = 0; i < kernel->rule_count; i++) {
        free(kernel->rules[i].section);
        free(kernel->rules[i].name);
        free(kernel->rules[i].type);
        free(kernel->rules[i].text);
    }
    for (int i = 0; i < kernel->line_count; i++) {
        free(kernel->lines[i].file);
        free(kernel->lines[i].text);
    }
    free(kernel->rules);
    free(kernel->lines);
}

void launch_profile_release(launch_profile *profile)
{
    for (int i = 0; i < profile->count; i++)
        release_kernel(&profile->kernels[i]);
    free(profile->kernels);
    *profile = (launch_profile){0};
}

const profiled_kernel *launch_profile_longest(const launch_profile *profile)
{
    const profiled_kernel *longest = profile->count ? &profile->kernels[0] : NULL;
    for (int i = 1; i < profile->count; i++) {
        const metric_set *set = &profile->kernels[i].metrics, *longest_set = &longest->metrics;
        const double time = set->value[METRIC_DURATION], most = longest_set->value[METRIC_DURATION];
        if (time > most || (isnan(most) && !isnan(time)) ||
            (isnan(most) && set->value[METRIC_INSTRUCTIONS] > longest_set->value[METRIC_INSTRUCTIONS]))
            longest = &profile->kernels[i];
    }
    return longest;
}

double launch_profile_sum(const launch_profile *profile, metric_id id)
{
    double sum = profile->count ? 0.0 : NAN;
    for (int i = 0; i < profile->count; i++)
        sum += metric_value(&profile->kernels[i].metrics, id);
    return sum;
}

/* A header of the toolkit: what is inlined from it is at fault where it is called, if that line is known too. */
static int is_of_toolkit(const profile_line *line)
{
    return strncmp(line->file, "cuda/", 5) == 0 || strstr(line->file, "/cuda/") != NULL ||
           strstr(line->file, "/cuda-") != NULL;
}

const profile_line *profiled_kernel_worst(const profiled_kernel *kernel,
                                          double (*of)(const profile_line *line))
{
    const double part = 0.3; /* of the worst: less would blame a line that does not matter */
    const profile_line *worst = NULL, *own = NULL;
    for (int i = 0; i < kernel->line_count; i++) {
        const profile_line *line = &kernel->lines[i];
        if (of(line) > (worst ? of(worst) : 0.0))
            worst = line;
        if (!is_of_toolkit(line) && of(line) > (own ? of(own) : 0.0))
            own = line;
    }
    return own && of(own) >= part * of(worst) ? own : worst;
}
