/* What the comparison refuses, lists and decides, and its four outputs. */
#include "compare_tools.h"
#include "history/compare_repeat.h"
#include <math.h>

static compare_verdict verdict_of(const double *before, const double *after)
{
    assay_status status;
    const compare_case c = compare_two(plain(before), changed_to(after), NULL, &status, NULL);
    assert_int_equal(status, ASSAY_OK);
    return c.verdict;
}

static void verdicts(void **state)
{
    assert_int_equal(verdict_of(hundred, slower), COMPARE_SLOWER);
    assert_int_equal(verdict_of(slower, hundred), COMPARE_FASTER);
    assert_int_equal(verdict_of(hundred, hundred), COMPARE_SAME);
    assert_int_equal(verdict_of(hundred, noisy), COMPARE_INCONCLUSIVE);
    double little[10]; /* surely slower, surely by less than matters */
    fill_times(little, 10, 100.4, 0.0005);
    assert_int_equal(verdict_of(hundred, little), COMPARE_SAME);
}

static void too_few_repetitions_tell_nothing(void **state)
{
    made_result before = plain(hundred), after = changed_to(slower);
    before.count = after.count = 3;
    assay_status status;
    const compare_case c = compare_two(before, after, NULL, &status, NULL);
    assert_int_equal(c.verdict, COMPARE_INCONCLUSIVE);
    assert_non_null(strstr(c.reason, "too few repetitions"));
}

static void quantiles_of_an_export_will_do(void **state)
{
    made_result before = plain(hundred), after = changed_to(slower);
    before.exported = 1;
    assay_status status;
    const compare_case c = compare_two(before, after, NULL, &status, NULL);
    assert_int_equal(c.verdict, COMPARE_SLOWER);
    assert_float_equal(c.ratio.ratio, 1.04, 1e-3);
}

static void refusals(void **state)
{
    static const struct {
        made_result other;
        identity_part part;
        const char *word;
    } table[] = {
        {{.card = "Made-up 200", .slug = "made-up-200", .uuid = "GPU-2"}, IDENTITY_CARD_MODEL, "card"},
        {{.driver = "590.1"}, IDENTITY_DRIVER, "driver"},
        {{.math_mode = "tf32"}, IDENTITY_MATH_MODE, "math"},
        {{.distribution = "uniform"}, IDENTITY_INPUTS, "inputs"},
        {{.flush = "read"}, IDENTITY_METHOD, "method"},
        {{.locked_mhz = 1200}, IDENTITY_METHOD, "method"}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char option[64];
        made_result other = table[i].other;
        other.times = slower, other.count = 10, other.kernel = "changed";
        assay_status status;
        assay_error error = {0};
        const unsigned bit = IDENTITY_BIT(table[i].part);
        compare_case c = compare_two(plain(hundred), other, NULL, &status, &error);
        assert_int_equal(c.verdict, COMPARE_REFUSED);
        assert_int_equal(status, ASSAY_ERR_INVALID);
        snprintf(option, sizeof option, "--allow %s", table[i].word);
        assert_non_null(strstr(error.message, option));
        c = compare_two(plain(hundred), other, &(compare_options){.allow = bit}, &status, NULL);
        assert_int_equal(status, ASSAY_OK);
        assert_int_equal(c.verdict, COMPARE_SLOWER);
        assert_int_equal(c.same_card, i != 0);
        c = compare_two(plain(hundred), other, &(compare_options){.allow = ~bit}, &status, NULL);
        assert_int_equal(c.verdict, COMPARE_REFUSED);
    }
}

static void a_refusal_names_both_methods(void **state)
{
    made_result old = plain(hundred), other = plain(slower);
    other.flush = "read", other.locked_mhz = 1200;
    assay_status status;
    const compare_case c = compare_two(old, other, NULL, &status, NULL);
    assert_non_null(strstr(c.reason, "another method "));
    assert_non_null(strstr(c.reason, "flush by memset and "));
    assert_non_null(strstr(c.reason, "flush by read clock locked at 1200 MHz; allowed by --allow method"));
    other.mode = old.mode = TIMING_HOT; /* which no flush bears on */
    other.locked_mhz = 0, other.kernel = "changed";
    const compare_options hot = {.modes = timing_mode_bit(TIMING_HOT)};
    assert_int_equal(compare_two(old, other, &hot, &status, NULL).verdict, COMPARE_SLOWER);
}

