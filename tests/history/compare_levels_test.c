/* What the comparison takes out of the times before it judges them: the swing of the clock under the power
 * cap, the launch overheads of two hosts, what a process adds to all its kernels, and what the machine does
 * to kernels that did not change. */
#include "compare_tools.h"
#include "history/compare_values.h"
#include <math.h>

/* Both candidates swing together by 7%: the times alone tell nothing, the ratio to the baseline does. */
static void a_baseline_of_the_same_repetitions_takes_the_swing_out(void **state)
{
    for (int with_baseline = 0; with_baseline < 2; with_baseline++) {
        result_set sets[2] = {0};
        for (int side = 0; side < 2; side++) {
            double times[10], baseline[10];
            for (int i = 0; i < 10; i++) {
                const double clock = 1.0 + 0.035 * sin(1.3 * i + 2.0 * side);
                times[i] = 180.0 * clock * (side ? 1.03 : 1.0) * (1.0 + 0.0005 * (i % 3));
                baseline[i] = 182.0 * clock;
            }
            made_result kernel = plain(times), library = plain(baseline);
            kernel.with = "baseline_cublas", library.with = "v1_baseline";
            kernel.kernel = side ? "changed" : "abcd";
            kernel.reasons = library.reasons = 4;
            library.variant = "baseline_cublas";
            add_made(&sets[side], kernel);
            if (with_baseline)
                add_made(&sets[side], library);
        }
        compare_report report = compare_made(sets, &(compare_options){0});
        assert_int_equal(report.count, 1);
        assert_string_equal(report.cases[0].relative_to, with_baseline ? "cublas" : "");
        assert_int_equal(report.cases[0].verdict, with_baseline ? COMPARE_SLOWER : COMPARE_INCONCLUSIVE);
        if (with_baseline)
            assert_float_equal(report.cases[0].ratio.ratio, 1.03, 2e-3);
        compare_report_release(&report);
    }
}

/* Sustained rates of a kernel and two baselines: 7% between runs, 7% within a run, the baselines alike in both. */
static void add_sustained(result_set *set, double us, double heat, double phase, uint64_t seed,
                          const char *hash)
{
    double times[10], fast[10], slow[10];
    for (int i = 0; i < 10; i++) {
        const double clock = heat * (1.0 + 0.035 * sin(1.9 * i + phase));
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        times[i] = us * clock * (1.0 + 0.01 * ((double)(seed >> 40) / 0x1p24 - 0.5));
        fast[i] = 182.0 * clock;
        slow[i] = 364.0; /* far from the cap: steady, and no measure of the clock */
    }
    made_result kernel = plain(times), library = plain(fast), other = plain(slow);
    kernel.mode = library.mode = other.mode = TIMING_SUSTAINED;
    kernel.kernel = hash;
    kernel.with = "baseline_cublas,baseline_torch_eager", library.with = other.with = "v1_baseline";
    kernel.reasons = library.reasons = 4;
    library.variant = "baseline_cublas", other.variant = "baseline_torch_eager";
    add_made(set, kernel), add_made(set, library), add_made(set, other);
}

static void sustained_rates_are_judged_by_the_ratio_to_the_best_baseline(void **state)
{
    int same = 0, slow = 0, false_alarms = 0, missed = 0;
    for (int session = 0; session < 40; session++)
        for (int worse = 0; worse < 2; worse++) {
            result_set sets[2] = {0};
            const uint64_t seed = (uint64_t)session * 2 + 1;
            add_sustained(&sets[0], 190.0, 1.0 - 0.035 * cos(session), session, seed, "abcd");
            add_sustained(&sets[1], 190.0 * (worse ? 1.03 : 1.0), 1.0 + 0.035 * cos(session), 2.0 * session,
                          seed + 1000, "changed");
            const compare_options options = {.modes = timing_mode_bit(TIMING_SUSTAINED)};
            compare_report report = compare_made(sets, &options);
            assert_int_equal(report.count, 1);
            const compare_case *c = &report.cases[0];
            assert_string_equal(c->relative_to, "cublas");
            assert_float_equal(c->base_relative, 190.0 / 182.0, 5e-3);
            assert_float_equal(c->ratio.ratio, worse ? 1.03 : 1.0, 5e-3);
            same += !worse && c->verdict == COMPARE_SAME;
            slow += worse && c->verdict == COMPARE_SLOWER;
            false_alarms += !worse && c->verdict <= COMPARE_FASTER;
            missed += worse && (c->verdict == COMPARE_SAME || c->verdict == COMPARE_FASTER);
            compare_report_release(&report);
        }
    assert_int_equal(false_alarms, 0);
    assert_int_equal(missed, 0);
    assert_true(same >= 39);
    assert_true(slow >= 39);
}

