/* What all parts of a search use: see search.h. */
#include "tune/tuner/search.h"
#include "bench/timing/clock.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

void search_say(const search *s, const char *format, ...)
{
    va_list arguments;
    if (!s->o->progress)
        return;
    va_start(arguments, format);
    vfprintf(s->o->progress, format, arguments);
    va_end(arguments);
    fflush(s->o->progress);
}

double search_elapsed_s(const search *s)
{
    return s->log.earlier_s + (clock_now_ms() - s->start_ms) * 1e-3;
}

double tune_default_us(const tune_outcome *outcome)
{
    configuration c;
    space_default(outcome->space, &c);
    for (int i = 0; i < outcome->count; i++)
        if (configuration_equals(&outcome->candidates[i].configuration, &c))
            return outcome->candidates[i].time_us;
    return NAN;
}
