/* What reports say: golden files, determinism, and every state a case can be in. */
#include "fixture.h"
#include "report/report.h"
#include "report/report_rows.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "core/json_file.h"
#include "report/report_load.h"

static const report_options no_plots = {.no_plots = 1};

static char *write_and_read(const fixture *f, const char *file, assay_status expected)
{
    assay_error error = {0};
    const assay_status status = report_write(f->ws, NULL, &no_plots, NULL, &error);
    if (status != expected)
        fail_msg("status %d instead of %d: %s", (int)status, (int)expected, error.message);
    return fixture_read(f, file);
}

static void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("no '%s' in:\n%s", part, text);
}

/* Compare with fixtures/expected/NAME. With ASSAY_WRITE_EXPECTED set the file is written instead, to be
 * looked at and committed. */
static void compare_expected(const char *text, const char *name)
{
    char path[1024], *expected = NULL;
    assay_error error = {0};
    snprintf(path, sizeof path, "%s/%s", FIXTURE_EXPECTED, name);
    if (getenv("ASSAY_WRITE_EXPECTED")) {
        assert_int_equal(text_file_write(path, text, strlen(text), &error), ASSAY_OK);
        return;
    }
    if (text_file_read(path, &expected, NULL, &error) != ASSAY_OK)
        fail_msg("%s", error.message);
    if (strcmp(text, expected) != 0) {
        size_t at = 0, line = 1;
        for (; text[at] == expected[at]; at++)
            line += text[at] == '\n';
        fail_msg("%s differs from line %zu on:\n--- expected\n%.300s\n--- got\n%.300s", path, line,
                 expected + at, text + at);
    }
    free(expected);
}

static void fill_golden(const fixture *f)
{
    static const char *const names[] = {"v1_baseline", "v2_tiling", "v4_optimized", "baseline_torch_eager",
                                        "baseline_copy"};
    static const double times[5][2] = {{9.5, 82}, {7.25, 65.5}, {5.5, 50}, {6, 55}, {5, 48}};
    for (int k = 0; k < 5; k++)
        for (int s = 0; s < 2; s++) {
            fixture_case c = {.op = "scale",
                              .name = names[k],
                              .dtype = "f32",
                              .size = s ? "large" : "small",
                              .cold_us = times[k][s]};
            c.hot_us = k < 4 ? times[k][s] / 2 : 0;
            c.unranked = k == 4;
            c.with = k == 2 ? "baseline_torch_eager" : NULL;
            c.time = k == 2 && s ? "2026-02-01T08:30:00Z" : NULL;
            if (k == 1 && s) {
                c.status = "unstable";
                c.reason = "thermal slowdown in 4 of 10 repetitions";
            }
            if (k < 3)
                fixture_verdict(f, &c, "pass", "", k == 2 ? "fail,timeout,pass" : NULL);
            fixture_result(f, &c);
        }
    fixture_case failing = {.op = "scale",
                            .name = "v3_coalesced",
                            .dtype = "f32",
                            .size = "small",
                            .status = "not timed",
                            .reason = "correctness: fail"};
    fixture_verdict(f, &failing, "fail", "out[3] is 7 | expected 6", NULL);
    fixture_result(f, &failing);
    fixture_case broken = {.op = "scale", .name = "v3_coalesced", .dtype = "f32", .size = "large"};
    fixture_verdict(f, &broken, "does not compile", "v3.cu:4: error", NULL);
    fixture_case edge = {.op = "scale", .name = "v1_baseline", .dtype = "f32", .size = "edge"};
    fixture_verdict(f, &edge, "pass", "", NULL);
    fixture_case module = {.op = "scale", .name = "v2_tiling", .dtype = "f32", .size = "small"};
    fixture_module(f, &module, "ok", "aa");
    fixture_ceilings(f);
}

static void golden_files(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, NULL, "cuda");
    fill_golden(&f);
    char *log = write_and_read(&f, "logs/scale_log.md", ASSAY_OK);
    char *summary = fixture_read(&f, "logs/summary.md"), *json = fixture_read(&f, "logs/summary.json");
    compare_expected(log, "scale_log.md");
    compare_expected(summary, "summary.md");
    compare_expected(json, "summary.json");
    assert_false(fixture_exists(&f, "logs/product_log.md")); /* no file speaks of that op */
    free(log);
    free(summary);
    free(json);
    fixture_close(&f);
}

