/* Baselines of the op `add` for testing what the harness makes of a baseline's optional exports: plain host code. Compiled several times:
 *   BEHAVIOUR_RIGHT      computes what the op does
 *   BEHAVIOUR_WRONG      the same, but one element is wrong
 *   BEHAVIOUR_REFUSES    does not offer the problem
 *   BEHAVIOUR_UNRANKED   computes another function, and says so */
#include "add.h"
#include <string.h>

ASSAY_EXPORT assay_status add_prepare(const add_args *args, assay_stream stream);
ASSAY_EXPORT void add_release(void);
ASSAY_EXPORT const assay_baseline_notes *add_notes(void);

static assay_baseline_notes notes = {.version = "plain 1.0", .choice = "the only way there is"};
static int is_prepared;

const assay_baseline_notes *add_notes(void)
{
    return &notes;
}

assay_status add_prepare(const add_args *args, assay_stream stream)
{
    (void)stream;
#if defined(BEHAVIOUR_REFUSES)
    strcpy(notes.reason, "this baseline wants prime numbers");
    return args->count >= 0 ? ASSAY_ERR_UNSUPPORTED : ASSAY_OK;
#elif defined(BEHAVIOUR_UNRANKED)
    notes.is_unranked = 1;
#endif
    is_prepared = args->count >= 0;
    return is_prepared ? ASSAY_OK : ASSAY_ERR_INVALID;
}

void add_release(void)
{
    is_prepared = 0;
}

assay_status add_run(const add_args *args, assay_stream stream)
{
    const float *x = args->x, *y = args->y;
    float *out = args->out;
    (void)stream;
    if (!is_prepared)
        return ASSAY_ERR_INVALID;
    for (int64_t i = 0; i < args->count; i++) {
#if defined(BEHAVIOUR_UNRANKED)
        out[i] = x[i] * y[i];
#else
        out[i] = x[i] + (float)args->alpha * y[i];
#endif
    }
#if defined(BEHAVIOUR_WRONG)
    out[0] += 1.0f;
#endif
    return ASSAY_OK;
}
