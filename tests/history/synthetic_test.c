/* How often the comparison cries wolf and how much it finds, on made-up times that behave like an H100's in
 * its A/A runs: what a process adds to all its kernels differs from process to process by 0.12 us, most of
 * which its launch overhead shows, each kernel by 0.15% besides, repetitions scatter by 0.2 to 1%, every
 * other session's second run is on a host whose overhead is 1 us higher, and matrix kernels' clock moves by
 * 7% within and between runs under the power cap, together with their baseline's. The GPU's own A/A runs are
 * in tools/aa/. */
#include "test.h"
#include "history/compare.h"
#include <math.h>

enum { SESSIONS = 40, REPETITIONS = 10, CANDIDATES = 4, MEMORY_BOUND = 5, SMALL = 2, MATRIX = 4 };
enum { CASES = (MEMORY_BOUND + SMALL) * CANDIDATES + MATRIX };
enum { FROM_20_US, BELOW_20_US, CAPPED, CLASSES };

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

/* A run of a case: `added` is what its process costs every kernel; its repetitions wander and scatter. */
static void make_times(double us, double added, double scatter, const double *clock, double *times)
{
    const double run = us * exp(0.0015 * normal()) + added;
    double drift = 0.0;
    for (int i = 0; i < REPETITIONS; i++) {
        drift += 0.1 * scatter * normal();
        times[i] = run * (1.0 + drift + scatter * normal()) * (clock ? clock[i] : 1.0);
    }
}

static void add(result_set *set, made_result r, const double *times)
{
    r.times = times, r.count = REPETITIONS;
    assert_int_equal(result_set_add(set, make_result(&r), NULL), ASSAY_OK);
}

/* One process with four variants; the first and the third are changed and slower by `slower`, if that is not
 * 0. */
static void add_group(result_set *set, const char *op, double us, double scatter, double slower,
                      double host_us)
{
    static const char *const names[CANDIDATES] = {"v1_baseline", "v2_tiling", "v3_coalesced", "v4_optimized"};
    static const char *const hashes[CANDIDATES] = {"a1", "a2", "a3", "a4"};
    const double shown = 0.1 * normal(), added = shown + 0.06 * normal() + host_us;
    for (int i = 0; i < CANDIDATES; i++) {
        double times[REPETITIONS];
        const int changed = slower != 0.0 && i % 2 == 0;
        const made_result r = {.op = op,
                               .variant = names[i],
                               .kernel = changed ? "b" : hashes[i],
                               .overhead_us = 3.6 + host_us + shown,
                               .with = "v1_baseline,v2_tiling,v3_coalesced,v4_optimized"};
        make_times(us * (1.0 + 0.1 * (CANDIDATES - i)) * (changed ? 1.0 + slower : 1.0), added, scatter, NULL,
                   times);
        add(set, r, times);
    }
}

static void add_matrix(result_set *set, const char *op, double slower)
{
    double times[REPETITIONS], clock[REPETITIONS], baseline[REPETITIONS];
    const double phase = 6.283 * uniform(), heat = 0.035 * (2.0 * uniform() - 1.0);
    for (int t = 0; t < REPETITIONS; t++)
        clock[t] = 1.0 + heat + 0.035 * sin(phase + 1.1 * t);
    make_times(180.0 * (1.0 + slower), 0.0, 0.003, clock, times);
    make_times(182.0, 0.0, 0.003, clock, baseline);
    const made_result kernel = {.op = op,
                                .variant = "v4_optimized",
                                .kernel = slower != 0.0 ? "b" : "a",
                                .with = "baseline_cublas",
                                .reasons = 4};
    const made_result library = {
        .op = op, .variant = "baseline_cublas", .with = "v4_optimized", .reasons = 4};
    add(set, kernel, times);
    add(set, library, baseline);
}

/* All cases of one session. Names sort in the order made. */
static void make_set(result_set *set, double slower, double host_us)
{
    static const double times[MEMORY_BOUND + SMALL] = {21, 29, 52, 73, 300, 4.8, 9.4};
    char op[32];
    *set = (result_set){0};
    for (int g = 0; g < MEMORY_BOUND + SMALL + MATRIX; g++) {
        snprintf(op, sizeof op, "op%02d", g);
        if (g < MEMORY_BOUND + SMALL)
            add_group(set, op, times[g], 0.002 + 0.008 * uniform(), slower, host_us);
        else
            add_matrix(set, op, slower);
    }
}

