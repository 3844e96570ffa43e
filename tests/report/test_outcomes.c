/* Wins, ties and losses against the best baseline, by hand. */
#include "tests/unit.h"
#include "fixture.h"
#include "core/json_file.h"
#include "report/report.h"
#include "report/report_rows.h"
#include "report/report_load.h"

/* A kernel of 10 us beside a baseline, both with an interval of `half` either way; `group`: measured in one
 * group. */
static report_outcome outcome_of(double baseline_us, double half, int group)
{
    fixture f;
    report_model model;
    report_rows rows;
    const fixture_case kernel = {.op = "scale",
                                 .name = "v1_baseline",
                                 .dtype = "f32",
                                 .size = "small",
                                 .cold_us = 10,
                                 .interval = half,
                                 .with = group ? "baseline_a" : NULL};
    const fixture_case baseline = {.op = "scale",
                                   .name = "baseline_a",
                                   .dtype = "f32",
                                   .size = "small",
                                   .cold_us = baseline_us,
                                   .interval = half};
    fixture_open(&f, NULL, "cuda");
    fixture_result(&f, &kernel);
    fixture_verdict(&f, &kernel, "pass", "", NULL);
    fixture_result(&f, &baseline);
    assert_int_equal(report_model_read(f.ws, NULL, &model, NULL), ASSAY_OK);
    report_rows_build(&model, 0, 0, TIMING_COLD, &rows);
    const report_outcome outcome = report_rows_outcome(&rows);
    const report_entry *own = rows.row[0].entries[0];
    assert_int_equal(report_outcome_at(own, report_best_baseline(&rows, own), TIMING_COLD), outcome);
    report_model_release(&model);
    fixture_close(&f);
    return outcome;
}

static void overlapping_intervals_of_one_group_are_a_tie(void **state)
{
    assert_int_equal(outcome_of(10.1, 0.01, 1), REPORT_TIE);
    assert_int_equal(outcome_of(9.9, 0.01, 1), REPORT_TIE);
    assert_int_equal(outcome_of(10.3, 0.01, 1), REPORT_WIN);
    assert_int_equal(outcome_of(9.7, 0.01, 1), REPORT_LOSS);
    /* another run stands between them, which the intervals do not hold */
    assert_int_equal(outcome_of(10.1, 0.01, 0), REPORT_WIN);
    assert_int_equal(outcome_of(9.9, 0.01, 0), REPORT_LOSS);
}

/* Over two sizes the half intervals add up by their squares: 0.1 and 1 us are 1.005 us, on each side. */
static report_outcome outcome_of_two(double baseline_small, double baseline_medium)
{
    fixture f;
    report_model model;
    report_rows rows;
    fixture_case all[] = {{.name = "v1_baseline", .size = "small", .cold_us = 10, .with = "baseline_a"},
                          {.name = "v1_baseline", .size = "medium", .cold_us = 100, .with = "baseline_a"},
                          {.name = "baseline_a", .size = "small", .cold_us = baseline_small},
                          {.name = "baseline_a", .size = "medium", .cold_us = baseline_medium}};
    fixture_open(&f, NULL, "cuda");
    for (int i = 0; i < 4; i++) {
        all[i].op = "scale", all[i].dtype = "f32", all[i].interval = 0.01;
        fixture_result(&f, &all[i]);
        if (i < 2)
            fixture_verdict(&f, &all[i], "pass", "", NULL);
    }
    assert_int_equal(report_model_read(f.ws, NULL, &model, NULL), ASSAY_OK);
    report_rows_build(&model, 0, 0, TIMING_COLD, &rows);
    const report_outcome outcome = report_rows_outcome(&rows);
    report_model_release(&model);
    fixture_close(&f);
    return outcome;
}

static void sums_over_sizes_are_compared_by_their_intervals(void **state)
{
    assert_int_equal(outcome_of_two(10.5, 101.4), REPORT_TIE); /* 1.9 us apart, less than about 2.02 */
    assert_int_equal(outcome_of_two(10.7, 101.5), REPORT_WIN); /* 2.2 us */
    assert_int_equal(outcome_of_two(9.5, 98.6), REPORT_TIE);
    assert_int_equal(outcome_of_two(9.3, 98.4), REPORT_LOSS);
}

