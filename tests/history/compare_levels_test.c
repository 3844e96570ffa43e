/* What the comparison takes out of the times before it judges them: the swing of the clock under the power cap, the floors of two hosts, and
 * what a process adds to all its kernels. */
#include "compare_tools.h"
#include <math.h>

/* Both arms swing together by 7%: the times alone tell nothing, the ratio to the peer does. */
static void a_peer_of_the_same_turns_takes_the_swing_out(void **state)
{
    (void)state;
    for (int with_peer = 0; with_peer < 2; with_peer++) {
        result_set sets[2];
        memset(sets, 0, sizeof sets);
        compare_report report;
        for (int side = 0; side < 2; side++) {
            double times[10], peer[10];
            for (int i = 0; i < 10; i++) {
                const double clock = 1.0 + 0.035 * sin(1.3 * i + 2.0 * side);
                times[i] = 180.0 * clock * (side ? 1.03 : 1.0) * (1.0 + 0.0005 * (i % 3));
                peer[i] = 182.0 * clock;
            }
            made_result kernel = plain(times), library = plain(peer);
            kernel.with = "peer_cublas", library.with = "v1_baseline";
            kernel.reasons = library.reasons = 4;
            library.variant = "peer_cublas", library.kind = "peer";
            add_made(&sets[side], kernel);
            if (with_peer)
                add_made(&sets[side], library);
        }
        assert_int_equal(compare_sets(&sets[0], &sets[1], &(compare_options){0}, &report, NULL), ASSAY_OK);
        assert_int_equal(report.count, 1);
        assert_string_equal(report.cases[0].normalised_by, with_peer ? "peer_cublas" : "");
        assert_int_equal(report.cases[0].verdict, with_peer ? COMPARE_SLOWER : COMPARE_INCONCLUSIVE);
        if (with_peer)
            assert_float_equal(report.cases[0].ratio.ratio, 1.03, 2e-3);
        compare_report_release(&report);
        assert_int_equal(
            compare_sets(&sets[0], &sets[1], &(compare_options){.normalise = "none"}, &report, NULL),
            ASSAY_OK);
        assert_string_equal(report.cases[0].normalised_by, "");
        compare_report_release(&report);
        result_set_release(&sets[0]);
        result_set_release(&sets[1]);
    }
}

/* Sustained rates of a kernel and two peers: 7% between runs, 7% within a run, the peers alike in both. */
static void add_sustained(result_set *set, double us, double heat, double phase, uint64_t seed)
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
    kernel.figure = library.figure = other.figure = "sustained";
    kernel.with = "peer_cublas,peer_torch_eager", library.with = other.with = "v1_baseline";
    kernel.reasons = library.reasons = 4;
    library.variant = "peer_cublas", other.variant = "peer_torch_eager";
    library.kind = other.kind = "peer";
    add_made(set, kernel), add_made(set, library), add_made(set, other);
}

static void sustained_rates_are_judged_by_the_ratio_to_the_best_peer(void **state)
{
    (void)state;
    int same = 0, slow = 0, false_alarms = 0, missed = 0;
    for (int session = 0; session < 40; session++)
        for (int worse = 0; worse < 2; worse++) {
            result_set base = {0}, changed = {0};
            compare_report report;
            const uint64_t seed = (uint64_t)session * 2 + 1;
            add_sustained(&base, 190.0, 1.0 - 0.035 * cos(session), session, seed);
            add_sustained(&changed, 190.0 * (worse ? 1.03 : 1.0), 1.0 + 0.035 * cos(session), 2.0 * session,
                          seed + 1000);
            const compare_options options = {.figures = "sustained"};
            assert_int_equal(compare_sets(&base, &changed, &options, &report, NULL), ASSAY_OK);
            assert_int_equal(report.count, 1);
            const compare_case *c = &report.cases[0];
            assert_string_equal(c->normalised_by, "peer_cublas");
            assert_float_equal(c->base_relative, 190.0 / 182.0, 5e-3);
            assert_float_equal(c->ratio.ratio, worse ? 1.03 : 1.0, 5e-3);
            same += !worse && c->verdict == COMPARE_SAME;
            slow += worse && c->verdict == COMPARE_SLOWER;
            false_alarms += !worse && c->verdict <= COMPARE_FASTER;
            missed += worse && (c->verdict == COMPARE_SAME || c->verdict == COMPARE_FASTER);
            compare_report_release(&report);
            result_set_release(&base);
            result_set_release(&changed);
        }
    assert_int_equal(false_alarms, 0);
    assert_int_equal(missed, 0);
    assert_true(same >= 39);
    assert_true(slow >= 39);
}

