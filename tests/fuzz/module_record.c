/* Fuzz target: the record of a compiled module (core/workspace.h), and those who read its members. */
#include "core/workspace.h"
#include "fuzz.h"
#include "resources/resources.h"
#include "results/describe_case.h"

static void count_excess(void *context, const resources_excess *excess)
{
    *(int *)context += excess->limit != NULL;
}

static void read_resources(const json_t *resources)
{
    const char *arch = resources_arch_for(resources, "9.0");
    int reported = 0, checked = 0;
    if (arch)
        (void)resources_of_arch(resources, arch);
    json_decref(resources_for_card(resources, "9.0"));
    json_t *by_dtype = json_pack("{s:O}", "f32", resources);
    json_t *budget = by_dtype ? resources_propose_budget(by_dtype) : NULL;
    /* Figures keep the budget that was proposed for them; those that are not known are excesses. */
    const int excesses = resources_check(resources, budget, "f32", count_excess, &reported, &checked);
    FUZZ_CHECK(excesses == reported);
    (void)resources_check(resources, resources, "f32", count_excess, &reported, &checked);
    json_decref(budget);
    json_decref(by_dtype);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    module_record record;
    assay_error error = {0};
    char line[300];
    if (module_record_read(fuzz_file(data, size), &record, &error) != ASSAY_OK) {
        FUZZ_CHECK(error.message[0] != '\0' && record.json == NULL);
        return 0;
    }
    module_first_error(&record, line, sizeof line);
    (void)module_check(&record, &error);
    result *r = result_new();
    FUZZ_CHECK(r != NULL);
    describe_module(r, &record);
    FUZZ_CHECK(r->tunable_count <= OPSPEC_MAX_TUNABLES);
    result_free(r);
    const json_t *resources = json_object_get(record.json, "resources");
    if (resources)
        read_resources(resources);
    module_record_release(&record);
    return 0;
}