/* One run a side: a kernel of 100 us and a baseline whose repetitions wander by themselves. */
static compare_case compare_beside(int reasons, int repetitions)
{
    result_set sets[2] = {0};
    double wandering[10];
    fill_times(wandering, 10, 101.0, repetitions == 10 ? 0.06 : 0.0001);
    for (int side = 0; side < 2; side++) {
        made_result kernel = plain(hundred), library = plain(wandering);
        kernel.mode = library.mode = TIMING_SUSTAINED;
        kernel.with = "baseline_cublas", library.with = "v1_baseline";
        kernel.kernel = side ? "changed" : "abcd";
        kernel.reasons = library.reasons = reasons;
        library.variant = "baseline_cublas", library.count = repetitions;
        add_made(&sets[side], kernel), add_made(&sets[side], library);
    }
    const compare_options options = {.modes = timing_mode_bit(TIMING_SUSTAINED)};
    compare_report report = compare_made(sets, &options);
    const compare_case only = report.cases[0];
    compare_report_release(&report);
    return only;
}

static void a_baseline_that_tells_nothing_is_left(void **state)
{
    const compare_case steady = compare_beside(0, 10);
    assert_string_equal(steady.relative_to, ""); /* the cap was never met, and the times are steady */
    assert_int_equal(steady.verdict, COMPARE_SAME);
    const compare_case capped = compare_beside(4, 10);
    assert_string_equal(capped.relative_to, "");
    assert_int_equal(capped.verdict, COMPARE_INCONCLUSIVE); /* one run of a moving clock does not tell */
    const compare_case fewer = compare_beside(4, 9);        /* repetitions cannot be divided one by one */
    assert_string_equal(fewer.relative_to, "");
}

/* The second run's process has a launch overhead of `overheads[1]`, and its kernel takes `us[1]` between events. */
static compare_case compare_overheads(const double us[2], const double overheads[2],
                                      const compare_options *options)
{
    double times[2][10];
    made_result sides[2];
    assay_status status;
    for (int i = 0; i < 2; i++) {
        fill_times(times[i], 10, us[i], 0.002);
        sides[i] = i ? changed_to(times[i]) : plain(times[i]);
        sides[i].overhead_us = overheads[i];
    }
    const compare_case c = compare_two(sides[0], sides[1], options, &status, NULL);
    assert_int_equal(status, ASSAY_OK);
    return c;
}

static void a_higher_floor_is_no_slowdown(void **state)
{
    const double higher[2] = {3.6, 4.6};
    compare_case c = compare_overheads((double[2]){30.0, 31.0}, higher, NULL);
    assert_int_equal(c.verdict, COMPARE_SAME);
    assert_true(c.overhead_corrected);
    assert_float_equal(c.ratio.ratio, 1.0, 1e-3);
    assert_float_equal(c.new_us, 31.0, 1e-2);
    c = compare_overheads((double[2]){30.0, 31.0 + 1.2}, higher, NULL); /* 4% slower as well */
    assert_int_equal(c.verdict, COMPARE_SLOWER);
    assert_float_equal(c.ratio.ratio, 1.04, 1e-3);
    c = compare_overheads((double[2]){30.0, 30.0}, higher, NULL); /* what the launch overhead hides */
    assert_int_equal(c.verdict, COMPARE_FASTER);
}

