/* Fuzz target: op.json (core/opspec.h), and the problems that are built from it. */
#include "core/opspec.h"
#include "fuzz.h"
#include "results/problem_hash.h"
#include <string.h>

/* Outputs like the first input; what an op's own infer() does is no reader. */
static assay_status infer(const assay_problem *problem, assay_tensor *outputs, assay_error *error)
{
    (void)error;
    for (int i = 0; i < problem->output_count; i++) {
        outputs[i].rank = problem->inputs[0].rank;
        memcpy(outputs[i].shape, problem->inputs[0].shape, sizeof outputs[i].shape);
    }
    return ASSAY_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const assay_op_impl impl = {.infer = infer};
    char directory[600], hash[HASH_TEXT_BYTES];
    opspec *spec = NULL;
    assay_problem problem;
    assay_error error = {0};
    fuzz_file(data, size);
    fuzz_link("op/op.json");
    snprintf(directory, sizeof directory, "%s/op", fuzz_folder());
    const assay_status status = opspec_load(directory, &spec, &error);
    FUZZ_CHECK((status == ASSAY_OK) == (spec != NULL));
    FUZZ_CHECK(status == ASSAY_OK || error.message[0] != '\0');
    for (int i = 0; spec && i < spec->size_count; i++) {
        /* A size that was accepted is one that can be built. */
        for (int cpu = 0; cpu < 2; cpu++)
            FUZZ_CHECK(opspec_build_problem(spec, &impl, spec->dtypes[0],
                                            opspec_size_dims(&spec->sizes[i], cpu ? "cpu" : "cuda"), NULL,
                                            &problem, &error) == ASSAY_OK);
        (void)opspec_has_case(spec, spec->dtypes[0], spec->sizes[i].name);
        FUZZ_CHECK(problem_hash(spec, spec->dtypes[0], spec->sizes[i].name, "cpu", hash, &error) == ASSAY_OK);
    }
    for (int i = 0; spec && i < spec->edge_count; i++) {
        (void)opspec_edge_applies(&spec->edges[i], spec->dtypes[0], "v1_baseline");
        FUZZ_CHECK(opspec_build_problem(spec, &impl, spec->dtypes[0], NULL, &spec->edges[i], &problem,
                                        &error) == ASSAY_OK);
    }
    if (spec)
        FUZZ_CHECK(problem_hash(spec, spec->dtypes[0], "edge", "cpu", hash, &error) == ASSAY_OK);
    opspec_free(spec);
    return 0;
}
