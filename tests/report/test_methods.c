/* Results of several methods in one folder: what is set against what, what is marked, and what is said. Figures are worked out by hand. */
#include "fixture.h"
#include "report/report.h"
#include "report/report_model.h"
#include "core/json_file.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const report_options no_plots = {.no_plots = 1};
static fixture f;

static int set_up(void **state)
{
    (void)state;
    fixture_open(&f, NULL, "cuda");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fixture_close(&f);
    return 0;
}

/* f32 of "scale"; `batch` 1 is the usual method of now, 0 that of before, when cold launches were queued in batches of 40. */
static void timed(const char *name, const char *size, double cold, int batch)
{
    const fixture_case c = {.op = "scale",
                            .name = name,
                            .dtype = "f32",
                            .size = size,
                            .kind = strcmp(name, "peer_copy") == 0 ? "bound" : NULL,
                            .cold_us = cold,
                            .hot_us = cold * 0.9,
                            .cold_batch = batch,
                            .floor_us = batch == 1 ? 3.05 : 3.75};
    fixture_result(&f, &c);
    if (name[0] == 'v')
        fixture_verdict(&f, &c, "pass", "", NULL);
}

/* Kernels of before beside one of now, and peers of both. v2 and peer_b have the least times, and 0.7 us of them are the queue's. */
static void fill_mixed(int peer_of_now)
{
    timed("v1_baseline", "small", 8, 0);
    timed("v1_baseline", "large", 80, 0);
    timed("v2_tiling", "small", 5, 0);
    timed("v2_tiling", "large", 46, 0);
    timed("v4_optimized", "small", 5.5, 1);
    timed("v4_optimized", "large", 50, 1);
    if (peer_of_now) {
        timed("peer_a", "small", 6, 1);
        timed("peer_a", "large", 55, 1);
    }
    timed("peer_b", "small", 5.2, 0);
    timed("peer_b", "large", 48, 0);
    timed("peer_copy", "small", 5.1, 0);
    timed("peer_copy", "large", 47, 0);
}

static void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part)) {
        fputs(text, stderr); /* cmocka cuts its messages */
        fail_msg("no '%s' there", part);
    }
}

static void assert_lacks(const char *text, const char *part)
{
    if (strstr(text, part)) {
        fputs(text, stderr); /* cmocka cuts its messages */
        fail_msg("'%s' is there", part);
    }
}

static char *log_of_scale(report_summary *summary)
{
    assay_error error = {0};
    if (report_write(f.ws, NULL, &no_plots, summary, &error) != ASSAY_OK)
        fail_msg("%s", error.message);
    return fixture_read(&f, "logs/scale_log.md");
}

static char *table(void)
{
    assay_error error = {0};
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    assert_int_equal(report_table(f.ws, NULL, NULL, out, &error), ASSAY_OK);
    fclose(out);
    return text;
}

static void must_read(report_model *model)
{
    assay_error error = {0};
    if (report_model_read(f.ws, NULL, model, &error) != ASSAY_OK)
        fail_msg("%s", error.message);
}

static void read_cold_rows(report_model *model, report_rows *rows)
{
    must_read(model);
    report_rows_build(model, 0, 0, REPORT_COLD, rows);
}

static const report_row *row_named(const report_rows *rows, const char *name)
{
    for (int i = 0; i < rows->count; i++)
        if (strcmp(rows->row[i].name, name) == 0)
            return &rows->row[i];
    fail_msg("no row %s", name);
    return NULL;
}

static void assert_close(double value, double expected)
{
    if (!(fabs(value - expected) < 1e-9 * fabs(expected)))
        fail_msg("%.12g is not %.12g", value, expected);
}

/* v4 against peer_a alone, v1 and v2 against peer_b alone; v2, faster by the clock, does not win. */
static void a_kernel_meets_peers_of_its_method(void **state)
{
    (void)state;
    report_model model;
    report_rows rows;
    fill_mixed(1);
    read_cold_rows(&model, &rows);
    const report_row *v2 = row_named(&rows, "v2_tiling"), *v4 = row_named(&rows, "v4_optimized");
    assert_ptr_equal(&rows.row[rows.best], v4);
    assert_string_equal(v4->best_peer, "peer_a");
    assert_close(v4->speedup, (6 + 55) / (5.5 + 50));
    assert_close(v4->geomean, sqrt(6 / 5.5 * 55 / 50));
    assert_string_equal(v2->best_peer, "peer_b");
    assert_close(v2->speedup, (5.2 + 48) / (5 + 46));
    assert_int_equal(v2->compared, 2);
    assert_int_equal(report_rows_success(&rows), 1);
    report_rows_build(&model, 0, 0, REPORT_HOT, &rows); /* hot figures meet no queue: all against all */
    assert_string_equal(rows.row[rows.best].name, "v2_tiling");
    v4 = row_named(&rows, "v4_optimized");
    assert_string_equal(v4->best_peer, "peer_b");
    assert_close(v4->speedup, (5.2 + 48) / (5.5 + 50));
    assert_int_equal(v4->refused, 0);
    assert_int_equal(rows.other_count, 0);
    report_model_release(&model);
}

