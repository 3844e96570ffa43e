/* The model by which matmul's step 4 chooses its tile and the parts of k (ops/matmul/v4/tile_model.h). */
#include "tests/unit.h"
#include "../../ops/matmul/v4/tile_times.h"
#include "core/opspec.h"

enum { ROOM = 320 * 128 * 256 }; /* floats for partial sums */

static model_choice choose_on(bool hopper, const matmul_args *args, int multiprocessors, int64_t room,
                              int tile, int splits)
{
    const model_problem p = model_problem_of(args, 2, multiprocessors);
    const model_choice asked = {tile, splits, 0};
    return model_choose(&p, &MODEL_16BIT, hopper, room, asked);
}
static model_choice choose(const matmul_args *args, int multiprocessors, int64_t room, int tile, int splits)
{
    return choose_on(true, args, multiprocessors, room, tile, splits);
}

/* op.json's sizes take the tiles that were measured to be the fastest there, on a card with 132 multiprocessors. */
static void committed_sizes_take_the_measured_tiles(void **state)
{
    static const struct {
        int64_t m, n, k;
        int tile_m, tile_n;
    } sizes[] = {{1024, 1024, 1024, 64, 128},   {4096, 4096, 4096, 128, 256},  {8192, 8192, 8192, 128, 256},
                 {4096, 14336, 4096, 128, 256}, {4096, 4096, 14336, 128, 256}, {16, 14336, 4096, 64, 128},
                 {1024, 50257, 768, 128, 256},  {4096, 4096, 1024, 128, 256},  {2048, 16384, 4096, 128, 256}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const matmul_args args = {.batch = 1, .m = sizes[i].m, .n = sizes[i].n, .k = sizes[i].k};
        const model_choice best = choose(&args, 132, ROOM, -1, 0);
        assert_int_equal(MODEL_16BIT.tile[best.tile].m, sizes[i].tile_m);
        assert_int_equal(MODEL_16BIT.tile[best.tile].n, sizes[i].tile_n);
        assert_int_equal(best.splits, 1);
        assert_int_equal(best.cluster, 1);
    }
}

/* The six multiprocessors of the CPU device see every tile, with aligned and other rows, both ways to share a k, and
 * clusters with and without a tile beyond the last row. */
static void edge_cases_meet_every_tile(void **state)
{
    opspec *spec = NULL;
    assay_error error = {0};
    char folder[4096];
    snprintf(folder, sizeof folder, "%s/ops/matmul", getenv("ASSAY_SOURCE"));
    assert_int_equal(opspec_load(folder, &spec, &error), ASSAY_OK);
    int met[MODEL_16BIT_COUNT][2] = {{0}}, split[MODEL_16BIT_COUNT] = {0}, split_wgmma = 0, clusters[2] = {0};
    for (int i = 0; i < spec->edge_count; i++) {
        const opspec_dims *dims = &spec->edges[i].dims;
        if (spec->edges[i].has_shapes)
            continue;
        const matmul_args args = {
            .batch = 1, .m = dims->dim[0].value, .n = dims->dim[1].value, .k = dims->dim[2].value};
        if (args.m <= 8 || args.n <= 8 || args.k <= 8)
            continue; /* few rows, few columns, a short k */
        const model_choice best = choose(&args, 6, ROOM, -1, 0),
                           older = choose_on(false, &args, 6, ROOM, -1, 0);
        met[best.tile][args.n % 8 != 0]++;
        split_wgmma += best.splits > 1;
        clusters[model_parts(args.m, MODEL_16BIT.tile[best.tile].m) % 2] += best.cluster > 1;
        met[older.tile][args.n % 8 != 0]++;
        split[older.tile] += older.splits > 1;
    }
    for (int i = 0; i < MODEL_16BIT_WGMMA; i++) {
        assert_true(met[i][0] > 0);
        assert_true(met[i][1] > 0);
    }
    for (int i = MODEL_16BIT_WGMMA; i < MODEL_16BIT_COUNT; i++)
        assert_true(met[i][0] + met[i][1] > 0);
    assert_true(split[MODEL_16BIT_COUNT - 2] > 0 && split[MODEL_16BIT_COUNT - 1] > 0 && split_wgmma > 0);
    assert_true(clusters[0] > 0 && clusters[1] > 0);
    opspec_free(spec);
}

/* A long k with few tiles is shared, as far as there is room for sums and each part has 256 of k. */
static void parts_of_k(void **state)
{
    const matmul_args long_k = {.batch = 1, .m = 128, .n = 128, .k = 65536},
                      short_k = {.batch = 1, .m = 16, .n = 32, .k = 511};
    assert_true(choose(&long_k, 132, ROOM, -1, 0).splits >= 16);
    assert_int_equal(choose(&long_k, 132, 2 * 128 * 128, -1, 0).splits > 2, 0);
    assert_int_equal(choose(&long_k, 132, 0, -1, 0).splits, 1);
    assert_int_equal(choose(&long_k, 132, ROOM, -1, 1).splits, 1);
    assert_int_equal(choose(&short_k, 132, ROOM, -1, 0).splits, 1);
}