/* Nothing allows it: this program does not know how such a time came about. One line says so of all. */
static void earlier_methods_are_not_compared(void **state)
{
    result_set sets[2] = {{.label = "old"}, {.label = "new"}};
    static const char *const names[] = {"v1_a", "v2_b", "v3_c"};
    for (int i = 0; i < 3; i++) {
        made_result old = plain(hundred), fresh = changed_to(slower);
        old.variant = fresh.variant = names[i];
        old.method_version = fresh.method_version = i < 2 ? RESULT_METHOD_VERSION + 1 : 0;
        add_made(&sets[0], old), add_made(&sets[1], fresh);
    }
    const compare_options allow = {.allow = ~0u};
    compare_report report = compare_made(sets, &allow);
    assert_int_equal(report.verdicts[COMPARE_REFUSED], 2);
    assert_int_equal(report.verdicts[COMPARE_SLOWER], 1);
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    compare_write(&report, COMPARE_TEXT, 0, 0, out);
    fclose(out);
    assert_non_null(strstr(text, "refused  add v1_a f32 large and 1 more: later method (version"));
    assert_null(strstr(text, "v2_b"));
    free(text);
    compare_report_release(&report);
}

static void what_is_not_ok_is_listed_and_not_compared(void **state)
{
    static const result_status statuses[] = {RESULT_UNSTABLE, RESULT_NOT_TIMED, RESULT_UNAVAILABLE};
    for (int i = 0; i < 3; i++) {
        made_result bad = plain(i == 0 ? slower : NULL);
        bad.status = statuses[i], bad.reason = "because of a test";
        assay_status status;
        compare_case c = compare_two(plain(hundred), bad, NULL, &status, NULL);
        assert_int_equal(c.verdict, COMPARE_NOT_OK);
        assert_non_null(strstr(c.reason, "new: "));
        assert_non_null(strstr(c.reason, "because of a test"));
        c = compare_two(bad, plain(hundred), NULL, &status, NULL);
        assert_int_equal(c.verdict, COMPARE_NOT_OK);
        assert_non_null(strstr(c.reason, "base: "));
    }
}

static void missing_and_new_cases(void **state)
{
    result_set base = {0}, changed = {0};
    compare_report report;
    made_result old = plain(hundred), fresh = plain(hundred);
    old.variant = "v2_gone", fresh.variant = "v3_new";
    add_made(&base, plain(hundred)), add_made(&base, old);
    add_made(&changed, plain(hundred)), add_made(&changed, fresh);
    assert_int_equal(compare_sets(&base, &changed, &(compare_options){0}, &report, NULL), ASSAY_OK);
    assert_int_equal(report.count, 3);
    assert_int_equal(report.verdicts[COMPARE_SAME], 1);
    assert_int_equal(report.verdicts[COMPARE_MISSING], 1);
    assert_int_equal(report.verdicts[COMPARE_NEW], 1);
    assert_int_equal(report.compared, 1);
    compare_report_release(&report);
    assay_error error = {0};
    assert_int_equal(compare_sets(&base, &changed, &(compare_options){.variants = "v2"}, &report, &error),
                     ASSAY_ERR_INVALID);
    assert_non_null(strstr(error.message, "no case in common"));
    compare_report_release(&report);
    result_set_release(&base);
    result_set_release(&changed);
}

/* Runs of two cards of one model: only those of the card that both sides used count. */
static void the_same_card_is_preferred(void **state)
{
    result_set sets[2] = {0};
    made_result other_card = plain(slower);
    other_card.uuid = "GPU-2";
    add_made(&sets[0], plain(hundred)), add_made(&sets[0], other_card), add_made(&sets[1], other_card);
    compare_report report = compare_made(sets, &(compare_options){0});
    assert_int_equal(report.cases[0].verdict, COMPARE_SAME);
    assert_int_equal(report.cases[0].base_runs, 1);
    assert_true(report.cases[0].same_card);
    compare_report_release(&report);
}

/* What cannot be told of a kernel that changed is shown; of one that did not, nothing could have been found. */
static void doubts_are_listed_of_what_changed(void **state)
{
    for (int unchanged = 0; unchanged < 2; unchanged++) {
        result_set sets[2] = {{.label = "old"}, {.label = "new"}};
        double wild[10];
        fill_times(wild, 10, 108.0, 0.15);
        add_made(&sets[0], plain(hundred)), add_made(&sets[1], unchanged ? plain(wild) : changed_to(wild));
        compare_report report = compare_made(sets, &(compare_options){0});
        assert_int_equal(report.verdicts[COMPARE_INCONCLUSIVE], 1);
        char *text = NULL;
        size_t bytes = 0;
        FILE *out = open_memstream(&text, &bytes);
        compare_write(&report, COMPARE_TEXT, 0, 0, out);
        fclose(out);
        assert_int_equal(strstr(text, "same?") != NULL, !unchanged);
        free(text);
        compare_report_release(&report);
    }
}

