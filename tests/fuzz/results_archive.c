/* Fuzz target: archives of results and of verdicts (results/results_folder.h), and writing what they held to new ones. */
#include "fuzz.h"
#include "results/results_archive.h"
#include "results/results_folder.h"

static assay_status keep(void *context, results_item *item, assay_error *error)
{
    results_archive *archive = context;
    FUZZ_CHECK(item->path[0] != '\0' && item->name[0] != '\0');
    if (item->kind == RESULTS_FAULT)
        FUZZ_CHECK(item->reason[0] != '\0');
    if (item->result)
        FUZZ_CHECK(results_archive_add(archive, item->result, RESULT_LOAD_SUMMARY, error) == ASSAY_OK);
    if (item->verdict)
        (void)results_archive_add_verdict(archive, item->verdict, NULL);
    result_free(item->result);
    json_decref(item->verdict);
    return ASSAY_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    assay_error error = {0};
    fuzz_file(data, size);
    fuzz_link("bench/op.jsonl");
    fuzz_link("verify/op.jsonl");
    results_archive *archive = results_archive_open("/dev/null");
    FUZZ_CHECK(archive != NULL);
    FUZZ_CHECK(results_each(fuzz_folder(), RESULTS_WITH_RESULTS | RESULTS_WITH_VERDICTS, RESULT_LOAD_SUMMARY,
                            keep, archive, &error) == ASSAY_OK);
    FUZZ_CHECK(results_archive_close(archive, 0, NULL, &error) == ASSAY_OK);
    return 0;
}
