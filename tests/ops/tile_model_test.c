/* The model by which matmul's step 4 divides the last round of tiles (ops/matmul/v4/tile_model.h). */
#include "../../ops/matmul/v4/tile_model.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { STREAMS = 3 };
static const model_tile streams[STREAMS] = {
    {128, 256, 2 * 49152, 1.0}, {128, 128, 4 * 32768, 1.0}, {64, 128, 7 * 24576, 1.0}};
static const int64_t room = (int64_t)320 * 128 * 256;

/* Which stream replaces tiles of m x n in rounds, on a card with 132 multiprocessors. */
static int choice(int64_t m, int64_t n, int64_t k, model_tile present, stream_plan *plan)
{
    const model_problem problem = {m, n, k, 132};
    return model_choose_stream(&problem, &present, streams, STREAMS, -1, room, plan);
}

/* op.json's sizes of matmul and matmul_bias_act, with the tiles that choose.cuh gives them, keep them. */
static void committed_sizes_stay(void **state)
{
    (void)state;
    static const struct {
        int64_t m, n, k;
        int tile;
    } sizes[] = {{1024, 1024, 1024, 2},  {4096, 4096, 4096, 0},  {8192, 8192, 8192, 0},
                 {4096, 14336, 4096, 0}, {4096, 4096, 14336, 0}, {1024, 50257, 768, 0},
                 {8192, 3072, 768, 0},   {4096, 4096, 1024, 0},  {2048, 16384, 4096, 0}};
    stream_plan plan;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        assert_int_equal(choice(sizes[i].m, sizes[i].n, sizes[i].k, streams[sizes[i].tile], &plan), -1);
}

/* Shapes whose rounds are half empty, and few tiles with a long k. */
static void uneven_rounds_are_divided(void **state)
{
    (void)state;
    stream_plan plan;
    assert_int_equal(choice(1536, 1536, 1536, streams[1], &plan), 1);
    assert_int_equal(plan.blocks, 132);
    assert_int_equal(plan.whole, 1);
    assert_int_equal(plan.rest, 12);
    assert_int_equal(plan.steps, 24);
    assert_int_equal(choice(512, 5120, 5120, streams[1], &plan), 1);
    assert_int_equal(choice(3072, 768, 3072, streams[1], &plan), 1);
    const model_tile small = {32, 32, 2 * 16384, 0.57};
    assert_true(choice(128, 128, 65536, small, &plan) >= 0);
    assert_int_equal(plan.whole, 0);
    assert_true(choice(32, 4096, 14336, small, &plan) >= 0);
}

/* No plan without room for its partial sums, beyond 32-bit indices, or where all rounds are full. */
static void what_cannot_be_divided(void **state)
{
    (void)state;
    stream_plan plan;
    const model_problem long_k = {128, 128, 65536, 132}, longest = {128, 128, (int64_t)1 << 31, 132},
                        full = {128 * 12, 256 * 11, 4096, 132};
    const model_tile slow = {32, 32, 2 * 16384, 0.1};
    assert_int_equal(model_choose_stream(&long_k, &slow, streams, STREAMS, -1, 64 * 128, &plan), -1);
    assert_false(stream_divide(&longest, &streams[1], &plan));
    assert_false(stream_divide(&full, &streams[0], &plan));
    assert_int_equal(model_choose_stream(&long_k, &slow, streams, STREAMS, 0, room, &plan), 0);
}

/* Fewer steps than multiprocessors take as many blocks as steps: none is without work. */
static void short_k_takes_fewer_blocks(void **state)
{
    (void)state;
    stream_plan plan;
    const model_problem problem = {70, 100, 640, 132};
    assert_true(stream_divide(&problem, &streams[1], &plan));
    assert_int_equal(plan.blocks, 10);
    assert_int_equal(stream_slots(&plan), 11);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(committed_sizes_stay),
        cmocka_unit_test(uneven_rounds_are_divided),
        cmocka_unit_test(what_cannot_be_divided),
        cmocka_unit_test(short_k_takes_fewer_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
