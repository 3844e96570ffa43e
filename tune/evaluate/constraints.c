/* Constraints on one configuration: see constraints.h. */
#include "tune/evaluate/constraints.h"
#include <stdio.h>
#include <string.h>

void tune_arch(const workspace *ws, char *out, size_t out_bytes)
{
    const json_t *list = json_object_get(json_object_get(ws->manifest, "toolchain"), "arch");
    const size_t count = json_array_size(list); /* the newest one is last */
    const char *arch = count > 0 ? json_string_value(json_array_get(list, count - 1)) : NULL;
    if (strcmp(ws->device, "cpu") == 0 || !arch)
        snprintf(out, out_bytes, "%s", ws->device);
    else
        snprintf(out, out_bytes, "%s%s", strncmp(arch, "sm_", 3) == 0 ? "" : "sm_", arch);
}

assay_status tune_space(const workspace *ws, const workspace_op *op, const char *variant, assay_dtype dtype,
                        const char *size, space **out, assay_error *error)
{
    char base[ASSAY_NAME_MAX], arch[64];
    const opspec_size *found = opspec_find_size(op->spec, size);
    if (!found)
        found = opspec_find_size(op->spec, "small");
    tuned_variant_base(variant, base);
    tune_arch(ws, arch, sizeof arch);
    const space_limits limits = space_limits_of(arch);
    return space_from_op(op->spec, base, opspec_size_dims(found, ws->device), dtype, &limits, out, error);
}

assay_status tuned_check_constraints(const workspace *ws, const workspace_op *op, const tuned_variant *tuned,
                                     assay_dtype dtype, const char *size, assay_error *error)
{
    char text[TUNED_VARIANT_TEXT_MAX];
    space *s = NULL;
    configuration c;
    int broken = -1;
    assay_status status = tune_space(ws, op, tuned->variant, dtype, size, &s, error);
    if (status != ASSAY_OK)
        return status;
    tuned_variant_text(tuned, text);
    status = configuration_parse(s, text, &c, error);
    if (status == ASSAY_OK && !space_is_valid(s, &c, &broken))
        status = assay_error_set(error, ASSAY_ERR_INVALID,
                                 "%s %s %s with %s breaks the constraint \"%s\" of op.json", tuned->variant,
                                 assay_dtype_name(dtype), size, text,
                                 broken >= 0 ? space_constraint_text(s, broken) : "an allowed value");
    space_free(s);
    return status;
}