typedef struct tally {
    int cases, slower, faster, same;
} tally;

/* Where nothing changed, what is put down to the machine would have been a false alarm. */
static void count(tally *t, const compare_case *c)
{
    const int machine = c->verdict == COMPARE_MACHINE;
    t->cases++;
    t->slower += c->verdict == COMPARE_SLOWER || (machine && c->ratio.ratio > 1.0);
    t->faster += c->verdict == COMPARE_FASTER || (machine && c->ratio.ratio < 1.0);
    t->same += c->verdict == COMPARE_SAME;
}

static void print_tally(const char *what, const tally t[CLASSES])
{
    static const char *const names[] = {"from 20 us", "below 20 us", "matrix, capped"};
    for (int i = 0; i < CLASSES; i++)
        print_message("%-9s %-14s: %d cases, %d slower, %d faster, %d same\n", what, names[i], t[i].cases,
                      t[i].slower, t[i].faster, t[i].same);
}

/* Of the changed and of the unchanged cases, by class. */
static void run_sessions(double slower, tally changed[CLASSES], tally unchanged[CLASSES])
{
    memset(changed, 0, CLASSES * sizeof *changed);
    memset(unchanged, 0, CLASSES * sizeof *unchanged);
    for (int s = 0; s < SESSIONS; s++) {
        result_set base, later;
        compare_report report;
        make_set(&base, 0.0, 0.0);
        make_set(&later, slower, s % 2);
        assert_int_equal(compare_sets(&base, &later, &(compare_options){0}, &report, NULL), ASSAY_OK);
        assert_int_equal(report.compared, CASES);
        for (int i = 0; i < report.count; i++) {
            const int class = i < MEMORY_BOUND * CANDIDATES ? FROM_20_US
                              : i < CASES - MATRIX          ? BELOW_20_US
                                                            : CAPPED;
            const int is_changed = slower != 0.0 && (class == CAPPED || i % 2 == 0);
            count(is_changed ? &changed[class] : &unchanged[class], &report.cases[i]);
        }
        compare_report_release(&report);
        result_set_release(&base);
        result_set_release(&later);
    }
    print_tally("unchanged", unchanged);
    print_tally("slower", changed);
}

static tally sum_of(const tally *t)
{
    tally sum = {0};
    for (int i = 0; i < CLASSES; i++) {
        sum.cases += t[i].cases, sum.slower += t[i].slower;
        sum.faster += t[i].faster, sum.same += t[i].same;
    }
    return sum;
}

/* Among changed ones the correction lets one in a hundred of what is called slower be wrong; their number
 * scatters as counts do. */
static void check_unchanged(const tally *unchanged, const tally *changed)
{
    const tally t = sum_of(unchanged);
    const int alarms = t.slower + t.faster;
    const double expected = 0.01 * (sum_of(changed).slower + alarms);
    if (sum_of(changed).cases > 0)
        assert_true(alarms <= expected + 2.0 * sqrt(expected));
    else
        assert_true(alarms * 200 <= t.cases);
    assert_true(t.same * 2 > t.cases); /* silence would raise no alarm either */
}

static void unchanged_kernels_raise_no_alarm(void **state)
{
    tally changed[CLASSES], unchanged[CLASSES];
    run_sessions(0.0, changed, unchanged);
    assert_int_equal(sum_of(unchanged).cases, SESSIONS * CASES);
    check_unchanged(unchanged, changed);
}

static void five_percent_is_found(void **state)
{
    tally changed[CLASSES], unchanged[CLASSES];
    run_sessions(0.05, changed, unchanged);
    const tally t = sum_of(changed);
    assert_true(t.cases > 200);
    assert_true(t.slower * 100 >= 95 * t.cases);
    assert_int_equal(t.faster + t.same, 0);
    check_unchanged(unchanged, changed);
}

static void two_percent_is_found_from_20_us(void **state)
{
    tally changed[CLASSES], unchanged[CLASSES];
    run_sessions(0.02, changed, unchanged);
    const int cases = changed[FROM_20_US].cases + changed[CAPPED].cases;
    assert_true(cases > 200);
    assert_true((changed[FROM_20_US].slower + changed[CAPPED].slower) * 100 >= 80 * cases);
    assert_int_equal(sum_of(changed).faster, 0);
    check_unchanged(unchanged, changed);
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
