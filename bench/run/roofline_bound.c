/* The roofline bound of a case: see roofline_bound.h. */
#include "bench/run/roofline_bound.h"
#include "core/json_file.h"
#include "results/roofline_units.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct ceiling {
    double measured, possible; /* GB/s or TFLOP/s; 0 unknown */
} ceiling;

static ceiling find_ceiling(const json_t *file, const char *name)
{
    ceiling found = {0.0, 0.0};
    const json_t *list = json_object_get(file, "ceilings");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *entry = json_array_get(list, i);
        if (strcmp(json_get_text(entry, "name", ""), name) != 0)
            continue;
        found.measured = json_get_number(entry, "median", 0.0);
        found.possible = fmax(json_get_number(entry, "max", 0.0), json_get_number(entry, "theoretical", 0.0));
    }
    return found;
}

/* An op that mostly reads may stream faster than a copy, so the better of the two is the bandwidth. */
static ceiling bandwidth_ceiling(const json_t *file)
{
    const ceiling copy = find_ceiling(file, "copy"), read = find_ceiling(file, "read");
    return (ceiling){fmax(copy.measured, read.measured), fmax(copy.possible, read.possible)};
}

/* The fastest way the card has to do the op's arithmetic. */
static ceiling rate_ceiling(const json_t *file, const opspec *spec, assay_dtype dtype, const char *math_mode)
{
    roofline_unit units[ROOFLINE_MOST_UNITS];
    const int count = roofline_units(spec, dtype, strcmp(math_mode, "tf32") == 0, units);
    ceiling best = {0.0, 0.0};
    for (int i = 0; i < count; i++) {
        const ceiling unit = find_ceiling(file, units[i].ceiling);
        best.measured = fmax(best.measured, unit.measured / units[i].cost);
        best.possible = fmax(best.possible, unit.possible / units[i].cost);
    }
    return best;
}

static double least_us(double flops, double bytes, double tflops, double gbs)
{
    return fmax(flops / tflops * 1e-6, bytes / gbs * 1e-3);
}

void roofline_bound_find(const workspace *ws, const opspec *spec, assay_dtype dtype, const char *math_mode,
                         double flops, double bytes, roofline_bound *out)
{
    char path[4200];
    json_t *file = NULL;
    *out = (roofline_bound){0};
    snprintf(path, sizeof path, "%s/ceilings.json", ws->results);
    if (json_file_read(path, &file, NULL) != ASSAY_OK)
        return;
    const ceiling band = bandwidth_ceiling(file);
    const ceiling rate = rate_ceiling(file, spec, dtype, math_mode);
    json_decref(file);
    if (band.measured <= 0.0 || rate.measured <= 0.0)
        return;
    out->known = 1;
    out->measured_us = least_us(flops, bytes, rate.measured, band.measured);
    out->possible_us = least_us(flops, bytes, rate.possible, band.possible);
}
