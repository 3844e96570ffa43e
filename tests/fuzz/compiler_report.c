/* Fuzz target: what the compiler and ptxas print (resources/inspect.h). What is read can become part of a module's record. */
#include "fuzz.h"
#include "resources/inspect.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    fuzz_guard_json();
    json_t *found = json_object();
    report_read(text, found);
    /* json_dumps() would give a block that is not malloc's. */
    FUZZ_CHECK(json_dumpb(found, NULL, 0, JSON_COMPACT) > 0);
    json_decref(found);
    free(text);
    return 0;
}
