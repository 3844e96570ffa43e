/* The Bayesian strategy of a build without LAPACKE: named, and said to be missing. */
#include "tune/strategies/strategy_internal.h"

static int propose(strategy *st, uint64_t stream, configuration *out)
{
    (void)st, (void)stream, (void)out;
    return 0;
}

const strategy_kind strategy_bayesian = {
    .name = "bayesian",
    .about = "missing in this build: needs LAPACKE (apt-get install liblapacke-dev)",
    .missing =
        "LAPACKE, which this build was made without (apt-get install liblapacke-dev, then configure again)",
    .propose = propose,
};