static void overheads_within_their_noise_or_unknown_are_left(void **state)
{
    const double us[2] = {30.0, 31.2};
    const double alike[2] = {3.60, 3.65}, unknown[2] = {3.6, -1}, impossible[2] = {3.6, 32.0};
    const double *const overheads[] = {alike, unknown, impossible};
    for (int i = 0; i < 3; i++) {
        const compare_case c = compare_overheads(us, overheads[i], NULL);
        assert_false(c.overhead_corrected);
        assert_float_equal(c.ratio.ratio, 1.04, 1e-3);
        assert_int_equal(c.verdict, COMPARE_SLOWER);
    }
}

/* A stream of launches hides what an event would see. */
static void times_from_graphs_have_no_overhead(void **state)
{
    result_set sets[2] = {0};
    made_result before = plain(hundred), after = changed_to(slower);
    before.mode = after.mode = TIMING_HOT;
    after.overhead_us = 7.0;
    add_made(&sets[0], before), add_made(&sets[1], after);
    compare_report report = compare_made(sets, &(compare_options){.modes = timing_mode_bit(TIMING_HOT)});
    assert_false(report.cases[0].overhead_corrected);
    assert_int_equal(report.cases[0].verdict, COMPARE_SLOWER);
    compare_report_release(&report);
}

/* Everything in the second process costs 0.2 us more. The unchanged kernels tell, and one that is slower
 * besides stays slower. */
static void controls_take_out_what_the_process_adds(void **state)
{
    static const char *const names[] = {"v1", "v2", "v3", "v4"};
    for (int blind = 0; blind < 2; blind++) { /* without controls: none alternated with another */
        result_set sets[2] = {0};
        for (int side = 0; side < 2; side++)
            for (int candidate = 0; candidate < 4; candidate++) {
                double times[10];
                fill_times(times, 10, 6.0 + 0.2 * side + (side && candidate == 3 ? 0.6 : 0.0), 0.002);
                made_result r = plain(times);
                r.variant = names[candidate], r.with = blind ? "" : "v1,v2,v3,v4";
                r.kernel = side && candidate == 3 ? "changed" : "same";
                add_made(&sets[side], r);
            }
        compare_report report = compare_made(sets, &(compare_options){0});
        assert_int_equal(report.count, 4);
        for (int i = 0; i < 4; i++) {
            const compare_verdict expected = i == 3  ? COMPARE_SLOWER
                                             : blind ? COMPARE_INCONCLUSIVE
                                                     : COMPARE_SAME;
            assert_int_equal(report.cases[i].controls, blind ? 0 : i == 3 ? 3 : 2);
            assert_float_equal(report.cases[i].shift_us, blind ? 0.0 : 0.2, 2e-3);
            assert_int_equal(report.cases[i].verdict, expected);
        }
        assert_float_equal(report.cases[3].ratio.ratio, blind ? 6.8 / 6.0 : 6.6 / 6.0, 2e-3);
        compare_report_release(&report);
    }
}

/* The second process has an overhead 0.2 us higher, and so have all its times: the overheads say so of the
 * kernel, and a control that does not know its own must not say it once more, nor bring the whole of it. */
static void controls_without_an_overhead_say_nothing_of_corrected_cases(void **state)
{
    static const char *const names[] = {"v4_optimized", "baseline_torch_eager", "baseline_torch_compile"};
    for (int row = 0; row < 4; row++) { /* bits: the sides on which baselines know theirs */
        result_set sets[2] = {0};
        for (int side = 0; side < 2; side++)
            for (int candidate = 0; candidate < 3; candidate++) {
                double times[10];
                fill_times(times, 10, 10.0 + candidate + 0.2 * side, 0.002);
                made_result r = side ? changed_to(times) : plain(times);
                r.variant = names[candidate];
                r.with = "v4_optimized,baseline_torch_eager,baseline_torch_compile";
                r.overhead_us = candidate == 0 || row & 1 << side ? 3.0 + 0.2 * side : -1;
                if (candidate > 0)
                    r.kernel = ""; /* of baselines the version counts */
                add_made(&sets[side], r);
            }
        compare_report report = compare_made(sets, &(compare_options){0});
        assert_int_equal(report.count, 1);
        assert_true(report.cases[0].overhead_corrected);
        assert_int_equal(report.cases[0].controls, row == 3 ? 2 : 0);
        assert_float_equal(report.cases[0].ratio.ratio, 1.0, 2e-3);
        assert_int_equal(report.cases[0].verdict, COMPARE_SAME);
        compare_report_release(&report);
    }
}