static void golden_cpu(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, NULL, "cpu");
    fixture_fill_cpu(&f);
    char *log = write_and_read(&f, "logs/scale_log.md", ASSAY_OK),
         *summary = fixture_read(&f, "logs/summary.md");
    compare_expected(log, "cpu_scale_log.md");
    assert_has(log, "CPU SIMT device timings, never comparable with a GPU.");
    assert_has(summary, "CPU SIMT device timings, never comparable with a GPU.");
    free(log);
    free(summary);
    fixture_close(&f);
}

/* The same files, written in another order and reported from another folder, give the same bytes. */
static void same_files_same_bytes(void **state)
{
    (void)state;
    static const char *const files[] = {
        "logs/scale_log.md",       "logs/product_log.md",   "logs/summary.md", "logs/summary.json",
        "plots/roofline_scale.gp", "plots/roofline_all.gp", "plots/speedup.gp"};
    fixture f[2];
    const report_options options = {.gnuplot = "/nonexistent/gnuplot"};
    for (int i = 0; i < 2; i++) {
        fixture_open(&f[i], NULL, "cuda");
        if (i == 1) { /* one file first, to be written again by fill */
            const fixture_case c = {
                .op = "scale", .name = "v4_optimized", .dtype = "bf16", .size = "xlarge", .cold_us = 1};
            fixture_result(&f[i], &c);
        }
        fixture_fill_card(&f[i]);
        assert_int_equal(report_write(f[i].ws, NULL, &options, NULL, NULL), ASSAY_OK);
    }
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        char *a = fixture_read(&f[0], files[k]), *b = fixture_read(&f[1], files[k]);
        assert_string_equal(a, b);
        assert_null(strstr(a, f[0].root));
        free(a);
        free(b);
    }
    fixture_close(&f[0]);
    fixture_close(&f[1]);
}

static void verdicts_on_huge_tensors_are_shown(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, NULL, "cuda");
    fixture_case c = {.op = "scale", .name = "v1_baseline", .dtype = "f32", .size = "small"};
    fixture_verdict(&f, &c, "pass", "", NULL);
    c.size = "huge";
    fixture_verdict(&f, &c, "pass", "", NULL);
    c.name = "v2_tiling", c.dtype = "bf16";
    fixture_verdict(&f, &c, "fail", "an index of 32 bits", NULL);
    char *log = write_and_read(&f, "logs/scale_log.md", ASSAY_OK);
    assert_has(log, "### Large-tensor checks (more than 2^31 elements)");
    assert_has(log, "| v1_baseline | f32 | pass, 1 ULP, 0.25 | 2026-01-31T");
    assert_has(log, "| v2_tiling | bf16 | fail");
    assert_has(log, "| `scale.v2_tiling.bf16.huge` | 1 of 1 |");
    assert_has(log, "an index of 32 bits");
    free(log);
    c.name = "v1_baseline", c.dtype = "f32", c.sha = "5555555555555555"; /* edited after the others */
    fixture_verdict(&f, &c, "pass", "", NULL);
    log = write_and_read(&f, "logs/scale_log.md", ASSAY_OK);
    assert_has(log, "(of another source than the other sizes)");
    free(log);
    fixture_close(&f);
}

static void unusual_times_are_flagged(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, NULL, "cuda");
    const fixture_case cases[] = {
        {.op = "scale", .name = "v1_baseline", .dtype = "f32", .size = "small", .cold_us = 0.1325},
        {.op = "scale",
         .name = "v2_tiling",
         .dtype = "f32",
         .size = "small",
         .cold_us = 8,
         .status = "unstable",
         .reason = "thermal"},
        {.op = "scale",
         .name = "v3_coalesced",
         .dtype = "f32",
         .size = "small",
         .cold_us = 6,
         .output_check = "fail"},
        {.op = "scale",
         .name = "baseline_torch_eager",
         .dtype = "f32",
         .size = "small",
         .cold_us = 9,
         .flaws = RESULT_FLAW_BIMODAL | RESULT_FLAW_OUTLIERS},
        {.op = "scale",
         .name = "baseline_cublas",
         .dtype = "f32",
         .size = "small",
         .cold_us = 10,
         .interval = 0.12},
        {.op = "scale",
         .name = "baseline_torch_compile",
         .dtype = "f32",
         .size = "small",
         .status = "unavailable",
         .reason = "no torch"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (i < 3)
            fixture_verdict(&f, &cases[i], "pass", "", NULL);
        fixture_result(&f, &cases[i]);
    }
    fixture_ceilings(&f);
    char *log = write_and_read(&f, "logs/scale_log.md", ASSAY_OK);
    assert_has(log, "10 ± 1 (imprecise: 12% either way)");
    assert_has(log, "0.133 ± 0.000 (above its roofline bound)");
    assert_has(log, "`scale.v1_baseline.f32.small`: the cold time is above its roofline bound (131%)");
    assert_has(log, "9.000 ± 0.009 (outliers, bimodal)");
    assert_has(log, "| SM clock | 1275"); /* the least that was seen during the case */
    assert_has(log, "8.000 ± 0.008 (unstable)");
    assert_has(log, "| timed output wrong |");
    assert_has(log, "| baseline torch_compile | unavailable: no torch |");
    /* Neither the time above its bound nor the unstable one wins; the one that may be trusted is preferred. */
    assert_has(log, "### f32: `v2_tiling`");
    assert_has(log, "**incomplete**. A time is unstable.");
    free(log);
    fixture_close(&f);
}

