/* Patterns of special values: each puts in what inputs.h says. */
#include "inputs_fixture.h"
#include <math.h>
#include <stdlib.h>

/* Counts over the first input, filled with a pattern and widened. */
typedef struct census {
    int nan, plus, minus, zero, negative_zero, subnormal, total;
    double largest, sum;
} census;

static census count(fixture *f, uint64_t seed, const char *special)
{
    census c = {0};
    const assay_tensor *tensor = &f->problem.inputs[0];
    const double smallest = tensor->dtype == ASSAY_F16 ? 0x1p-14 : 0x1p-126;
    fill(f, seed, special);
    c.total = (int)assay_tensor_count(tensor);
    float *values = malloc((size_t)c.total * sizeof *values);
    inputs_widen(tensor->data, tensor->dtype, c.total, values);
    for (int i = 0; i < c.total; i++) {
        const double v = (double)values[i];
        c.nan += isnan(v);
        c.plus += isinf(v) && v > 0;
        c.minus += isinf(v) && v < 0;
        c.zero += v == 0;
        c.negative_zero += v == 0 && signbit(v);
        c.subnormal += v != 0 && fabs(v) < smallest;
        if (isfinite(v)) {
            c.largest = fmax(c.largest, fabs(v));
            c.sum += v;
        }
    }
    free(values);
    return c;
}

static void patterns_put_in_what_they_say(void **state)
{
    for (int d = ASSAY_F32; d <= ASSAY_BF16; d++) {
        fixture f;
        make(&f, (assay_dtype)d, 60, 100);
        census c = count(&f, 1, "nonfinite");
        assert_true(c.nan >= 1 && c.plus >= 1 && c.minus >= 1 && c.nan + c.plus + c.minus < c.total / 100);
        c = count(&f, 1, "denormal");
        assert_true(c.subnormal > c.total * 2 / 5 && c.subnormal < c.total * 3 / 5);
        c = count(&f, 1, "signed_zero");
        assert_true(c.zero > c.total * 2 / 5 && c.negative_zero > c.zero / 3 &&
                    c.negative_zero < c.zero * 2 / 3);
        c = count(&f, 1, "zeros_nonfinite");
        assert_true(c.nan >= 1 && c.plus >= 1 && c.minus >= 1 && c.zero > c.total * 2 / 5);
        c = count(&f, 1, "huge");
        assert_true(c.largest > (d == ASSAY_F16 ? 64000 : 3.3e38) && c.plus + c.minus == 0);
        c = count(&f, 1, "overflowing_squares");
        assert_true(d == ASSAY_F16 ? c.largest < 6 : c.largest > 0x1p67 && c.largest < 0x1p69);
        c = count(&f, 1, "opposite_scales");
        assert_true(c.largest < (d == ASSAY_F16 ? 0x1p-10 : 0x1p-121) && c.largest > 0);
        c = count(&f, 1, "masked_rows");
        assert_true(c.minus > 20 * 100 + 20 * 30 && c.minus < 20 * 100 + 20 * 70 && c.nan == 0);
        c = count(&f, 1, "large_mean");
        assert_true(fabs(c.sum / c.total - 10000) < (d == ASSAY_BF16 ? 64 : 5));
        c = count(&f, 1, "constant");
        assert_true(c.sum == 0.75 * c.total && c.largest == 0.75);
        release(&f);
    }
}

/* The values of input `t`, relative to those that the seed gives without a pattern. Free it. */
static float *added_by(const char *special, int t, int rows, int columns)
{
    fixture plain, f;
    make(&plain, ASSAY_F32, rows, columns);
    make(&f, ASSAY_F32, rows, columns);
    fill(&plain, 3, "");
    fill(&f, 3, special);
    float *added = malloc((size_t)(rows * columns) * sizeof *added);
    for (int i = 0; i < rows * columns; i++)
        added[i] = ((float *)f.problem.inputs[t].data)[i] - ((float *)plain.problem.inputs[t].data)[i];
    release(&plain);
    release(&f);
    return added;
}

static void outliers_stand_at_the_ends_of_rows(void **state)
{
    enum { ROWS = 7, COLUMNS = 389 }; /* rows that cross the chunks in which values are drawn */
    float *added = added_by("outliers", 0, ROWS, COLUMNS), *other = added_by("outliers", 1, ROWS, COLUMNS);
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        const int row = i / COLUMNS, column = i % COLUMNS;
        const float wanted = row % 3 == 2                            ? (column == 0 ? 20000.0f : 10000.0f)
                             : row % 3 == 0 && column == 0           ? 300.0f
                             : row % 3 == 1 && column == COLUMNS - 1 ? -10000.0f
                                                                     : 0.0f;
        assert_float_equal(added[i], wanted, 0.01f);
        assert_true(other[i] == 0.0f);
    }
    free(added);
    free(other);
}

