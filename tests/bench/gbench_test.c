/* The Google Benchmark shim: its JSON is strict, its numbers are those put in, in any locale. */
#include "test.h"
#include "bench/timing/gbench_shim.h"
#include <jansson.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const gbench_repetition repetitions[] = {{1000.0, 400}, {1200.0, 400}, {1100.0, 500}};

static json_t *report(const gbench_case *cases, int count)
{
    static const gbench_context_entry context[] = {{"assay_device", "invented"}};
    char *text = NULL;
    assay_error error = {0};
    json_error_t where;
    assert_int_equal(gbench_report(cases, count, context, 1, &text, &error), ASSAY_OK);
    json_t *json = count > 0 ? json_loads(text, JSON_REJECT_DUPLICATES, &where) : json_object();
    if (!json)
        fail_msg("line %d: %s\n%s", where.line, where.text, text);
    free(text);
    return json;
}

static double real_time(const json_t *benchmarks, const char *aggregate, int repetition)
{
    size_t i;
    json_t *b;
    json_array_foreach(benchmarks, i, b)
    {
        const char *name = json_string_value(json_object_get(b, "aggregate_name"));
        const json_t *index = json_object_get(b, "repetition_index");
        if (aggregate ? name && strcmp(name, aggregate) == 0
                      : index && json_integer_value(index) == repetition)
            return json_number_value(json_object_get(b, "real_time"));
    }
    return -1.0;
}

static void reports_what_was_measured(void **state)
{
    (void)state;
    const gbench_counter counters[] = {{"bytes_per_second", 1e6, 1}, {"percent_of_roof", 50.0, 0}};
    const gbench_case one = {"op/variant/f32/small/cold", repetitions, 3, counters, 2};
    json_t *json = report(&one, 1);
    const json_t *benchmarks = json_object_get(json, "benchmarks");
    const json_t *first = json_array_get(benchmarks, 0);
    assert_near(real_time(benchmarks, NULL, 0), 2.5, 1e-9);
    assert_near(real_time(benchmarks, NULL, 1), 3.0, 1e-9);
    assert_near(real_time(benchmarks, NULL, 2), 2.2, 1e-9);
    assert_near(real_time(benchmarks, "mean", 0), (2.5 + 3.0 + 2.2) / 3, 1e-9);
    assert_near(real_time(benchmarks, "median", 0), 2.5, 1e-9);
    assert_near(real_time(benchmarks, "min", 0), 2.2, 1e-9);
    assert_string_equal(json_string_value(json_object_get(first, "time_unit")), "us");
    assert_near(json_number_value(json_object_get(first, "bytes_per_second")), 1e6 / 2.5e-6, 1.0);
    assert_near(json_number_value(json_object_get(first, "percent_of_roof")), 50.0, 1e-9);
    assert_string_equal(json_string_value(json_object_get(json_object_get(json, "context"), "assay_device")),
                        "invented");
    json_decref(json);
}

static void leaves_nonfinite_counters_out(void **state)
{
    (void)state;
    const gbench_counter counters[] = {{"none", NAN, 0}, {"endless", INFINITY, 1}, {"zero", 0.0, 0}};
    const gbench_case one = {"op/variant/f32/small/cold", repetitions, 3, counters, 3};
    json_t *json = report(&one, 1); /* strict, or it would not parse */
    assert_null(json_object_get(json_array_get(json_object_get(json, "benchmarks"), 0), "none"));
    json_decref(json);
}

static void survives_extremes(void **state)
{
    (void)state;
    const gbench_repetition zero[] = {{0.0, 1}, {0.0, 1}}, single[] = {{5.0, 1}};
    const gbench_case cases[] = {{"all/zero", zero, 2, NULL, 0}, {"just/one", single, 1, NULL, 0}};
    json_t *json =
        report(cases, 2); /* the deviation over a mean of zero is NaN in Google Benchmark's own text */
    json_decref(json);
    json_decref(report(NULL, 0));
}

static void ignores_the_locale(void **state)
{
    (void)state;
    const gbench_case one = {"op/variant/f32/small/cold", repetitions, 3, NULL, 0};
    const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "C.UTF-8"};
    for (int i = 0; i < 3; i++)
        if (setlocale(LC_ALL, names[i]))
            break;
    json_t *json = report(&one, 1);
    assert_near(real_time(json_object_get(json, "benchmarks"), NULL, 0), 2.5, 1e-9);
    json_decref(json);
    setlocale(LC_ALL, "C");
}

static void makes_text_strict(void **state)
{
    (void)state;
    char text[] =
        "{\"a\": NaN, \"b\": -Infinity, \"c\": \"NaN \\\" nan\", \"d\": inf, \"e\":[ -nan, Infinity]}";
    gbench_make_strict(text);
    json_t *json = json_loads(text, 0, NULL);
    assert_non_null(json);
    assert_true(json_is_null(json_object_get(json, "a")) && json_is_null(json_object_get(json, "b")));
    assert_true(json_is_null(json_object_get(json, "d")) &&
                json_is_null(json_array_get(json_object_get(json, "e"), 1)));
    assert_string_equal(json_string_value(json_object_get(json, "c")), "NaN \" nan");
    json_decref(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_what_was_measured), cmocka_unit_test(leaves_nonfinite_counters_out),
        cmocka_unit_test(survives_extremes),         cmocka_unit_test(ignores_the_locale),
        cmocka_unit_test(makes_text_strict),
    };
    char *argv[] = {"gbench_test", NULL};
    gbench_start(1, argv, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
