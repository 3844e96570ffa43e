/* op.json of a given op: see given_about.h. */
#include "core/json_file.h"
#include "outside/given_about.h"
#include <stdio.h>
#include <string.h>

static int is_role(const given_about *g, int i, given_role role)
{
    return g->parameters[i].role == role;
}

static const json_t *axes_of(const given_about *g, int i)
{
    return json_object_get(json_object_get(g->about, "shapes"), g->parameters[i].name);
}

static int has_name(const json_t *list, const char *name)
{
    size_t i;
    json_t *item;
    json_array_foreach((json_t *)list, i,
                       item) if (json_is_string(item) && strcmp(json_string_value(item), name) == 0) return 1;
    return 0;
}

static json_t *tensors(const given_about *g, given_role role)
{
    json_t *list = json_array();
    for (int i = 0; i < g->count; i++) {
        const char *name = g->parameters[i].name;
        if (!is_role(g, i, role))
            continue;
        json_t *item = json_pack("{s:s}", "name", name);
        if (role == GIVEN_INPUT) {
            const int uniform = has_name(json_object_get(g->about, "uniform"), name);
            json_object_set(item, "shape", (json_t *)axes_of(g, i));
            json_object_set_new(item, "distribution", json_string(uniform ? "uniform" : "normal"));
        }
        json_array_append_new(list, item);
    }
    return list;
}

/* Whole parameters are dimensions, and parameters of the same name, so that the reference is given them. */
static json_t *parameters(const given_about *g, const json_t *small)
{
    json_t *list = json_array();
    for (int i = 0; i < g->count; i++) {
        const char *name = g->parameters[i].name;
        const json_t *value = json_object_get(json_object_get(g->about, "values"), name);
        if (is_role(g, i, GIVEN_WHOLE))
            json_array_append_new(list, json_pack("{s:s, s:s, s:O}", "name", name, "type", "integer",
                                                  "default", json_object_get(small, name)));
        else if (is_role(g, i, GIVEN_REAL))
            json_array_append_new(list, json_pack("{s:s, s:s, s:f}", "name", name, "type", "real", "default",
                                                  value ? json_number_value(value) : 1.0));
    }
    return list;
}

/* All dimensions of a size changed by a function of their values. */
static json_t *change_dims(const json_t *dims, long long (*change)(long long value, int place))
{
    json_t *out = json_object(), *value;
    const char *name;
    int place = 0;
    json_object_foreach((json_t *)dims, name, value)
    {
        const long long changed = change(json_integer_value(value), place++);
        json_object_set_new(out, name, json_integer(changed > 0 ? changed : 1));
    }
    return out;
}

static long long quarter(long long value, int place)
{
    (void)place;
    return (value + 3) / 4;
}

static long long one(long long value, int place)
{
    (void)value, (void)place;
    return 1;
}

static long long next(long long value, int place)
{
    (void)place;
    return value + 1;
}

static long long previous(long long value, int place)
{
    (void)place;
    return value - 1;
}

/* The largest prime below the value: the order of dimensions stays, so that what is one longer than the other stays so. */
static long long prime(long long value, int place)
{
    (void)place;
    for (long long p = value - 1; p > 2; p--) {
        long long divisor = 2;
        while (divisor * divisor <= p && p % divisor != 0)
            divisor++;
        if (divisor * divisor > p)
            return p;
    }
    return 1;
}

/* small, medium and large, then the others; one that is missing has a quarter of the next larger, or is as large as the largest. */
static json_t *sizes(const given_about *g)
{
    static const char *const names[] = {"large", "medium", "small"};
    const json_t *given = json_object_get(g->about, "sizes");
    json_t *found[3] = {NULL}, *out = json_object(), *value;
    const char *name;
    for (int i = 0; i < 3; i++) {
        const json_t *own = json_object_get(given, names[i]);
        if (own)
            found[i] = json_deep_copy(own);
        else if (i > 0 && found[i - 1])
            found[i] = change_dims(found[i - 1], quarter);
    }
    for (int i = 2; i >= 0; i--) {
        if (!found[i]) /* only smaller ones, or others, were given */
            found[i] = json_deep_copy(i < 2 && found[i + 1]
                                          ? found[i + 1]
                                          : json_object_iter_value(json_object_iter((json_t *)given)));
        json_object_set(out, names[i], found[i]);
    }
    for (int i = 0; i < 3; i++)
        json_decref(found[i]);
    json_object_foreach((json_t *)given, name, value) if (!json_object_get(out, name))
        json_object_set(out, name, value);
    return out;
}