static void cancelling_values_cancel_along_rows_and_columns(void **state)
{
    enum { ROWS = 6, COLUMNS = 388 };
    for (int t = 0; t < 2; t++) {
        float *added = added_by("cancelling", t, ROWS, COLUMNS);
        for (int i = 0; i < ROWS * COLUMNS; i++) {
            const int row = i / COLUMNS, column = i % COLUMNS;
            const float wanted = (row + column) % 2 == 0 ? 10000.0f : -10000.0f;
            assert_float_equal(added[i], wanted, 0.01f);
        }
        free(added);
    }
}

/* Keys lie far enough apart that no rounding decides which score is largest, but for the pairs, which are equal. */
static void huge_scores_are_pairs_far_apart(void **state)
{
    enum { ROWS = 61, COLUMNS = 67 };
    for (int d = ASSAY_F32; d <= ASSAY_BF16; d++) {
        fixture f;
        float q[ROWS * COLUMNS], k[ROWS * COLUMNS];
        make(&f, (assay_dtype)d, ROWS, COLUMNS);
        fill(&f, 5, "huge_scores");
        inputs_widen(f.problem.inputs[0].data, (assay_dtype)d, ROWS * COLUMNS, q);
        inputs_widen(f.problem.inputs[1].data, (assay_dtype)d, ROWS * COLUMNS, k);
        const float scale = d == ASSAY_F16 ? 0x1p15f : 0x1p83f, size = d == ASSAY_F16 ? 0x1p15f : 1.0f;
        assert_true(k[ROWS * COLUMNS - 1] == scale * 255.0f / 128.0f);
        for (int i = 0; i < ROWS * COLUMNS; i++) {
            const int row = i / COLUMNS;
            assert_true(q[i] == (row % 3 == 0 ? size : row % 3 == 1 ? -size : 0x1p-5f / scale));
            assert_true(k[i] == k[row * COLUMNS]);
            if (row % 2 == 1)
                assert_true(k[i] == k[i - COLUMNS]);
            else if (row > 0)
                assert_true(k[i] > 1.03f * k[i - COLUMNS]);
        }
        release(&f);
    }
}

/* Every power of two of the range comes up about as often as any other. */
static void log_uniform_values_reach_every_magnitude(void **state)
{
    enum { ROWS = 253, COLUMNS = 100 };
    for (int d = ASSAY_F32; d <= ASSAY_BF16; d++)
        for (int middle = 0; middle < 2; middle++) {
            static float values[ROWS * COLUMNS];
            int counts[300] = {0}, negative = 0;
            const int f16 = d == ASSAY_F16, least = middle ? (f16 ? -10 : -16) : (f16 ? -14 : -126),
                      octaves = middle ? (f16 ? 15 : 32) : (f16 ? 29 : 253);
            fixture f;
            make(&f, (assay_dtype)d, ROWS, COLUMNS);
            fill(&f, 9, middle ? "log_uniform_middle" : "log_uniform");
            inputs_widen(f.problem.inputs[0].data, (assay_dtype)d, ROWS * COLUMNS, values);
            for (int i = 0; i < ROWS * COLUMNS; i++) {
                const int octave = isfinite(values[i]) ? ilogbf(values[i]) - least : -1;
                assert_in_range(octave, 0, octaves); /* rounding may reach the next power */
                counts[octave]++;
                negative += values[i] < 0;
            }
            for (int octave = 0; octave < octaves; octave++)
                assert_in_range(counts[octave], ROWS * COLUMNS / octaves / 2, ROWS * COLUMNS / octaves * 2);
            assert_in_range(negative, ROWS * COLUMNS * 2 / 5, ROWS * COLUMNS * 3 / 5);
            release(&f);
        }
}

/* The softmax of the scores: the largest weight is one, and all others together matter though each is below 1e-3 of it. */
static void small_weights_add_up(void **state)
{
    enum { ROWS = 300, COLUMNS = 64 };
    fixture f;
    make(&f, ASSAY_F32, ROWS, COLUMNS);
    fill(&f, 5, "small_weights");
    const float *q = f.problem.inputs[0].data, *k = f.problem.inputs[1].data;
    double scores[ROWS], others = 0;
    for (int row = 0; row < ROWS; row++) {
        scores[row] = 0;
        for (int c = 0; c < COLUMNS; c++)
            scores[row] += (double)q[c] * (double)k[row * COLUMNS + c] / sqrt(COLUMNS);
    }
    for (int row = 0; row < ROWS; row++) {
        const double p = exp(scores[row] - scores[ROWS / 2]);
        assert_true(row == ROWS / 2 || p < 2e-3);
        others += row == ROWS / 2 ? 0 : p;
    }
    assert_true(others > 0.05 && others < 0.5);
    release(&f);
}