/* Three kernels of one process, slower by 4% on NEW; `changed` of them have another source, and all the machine code `code`. */
static compare_report compare_three(int changed, const char *code, const compare_options *options)
{
    static const char *const names[] = {"v1", "v2", "v3"};
    result_set sets[2] = {0};
    for (int side = 0; side < 2; side++)
        for (int candidate = 0; candidate < 3; candidate++) {
            made_result r = plain(side ? slower : hundred);
            r.variant = names[candidate], r.with = "v1,v2,v3";
            r.kernel = side && candidate < changed ? "changed" : "same";
            r.code = code;
            r.load = side ? 3.5 : 0.25, r.sm_mhz = side ? 1755 : 1980;
            add_made(&sets[side], r);
        }
    compare_report report = compare_made(sets, options);
    return report;
}

static void what_did_not_change_is_not_to_blame(void **state)
{
    static const struct {
        int changed, gate;
        const char *code;
        int slower, machine, failed;
    } rows[] = {
        {3, 0, NULL, 3, 0, 3}, /* all slower by far: no shift of a process */
        {0, 0, NULL, 0, 3,
         0}, /* the same code on the same card: whatever made it slower is no change of it */
        {0, 1, NULL, 0, 3, 3},   /* unless that is to fail */
        {3, 0, "c0de", 0, 3, 0}, /* a source that became the same machine code did not change what runs */
        {1, 0, NULL, 0, 2,
         0}, /* what unchanged kernels beside it moved by is not the change's doing either */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        compare_report report = compare_three(rows[i].changed, rows[i].code,
                                              &(compare_options){.gate_environment = rows[i].gate});
        assert_int_equal(report.verdicts[COMPARE_SLOWER], rows[i].slower);
        assert_int_equal(report.verdicts[COMPARE_MACHINE], rows[i].machine);
        assert_int_equal(report.failed, rows[i].failed);
        if (rows[i].changed == 1) {
            assert_int_equal(report.cases[0].verdict, COMPARE_INCONCLUSIVE);
            assert_non_null(strstr(report.cases[0].reason, "unchanged kernels beside it moved by +3.6%"));
        }
        compare_report_release(&report);
    }
}

static void cases_that_moved_with_the_machine_share_a_line(void **state)
{
    compare_report report = compare_three(0, NULL, &(compare_options){0});
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    compare_write(&report, COMPARE_TEXT, 0, 0, out);
    fclose(out);
    assert_non_null(strstr(text, "machine  3 cases moved with the machine, +3.6% to +3.6%"));
    assert_non_null(strstr(text, ": load 0.2 -> 3.5, SM clock 1980 -> 1755 MHz\n"));
    free(text);
    compare_report_release(&report);
}

/* Times of the CPU device are shown and fail nothing; the instructions that it executed do. */
static void the_cpu_device_is_judged_by_counted_work(void **state)
{
    for (int more = 0; more < 3; more++) {
        result_set sets[2] = {0};
        made_result before = plain(hundred), after = changed_to(slower);
        before.device = after.device = "cpu";
        before.instructions = more < 2 ? 1e6 : 0;
        after.instructions = more == 1 ? 1.05e6 : 1.002e6;
        add_made(&sets[0], before), add_made(&sets[1], after);
        compare_report report = compare_made(sets, &(compare_options){0});
        assert_int_equal(report.count, more < 2 ? 2 : 1);
        assert_int_equal(report.cases[0].verdict, COMPARE_SLOWER);
        assert_false(report.cases[0].fails);
        assert_int_equal(report.failed, more == 1);
        if (more < 2)
            assert_int_equal(report.cases[1].verdict, more ? COMPARE_SLOWER : COMPARE_SAME);
        char *text = written(&report, COMPARE_TEXT), *junit = written(&report, COMPARE_JUNIT);
        assert_non_null(strstr(text, "Times of the CPU device fail no comparison; counted work does."));
        if (more == 1)
            assert_non_null(strstr(text, "add v1_baseline f32 large instructions"));
        assert_int_equal(strstr(junit, "<failure") != NULL, more == 1);
        free(text), free(junit);
        compare_report_release(&report);
    }
}