static void a_time_needs_a_passing_verdict(void **state)
{
    (void)state;
    fixture f;
    const fixture_case stale = {
        .op = "scale", .name = "v1_baseline", .dtype = "f32", .size = "small", .cold_us = 5, .sha = "bb"};
    const fixture_case verdict = {
        .op = "scale", .name = "v1_baseline", .dtype = "f32", .size = "small", .sha = "cc"};
    const fixture_case failed = {
        .op = "scale", .name = "v2_tiling", .dtype = "f32", .size = "small", .cold_us = 4};
    const fixture_case changed = {
        .op = "scale", .name = "v3_coalesced", .dtype = "f32", .size = "small", .cold_us = 4};
    fixture_open(&f, NULL, "cuda");
    fixture_result(&f, &stale);
    fixture_verdict(&f, &verdict, "pass", "", NULL); /* of a newer source than the times */
    fixture_result(&f, &failed);
    fixture_verdict(&f, &failed, "crash", "killed by signal 11",
                    NULL); /* run again, and failed, after the timing */
    fixture_result(&f, &changed);
    fixture_verdict(&f, &changed, "pass", "", NULL);
    fixture_module(&f, &changed, "ok", "dd"); /* the source changed after both */
    char *log = write_and_read(&f, "logs/scale_log.md", ASSAY_OK);
    assert_has(log, "| v1_baseline | stale: times and verdict are of different sources |");
    assert_has(log, "| v2_tiling | failed verification: crash: killed by signal 11 |");
    assert_has(log, "| v3_coalesced | stale: the source changed after it was timed |");
    assert_has(log, "No kernel has a time:");
    free(log);
    fixture_close(&f);
}

static void verdicts_alone_make_a_log(void **state)
{
    (void)state;
    fixture f;
    const fixture_case c = {.op = "product", .name = "v1_baseline", .dtype = "bf16", .size = "small"};
    fixture_open(&f, NULL, "cuda");
    fixture_verdict(&f, &c, "pass", "", NULL);
    char *log = write_and_read(&f, "logs/product_log.md", ASSAY_OK),
         *summary = fixture_read(&f, "logs/summary.md");
    assert_has(log, "Nothing was timed.");
    assert_has(log, "| v1_baseline | bf16 | pass, 1 ULP, 0.25 |");
    assert_has(summary,
               "No best kernel has a baseline to be judged by. Cases: 1 verified, 0 failed, 0 timed.");
    assert_has(summary, "None.\n\n1 more case is verified and not timed.");
    free(log);
    free(summary);
    fixture_close(&f);
}

/* A kernel is compared with baselines of its own math mode only. */
static void math_modes_are_not_mixed(void **state)
{
    (void)state;
    fixture f;
    assay_error error = {0};
    report_summary summary;
    const fixture_case cases[] = {
        {.op = "product", .name = "v1_baseline", .dtype = "f32", .size = "small", .cold_us = 10},
        {.op = "product", .name = "baseline_cublas", .dtype = "f32", .size = "small", .cold_us = 11},
        {.op = "product",
         .name = "baseline_cublas_tf32",
         .dtype = "f32",
         .size = "small",
         .cold_us = 4,
         .math_mode = "tf32"}};
    fixture_open(&f, NULL, "cuda");
    fixture_verdict(&f, &cases[0], "pass", "", NULL);
    for (int i = 0; i < 3; i++)
        fixture_result(&f, &cases[i]);
    assert_int_equal(report_write(f.ws, NULL, &no_plots, &summary, &error), ASSAY_OK);
    const json_t *best = json_array_get(json_object_get(summary.json, "best"), 0);
    const json_t *small = json_object_get(json_object_get(best, "sizes"), "small");
    assert_string_equal(json_get_text(small, "baseline", ""), "cublas");
    assert_string_equal(json_get_text(best, "outcome", ""), "win");
    assert_int_equal(summary.wins, 1);
    assert_int_equal(summary.ties + summary.losses + summary.incomplete, 0);
    char *log = fixture_read(&f, "logs/product_log.md");
    assert_has(log, "| baseline cublas_tf32 (tf32) |");
    free(log);
    report_summary_release(&summary);
    fixture_close(&f);
}

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
    (void)state;
    check_shared_sizes(20, 101, REPORT_WIN);
    check_shared_sizes(20, 91, REPORT_WIN);  /* 111 over 110 */
    check_shared_sizes(20, 89, REPORT_LOSS); /* though twice as fast at one size */
    check_shared_sizes(20, 0, REPORT_INCOMPLETE);
}

