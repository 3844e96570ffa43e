/* The search space of a variant: op.json's tunables and constraints with the problem and the device's limits. */
#include "tune/space/space.h"
#include "resources/occupancy.h"
#include <string.h>

space_limits space_limits_of(const char *arch)
{
    const sm_limits *sm = occupancy_limits(arch);
    if (sm == NULL)
        sm = occupancy_limits("sm_90");
    return (space_limits){.max_threads_per_block = 1024,
                          .max_shared_bytes_per_block = sm->max_shared_block_bytes,
                          .max_registers_per_thread = 255,
                          .registers_per_sm = sm->registers,
                          .shared_bytes_per_sm = sm->shared_bytes,
                          .threads_per_sm = sm->max_warps * 32,
                          .blocks_per_sm = sm->max_blocks,
                          .warp_size = 32};
}

/* A tunable of the same name hides a dimension or limit: a constraint means the tunable. */
static assay_status add_number(space *s, const char *name, int64_t number, assay_error *error)
{
    if (number == 0 || space_find_parameter(s, name) >= 0)
        return ASSAY_OK;
    return space_add_constant(s, name, (double)number, error);
}

static assay_status add_limits(space *s, const space_limits *l, assay_error *error)
{
    const struct {
        const char *name;
        int64_t number;
    } table[] = {
        {"max_threads_per_block", l->max_threads_per_block},
        {"max_shared_bytes_per_block", l->max_shared_bytes_per_block},
        {"max_registers_per_thread", l->max_registers_per_thread},
        {"registers_per_sm", l->registers_per_sm},
        {"shared_bytes_per_sm", l->shared_bytes_per_sm},
        {"threads_per_sm", l->threads_per_sm},
        {"blocks_per_sm", l->blocks_per_sm},
        {"sm_count", l->sm_count},
        {"warp_size", l->warp_size},
    };
    assay_status status = ASSAY_OK;
    for (size_t i = 0; status == ASSAY_OK && i < sizeof table / sizeof *table; i++)
        status = add_number(s, table[i].name, table[i].number, error);
    return status;
}

static assay_status add_tunable(space *s, const opspec_tunable *t, assay_error *error)
{
    expression_value values[OPSPEC_MAX_VALUES];
    int default_index = 0;
    for (int i = 0; i < t->value_count; i++) {
        values[i] = value_integer(t->values[i]);
        if (t->values[i] == t->def)
            default_index = i;
    }
    return space_add_parameter(s, t->name, values, t->value_count, default_index, error);
}

static assay_status fill(space *s, const opspec_variant_tunables *set, const opspec_dims *dims,
                         assay_dtype dtype, const space_limits *limits, assay_error *error)
{
    assay_status status = ASSAY_OK;
    for (int i = 0; set && status == ASSAY_OK && i < set->count; i++)
        status = add_tunable(s, &set->tunables[i], error);
    for (int i = 0; dims && status == ASSAY_OK && i < dims->count; i++) {
        if (space_find_parameter(s, dims->dim[i].name) < 0) /* 0 is a dimension, too */
            status = space_add_constant(s, dims->dim[i].name, (double)dims->dim[i].value, error);
    }
    if (status == ASSAY_OK)
        status = add_number(s, "element_bytes", (int64_t)assay_dtype_bytes(dtype), error);
    if (status == ASSAY_OK && limits)
        status = add_limits(s, limits, error);
    for (int i = 0; set && status == ASSAY_OK && i < set->constraint_count; i++)
        status = space_add_constraint(s, set->constraints[i], error);
    return status == ASSAY_OK ? space_finish(s, error) : status;
}

assay_status space_from_op(const opspec *spec, const char *variant, const opspec_dims *dims,
                           assay_dtype dtype, const space_limits *limits, space **out, assay_error *error)
{
    assay_error own = {0};
    assay_status status = space_create(out, error);
    if (status != ASSAY_OK)
        return status;
    status = fill(*out, opspec_find_tunables(spec, variant), dims, dtype, limits, &own);
    if (status == ASSAY_OK)
        return ASSAY_OK;
    space_free(*out);
    *out = NULL;
    const opspec_variant_tunables *set = opspec_find_tunables(spec, variant);
    return set && set->file
               ? assay_error_set(error, status, "%s: %s", set->file, own.message)
               : assay_error_set(error, status, "%s/op.json: %s: %s", spec->directory, variant, own.message);
}
