/* Configurations by the shape: see shape_configurations.h. */
#include "tune/tuner/shape_configurations.h"
#include "core/list.h"
#include "tune/evaluate/compile_pool.h"
#include "tune/evaluate/constraints.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COMBINATIONS = 4096 }; /* that are looked at */

/* The tunables that are varied, by their number, and the space at each shape. */
typedef struct varied {
    const workspace_op *op;
    int index[OPSPEC_MAX_TUNABLES], count;
    int64_t values[OPSPEC_MAX_TUNABLES]; /* of all tunables of the variant */
    int combinations;                    /* of more than MOST_COMBINATIONS only a part is counted */
    space **spaces;
    int space_count;
} varied;

static assay_status check_only(const shape_table *t, const char *only, const char *op, assay_error *error)
{
    for (list_item item = {0}; list_next(only, &item);) {
        char name[ASSAY_NAME_MAX], there[OPSPEC_MAX_TUNABLES * (ASSAY_NAME_MAX + 2)] = "";
        int known = 0;
        snprintf(name, sizeof name, "%.*s", item.length, item.text);
        for (int i = 0; i < t->tunables->count; i++) {
            const opspec_tunable *one = &t->tunables->tunables[i];
            if (!one->at_run_time)
                continue;
            known |= strcmp(one->name, name) == 0;
            snprintf(there + strlen(there), sizeof there - strlen(there), "%s%s", there[0] ? ", " : "",
                     one->name);
        }
        if (!known)
            return assay_error_set(error, ASSAY_ERR_INVALID,
                                   "--only: %s of %s has no run-time tunable \"%s\"; there are: %s",
                                   t->tunables->variant, op, name, there);
    }
    return ASSAY_OK;
}

static assay_status find_varied(const shape_table *t, const char *variant, const char *only, varied *v,
                                assay_error *error)
{
    int run_time = 0;
    v->combinations = 1;
    for (int i = 0; t->tunables && i < t->tunables->count; i++) {
        const opspec_tunable *one = &t->tunables->tunables[i];
        v->values[i] = one->def;
        run_time += one->at_run_time;
        if (!one->at_run_time || (only && !list_has(only, one->name)))
            continue;
        v->index[v->count++] = i;
        if (v->combinations <= MOST_COMBINATIONS)
            v->combinations *= one->value_count;
    }
    if (run_time == 0)
        return assay_error_set(
            error, ASSAY_ERR_INVALID,
            "%s of %s has no tunable that op.json marks \"run_time\": nothing can be chosen by the shape",
            variant, v->op->spec->name);
    return only ? check_only(t, only, v->op->spec->name, error) : ASSAY_OK;
}

static assay_status make_spaces(workspace *ws, const tune_options *o, const shape_request *request, varied *v,
                                assay_error *error)
{
    assay_status status = ASSAY_OK;
    v->spaces = calloc((size_t)request->count, sizeof(space *));
    if (!v->spaces)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    for (v->space_count = 0; v->space_count < request->count && status == ASSAY_OK; v->space_count++)
        status = tune_space(ws, v->op, o->variant, o->dtype, request->names[v->space_count],
                            &v->spaces[v->space_count], error);
    return status;
}

static int is_allowed(const space *s, const tuned_variant *tuned)
{
    char text[TUNED_VARIANT_TEXT_MAX];
    configuration values;
    tuned_variant_text(tuned, text);
    return configuration_parse(s, text, &values, NULL) == ASSAY_OK && space_is_valid(s, &values, NULL);
}

/* The default, or what is another and allowed somewhere; *full where there is no room for it. */
static assay_status add(const varied *v, shape_table *t, int *full, assay_error *error)
{
    tuned_variant next;
    const int count = t->times.configurations;
    assay_status status = tuned_variant_make(v->op->spec, t->tunables->variant, v->values, &next, error);
    int wanted = status == ASSAY_OK && count == 0;
    for (int s = 0; s < v->space_count && status == ASSAY_OK && !wanted; s++)
        wanted = strcmp(next.name, t->configurations[0].name) != 0 && is_allowed(v->spaces[s], &next);
    *full = wanted && count == SHAPE_MOST_CONFIGURATIONS;
    if (wanted && !*full)
        t->configurations[t->times.configurations++] = next;
    return status;
}

