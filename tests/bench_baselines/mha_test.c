/* The cuDNN baseline of mha against a cuDNN of the test's own, in f16: the attention graph computes attention, causal or not, with
 * fewer and more keys than queries, heads that share keys, and the mask from the bottom right; and what cuDNN does not offer. */
#include "mha_cudnn.c"
#include "fake_cuda.h"
#include "fake_cudnn.h"
#include <assay/dtype.h>
#include <math.h>

enum { BATCH = 2, HEADS = 2, DIM = 8, MOST = 1024 };

static uint16_t q[MOST], k[MOST], v[MOST], out[MOST];

static mha_args make_args(int64_t queries, int64_t keys, int32_t causal)
{
    for (int i = 0; i < MOST; i++) {
        q[i] = assay_float_to_f16((float)(i * 7 % 11 - 5) / 4.0f);
        k[i] = assay_float_to_f16((float)(i * 5 % 13 - 6) / 4.0f);
        v[i] = assay_float_to_f16((float)(i * 3 % 17 - 8) / 4.0f);
        out[i] = 0x7e00; /* NaN */
    }
    return (mha_args){.q = q,
                      .k = k,
                      .v = v,
                      .out = out,
                      .batch = BATCH,
                      .heads = HEADS,
                      .group = 1,
                      .queries = queries,
                      .keys = keys,
                      .dim = DIM,
                      .scale = 0.25,
                      .causal = causal};
}

static float at(const uint16_t *tensor, int64_t matrix, int64_t rows, int64_t row, int64_t column)
{
    return assay_f16_to_float(tensor[(matrix * rows + row) * DIM + column]);
}

static double score(const mha_args *a, int64_t matrix, int64_t i, int64_t j)
{
    double sum = 0.0;
    for (int64_t d = 0; d < DIM; d++)
        sum += (double)at(q, matrix, a->queries, i, d) *
               at(k, matrix / a->group, a->keys + a->key_padding, j, d);
    return a->causal && j > i + a->causal_shift ? -INFINITY : sum * a->scale;
}

static double expected(const mha_args *a, int64_t matrix, int64_t i, int64_t d)
{
    double sum = 0.0, weights = 0.0;
    for (int64_t j = 0; j < a->keys; j++) {
        const double weight = exp(score(a, matrix, i, j));
        weights += weight;
        sum += weight * at(v, matrix / a->group, a->keys + a->key_padding, j, d);
    }
    return sum / weights;
}

static void check(const mha_args *a)
{
    for (int64_t m = 0; m < BATCH * HEADS; m++)
        for (int64_t i = 0; i < a->queries; i++)
            for (int64_t d = 0; d < DIM; d++)
                assert_true(fabs(at(out, m, a->queries, i, d) - expected(a, m, i, d)) < 2e-3);
}

static void release_all(void)
{
    mha_release();
    assert_int_equal(fake.allocations, 0);
    assert_int_equal(*fake_cudnn_live, 0);
}

static void test_attention(void **state)
{
    static const int64_t lengths[][2] = {{5, 5}, {3, 9}, {9, 4}, {1, 1}};
    for (size_t i = 0; i < 2 * sizeof lengths / sizeof *lengths; i++) {
        const mha_args a = make_args(lengths[i / 2][0], lengths[i / 2][1], i % 2);
        assert_int_equal(mha_prepare(&a, NULL), ASSAY_OK);
        make_args(a.queries, a.keys, a.causal); /* what prepare wrote does not count */
        assert_int_equal(mha_run(&a, NULL), ASSAY_OK);
        check(&a);
        assert_non_null(strstr(mha_notes()->choice, "engine 2; fastest of 3 plans that ran, of 5 offered"));
        release_all();
    }
}

static void test_groups_and_the_mask_from_the_bottom_right(void **state)
{
    for (int i = 0; i < 4; i++) {
        mha_args a = make_args(3, 9, i % 2);
        a.group = 1 + i / 2;
        a.causal_shift = a.causal ? 6 : 0;
        assert_int_equal(mha_prepare(&a, NULL), ASSAY_OK);
        make_args(a.queries, a.keys, a.causal);
        assert_int_equal(mha_run(&a, NULL), ASSAY_OK);
        check(&a);
        release_all();
    }
}

/* What lies behind the keys of a head takes no part. */
static void test_padding(void **state)
{
    for (int i = 0; i < 2; i++) {
        mha_args a = make_args(3, 7, i);
        a.key_padding = 4, a.group = 2;
        assert_int_equal(mha_prepare(&a, NULL), ASSAY_OK);
        make_args(a.queries, a.keys, a.causal);
        assert_int_equal(mha_run(&a, NULL), ASSAY_OK);
        check(&a);
        release_all();
    }
}

static void test_rows_without_keys_are_refused(void **state)
{
    mha_args a = make_args(9, 3, 1);
    a.causal_shift = -6;
    assert_int_equal(mha_prepare(&a, NULL), ASSAY_ERR_UNSUPPORTED);
    release_all();
}

static void test_no_keys(void **state)
{
    const mha_args a = make_args(4, 0, 0);
    assert_int_equal(mha_prepare(&a, NULL), ASSAY_OK);
    assert_int_equal(mha_run(&a, NULL), ASSAY_OK);
    for (int i = 0; i < BATCH * HEADS * 4 * DIM; i++)
        assert_int_equal(out[i], 0);
    release_all();
}

static void test_another_problem_is_refused(void **state)
{
    const mha_args a = make_args(4, 4, 0);
    mha_args causal = a, grouped = a, shifted = a, padded = a;
    causal.causal = 1, grouped.group = 2, shifted.causal_shift = 1, padded.key_padding = 1;
    assert_int_equal(mha_run(&a, NULL), ASSAY_ERR_INVALID);
    assert_int_equal(mha_prepare(&a, NULL), ASSAY_OK);
    assert_int_equal(mha_run(&causal, NULL), ASSAY_ERR_INVALID);
    assert_int_equal(mha_run(&grouped, NULL), ASSAY_ERR_INVALID);
    assert_int_equal(mha_run(&shifted, NULL), ASSAY_ERR_INVALID);
    assert_int_equal(mha_run(&padded, NULL), ASSAY_ERR_INVALID);
    release_all();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_attention),
                                       cmocka_unit_test(test_padding),
                                       cmocka_unit_test(test_groups_and_the_mask_from_the_bottom_right),
                                       cmocka_unit_test(test_rows_without_keys_are_refused),
                                       cmocka_unit_test(test_no_keys),
                                       cmocka_unit_test(test_another_problem_is_refused)};
    return cmocka_run_group_tests(tests, use_fake_cudnn, NULL);
}
