/* `assay generate`: a provider writes the four variants of an op; what is proven right is kept and timed, the rest is reported. All of an op
 * lies in OUT/OP; what is decided there is not asked for again: docs/optimize.md. */
#ifndef ASSAY_OPTIMIZE_GENERATE_H
#define ASSAY_OPTIMIZE_GENERATE_H

#include "optimize/provider.h"
#include "optimize/generate_pages.h"
#include "outside/outside.h"
#include <stdio.h>

typedef struct generate_options {
    const char *out;
    provider provider; /* with a command */
    outside_request request;
    const json_t
        *shrunk; /* of fit_sizes(), of all ops: smaller sizes that are judged and timed too; NULL: none */
    bench_options bench;
    const char *experience; /* the log that prompts quote; NULL: only what comes with Assay */
    FILE *progress;         /* NULL: silent */
} generate_options;

/* Phases 1 to 4 for one op, then OUT/OP/OP_log.md. *state (new reference) is OUT/OP/state.json, given also on failure where there is one.
 * ASSAY_OK also where variants were skipped. ASSAY_ERR_ENVIRONMENT: nothing can be compiled, judged or asked here, or an interrupt. */
assay_status generate_op(const workspace *base, const workspace_op *op, const generate_options *options,
                         json_t **state, assay_error *error);

#endif
