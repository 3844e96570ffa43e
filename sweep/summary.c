/* Quantiles and requirements: see summary.h. */
#include "sweep/summary.h"
#include "core/list.h"
#include "statistics/describe.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static sweep_line *find_line(sweep_summary *summary, const sweep_case *c)
{
    for (int i = 0; i < summary->count; i++)
        if (summary->lines[i].dtype == c->dtype && strcmp(summary->lines[i].variant, c->variant) == 0)
            return &summary->lines[i];
    if (summary->count == SWEEP_MOST_LINES)
        return NULL;
    sweep_line *line = &summary->lines[summary->count++];
    *line = (sweep_line){.dtype = c->dtype, .minimum = NAN, .p10 = NAN, .median = NAN, .geomean = NAN};
    snprintf(line->variant, sizeof line->variant, "%s", c->variant);
    return line;
}

static void count_case(sweep_line *line, const sweep_case *c)
{
    line->shapes++;
    line->right += c->status == SWEEP_RIGHT || c->status == SWEEP_COMPARED;
    line->wrong += c->status == SWEEP_WRONG;
    line->refused += c->status == SWEEP_REFUSED;
    line->left += c->status == SWEEP_LEFT;
    line->compared += c->status == SWEEP_COMPARED;
}

static void describe(const sweep_outcome *out, sweep_line *line, double *ratios)
{
    int count = 0;
    double logs = 0;
    for (int i = 0; i < out->count; i++) {
        const sweep_case *c = &out->cases[i];
        if (c->status != SWEEP_COMPARED || c->dtype != line->dtype || strcmp(c->variant, line->variant) != 0)
            continue;
        ratios[count++] = c->ratio;
        logs += log(c->ratio);
    }
    if (count == 0)
        return;
    line->minimum = stats_min(ratios, count);
    line->p10 = stats_quantile(ratios, count, 0.1);
    line->median = stats_median(ratios, count);
    line->geomean = exp(logs / count);
}

void sweep_summarise(const sweep_outcome *out, sweep_summary *summary)
{
    double *ratios = malloc(sizeof *ratios * (size_t)(out->count + 1));
    *summary = (sweep_summary){.all = {.minimum = NAN, .p10 = NAN, .median = NAN, .geomean = NAN}};
    for (int i = 0; i < out->count; i++) {
        sweep_line *line = find_line(summary, &out->cases[i]);
        if (line)
            count_case(line, &out->cases[i]);
        count_case(&summary->all, &out->cases[i]);
    }
    for (int i = 0; ratios && i < summary->count; i++)
        describe(out, &summary->lines[i], ratios);
    free(ratios);
}

int sweep_worst(const sweep_outcome *out, int most, int *cases)
{
    int count = 0;
    for (int i = 0; i < out->count; i++) {
        int at = count;
        if (out->cases[i].status != SWEEP_COMPARED)
            continue;
        while (at > 0 && out->cases[cases[at - 1]].ratio > out->cases[i].ratio)
            at--;
        if (at == most)
            continue;
        count += count < most;
        for (int j = count - 1; j > at; j--)
            cases[j] = cases[j - 1];
        cases[at] = i;
    }
    return count;
}

typedef struct asked {
    const char *name;
    size_t in_require, in_line;
} asked;

static const asked table[] = {
    {"minimum", offsetof(sweep_require, minimum), offsetof(sweep_line, minimum)},
    {"p10", offsetof(sweep_require, p10), offsetof(sweep_line, p10)},
    {"median", offsetof(sweep_require, median), offsetof(sweep_line, median)},
    {"geomean", offsetof(sweep_require, geomean), offsetof(sweep_line, geomean)},
};
enum { ASKED = sizeof table / sizeof *table };

static double *value_in(void *from, size_t offset)
{
    return (double *)(void *)((char *)from + offset);
}

static assay_status take_item(const char *item, sweep_require *require, assay_error *error)
{
    const char *equals = strchr(item, '=');
    char *end = NULL;
    const double value = equals ? strtod(equals + 1, &end) : 0;
    for (int i = 0; equals && i < ASKED; i++) {
        double *place = value_in(require, table[i].in_require);
        if (strlen(table[i].name) != (size_t)(equals - item) ||
            strncmp(item, table[i].name, (size_t)(equals - item)) != 0)
            continue;
        if (end == equals + 1 || *end != '\0' || !(value > 0 && value < 1e6))
            return assay_error_set(error, ASSAY_ERR_INVALID, "--require: \"%s\": a ratio above 0 is expected",
                                   item);
        if (!isnan(*place))
            return assay_error_set(error, ASSAY_ERR_INVALID, "--require: %s is given twice", table[i].name);
        *place = value;
        return ASSAY_OK;
    }
    return assay_error_set(error, ASSAY_ERR_INVALID,
                           "--require: \"%s\": NAME=RATIO is expected with minimum, p10, median or geomean",
                           item);
}

assay_status sweep_require_parse(const char *text, sweep_require *require, assay_error *error)
{
    assay_status status = ASSAY_OK;
    *require = (sweep_require){NAN, NAN, NAN, NAN};
    for (list_item item = {0}; status == ASSAY_OK && list_next(text, &item);) {
        char one[64];
        snprintf(one, sizeof one, "%.*s", item.length, item.text);
        status = take_item(one, require, error);
    }
    return status == ASSAY_OK && text && !sweep_require_asks(require)
               ? assay_error_set(error, ASSAY_ERR_INVALID,
                                 "--require: nothing is in the list; minimum=0.75,p10=0.9 for example")
               : status;
}

int sweep_require_asks(const sweep_require *require)
{
    return !isnan(require->minimum) || !isnan(require->p10) || !isnan(require->median) ||
           !isnan(require->geomean);
}

int sweep_require_holds(const sweep_require *require, const sweep_summary *summary, char *why, size_t bytes)
{
    sweep_require copy = *require;
    why[0] = '\0';
    for (int i = 0; i < summary->count; i++)
        for (int k = 0; k < ASKED; k++) {
            sweep_line line = summary->lines[i];
            const double wanted = *value_in(&copy, table[k].in_require),
                         has = *value_in(&line, table[k].in_line);
            if (isnan(wanted) || has >= wanted)
                continue;
            snprintf(why, bytes,
                     isnan(has) ? "%s %s: no shape has a ratio" : "%s %s: %s is %.3g, required: %.3g",
                     line.variant, assay_dtype_name(line.dtype), table[k].name, has, wanted);
            return 0;
        }
    return 1;
}
