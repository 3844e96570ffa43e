/* Names and text of phases: see group_phases.h. */
#include "bench/plan/group_phases.h"
#include <stdio.h>
#include <stdlib.h>

const char *group_phase_name(group_phase phase)
{
    static const char *const names[GROUP_PHASES] = {"start",     "inputs", "baselines",
                                                    "reference", "timing", "writing"};
    return names[phase];
}

void group_phases_print(const double seconds[GROUP_PHASES], char *out, size_t bytes)
{
    size_t used = 0;
    for (int i = 0; i < GROUP_PHASES && used < bytes; i++)
        used += (size_t)snprintf(out + used, bytes - used, "%s%.3f", i ? " " : "", seconds[i]);
}

void group_phases_add(const char *text, double seconds[GROUP_PHASES])
{
    for (int i = 0; i < GROUP_PHASES; i++) {
        char *end;
        const double value = strtod(text, &end);
        if (end == text)
            return;
        seconds[i] += value;
        text = end;
    }
}
