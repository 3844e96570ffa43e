/* Hopper's instructions on the CPU device: kernels that check themselves, in every order of threads, with copies that land at
 * once and as late as can be. */
#include "device_test.h"

#define KERNELS(X)             \
    X(ring_of_barriers)        \
    X(turns)                   \
    X(boxes)                   \
    X(rows_of_bytes)           \
    X(narrow_boxes)            \
    X(products_bf16_64)        \
    X(products_bf16_128)       \
    X(products_bf16_96)        \
    X(products_bf16_120)       \
    X(products_bf16_136)       \
    X(products_bf16_160)       \
    X(products_bf16_232)       \
    X(products_bf16_256)       \
    X(products_f16_64)         \
    X(products_f16_128)        \
    X(products_f16_256)        \
    X(products_tf32_64)        \
    X(products_tf32_128)       \
    X(products_tf32_256)       \
    X(shifted_cores)           \
    X(places_in_rows)          \
    X(windows)                 \
    X(places_in_swizzled_rows) \
    X(sums_land_at_the_wait)   \
    X(matrices_to_shared)      \
    X(pairs)
#define DECLARE(name) assay_status name##_run(const probe_args *, assay_stream);
KERNELS(DECLARE)

enum { DATA_BYTES = 1 << 16, BOX_BYTES = 64 * 64 * 2 };

static void run_in_all_orders(const char *name, probe_run run, uint32_t blocks, uint32_t threads,
                              size_t shared_bytes, int variants)
{
    static const struct {
        const char *order;
        int workers;
    } ways[] = {{"forward", 1}, {"reversed", 1}, {"random", 1}, {"random", 2}};
    fixture f;
    fixture_open(&f, DATA_BYTES);
    fixture_shape(&f, blocks, 1, 1, threads, 1, 1, shared_bytes);
    for (f.args.variant = 0; f.args.variant < variants; f.args.variant++)
        for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
            fixture_options(&f, ways[w].workers, ways[w].order, 5 + w, 1);
            fixture_run(&f, name, run);
        }
    fixture_options(&f, 0, "forward", 0, 0);
    fixture_close(&f);
}
#define RUN(name, blocks, threads, shared_bytes, variants)                             \
    static void name##_works(void **state)                                             \
    {                                                                                  \
        run_in_all_orders(#name, name##_run, blocks, threads, shared_bytes, variants); \
    }
RUN(ring_of_barriers, 3, 96, 64, 1)
RUN(turns, 2, 64, 4, 1)
RUN(boxes, 1, 96, BOX_BYTES + 8, 4)
RUN(rows_of_bytes, 1, 96, 4096, 4)
RUN(narrow_boxes, 1, 64, BOX_BYTES + 8, 1)
RUN(products_bf16_64, 1, 128, 0, 2)
RUN(products_bf16_128, 1, 128, 0, 2)
RUN(products_bf16_96, 1, 128, 0, 2)
RUN(products_bf16_120, 1, 128, 0, 2)
RUN(products_bf16_136, 1, 128, 0, 2)
RUN(products_bf16_160, 1, 128, 0, 2)
RUN(products_bf16_232, 1, 128, 0, 2)
RUN(products_bf16_256, 1, 128, 0, 2)
RUN(products_f16_64, 1, 128, 0, 2)
RUN(products_f16_128, 1, 128, 0, 2)
RUN(products_f16_256, 1, 128, 0, 2)
RUN(products_tf32_64, 1, 128, 0, 2)
RUN(products_tf32_128, 1, 128, 0, 2)
RUN(products_tf32_256, 1, 128, 0, 2)
RUN(shifted_cores, 1, 128, 10 * 16 * 128 + 64 * 128 + 8, 1)
RUN(places_in_rows, 1, 128, 0, 1)
RUN(windows, 1, 128, 64 * 128 + 10 * 12 * 128 + 64 * 128 + 8, 2)
RUN(places_in_swizzled_rows, 1, 128, 0, 1)
RUN(sums_land_at_the_wait, 2, 128, 2 * BOX_BYTES, 1)
RUN(matrices_to_shared, 1, 32, 512, 1)
RUN(pairs, 6, 96, BOX_BYTES + 16, 1)

#define TEST(name) cmocka_unit_test(name##_works),
int main(void)
{
    const struct CMUnitTest tests[] = {KERNELS(TEST)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
