/* Choosing an architecture, holding metrics against budgets, proposing budgets. */
#include "tests/unit.h"
#include "resources/resources.h"
#include <math.h>

static json_t *parse(const char *text)
{
    json_error_t error;
    json_t *value = json_loads(text, 0, &error);
    if (value == NULL)
        fail_msg("%s: %s", error.text, text);
    return value;
}

/* One kernel that spills and one function, on one architecture. */
static json_t *example(void)
{
    return parse(
        "{\"architectures\": {\"sm_90a\": {"
        "\"summary\": {\"kernels\": 1, \"registers\": 168, \"spill_bytes\": 60, \"stack_bytes\": 16,"
        " \"shared_bytes\": 1024, \"code_bytes\": null, \"warnings\": 0},"
        "\"kernels\": ["
        "{\"name\": \"k<1>\", \"entry\": true, \"registers\": 168, \"spill_store_bytes\": 24,"
        " \"spill_load_bytes\": 36, \"stack_bytes\": 16, \"static_shared_bytes\": 1024, \"code_bytes\": null,"
        " \"warnings\": []},"
        "{\"name\": \"f\", \"entry\": false, \"registers\": null, \"spill_store_bytes\": 0,"
        " \"spill_load_bytes\": 0, \"stack_bytes\": 8, \"static_shared_bytes\": null, \"code_bytes\": null,"
        " \"warnings\": []}]}}}");
}

typedef struct seen {
    int count;
    char limits[16][32];
    double values[16];
} seen;

static void note(void *context, const resources_excess *excess)
{
    seen *s = context;
    assert_string_equal(excess->arch, "sm_90a");
    snprintf(s->limits[s->count], sizeof s->limits[0], "%s", excess->limit);
    s->values[s->count++] = excess->value;
}

static int check(const char *budget_text, const char *dtype, seen *s, int *checked)
{
    json_t *resources = example(), *budget = parse(budget_text);
    *s = (seen){0};
    const int count = resources_check(resources, budget, dtype, note, s, checked);
    assert_int_equal(count, s->count);
    json_decref(resources);
    json_decref(budget);
    return count;
}

static void a_budget_that_is_met_passes(void **state)
{
    seen s;
    int checked;
    assert_int_equal(check("{\"sm_90a\": {\"registers\": 168, \"spill_bytes\": 60, \"stack_bytes\": 16,"
                           " \"shared_bytes\": 1024, \"warnings\": 0}}",
                           "f32", &s, &checked),
                     0);
    assert_int_equal(checked, 9); /* five of the kernel, and of the function all but its registers */
}

static void a_spill_is_over_a_budget_of_none(void **state)
{
    seen s;
    int checked;
    assert_int_equal(check("{\"sm_90a\": {\"spill_bytes\": 0}}", "f32", &s, &checked), 1);
    assert_string_equal(s.limits[0], "spill_bytes");
    assert_true(s.values[0] == 60);
    assert_int_equal(check("{\"sm_90a\": {\"spill_bytes\": 59}}", "f32", &s, &checked), 1);
    assert_int_equal(check("{\"sm_90a\": {\"registers\": 167, \"stack_bytes\": 7}}", "f32", &s, &checked), 3);
}

static void a_dtype_may_have_limits_of_its_own(void **state)
{
    static const char budget[] = "{\"sm_90a\": {\"spill_bytes\": 0, \"f32\": {\"spill_bytes\": 60}}}";
    seen s;
    int checked;
    assert_int_equal(check(budget, "f32", &s, &checked), 0);
    assert_int_equal(check(budget, "bf16", &s, &checked), 1);
}

static void an_unknown_figure_is_no_pass(void **state)
{
    seen s;
    int checked;
    assert_int_equal(check("{\"sm_90a\": {\"code_bytes\": 1000000}}", "f32", &s, &checked), 1);
    assert_true(isnan(s.values[0]));
}

static void other_architectures_are_not_looked_at(void **state)
{
    seen s;
    int checked;
    assert_int_equal(check("{\"sm_80\": {\"spill_bytes\": 0}}", "f32", &s, &checked), 0);
    assert_int_equal(checked, 0);
}

static void a_card_runs_the_most_specific_code(void **state)
{
    json_t *resources = parse("{\"architectures\": {\"sm_80\": {}, \"sm_86\": {}, \"sm_90\": {}, \"sm_90a\": "
                              "{}, \"sm_100a\": {}}}");
    static const char *const pairs[][2] = {{"8.0", "sm_80"},  {"8.6", "sm_86"},    {"8.9", "sm_86"},
                                           {"9.0", "sm_90a"}, {"10.0", "sm_100a"}, {"10.3", NULL},
                                           {"7.5", NULL},     {"", NULL}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const char *arch = resources_arch_for(resources, pairs[i][0]);
        if (pairs[i][1] == NULL)
            assert_null(arch);
        else
            assert_string_equal(arch, pairs[i][1]);
    }
    assert_null(resources_arch_for(NULL, "9.0"));
    json_decref(resources);
}

static void a_result_gets_the_summary_of_its_card(void **state)
{
    json_t *resources = example();
    json_t *card = resources_for_card(resources, "9.0");
    assert_string_equal(json_string_value(json_object_get(card, "arch")), "sm_90a");
    assert_int_equal(json_integer_value(json_object_get(card, "spill_bytes")), 60);
    json_decref(card);
    card = resources_for_card(resources, "8.0");
    assert_true(json_is_null(card));
    json_decref(card);
    json_decref(resources);
}

static void a_proposed_budget_is_just_met(void **state)
{
    json_t *resources = example(), *calm = example();
    json_t *summary = json_object_get(resources_of_arch(calm, "sm_90a"), "summary");
    json_object_set_new(summary, "spill_bytes", json_integer(0));
    json_object_set_new(summary, "registers", json_integer(33));
    json_t *by_dtype = json_pack("{s:O, s:O}", "f32", resources, "bf16", calm);
    json_t *budget = resources_propose_budget(by_dtype);
    seen s = {0};
    int checked;
    assert_int_equal(resources_check(resources, budget, "f32", note, &s, &checked), 0);
    assert_true(checked > 0);
    const json_t *limits = json_object_get(budget, "sm_90a");
    assert_int_equal(json_integer_value(json_object_get(limits, "registers")),
                     192); /* 168 and an eighth, in units of 8 */
    assert_int_equal(json_integer_value(json_object_get(limits, "spill_bytes")), 0);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(limits, "f32"), "spill_bytes")), 60);
    assert_null(json_object_get(limits, "bf16"));
    json_decref(budget);
    json_decref(by_dtype);
    json_decref(resources);
    json_decref(calm);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_budget_that_is_met_passes),
        cmocka_unit_test(a_spill_is_over_a_budget_of_none),
        cmocka_unit_test(a_dtype_may_have_limits_of_its_own),
        cmocka_unit_test(an_unknown_figure_is_no_pass),
        cmocka_unit_test(other_architectures_are_not_looked_at),
        cmocka_unit_test(a_card_runs_the_most_specific_code),
        cmocka_unit_test(a_result_gets_the_summary_of_its_card),
        cmocka_unit_test(a_proposed_budget_is_just_met),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
