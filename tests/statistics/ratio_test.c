/* Rank tests and intervals of ratios against published tables and values worked out by hand. */
#include "tests/unit.h"
#include "statistics/bootstrap.h"
#include "statistics/rank_tests.h"
#include <math.h>

/* `count` values of about `middle`, spread evenly over +-`spread` (relative), in an order that is no trend.
 */
static void fill_times(double *values, int count, double middle, double spread)
{
    for (int i = 0; i < count; i++)
        values[i] = middle * (1.0 + spread * (2.0 * (i * 7 % count) / (count - 1) - 1.0));
}

static void ranks_of_separate_groups(void **state)
{
    const double a[] = {1, 2, 3}, b[] = {4, 5, 6};
    mann_whitney out;
    assert_int_equal(stats_mann_whitney(a, 3, b, 3, &out, NULL), ASSAY_OK);
    assert_true(out.exact);
    assert_float_equal(out.u, 9, 0);
    assert_float_equal(out.p, 2.0 / 20.0, 1e-12); /* two of the C(6,3) orders */
    assert_float_equal(out.delta, 1, 0);
    double low[10], high[10];
    for (int i = 0; i < 10; i++)
        low[i] = i, high[i] = 100 + i;
    assert_int_equal(stats_mann_whitney(high, 10, low, 10, &out, NULL), ASSAY_OK);
    assert_float_equal(out.p, 2.0 / 184756.0, 1e-15);
    assert_float_equal(out.delta, -1, 0);
}

/* Samples of m and n values whose U is exactly u: starting with b below all of a, move single b's up. */
static double p_of_u(int m, int n, int u)
{
    double a[40], b[40];
    mann_whitney out;
    for (int i = 0; i < m; i++)
        a[i] = i + 1;
    for (int j = 0; j < n; j++) {
        const int above = u > m ? m : u; /* a's that this b is above */
        b[j] = above + 0.5 + 0.001 * j;
        u -= above;
    }
    assert_int_equal(stats_mann_whitney(a, m, b, n, &out, NULL), ASSAY_OK);
    assert_true(out.exact);
    return out.p;
}

/* Critical values of U, two-sided 5%: the largest U that is significant (Mann and Whitney's test, table in
 * every textbook). */
static void critical_values(void **state)
{
    static const struct {
        int m, n, u;
    } table[] = {{5, 5, 2}, {4, 4, 0}, {8, 10, 17}, {10, 10, 23}, {12, 15, 49}, {20, 20, 127}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        assert_true(p_of_u(table[i].m, table[i].n, table[i].u) <= 0.05);
        assert_true(p_of_u(table[i].m, table[i].n, table[i].u + 1) > 0.05);
    }
    assert_float_equal(p_of_u(5, 5, 2), 2 * 4.0 / 252.0, 1e-12);
}

static void ties_use_the_normal_distribution(void **state)
{
    const double a[] = {1, 2, 2, 3, 4}, b[] = {2, 3, 5, 6, 7};
    mann_whitney out;
    assert_int_equal(stats_mann_whitney(a, 5, b, 5, &out, NULL), ASSAY_OK);
    assert_false(out.exact);
    /* Pairs: b=2: 1 + 2/2, b=3: 3 + 1/2, and 5 each for 5, 6, 7. Ties: three 2s, two 3s: 24 + 6. */
    assert_float_equal(out.u, 2.0 + 3.5 + 15.0, 1e-12);
    const double variance = 25.0 / 12.0 * (11.0 - 30.0 / 90.0);
    assert_float_equal(out.p, erfc((20.5 - 12.5 - 0.5) / sqrt(2 * variance)), 1e-12);
    assert_int_equal(stats_mann_whitney(a, 5, a, 5, &out, NULL), ASSAY_OK);
    assert_float_equal(out.p, 1.0, 1e-12);
    assert_float_equal(out.delta, 0.0, 1e-12);
    const double equal[] = {3, 3, 3};
    assert_int_equal(stats_mann_whitney(equal, 3, equal, 3, &out, NULL), ASSAY_OK);
    assert_float_equal(out.p, 1.0, 0);
}