/* Half of a unit in the last place of the first input lies in the second: each sum is halfway between two values. */
static void halfway_sums_are_ties(void **state)
{
    enum { COUNT = 40 * 30 };
    for (int d = ASSAY_F16; d <= ASSAY_BF16; d++) {
        float x[COUNT], y[COUNT];
        fixture f;
        make(&f, (assay_dtype)d, 40, 30);
        fill(&f, 5, "halfway");
        inputs_widen(f.problem.inputs[0].data, (assay_dtype)d, COUNT, x);
        inputs_widen(f.problem.inputs[1].data, (assay_dtype)d, COUNT, y);
        for (int i = 0; i < COUNT; i++) {
            const float unit = ldexpf(1.0f, ilogbf(x[i]) - (d == ASSAY_F16 ? 10 : 7));
            assert_true(fabsf(y[i]) == unit / 2);
            assert_true(fmodf(x[i], unit) == 0.0f);
        }
        release(&f);
    }
}

/* The last element of every second row, and one somewhere in the others. */
static void peaks_stand_one_in_a_row(void **state)
{
    enum { ROWS = 30, COLUMNS = 77 };
    float values[ROWS * COLUMNS];
    fixture f;
    make(&f, ASSAY_F32, ROWS, COLUMNS);
    fill(&f, 5, "peaks");
    inputs_widen(f.problem.inputs[0].data, ASSAY_F32, ROWS * COLUMNS, values);
    for (int r = 0; r < ROWS; r++) {
        int peaks = 0;
        for (int c = 0; c < COLUMNS; c++)
            peaks += values[r * COLUMNS + c] > 200.0f;
        assert_int_equal(peaks, 1);
        assert_true(r % 2 == 1 || values[r * COLUMNS + COLUMNS - 1] > 200.0f);
    }
    release(&f);
}

static void nan_payloads_differ_and_are_no_poison(void **state)
{
    for (int d = ASSAY_F16; d <= ASSAY_BF16; d++) {
        fixture f;
        int signs[2] = {0}, payloads = 0;
        make(&f, (assay_dtype)d, 300, 300);
        fill(&f, 4, "nonfinite");
        const uint16_t *bits = f.problem.inputs[0].data, quiet = d == ASSAY_F16 ? 0x7e00 : 0x7fc0;
        for (int i = 0; i < 300 * 300; i++) {
            if ((bits[i] & quiet) != quiet)
                continue;
            assert_int_not_equal(bits[i], 0xffff);
            signs[bits[i] >> 15]++;
            payloads += (bits[i] & 0x7fff) != quiet;
        }
        assert_true(signs[0] > 10 && signs[1] > 10 && payloads > 20);
        release(&f);
    }
}

static void nonfinite_reaches_small_tensors(void **state)
{
    fixture f;
    make(&f, ASSAY_F32, 1, 3);
    const census c = count(&f, 4, "nonfinite");
    assert_int_equal(c.nan + c.plus + c.minus, 3);
    release(&f);
}

/* Both signs of infinity meet, and NaN meets each: 64 pairs are different ones, whatever the seeds of the
 * two. */
static void special_values_meet_in_pairs(void **state)
{
    fixture f;
    make(&f, ASSAY_F32, 8, 16);
    for (uint64_t seed = 1; seed < 5; seed++) {
        fill(&f, seed, "special_pairs");
        const uint32_t *a = f.problem.inputs[0].data, *b = f.problem.inputs[1].data;
        for (int i = 0; i < 64; i++)
            for (int j = 0; j < i; j++)
                assert_false(a[32 + i] == a[32 + j] && b[32 + i] == b[32 + j]);
    }
    release(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_put_in_what_they_say),
        cmocka_unit_test(outliers_stand_at_the_ends_of_rows),
        cmocka_unit_test(cancelling_values_cancel_along_rows_and_columns),
        cmocka_unit_test(huge_scores_are_pairs_far_apart),
        cmocka_unit_test(log_uniform_values_reach_every_magnitude),
        cmocka_unit_test(small_weights_add_up),
        cmocka_unit_test(halfway_sums_are_ties),
        cmocka_unit_test(peaks_stand_one_in_a_row),
        cmocka_unit_test(nan_payloads_differ_and_are_no_poison),
        cmocka_unit_test(nonfinite_reaches_small_tensors),
        cmocka_unit_test(special_values_meet_in_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
