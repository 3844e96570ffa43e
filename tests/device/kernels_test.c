/* CUDA's features on the CPU device: kernels that check themselves, in every order of threads and with one and several workers. */
#include "device_test.h"

assay_status coordinates_run(const probe_args *, assay_stream),
    barriers_run(const probe_args *, assay_stream), counting_barriers_run(const probe_args *, assay_stream),
    dynamic_shared_run(const probe_args *, assay_stream), shuffles_run(const probe_args *, assay_stream),
    votes_run(const probe_args *, assay_stream), ended_lanes_run(const probe_args *, assay_stream),
    ended_threads_run(const probe_args *, assay_stream), active_lanes_run(const probe_args *, assay_stream),
    active_beside_spin_run(const probe_args *, assay_stream), groups_run(const probe_args *, assay_stream),
    mixed_run(const probe_args *, assay_stream), spin_lock_run(const probe_args *, assay_stream),
    by_value_run(const probe_args *, assay_stream), atomics_run(const probe_args *, assay_stream),
    integers_run(const probe_args *, assay_stream), math_run(const probe_args *, assay_stream),
    conversions_run(const probe_args *, assay_stream), arithmetic_run(const probe_args *, assay_stream),
    vectors_run(const probe_args *, assay_stream), async_copies_run(const probe_args *, assay_stream),
    tensor_products_run(const probe_args *, assay_stream);

enum { DATA_BYTES = 1 << 20 };

static const struct {
    const char *order;
    int workers;
    int poison;
} ways[] = {{"forward", 1, 0}, {"reversed", 1, 1}, {"random", 1, 1},
            {"forward", 0, 1}, {"reversed", 3, 0}, {"random", 4, 1}};
enum { WAYS = sizeof ways / sizeof *ways };

typedef struct shape {
    uint32_t grid[3], block[3];
    size_t shared_bytes;
} shape;

static void run_all_ways(const char *name, probe_run run, const shape *shapes, size_t shape_count,
                         int variant)
{
    fixture f;
    fixture_open(&f, DATA_BYTES);
    f.args.variant = variant;
    for (size_t s = 0; s < shape_count; s++) {
        const shape *at = &shapes[s];
        fixture_shape(&f, at->grid[0], at->grid[1], at->grid[2], at->block[0], at->block[1], at->block[2],
                      at->shared_bytes);
        for (size_t w = 0; w < WAYS; w++) {
            fixture_options(&f, ways[w].workers, ways[w].order, 17 + w, ways[w].poison);
            fixture_run(&f, name, run);
        }
    }
    fixture_options(&f, 0, "forward", 0, 0);
    fixture_close(&f);
}