/* What a turn owes to the arm before it: 4% either way, another for each arm, the same in both runs as the order of turns is. */
static compare_case compare_in_turns(double more, const int *base_turns, const int *new_turns)
{
    static const double kernel_owes[10] = {3, -4, 1, 4, -2, -3, 2, 0, -1, 4};
    static const double peer_owes[10] = {-2, 3, -4, 0, 4, 1, -1, -3, 2, 3};
    result_set sets[2];
    compare_report report;
    memset(sets, 0, sizeof sets);
    for (int side = 0; side < 2; side++) {
        double times[10], peer[10];
        for (int i = 0; i < 10; i++) {
            const double clock = side ? 1.07 : 1.0, noise = 0.002 * ((7 * i + 3 * side) % 10 / 4.5 - 1.0);
            times[i] = 190.0 * clock * (side ? 1.0 + more : 1.0) * (1.0 + 0.01 * kernel_owes[i] + noise);
            peer[i] = 182.0 * clock * (1.0 + 0.01 * peer_owes[i]);
        }
        made_result kernel = plain(times), library = plain(peer);
        kernel.figure = library.figure = "sustained";
        kernel.with = "peer_cublas", library.with = "v1_baseline";
        kernel.reasons = library.reasons = 4;
        kernel.turns = library.turns = side ? new_turns : base_turns;
        library.variant = "peer_cublas", library.kind = "peer";
        add_made(&sets[side], kernel), add_made(&sets[side], library);
    }
    const compare_options options = {.figures = "sustained"};
    assert_int_equal(compare_sets(&sets[0], &sets[1], &options, &report, NULL), ASSAY_OK);
    const compare_case only = report.cases[0];
    compare_report_release(&report);
    result_set_release(&sets[0]);
    result_set_release(&sets[1]);
    return only;
}

static void what_turns_owe_to_their_order_cancels(void **state)
{
    (void)state;
    static const int turns[10] = {0, 3, 4, 7, 9, 10, 12, 15, 16, 19};
    static const int others[10] = {1, 2, 5, 6, 8, 11, 13, 14, 17, 18};
    compare_case c = compare_in_turns(0.0, turns, turns);
    assert_true(c.paired);
    assert_string_equal(c.normalised_by, "peer_cublas");
    assert_int_equal(c.verdict, COMPARE_SAME);
    c = compare_in_turns(0.03, turns, turns);
    assert_true(c.paired);
    assert_int_equal(c.verdict, COMPARE_SLOWER);
    assert_float_equal(c.ratio.ratio, 1.03, 3e-3);
    const int *const unpaired[] = {others, NULL};
    for (int i = 0; i < 2; i++) {
        c = compare_in_turns(0.03, turns, unpaired[i]);
        assert_false(c.paired);
        assert_int_equal(c.verdict, COMPARE_INCONCLUSIVE);
    }
}

/* One run a side: a kernel of 100 us and a peer whose turns wander by themselves. */
static compare_case compare_beside(int reasons, int peer_turns, const compare_options *options)
{
    result_set sets[2];
    compare_report report;
    double wandering[10];
    memset(sets, 0, sizeof sets);
    fill_times(wandering, 10, 101.0, 0.06);
    for (int side = 0; side < 2; side++) {
        made_result kernel = plain(hundred), library = plain(wandering);
        kernel.figure = library.figure = "sustained";
        kernel.with = "peer_cublas", library.with = "v1_baseline";
        kernel.reasons = library.reasons = reasons;
        library.variant = "peer_cublas", library.kind = "peer", library.count = peer_turns;
        add_made(&sets[side], kernel), add_made(&sets[side], library);
    }
    assert_int_equal(compare_sets(&sets[0], &sets[1], options, &report, NULL), ASSAY_OK);
    const compare_case only = report.cases[0];
    compare_report_release(&report);
    result_set_release(&sets[0]);
    result_set_release(&sets[1]);
    return only;
}

