/* Every valid configuration, in the order of the space. */
#include "tune/strategies/strategy_internal.h"

typedef struct exhaustive_state {
    configuration at;
    int started, is_at_end;
} exhaustive_state;

/* The cursor only saves time: it stands before the first configuration that is not known. */
static int propose(strategy *st, uint64_t stream, configuration *out)
{
    exhaustive_state *x = st->state;
    (void)stream;
    while (!x->is_at_end && space_next(st->space, x->started, &x->at)) {
        x->started = 1;
        if (!strategy_knows(st, &x->at)) {
            *out = x->at;
            return 1;
        }
    }
    x->is_at_end = 1;
    return 0;
}

const strategy_kind strategy_exhaustive = {
    .name = "exhaustive",
    .about = "every valid configuration, in order",
    .state_bytes = sizeof(exhaustive_state),
    .propose = propose,
};