static void tables_mark_what_was_timed_otherwise(void **state)
{
    (void)state;
    fill_mixed(1);
    fixture_ceilings(&f);
    char *log = log_of_scale(NULL), *text = table();
    assert_has(log, "| v1_baseline | 8.000 ± 0.008 ¹ | 80.00 ± 0.08 ¹ | 44.00 ¹ | 0.60x | 0.62x |\n"
                    "| v2_tiling | 5.000 ± 0.005 ¹ | 46.00 ± 0.05 ¹ | 25.50 ¹ | 1.04x | 1.04x |\n");
    assert_has(log, "| **v4_optimized** | 5.500 ± 0.005 | 50.00 ± 0.05 | 27.75 | 1.10x | 1.10x |\n"
                    "| peer: a | 6.000 ± 0.006 | 55.00 ± 0.05 | 30.50 |  |  |\n"
                    "| peer: b | 5.200 ± 0.005 ¹ | 48.00 ± 0.05 ¹ | 26.60 ¹ |  |  |\n"
                    "| bound: copy | 5.100 ± 0.005 ¹ | 47.00 ± 0.05 ¹ | 26.05 ¹ |  |  |\n"
                    "| floor: empty kernel | 3.050 | 3.050 |  |  |  |\n\n"
                    "¹ flush by memset, launches in batches of 40: timed otherwise than figures without a "
                    "mark, and compared with none of those.\n\n"
                    "Hot (a stream");
    assert_has(log, "| v1_baseline | 7.200 ± 0.007 | 72.00 ± 0.07 | 39.60 |"); /* hot: no mark */
    assert_has(log, "% of memory ¹, hot ");
    assert_has(log, "a speedup of 1.10x over the best peer, `a`");
    assert_has(log, "Times of peers by another method are left out of this.");
    assert_has(log, " Over `v1_baseline` at large: `v2_tiling` 1.74x; `v2_tiling` bought the most. Timed by "
                    "another method than the first kernel, so not compared with it: `v4_optimized`.");
    assert_has(text, "  v2_tiling                       5.000 #1        46.00 #1    25.50 #1     1.04x\n");
    assert_has(text, "* v4_optimized                       5.500           50.00       27.75     1.10x\n");
    assert_has(text, "  success: best kernel at or above the best peer\n"
                     "  #1 timed otherwise, compared with none of the others: flush by memset, launches in "
                     "batches of 40\n");
    free(log);
    free(text);
}

static char *roofline_script(void)
{
    const report_options no_gnuplot = {.gnuplot = "/nonexistent/gnuplot"};
    assay_error error = {0};
    report_write(f.ws, NULL, &no_gnuplot, NULL, &error);
    return fixture_read(&f, "plots/roofline_scale.gp");
}

/* A file that speaks of the time of the edge cases, which are many sizes, is no reason to fall over. */
static void times_of_edge_cases_are_no_points(void **state)
{
    (void)state;
    fixture_ceilings(&f);
    fill_mixed(1);
    char *without = roofline_script();
    const fixture_case edge = {.op = "scale",
                               .name = "v1_baseline",
                               .dtype = "f32",
                               .size = "edge",
                               .cold_us = 3,
                               .hot_us = 2,
                               .m = 512};
    fixture_result(&f, &edge);
    char *with = roofline_script();
    assert_string_equal(with, without);
    free(with);
    free(without);
}

/* A third of the colours of v1, v2 and peer_b is left; v4 and peer_a keep theirs. */
static void points_timed_otherwise_are_pale(void **state)
{
    (void)state;
    fixture_ceilings(&f);
    fill_mixed(1);
    char *script = roofline_script();
    assert_has(script, "pointtype 7 linecolor rgb \"#F7DFAA\"");
    assert_has(script, "pointtype 7 linecolor rgb \"#C7E6F8\"");
    assert_has(script, "pointtype 7 linecolor rgb \"#009E73\"");
    assert_has(script, "pointtype 6 linecolor rgb \"#000000\"");
    assert_has(script, "pointtype 6 linecolor rgb \"#D3B9EA\"");
    assert_has(script, "title 'timed otherwise (pale)'");
    free(script);
}

