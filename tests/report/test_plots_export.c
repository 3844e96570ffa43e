/* Pictures and compact results. */
#include "tests/unit.h"
#include "fixture.h"
#include "report/report.h"
#include "core/json_file.h"
#include "results/results_folder.h"
#include <sys/stat.h>
#include <unistd.h>

static int have_gnuplot(void)
{
    return system("gnuplot --version >/dev/null 2>&1") == 0;
}

static void assert_png(const fixture *f, const char *file)
{
    char path[512];
    unsigned char head[24] = {0};
    snprintf(path, sizeof path, "%s/%s", f->root, file);
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    assert_int_equal(fread(head, 1, sizeof head, in), sizeof head);
    fclose(in);
    assert_memory_equal(head, "\x89PNG\r\n\x1a\n", 8);
    assert_true((head[18] << 8 | head[19]) >= 900); /* width */
}

static void plots_are_drawn(void **state)
{
    static const char *const names[] = {"roofline_scale", "roofline_product", "roofline_all", "speedup"};
    fixture f;
    assay_error error = {0};
    report_summary summary;
    if (!have_gnuplot())
        skip();
    fixture_open(&f, NULL, "cuda");
    fixture_fill_card(&f);
    assert_int_equal(report_write(f.ws, NULL, NULL, &summary, &error), ASSAY_OK);
    assert_int_equal(summary.plots_drawn, 4);
    for (int i = 0; i < 4; i++) {
        char file[128];
        snprintf(file, sizeof file, "plots/%s.svg", names[i]);
        char *svg = fixture_read(&f, file);
        assert_non_null(strstr(svg, "Example GPU, 2026-01-31"));
        assert_non_null(strstr(svg, "</svg>"));
        assert_non_null(
            strstr(svg, i < 3 ? "Arithmetic intensity (FLOP/byte)" : "Time of the best baseline over"));
        assert_null(strstr(svg, f.root));
        free(svg);
        snprintf(file, sizeof file, "plots/%s.png", names[i]);
        assert_png(&f, file);
    }
    char *log = fixture_read(&f, "logs/scale_log.md");
    assert_non_null(strstr(log, "](../plots/roofline_scale.svg)"));
    free(log);
    report_summary_release(&summary);
    fixture_close(&f);
}

static void counted_bytes_are_shown(void **state)
{
    fixture f;
    assay_error error = {0};
    report_summary summary;
    if (!have_gnuplot())
        skip();
    fixture_open(&f, NULL, "cuda");
    const fixture_case c = {
        .op = "scale", .name = "v1_baseline", .dtype = "f32", .size = "large", .cold_us = 80, .moved = 1.5};
    fixture_verdict(&f, &c, "pass", "", NULL);
    fixture_result(&f, &c);
    fixture_ceilings(&f);
    assert_int_equal(report_write(f.ws, NULL, NULL, &summary, &error), ASSAY_OK);
    char *log = fixture_read(&f, "logs/scale_log.md"), *svg = fixture_read(&f, "plots/roofline_scale.svg");
    assert_non_null(strstr(log, ", moves 1.50x, memory-bound (DRAM)"));
    assert_non_null(strstr(svg, "to and from DRAM"));
    assert_non_null(strstr(svg, "through L2"));
    free(log);
    free(svg);
    report_summary_release(&summary);
    fixture_close(&f);
}

static void names_cannot_break_out_of_a_script(void **state)
{
    fixture f;
    assay_error error = {0};
    if (!have_gnuplot())
        skip();
    const fixture_case c = {.op = "scale",
                            .name = "baseline_it's `touch x` \"q\" $n",
                            .dtype = "f32",
                            .size = "small",
                            .cold_us = 5};
    fixture_open(&f, NULL, "cuda");
    fixture_result(&f, &c);
    assert_int_equal(report_write(f.ws, NULL, NULL, NULL, &error), ASSAY_OK);
    char *svg = fixture_read(&f, "plots/roofline_scale.svg");
    assert_non_null(strstr(svg, "`touch x`"));
    free(svg);
    fixture_close(&f);
}