/* Of a hundred cases NEW has one, which changed: what changed, and one line of counts. */
static void a_partial_set_is_a_line_of_counts(void **state)
{
    result_set sets[2] = {{.label = "old"}, {.label = "new"}};
    for (int i = 0; i < 100; i++) {
        char name[16];
        snprintf(name, sizeof name, "v%d_x", i);
        made_result r = plain(hundred);
        r.variant = name;
        add_made(&sets[0], r);
    }
    made_result only = changed_to(slower);
    only.variant = "v7_x";
    add_made(&sets[1], only);
    compare_report report = compare_made(sets, &(compare_options){0});
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    compare_write(&report, COMPARE_TEXT, 0, 0, out);
    fclose(out);
    assert_string_equal(text,
                        "base: old\nnew:  new\n\n"
                        "slower   add v7_x f32 large     100 -> 104 us     +4.0% (95%: +3.2 to +4.8)\n\n"
                        "1 slower, 0 faster, 0 same, 0 inconclusive; 99 missing\n"
                        "--all lists every case, --explain adds the evidence.\n");
    free(text);
    compare_report_release(&report);
}

static void nothing_that_can_be_judged_is_no_success(void **state)
{
    made_result bad = plain(NULL);
    bad.status = RESULT_NOT_TIMED, bad.reason = "wrong output";
    assay_status status;
    assay_error error = {0};
    const compare_case c = compare_two(plain(hundred), bad, NULL, &status, &error);
    assert_int_equal(c.verdict, COMPARE_NOT_OK);
    assert_int_equal(status, ASSAY_ERR_INVALID);
    assert_non_null(strstr(error.message, "nothing could be judged: 1 of 1 cases are not ok"));
    assert_non_null(strstr(error.message, "wrong output"));
}

/* Where the repeat itself fails, nothing was confirmed. */
static void a_repeat_that_is_not_ok_confirms_nothing(void **state)
{
    result_set base = {0}, changed = {0}, repeats = {0};
    compare_report report;
    made_result failed = changed_to(slower);
    failed.status = RESULT_UNSTABLE, failed.reason = "too hot", failed.time = "2026-01-31T13:00:00Z";
    add_made(&base, plain(hundred)), add_made(&changed, changed_to(slower)), add_made(&repeats, failed);
    assert_int_equal(compare_sets(&base, &changed, &(compare_options){0}, &report, NULL), ASSAY_OK);
    assert_int_equal(compare_confirm(&base, &changed, &repeats, &(compare_options){0}, &report, NULL),
                     ASSAY_OK);
    assert_int_equal(report.cases[0].verdict, COMPARE_INCONCLUSIVE);
    assert_int_equal(report.verdicts[COMPARE_SLOWER], 0);
    assert_non_null(strstr(report.cases[0].reason, "could not be repeated: new: unstable: too hot"));
    compare_report_release(&report);
    result_set_release(&base);
    result_set_release(&changed);
    result_set_release(&repeats);
}

static void a_repeat_can_withdraw_and_confirm(void **state)
{
    for (int again = 0; again < 2; again++) {
        result_set base = {0}, changed = {0}, repeats = {0};
        compare_report report;
        made_result repeated = changed_to(again ? slower : hundred);
        repeated.time = "2026-01-31T13:00:00Z";
        add_made(&base, plain(hundred)), add_made(&changed, changed_to(slower)), add_made(&repeats, repeated);
        assert_int_equal(compare_sets(&base, &changed, &(compare_options){0}, &report, NULL), ASSAY_OK);
        assert_true(compare_is_suspicious(&report.cases[0]));
        assert_int_equal(compare_confirm(&base, &changed, &repeats, &(compare_options){0}, &report, NULL),
                         ASSAY_OK);
        assert_int_equal(report.cases[0].repeated, 1);
        assert_int_equal(report.cases[0].new_runs, 2);
        assert_int_equal(report.cases[0].verdict, again ? COMPARE_SLOWER : COMPARE_INCONCLUSIVE);
        assert_int_equal(report.verdicts[COMPARE_SLOWER], again);
        compare_report_release(&report);
        result_set_release(&base);
        result_set_release(&changed);
        result_set_release(&repeats);
    }
}

static int count_of(const char *text, const char *what)
{
    int count = 0;
    for (; (text = strstr(text, what)) != NULL; text++)
        count++;
    return count;
}

