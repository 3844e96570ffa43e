/* Fuzz target: the table that ncu prints (bench/run/counters.h). */
#include "bench/run/counters.h"
#include "fuzz.h"
#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    counters found;
    assay_error error = {0};
    char *text = fuzz_text(data, size);
    if (counters_parse(text, &found, &error) == ASSAY_OK) {
        FUZZ_CHECK(isfinite(found.dram_bytes) && isfinite(found.l2_bytes) && isfinite(found.duration_us));
        FUZZ_CHECK(found.dram_bytes >= 0 && found.l2_bytes >= 0 && found.duration_us >= 0 &&
                   found.kernels >= 0);
    } else
        FUZZ_CHECK(error.message[0] != '\0');
    free(text);
    return 0;
}
