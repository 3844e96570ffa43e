/* How much each parameter decides: see impact.h. */
#include "tune/archive/impact.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PARAMETERS = 32, MOST_VALUES = 64 };

typedef struct impact_value {
    char text[40];
    long count;
    double sum, least;
} impact_value;

typedef struct impact_parameter {
    char name[64];
    int value_count;
    long count;
    double sum, squares;
    impact_value values[MOST_VALUES];
} impact_parameter;

struct impact_table {
    int count;
    impact_parameter parameters[MOST_PARAMETERS];
};

impact_table *impact_create(void)
{
    return calloc(1, sizeof(impact_table));
}

void impact_free(impact_table *t)
{
    free(t);
}

static int is_text(const char *own, const char *text, int length)
{
    return strncmp(own, text, (size_t)length) == 0 && own[length] == '\0';
}

static impact_parameter *find_parameter(impact_table *t, const char *name, int length, int hint)
{
    if (hint < t->count && is_text(t->parameters[hint].name, name, length))
        return &t->parameters[hint];
    for (int i = 0; i < t->count; i++)
        if (is_text(t->parameters[i].name, name, length))
            return &t->parameters[i];
    if (t->count == MOST_PARAMETERS || length >= (int)sizeof t->parameters[0].name)
        return NULL;
    impact_parameter *own = &t->parameters[t->count++];
    snprintf(own->name, sizeof own->name, "%.*s", length, name);
    return own;
}

static void add_value(impact_parameter *p, const char *text, int length, double time_us)
{
    const double logarithm = log(time_us);
    int i = 0;
    while (i < p->value_count && !is_text(p->values[i].text, text, length))
        i++;
    if (i == MOST_VALUES || length >= (int)sizeof p->values[0].text)
        return;
    impact_value *v = &p->values[i];
    if (i == p->value_count) {
        snprintf(v->text, sizeof v->text, "%.*s", length, text);
        v->least = time_us;
        p->value_count++;
    }
    v->count++;
    v->sum += logarithm;
    v->least = fmin(v->least, time_us);
    p->count++;
    p->sum += logarithm;
    p->squares += logarithm * logarithm;
}

void impact_add(impact_table *t, const char *label, double time_us)
{
    for (int hint = 0; *label; hint++) {
        const int length = (int)strcspn(label, ",");
        const char *equals = memchr(label, '=', (size_t)length);
        impact_parameter *p = equals ? find_parameter(t, label, (int)(equals - label), hint) : NULL;
        if (p)
            add_value(p, equals + 1, (int)(label + length - equals - 1), time_us);
        label += length + (label[length] == ',');
    }
}

static double eta_squared(const impact_parameter *p)
{
    const double mean = p->sum / (double)p->count, all = p->squares - p->sum * mean;
    double between = 0;
    for (int i = 0; i < p->value_count; i++) {
        const double own = p->values[i].sum / (double)p->values[i].count - mean;
        between += (double)p->values[i].count * own * own;
    }
    return all > 1e-12 ? fmin(1, between / all) : 0;
}

static json_t *parameter_json(const impact_parameter *p)
{
    json_t *values = json_array();
    int best = 0;
    for (int i = 0; i < p->value_count; i++) {
        const impact_value *v = &p->values[i];
        if (v->least < p->values[best].least)
            best = i;
        json_array_append_new(values, json_pack("{s:s, s:I, s:f, s:f}", "value", v->text, "count",
                                                (json_int_t)v->count, "geomean_us",
                                                exp(v->sum / (double)v->count), "best_us", v->least));
    }
    return json_pack("{s:s, s:f, s:s, s:o}", "name", p->name, "impact", eta_squared(p), "best_value",
                     p->values[best].text, "values", values);
}

static int by_impact(const void *a, const void *b)
{
    const double x = eta_squared(*(const impact_parameter *const *)a),
                 y = eta_squared(*(const impact_parameter *const *)b);
    return x < y ? 1 : x > y ? -1 : 0;
}

json_t *impact_json(const impact_table *t)
{
    const impact_parameter *order[MOST_PARAMETERS];
    json_t *rows = json_array();
    for (int i = 0; i < t->count; i++)
        order[i] = &t->parameters[i];
    qsort(order, (size_t)t->count, sizeof *order, by_impact);
    for (int i = 0; i < t->count; i++)
        json_array_append_new(rows, parameter_json(order[i]));
    return rows;
}
