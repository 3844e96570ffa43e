/* The roof of a case: see roof.h. */
#include "roof.h"
#include "json_file.h"
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

static const char *rate_ceiling_name(const opspec *spec, assay_dtype dtype, const char *math_mode)
{
    const int matrix_like = strcmp(spec->family, "matrix") == 0 || strcmp(spec->family, "attention") == 0 ||
                            strcmp(spec->family, "convolution") == 0;
    if (!matrix_like)
        return "fma_f32";
    if (dtype == ASSAY_F16)
        return "tensor_f16";
    if (dtype == ASSAY_BF16)
        return "tensor_bf16";
    return strcmp(math_mode, "tf32") == 0 ? "tensor_tf32" : "fma_f32";
}

static double least_us(double flops, double bytes, double tflops, double gbs)
{
    return fmax(flops / tflops * 1e-6, bytes / gbs * 1e-3);
}

void roof_find(const workspace *ws, const opspec *spec, assay_dtype dtype, const char *math_mode,
               double flops, double bytes, roof *out)
{
    char path[4200];
    json_t *file = NULL;
    *out = (roof){0};
    snprintf(path, sizeof path, "%s/ceilings.json", ws->results);
    if (json_file_read(path, &file, NULL) != ASSAY_OK)
        return;
    const ceiling band = bandwidth_ceiling(file);
    ceiling rate = find_ceiling(file, rate_ceiling_name(spec, dtype, math_mode));
    if (rate.measured <= 0.0) /* no tensor cores on this device */
        rate = find_ceiling(file, "fma_f32");
    json_decref(file);
    if (band.measured <= 0.0 || rate.measured <= 0.0)
        return;
    out->known = 1;
    out->measured_us = least_us(flops, bytes, rate.measured, band.measured);
    out->possible_us = least_us(flops, bytes, rate.possible, band.possible);
}