/* Its file is gone from the op's folder, so nothing but one result speaks of it. */
static void results_of_a_removed_kernel_are_drawn(void **state)
{
    fixture f;
    assay_error error = {0};
    if (!have_gnuplot())
        skip();
    const fixture_case c = {
        .op = "scale", .name = "v9_removed", .dtype = "f32", .size = "small", .cold_us = 5};
    fixture_open(&f, NULL, "cuda");
    fixture_result(&f, &c);
    fixture_verdict(&f, &c, "pass", "", NULL);
    assert_int_equal(report_write(f.ws, NULL, NULL, NULL, &error), ASSAY_OK);
    assert_false(
        fixture_exists(&f, "plots/roofline_all.svg")); /* it does not compete, and there is nothing else */
    f.ws->source[0] = '\0';                            /* a bundle has no sources to miss it in */
    assert_int_equal(report_write(f.ws, NULL, NULL, NULL, &error), ASSAY_OK);
    assert_true(fixture_exists(&f, "plots/roofline_all.svg"));
    fixture_close(&f);
}

/* gnuplot ends with success although the disk was full. */
static void cut_pictures_do_not_replace_old_ones(void **state)
{
    fixture f;
    assay_error error = {0};
    char gnuplot[300], path[4200];
    static const char script[] =
        "#!/bin/sh\n"
        "eval \"$(printf '%s' \"$2\" | tr -d ' ')\"\n"
        "printf '<svg>cut, and nothing more will come after these words, full disk' >\"$svg\"\n"
        "cp \"$svg\" \"$png\"\n";
    fixture_open(&f, NULL, "cuda");
    fixture_fill_card(&f);
    snprintf(gnuplot, sizeof gnuplot, "%s/gnuplot", f.root);
    assert_int_equal(text_file_write(gnuplot, script, sizeof script - 1, &error), ASSAY_OK);
    assert_int_equal(chmod(gnuplot, 0755), 0);
    snprintf(path, sizeof path, "%s/speedup.svg", f.ws->plots);
    assert_int_equal(text_file_write(path, "old", 3, &error), ASSAY_OK);
    const report_options options = {.gnuplot = gnuplot};
    assert_int_equal(report_write(f.ws, NULL, &options, NULL, &error), ASSAY_ERR_ENVIRONMENT);
    assert_non_null(strstr(error.message, "not complete"));
    char *old = fixture_read(&f, "plots/speedup.svg");
    assert_string_equal(old, "old");
    free(old);
    fixture_close(&f);
}

static void without_gnuplot_the_rest_is_written(void **state)
{
    fixture f;
    assay_error error = {0};
    report_summary summary;
    char *messages = NULL;
    size_t bytes;
    fixture_open(&f, NULL, "cuda");
    fixture_fill_card(&f);
    FILE *stream = open_memstream(&messages, &bytes);
    const report_options options = {.gnuplot = "/nonexistent/gnuplot", .messages = stream};
    assert_int_equal(report_write(f.ws, NULL, &options, &summary, &error), ASSAY_OK);
    fclose(stream);
    assert_non_null(strstr(messages, "gnuplot-nox"));
    assert_int_equal(strcspn(messages, "\n") + 1, strlen(messages)); /* said once */
    assert_int_equal(summary.plots_drawn, 0);
    char *text = fixture_read(&f, "logs/summary.md"), *log = fixture_read(&f, "logs/scale_log.md");
    assert_non_null(strstr(text, "gnuplot-nox"));
    assert_null(strstr(text, ".svg"));
    assert_null(strstr(log, ".svg"));
    assert_true(fixture_exists(&f, "plots/speedup.gp"));
    assert_false(fixture_exists(&f, "plots/speedup.svg"));
    free(text);
    free(log);
    free(messages);
    report_summary_release(&summary);
    fixture_close(&f);
}

static void a_failing_gnuplot_is_an_error_that_keeps_old_pictures(void **state)
{
    fixture f;
    assay_error error = {0};
    const report_options options = {.gnuplot = "false"};
    fixture_open(&f, NULL, "cuda");
    fixture_fill_card(&f);
    char path[4200];
    snprintf(path, sizeof path, "%s/speedup.svg", f.ws->plots);
    assert_int_equal(text_file_write(path, "old", 3, &error), ASSAY_OK);
    assert_int_equal(report_write(f.ws, NULL, &options, NULL, &error), ASSAY_ERR_ENVIRONMENT);
    assert_non_null(strstr(error.message, "exited with status 1"));
    assert_true(fixture_exists(&f, "logs/summary.md"));
    char *old = fixture_read(&f, "plots/speedup.svg");
    assert_string_equal(old, "old");
    free(old);
    fixture_close(&f);
}