static void a_peer_that_tells_nothing_is_left(void **state)
{
    (void)state;
    compare_options options = {.figures = "sustained"};
    const compare_case steady = compare_beside(0, 10, &options);
    assert_string_equal(steady.normalised_by, ""); /* the cap was never met, and the times are steady */
    assert_int_equal(steady.verdict, COMPARE_SAME);
    const compare_case capped = compare_beside(4, 10, &options);
    assert_string_equal(capped.normalised_by, "");
    assert_int_equal(capped.verdict, COMPARE_INCONCLUSIVE); /* one run of a moving clock does not tell */
    options.normalise = "cublas";
    const compare_case forced = compare_beside(4, 10, &options);
    assert_string_equal(forced.normalised_by, "peer_cublas");
    assert_float_equal(forced.base_relative, 100.0 / 101.0, 1e-2);
    const compare_case fewer = compare_beside(4, 9, &options); /* by its location, whose error counts */
    assert_float_equal(fewer.base_relative, 100.0 / 101.0, 2e-2);
    assert_true(fewer.ratio.high95 - fewer.ratio.low95 > 0.04);
}

/* The second run's process has a floor of `floors[1]`, and its kernel takes `us[1]` between events. */
static compare_case compare_floors(const double us[2], const double floors[2], const compare_options *options)
{
    double times[2][10];
    made_result sides[2];
    assay_status status;
    for (int i = 0; i < 2; i++) {
        fill_times(times[i], 10, us[i], 0.002);
        sides[i] = plain(times[i]);
        sides[i].floor_us = floors[i];
    }
    const compare_case c = compare_two(sides[0], sides[1], options, &status, NULL);
    assert_int_equal(status, ASSAY_OK);
    return c;
}

static void a_higher_floor_is_no_slowdown(void **state)
{
    (void)state;
    const double higher[2] = {3.6, 4.6};
    compare_case c = compare_floors((double[2]){30.0, 31.0}, higher, NULL);
    assert_int_equal(c.verdict, COMPARE_SAME);
    assert_true(c.floors_levelled);
    assert_float_equal(c.ratio.ratio, 1.0, 1e-3);
    assert_float_equal(c.new_us, 31.0, 1e-2);
    c = compare_floors((double[2]){30.0, 31.0}, higher, &(compare_options){.keep_floors = 1});
    assert_int_equal(c.verdict, COMPARE_SLOWER);
    c = compare_floors((double[2]){30.0, 31.0 + 1.2}, higher, NULL); /* 4% slower as well */
    assert_int_equal(c.verdict, COMPARE_SLOWER);
    assert_float_equal(c.ratio.ratio, 1.04, 1e-3);
    c = compare_floors((double[2]){30.0, 30.0}, higher, NULL); /* what the floor hides */
    assert_int_equal(c.verdict, COMPARE_FASTER);
}

static void floors_within_their_noise_or_unknown_are_left(void **state)
{
    (void)state;
    const double us[2] = {30.0, 31.2};
    const double alike[2] = {3.60, 3.65}, unknown[2] = {3.6, -1}, impossible[2] = {3.6, 32.0};
    const double *const floors[] = {alike, unknown, impossible};
    for (int i = 0; i < 3; i++) {
        const compare_case c = compare_floors(us, floors[i], NULL);
        assert_false(c.floors_levelled);
        assert_float_equal(c.ratio.ratio, 1.04, 1e-3);
        assert_int_equal(c.verdict, COMPARE_SLOWER);
    }
}

/* What was written as the floor of torch's process does not go with its times, where cold launches did not go round the copies yet. */
static void floors_of_torch_are_left_where_they_were_none(void **state)
{
    (void)state;
    static const char *const arms[] = {"peer_torch_eager", "peer_triton"};
    for (int i = 0; i < 4; i++) {
        double times[2][10];
        made_result sides[2];
        assay_status status;
        for (int k = 0; k < 2; k++) {
            fill_times(times[k], 10, 30.0, 0.002);
            sides[k] = plain(times[k]);
            sides[k].variant = arms[i % 2], sides[k].kind = "peer";
            sides[k].floor_us = 3.7 + 0.5 * k;
            sides[k].cold_rotation = i / 2;
        }
        const compare_case c =
            compare_two(sides[0], sides[1], &(compare_options){.with_peers = 1}, &status, NULL);
        assert_int_equal(status, ASSAY_OK);
        assert_int_equal(c.floors_levelled, i / 2);
    }
}