/* What was done to the numbers stands behind them, whatever the format. */
static void outputs_say_what_was_done(void **state)
{
    result_set sets[2] = {0};
    made_result after = changed_to(slower);
    after.overhead_us = 3.4;
    add_made(&sets[0], plain(hundred)), add_made(&sets[1], after);
    compare_report report = compare_made(sets, &(compare_options){0});
    assert_int_equal(report.cases[0].verdict, COMPARE_SLOWER);
    char *text = written(&report, COMPARE_JSON);
    json_t *root = json_loads(text, 0, NULL);
    const json_t *only = json_array_get(json_object_get(root, "cases"), 0);
    assert_true(json_is_true(json_object_get(only, "overhead_corrected")));
    assert_float_equal(json_number_value(json_array_get(json_object_get(only, "launch_overhead_us"), 1)), 3.4,
                       1e-6);
    json_decref(root);
    free(text);
    snprintf(report.cases[0].relative_to, sizeof report.cases[0].relative_to, "cublas");
    report.cases[0].base_relative = 1.01, report.cases[0].new_relative = 1.05;
    static const compare_format formats[] = {COMPARE_TEXT, COMPARE_MARKDOWN};
    for (int i = 0; i < 2; i++) {
        text = written(&report, formats[i]);
        assert_non_null(strstr(text, "overhead-corrected: a launch takes 3.00 -> 3.40 us"));
        assert_non_null(strstr(text, "relative to cublas, 1.010 -> 1.050 of its time"));
        free(text);
    }
    compare_report_release(&report);
}

/* An older run of the baseline, a year before to the second, is not the one that alternated with the kernel.
 */
static void the_baseline_of_the_same_run_is_taken(void **state)
{
    result_set set = {0};
    made_result kernel = plain(hundred), library = plain(hundred), older = plain(slower);
    kernel.with = "baseline_cublas", library.with = older.with = "v1_baseline";
    library.variant = older.variant = "baseline_cublas";
    library.time = "2026-01-31T12:00:05Z", older.time = "2025-01-31T12:00:00Z";
    add_made(&set, kernel), add_made(&set, older), add_made(&set, library);
    const set_result *found = find_baseline(set.results[0].r, "cublas", &set);
    assert_non_null(found);
    assert_int_equal(found->r->time, result_time_parse(library.time));
    result_set_release(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_baseline_of_the_same_repetitions_takes_the_swing_out),
        cmocka_unit_test(controls_take_out_what_the_process_adds),
        cmocka_unit_test(what_did_not_change_is_not_to_blame),
        cmocka_unit_test(cases_that_moved_with_the_machine_share_a_line),
        cmocka_unit_test(the_cpu_device_is_judged_by_counted_work),
        cmocka_unit_test(controls_without_an_overhead_say_nothing_of_corrected_cases),
        cmocka_unit_test(sustained_rates_are_judged_by_the_ratio_to_the_best_baseline),
        cmocka_unit_test(a_baseline_that_tells_nothing_is_left),
        cmocka_unit_test(a_higher_floor_is_no_slowdown),
        cmocka_unit_test(overheads_within_their_noise_or_unknown_are_left),
        cmocka_unit_test(times_from_graphs_have_no_overhead),
        cmocka_unit_test(outputs_say_what_was_done),
        cmocka_unit_test(the_baseline_of_the_same_run_is_taken),
    };
    return cmocka_run_group_tests(tests, make_compare_times, NULL);
}