/* `false` in gnuplot's place fails, unless it is not called. */
static void only_what_changed_is_drawn_again(void **state)
{
    fixture f;
    assay_error error = {0};
    report_summary summary;
    if (!have_gnuplot())
        skip();
    const report_options failing = {.gnuplot = "false"};
    fixture_case c = {.op = "scale", .name = "v1_baseline", .dtype = "f32", .size = "large", .cold_us = 80};
    fixture_open(&f, NULL, "cuda");
    fixture_verdict(&f, &c, "pass", "", NULL);
    fixture_result(&f, &c);
    fixture_ceilings(&f);
    assert_int_equal(report_write(f.ws, NULL, NULL, &summary, &error), ASSAY_OK);
    const int plots = summary.plots_drawn;
    assert_true(plots > 0);
    char *first = fixture_read(&f, "plots/roofline_scale.svg");
    report_summary_release(&summary);
    assert_int_equal(report_write(f.ws, NULL, &failing, &summary, &error), ASSAY_OK);
    assert_int_equal(summary.plots_drawn, plots);
    report_summary_release(&summary);

    c.cold_us =
        40; /* the script changes; that it could not be drawn once does not make the old picture a new one */
    fixture_result(&f, &c);
    assert_int_equal(report_write(f.ws, NULL, &failing, NULL, &error), ASSAY_ERR_ENVIRONMENT);
    error = (assay_error){0};
    assert_int_equal(report_write(f.ws, NULL, NULL, NULL, &error), ASSAY_OK);
    char *second = fixture_read(&f, "plots/roofline_scale.svg");
    assert_string_not_equal(first, second);

    char path[4200];
    snprintf(path, sizeof path, "%s/roofline_scale.png", f.ws->plots);
    assert_int_equal(text_file_write(path, "cut", 3, &error), ASSAY_OK);
    assert_int_equal(report_write(f.ws, NULL, &failing, NULL, &error), ASSAY_ERR_ENVIRONMENT);
    free(first);
    free(second);
    fixture_close(&f);
}

static assay_status check_quantiles(void *context, results_item *item, assay_error *error)
{
    assert_int_equal(item->kind, RESULTS_RESULT);
    const result *r = item->result;
    if (r->times[TIMING_COLD].present) {
        const result_repetition *first = &r->times[TIMING_COLD].repetitions[0];
        const int many = strcmp(r->id.op, "scale") == 0 && strcmp(r->id.name, "v1_baseline") == 0 &&
                         r->id.dtype == ASSAY_F32 && strcmp(r->id.size, "small") == 0;
        assert_null(first->samples_us);
        assert_int_equal(first->sample_count, many ? 10000 : 3);
        assert_int_equal(first->quantile_count, 21);
        assert_true(first->quantiles_us[0] < first->quantiles_us[20]);
    }
    result_free(item->result);
    return ASSAY_OK;
}

/* 10 000 samples a repetition become 21 quantiles; a report of the compact files is the report of the full
 * ones. */
static void compact_results_report_alike(void **state)
{
    fixture f;
    assay_error error = {0};
    char out_dir[300], file[400];
    int exported = 0;
    struct stat info;
    const report_options options = {.no_plots = 1};
    const fixture_case c = {.op = "scale",
                            .name = "v1_baseline",
                            .dtype = "f32",
                            .size = "small",
                            .cold_us = 5,
                            .hot_us = 3,
                            .burst_us = 4,
                            .sustained_us = 6,
                            .samples = 10000};
    fixture_open(&f, NULL, "cuda");
    fixture_fill_card(&f);
    fixture_result(&f, &c);
    fixture_text(&f, "bench/scale.v2_tiling.f32.small.json", "{");
    snprintf(out_dir, sizeof out_dir, "%s/kept", f.root);
    assert_int_equal(report_export(f.ws->results, out_dir, &exported, NULL, &error), ASSAY_ERR_FORMAT);
    assert_int_equal(exported, 85 + 146);
    snprintf(file, sizeof file, "%s/bench/scale.jsonl", out_dir);
    assert_int_equal(stat(file, &info), 0);
    assert_true(info.st_size < 84 * 15 * 1024); /* of 84 results */
    assert_int_equal(
        results_each(out_dir, RESULTS_WITH_RESULTS, RESULT_LOAD_SAMPLES, check_quantiles, NULL, &error),
        ASSAY_OK);
    char *full[2], *compact[2];
    static const char *const names[] = {"logs/scale_log.md", "logs/product_log.md"};
    assert_int_equal(report_write(f.ws, NULL, &options, NULL, NULL), ASSAY_ERR_FORMAT);
    for (int i = 0; i < 2; i++)
        full[i] = fixture_read(&f, names[i]);
    assert_int_equal(report_write(f.ws, out_dir, &options, NULL, NULL), ASSAY_OK);
    for (int i = 0; i < 2; i++) {
        compact[i] = fixture_read(&f, names[i]);
        assert_string_equal(full[i], compact[i]);
        free(full[i]);
        free(compact[i]);
    }
    /* Compact files again: nothing changes. */
    char again[300];
    snprintf(again, sizeof again, "%s/again", f.root);
    assert_int_equal(report_export(out_dir, again, NULL, NULL, &error), ASSAY_OK);
    char *one = fixture_read(&f, "kept/bench/product.jsonl"),
         *two = fixture_read(&f, "again/bench/product.jsonl");
    assert_string_equal(one, two);
    free(one);
    free(two);
    fixture_close(&f);
}

