/* Judging the repetitions of a mode: injected drift, outliers and clusters are found, and honest repetitions are left alone. */
#include "tests/unit.h"
#include "bench/timing/quality.h"
#include "statistics/random.h"
#include <math.h>

enum { REPETITIONS = 10 };

/* The sum of 12 uniform values: close enough to normal. */
static double normal(uint64_t seed, int i)
{
    double sum = -6.0;
    for (int k = 0; k < 12; k++)
        sum += stats_random_uniform(seed, (uint64_t)(12 * i + k));
    return sum;
}

typedef double (*maker)(int repetition, int sample);

static int flags_of(maker make)
{
    repetition_record repetitions[REPETITIONS] = {{0}};
    static double us[REPETITIONS][100];
    for (int r = 0; r < REPETITIONS; r++) {
        for (int i = 0; i < 100; i++)
            us[r][i] = make(r, i);
        repetitions[r].us = us[r];
        repetitions[r].count = 100;
    }
    const mode_record mode = {.repetitions = repetitions, .count = REPETITIONS};
    repetitions_quality q;
    quality_of_repetitions(&mode, &q);
    assert_int_equal(q.samples, 1000);
    assert_true(isfinite(q.median_low) && isfinite(q.median_high));
    for (unsigned flaw = 1; flaw <= (unsigned)q.flags; flaw <<= 1) /* each has a name in results */
        assert_non_null(result_flaw_name(flaw));
    return q.flags;
}

static double quiet(int r, int i)
{
    return 70.0 + 0.2 * normal(11, 100 * r + i);
}

static double warming(int r, int i)
{
    return quiet(r, i) * (1.0 + 0.05 * exp(-i / 30.0));
}

static double slowing(int r, int i)
{
    return quiet(r, i) * (1.0 + 0.004 * r);
}

static double split_in_two(int r, int i)
{
    return quiet(r, i) * (i % 3 == 0 ? 1.06 : 1.0);
}

static double strayed(int r, int i)
{
    return quiet(r, i) * (i % 12 == 0 ? 1.5 + 0.3 * stats_random_uniform(9, (uint64_t)(100 * r + i)) : 1.0);
}

static void names_what_is_wrong_with_repetitions(void **state)
{
    assert_int_equal(flags_of(quiet), 0);
    assert_int_equal(flags_of(warming) & ~QUALITY_OUTLIERS, QUALITY_WARM_UP);
    assert_int_equal(flags_of(slowing) & QUALITY_DRIFT, QUALITY_DRIFT);
    assert_int_equal(flags_of(split_in_two) & ~QUALITY_OUTLIERS, QUALITY_BIMODAL);
    assert_int_equal(flags_of(strayed), QUALITY_OUTLIERS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_what_is_wrong_with_repetitions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
