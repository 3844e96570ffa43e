/* Statistics against values worked out by hand (and, for quantiles, by numpy's default method). */
#include "tests/unit.h"
#include "statistics/bootstrap.h"
#include "statistics/describe.h"
#include "statistics/random.h"
#include <math.h>

static void knows_simple_values(void **state)
{
    const double v[] = {4.0, 1.0, 3.0, 2.0, 10.0};
    assert_near(stats_mean(v, 5), 4.0, 1e-12);
    assert_near(stats_median(v, 5), 3.0, 1e-12);
    assert_near(stats_min(v, 5), 1.0, 0.0);
    assert_near(stats_stddev(v, 5), sqrt(12.5), 1e-12);
    assert_near(stats_quantile(v, 5, 0.95), 8.8, 1e-12); /* position 3.8 between 4 and 10 */
    assert_near(stats_quantile(v, 4, 0.5), 2.5, 1e-12);
    assert_near(v[0], 4.0, 0.0); /* the input is not sorted in place */
}

static void survives_few_values(void **state)
{
    const double one[] = {7.0};
    double low, high;
    assert_near(stats_mean(one, 0), 0.0, 0.0);
    assert_near(stats_stddev(one, 1), 0.0, 0.0);
    assert_near(stats_quantile(one, 1, 0.95), 7.0, 0.0);
    stats_bootstrap_mean95(one, 1, 1, &low, &high);
    assert_true(low == 7.0 && high == 7.0);
}

static void random_words_look_uniform(void **state)
{
    int ones[64] = {0};
    enum { COUNT = 20000 };
    for (int i = 0; i < COUNT; i++)
        for (int bit = 0; bit < 64; bit++)
            ones[bit] += (int)(stats_random(3, (uint64_t)i) >> bit & 1);
    for (int bit = 0; bit < 64; bit++) /* five standard deviations of a fair coin */
        assert_true(abs(ones[bit] - COUNT / 2) < 5 * (int)sqrt(COUNT / 4));
    assert_true(stats_random(3, 5) == stats_random(3, 5));
    assert_true(stats_random(3, 5) != stats_random(4, 5));
}

static void shuffles_fairly(void **state)
{
    enum { CANDIDATES = 4, ROUNDS = 8000 };
    int at[CANDIDATES][CANDIDATES] = {{0}}, order[CANDIDATES];
    for (int round = 0; round < ROUNDS; round++) {
        int seen = 0;
        stats_shuffle(stats_random(9, (uint64_t)round), order, CANDIDATES);
        for (int i = 0; i < CANDIDATES; i++) {
            seen |= 1 << order[i];
            at[order[i]][i]++;
        }
        assert_int_equal(seen, (1 << CANDIDATES) - 1);
    }
    for (int a = 0; a < CANDIDATES; a++)
        for (int i = 0; i < CANDIDATES; i++)
            assert_true(abs(at[a][i] - ROUNDS / CANDIDATES) < 200); /* over five deviations of 39 */
}

/* Of many sets of ten normal values, about 90% of the intervals hold the true mean (the percentile bootstrap
 * is known to be a little narrow for ten values; 95% is met only for many). */
static void interval_covers_the_mean(void **state)
{
    enum { SETS = 300, VALUES = 10 };
    int covered = 0;
    for (int s = 0; s < SETS; s++) {
        double values[VALUES], low, high;
        for (int i = 0; i < VALUES; i++) { /* the sum of 12 uniform values: close enough to normal */
            values[i] = 100.0 - 6.0;
            for (int k = 0; k < 12; k++)
                values[i] += stats_random_uniform(77, (uint64_t)((s * VALUES + i) * 12 + k));
        }
        stats_bootstrap_mean95(values, VALUES, (uint64_t)s, &low, &high);
        assert_true(low <= stats_mean(values, VALUES) && stats_mean(values, VALUES) <= high);
        covered += low <= 100.0 && 100.0 <= high;
    }
    assert_in_range(covered, 250, 296);
}

static void midmeans(void **state)
{
    double samples[] = {9, 1, 5, 4, 6, 1000, 3, 7}; /* the middle half: 4 5 6 7 */
    assert_near(stats_midmean(samples, 8), 5.5, 1e-12);
    double one[] = {2.5};
    assert_near(stats_midmean(one, 1), 2.5, 0);
    assert_true(isnan(stats_midmean(one, 0)));
    double quantiles[21];
    for (int i = 0; i < 21; i++)
        quantiles[i] = i;
    quantiles[20] = 1e6; /* the maximum is an outlier and does not count */
    assert_near(stats_midmean_of_quantiles(quantiles, 21), 10.0, 1e-12);
}

/* Samples in ticks of 32 ns: the median stays on a tick, the midmean moves with the true time. */
static void midmean_sees_below_a_tick(void **state)
{
    double before[400], after[400];
    for (int i = 0; i < 400; i++) {
        const double noise = 0.25 * ((i * 37 % 400) / 400.0 - 0.5);
        before[i] = floor((4.83 + noise) / 0.032) * 0.032;
        after[i] = floor((4.84 + noise) / 0.032) * 0.032;
    }
    assert_near(stats_midmean(after, 400) - stats_midmean(before, 400), 0.010, 0.004);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_simple_values),       cmocka_unit_test(survives_few_values),
        cmocka_unit_test(random_words_look_uniform), cmocka_unit_test(shuffles_fairly),
        cmocka_unit_test(interval_covers_the_mean),  cmocka_unit_test(midmeans),
        cmocka_unit_test(midmean_sees_below_a_tick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
