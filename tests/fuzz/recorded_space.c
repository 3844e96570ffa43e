/* Fuzz target: recorded spaces, T4 files and caches of Kernel Tuner (tune/simulation/recorded.h). */
#include "fuzz.h"
#include "tune/simulation/recorded.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    recorded *r = NULL;
    assay_error error = {0};
    const assay_status status = recorded_read(fuzz_file(data, size), &r, &error);
    FUZZ_CHECK((status == ASSAY_OK) == (r != NULL));
    FUZZ_CHECK(status == ASSAY_OK || error.message[0] != '\0');
    if (r) {
        FUZZ_CHECK(r->success_count > 0 && r->success_count <= r->count);
        FUZZ_CHECK(r->optimum > 0 && r->optimum <= r->median);
        for (long i = 0; i < r->count; i++)
            FUZZ_CHECK(recorded_at(r, &r->evaluations[i].configuration) == &r->evaluations[i]);
    }
    recorded_free(r);
    return 0;
}
