/* Judging samples: injected drift, outliers, clusters and dependence are found, and honest samples are left
 * alone. */
#include "tests/unit.h"
#include "statistics/dip_test.h"
#include "statistics/random.h"
#include "statistics/sample_quality.h"
#include <math.h>

enum { COUNT = 400 };

/* The sum of 12 uniform values: close enough to normal. */
static double normal(uint64_t seed, int i)
{
    double sum = -6.0;
    for (int k = 0; k < 12; k++)
        sum += stats_random_uniform(seed, (uint64_t)(12 * i + k));
    return sum;
}

static void leaves_honest_samples_alone(void **state)
{
    int drifts = 0;
    for (uint64_t seed = 0; seed < 100; seed++) {
        double v[COUNT];
        sample_quality q;
        mode_quality m;
        for (int i = 0; i < COUNT; i++)
            v[i] = 70.0 + 0.5 * normal(seed, i);
        quality_of_samples(v, COUNT, &q);
        quality_of_modes(v, COUNT, &m);
        drifts += fabs(q.drift_z) > 3.29;
        assert_true(fabs(q.drift_change) < 0.01);
        assert_true(q.outliers <= 4); /* two in ten thousand lie beyond 3.5 deviations of a normal value */
        assert_true(fabs(q.lag1) < 0.25 && q.effective_samples > 120.0);
        assert_false(m.bimodal);
        assert_near(m.share_high, 0.5, 0.15);
    }
    assert_true(drifts <= 3);
}

static void finds_a_drift(void **state)
{
    double v[COUNT];
    sample_quality q;
    for (int i = 0; i < COUNT; i++)
        v[i] = 70.0 * (1.0 + 0.03 * i / COUNT) + 0.3 * normal(1, i);
    quality_of_samples(v, COUNT, &q);
    assert_true(q.drift_z > 10.0);
    assert_near(q.drift_change, 0.02, 0.004); /* thirds' middles lie two thirds of the way apart */
    assert_true(q.lag1 > 0.5 && q.effective_samples < 50.0);
}

static void ties_are_no_drift(void **state)
{
    double v[COUNT];
    sample_quality q;
    for (int i = 0; i < COUNT; i++)
        v[i] = 3.04;
    quality_of_samples(v, COUNT, &q);
    assert_near(q.drift_z, 0.0, 0.0);
    assert_near(q.lag1, 0.0, 0.0);
    assert_int_equal(q.outliers, 0);
}

static void counts_strays(void **state)
{
    double v[COUNT];
    sample_quality q;
    for (int i = 0; i < COUNT; i++)
        v[i] = i % 50 == 7 ? 120.0 : 70.0 + 0.5 * normal(2, i);
    quality_of_samples(v, COUNT, &q);
    assert_in_range(q.outliers, 8, 10);
}

static void finds_two_clusters(void **state)
{
    double v[COUNT];
    mode_quality m;
    for (int i = 0; i < COUNT; i++)
        v[i] = (stats_random_uniform(3, (uint64_t)i) < 0.3 ? 5.8 : 5.1) + 0.05 * normal(4, i);
    quality_of_modes(v, COUNT, &m);
    assert_true(m.bimodal);
    assert_near(m.low, 5.1, 0.03);
    assert_near(m.high, 5.8, 0.03);
    assert_near(m.share_high, 0.3, 0.06);
}

/* An event's clock counts in steps of 32 ns, which at 3 us are 1% each. */
static void steps_of_the_clock_are_no_clusters(void **state)
{
    double v[COUNT];
    mode_quality m;
    for (int i = 0; i < COUNT; i++)
        v[i] = 0.032 * round((3.05 + 0.03 * normal(5, i)) / 0.032);
    quality_of_modes(v, COUNT, &m);
    assert_false(m.bimodal);
}

static void dip_has_known_values(void **state)
{
    double v[100];
    for (int i = 0; i < 100; i++)
        v[i] = i;
    assert_near(dip_of_sorted(v, 100), 0.005, 1e-12); /* evenly spaced: the least there is, 1 / (2 n) */
    for (int i = 0; i < 100; i++)
        v[i] = i < 50 ? 1.0 : 2.0;
    assert_near(dip_of_sorted(v, 100), 0.25, 1e-12); /* two points: the most there is */
    /* by Maechler's diptest 0.12: */
    static const double three[] = {0.1, 0.2, 0.25, 0.3, 0.32, 2.1, 2.2, 2.24, 2.3, 4.0, 4.1, 4.3};
    assert_near(dip_of_sorted(three, 12), 0.14983164983164984, 1e-9);
}

static void interval_of_the_median_is_the_binomial_one(void **state)
{
    double v[10], low, high;
    for (int i = 0; i < 10; i++)
        v[i] = 10.0 - i;
    assert_true(quality_median_interval(v, 10, &low, &high));
    assert_true(low == 2.0 &&
                high == 9.0); /* the second and the ninth: 97.9%; the third and eighth have 89.1% */
    assert_true(quality_median_interval(v, 6, &low, &high));
    assert_true(low == 5.0 && high == 10.0); /* all six: 96.9% */
    assert_false(quality_median_interval(v, 5, &low, &high));
    int covered = 0;
    for (uint64_t seed = 0; seed < 500; seed++) {
        double w[25];
        for (int i = 0; i < 25; i++)
            w[i] = normal(100 + seed, i);
        assert_true(quality_median_interval(w, 25, &low, &high));
        covered += low <= 0.0 && 0.0 <= high;
    }
    assert_in_range(covered, 460, 496); /* 95.7% */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_honest_samples_alone),
        cmocka_unit_test(finds_a_drift),
        cmocka_unit_test(ties_are_no_drift),
        cmocka_unit_test(counts_strays),
        cmocka_unit_test(finds_two_clusters),
        cmocka_unit_test(steps_of_the_clock_are_no_clusters),
        cmocka_unit_test(dip_has_known_values),
        cmocka_unit_test(interval_of_the_median_is_the_binomial_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
