/* Configurations of variants: see tuned_variant.h. */
#include "core/tuned_variant.h"
#include "core/list.h"
#include <errno.h>
#include <sha256.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HASH_DIGITS = 10 };

const char *tuned_variant_folder(const char *variant, const char *size)
{
    return tuned_variant_is(variant) || opspec_is_shape(size) ? "configurations/" : "";
}

void tuned_variant_text(const tuned_variant *c, char out[TUNED_VARIANT_TEXT_MAX])
{
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; i < c->count; i++)
        used += (size_t)snprintf(out + used, TUNED_VARIANT_TEXT_MAX - used, "%s%s=%lld", i ? "," : "",
                                 c->values[i].name, (long long)c->values[i].value);
}

static int compare_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Of the values sorted by name, so that the order in op.json does not count. */
static void hash_values(const tuned_variant *c, char hex[SHA256_DIGEST_STRING_LENGTH])
{
    char texts[OPSPEC_MAX_TUNABLES][ASSAY_NAME_MAX + 24];
    const char *sorted[OPSPEC_MAX_TUNABLES];
    SHA2_CTX hash;
    for (int i = 0; i < c->count; i++) {
        snprintf(texts[i], sizeof texts[i], "%s=%lld,", c->values[i].name, (long long)c->values[i].value);
        sorted[i] = texts[i];
    }
    qsort(sorted, (size_t)c->count, sizeof *sorted, compare_text);
    SHA256Init(&hash);
    for (int i = 0; i < c->count; i++)
        SHA256Update(&hash, (const uint8_t *)sorted[i], strlen(sorted[i]));
    SHA256End(&hash, hex);
}

static assay_status name_it(tuned_variant *c, assay_error *error)
{
    char hex[SHA256_DIGEST_STRING_LENGTH];
    hash_values(c, hex);
    const int length =
        snprintf(c->name, sizeof c->name, "%s%c%.*s", c->variant, TUNED_VARIANT_MARK, HASH_DIGITS, hex);
    return length < (int)sizeof c->name
               ? ASSAY_OK
               : assay_error_set(error, ASSAY_ERR_INVALID,
                                 "the name of the variant %s is too long for a configuration of it; allowed: "
                                 "%d characters",
                                 c->variant, ASSAY_NAME_MAX - HASH_DIGITS - 2);
}

static assay_status find_set(const opspec *spec, const char *variant, const opspec_variant_tunables **set,
                             assay_error *error)
{
    char there[600] = "";
    *set = opspec_find_tunables(spec, variant);
    for (int i = 0; i < spec->tunables_count; i++)
        snprintf(there + strlen(there), sizeof there - strlen(there), "%s%s", i ? ", " : "",
                 spec->tunables[i].variant);
    return *set && (*set)->count > 0
               ? ASSAY_OK
               : assay_error_set(error, ASSAY_ERR_INVALID,
                                 "%s of %s has no tunables in op.json; variants with tunables: %s", variant,
                                 spec->name, there[0] ? there : "none");
}

static assay_status check_value(const char *variant, const opspec_tunable *tunable, int64_t value,
                                assay_error *error)
{
    char allowed[OPSPEC_MAX_VALUES * 22] = "";
    for (int i = 0; i < tunable->value_count; i++) {
        if (tunable->values[i] == value)
            return ASSAY_OK;
        snprintf(allowed + strlen(allowed), sizeof allowed - strlen(allowed), "%s%lld", i ? ", " : "",
                 (long long)tunable->values[i]);
    }
    return assay_error_set(error, ASSAY_ERR_INVALID, "%s: %s=%lld is no value of op.json; allowed: %s",
                           variant, tunable->name, (long long)value, allowed);
}

static void start(const opspec_variant_tunables *set, const char *variant, tuned_variant *out)
{
    *out = (tuned_variant){.count = set->count};
    tuned_variant_base(variant, out->variant);
    for (int i = 0; i < set->count; i++) {
        snprintf(out->values[i].name, sizeof out->values[i].name, "%s", set->tunables[i].name);
        out->values[i].value = set->tunables[i].def;
    }
}

