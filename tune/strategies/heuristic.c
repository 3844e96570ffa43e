/* Hardware-aware search without a surrogate: configurations in the order of their scores, held back where they resemble
 * ones that were measured slow or failed. Needs no measurement to begin and never looks far from its scores. */
#include "tune/strategies/strategy_internal.h"
#include "tune/strategies/heuristic.h"

enum { POOL = 1024 };

/* Values that two configurations share, as a share. */
static double similarity(const space *s, const configuration *a, const configuration *b)
{
    const int parameters = space_parameter_count(s);
    int same = 0;
    for (int i = 0; i < parameters; i++)
        same += a->index[i] == b->index[i];
    return parameters > 0 ? (double)same / parameters : 1;
}

/* Mean quality of the measured neighbours, weighted by likeness: 1 the best so far, 0 a failure. */
static double learned(const strategy *st, const configuration *c)
{
    double sum = 0.5, weight = 1;
    for (long i = 0; i < st->told_count; i++) {
        const double same = similarity(st->space, c, &st->told[i].configuration);
        const double like = same * same * same * same;
        const double quality = st->told[i].status == EVALUATION_SUCCESS
                                   ? st->told[st->best].objective / st->told[i].objective
                                   : 0;
        sum += 4 * like * quality;
        weight += 4 * like;
    }
    return sum / weight;
}

static int propose(strategy *st, uint64_t stream, configuration *out)
{
    const uint64_t count = space_count(st->space);
    double best = -1;
    for (int i = 0; i < POOL; i++) {
        configuration c;
        const int has_one = count <= POOL ? (uint64_t)i < count && space_at(st->space, (uint64_t)i, &c)
                                          : space_draw(st->space, stream, (uint64_t)i, &c);
        if (!has_one || strategy_knows(st, &c))
            continue;
        const double score = heuristic_score(st->space, &c);
        if (score <= best) /* what was measured only lowers it */
            continue;
        const double corrected = score * learned(st, &c);
        if (corrected > best) {
            best = corrected;
            *out = c;
        }
    }
    return best >= 0;
}

const strategy_kind strategy_heuristic = {
    .name = "heuristic",
    .about = "by occupancy, reuse, alignment and waves, corrected by what was measured",
    .propose = propose,
};
