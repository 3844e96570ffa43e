/* What the comparison asks of all elements together: that roundings go both ways, and mean square errors. */
#include "tests/unit.h"
#include "compare_values.h"
#include <math.h>

enum { MANY = 20000 };

/* Judge MANY values near `refs`, which are stored by `store`. */
static assay_status judge_many(assay_dtype dtype, double (*store)(double ref, int i), double scale,
                               const opspec_tolerance *tolerance, compare_result *result, char *reason)
{
    static double refs[MANY], scales[MANY];
    static uint32_t out[MANY];
    uint32_t state = 12345;
    for (int i = 0; i < MANY; i++) {
        double sum = -6;
        for (int k = 0; k < 12; k++) {
            state = state * 1664525u + 1013904223u;
            sum += (double)(state >> 8) * 0x1p-24;
        }
        refs[i] = sum;
        scales[i] = scale;
        put(out, dtype, i, store(sum, i));
    }
    const assay_tensor shape = vector_of(MANY);
    compare_begin(result, dtype, tolerance, 0xff);
    compare_chunk(result, out, refs, ASSAY_F64, scales, MANY);
    return compare_end(result, &shape, MANY, "out", reason);
}

static double as_it_is(double ref, int i)
{
    return ref;
}

static double towards_zero(double ref, int i)
{
    const double unit = ldexp(1, ilogb(ref) - 7);
    return trunc(ref / unit) * unit;
}

static double downwards(double ref, int i)
{
    const double unit = ldexp(1, ilogb(ref) - 7);
    return floor(ref / unit) * unit;
}

static double one_direction_in_16(double ref, int i)
{
    return i % 16 == 0 ? towards_zero(ref, i) : ref;
}

/* Where the arithmetic's bound is several times a rounding, no single element tells that results were cut off; all of them do. */
static void roundings_go_both_ways(void **state)
{
    const opspec_tolerance loose = {0, 8e-3, 0, 0}, looser = {0, 0, 0.5, 0};
    compare_result result;
    char reason[COMPARE_REASON_MAX];
    assert_int_equal(judge_many(ASSAY_BF16, as_it_is, 0, &loose, &result, reason), ASSAY_OK);
    assert_true(fabs(result.bias) < 0.1 && result.rms_ratio < 1);
    assert_int_equal(judge_many(ASSAY_BF16, towards_zero, 0, &loose, &result, reason), ASSAY_ERR_CHECK);
    assert_int_equal(result.mismatches, 0);
    assert_true(result.bias < -0.9 && result.bias > -1.1);
    assert_non_null(strstr(reason, "the roundings of out are biased: the mean error of"));
    assert_int_equal(judge_many(ASSAY_BF16, downwards, 0, &loose, &result, reason), ASSAY_ERR_CHECK);
    assert_non_null(strstr(reason, "biased"));
    assert_int_equal(judge_many(ASSAY_BF16, one_direction_in_16, 0, &loose, &result, reason), ASSAY_OK);
    /* an arithmetic that may be off by far more than a rounding has a bias of its own */
    assert_int_equal(judge_many(ASSAY_BF16, towards_zero, 1, &looser, &result, reason), ASSAY_OK);
    assert_true(result.bias == 0);
}

enum { ROWS = 320, COLUMNS = 65 };

/* Sums as a 16-bit output of ROWS x COLUMNS; those for which `cut` says so are cut off. */
static assay_status judge_matrix(int (*cut)(int, int), compare_result *result, char *reason)
{
    static double refs[ROWS * COLUMNS], scales[ROWS * COLUMNS];
    static uint16_t out[ROWS * COLUMNS];
    const opspec_tolerance loose = {0, 8e-3, 0, 0};
    const assay_tensor shape = {.rank = 2, .shape = {ROWS, COLUMNS}};
    uint32_t state = 1;
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        state = state * 1664525u + 1013904223u;
        refs[i] = 4 * ((double)(state >> 8) * 0x1p-24 - 0.5);
        put(out, ASSAY_BF16, i, cut(i / COLUMNS, i % COLUMNS) ? towards_zero(refs[i], i) : refs[i]);
    }
    compare_begin(result, ASSAY_BF16, &loose, 0xff);
    compare_shape(result, &shape);
    compare_chunk(result, out, refs, ASSAY_F64, scales, 3 * COLUMNS + 7);
    compare_chunk(result, out + 3 * COLUMNS + 7, refs + 3 * COLUMNS + 7, ASSAY_F64, scales,
                  ROWS * COLUMNS - 3 * COLUMNS - 7);
    return compare_end(result, &shape, ROWS * COLUMNS, "out", reason);
}