assay_status tuned_variant_make(const opspec *spec, const char *variant, const int64_t *values,
                                tuned_variant *out, assay_error *error)
{
    const opspec_variant_tunables *set;
    if (find_set(spec, variant, &set, error) != ASSAY_OK)
        return ASSAY_ERR_INVALID;
    start(set, variant, out);
    for (int i = 0; i < set->count; i++) {
        if (check_value(variant, &set->tunables[i], values[i], error) != ASSAY_OK)
            return ASSAY_ERR_INVALID;
        out->values[i].value = values[i];
    }
    return name_it(out, error);
}

/* One "NAME=VALUE". `given`: which tunables were named before. */
static assay_status take_item(const opspec_variant_tunables *set, const char *item, tuned_variant *out,
                              int *given, assay_error *error)
{
    char there[OPSPEC_MAX_TUNABLES * (ASSAY_NAME_MAX + 2)] = "";
    const char *equals = strchr(item, '=');
    char *end = NULL;
    errno = 0;
    const long long value = equals ? strtoll(equals + 1, &end, 10) : 0;
    if (!equals || end == equals + 1 || *end != '\0' || errno == ERANGE)
        return assay_error_set(error, ASSAY_ERR_INVALID, "\"%s\": NAME=INTEGER is expected", item);
    for (int i = 0; i < set->count; i++) {
        const char *name = set->tunables[i].name;
        snprintf(there + strlen(there), sizeof there - strlen(there), "%s%s", i ? ", " : "", name);
        if (strlen(name) != (size_t)(equals - item) || strncmp(name, item, strlen(name)) != 0)
            continue;
        if (given[i]++)
            return assay_error_set(error, ASSAY_ERR_INVALID, "%s is given twice", name);
        out->values[i].value = value;
        return check_value(out->variant, &set->tunables[i], value, error);
    }
    return assay_error_set(error, ASSAY_ERR_INVALID, "%s has no tunable \"%.*s\"; there are: %s",
                           out->variant, (int)(equals - item), item, there);
}

assay_status tuned_variant_parse(const opspec *spec, const char *variant, const char *text,
                                 tuned_variant *out, assay_error *error)
{
    const opspec_variant_tunables *set;
    int given[OPSPEC_MAX_TUNABLES] = {0};
    assay_status status = find_set(spec, variant, &set, error);
    if (status != ASSAY_OK)
        return status;
    start(set, variant, out);
    for (list_item item = {0}; status == ASSAY_OK && text && text[0] && list_next(text, &item);) {
        char one[2 * ASSAY_NAME_MAX];
        snprintf(one, sizeof one, "%.*s", item.length, item.text);
        status = take_item(set, one, out, given, error);
    }
    return status == ASSAY_OK ? name_it(out, error) : status;
}

/* The workspace lends its ops as const to keep callers from changing what op.json says; a configuration adds to them. */
static workspace_op *own_op(const workspace *ws, const workspace_op *op)
{
    return &ws->ops[op - ws->ops];
}

assay_status workspace_add_tuned(const workspace *ws, const workspace_op *op, const tuned_variant *c,
                                 assay_error *error)
{
    workspace_op *own = own_op(ws, op);
    for (int i = 0; i < own->variant_count; i++)
        if (strcmp(own->variants[i], c->name) == 0)
            return ASSAY_OK;
    if (own->variant_count == WORKSPACE_MAX_VARIANTS + WORKSPACE_MAX_TUNED)
        return assay_error_set(error, ASSAY_ERR_INVALID, "more than %d configurations of %s at a time",
                               WORKSPACE_MAX_TUNED, op->spec->name);
    snprintf(own->variants[own->variant_count++], ASSAY_NAME_MAX, "%s", c->name);
    return ASSAY_OK;
}

void workspace_forget_tuned(const workspace *ws)
{
    for (int i = 0; i < ws->op_count; i++)
        while (ws->ops[i].variant_count > 0 &&
               tuned_variant_is(ws->ops[i].variants[ws->ops[i].variant_count - 1]))
            ws->ops[i].variant_count--;
}