static void without_a_peer_of_the_method_there_is_no_speedup(void **state)
{
    (void)state;
    report_summary summary;
    fill_mixed(0);
    char *log = log_of_scale(&summary), *text = table(), *all = fixture_read(&f, "logs/summary.md");
    assert_has(log,
               "| **v4_optimized** | 5.500 ± 0.005 | 50.00 ± 0.05 | 27.75 | no peer of its method | - |");
    assert_has(log,
               "Chosen: `v4_optimized`, Final 27.75 us; its peers were timed by another method, so there "
               "is no speedup to state.");
    assert_has(
        text,
        "* v4_optimized                       5.500           50.00       27.75  no peer of its method\n");
    assert_has(text, "  no peer of its method to judge by\n");
    assert_has(all,
               "| f32 | v4_optimized | 27.75 | - | no peer of its method | no peer of its method | no peer "
               "of its method | - | - |");
    assert_int_equal(summary.judged, 0);
    const json_t *best = json_array_get(json_object_get(summary.json, "best"), 0);
    assert_true(json_is_null(json_object_get(best, "speedup")));
    assert_string_equal(json_get_text(best, "no_speedup", ""), "no peer of its method");
    free(log);
    free(text);
    free(all);
    report_summary_release(&summary);
}

/* Of what is measured again size by size, each size has its method, and a ratio is over the sizes where both have one. */
static void sizes_are_told_apart(void **state)
{
    (void)state;
    report_model model;
    report_rows rows;
    timed("v1_baseline", "small", 6, 1);
    timed("v1_baseline", "large", 60, 0);
    timed("v2_tiling", "small", 4, 0);
    timed("v2_tiling", "large", 40, 0);
    timed("peer_a", "small", 7, 1);
    timed("peer_a", "large", 50, 0);
    read_cold_rows(&model, &rows);
    const report_row *v1 = row_named(&rows, "v1_baseline"), *v2 = row_named(&rows, "v2_tiling");
    assert_int_equal(report_rows_mark(&rows, v1->entries[0]), 0);
    assert_int_equal(report_rows_mark(&rows, v1->entries[2]), 0); /* all of large are of before */
    assert_int_equal(report_rows_mark(&rows, v2->entries[0]), 1);
    assert_ptr_equal(&rows.row[rows.best], v1); /* v2 has one size that counts */
    assert_close(v1->speedup, 57.0 / 66);
    assert_close(v2->speedup, 50.0 / 40);
    assert_int_equal(v2->compared, 1);
    report_model_release(&model);
    char *log = log_of_scale(NULL);
    assert_has(log,
               "| v2_tiling | 4.000 ± 0.004 ¹ | 40.00 ± 0.04 | 22.00 ¹ | 1.25x (1 of 2 sizes) | 1.25x |");
    assert_has(log,
               "Cold figures of 2 methods, which are not compared with each other:\n\n"
               "- 3 repetitions a size, each 25 ms of warm-up and 100 ms of samples; cold figures: flush "
               "by memset, launches alone in the queue: `v1_baseline`, `a` (small)\n"
               "- 3 repetitions a size, each 25 ms of warm-up and 100 ms of samples; cold figures: flush "
               "by memset, launches in batches of 40: `v1_baseline` (large); `v2_tiling`; `a` (large)\n");
    free(log);
}

/* What was timed otherwise is in the Final, and decides nothing: 10 before 12, though 20 is behind 6.5. */
static void the_best_is_chosen_by_what_counts(void **state)
{
    (void)state;
    report_model model;
    report_rows rows;
    timed("v1_baseline", "small", 10, 1);
    timed("v1_baseline", "medium", 30, 0);
    timed("v2_tiling", "small", 1, 0);
    timed("v2_tiling", "medium", 12, 1);
    read_cold_rows(&model, &rows);
    assert_string_equal(rows.row[rows.best].name, "v1_baseline");
    assert_close(rows.row[rows.best].counted_us, 10);
    assert_close(rows.row[rows.best].final_us, 20);
    report_model_release(&model);
    char *log = log_of_scale(NULL);
    assert_has(log, "Chosen: `v1_baseline`, Final 20.00 us, with 1 size timed by another method; no peer");
    free(log);
}

