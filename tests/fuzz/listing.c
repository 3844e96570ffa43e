/* Fuzz target: a listing of nvdisasm (resources/inspect.h). What is read can become part of a module's record. */
#include "fuzz.h"
#include "resources/inspect.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    fuzz_guard_json();
    json_t *found = json_object();
    FILE *listing = fmemopen(text, size + 1, "r");
    FUZZ_CHECK(listing != NULL);
    listing_read(listing, found);
    fclose(listing);
    /* json_dumps() would give a block that is not malloc's. */
    FUZZ_CHECK(json_dumpb(found, NULL, 0, JSON_COMPACT) > 0);
    json_decref(found);
    free(text);
    return 0;
}