/* f32 wins, f16 ties, bf16 loses, and the log, the summary, its JSON and the table tell them apart. */
static void all_outputs_count_outcomes_apart(void **state)
{
    static const char *const dtypes[] = {"f32", "f16", "bf16"};
    static const double baselines[] = {12, 10.02, 8};
    fixture f;
    assay_error error = {0};
    report_summary summary;
    const report_options no_plots = {.no_plots = 1};
    fixture_open(&f, NULL, "cuda");
    for (int d = 0; d < 3; d++) {
        const fixture_case kernel = {.op = "scale",
                                     .name = "v1_baseline",
                                     .dtype = dtypes[d],
                                     .size = "small",
                                     .cold_us = 10,
                                     .interval = 0.01,
                                     .with = "baseline_a"};
        const fixture_case baseline = {.op = "scale",
                                       .name = "baseline_a",
                                       .dtype = dtypes[d],
                                       .size = "small",
                                       .cold_us = baselines[d],
                                       .interval = 0.01};
        fixture_result(&f, &kernel);
        fixture_verdict(&f, &kernel, "pass", "", NULL);
        fixture_result(&f, &baseline);
    }
    assert_int_equal(report_write(f.ws, NULL, &no_plots, &summary, &error), ASSAY_OK);
    assert_int_equal(summary.wins, 1);
    assert_int_equal(summary.ties, 1);
    assert_int_equal(summary.losses, 1);
    const json_t *success = json_object_get(summary.json, "success");
    assert_true(json_get_number(success, "wins", 0) == 1 && json_get_number(success, "ties", 0) == 1 &&
                json_get_number(success, "losses", 0) == 1 && json_get_number(success, "incomplete", 1) == 0);
    char *text = NULL, *log = fixture_read(&f, "logs/scale_log.md"),
         *all = fixture_read(&f, "logs/summary.md");
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    assert_int_equal(report_table(f.ws, NULL, &summary, NULL, 0, out, NULL), ASSAY_OK);
    fclose(out);
    assert_non_null(strstr(text, "1 win, 1 tie, 1 loss."));
    assert_non_null(strstr(text, "1.00x  tie\n"));
    assert_non_null(strstr(log, "**tie**. The 95% intervals overlap"));
    assert_non_null(strstr(log, "(2 of 3 dtypes; wins: 1, ties: 1)"));
    assert_non_null(strstr(all, "**1 win, 1 tie, 1 loss**"));
    assert_non_null(strstr(all, "1.00x a (tie)"));
    free(text);
    free(log);
    free(all);
    report_summary_release(&summary);
    fixture_close(&f);
}

static report_standings stand(const fixture *f, const case_filter *filter, char **ties)
{
    report_standings standings;
    assay_error error = {0};
    size_t bytes;
    FILE *out = open_memstream(ties, &bytes);
    if (report_stand(f->ws, NULL, filter, out, &standings, &error) != ASSAY_OK)
        fail_msg("%s", error.message);
    fclose(out);
    return standings;
}

/* Three problems: won by v4, though v1 ties; tied by v1; and without a baseline. Of v1 alone two are tied. */
static void a_problem_counts_once_by_its_fastest_kernel(void **state)
{
    fixture_case all[] = {{.name = "v1_baseline", .size = "small", .cold_us = 10, .with = "baseline_a"},
                          {.name = "v4_optimized", .size = "small", .cold_us = 5, .with = "baseline_a"},
                          {.name = "v1_baseline", .size = "medium", .cold_us = 100, .with = "baseline_a"},
                          {.name = "v1_baseline", .size = "large", .cold_us = 1000},
                          {.name = "baseline_a", .size = "small", .cold_us = 10.05},
                          {.name = "baseline_a", .size = "medium", .cold_us = 99.5}};
    fixture f;
    char *ties = NULL;
    fixture_open(&f, NULL, "cuda");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        all[i].op = "scale", all[i].dtype = "f32", all[i].interval = 0.01;
        fixture_result(&f, &all[i]);
        if (all[i].name[0] == 'v')
            fixture_verdict(&f, &all[i], "pass", "", NULL);
    }
    report_standings s = stand(&f, &(case_filter){0}, &ties);
    assert_string_equal(s.text, "1 win, 1 tie, 0 losses");
    assert_string_equal(ties, "  tie: scale.v1_baseline.f32.small 10.00 us, baseline_a 10.05 us\n"
                              "  tie: scale.v1_baseline.f32.medium 100.0 us, baseline_a 99.50 us\n");
    free(ties);
    s = stand(&f, &(case_filter){.ops = "scale", .variants = "v1", .sizes = "small,medium"}, &ties);
    assert_true(s.wins == 0 && s.ties == 2 && s.losses == 0);
    free(ties);
    s = stand(&f, &(case_filter){.variants = "v4"}, &ties);
    assert_true(s.wins == 1 && s.ties == 0 && s.losses == 0);
    assert_string_equal(ties, "");
    free(ties);
    s = stand(&f, &(case_filter){.dtypes = "bf16"}, &ties);
    assert_true(s.wins == 0 && s.ties == 0 && s.losses == 0);
    free(ties);
    fixture_close(&f);
}

