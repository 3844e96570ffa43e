/* See first_modules.h. */
#include "tune/tuner/first_modules.h"
#include "bench/timing/clock.h"
#include "tune/evaluate/compile_pool.h"
#include <stdio.h>
#include <string.h>

enum { LIMIT_S = 900, MOST = 32 };

typedef struct first_modules {
    tuned_variant tuned[MOST];
    tuned_module modules[MOST];
    int count;
} first_modules;

static assay_status add(const search *s, const configuration *c, first_modules *m, assay_error *error)
{
    const tune_subject *subject = &s->out->subject;
    tune_candidate candidate;
    const assay_status status = tune_candidate_make(subject, c, &candidate, error);
    if (status != ASSAY_OK || m->count == MOST)
        return status;
    m->tuned[m->count] = candidate.tuned;
    m->modules[m->count] = (tuned_module){subject->ws, subject->op, &m->tuned[m->count], subject->dtype};
    m->count++;
    return ASSAY_OK;
}

/* What the strategy asks for before it has been told anything, without the default. */
static void add_others(const search *s, const configuration *def, first_modules *m)
{
    const strategy_options options = {
        .seed = s->o->seed, .budget = s->o->evaluations, .seeds = def, .seed_count = 1};
    strategy *probe = NULL;
    configuration asked[MOST];
    const int window = s->log.window * s->log.batch, most = window < MOST ? window : MOST,
              wanted = s->o->evaluations > 0 && s->o->evaluations < most ? (int)s->o->evaluations : most;
    if (s->log.window < 2 ||
        strategy_create(s->out->strategy, s->out->space, &options, &probe, NULL) != ASSAY_OK)
        return;
    const int count = strategy_ask(probe, asked, wanted);
    for (int i = 0; i < count; i++)
        if (!configuration_equals(&asked[i], def))
            (void)add(s, &asked[i], m, NULL);
    strategy_free(probe);
}

static assay_status take_hash(const tuned_module *module, const compiled_module *made, char hash[65],
                              assay_error *error)
{
    int compiles;
    if (!made->done)
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "interrupted while compiling");
    return made->status == ASSAY_OK ? tuned_module_hash(module, hash, &compiles, error)
                                    : assay_error_set(error, made->status, "%s", made->message);
}

assay_status first_modules_make(search *s, char hash[65], assay_error *error)
{
    first_modules m = {.count = 0};
    compile_pool first, others = {.count = 0};
    configuration def;
    const double start_ms = clock_now_ms();
    space_default(s->out->space, &def);
    assay_status status = add(s, &def, &m, error);
    if (status != ASSAY_OK)
        return status;
    add_others(s, &def, &m);
    status = compile_pool_begin(m.modules, 1, 1, LIMIT_S, &first, error);
    const int begun =
        status == ASSAY_OK && compile_pool_begin(m.modules + 1, m.count - 1, s->o->evaluate.compile_jobs,
                                                 s->o->evaluate.compile_limit_s, &others, NULL) == ASSAY_OK;
    if (status == ASSAY_OK) {
        compile_pool_wait(&first);
        status = take_hash(m.modules, first.modules, hash, error);
    }
    if (begun && status == ASSAY_OK)
        compile_pool_wait(&others);
    compile_pool_release(&others);
    compile_pool_release(&first);
    s->first_compile_s = (clock_now_ms() - start_ms) * 1e-3;
    return status;
}