#define RUN(name, variant, ...)                                                           \
    static void name##_works(void **state)                                                \
    {                                                                                     \
        static const shape shapes[] = {__VA_ARGS__};                                      \
        run_all_ways(#name, name##_run, shapes, sizeof shapes / sizeof *shapes, variant); \
    }
#define ONE_BLOCK(x)            \
    {                           \
        {1, 1, 1}, {x, 1, 1}, 0 \
    }

/* clang-format off */
RUN(coordinates, 0, ONE_BLOCK(1), {{5, 1, 1}, {33, 1, 1}, 0}, {{3, 4, 5}, {4, 3, 2}, 0}, {{7, 1, 1}, {1024, 1, 1}, 0}, {{1, 2, 3}, {2, 8, 64}, 0})
RUN(barriers, 0, ONE_BLOCK(1), ONE_BLOCK(7), {{9, 1, 1}, {256, 1, 1}, 0}, {{2, 2, 1}, {16, 8, 8}, 0})
RUN(counting_barriers, 0, ONE_BLOCK(5), {{4, 1, 1}, {64, 4, 1}, 0}, ONE_BLOCK(1024))
RUN(dynamic_shared, 0, {{6, 1, 1}, {64, 1, 1}, 4}, {{6, 1, 1}, {64, 1, 1}, 1000}, {{5, 2, 1}, {96, 1, 1}, 49152}, {{3, 1, 1}, {1024, 1, 1}, 232448})
RUN(shuffles, 0, ONE_BLOCK(32), {{4, 1, 1}, {256, 1, 1}, 0}, {{1, 1, 1}, {16, 4, 2}, 0})
RUN(votes, 0, ONE_BLOCK(32), {{4, 1, 1}, {128, 1, 1}, 0})
RUN(ended_lanes, 0, ONE_BLOCK(32), ONE_BLOCK(48), ONE_BLOCK(5), {{3, 1, 1}, {1000, 1, 1}, 0})
RUN(ended_threads, 0, ONE_BLOCK(32), ONE_BLOCK(100), {{3, 1, 1}, {1024, 1, 1}, 0})
RUN(active_lanes, 0, ONE_BLOCK(32), ONE_BLOCK(45), {{3, 1, 1}, {1000, 1, 1}, 0})
RUN(active_beside_spin, 0, ONE_BLOCK(2))
RUN(groups, 0, ONE_BLOCK(32), {{3, 1, 1}, {32, 4, 1}, 0})
RUN(spin_lock, 0, ONE_BLOCK(64), ONE_BLOCK(1))
RUN(by_value, 0, {{2, 1, 1}, {8, 1, 1}, 0})
RUN(integers, 0, ONE_BLOCK(2))
RUN(math, 0, ONE_BLOCK(1))
RUN(conversions, 0, ONE_BLOCK(64))
RUN(arithmetic, 0, ONE_BLOCK(8))
RUN(vectors, 0, ONE_BLOCK(32))
RUN(async_copies, 1, ONE_BLOCK(64), ONE_BLOCK(1))
RUN(tensor_products, 0, ONE_BLOCK(32))
/* clang-format on */

static void atomics_count_every_thread(void **state)
{
    enum { BLOCKS = 8, THREADS = 64, ALL = BLOCKS * THREADS };
    static const shape shapes[] = {{{BLOCKS, 1, 1}, {THREADS, 1, 1}, 0}};
    run_all_ways("atomics", atomics_run, shapes, 1, 0);

    fixture f;
    fixture_open(&f, DATA_BYTES);
    fixture_shape(&f, BLOCKS, 1, 1, THREADS, 1, 1, 0);
    fixture_run(&f, "atomics", atomics_run);
    unsigned char data[112];
    assert_int_equal(assay_device_download(f.device, data, f.args.data, sizeof data, NULL), ASSAY_OK);
#define AT(type, offset) (*(const type *)(const void *)(data + (offset)))
    assert_int_equal(AT(int32_t, 0), ALL);
    assert_int_equal(AT(uint32_t, 8), 2 * ALL);
    assert_int_equal(AT(uint64_t, 16) >> 33, ALL);
    assert_true(AT(float, 24) == (float)ALL);
    assert_true(AT(double, 32) == 0.5 * ALL);
    assert_int_equal(AT(uint16_t, 40), 0x6000);     /* 512.0 */
    assert_int_equal(AT(uint16_t, 42), 0x4380);     /* bfloat16 stops at 256: 256 + 1 rounds to 256 */
    assert_int_equal(AT(uint32_t, 44), 0xe0006000); /* 512.0, -512.0 */
    assert_int_equal(AT(int32_t, 48), -3 * ALL);
    assert_int_equal(AT(int32_t, 52), ALL - 1);
    assert_int_equal(AT(int32_t, 56), 1 - ALL);
    assert_int_equal(AT(uint64_t, 64), ALL - 1);
    assert_int_equal(AT(uint32_t, 72), UINT32_MAX);
    assert_int_equal(AT(uint32_t, 76), 0);
    assert_int_equal(AT(uint32_t, 80), ALL % 10);
    assert_int_equal(AT(uint32_t, 84), (10 - ALL % 10) % 10);
    assert_int_equal(AT(int32_t, 88), 7);
    assert_int_equal(AT(int32_t, 92), ALL);
    assert_int_equal(AT(uint32_t, 96), 5 * ALL);
    assert_true(AT(float, 104) == (float)ALL && AT(float, 108) == 2.0f * ALL);
    fixture_close(&f);
}

static assay_status launch_probe(const void *args, assay_stream stream)
{
    return coordinates_run(args, stream);
}

/* What the device's threads keep when they first have work, and blocks of more threads, is no leak of host code: as on a machine with 64
 * cores, of which each call uses some more. */
static void new_workers_are_no_leak(void **state)
{
    fixture f;
    assay_error error = {0};
    fixture_open(&f, DATA_BYTES);
    fixture_options(&f, 64, "forward", 0, 1);
    for (uint32_t i = 1; i <= 8; i++) {
        assay_status returned = ASSAY_ERR_CHECK;
        fixture_shape(&f, 8 * i, 1, 1, 32 * i, 1, 1, 0);
        assert_int_equal(assay_device_call(f.device, launch_probe, &f.args, &returned, &error), ASSAY_OK);
        assert_int_equal(returned, ASSAY_OK);
        if (assay_device_sync_all(f.device, &error))
            fail_msg("call %u: %s", i, error.message);
    }
    fixture_options(&f, 0, "forward", 0, 0);
    fixture_close(&f);
}

/* The same bits for every number of workers and every order of threads and blocks. */
static void results_do_not_depend_on_order_or_workers(void **state)
{
    enum { BLOCKS = 37, THREADS = 256, COUNT = BLOCKS * THREADS };
    static float first[COUNT], again[COUNT];
    fixture f;
    fixture_open(&f, sizeof first);
    fixture_shape(&f, BLOCKS, 1, 1, THREADS, 1, 1, 0);
    for (size_t w = 0; w < WAYS; w++) {
        fixture_options(&f, ways[w].workers, ways[w].order, w, ways[w].poison);
        fixture_run(&f, "mixed", mixed_run);
        assert_int_equal(assay_device_download(f.device, w ? again : first, f.args.data, sizeof first, NULL),
                         ASSAY_OK);
        if (w)
            assert_memory_equal(first, again, sizeof first);
    }
    assert_true(first[0] != first[COUNT - 1]);
    fixture_options(&f, 0, "forward", 0, 0);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coordinates_works),
        cmocka_unit_test(barriers_works),
        cmocka_unit_test(counting_barriers_works),
        cmocka_unit_test(dynamic_shared_works),
        cmocka_unit_test(shuffles_works),
        cmocka_unit_test(votes_works),
        cmocka_unit_test(ended_lanes_works),
        cmocka_unit_test(ended_threads_works),
        cmocka_unit_test(active_lanes_works),
        cmocka_unit_test(active_beside_spin_works),
        cmocka_unit_test(groups_works),
        cmocka_unit_test(spin_lock_works),
        cmocka_unit_test(by_value_works),
        cmocka_unit_test(integers_works),
        cmocka_unit_test(math_works),
        cmocka_unit_test(conversions_works),
        cmocka_unit_test(arithmetic_works),
        cmocka_unit_test(vectors_works),
        cmocka_unit_test(async_copies_works),
        cmocka_unit_test(tensor_products_works),
        cmocka_unit_test(atomics_count_every_thread),
        cmocka_unit_test(results_do_not_depend_on_order_or_workers),
        cmocka_unit_test(new_workers_are_no_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
