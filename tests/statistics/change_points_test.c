/* Change points on injected changes, which must be found where they are, and on noise, where there is nothing
 * to find. */
#include "tests/unit.h"
#include "statistics/change_points.h"
#include <math.h>

enum { POINTS = 100 };
static uint64_t state = 7;

static double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
    const double radius = sqrt(-2.0 * log(uniform()));
    return radius * cos(6.283185307179586 * uniform());
}

static void make_noise(double *values, int count, double deviation)
{
    for (int i = 0; i < count; i++)
        values[i] = 28.0 * exp(deviation * normal());
}

static void raise_from(double *values, int count, int from, double ratio)
{
    for (int i = from; i < count; i++)
        values[i] *= ratio;
}

static int find(const double *values, int count, const change_options *options, change_point points[32])
{
    change_point *found = NULL;
    int found_count = -1;
    assay_error error = {0};
    assert_int_equal(change_points_find(values, count, options, &found, &found_count, &error), ASSAY_OK);
    assert_in_range(found_count, 0, 32);
    for (int i = 0; i < found_count; i++)
        points[i] = found[i];
    free(found);
    return found_count;
}

/* Nine hundred series of noise: at p 0.001 about one would have a split; with the effect that matters almost
 * none has. */
static void noise_has_no_changes(void **unused)
{
    static const double deviations[] = {0.001, 0.005, 0.02};
    const change_options any = {.minimum_change = -1.0};
    change_point points[32];
    int splits = 0;
    for (size_t d = 0; d < sizeof deviations / sizeof deviations[0]; d++) {
        int with_change = 0, with_split = 0;
        for (int series = 0; series < 300; series++) {
            double values[POINTS];
            make_noise(values, POINTS, deviations[d]);
            with_change += find(values, POINTS, NULL, points) > 0;
            with_split += find(values, POINTS, &any, points) > 0;
        }
        assert_in_range(with_change, 0, 1);
        splits += with_split;
    }
    assert_in_range(splits, 0, 6); /* about one is expected */
}

/* Slow and heavy-tailed noise: an odd run now and then is no change. */
static void single_outliers_are_no_changes(void **unused)
{
    change_point points[32];
    int with_change = 0;
    for (int series = 0; series < 200; series++) {
        double values[POINTS];
        make_noise(values, POINTS, 0.005);
        for (int i = 5; i < POINTS; i += 19)
            values[i] *= 1.3;
        with_change += find(values, POINTS, NULL, points) > 0;
    }
    assert_in_range(with_change, 0, 1);
}

static void injected_steps_are_found_in_place(void **unused)
{
    static const double ratios[] = {1.05, 0.95, 1.03};
    change_point points[32];
    for (size_t r = 0; r < sizeof ratios / sizeof ratios[0]; r++) {
        int found = 0, extra = 0;
        for (int series = 0; series < 100; series++) {
            double values[POINTS];
            const int at = 8 + (int)(uniform() * 84);
            make_noise(values, POINTS, 0.005);
            raise_from(values, POINTS, at, ratios[r]);
            const int count = find(values, POINTS, NULL, points);
            int here = 0;
            for (int i = 0; i < count; i++)
                here += abs(points[i].index - at) <= 1 && fabs(points[i].ratio / ratios[r] - 1.0) < 0.01;
            found += here == 1;
            extra += count - here;
        }
        assert_in_range(found, 98, 100);
        assert_in_range(extra, 0, 2);
    }
}

static void a_step_shows_after_three_runs(void **unused)
{
    double values[POINTS];
    change_point points[32];
    make_noise(values, POINTS, 0.003);
    raise_from(values, POINTS, POINTS - 3, 1.05);
    assert_int_equal(find(values, POINTS, NULL, points), 1);
    assert_int_equal(points[0].index, POINTS - 3);
    assert_true(points[0].p <= 0.001);
    assert_int_equal(find(values, POINTS - 1, NULL, points), 0); /* two runs are not yet a level */
}

static void a_level_that_is_left_again_is_two_changes(void **unused)
{
    double values[POINTS];
    change_point points[32];
    make_noise(values, POINTS, 0.005);
    raise_from(values, POINTS, 40, 1.1);
    raise_from(values, POINTS, 48, 1 / 1.1);
    assert_int_equal(find(values, POINTS, NULL, points), 2);
    assert_int_equal(points[0].index, 40);
    assert_int_equal(points[1].index, 48);
    assert_true(points[0].ratio > 1.08 && points[1].ratio < 0.93);
    assert_true(fabs(points[0].after - points[1].before) < 1e-12);
}

/* Longer than one window: changes are found once each, also those near a window's end. */
static void long_histories_are_covered(void **unused)
{
    enum { LONG = 1000 };
    static double values[LONG];
    change_point points[32];
    const int at[] = {64, 190, 500, 990};
    make_noise(values, LONG, 0.005);
    for (int i = 0; i < 4; i++)
        raise_from(values, LONG, at[i], i % 2 ? 0.94 : 1.06);
    assert_int_equal(find(values, LONG, NULL, points), 4);
    for (int i = 0; i < 4; i++)
        assert_in_range(points[i].index, at[i] - 1, at[i] + 1);
}

static void the_same_values_give_the_same_points(void **unused)
{
    double values[POINTS];
    change_point first[32], second[32];
    make_noise(values, POINTS, 0.01);
    raise_from(values, POINTS, 70, 1.04);
    const int count = find(values, POINTS, NULL, first);
    assert_int_equal(count, find(values, POINTS, NULL, second));
    for (int i = 0; i < count; i++)
        assert_memory_equal(&first[i], &second[i], sizeof first[i]);
    for (int i = 0; i < POINTS;
         i++) /* in another unit: times a power of two, so that nothing is rounded differently */
        values[i] *= 1024.0;
    assert_int_equal(count, find(values, POINTS, NULL, second));
    for (int i = 0; i < count; i++)
        assert_int_equal(first[i].index, second[i].index);
}

static void short_and_equal_series_have_none(void **unused)
{
    double values[POINTS];
    change_point points[32];
    for (int i = 0; i < POINTS; i++)
        values[i] = 3.5;
    assert_int_equal(find(values, POINTS, NULL, points), 0);
    assert_int_equal(find(values, 0, NULL, points), 0);
    values[1] = 7.0;
    assert_int_equal(find(values, 2, NULL, points), 0);
}

static void what_is_no_time_is_refused(void **unused)
{
    const double bad[] = {0.0, -1.0, NAN, INFINITY};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const double values[] = {1.0, bad[i], 1.0};
        change_point *points = NULL;
        int count = -1;
        assay_error error = {0};
        assert_int_equal(change_points_find(values, 3, NULL, &points, &count, &error), ASSAY_ERR_INVALID);
        assert_non_null(error.message);
        assert_null(points);
        assert_int_equal(count, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_has_no_changes),
        cmocka_unit_test(single_outliers_are_no_changes),
        cmocka_unit_test(injected_steps_are_found_in_place),
        cmocka_unit_test(a_step_shows_after_three_runs),
        cmocka_unit_test(a_level_that_is_left_again_is_two_changes),
        cmocka_unit_test(long_histories_are_covered),
        cmocka_unit_test(the_same_values_give_the_same_points),
        cmocka_unit_test(short_and_equal_series_have_none),
        cmocka_unit_test(what_is_no_time_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
