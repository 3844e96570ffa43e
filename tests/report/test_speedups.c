/* Means, speedups and the correction by launch overheads. */
#include "tests/unit.h"
#include "fixture.h"
#include "report/report_load.h"
#include "report/report_rows.h"
#include <math.h>

/* Two baselines, each for tensors of one layout: none has all sizes, and together they do. At 10 and 100 us
 * the kernel is compared with them; where a size has no baseline at all there is no win. */
static void check_shared_sizes(double small_us, double medium_us, report_outcome outcome)
{
    fixture f;
    report_model model;
    report_rows rows;
    fixture_case cases[] = {{.name = "v1_baseline", .size = "small", .cold_us = 10},
                            {.name = "v1_baseline", .size = "medium", .cold_us = 100},
                            {.name = "baseline_a", .size = "small", .cold_us = small_us},
                            {.name = "baseline_b", .size = "medium", .cold_us = medium_us}};
    fixture_open(&f, NULL, "cuda");
    for (int i = 0; i < (medium_us > 0 ? 4 : 3); i++) {
        cases[i].op = "scale", cases[i].dtype = "f16";
        if (i < 2)
            fixture_verdict(&f, &cases[i], "pass", "", NULL);
        fixture_result(&f, &cases[i]);
    }
    assert_int_equal(report_model_read(f.ws, NULL, &model, NULL), ASSAY_OK);
    report_rows_build(&model, 0, 1, TIMING_COLD, &rows);
    assert_int_equal(rows.row[rows.best].compared, medium_us > 0 ? 2 : 1);
    assert_int_equal(report_rows_outcome(&rows), outcome);
    report_model_release(&model);
    fixture_close(&f);
}

static void baselines_may_share_the_sizes(void **state)
{
    check_shared_sizes(20, 101, REPORT_WIN);
    check_shared_sizes(20, 91, REPORT_WIN);  /* 111 over 110 */
    check_shared_sizes(20, 89, REPORT_LOSS); /* though twice as fast at one size */
    check_shared_sizes(20, 0, REPORT_INCOMPLETE);
}

/* Mean, speedup and geometric mean by hand: (11+90)/(10+100) and sqrt(11/10 * 90/100). */
static void speedups_by_hand(void **state)
{
    fixture f;
    report_model model;
    report_rows rows;
    assay_error error = {0};
    const fixture_case cases[] = {
        {.op = "scale", .name = "v1_baseline", .dtype = "f16", .size = "small", .cold_us = 10},
        {.op = "scale", .name = "v1_baseline", .dtype = "f16", .size = "medium", .cold_us = 100},
        {.op = "scale", .name = "baseline_a", .dtype = "f16", .size = "small", .cold_us = 11},
        {.op = "scale", .name = "baseline_a", .dtype = "f16", .size = "medium", .cold_us = 90},
        {.op = "scale", .name = "baseline_b", .dtype = "f16", .size = "medium", .cold_us = 95},
        {.op = "scale",
         .name = "baseline_c",
         .dtype = "f16",
         .size = "small",
         .cold_us = 1,
         .status = "unstable"},
        {.op = "scale",
         .name = "baseline_copy",
         .dtype = "f16",
         .size = "small",
         .unranked = 1,
         .cold_us = 2}};
    fixture_open(&f, NULL, "cuda");
    for (int i = 0; i < 7; i++) {
        if (i < 2)
            fixture_verdict(&f, &cases[i], "pass", "", NULL);
        fixture_result(&f, &cases[i]);
    }
    assert_int_equal(report_model_read(f.ws, NULL, &model, &error), ASSAY_OK);
    report_rows_build(&model, 0, 1, TIMING_COLD, &rows);
    assert_int_equal(rows.measured_count, 2);
    assert_int_equal(rows.best, 0);
    const report_row *best = &rows.row[0];
    assert_string_equal(report_best_baseline(&rows, best->entries[1])->name, "a");
    assert_true(best->final_us > 54.999 && best->final_us < 55.001);
    assert_true(best->speedup > 0.91818 && best->speedup < 0.91819);
    assert_true(best->geomean > 0.99498 && best->geomean < 0.99499);
    assert_int_equal(report_rows_outcome(&rows), REPORT_LOSS);
    report_model_release(&model);
    fixture_close(&f);
}

