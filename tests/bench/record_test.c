/* Lists of figures: what a record has room for, and nothing else. */
#include "test.h"
#include "record.h"
#include <string.h>

static void refuses(const char *list, const char *part)
{
    assay_error error = {0};
    assert_int_equal(figure_list_check(list, &error), ASSAY_ERR_INVALID);
    assert_non_null(strstr(error.message, part));
}

static void figures_are_known_and_named_once(void **state)
{
    (void)state;
    assert_int_equal(figure_list_check("cold", NULL), ASSAY_OK);
    assert_int_equal(figure_list_check("host,sustained,burst,hot,cold_read,cold", NULL), ASSAY_OK);
    refuses("", "unknown figure ''");
    refuses(",", "unknown figure ''");
    refuses("cold,warm", "unknown figure 'warm'");
    refuses("cold,,hot", "unknown figure ''");
    refuses("cold_reading_by_a_name_longer_than_any", "unknown figure");
    refuses("hot,hot,hot,hot,hot,hot,hot", "'hot' is named twice"); /* seven: one more than a record holds */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(figures_are_known_and_named_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
