/* See drawn.h. */
#include "verify/drawn.h"
#include "verify/random.h"
#include <stdio.h>

static int choices_of(const opspec_param *rule)
{
    return rule->value.type == ASSAY_PARAM_TEXT      ? rule->choice_count
           : rule->value.type == ASSAY_PARAM_BOOLEAN ? 2
                                                     : 1;
}

int drawn_combinations(const opspec *spec)
{
    int combinations = 1, ranges = 0;
    for (int i = 0; i < spec->param_count; i++) {
        combinations *= choices_of(&spec->params[i]);
        ranges += spec->params[i].has_range;
    }
    return ranges ? combinations : 0;
}

static double any_value(const opspec_param *rule, uint64_t seed, int index, int combination)
{
    enum { PARAMETER_STREAM = 20000 };
    const double part =
        (double)random_word_at(seed, PARAMETER_STREAM, (uint64_t)(combination * 64 + index)) * 0x1p-32;
    return rule->min + part * (rule->max - rule->min);
}

/* As binary32 has it: kernels take some parameters that way. */
static double value_of(const opspec_param *rule, uint64_t seed, int index, int combination, int round)
{
    const double any = any_value(rule, seed, index, combination), beside = rule->value.real * (1 + 0x1p-8),
                 values[DRAWN_ROUNDS] = {
                     [DRAWN_ANY] = any,
                     [DRAWN_SMALLEST] = rule->min,
                     [DRAWN_LARGEST] = rule->max,
                     [DRAWN_BESIDE_DEFAULT] = beside >= rule->min && beside <= rule->max ? beside : any,
                     [DRAWN_BESIDE_ZERO] = any * 0x1p-10 >= rule->min ? any * 0x1p-10 : any,
                 };
    return (double)(float)values[round];
}

void drawn_parameters(const opspec *spec, uint64_t seed, int combination, int round, opspec_edge *edge)
{
    size_t used = 0;
    edge->name[0] = '\0';
    edge->param_count = 0;
    edge->once = round == DRAWN_BESIDE_DEFAULT || round == DRAWN_BESIDE_ZERO;
    for (int i = 0; i < spec->param_count; i++) {
        const opspec_param *rule = &spec->params[i];
        assay_param *param = &edge->params[edge->param_count];
        const int choices = choices_of(rule), choice = combination % choices;
        combination /= choices;
        *param = rule->value;
        if (rule->value.type == ASSAY_PARAM_TEXT)
            snprintf(param->text, sizeof param->text, "%s", rule->choices[choice]);
        else if (rule->value.type == ASSAY_PARAM_BOOLEAN)
            param->integer = choice;
        else if (rule->has_range)
            param->real = value_of(rule, seed, i, combination, round);
        else
            continue;
        edge->param_count++;
        if (used < sizeof edge->name)
            used += (size_t)(rule->value.type == ASSAY_PARAM_TEXT
                                 ? snprintf(edge->name + used, sizeof edge->name - used, "%s%s",
                                            used ? " " : "", rule->choices[choice])
                                 : snprintf(edge->name + used, sizeof edge->name - used, "%s%s=%g",
                                            used ? " " : "", rule->value.name,
                                            rule->has_range ? param->real : (double)param->integer));
    }
}