/* A stream of launches hides what an event would see. */
static void figures_from_graphs_have_no_floor(void **state)
{
    (void)state;
    result_set base = {0}, changed = {0};
    compare_report report;
    made_result before = plain(hundred), after = plain(slower);
    before.figure = after.figure = "hot";
    after.floor_us = 7.0;
    add_made(&base, before), add_made(&changed, after);
    assert_int_equal(compare_sets(&base, &changed, &(compare_options){.figures = "hot"}, &report, NULL),
                     ASSAY_OK);
    assert_false(report.cases[0].floors_levelled);
    assert_int_equal(report.cases[0].verdict, COMPARE_SLOWER);
    compare_report_release(&report);
    result_set_release(&base);
    result_set_release(&changed);
}

/* Everything in the second process costs 0.2 us more. The unchanged kernels tell, and one that is slower besides stays slower. */
static void controls_take_out_what_the_process_adds(void **state)
{
    (void)state;
    static const char *const names[] = {"v1", "v2", "v3", "v4"};
    for (int blind = 0; blind < 2; blind++) {
        result_set sets[2];
        compare_report report;
        memset(sets, 0, sizeof sets);
        for (int side = 0; side < 2; side++)
            for (int arm = 0; arm < 4; arm++) {
                double times[10];
                fill_times(times, 10, 6.0 + 0.2 * side + (side && arm == 3 ? 0.6 : 0.0), 0.002);
                made_result r = plain(times);
                r.variant = names[arm], r.with = "v1,v2,v3,v4";
                r.source_sha256 = side && arm == 3 ? "changed" : "same";
                add_made(&sets[side], r);
            }
        const compare_options options = {.no_controls = blind};
        assert_int_equal(compare_sets(&sets[0], &sets[1], &options, &report, NULL), ASSAY_OK);
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
        result_set_release(&sets[0]);
        result_set_release(&sets[1]);
    }
}

/* The second process has a floor 0.2 us higher, and so have all its times: the floors say so of the kernel, and a control that does not know its
 * own must not say it once more, nor bring the whole of it. `rotates`: since then torch knows its floor. */
static void controls_without_a_floor_say_nothing_of_levelled_cases(void **state)
{
    (void)state;
    static const char *const names[] = {"v4_optimized", "peer_torch_eager", "peer_torch_compile"};
    static const int rotates[][2] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
    for (int row = 0; row < 4; row++) {
        result_set sets[2];
        compare_report report;
        memset(sets, 0, sizeof sets);
        for (int side = 0; side < 2; side++)
            for (int arm = 0; arm < 3; arm++) {
                double times[10];
                fill_times(times, 10, 10.0 + arm + 0.2 * side, 0.002);
                made_result r = plain(times);
                r.variant = names[arm], r.kind = arm ? "peer" : "variant";
                r.with = "v4_optimized,peer_torch_eager,peer_torch_compile";
                r.floor_us = 3.0 + 0.2 * side;
                r.cold_rotation = rotates[row][side];
                add_made(&sets[side], r);
            }
        assert_int_equal(compare_sets(&sets[0], &sets[1], &(compare_options){0}, &report, NULL), ASSAY_OK);
        assert_int_equal(report.count, 1);
        assert_true(report.cases[0].floors_levelled);
        assert_int_equal(report.cases[0].controls, row == 3 ? 2 : 0);
        assert_float_equal(report.cases[0].ratio.ratio, 1.0, 2e-3);
        assert_int_equal(report.cases[0].verdict, COMPARE_SAME);
        compare_report_release(&report);
        result_set_release(&sets[0]);
        result_set_release(&sets[1]);
    }
}

/* When everything is slower by far, that is no shift of a process. */
static void controls_cannot_hide_a_common_slowdown(void **state)
{
    (void)state;
    static const char *const names[] = {"v1", "v2", "v3"};
    result_set sets[2];
    compare_report report;
    memset(sets, 0, sizeof sets);
    for (int side = 0; side < 2; side++)
        for (int arm = 0; arm < 3; arm++) {
            made_result r = plain(side ? slower : hundred);
            r.variant = names[arm], r.with = "v1,v2,v3";
            add_made(&sets[side], r);
        }
    assert_int_equal(compare_sets(&sets[0], &sets[1], &(compare_options){0}, &report, NULL), ASSAY_OK);
    assert_int_equal(report.verdicts[COMPARE_SLOWER], 3);
    compare_report_release(&report);
    result_set_release(&sets[0]);
    result_set_release(&sets[1]);
}