/* Of the runs of an edge case stay the one nearest to its bound and the one with most ULP, and all that did not pass. */
static void compact_verdicts_keep_the_largest_errors(void **state)
{
    static const struct {
        const char *name, *status;
        double ulp, ratio;
    } checks[] = {{"first contents", "pass", 1, 0.1},       {"one: first contents", "pass", 3, 0.2},
                  {"one: repeat", "pass", 1, 0.4},          {"one: other contents", "pass", 0, 0.3},
                  {"two: first contents", "pass", 0, 0},    {"two: repeat", "fail", 9, 2},
                  {"two: other contents", "pass", 1, 0.1},  {"three: repeat", "pass", 2, 0.5},
                  {"three: other contents", "pass", 2, 0.5}};
    static const char *const kept[] = {"first contents",      "one: first contents", "one: repeat",
                                       "two: first contents", "two: repeat",         "two: other contents",
                                       "three: repeat"};
    const fixture_case c = {.op = "scale", .name = "v1_baseline", .dtype = "f32", .size = "edge"};
    fixture f;
    char path[600], out_dir[300];
    json_t *root, *list = json_array();
    fixture_open(&f, NULL, "cuda");
    fixture_verdict(&f, &c, "fail", "two", NULL);
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        json_array_append_new(list, json_pack("{s:s,s:s,s:f,s:f}", "name", checks[i].name, "status",
                                              checks[i].status, "max_ulp", checks[i].ulp, "worst_ratio",
                                              checks[i].ratio));
    snprintf(path, sizeof path, "%s/verify/scale.v1_baseline.f32.edge.json", f.ws->results);
    assert_int_equal(json_file_read(path, &root, NULL), ASSAY_OK);
    json_object_set_new(root, "checks", list);
    assert_int_equal(json_file_write(path, root, 0, NULL), ASSAY_OK);
    json_decref(root);
    snprintf(out_dir, sizeof out_dir, "%s/kept", f.root);
    assert_int_equal(report_export(f.ws->results, out_dir, NULL, NULL, NULL), ASSAY_OK);
    char *text = fixture_read(&f, "kept/verify/scale.jsonl");
    assert_non_null(root = json_loads(text, 0, NULL));
    list = json_object_get(root, "checks");
    assert_int_equal(json_array_size(list), sizeof kept / sizeof *kept);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        assert_string_equal(json_string_value(json_object_get(json_array_get(list, i), "name")), kept[i]);
    json_decref(root);
    free(text);
    fixture_close(&f);
}

static void results_are_not_replaced_by_compact_ones(void **state)
{
    fixture f;
    assay_error error = {0};
    fixture_open(&f, NULL, "cuda");
    fixture_fill_card(&f);
    assert_int_equal(report_export(f.ws->results, f.ws->results, NULL, NULL, &error), ASSAY_ERR_INVALID);
    assert_non_null(strstr(error.message, "name another folder"));
    char *text = fixture_read(&f, "results/example-gpu/bench/scale.v1_baseline.f32.small.json");
    assert_non_null(strstr(text, "samples_us"));
    free(text);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counted_bytes_are_shown),
        cmocka_unit_test(plots_are_drawn),
        cmocka_unit_test(names_cannot_break_out_of_a_script),
        cmocka_unit_test(results_of_a_removed_kernel_are_drawn),
        cmocka_unit_test(cut_pictures_do_not_replace_old_ones),
        cmocka_unit_test(without_gnuplot_the_rest_is_written),
        cmocka_unit_test(a_failing_gnuplot_is_an_error_that_keeps_old_pictures),
        cmocka_unit_test(only_what_changed_is_drawn_again),
        cmocka_unit_test(compact_results_report_alike),
        cmocka_unit_test(compact_verdicts_keep_the_largest_errors),
        cmocka_unit_test(results_are_not_replaced_by_compact_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