/* Mean, speedup and geometric mean by hand: (11+90)/(10+100) and sqrt(11/10 * 90/100). */
static void speedups_by_hand(void **state)
{
    (void)state;
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
    (void)state;
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
    (void)state;
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

/* A kernel that misses a size is not a success, however fast it is where it ran, and a complete one is
 * chosen before it. */
static void a_missing_size_is_never_left_out_silently(void **state)
{
    (void)state;
    fixture f;
    const fixture_case cases[] = {
        {.op = "scale", .name = "v1_baseline", .dtype = "f32", .size = "small", .cold_us = 5},
        {.op = "scale",
         .name = "v1_baseline",
         .dtype = "f32",
         .size = "medium",
         .status = "not timed",
         .reason = "correctness: fail"},
        {.op = "scale", .name = "baseline_a", .dtype = "f32", .size = "small", .cold_us = 6},
        {.op = "scale", .name = "baseline_a", .dtype = "f32", .size = "medium", .cold_us = 60}};
    fixture_open(&f, NULL, "cuda");
    fixture_verdict(&f, &cases[0], "pass", "", NULL);
    fixture_verdict(&f, &cases[1], "fail", "wrong", NULL);
    for (int i = 0; i < 4; i++)
        fixture_result(&f, &cases[i]);
    char *log = write_and_read(&f, "logs/scale_log.md", ASSAY_OK);
    assert_has(log, "| **v1_baseline** | 5.000 ± 0.005 | failed verification: wrong | 5.000 (1 of 2 sizes) | "
                    "1.20x (1 of 2 sizes) |");
    assert_has(log, "**incomplete**. Some size lacks the kernel's time or a baseline's.");
    free(log);
    fixture_close(&f);
}

static char *table_text(const fixture *f, int all)
{
    assay_error error = {0};
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    if (report_table(f->ws, NULL, NULL, NULL, all, out, &error) != ASSAY_OK)
        fail_msg("%s", error.message);
    fclose(out);
    return text;
}

static void the_whole_table_names_everything(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, NULL, "cuda");
    fill_golden(&f);
    char *text = table_text(&f, 1);
    compare_expected(text, "table.txt");
    free(text);
    fixture_close(&f);
}

static void check_screen(const char *text, int most_lines)
{
    int lines = 0;
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1, lines++)
        if (strcspn(line, "\n") > 110)
            fail_msg("%zu columns: %.*s", strcspn(line, "\n"), (int)strcspn(line, "\n"), line);
    if (lines > most_lines)
        fail_msg("%d lines:\n%s", lines, text);
}

/* One op and dtype, and everything of a card: both fit a screen. */
static void the_table_fits_a_screen(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, NULL, "cuda");
    fill_golden(&f);
    char *text = table_text(&f, 0);
    check_screen(text, 24);
    assert_has(text, "* v4_optimized");
    assert_has(text, "  best baseline");
    assert_null(strstr(text, "unranked"));
    free(text);
    fixture_fill_card(&f);
    text = table_text(&f, 0);
    check_screen(text, 24);
    assert_has(text, "product         bf16  v4_optimized");
    free(text);
    fixture_close(&f);
}

static void table_of(const fixture_case *kernel, const char *verdict, const char *expected)
{
    fixture f;
    const fixture_case baseline = {
        .op = "scale", .name = "baseline_torch", .dtype = "f32", .size = "small", .cold_us = 10};
    fixture_open(&f, NULL, "cuda");
    fixture_ceilings(&f);
    fixture_result(&f, &baseline);
    fixture_result(&f, kernel);
    fixture_verdict(&f, kernel, verdict, "", NULL);
    char *text = table_text(&f, 0);
    assert_has(text, expected);
    free(text);
    fixture_close(&f);
}

