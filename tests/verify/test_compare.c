/* The comparison rule on every kind of value, its statistics and reasons, and its speed. */
#include "tests/unit.h"
#include "compare_values.h"
#include <math.h>
#include <time.h>

static const opspec_tolerance exact = {0}, usual = {.atol = 1e-5, .rtol = 1e-5};

/* Does one value pass? It sits in the middle of a block of values that do. */
static int passes_scaled(assay_dtype dtype, double got, double ref, const opspec_tolerance *tolerance,
                         double scale)
{
    enum { COUNT = 11, AT = 6 };
    double refs[COUNT] = {0}, scales[COUNT] = {0};
    uint32_t out[COUNT] = {0};
    compare_result result;
    char reason[COMPARE_REASON_MAX];
    const assay_tensor shape = vector_of(COUNT);
    put(out, dtype, AT, got);
    refs[AT] = ref;
    scales[AT] = scale;
    compare_begin(&result, dtype, tolerance, 0xff);
    compare_chunk(&result, out, refs, ASSAY_F64, scales, COUNT);
    const assay_status status = compare_end(&result, &shape, COUNT, "out", reason);
    assert_true((status == ASSAY_OK) == (reason[0] == '\0'));
    assert_int_equal(result.mismatches, status == ASSAY_OK ? 0 : 1);
    if (status != ASSAY_OK)
        assert_int_equal(result.first[0].index, AT);
    return status == ASSAY_OK;
}

static int passes(assay_dtype dtype, double got, double ref, const opspec_tolerance *tolerance)
{
    return passes_scaled(dtype, got, ref, tolerance, 0);
}

static void nan_and_infinity_must_match_in_place(void **state)
{
    const opspec_tolerance generous = {1e30, 1, 1, 0};
    for (int d = ASSAY_F32; d <= ASSAY_BF16; d++) {
        const assay_dtype dtype = (assay_dtype)d;
        assert_true(passes(dtype, NAN, NAN, &exact));
        assert_true(passes(dtype, INFINITY, INFINITY, &exact));
        assert_true(passes(dtype, -INFINITY, -INFINITY, &exact));
        assert_false(passes(dtype, NAN, 1, &generous));
        assert_false(passes(dtype, NAN, INFINITY, &generous));
        assert_false(passes(dtype, 1, NAN, &generous));
        assert_false(passes(dtype, INFINITY, NAN, &generous));
        assert_false(passes(dtype, 1, INFINITY, &generous));
        assert_false(passes(dtype, -INFINITY, INFINITY, &generous));
        assert_false(passes(dtype, compare_largest_finite(dtype), INFINITY, &usual));
        assert_false(passes(dtype, INFINITY, 1, &usual));
    }
}

static void the_bound_is_accepted_and_nothing_above(void **state)
{
    const opspec_tolerance quarter = {0.25, 0, 0, 0}, relative = {0, 0.25, 0, 0}, scaled = {0, 0, 0.25, 0};
    assert_true(passes(ASSAY_F32, 1.25, 1, &quarter));
    assert_false(passes(ASSAY_F32, 1.2500001, 1, &quarter));
    assert_true(passes(ASSAY_F32, -5, -4, &relative));
    assert_false(passes(ASSAY_F32, -5.0000005, -4, &relative));
    assert_true(passes_scaled(ASSAY_F32, 3, 1, &scaled, 8));
    assert_false(passes_scaled(ASSAY_F32, 3.0000003, 1, &scaled, 8));
    assert_true(passes(ASSAY_F32, -0.0, -0.0, &exact));
    assert_false(passes(ASSAY_F32, -0.0, 0.0, &exact)); /* bits are compared where the tolerance is 0 */
    assert_false(passes(ASSAY_F32, 1e-30, 0.0, &exact));
    assert_false(passes_scaled(ASSAY_F32, 3, 1, &scaled, NAN));
    assert_false(passes_scaled(ASSAY_F32, 3, 1, &scaled, INFINITY));
}

