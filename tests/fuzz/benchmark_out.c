/* Fuzz target: what two workers wrote for --benchmark_out (bench/plan/benchmark_out.h). The first byte chooses the format; the
 * second worker's file begins at the byte 0x1e, or is the same. Google Benchmark's options are the target's own. */
#include "bench/plan/benchmark_out.h"
#include "bench/timing/gbench.h"
#include "fuzz.h"
#include <string.h>

static const char *format;

const char *gbench_out_path(void)
{
    return "/dev/null";
}

const char *gbench_out_format(void)
{
    return format;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const formats[] = {"json", "csv", "console"};
    benchmark_out out;
    assay_error error = {0};
    if (size == 0)
        return 0;
    format = formats[*data == '{' || *data % 3 == 0 ? 0 : *data % 3];
    const uint8_t *second = memchr(data, 0x1e, size);
    const size_t first_size = second ? (size_t)(second - data) : size;
    benchmark_out_begin(&out, fuzz_folder());
    fuzz_file(data, first_size);
    fuzz_link(".benchmark_out"); /* is taken away after each worker */
    (void)benchmark_out_add(&out, &error);
    if (second)
        fuzz_file(second + 1, size - first_size - 1);
    fuzz_link(".benchmark_out");
    (void)benchmark_out_add(&out, &error);
    FUZZ_CHECK(benchmark_out_end(&out, &error) == ASSAY_OK);
    FUZZ_CHECK(out.whole == NULL && out.text == NULL);
    return 0;
}