static assay_status add_combinations(varied *v, shape_table *t, int *full, assay_error *error)
{
    assay_status status = ASSAY_OK;
    *full = v->combinations > MOST_COMBINATIONS;
    for (int n = 0; n < v->combinations && status == ASSAY_OK && !*full; n++) {
        for (int i = 0, rest = n; i < v->count; i++) {
            const opspec_tunable *one = &t->tunables->tunables[v->index[i]];
            v->values[v->index[i]] = one->values[rest % one->value_count];
            rest /= one->value_count;
        }
        status = add(v, t, full, error);
    }
    return status;
}

static assay_status add_one_at_a_time(varied *v, shape_table *t, int *full, assay_error *error)
{
    assay_status status = ASSAY_OK;
    for (int i = 0; i < v->count; i++)
        v->values[v->index[i]] = t->tunables->tunables[v->index[i]].def;
    for (int i = 0; i < v->count; i++) {
        const opspec_tunable *one = &t->tunables->tunables[v->index[i]];
        for (int k = 0; k < one->value_count && status == ASSAY_OK && !*full; k++) {
            v->values[v->index[i]] = one->values[k];
            status = add(v, t, full, error);
        }
        v->values[v->index[i]] = one->def;
    }
    return status;
}

static assay_status add_all(varied *v, shape_table *t, assay_error *error)
{
    int full = 0;
    assay_status status = add(v, t, &full, error);
    if (status == ASSAY_OK)
        status = add_combinations(v, t, &full, error);
    if (status != ASSAY_OK || !full)
        return status;
    t->one_at_a_time = 1;
    t->times.configurations = 1;
    full = 0;
    status = add_one_at_a_time(v, t, &full, error);
    return status == ASSAY_OK && full
               ? assay_error_set(error, ASSAY_ERR_INVALID,
                                 "%s of %s: its run-time tunables have more than %d values in all; --only "
                                 "names those that are varied",
                                 t->tunables->variant, v->op->spec->name, SHAPE_MOST_CONFIGURATIONS - 1)
               : status;
}

static unsigned char *allow(const varied *v, const shape_table *t)
{
    const int each = t->times.configurations;
    unsigned char *allowed = calloc((size_t)v->space_count, (size_t)each);
    for (int s = 0; allowed && s < v->space_count; s++)
        for (int c = 0; c < each; c++)
            allowed[s * each + c] = (unsigned char)is_allowed(v->spaces[s], &t->configurations[c]);
    return allowed;
}

assay_status shape_configurations_list(workspace *ws, const workspace_op *op, const tune_options *o,
                                       const shape_request *request, shape_table *t, unsigned char **allowed,
                                       assay_error *error)
{
    varied v = {.op = op};
    *allowed = NULL;
    assay_status status = find_varied(t, o->variant, request->only, &v, error);
    if (status == ASSAY_OK)
        status = make_spaces(ws, o, request, &v, error);
    if (status == ASSAY_OK)
        status = add_all(&v, t, error);
    if (status == ASSAY_OK && !(*allowed = allow(&v, t)))
        status = assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    for (int s = 0; v.spaces && s < request->count; s++)
        space_free(v.spaces[s]);
    free(v.spaces);
    return status;
}

/* One that does not compile, or not in its time, has no times. */
static assay_status take_hash(const tuned_module *module, const compiled_module *made, char hash[65],
                              assay_error *error)
{
    int compiles = 0;
    hash[0] = '\0';
    if (!made->done || made->status == ASSAY_ERR_CHECK)
        return ASSAY_OK;
    const assay_status status = made->status == ASSAY_OK
                                    ? tuned_module_hash(module, hash, &compiles, error)
                                    : assay_error_set(error, made->status, "%s", made->message);
    if (!compiles)
        hash[0] = '\0';
    return status;
}

assay_status shape_configurations_compile(workspace *ws, const workspace_op *op, const tune_options *o,
                                          const shape_table *t, char (*hashes)[65], assay_error *error)
{
    tuned_module modules[SHAPE_MOST_CONFIGURATIONS] = {{.ws = ws}};
    compile_pool pool;
    const int count = t->times.configurations;
    for (int c = 0; c < count; c++)
        modules[c] = (tuned_module){.ws = ws, .op = op, .tuned = &t->configurations[c], .dtype = o->dtype};
    assay_status status = compile_pool_begin(modules, count, o->evaluate.compile_jobs,
                                             o->evaluate.compile_limit_s, &pool, error);
    if (status == ASSAY_OK)
        compile_pool_wait(&pool);
    for (int c = 0; c < count && status == ASSAY_OK; c++)
        status = take_hash(&modules[c], &pool.modules[c], hashes[c], error);
    compile_pool_release(&pool);
    return status;
}