/* Half a unit in the last place of the output's dtype on top of the arithmetic, and no more. */
static void one_rounding_is_allowed(void **state)
{
    const opspec_tolerance tiny = {0, 1e-7, 0, 0};
    for (int d = ASSAY_F16; d <= ASSAY_BF16; d++) {
        const assay_dtype dtype = (assay_dtype)d;
        const double unit = d == ASSAY_F16 ? 0x1p-10 : 0x1p-7; /* at 1 */
        for (double at = 0x1p-10; at <= 1024; at *= 2) {
            assert_true(passes(dtype, at * 1.5, at * (1.5 + unit / 2), &tiny)); /* a tie goes either way */
            assert_true(passes(dtype, at * (1.5 + unit), at * (1.5 + unit / 2), &tiny));
            assert_false(passes(dtype, at * 1.5, at * (1.5 + unit * 0.501), &tiny));
            assert_false(passes(dtype, -at * 1.5, -at * (1.5 + unit * 0.9), &tiny)); /* cut off */
            assert_true(passes(dtype, at, at * (1 - unit / 4),
                               &tiny)); /* below a power of two units are half as large */
            assert_false(passes(dtype, at, at * (1 - unit * 0.3), &tiny));
        }
        const double least = d == ASSAY_F16 ? 0x1p-24 : 0x1p-133;
        assert_true(passes(dtype, 0, least / 2, &tiny));
        assert_false(passes(dtype, 0, least * 0.51, &tiny));
    }
}

static void moved_elements_keep_their_bits(void **state)
{
    for (int d = ASSAY_F32; d <= ASSAY_BF16; d++) {
        uint32_t out[1] = {d == ASSAY_F32 ? 0x7fc50000u : d == ASSAY_F16 ? 0x7e28u : 0x7fc5u};
        const float payload = assay_bits_float(0x7fc50000u), other = assay_bits_float(0x7fc00000u);
        const double refs[2] = {(double)payload, (double)other};
        for (int i = 0; i < 2; i++) {
            compare_result result;
            compare_begin(&result, (assay_dtype)d, &exact, 0x7b);
            compare_chunk(&result, out, &refs[i], ASSAY_F64, NULL, 1);
            assert_int_equal(result.mismatches, i);
        }
    }
}

static void overflow_rounds_as_the_dtype_does(void **state)
{
    for (int d = ASSAY_F32; d <= ASSAY_BF16; d++) {
        const assay_dtype dtype = (assay_dtype)d;
        const double largest = compare_largest_finite(dtype), edge = compare_overflow_threshold(dtype);
        assert_true(isinf(dtype == ASSAY_F32   ? (float)edge
                          : dtype == ASSAY_F16 ? assay_f16_to_float(assay_float_to_f16((float)edge))
                                               : assay_bf16_to_float(assay_float_to_bf16((float)edge))));
        assert_true(passes(dtype, INFINITY, edge, &exact));
        assert_true(passes(dtype, INFINITY, 4 * edge, &exact));
        assert_false(passes(dtype, -INFINITY, 4 * edge, &usual));
        assert_false(passes(dtype, largest, 4 * edge, &usual));
        assert_false(passes(dtype, NAN, 4 * edge, &usual));
        assert_true(passes(dtype, largest, largest, &exact));
        assert_false(passes(dtype, INFINITY, largest * 0.9, &usual));
        const opspec_tolerance coarse = {0, 8e-3, 0, 0}; /* at the edge, within the bound, both are right */
        assert_true(passes(dtype, largest, edge, &coarse));
        assert_true(passes(dtype, INFINITY, largest, &coarse));
    }
}

static void partial_sums_may_overflow_where_the_scale_does(void **state)
{
    assert_true(passes_scaled(ASSAY_F32, NAN, 1e60, &usual, 1e77));
    assert_true(passes_scaled(ASSAY_BF16, -INFINITY, 1e60, &usual, 1e77));
    assert_false(passes_scaled(ASSAY_F32, 0, 1e60, &usual, 1e77));
    assert_false(passes_scaled(ASSAY_F32, NAN, 1e30, &usual, 1e38));
}