/* What was done to the numbers stands behind them, whatever the format. */
static void outputs_say_what_was_done(void **state)
{
    (void)state;
    result_set base = {0}, changed = {0};
    compare_report report;
    made_result after = plain(slower);
    after.floor_us = 3.4;
    add_made(&base, plain(hundred)), add_made(&changed, after);
    const char *const words = "less the difference of the floors, 3.00 and 3.40 us";
    assert_int_equal(compare_sets(&base, &changed, &(compare_options){0}, &report, NULL), ASSAY_OK);
    assert_int_equal(report.cases[0].verdict, COMPARE_SLOWER);
    static const compare_format formats[] = {COMPARE_TEXT, COMPARE_MARKDOWN, COMPARE_JUNIT};
    for (int i = 0; i < 3; i++) {
        char *text = written(&report, formats[i]);
        assert_non_null(strstr(text, words));
        free(text);
    }
    char *text = written(&report, COMPARE_JSON);
    json_t *root = json_loads(text, 0, NULL);
    const json_t *only = json_array_get(json_object_get(root, "cases"), 0);
    assert_float_equal(json_number_value(json_object_get(only, "floor_shift_us")), 0.4, 1e-6);
    assert_float_equal(json_number_value(json_array_get(json_object_get(only, "floor_us"), 1)), 3.4, 1e-6);
    json_decref(root);
    free(text);
    snprintf(report.cases[0].normalised_by, sizeof report.cases[0].normalised_by, "peer_cublas");
    report.cases[0].base_relative = 1.01, report.cases[0].new_relative = 1.05;
    for (int i = 0; i < 3; i++) {
        text = written(&report, formats[i]);
        assert_non_null(strstr(text, formats[i] == COMPARE_MARKDOWN ? "relative to peer\\_cublas"
                                                                    : "relative to peer_cublas"));
        assert_non_null(strstr(text, "1.010 and 1.050"));
        free(text);
    }
    compare_report_release(&report);
    result_set_release(&base);
    result_set_release(&changed);
}

/* An older run of the peer, a year before to the second, is not the one that took turns with the kernel. */
static void the_peer_of_the_same_run_is_taken(void **state)
{
    (void)state;
    double half[10];
    fill_times(half, 10, 50.0, 0.004);
    result_set base = {0}, changed = {0};
    compare_report report;
    made_result kernel = plain(hundred), library = plain(hundred), older = plain(half);
    kernel.with = "peer_cublas", library.with = older.with = "v1_baseline";
    library.variant = older.variant = "peer_cublas", library.kind = older.kind = "peer";
    library.time = "2026-01-31T12:00:05Z", older.time = "2025-01-31T12:00:00Z";
    add_made(&base, kernel), add_made(&base, older), add_made(&base, library);
    add_made(&changed, kernel), add_made(&changed, library);
    assert_int_equal(compare_sets(&base, &changed, &(compare_options){.normalise = "cublas"}, &report, NULL),
                     ASSAY_OK);
    assert_string_equal(report.cases[0].normalised_by, "peer_cublas");
    assert_float_equal(report.cases[0].ratio.ratio, 1.0, 1e-3);
    compare_report_release(&report);
    result_set_release(&base);
    result_set_release(&changed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_peer_of_the_same_turns_takes_the_swing_out),
        cmocka_unit_test(controls_take_out_what_the_process_adds),
        cmocka_unit_test(controls_cannot_hide_a_common_slowdown),
        cmocka_unit_test(controls_without_a_floor_say_nothing_of_levelled_cases),
        cmocka_unit_test(sustained_rates_are_judged_by_the_ratio_to_the_best_peer),
        cmocka_unit_test(what_turns_owe_to_their_order_cancels),
        cmocka_unit_test(a_peer_that_tells_nothing_is_left),
        cmocka_unit_test(a_higher_floor_is_no_slowdown),
        cmocka_unit_test(floors_within_their_noise_or_unknown_are_left),
        cmocka_unit_test(floors_of_torch_are_left_where_they_were_none),
        cmocka_unit_test(figures_from_graphs_have_no_floor),
        cmocka_unit_test(outputs_say_what_was_done),
        cmocka_unit_test(the_peer_of_the_same_run_is_taken),
    };
    return cmocka_run_group_tests(tests, make_compare_times, NULL);
}