static void outputs(void **state)
{
    result_set base = {.label = "old <&\"> dir"}, changed = {.label = "new"};
    compare_report report;
    made_result other = plain(hundred), bad = plain(NULL), gone = plain(hundred);
    other.variant = "v2_same", gone.variant = "v3_gone", bad.variant = "v4_bad";
    bad.status = RESULT_NOT_TIMED, bad.reason = "verdict <fail> & \"crash\" | x";
    add_made(&base, plain(hundred)), add_made(&base, other), add_made(&base, gone), add_made(&base, bad);
    add_made(&changed, changed_to(slower)), add_made(&changed, other), add_made(&changed, bad);
    assert_int_equal(compare_sets(&base, &changed, &(compare_options){0}, &report, NULL), ASSAY_OK);
    char *text = written(&report, COMPARE_TEXT), *markdown = written(&report, COMPARE_MARKDOWN);
    char *json = written(&report, COMPARE_JSON), *junit = written(&report, COMPARE_JUNIT);
    assert_non_null(strstr(text, "1 slower, 0 faster, 1 same, 0 inconclusive, 1 not ok; 1 missing"));
    assert_non_null(strstr(text, "slower   add v1_baseline f32 large     100 -> 104 us     +4.0% (95%: +3"));
    assert_non_null(strstr(markdown, "### Confirmed slowdowns"));
    assert_non_null(strstr(markdown, "\\| x"));
    assert_int_equal(count_of(markdown, "\n| slower |"), 1);
    json_error_t broken;
    json_t *root = json_loads(json, 0, &broken);
    assert_non_null(root);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(root, "verdicts"), "slower")), 1);
    assert_int_equal(json_array_size(json_object_get(root, "cases")), 4);
    json_decref(root);
    assert_non_null(strstr(junit, "tests=\"4\" failures=\"1\" errors=\"0\" skipped=\"2\""));
    assert_int_equal(count_of(junit, "<failure "), 1);
    assert_int_equal(count_of(junit, "<skipped "), 2);
    assert_int_equal(count_of(junit, "</testcase>"), 4);
    assert_non_null(strstr(junit, "verdict &lt;fail&gt; &amp; &quot;crash&quot;"));
    free(text), free(markdown), free(json), free(junit);
    compare_report_release(&report);
    result_set_release(&base);
    result_set_release(&changed);
}

static void folders_are_read(void **state)
{
    char folder[256], path[300];
    make_folder(folder);
    result_set set = {0}, none = {0};
    made_result r = plain(hundred), negative = plain(hundred), endless = plain(hundred);
    double times[10], long_times[10];
    fill_times(times, 10, 100.0, 0.004);
    times[3] = -5.0; /* of the samples only: the mean is above zero */
    negative.times = times, negative.variant = "v2_negative";
    for (int i = 0; i < 10; i++)
        long_times[i] = 1e14;
    endless.times = long_times, endless.variant = "v3_endless";
    write_result(folder, &r);
    write_result(folder, &negative);
    write_result(folder, &endless);
    snprintf(path, sizeof path, "%s/bench/add.broken.f32.large.json", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("{", file);
    fclose(file);
    assert_int_equal(result_set_load_path(folder, &set, NULL, NULL), ASSAY_OK);
    assert_int_equal(set.count, 1);
    assert_int_equal(set.unreadable, 3);
    assay_error error = {0};
    assert_int_equal(result_set_load_path("/nonexistent", &none, NULL, &error), ASSAY_ERR_INVALID);
    result_set_release(&set);
    result_set_release(&none);
    remove_folder(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts),
        cmocka_unit_test(too_few_repetitions_tell_nothing),
        cmocka_unit_test(quantiles_of_an_export_will_do),
        cmocka_unit_test(refusals),
        cmocka_unit_test(a_refusal_names_both_methods),
        cmocka_unit_test(earlier_methods_are_not_compared),
        cmocka_unit_test(doubts_are_listed_of_what_changed),
        cmocka_unit_test(a_partial_set_is_a_line_of_counts),
        cmocka_unit_test(what_is_not_ok_is_listed_and_not_compared),
        cmocka_unit_test(missing_and_new_cases),
        cmocka_unit_test(the_same_card_is_preferred),
        cmocka_unit_test(a_repeat_can_withdraw_and_confirm),
        cmocka_unit_test(nothing_that_can_be_judged_is_no_success),
        cmocka_unit_test(a_repeat_that_is_not_ok_confirms_nothing),
        cmocka_unit_test(outputs),
        cmocka_unit_test(folders_are_read),
    };
    return cmocka_run_group_tests(tests, make_compare_times, NULL);
}