static void ulps_are_counted_in_the_output_dtype(void **state)
{
    for (int d = ASSAY_F32; d <= ASSAY_BF16; d++) {
        for (int fails = 0; fails < 2; fails++) { /* the fast pass and the slow one count the same */
            uint32_t out[3] = {0};
            double ref[3] = {1, -1, 0};
            compare_result result;
            const opspec_tolerance tolerance = {fails ? 0 : 1, 0, 0, 0};
            const double gap = d == ASSAY_F32 ? 0x1p-23 : d == ASSAY_F16 ? 0x1p-10 : 0x1p-7;
            put(out, (assay_dtype)d, 0, 1 + 3 * gap);
            put(out, (assay_dtype)d, 1, -1 - 5 * gap);
            compare_begin(&result, (assay_dtype)d, &tolerance, 0xff);
            compare_chunk(&result, out, ref, ASSAY_F64, NULL, 3);
            assert_true(result.max_ulp == 5);
            assert_true(fabs(result.max_abs_error - 5 * gap) < 1e-12);
        }
    }
    uint32_t out[2] = {0x80000001u,
                       1}; /* the smallest subnormals lie one unit on either side of both zeros */
    double ref[2] = {0x1p-149, 0};
    compare_result result;
    compare_begin(&result, ASSAY_F32, &usual, 0xff);
    compare_chunk(&result, out, ref, ASSAY_F64, NULL, 2);
    assert_true(result.max_ulp == 2);
}

static void statistics_do_not_depend_on_chunks_or_reference_dtype(void **state)
{
    enum { COUNT = 5003 };
    static float out[COUNT], ref32[COUNT];
    static double ref64[COUNT];
    for (int i = 0; i < COUNT; i++) {
        ref32[i] = (float)(i % 97) * 0.25f - 10;
        ref64[i] = (double)ref32[i];
        out[i] = ref32[i] + (float)(i % 7) * 1e-6f;
    }
    compare_result whole, parts, single;
    char reason[COMPARE_REASON_MAX];
    const assay_tensor shape = vector_of(COUNT);
    compare_begin(&whole, ASSAY_F32, &usual, 0xff);
    compare_chunk(&whole, out, ref64, ASSAY_F64, NULL, COUNT);
    compare_begin(&single, ASSAY_F32, &usual, 0xff);
    compare_chunk(&single, out, ref32, ASSAY_F32, NULL, COUNT);
    compare_begin(&parts, ASSAY_F32, &usual, 0xff);
    for (int first = 0; first < COUNT; first += 1777)
        compare_chunk(&parts, out + first, ref64 + first, ASSAY_F64, NULL,
                      COUNT - first < 1777 ? COUNT - first : 1777);
    assert_int_equal(compare_end(&whole, &shape, COUNT, "out", reason), ASSAY_OK);
    assert_int_equal(compare_end(&parts, &shape, COUNT, "out", reason), ASSAY_OK);
    assert_int_equal(compare_end(&single, &shape, COUNT, "out", reason), ASSAY_OK);
    double e2 = 0, r2 = 0;
    for (int i = 0; i < COUNT; i++) {
        const double e = (double)out[i] - ref64[i];
        e2 += e * e;
        r2 += ref64[i] * ref64[i];
    }
    assert_true(fabs(whole.rel_frobenius - sqrt(e2 / r2)) < 1e-12);
    assert_true(fabs(whole.rel_frobenius - parts.rel_frobenius) < 1e-15);
    assert_true(whole.max_ulp == parts.max_ulp && whole.worst_ratio == parts.worst_ratio &&
                single.max_ulp == whole.max_ulp);
    assert_true(whole.worst_ratio > 0.1 && whole.worst_ratio < 1);
}

static void close_to(double a, double b)
{
    assert_true(fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b)));
}

