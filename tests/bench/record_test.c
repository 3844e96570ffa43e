/* Lists of figures: what a record has room for, and nothing else; and what a result says of its method. */
#include "test.h"
#include "bench/run/group.h"
#include "core/json_file.h"
#include "bench/run/record.h"
#include "bench/run/result.h"
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

/* The method of a device's kind, as its results say it: what has no meaning there is no key, or older results would not be fresh. */
static void a_card_launches_one_at_a_time(void **state)
{
    (void)state;
    static const char *const families[] = {"elementwise", "matrix"};
    for (int i = 0; i < 4; i++) {
        bench_method method;
        bench_method_default(&method, "cuda", families[i % 2], i / 2);
        assert_int_equal(method.cold_batch, 1);
        json_t *written = result_method_json(&method);
        assert_int_equal(json_integer_value(json_object_get(written, "cold_batch")), 1);
        assert_int_equal(json_integer_value(json_object_get(written, "cold_rotation")), 1);
        assert_near(json_get_number(written, "cold_rest_us", 0), 100.0, 0.0);
        json_decref(written);
        bench_method_default(&method, "cpu", families[i % 2], i / 2);
        assert_int_equal(method.cold_batch, 0);
        written = result_method_json(&method);
        assert_non_null(json_object_get(written, "repetitions"));
        assert_null(json_object_get(written, "cold_batch"));
        assert_null(json_object_get(written, "cold_rotation"));
        assert_null(json_object_get(written, "cold_rest_us"));
        json_decref(written);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(figures_are_known_and_named_once),
                                       cmocka_unit_test(a_card_launches_one_at_a_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