/* The example of Benjamini and Hochberg 1995, section 3: fifteen p-values, of which 5% keeps four. */
static void false_discovery_rate(void **state)
{
    double p[] = {0.0459, 0.0001, 0.3240, 0.0019, 0.0095, 0.0004, 0.0201, 0.0278,
                  0.0298, 0.0344, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000};
    int kept = 0;
    assert_int_equal(stats_benjamini_hochberg(p, 15, NULL), ASSAY_OK);
    for (int i = 0; i < 15; i++)
        kept += p[i] <= 0.05;
    assert_int_equal(kept, 4);
    assert_float_equal(p[1], 0.0015, 1e-12);          /* 0.0001 * 15 / 1 */
    assert_float_equal(p[4], 0.0095 * 15 / 4, 1e-12); /* the fourth */
    assert_float_equal(p[6], 0.0201 * 15 / 5, 1e-12); /* less than what the next get */
    assert_true(p[6] <= p[7] && p[7] <= p[8]);
    assert_int_equal(stats_benjamini_hochberg(p, 0, NULL), ASSAY_OK);
}

static void interval_of_a_ratio(void **state)
{
    double a[10], b[10];
    fill_times(a, 10, 100.0, 0.01);
    fill_times(b, 10, 105.0, 0.01);
    const int ten = 10, fives[] = {5, 5};
    const stats_side one = {a, 10, &ten, 1}, other = {b, 10, &ten, 1}, twice = {b, 10, fives, 2};
    ratio_interval narrow, wide, two;
    assert_int_equal(stats_bootstrap_ratio(&one, &other, 0.0, 1, &narrow, NULL), ASSAY_OK);
    assert_float_equal(narrow.ratio, 1.05, 1e-9);
    assert_true(narrow.low95 < narrow.low90 && narrow.low90 < 1.05 && 1.05 < narrow.high90 &&
                narrow.high90 < narrow.high95);
    assert_true(narrow.low95 > 1.03 && narrow.high95 < 1.07);
    assert_int_equal(stats_bootstrap_ratio(&one, &other, 0.02, 1, &wide, NULL), ASSAY_OK);
    assert_true(wide.high95 - wide.low95 > 1.5 * (narrow.high95 - narrow.low95));
    assert_int_equal(stats_bootstrap_ratio(&one, &twice, 0.02, 1, &two, NULL), ASSAY_OK);
    assert_true(two.high95 - two.low95 <
                wide.high95 - wide.low95); /* the deviation of two runs halves in variance */
    ratio_interval again;
    assert_int_equal(stats_bootstrap_ratio(&one, &other, 0.02, 1, &again, NULL), ASSAY_OK);
    assert_memory_equal(&wide, &again, sizeof wide);
}

/* Three runs that differ by far more than their repetitions: the interval must cover the runs. */
static void runs_are_resampled_before_repetitions(void **state)
{
    double a[12], b[12];
    fill_times(a, 12, 100.0, 0.001);
    for (int run = 0; run < 3; run++)
        fill_times(b + 4 * run, 4, 100.0 + 5.0 * run, 0.001);
    const int fours[] = {4, 4, 4};
    const stats_side base = {a, 12, fours, 3}, changed = {b, 12, fours, 3};
    ratio_interval out;
    assert_int_equal(stats_bootstrap_ratio(&base, &changed, 0.003, 1, &out, NULL), ASSAY_OK);
    assert_true(out.low95 < 1.005 && out.high95 > 1.095);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_of_separate_groups),
        cmocka_unit_test(critical_values),
        cmocka_unit_test(ties_use_the_normal_distribution),
        cmocka_unit_test(false_discovery_rate),
        cmocka_unit_test(interval_of_a_ratio),
        cmocka_unit_test(runs_are_resampled_before_repetitions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
