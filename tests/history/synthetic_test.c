/* How often the comparison cries wolf and how much it finds, on made-up times that behave like a GPU's: processes that differ (by 0.3% from 20
 * us on, 30 ns below, 0.2% for matrix kernels), turns that scatter by 0.3 to 1% and wander a little, and matrix kernels whose clock swings by 7% under the power cap,
 * together with their peer's. The GPU's own A/A runs are in history/aa/. */
#include "test.h"
#include "compare.h"
#include <math.h>

enum {
    SESSIONS = 40,
    TURNS = 10,
    MEMORY_BOUND = 14,
    SMALL = 6,
    MATRIX = 5,
    CASES = MEMORY_BOUND + SMALL + MATRIX
};

static uint64_t state_of_random = 42;

static double uniform(void)
{
    uint64_t z = (state_of_random += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return ((double)((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-53;
}

static double normal(void)
{
    return sqrt(-2.0 * log(uniform())) * cos(6.283185307179586 * uniform());
}

/* A run of a case: its process is a little faster or slower, and its turns wander and scatter. */
static void make_times(double us, double run_deviation, double scatter, const double *clock, double *times)
{
    const double run = us * exp(run_deviation * normal());
    double drift = 0.0;
    for (int i = 0; i < TURNS; i++) {
        drift += 0.1 * scatter * normal();
        times[i] = run * (1.0 + drift + scatter * normal()) * (clock ? clock[i] : 1.0);
    }
}

static void add(result_set *set, const char *op, const char *variant, const char *kind, const char *with,
                int capped, const double *times)
{
    const made_result r = {.op = op,
                           .variant = variant,
                           .kind = kind,
                           .with = with,
                           .reasons = capped ? 4 : 0,
                           .times = times,
                           .count = TURNS};
    assert_int_equal(result_set_add(set, make_assay(&r), NULL), ASSAY_OK);
}

/* All cases of one session; `slower` is the planted share, on all of them. */
static void make_set(result_set *set, double slower)
{
    static const double times_of_small[] = {4.8, 5.6, 6.7, 9.4, 12.0, 17.0};
    double times[TURNS], clock[TURNS], peer[TURNS];
    char op[32];
    *set = (result_set){0};
    for (int i = 0; i < CASES; i++) {
        snprintf(op, sizeof op, "op%02d", i);
        const double factor = 1.0 + slower, scatter = 0.003 + 0.007 * i / CASES;
        if (i < MEMORY_BOUND) {
            make_times(factor * 20.0 * exp(0.2 * i), 0.003, scatter, NULL, times);
            add(set, op, "v4_optimized", "variant", NULL, 0, times);
        } else if (i < MEMORY_BOUND + SMALL) {
            const double us = times_of_small[i - MEMORY_BOUND];
            make_times(factor * us, fmax(0.003, 0.03 / us), 0.006, NULL, times);
            add(set, op, "v4_optimized", "variant", NULL, 0, times);
        } else {
            const double phase = 6.283 * uniform();
            for (int t = 0; t < TURNS; t++)
                clock[t] = 1.0 + 0.035 * sin(phase + 1.1 * t);
            make_times(factor * 180.0, 0.002, 0.003, clock, times);
            make_times(182.0, 0.002, 0.003, clock, peer);
            add(set, op, "v4_optimized", "variant", "peer_cublas", 1, times);
            add(set, op, "peer_cublas", "peer", "v4_optimized", 1, peer);
        }
    }
}

typedef struct tally {
    int cases, slower, faster, same;
} tally;

/* [0]: from 20 us, [1]: below, [2]: matrix kernels. */
static void run_sessions(double slower, tally out[3])
{
    memset(out, 0, 3 * sizeof *out);
    for (int s = 0; s < SESSIONS; s++) {
        result_set base, changed;
        compare_report report;
        make_set(&base, 0.0);
        make_set(&changed, slower);
        assert_int_equal(compare_sets(&base, &changed, &(compare_options){0}, &report, NULL), ASSAY_OK);
        assert_int_equal(report.compared, CASES);
        for (int i = 0; i < report.count; i++) {
            tally *t = &out[i < MEMORY_BOUND ? 0 : i < MEMORY_BOUND + SMALL ? 1 : 2];
            t->cases++;
            t->slower += report.cases[i].verdict == COMPARE_SLOWER;
            t->faster += report.cases[i].verdict == COMPARE_FASTER;
            t->same += report.cases[i].verdict == COMPARE_SAME;
        }
        compare_report_release(&report);
        result_set_release(&base);
        result_set_release(&changed);
    }
    static const char *const names[] = {"from 20 us", "below 20 us", "matrix, capped"};
    for (int i = 0; i < 3; i++)
        print_message("%+.0f%%, %-14s: %d cases, %d slower, %d faster, %d same\n", 100 * slower, names[i],
                      out[i].cases, out[i].slower, out[i].faster, out[i].same);
}

static void unchanged_kernels_raise_no_alarm(void **state)
{
    (void)state;
    tally t[3];
    run_sessions(0.0, t);
    const int cases = t[0].cases + t[1].cases + t[2].cases;
    int alarms = 0, same = 0;
    for (int i = 0; i < 3; i++) {
        alarms += t[i].slower + t[i].faster;
        same += t[i].same;
    }
    assert_int_equal(cases, SESSIONS * CASES);
    assert_true(alarms * 200 <= cases);
    assert_true(same * 2 > cases); /* silence would raise no alarm either */
}

static void five_percent_is_found(void **state)
{
    (void)state;
    tally t[3];
    run_sessions(0.05, t);
    for (int i = 0; i < 3; i++) {
        assert_true(t[i].slower * 100 >= 95 * t[i].cases);
        assert_int_equal(t[i].faster + t[i].same, 0);
    }
}

static void two_percent_is_found_from_20_us(void **state)
{
    (void)state;
    tally t[3];
    run_sessions(0.02, t);
    assert_true((t[0].slower + t[2].slower) * 100 >= 80 * (t[0].cases + t[2].cases));
    assert_int_equal(t[0].faster + t[1].faster + t[2].faster, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unchanged_kernels_raise_no_alarm),
        cmocka_unit_test(five_percent_is_found),
        cmocka_unit_test(two_percent_is_found_from_20_us),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