/* Compared as a whole, in pieces by threads, an output gets what it gets in one chunk. Rows that are cut off, and mismatches in several pieces. */
static void a_whole_output_is_judged_as_a_chunk(void **state)
{
    enum { LINES = 6000, WIDTH = 256, COUNT = LINES * WIDTH };
    const assay_tensor shape = {.rank = 2, .dtype = ASSAY_BF16, .shape = {LINES, WIDTH}};
    const opspec_tolerance with_rms = {.atol = 1e-5, .rtol = 1e-5, .stol = 0x1p-8, .rms = 0x1p-8};
    uint16_t *out = malloc(COUNT * sizeof *out);
    double *ref = malloc(2 * COUNT * sizeof *ref), *scale = ref + COUNT;
    for (int64_t i = 0; i < COUNT; i++) {
        ref[i] = 1.0 + 3.0 * (double)((uint32_t)i * 2654435761u) * 0x1p-32;
        scale[i] = 2 * ref[i];
        out[i] = i / WIDTH % 7 == 3 ? (uint16_t)(assay_float_bits((float)ref[i]) >> 16)
                                    : assay_float_to_bf16((float)ref[i]);
    }
    for (int wrong = 0; wrong < 2; wrong++) {
        compare_result whole, chunk;
        char reasons[2][COMPARE_REASON_MAX];
        for (int64_t i = 0; wrong && i < 12; i++)
            out[100000 * (i + 1)] = assay_float_to_bf16((float)(20 + i));
        compare_begin(&whole, ASSAY_BF16, &with_rms, 0xff);
        compare_shape(&whole, &shape);
        chunk = whole;
        compare_all(&whole, out, ref, scale, &shape);
        compare_chunk(&chunk, out, ref, ASSAY_F64, scale, COUNT);
        assert_int_equal(compare_end(&whole, &shape, COUNT, "out", reasons[0]), ASSAY_ERR_CHECK);
        assert_int_equal(compare_end(&chunk, &shape, COUNT, "out", reasons[1]), ASSAY_ERR_CHECK);
        assert_string_equal(reasons[0], reasons[1]);
        assert_non_null(strstr(reasons[0], wrong ? "12 of 1536000 elements" : "index 1 of 2 is 3 modulo 7"));
        assert_int_equal(whole.elements, COUNT);
        assert_int_equal(whole.mismatches, 12 * wrong);
        assert_int_equal(whole.worst_index, chunk.worst_index);
        assert_memory_equal(whole.first, chunk.first, sizeof whole.first);
        assert_true(whole.max_ulp == chunk.max_ulp && whole.max_abs_error == chunk.max_abs_error);
        close_to(whole.rel_frobenius, chunk.rel_frobenius);
        close_to(whole.rms_ratio, chunk.rms_ratio);
        close_to(whole.square_ratio, chunk.square_ratio);
        assert_int_equal(whole.rounding.elements, chunk.rounding.elements);
    }
    free(out);
    free(ref);
}

static void comparing_nothing_is_an_error_unless_nothing_was_there(void **state)
{
    compare_result result;
    char reason[COMPARE_REASON_MAX];
    const assay_tensor empty = {.rank = 2, .shape = {0, 5}}, full = vector_of(3);
    compare_begin(&result, ASSAY_F32, &usual, 0xff);
    assert_int_equal(compare_end(&result, &empty, 0, "out", reason), ASSAY_OK);
    assert_int_equal(compare_end(&result, &full, 3, "out", reason), ASSAY_ERR_CHECK);
    assert_string_equal(reason, "0 of 3 elements of out were compared");
}

static assay_status compare_rows(const float *out, const double *ref, int64_t rows, int64_t columns,
                                 compare_result *result, char *reason)
{
    const assay_tensor shape = {.rank = 2, .shape = {rows, columns}};
    compare_begin(result, ASSAY_F32, &usual, 0xff);
    compare_chunk(result, out, ref, ASSAY_F64, NULL, rows * columns);
    return compare_end(result, &shape, rows * columns, "out", reason);
}

static void reasons_name_the_cause_and_the_place(void **state)
{
    float out[12];
    double ref[12];
    compare_result result;
    char reason[COMPARE_REASON_MAX];
    for (int i = 0; i < 12; i++)
        out[i] = (float)(ref[i] = i + 1);
    out[6] = 7.5f;
    out[9] = 30;
    assert_int_equal(compare_rows(out, ref, 3, 4, &result, reason), ASSAY_ERR_CHECK);
    assert_int_equal(result.mismatches, 2);
    assert_non_null(
        strstr(reason, "2 of 12 elements of out are out of tolerance, first at [1, 2]: got 7.5, expected 7; "
                       "worst at [2, 1]: got 30, expected 10"));
    out[9] = NAN;
    compare_rows(out, ref, 3, 4, &result, reason);
    assert_non_null(
        strstr(reason, "2 of 12 elements of out are wrong, 1 of them NaN or infinity out of place"));
    memset(out + 11, 0xff, sizeof *out);
    compare_rows(out, ref, 3, 4, &result, reason);
    assert_non_null(strstr(reason, "1 of 12 elements of out were never written"));
    for (int i = 0; i < 12; i++)
        out[i] = 0;
    compare_rows(out, ref, 3, 4, &result, reason);
    assert_non_null(strstr(reason, "the whole output is the constant 0"));
    assert_int_equal(result.first[7].index, 7);
}

