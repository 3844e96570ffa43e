/* Reading JSON without the values that nobody wants. */
#include "tests/unit.h"
#include "core/json_file.h"

static char folder[256], path[300];

static int set_up(void **state)
{
    make_folder(folder);
    snprintf(path, sizeof path, "%s/a.json", folder);
    return 0;
}

static int tear_down(void **state)
{
    remove_folder(folder);
    return 0;
}

static const char *const skip[] = {"samples", "more", NULL};

/* What is left of a text, compact, or "" if it is refused. */
static void expect(const char *text, const char *expected)
{
    json_t *value = NULL;
    write_text(folder, "a.json", text);
    const assay_status status = json_file_read_without(path, skip, &value, NULL);
    char *left = status == ASSAY_OK ? json_dumps(value, JSON_COMPACT) : NULL;
    assert_string_equal(left ? left : "", expected);
    assert_int_equal(status, expected[0] ? ASSAY_OK : ASSAY_ERR_FORMAT);
    free(left);
    json_decref(value);
}

static void values_are_left_out_at_any_depth(void **state)
{
    expect("{\"a\": 1, \"samples\": [1.5, 2, [3, {\"x\": \"]\"}]], \"b\": 2}",
           "{\"a\":1,\"samples\":null,\"b\":2}");
    expect("{\"a\": [{\"samples\" : {\"deep\": [\"\\\"}\", 1]}}, {\"more\":[]}]}",
           "{\"a\":[{\"samples\":null},{\"more\":[]}]}");
    expect("{\"samples\": \"a text with \\\\\", \"more\": 12345, \"z\": true}",
           "{\"samples\":null,\"more\":null,\"z\":true}");
}

static void strings_that_are_no_keys_stay(void **state)
{
    expect("{\"a\": \"samples\", \"b\": [\"samples\", 1]}", "{\"a\":\"samples\",\"b\":[\"samples\",1]}");
    expect("{\"a\": \"\\\"samples\\\": [1, 2]\"}", "{\"a\":\"\\\"samples\\\": [1, 2]\"}");
    expect("{\"samplesx\": [1], \"xsamples\": [2]}", "{\"samplesx\":[1],\"xsamples\":[2]}");
}

static void broken_text_is_still_refused(void **state)
{
    expect("{\"samples\": [1, 2", "");
    expect("{\"samples\": \"no end", "");
    expect("{\"samples\": [1]", "");
    expect("{\"samples\": [1] \"a\": 2}", "");
    expect("{\"samples\":", "");
    expect("\"", "");
    expect("[1]", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(values_are_left_out_at_any_depth, set_up, tear_down),
        cmocka_unit_test_setup_teardown(strings_that_are_no_keys_stay, set_up, tear_down),
        cmocka_unit_test_setup_teardown(broken_text_is_still_refused, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
