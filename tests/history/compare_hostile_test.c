/* Comparing what no measurement gave: texts that break formats. */
#include "compare_tools.h"

/* Fields are cut to their length, paths may be any bytes, and XML lacks some characters that JSON has. */
static void hostile_texts_break_no_output(void **state)
{
    result_set base = {.label = "bad\xff`\n|"}, changed = {.label = "new"};
    compare_report report;
    made_result odd = {0};
    odd.status = RESULT_NOT_TIMED;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hostile_texts_break_no_output),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