static void poison_is_seen_in_every_dtype(void **state)
{
    for (int d = ASSAY_F32; d <= ASSAY_BF16; d++) {
        static const int poisons[] = {0xff, 0x7b};
        for (int p = 0; p < 2; p++) {
            uint32_t out[4];
            const double ref[4] = {1, 2, 3, 4};
            compare_result result;
            memset(out, poisons[p], sizeof out);
            compare_begin(&result, (assay_dtype)d, &usual, poisons[p]);
            compare_chunk(&result, out, ref, ASSAY_F64, NULL, 4);
            assert_int_equal(result.unwritten, 4);
        }
    }
}

static void sampled_rows_keep_their_place(void **state)
{
    const float row[4] = {1, 2, 3, 9};
    const double ref[4] = {1, 2, 3, 4};
    compare_result result;
    char reason[COMPARE_REASON_MAX];
    const assay_tensor shape = {.rank = 2, .shape = {100, 4}};
    compare_begin(&result, ASSAY_F32, &usual, 0xff);
    compare_seek(&result, 0);
    compare_chunk(&result, ref, ref, ASSAY_F64, NULL, 0);
    compare_seek(&result, 57 * 4);
    compare_chunk(&result, row, ref, ASSAY_F64, NULL, 4);
    assert_int_equal(compare_end(&result, &shape, 4, "out", reason), ASSAY_ERR_CHECK);
    assert_non_null(strstr(reason, "first at [57, 3]"));
}

static double seconds_for(assay_dtype ref_dtype, const void *ref, const float *out, int64_t count)
{
    compare_result result;
    char reason[COMPARE_REASON_MAX];
    const assay_tensor shape = vector_of(count);
    const clock_t start = clock();
    compare_begin(&result, ASSAY_F32, &usual, 0xff);
    compare_chunk(&result, out, ref, ref_dtype, NULL, count);
    assert_int_equal(compare_end(&result, &shape, count, "out", reason), ASSAY_OK);
    return (double)(clock() - start) / CLOCKS_PER_SEC;
}

static void comparing_4096_squared_is_quick(void **state)
{
    const int64_t count = 4096 * 4096;
    float *out = malloc((size_t)count * sizeof *out), *ref32 = malloc((size_t)count * sizeof *ref32);
    double *ref64 = malloc((size_t)count * sizeof *ref64);
    for (int64_t i = 0; i < count; i++) {
        out[i] = ref32[i] = (float)(i % 1237) * 1e-3f;
        ref64[i] = (double)ref32[i] + 1e-9;
    }
    const double against64 = seconds_for(ASSAY_F64, ref64, out, count),
                 against32 = seconds_for(ASSAY_F32, ref32, out, count);
    print_message("4096^2: %.3f s against double, %.3f s against f32\n", against64, against32);
    free(out), free(ref32), free(ref64);
#ifndef ASSAY_TEST_WITHOUT_TIMES
    assert_true(against64 < 0.2 && against32 < 0.2);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nan_and_infinity_must_match_in_place),
        cmocka_unit_test(the_bound_is_accepted_and_nothing_above),
        cmocka_unit_test(one_rounding_is_allowed),
        cmocka_unit_test(moved_elements_keep_their_bits),
        cmocka_unit_test(overflow_rounds_as_the_dtype_does),
        cmocka_unit_test(partial_sums_may_overflow_where_the_scale_does),
        cmocka_unit_test(ulps_are_counted_in_the_output_dtype),
        cmocka_unit_test(statistics_do_not_depend_on_chunks_or_reference_dtype),
        cmocka_unit_test(a_whole_output_is_judged_as_a_chunk),
        cmocka_unit_test(comparing_nothing_is_an_error_unless_nothing_was_there),
        cmocka_unit_test(reasons_name_the_cause_and_the_place),
        cmocka_unit_test(poison_is_seen_in_every_dtype),
        cmocka_unit_test(sampled_rows_keep_their_place),
        cmocka_unit_test(comparing_4096_squared_is_quick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