static int cut_nothing(int row, int column)
{
    return 0;
}

static int cut_every_seventh_row(int row, int column)
{
    return row % 7 == 4;
}

static int cut_last_column(int row, int column)
{
    return column == COLUMNS - 1;
}

static int cut_every_fourth_row(int row, int column)
{
    return row % 4 == 1;
}

static int cut_part_of_columns(int row, int column)
{
    return column >= 9 && column < 17;
}

/* A small part of the output has a small part in the mean over all; the mean over it tells. */
static void roundings_go_both_ways_in_each_part(void **state)
{
    static compare_result result;
    char reason[COMPARE_REASON_MAX];
    assert_int_equal(judge_matrix(cut_nothing, &result, reason), ASSAY_OK);
    assert_int_equal(judge_matrix(cut_every_seventh_row, &result, reason),
                     ASSAY_OK); /* 46 rows are too few */
    assert_int_equal(judge_matrix(cut_last_column, &result, reason), ASSAY_ERR_CHECK);
    assert_non_null(strstr(reason, "biased where index 2 of 2 is the last"));
    assert_int_equal(judge_matrix(cut_every_fourth_row, &result, reason), ASSAY_ERR_CHECK);
    assert_true(fabs(result.bias) < 0.5 && result.mismatches == 0);
    assert_non_null(strstr(reason, "biased where index 1 of 2 is 1 modulo 4: the mean error there is 1.0"));
    assert_int_equal(judge_matrix(cut_part_of_columns, &result, reason), ASSAY_ERR_CHECK);
    assert_non_null(strstr(reason, "biased where index 2 of 2 lies in part 2 of 8"));
}

static double short_of_a_bit(double ref, int i)
{
    const double unit = ldexp(1, ilogb(ref) - 6);
    return rint(ref / unit) * unit;
}

/* Where the average error is known, one bit less than the dtype has is seen. */
static void the_mean_square_is_that_of_roundings(void **state)
{
    const opspec_tolerance known = {0, 0, 1e-2, 1e-5}, unknown = {0, 0, 1e-2, 0};
    static compare_result result;
    char reason[COMPARE_REASON_MAX];
    assert_int_equal(judge_many(ASSAY_BF16, as_it_is, 1, &known, &result, reason), ASSAY_OK);
    assert_true(result.square_ratio > 0.5 && result.square_ratio < 0.8);
    assert_int_equal(judge_many(ASSAY_BF16, short_of_a_bit, 1, &unknown, &result, reason), ASSAY_OK);
    assert_int_equal(judge_many(ASSAY_BF16, short_of_a_bit, 1, &known, &result, reason), ASSAY_ERR_CHECK);
    assert_int_equal(result.mismatches, 0);
    assert_non_null(strstr(reason, "their mean square error is 2."));
}

static double near_its_bound(double ref, int i)
{
    return ref + (i % 2 ? 0.9e-3 : -0.9e-3);
}

static double seldom_near_its_bound(double ref, int i)
{
    return i % 8 ? ref : near_its_bound(ref, i / 8);
}

static void the_mean_square_error_is_bounded(void **state)
{
    const opspec_tolerance milli = {1e-3, 0, 0, 0};
    compare_result result;
    char reason[COMPARE_REASON_MAX];
    assert_int_equal(judge_many(ASSAY_F32, seldom_near_its_bound, 0, &milli, &result, reason), ASSAY_OK);
    assert_int_equal(judge_many(ASSAY_F32, near_its_bound, 0, &milli, &result, reason), ASSAY_ERR_CHECK);
    assert_int_equal(result.mismatches, 0);
    assert_non_null(strstr(reason, "the root of their mean square error is 1.80 times"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roundings_go_both_ways),
        cmocka_unit_test(roundings_go_both_ways_in_each_part),
        cmocka_unit_test(the_mean_square_is_that_of_roundings),
        cmocka_unit_test(the_mean_square_error_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
