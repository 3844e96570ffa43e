/* Fuzz target: the plan of a group (bench/plan/group_plan.h). What is read can be written and read again. */
#include "bench/plan/group_plan.h"
#include "fuzz.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    group_plan plan, second;
    assay_error error = {0};
    if (group_plan_read(fuzz_file(data, size), &plan, &error) == ASSAY_OK) {
        FUZZ_CHECK(plan.workspace && plan.op && plan.dtype && plan.size && plan.variants && plan.baselines);
        FUZZ_CHECK(plan.method.repetitions > 0 && plan.device >= 0);
        json_t *document = group_plan_json(&plan);
        char *text = json_dumps(document, JSON_COMPACT);
        FUZZ_CHECK(text != NULL);
        if (group_plan_read(fuzz_file((const uint8_t *)text, strlen(text)), &second, &error) != ASSAY_OK)
            fuzz_fail(__FILE__, __LINE__, error.message);
        FUZZ_CHECK(strcmp(plan.op, second.op) == 0 && plan.method.seed == second.method.seed);
        group_plan_release(&second);
        free(text);
        json_decref(document);
    } else
        FUZZ_CHECK(error.message[0] != '\0');
    group_plan_release(&plan);
    return 0;
}