static void the_table_says_what_a_win_lacks(void **state)
{
    (void)state;
    fixture_case c = {.op = "scale", .name = "v1_baseline", .dtype = "f32", .size = "small", .cold_us = 20};
    table_of(&c, "pass", "0.50x  loss\n");
    table_of(&c, "fail", "  incomplete: no kernel has a time\n");
    c.cold_us = 5;
    table_of(&c, "pass", "2.00x  win\n");
    c.status = "unstable";
    table_of(&c, "pass", "  incomplete: a time of the best kernel is unstable\n");
    c.status = NULL;
    c.cold_us = 0.13;
    table_of(&c, "pass", "  incomplete: a time of the best kernel is above its roofline bound");
}

/* Files of a kernel whose source is gone are shown as such, and neither win nor make a size count. */
static void a_removed_variant_does_not_compete(void **state)
{
    (void)state;
    const fixture_case all[] = {
        {.op = "scale", .name = "v1_baseline", .dtype = "f32", .size = "small", .cold_us = 8},
        {.op = "scale", .name = "v9_gone", .dtype = "f32", .size = "small", .cold_us = 2},
        {.op = "scale", .name = "v9_gone", .dtype = "f32", .size = "large", .cold_us = 20},
        {.op = "scale", .name = "baseline_torch", .dtype = "f32", .size = "small", .cold_us = 10},
    };
    fixture f;
    assay_error error = {0};
    report_summary summary;
    fixture_open(&f, NULL, "cuda");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        fixture_result(&f, &all[i]);
        if (i < 3)
            fixture_verdict(&f, &all[i], "pass", "", NULL);
    }
    char *text = table_text(&f, 0);
    assert_has(text, "* v1_baseline");
    assert_has(text, "  win\n");
    const char *row = strstr(text, "  v9_gone");
    assert_non_null(row);
    assert_non_null(strstr(row, "removed"));
    assert_true(strcspn(row, "\n") > (size_t)(strstr(row, "removed") - row));
    assert_has(text, "scale.v9_gone.f32.small: removed: its source file is no longer there");
    free(text);
    assert_int_equal(report_write(f.ws, NULL, &no_plots, &summary, &error), ASSAY_OK);
    assert_int_equal(summary.timed, 1);
    assert_int_equal(summary.verified, 1);
    assert_int_equal(summary.wins, 1);
    report_summary_release(&summary);
    char *log = fixture_read(&f, "logs/scale_log.md"), *all_ops = fixture_read(&f, "logs/summary.md");
    assert_has(log, "| **v1_baseline** |");
    assert_has(log, "scale.v9_gone.f32.small`: removed");
    assert_has(all_ops, "v9_gone");
    assert_null(strstr(log, "**v9_gone**"));
    free(log);
    free(all_ops);
    fixture_close(&f);
    fixture_open(&f, NULL, "cuda"); /* a bundle has no sources to hold the files against */
    f.ws->source[0] = '\0';
    fixture_result(&f, &all[1]);
    fixture_verdict(&f, &all[1], "pass", "", NULL);
    log = write_and_read(&f, "logs/scale_log.md", ASSAY_OK);
    assert_has(log, "**v9_gone**");
    free(log);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_files),
        cmocka_unit_test(golden_cpu),
        cmocka_unit_test(same_files_same_bytes),
        cmocka_unit_test(verdicts_on_huge_tensors_are_shown),
        cmocka_unit_test(unusual_times_are_flagged),
        cmocka_unit_test(a_time_needs_a_passing_verdict),
        cmocka_unit_test(verdicts_alone_make_a_log),
        cmocka_unit_test(math_modes_are_not_mixed),
        cmocka_unit_test(speedups_by_hand),
        cmocka_unit_test(baselines_may_share_the_sizes),
        cmocka_unit_test(baselines_of_another_process_are_corrected),
        cmocka_unit_test(baselines_are_corrected_to_the_fastest_kernel),
        cmocka_unit_test(a_missing_size_is_never_left_out_silently),
        cmocka_unit_test(the_whole_table_names_everything),
        cmocka_unit_test(the_table_fits_a_screen),
        cmocka_unit_test(the_table_says_what_a_win_lacks),
        cmocka_unit_test(a_removed_variant_does_not_compete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
