/* The table of timing modes is whole, and lists of modes are split once and right. */
#include "tests/unit.h"
#include "results/timing_mode.h"

static void test_table_is_complete(void **state)
{
    for (int m = 0; m < TIMING_MODES; m++) {
        const timing_mode_info *info = timing_mode_get((timing_mode)m);
        timing_mode parsed;
        assert_non_null(info->name);
        assert_true(strlen(info->name) > 0 && strlen(info->name) < 16);
        assert_true(strlen(info->title) > 0);
        assert_true(strlen(info->answers) > 20);
        assert_true(info->version >= 1);
        assert_true(timing_mode_parse(info->name, &parsed));
        assert_int_equal(parsed, m);
        for (int other = 0; other < m; other++)
            assert_string_not_equal(info->name, timing_mode_name((timing_mode)other));
    }
    assert_string_equal(timing_mode_name(TIMING_COLD), "cold");
    assert_int_equal(timing_mode_get(TIMING_COLD_READ)->flush, TIMING_FLUSH_READ);
    assert_int_equal(timing_mode_get(TIMING_HOT)->launch, TIMING_GRAPH);
}

static void test_lists(void **state)
{
    timing_modes modes = 0;
    char text[160];
    assert_int_equal(timing_modes_parse("sustained,cold", &modes, NULL), ASSAY_OK);
    assert_int_equal(modes, timing_mode_bit(TIMING_COLD) | timing_mode_bit(TIMING_SUSTAINED));
    timing_modes_text(modes, text, sizeof text);
    assert_string_equal(text, "cold,sustained");
    timing_modes_text(~0u, text, sizeof text);
    assert_string_equal(text, "cold,hot,burst,sustained,cold_read,host");
    assert_int_equal(timing_modes_parse(text, &modes, NULL), ASSAY_OK);
    char cut[8];
    timing_modes_text(~0u, cut, sizeof cut);
    assert_int_equal(strlen(cut), 7);
}

static void refuse(const char *list, const char *says)
{
    assay_error error = {0};
    timing_modes modes = 7;
    assert_int_equal(timing_modes_parse(list, &modes, &error), ASSAY_ERR_INVALID);
    assert_non_null(strstr(error.message, says));
    assert_int_equal(modes, 7);
}

static void test_wrong_lists(void **state)
{
    refuse("colds", "unknown timing mode 'colds'");
    refuse("col", "there are: cold,hot,burst,sustained,cold_read,host");
    refuse("cold,,hot", "unknown timing mode ''");
    refuse("", "unknown timing mode ''");
    refuse("hot,cold,hot", "'hot' is named twice");
    timing_mode mode = TIMING_HOST;
    assert_false(timing_mode_parse("cold_", &mode));
    assert_int_equal(mode, TIMING_HOST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_table_is_complete), cmocka_unit_test(test_lists),
                                       cmocka_unit_test(test_wrong_lists)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
