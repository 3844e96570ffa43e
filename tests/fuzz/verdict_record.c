/* Fuzz target: verdicts as reports read them (report/verdict_record.h). */
#include "report/verdict_record.h"
#include "core/json_file.h"
#include "fuzz.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    json_t *root = NULL;
    char reason[100] = "", *text = fuzz_text(data, size);
    if (json_text_read_without(text, size, "input", NULL, &root, NULL) == ASSAY_OK) {
        verdict_record *v = verdict_record_read(root, reason, sizeof reason);
        FUZZ_CHECK(v != NULL || reason[0] != '\0');
        if (v) {
            FUZZ_CHECK(v->attempt_count > 0 && v->op && v->status && v->device_name && v->commit);
            FUZZ_CHECK(verdict_record_is(v, v->status) && strlen(verdict_record_time(v)) < size);
        }
        verdict_record_free(v);
    }
    free(text);
    return 0;
}
