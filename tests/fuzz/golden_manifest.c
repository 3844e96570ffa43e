/* Fuzz target: manifest.json of a golden set, and the problems of its cases (verify/golden.h). */
#include "fuzz.h"
#include "verify/golden.h"
#include <string.h>

static assay_status infer(const assay_problem *problem, assay_tensor *outputs, assay_error *error)
{
    (void)error;
    outputs[0].rank = problem->inputs[0].rank;
    memcpy(outputs[0].shape, problem->inputs[0].shape, sizeof outputs[0].shape);
    return ASSAY_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const assay_op_impl impl = {.infer = infer};
    static const opspec spec = {
        .name = "add",
        .input_count = 2,
        .output_count = 1,
        .param_count = 4,
        .inputs = {{.name = "x"}, {.name = "y"}},
        .params = {
            {.value = {.name = "alpha", .type = ASSAY_PARAM_REAL}},
            {.value = {.name = "dim", .type = ASSAY_PARAM_INTEGER}},
            {.value = {.name = "causal", .type = ASSAY_PARAM_BOOLEAN}},
            {.value = {.name = "act", .type = ASSAY_PARAM_TEXT}, .choice_count = 1, .choices = {"none"}}}};
    golden_set set;
    assay_error error = {0};
    size_t index;
    json_t *golden;
    fuzz_file(data, size);
    fuzz_link("manifest.json");
    if (golden_open(fuzz_folder(), &set, &error) == ASSAY_OK) {
        json_array_foreach(set.cases, index, golden)
        {
            assay_problem problem;
            assay_error fault = {0};
            if (golden_problem(&set, golden, &spec, &impl, &problem, &fault) != ASSAY_OK)
                FUZZ_CHECK(fault.message[0] != '\0');
        }
    } else
        FUZZ_CHECK(error.message[0] != '\0');
    golden_close(&set);
    return 0;
}