/* Peers that were timed again, and no kernel: the kernels' method is the one that counts, that of the floor too. */
static void kernels_decide_which_method_counts(void **state)
{
    (void)state;
    timed("v1_baseline", "small", 10, 0);
    timed("peer_a", "small", 9, 1);
    char *log = log_of_scale(NULL);
    assert_has(log, "| **v1_baseline** | 10.00 ± 0.01 | 10.00 | no peer of its method | - |\n");
    assert_has(log, "| peer: a | 9.000 ± 0.009 ¹ | 9.000 ¹ |  |  |\n"
                    "| floor: empty kernel | 3.750 |  |  |  |\n\n"
                    "¹ flush by memset, launches alone in the queue: timed otherwise");
    free(log);
}

/* Dtypes are named where a size has both methods. */
static void dtypes_are_named_where_they_differ(void **state)
{
    (void)state;
    timed("v1_baseline", "small", 6, 1);
    fixture_case c = {.op = "scale", .name = "v1_baseline", .dtype = "f16", .size = "small", .cold_us = 5};
    fixture_result(&f, &c);
    fixture_verdict(&f, &c, "pass", "", NULL);
    char *log = log_of_scale(NULL);
    assert_has(log, "launches alone in the queue: `v1_baseline` (f32 small)\n");
    assert_has(log, "launches in batches of 40: `v1_baseline` (f16 small)\n");
    assert_lacks(log, "¹"); /* tables are of one dtype */
    free(log);
}

static void one_method_has_no_marks(void **state)
{
    (void)state;
    for (int batch = 0; batch < 2; batch++) {
        timed("v1_baseline", "small", 6, batch);
        timed("peer_a", "small", 7, batch);
        char *log = log_of_scale(NULL), *text = table();
        assert_has(log, batch ? "; cold figures: flush by memset, launches alone in the queue.\n"
                              : "; cold figures: flush by memset, launches in batches of 40.\n");
        assert_has(log, "| **v1_baseline** | 6.000 ± 0.006 | 6.000 | 1.17x | 1.17x |");
        assert_lacks(log, "¹");
        assert_lacks(log, "timed otherwise");
        assert_lacks(text, "#1");
        char *script = roofline_script();
        assert_has(script, "pointtype 7 linecolor rgb \"#E69F00\"");
        assert_lacks(script, "timed otherwise");
        free(script);
        free(log);
        free(text);
    }
}

/* The usual goes first whatever is newer, of others the newer; a locked clock is another method of every figure. */
static void which_method_counts(void **state)
{
    (void)state;
    report_model model;
    report_rows rows;
    fixture_case c[] = {
        {.name = "v1_baseline", .cold_us = 9, .flush = "read", .time = "2026-02-01T00:00:00Z"},
        {.name = "v2_tiling", .cold_us = 7, .time = "2026-02-02T00:00:00Z"},
        {.name = "v3_coalesced", .cold_us = 8, .locked_mhz = 1500, .time = "2026-02-01T00:00:00Z"}};
    for (int i = 0; i < 3; i++) {
        c[i].op = "scale", c[i].dtype = "f32", c[i].size = "small", c[i].hot_us = 4 - i;
        c[i].cold_batch = i == 1 ? 0 : 1;
        fixture_result(&f, &c[i]);
        fixture_verdict(&f, &c[i], "pass", "", NULL);
    }
    read_cold_rows(&model, &rows); /* none is usual: the newest */
    assert_string_equal(rows.row[rows.best].name, "v2_tiling");
    assert_int_equal(rows.other_count, 2);
    report_rows_build(&model, 0, 0, REPORT_HOT, &rows); /* v1 and v2 are usual here, the faster v3 is not */
    assert_string_equal(rows.row[rows.best].name, "v2_tiling");
    assert_int_equal(rows.other_count, 1);
    report_model_release(&model);
    char *log = log_of_scale(NULL);
    assert_has(log,
               "¹ flush by reading, launches alone in the queue; ² flush by memset, launches alone in the "
               "queue, clock locked at 1500 MHz: timed otherwise");
    assert_has(log, "| v3_coalesced | 2.000 ± 0.002 ¹ |");
    assert_has(log, "\n¹ clock locked at 1500 MHz: timed otherwise");
    free(log);
    timed("v4_optimized", "small", 20, 1); /* the usual one, and older */
    read_cold_rows(&model, &rows);
    assert_string_equal(rows.row[rows.best].name, "v4_optimized");
    assert_int_equal(rows.other_count, 3);
    report_model_release(&model);
}

