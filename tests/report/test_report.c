/* What logs and summaries say: golden files, determinism, and every state a case can be in. */
#include "tests/unit.h"
#include "expect.h"
#include "fixture.h"
#include "report/report.h"
#include "report/report_rows.h"
#include <math.h>
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

static void golden_files(void **state)
{
    fixture f;
    fixture_open(&f, NULL, "cuda");
    fixture_fill_golden(&f);
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

/* A kernel that misses a size is not a success, however fast it is where it ran, and a complete one is
 * chosen before it. */
static void a_missing_size_is_never_left_out_silently(void **state)
{
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

/* Files of a kernel whose source is gone are shown as such, and neither win nor make a size count. */
static void a_removed_variant_does_not_compete(void **state)
{
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
    fixture_open(&f, NULL, "cpu"); /* a kernel in Python is a variant of builds for a GPU alone */
    snprintf(f.ws->ops[0].spec->directory, sizeof f.ws->ops[0].spec->directory, "%s", f.ws->results);
    fixture_text(&f, "v9_gone.py", "");
    fixture_result(&f, &all[1]);
    fixture_verdict(&f, &all[1], "pass", "", NULL);
    text = table_text(&f, 0);
    assert_null(strstr(text, "removed"));
    free(text);
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
        cmocka_unit_test(a_missing_size_is_never_left_out_silently),
        cmocka_unit_test(a_removed_variant_does_not_compete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