static const report_entry *find_baseline(const report_model *model, const char *name)
{
    const report_entry *entry = report_find(model, 0, 1, RESULT_BASELINE, name, 0);
    assert_non_null(entry);
    return entry;
}

/* A baseline in a process with a lower launch overhead: 9.5 us where an empty kernel takes 3.3 are 10.2
 * where it takes 4.0. Hot times have no such part. Within what overheads scatter by nothing moves. */
static void baselines_of_another_process_are_corrected(void **state)
{
    fixture f;
    report_model model;
    report_rows rows;
    fixture_case all[5] = {
        {.name = "v1_baseline", .cold_us = 10, .hot_us = 5, .overhead_us = 4.0},
        {.name = "baseline_torch_compile", .cold_us = 9.5, .hot_us = 5, .overhead_us = 3.3},
        {.name = "baseline_torch_eager", .cold_us = 11, .hot_us = 6, .overhead_us = 4.06},
        {.name = "baseline_jax", .cold_us = 13, .overhead_us = 4.13},
        {.name = "baseline_tvm", .cold_us = 13, .overhead_us = 4.09}};
    fixture_open(&f, NULL, "cuda");
    for (int i = 0; i < 5; i++) {
        all[i].op = "scale", all[i].dtype = "f16", all[i].size = "small";
        fixture_result(&f, &all[i]);
    }
    fixture_verdict(&f, &all[0], "pass", "", NULL);
    assert_int_equal(report_model_read(f.ws, NULL, &model, NULL), ASSAY_OK);
    const report_entry *moved = find_baseline(&model, "torch_compile"),
                       *kept = find_baseline(&model, "torch_eager");
    assert_true(fabs(moved->times[TIMING_COLD].mean_us - 10.2) < 1e-9);
    assert_true(fabs(moved->overhead_shift_us - 0.7) < 1e-9);
    assert_true(moved->times[TIMING_HOT].mean_us == 5);
    assert_true(kept->times[TIMING_COLD].mean_us == 11 && kept->overhead_shift_us == 0);
    moved = find_baseline(&model, "jax"), kept = find_baseline(&model, "tvm");
    assert_true(fabs(moved->times[TIMING_COLD].mean_us - 12.87) < 1e-9);
    assert_true(kept->times[TIMING_COLD].mean_us == 13 && kept->overhead_shift_us == 0);
    report_rows_build(&model, 0, 1, TIMING_COLD, &rows);
    assert_true(fabs(rows.row[rows.best].speedup - 1.02) < 1e-9);
    report_model_release(&model);
    fixture_close(&f);
}

/* Two kernels that were timed in two processes: the overhead of the faster one counts, whose speedup is
 * told. */
static void baselines_are_corrected_to_the_fastest_kernel(void **state)
{
    for (int first = 0; first < 2; first++) { /* the first by name is the faster one, then the slower one */
        fixture f;
        report_model model;
        fixture_case all[] = {{.name = "v1_baseline", .overhead_us = 4.75, .cold_us = first ? 12 : 9},
                              {.name = "v4_optimized", .overhead_us = 3.0, .cold_us = first ? 9 : 12},
                              {.name = "baseline_b", .overhead_us = 3.75, .cold_us = 8}};
        fixture_open(&f, NULL, "cuda");
        for (int i = 0; i < 3; i++) {
            all[i].op = "scale", all[i].dtype = "f16", all[i].size = "small";
            fixture_result(&f, &all[i]);
        }
        assert_int_equal(report_model_read(f.ws, NULL, &model, NULL), ASSAY_OK);
        const report_entry *baseline = find_baseline(&model, "b");
        assert_true(fabs(baseline->times[TIMING_COLD].mean_us - (first ? 7.25 : 9.0)) < 1e-9);
        report_model_release(&model);
        fixture_close(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(baselines_may_share_the_sizes),
        cmocka_unit_test(speedups_by_hand),
        cmocka_unit_test(baselines_of_another_process_are_corrected),
        cmocka_unit_test(baselines_are_corrected_to_the_fastest_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
