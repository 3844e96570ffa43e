/* Comparing what no measurement gave: names that break formats, numbers that are no times. */
#include "compare_tools.h"

/* Fields are cut to their length, paths may be any bytes, and XML lacks some characters that JSON has. */
static void hostile_texts_break_no_output(void **state)
{
    (void)state;
    char name[161];
    for (int i = 0; i < 80; i++)
        memcpy(name + 2 * i, "\xc3\xa9", 3); /* e with an accent; its place of cutting lies within one */
    result_set base = {.label = "bad\xff`\n|"}, changed = {.label = "new"};
    compare_report report;
    made_result odd = {0};
    odd.op = "x\xc3\xa9", odd.variant = name, odd.status = "not timed";
    odd.reason = "\x1b[2J </script>\n\xef\xbf\xbe [a](http://b) @all";
    add_made(&base, odd), add_made(&changed, odd);
    assert_int_equal(compare_sets(&base, &changed, &(compare_options){0}, &report, NULL), ASSAY_ERR_INVALID);
    for (int f = COMPARE_TEXT; f <= COMPARE_JUNIT; f++) {
        char *text = written(&report, (compare_format)f);
        json_t *valid = json_string(text); /* takes nothing but UTF-8 */
        assert_non_null(valid);
        json_decref(valid);
        assert_null(strchr(text, '\x1b'));
        if (f == COMPARE_JSON) {
            json_t *root = json_loads(text, 0, NULL);
            assert_string_equal(json_string_value(json_object_get(root, "base")), "bad?` |");
            json_decref(root);
        }
        if (f == COMPARE_MARKDOWN) {
            assert_non_null(strstr(text, "Base: `bad?' |`"));
            assert_non_null(strstr(text, "\\[a](http"));
            assert_null(strstr(text, "@all"));
        }
        if (f == COMPARE_JUNIT) {
            assert_null(strstr(text, "\xef\xbf\xbe"));
            assert_non_null(strstr(text, "&lt;/script&gt; ? ["));
        }
        free(text);
    }
    compare_report_release(&report);
    result_set_release(&base);
    result_set_release(&changed);
}

static void numbers_that_are_no_times_are_left_out(void **state)
{
    (void)state;
    double times[10], endless[10];
    fill_times(times, 10, 100.0, 0.004);
    for (int i = 0; i < 10; i++)
        endless[i] = 1e14;
    result_set base = {0}, changed = {0};
    compare_report report;
    add_made(&base, (made_result){.times = times, .count = 10});
    add_made(&changed, (made_result){.times = endless, .count = 10});
    assert_int_equal(compare_sets(&base, &changed, &(compare_options){0}, &report, NULL), ASSAY_ERR_INVALID);
    assert_int_equal(report.cases[0].verdict, COMPARE_NOT_OK);
    assert_string_equal(report.cases[0].reason, "new: no times of figure: cold");
    compare_report_release(&report);
    result_set_release(&base);
    result_set_release(&changed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hostile_texts_break_no_output),
        cmocka_unit_test(numbers_that_are_no_times_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
