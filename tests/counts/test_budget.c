/* Figures, budgets and results of made-up counts: see counts/budget.h. */
#include "tests/unit.h"
#include "counts/budget.h"
#include "core/json_file.h"
#include <math.h>
// clang-format off
// clang-format on

/* Two lines of one kernel: 4 warps, 1000 elements, 48 sectors in 4 requests, 6 of them more than the bytes need at line 7. */
static ptx_line lines[] = {{.file = "k.cu",
                            .line = 3,
                            .instructions = 100,
                            .global_requests = 2,
                            .global_sectors = 20,
                            .global_ideal = 20,
                            .barriers = 8},
                           {.file = "k.cu",
                            .line = 7,
                            .instructions = 25,
                            .global_requests = 2,
                            .global_sectors = 28,
                            .global_ideal = 22,
                            .shared_wavefronts = 9,
                            .shared_ideal = 4,
                            .divergent = 3}};
static counts_kernel kernel = {.of = {.line_count = 2, .lines = lines}, .lines = lines};

static case_counts make_counts(void)
{
    return (case_counts){.kernels = &kernel,
                         .count = 1,
                         .warps = 4,
                         .elements = 1000,
                         .total = {.instructions = 125,
                                   .global_requests = 4,
                                   .global_sectors = 48,
                                   .global_ideal = 42,
                                   .shared_wavefronts = 9,
                                   .shared_ideal = 4,
                                   .barriers = 8,
                                   .divergent = 3}};
}

/* Two launches of 4 warps each with 10 instructions a warp, and one of a single warp with 500: those of a warp are not the mean of 9. */
static void launches_follow_each_other(void **state)
{
    counts_kernel kernels[] = {
        {.of = {.launches = 2, .warps = 8}, .total = {.instructions = 80, .global_requests = 16}},
        {.of = {.launches = 1, .warps = 1}, .total = {.instructions = 500, .barriers = 3}}};
    const case_counts counts = {.kernels = kernels, .count = 2};
    const counts_warp w = counts_warp_of(&counts);
    assert_float_equal(w.instructions, 2 * 10 + 500, 1e-9);
    assert_float_equal(w.requests, 2 * 2, 1e-9);
    assert_float_equal(w.barriers, 3, 1e-9);
}

typedef struct seen {
    int count;
    counts_excess last;
} seen;

static void note(void *context, const counts_excess *excess)
{
    seen *s = context;
    s->count++;
    s->last = *excess;
}

static int check(const char *budget, const char *dtype, seen *s, int *checked)
{
    const case_counts counts = make_counts();
    json_t *limits = json_loads(budget, 0, NULL);
    *s = (seen){0};
    assert_non_null(limits);
    const int over = counts_budget_check(&counts, limits, dtype, note, s, checked);
    json_decref(limits);
    assert_int_equal(over, s->count);
    return over;
}

static void figures_are_ratios_of_counts(void **state)
{
    const case_counts counts = make_counts(), none = {0};
    assert_float_equal(counts_figure_of(&counts, COUNTS_INSTRUCTIONS_PER_ELEMENT), 4.0, 1e-12);
    assert_float_equal(counts_figure_of(&counts, COUNTS_SECTORS_PER_REQUEST), 12.0, 1e-12);
    assert_float_equal(counts_figure_of(&counts, COUNTS_SHARED_CONFLICTS), 5.0, 1e-12);
    assert_float_equal(counts_figure_of(&counts, COUNTS_BARRIERS_PER_WARP), 2.0, 1e-12);
    assert_float_equal(counts_figure_of(&counts, COUNTS_DIVERGENT_BRANCHES), 3.0, 1e-12);
    assert_true(isnan(counts_figure_of(&none, COUNTS_SECTORS_PER_REQUEST)));
}

static void a_figure_over_its_limit_names_its_line(void **state)
{
    seen s;
    int checked;
    assert_int_equal(check("{\"sectors_per_request\": 12, \"shared_conflicts\": 5}", "f32", &s, &checked), 0);
    assert_int_equal(checked, 2);
    assert_int_equal(check("{\"sectors_per_request\": 11.9, \"shared_conflicts\": 5}", "f32", &s, &checked),
                     1);
    assert_string_equal(s.last.limit, "sectors_per_request");
    assert_int_equal(s.last.line, 7); /* line 3 has requests, too, and none too much */
    assert_int_equal(check("{\"barriers_per_warp\": 1}", "f32", &s, &checked), 1);
    assert_int_equal(s.last.line, 3);
    assert_int_equal(check("{}", "f32", &s, &checked), 0);
    assert_int_equal(checked, 0);
}

static void a_dtype_has_limits_of_its_own(void **state)
{
    seen s;
    int checked;
    const char *budget = "{\"shared_conflicts\": 5, \"bf16\": {\"shared_conflicts\": 4}}";
    assert_int_equal(check(budget, "f32", &s, &checked), 0);
    assert_int_equal(check(budget, "bf16", &s, &checked), 1);
    assert_float_equal(s.last.budget, 4.0, 1e-12);
}

static void what_is_proposed_is_kept(void **state)
{
    seen s;
    int checked;
    const case_counts counts = make_counts();
    json_t *proposed = counts_budget_propose(&counts);
    char *text = json_dumps(proposed, 0);
    assert_int_equal(check(text, "f32", &s, &checked), 0);
    assert_int_equal(checked, COUNTS_FIGURES);
    assert_float_equal(json_get_number(proposed, "instructions_per_element", 0), 4.5,
                       1e-12); /* an eighth more */
    free(text);
    json_decref(proposed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_are_ratios_of_counts),
        cmocka_unit_test(launches_follow_each_other),
        cmocka_unit_test(a_figure_over_its_limit_names_its_line),
        cmocka_unit_test(a_dtype_has_limits_of_its_own),
        cmocka_unit_test(what_is_proposed_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
