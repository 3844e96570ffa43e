/* Fuzz target: the pages that ncu prints (profile/ncu_read.h), and what results keep of them. */
#include "bench/run/counters.h"
#include "fuzz.h"
#include "profile/ncu_read.h"
#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    launch_counters found;
    launch_profile profile = {0};
    assay_error error = {0};
    char *text = fuzz_text(data, size);
    if (counters_parse(text, &found, &error) == ASSAY_OK) {
        FUZZ_CHECK(isfinite(found.dram_bytes) && isfinite(found.l2_bytes) && isfinite(found.duration_us));
        FUZZ_CHECK(found.dram_bytes >= 0 && found.l2_bytes >= 0 && found.duration_us >= 0 &&
                   found.kernels >= 0);
    } else
        FUZZ_CHECK(error.message[0] != '\0');
    if (ncu_read_page(text, &profile, NULL) == ASSAY_OK) {
        FUZZ_CHECK(profile.count > 0 && profile.count <= PROFILE_MOST_KERNELS);
        for (int id = 0; id < METRIC_COUNT; id++)
            FUZZ_CHECK(!isinf(metric_value(&profile.kernels[0].metrics, (metric_id)id)));
        ncu_read_source(text, &profile, NULL);
    }
    launch_profile_release(&profile);
    free(text);
    return 0;
}
