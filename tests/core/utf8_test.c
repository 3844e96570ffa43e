/* Texts of unknown origin: what is no UTF-8, and what would leave its line. */
#include "tests/unit.h"
#include "core/utf8.h"
#include <assay/status.h>
#include <jansson.h>

static void repairs(const char *from, const char *expected)
{
    char text[64];
    snprintf(text, sizeof text, "%s", from);
    utf8_repair(text);
    assert_string_equal(text, expected);
    json_t *accepted = json_string(text);
    assert_non_null(accepted);
    json_decref(accepted);
}

static void replaces_what_begins_no_character(void **state)
{
    repairs("plain\ntext", "plain\ntext");
    repairs("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
    repairs("cut \xc3", "cut ?");
    repairs("cut \xe2\x82", "cut ??");
    repairs("\xff and \xc0\xaf", "? and ??");             /* never, and overlong */
    repairs("\xed\xa0\x80 \xf4\x90\x80\x80", "??? ????"); /* a surrogate, and beyond U+10FFFF */
    repairs("\xc3\xc3\xa9", "?\xc3\xa9");
}

static void keeps_to_one_line(void **state)
{
    char text[] = "a\nb\rc\td\x1b[31m\x7f \xc2\x9b \xc2\xa0 \xc3";
    utf8_make_line(text);
    assert_string_equal(text, "a b c d [31m     \xc2\xa0 ?");
}

static void prints_no_control_characters(void **state)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    clean_printf(out, "%s|", "a\x1b]0;title\x07");
    clean_printf(out, "%s %d\n", "two\nlines\n", 3);
    clean_printf(out, "%s", "");
    fclose(out);
    assert_string_equal(text, "a ]0;title |two lines  3\n");
    free(text);
}

/* An error names files and what stands in them. */
static void messages_have_none_either(void **state)
{
    assay_error error = {0};
    assay_error_set(&error, ASSAY_ERR_FORMAT, "%s: no op", "evil\x1b[2J\xff\n.json");
    assert_string_equal(error.message, "evil [2J? .json: no op");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replaces_what_begins_no_character),
        cmocka_unit_test(keeps_to_one_line),
        cmocka_unit_test(prints_no_control_characters),
        cmocka_unit_test(messages_have_none_either),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