/* The tunables: a tile by its number, and a number of parts where it fits. */
static void what_is_asked_for(void **state)
{
    const matmul_args args = {.batch = 1, .m = 100, .n = 100, .k = 4096};
    for (int i = 0; i < MODEL_16BIT_COUNT; i++)
        assert_int_equal(choose(&args, 132, ROOM, i, 1).tile, i);
    const model_choice four = choose(&args, 132, ROOM, MODEL_16BIT_COUNT - 1, 4);
    assert_int_equal(four.tile, MODEL_16BIT_COUNT - 1);
    assert_int_equal(four.splits, 4);
    assert_int_equal(choose(&args, 132, ROOM, 0, 4).splits, 4);
    const matmul_args tall = {.batch = 1, .m = 1000, .n = 100, .k = 64};
    const model_problem p = model_problem_of(&tall, 2, 132);
    for (int cluster = 1; cluster <= 2; cluster++) {
        const model_choice asked = {0, 1, cluster};
        assert_int_equal(model_choose(&p, &MODEL_16BIT, true, ROOM, asked).cluster, cluster);
    }
}

/* Rows that share lines of 128 bytes with their neighbours make loads longer, packed ones cost a launch. */
static void rows_that_are_not_aligned(void **state)
{
    const matmul_args even = {.batch = 1, .m = 5000, .n = 3008, .k = 2048},
                      odd = {.batch = 1, .m = 5000, .n = 3000, .k = 2000},
                      packed = {.batch = 1, .m = 5000, .n = 3000, .k = 2001};
    const model_problem p = model_problem_of(&even, 2, 132), q = model_problem_of(&odd, 2, 132),
                        r = model_problem_of(&packed, 2, 132);
    assert_false(p.odd_a || p.odd_b || p.packed_a || p.packed_b);
    assert_true(q.odd_a && q.odd_b && !q.packed_a && !q.packed_b);
    assert_true(!r.odd_a && r.packed_a && r.odd_b);
    const model_choice plain = {0, 1, 1};
    assert_true(model_time(&q, &MODEL_16BIT, plain) > model_time(&p, &MODEL_16BIT, plain));
}

/* A view is what its rows' distance makes of it: packed only where they do not start at multiples of 16 bytes. */
static void views(void **state)
{
    const matmul_args aligned = {.batch = 1, .m = 64, .n = 1344, .k = 1284, .padding_a = 60, .padding_b = 64},
                      odd = {.batch = 1, .m = 64, .n = 1344, .k = 1280, .padding_a = 3, .padding_b = 8};
    const model_problem p = model_problem_of(&aligned, 2, 132), q = model_problem_of(&odd, 2, 132);
    assert_false(p.odd_a || p.odd_b || p.packed_a || p.packed_b);
    assert_true(q.packed_a && !q.odd_a && q.odd_b && !q.packed_b);
}

/* The tiles of all products fill rounds together; clusters have a single product, and sums of all of them need room. */
static void batches(void **state)
{
    const matmul_args one = {.batch = 1, .m = 1216, .n = 192, .k = 1152},
                      many = {.batch = 128, .m = 1216, .n = 192, .k = 1152},
                      two = {.batch = 2, .m = 128, .n = 128, .k = 65536};
    const model_problem p = model_problem_of(&one, 2, 132), q = model_problem_of(&many, 2, 132);
    const model_choice plain = {0, 1, 1}, asked = {0, 1, 2};
    const double alone = model_time(&p, &MODEL_16BIT, plain), together = model_time(&q, &MODEL_16BIT, plain);
    assert_true(together > 2 * alone && together < 128 * alone);
    assert_int_equal(model_choose(&p, &MODEL_16BIT, true, ROOM, asked).cluster, 2);
    assert_int_equal(model_choose(&q, &MODEL_16BIT, true, ROOM, asked).cluster, 1);
    assert_true(choose(&two, 132, ROOM, -1, 0).splits > 1);
    assert_int_equal(choose(&two, 132, 2 * 64 * 64, -1, 0).splits, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(committed_sizes_take_the_measured_tiles),
        cmocka_unit_test(edge_cases_meet_every_tile),
        cmocka_unit_test(parts_of_k),
        cmocka_unit_test(what_is_asked_for),
        cmocka_unit_test(rows_that_are_not_aligned),
        cmocka_unit_test(views),
        cmocka_unit_test(batches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