/* Shapes that tiles do not divide. Special values are for who asks for them: what a kernel does with NaN is part of no signature. */
static json_t *edge_cases(const json_t *small)
{
    static const struct {
        const char *name;
        long long (*change)(long long value, int place);
    } cases[] = {{"ones", one}, {"primes", prime}, {"one_more", next}, {"one_less", previous}};
    json_t *list = json_array();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        json_array_append_new(list, json_pack("{s:s, s:o}", "name", cases[i].name, "dims",
                                              change_dims(small, cases[i].change)));
    return list;
}

static const assay_dtype dtypes[] = {ASSAY_F32, ASSAY_F16, ASSAY_BF16};

static json_t *dtype_names(const given_about *g)
{
    json_t *list = json_array();
    for (int d = 0; d < 3; d++)
        if (g->dtypes >> dtypes[d] & 1)
            json_array_append_new(list, json_string(assay_dtype_name(dtypes[d])));
    return list;
}

static json_t *tolerances(const given_about *g)
{
    const json_t *given = json_object_get(g->about, "tolerance");
    json_t *out = json_object();
    for (int d = 0; d < 3; d++)
        if (g->dtypes >> dtypes[d] & 1)
            json_object_set_new(out, assay_dtype_name(dtypes[d]),
                                json_pack("{s:f, s:f, s:s}", "atol", json_get_number(given, "atol", 1e-5),
                                          "rtol", json_get_number(given, "rtol", 1e-5), "why",
                                          json_object_size(given) ? "as given with the reference"
                                                                  : "default of a given reference"));
    return out;
}

static json_t *solve_forms(const given_about *g)
{
    json_t *arguments = json_array();
    for (int i = 0; i < g->count; i++)
        json_array_append_new(arguments, json_string(g->parameters[i].name));
    return json_pack("[{s:o}]", "arguments", arguments);
}

static const char *family(const given_about *g)
{
    size_t in = 0, out = 0;
    int inputs = 0;
    for (int i = 0; i < g->count; i++) {
        const size_t rank = json_array_size(axes_of(g, i));
        inputs += is_role(g, i, GIVEN_INPUT) && rank == 2;
        if (is_role(g, i, GIVEN_INPUT) && rank > in)
            in = rank;
        if (is_role(g, i, GIVEN_OUTPUT) && rank > out)
            out = rank;
    }
    return out < in                                                ? "reduction"
           : inputs > 1 && json_get_text(g->about, "flops", "")[0] ? "matrix"
                                                                   : "elementwise";
}

json_t *given_about_spec(const given_about *g, const char *name)
{
    json_t *all = sizes(g), *small = json_object_get(all, "small"), *value;
    const char *key;
    json_t *op = json_pack(
        "{s:i, s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:[]}", "schema", 1,
        "name", name, "family", family(g), "torch", name, "formula", "as the reference computes it",
        "complexity",
        json_get_text(g->about, "flops", "")[0] ? json_get_text(g->about, "flops", "") : "not said", "access",
        "not said", "dtypes", dtype_names(g), "inputs", tensors(g, GIVEN_INPUT), "outputs",
        tensors(g, GIVEN_OUTPUT), "params", parameters(g, small), "sizes", json_incref(all), "tolerances",
        tolerances(g), "edge_cases", edge_cases(small), "solve", solve_forms(g), "baselines");
    json_object_foreach(json_object_get(g->about, "op"), key, value) json_object_set(op, key, value);
    json_decref(all);
    return op;
}