/* More methods than there are marks: the last stands for all that found no room. */
static void marks_run_out(void **state)
{
    (void)state;
    report_model model;
    report_rows rows;
    char name[32], words[METHOD_LABEL_BYTES];
    timed("v1_baseline", "small", 9, 1);
    for (int i = 0; i < REPORT_MAX_METHODS + 2; i++) {
        snprintf(name, sizeof name, "peer_%c", 'a' + i);
        timed(name, "small", 10, 2 + i);
    }
    read_cold_rows(&model, &rows);
    assert_int_equal(rows.other_count, REPORT_MAX_METHODS);
    assert_int_equal(report_rows_mark(&rows, row_named(&rows, "peer_a")->entries[0]), 1);
    assert_int_equal(report_rows_mark(&rows, row_named(&rows, "peer_k")->entries[0]), REPORT_MAX_METHODS);
    report_rows_mark_words(&rows, 1, words, sizeof words);
    assert_string_equal(words, "flush by memset, launches in batches of 2");
    report_rows_mark_words(&rows, REPORT_MAX_METHODS, words, sizeof words);
    assert_string_equal(words, "by further methods");
    report_model_release(&model);
    char *log = log_of_scale(NULL);
    assert_has(log, "; ⁹ by further methods: timed otherwise");
    free(log);
}

/* A queue of another length is no other host: peers are levelled with kernels of their own method, or not at all. */
static void floors_of_another_method_move_nothing(void **state)
{
    (void)state;
    report_model model;
    timed("v4_optimized", "small", 5.5, 1); /* floor 3.05 */
    timed("peer_b", "small", 6.2, 0);       /* floor 3.75 */
    must_read(&model);
    assert_close(report_find(&model, 0, "peer_b", 0, 0)->figures[REPORT_COLD].mean_us, 6.2);
    report_model_release(&model);
    fixture_case old = {.op = "scale", .name = "v1_baseline", .dtype = "f32", .size = "small", .cold_us = 9};
    old.floor_us = 4.5; /* of the peer's method and another host, and older than v4 */
    old.time = "2026-01-01T00:00:00Z";
    fixture_result(&f, &old);
    must_read(&model);
    assert_close(report_find(&model, 0, "peer_b", 0, 0)->figures[REPORT_COLD].mean_us, 6.95);
    report_model_release(&model);
}

/* Two kernels of one case and method, timed on two hosts: the floor of the faster one counts, whose speedup is told, whichever is newer. */
static void peers_are_levelled_with_the_fastest_kernel(void **state)
{
    (void)state;
    static const char *const times[] = {"2026-02-01T00:00:00Z", "2026-01-01T00:00:00Z"};
    for (int first = 0; first < 2; first++) { /* the first by name is the faster one, then the slower one */
        report_model model;
        fixture_case kernels[] = {{.name = "v1_baseline", .floor_us = 4.75},
                                  {.name = "v4_optimized", .floor_us = 3.0}};
        for (int i = 0; i < 2; i++) {
            kernels[i].op = "scale", kernels[i].dtype = "f32", kernels[i].size = "small";
            kernels[i].cold_us = i == first ? 9 : 12, kernels[i].time = times[i];
            fixture_result(&f, &kernels[i]);
        }
        timed("peer_b", "small", 8.0, 0); /* floor 3.75 */
        must_read(&model);
        const report_entry *peer = report_find(&model, 0, "peer_b", 0, 0);
        assert_close(peer->figures[REPORT_COLD].mean_us, first == 0 ? 9.0 : 7.25);
        assert_close(peer->floor_shift_us, first == 0 ? 1.0 : -0.75);
        report_model_release(&model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_kernel_meets_peers_of_its_method, set_up, tear_down),
        cmocka_unit_test_setup_teardown(tables_mark_what_was_timed_otherwise, set_up, tear_down),
        cmocka_unit_test_setup_teardown(times_of_edge_cases_are_no_points, set_up, tear_down),
        cmocka_unit_test_setup_teardown(points_timed_otherwise_are_pale, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_a_peer_of_the_method_there_is_no_speedup, set_up, tear_down),
        cmocka_unit_test_setup_teardown(sizes_are_told_apart, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_best_is_chosen_by_what_counts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(kernels_decide_which_method_counts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(dtypes_are_named_where_they_differ, set_up, tear_down),
        cmocka_unit_test_setup_teardown(one_method_has_no_marks, set_up, tear_down),
        cmocka_unit_test_setup_teardown(which_method_counts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(marks_run_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(floors_of_another_method_move_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(peers_are_levelled_with_the_fastest_kernel, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
