/* See location.h. */
#include "core/location.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double stats_location(double *samples, int count)
{
    if (count <= 0)
        return NAN;
    qsort(samples, (size_t)count, sizeof *samples, by_value);
    const int cut = count / 4;
    double sum = 0.0;
    for (int i = cut; i < count - cut; i++)
        sum += samples[i];
    return sum / (count - 2 * cut);
}

double stats_location_of(const double *values, int count)
{
    double *copy = count > 0 ? malloc((size_t)count * sizeof *copy) : NULL;
    if (!copy)
        return NAN;
    memcpy(copy, values, (size_t)count * sizeof *copy);
    const double location = stats_location(copy, count);
    free(copy);
    return location;
}