/* An unstable kernel, and one that is faster than its bound, neither win nor tie. */
static void a_time_that_is_not_trusted_does_not_count(void **state)
{
    fixture f;
    char *ties = NULL;
    fixture_case kernel = {.op = "scale",
                           .name = "v1_baseline",
                           .dtype = "f32",
                           .size = "small",
                           .cold_us = 10,
                           .interval = 0.01,
                           .status = "unstable",
                           .with = "baseline_a"};
    const fixture_case baseline = {.op = "scale",
                                   .name = "baseline_a",
                                   .dtype = "f32",
                                   .size = "small",
                                   .cold_us = 10,
                                   .interval = 0.01};
    for (int wrong = 0; wrong < 2; wrong++) {
        fixture_open(&f, NULL, "cuda");
        fixture_ceilings(&f);
        fixture_result(&f, &baseline);
        fixture_result(&f, &kernel);
        fixture_verdict(&f, &kernel, "pass", "", NULL);
        const report_standings s = stand(&f, &(case_filter){0}, &ties);
        assert_string_equal(s.text, "");
        assert_string_equal(ties, "");
        free(ties);
        fixture_close(&f);
        kernel.status = NULL, kernel.cold_us = 0.13; /* below its bound */
    }
}

/* A first run on the CPU device: a processor's caches may hold the data, so no time is above a bound; and a
 * copy, which does no work, has a share of the memory bound and never "nan". */
static void a_bound_that_does_not_exist_is_not_compared_with(void **state)
{
    static const char *const devices[] = {"cpu", "cuda"};
    for (int with_ceilings = 0; with_ceilings < 2; with_ceilings++)
        for (int d = 0; d < 2; d++) {
            fixture f;
            assay_error error = {0};
            const report_options no_plots = {.no_plots = 1};
            const fixture_case kernel = {
                .op = "scale", .name = "v1_baseline", .dtype = "f32", .size = "small", .cold_us = 0.1};
            const fixture_case copy = {.op = "scale",
                                       .name = "baseline_copy",
                                       .dtype = "f32",
                                       .size = "small",
                                       .unranked = 1,
                                       .cold_us = 0.1};
            fixture_open(&f, NULL, devices[d]);
            fixture_result(&f, &kernel);
            fixture_verdict(&f, &kernel, "pass", "", NULL);
            fixture_result(&f, &copy);
            if (with_ceilings)
                fixture_ceilings(&f);
            assert_int_equal(report_write(f.ws, NULL, &no_plots, NULL, &error), ASSAY_OK);
            char *log = fixture_read(&f, "logs/scale_log.md");
            assert_null(strstr(log, "nan"));
            if (d == 0)
                assert_null(strstr(log, "% of memory")); /* 0.1 us are less than any memory takes */
            assert_int_equal(strstr(log, "above its roofline bound") != NULL, with_ceilings && d == 1);
            free(log);
            fixture_close(&f);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overlapping_intervals_of_one_group_are_a_tie),
        cmocka_unit_test(sums_over_sizes_are_compared_by_their_intervals),
        cmocka_unit_test(all_outputs_count_outcomes_apart),
        cmocka_unit_test(a_problem_counts_once_by_its_fastest_kernel),
        cmocka_unit_test(a_time_that_is_not_trusted_does_not_count),
        cmocka_unit_test(a_bound_that_does_not_exist_is_not_compared_with),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
