/* Targets against made-up results: each kind of condition met and missed, what counts as not measured, and mistakes in the file. */
#include "report/targets/targets.h"
#include "fixture.h"
#include "core/json_file.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static fixture f;
static report_model model;
static target_list list;

/* `rows` are the members of "targets", `more` what stands beside them. */
static void write_targets(const char *rows, const char *more)
{
    char path[400], text[4000];
    snprintf(path, sizeof path, "%s/targets.json", f.root);
    snprintf(text, sizeof text, "{\"schema\": 1, \"cards\": {\"example-gpu\": {\"targets\": [%s]%s}}}", rows,
             more);
    assert_int_equal(text_file_write(path, text, strlen(text), NULL), ASSAY_OK);
}

static assay_status evaluate(assay_error *error)
{
    char path[400];
    snprintf(path, sizeof path, "%s/targets.json", f.root);
    targets_release(&list);
    report_model_release(&model);
    model = (report_model){0};
    if (report_model_read(f.ws, NULL, &model, error) != ASSAY_OK)
        return error->status;
    return targets_evaluate(&model, path, &list, error);
}

static void must_evaluate(void)
{
    assay_error error = {0};
    if (evaluate(&error) != ASSAY_OK)
        fail_msg("%s", error.message);
}

/* One row for v4 of an op in f32 with the conditions of one size, evaluated; returns its only cell. */
static const target_cell *one(const char *op, const char *size, const char *condition)
{
    char row[600];
    snprintf(row, sizeof row,
             "{\"ops\": [\"%s\"], \"dtypes\": [\"f32\"], \"variant\": \"v4\", \"sizes\": {\"%s\": [%s]}}", op,
             size, condition);
    write_targets(row, "");
    must_evaluate();
    assert_int_equal(list.count, 1);
    return &list.cells[0];
}

static void result(const char *op, const char *name, const char *size, double cold, double sustained)
{
    fixture_result(&f, &(fixture_case){.op = op,
                                       .name = name,
                                       .dtype = "f32",
                                       .size = size,
                                       .kind = strcmp(name, "peer_copy") == 0 ? "bound" : NULL,
                                       .cold_us = cold,
                                       .hot_us = cold * 0.9,
                                       .burst_us = sustained * 0.8,
                                       .sustained_us = sustained});
}

static int set_up(void **state)
{
    (void)state;
    fixture_open(&f, NULL, "cuda");
    fixture_ceilings(&f);
    result("scale", "v4_optimized", "large", 50, 0);
    result("scale", "v3_coalesced", "large", 45, 0); /* faster, and not the one that the target is for */
    result("scale", "peer_torch_eager", "large", 60, 0);
    result("scale", "peer_torch_compile", "large", 55, 0);
    result("scale", "peer_copy", "large", 48, 0);
    result("product", "v4_optimized", "large", 3000, 3200);
    result("product", "peer_cublas", "large", 3300, 3520);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    targets_release(&list);
    report_model_release(&model);
    model = (report_model){0};
    fixture_close(&f);
    return 0;
}

static void expect(const target_cell *cell, target_verdict verdict, double measured)
{
    if (cell->verdict != verdict)
        fail_msg("%s is %s (%s)", cell->target, target_verdict_text(cell->verdict), cell->reason);
    if (isnan(measured))
        assert_true(isnan(cell->measured));
    else if (fabs(cell->measured - measured) > 1e-6 * measured)
        fail_msg("%s: measured %.9g, not %.9g", cell->target, cell->measured, measured);
}

static void a_ratio_is_to_the_fastest_peer(void **state)
{
    (void)state;
    expect(one("scale", "large", "{\"ratio\": 1.1}"), TARGET_MET, 1.1); /* on the target is met */
    assert_string_equal(list.cells[0].target, ">= 1.10x best peer");
    assert_string_equal(list.cells[0].kernel, "v4_optimized");
    assert_string_equal(list.cells[0].against, "torch_compile 55.00 us");
    expect(one("scale", "large", "{\"ratio\": 1.11}"), TARGET_MISSED, 1.1);
    assert_int_equal(list.missed, 1);
}

static void a_condition_may_name_its_peers(void **state)
{
    (void)state;
    expect(one("scale", "large", "{\"ratio\": 1.15, \"peers\": [\"torch_eager\"]}"), TARGET_MET, 1.2);
    expect(one("scale", "large", "{\"ratio\": 1.15, \"peers\": [\"torch_eager\", \"torch_compile\"]}"),
           TARGET_MISSED, 1.1);
    expect(one("scale", "large", "{\"ratio\": 1.0, \"peers\": [\"cub\"]}"), TARGET_NOT_MEASURED, NAN);
}

static void a_condition_may_name_its_figure(void **state)
{
    (void)state;
    expect(one("scale", "large", "{\"ratio\": 1.1, \"figure\": \"hot\"}"), TARGET_MET, 1.1);
    assert_true(list.cells[0].kernel_us == 45);
    expect(one("scale", "large", "{\"ratio\": 1.0, \"figure\": \"sustained\"}"), TARGET_NOT_MEASURED, NAN);
    assert_string_equal(list.cells[0].reason, "has no sustained figure");
}

static void a_peer_in_another_math_mode_does_not_count(void **state)
{
    (void)state;
    fixture_result(&f, &(fixture_case){.op = "product",
                                       .name = "peer_cublaslt_tf32",
                                       .dtype = "f32",
                                       .size = "large",
                                       .math_mode = "tf32",
                                       .cold_us = 900,
                                       .sustained_us = 900});
    expect(one("product", "large", "{\"ratio\": 1.1, \"figure\": \"sustained\"}"), TARGET_MET, 1.1);
}

static void a_peer_of_another_run_does_not_count(void **state)
{
    (void)state;
    char path[700];
    json_t *whole;
    snprintf(path, sizeof path, "%s/bench/scale.v4_optimized.f32.large.json", f.ws->results);
    assert_int_equal(json_file_read(path, &whole, NULL), ASSAY_OK);
    json_t *method = json_object_get(json_object_get(whole, "assay"), "method");
    json_object_set_new(method, "interleaved_with",
                        json_pack("[i, s, n, s]", 1, "peer_torch_compile", "v3_coalesced"));
    assert_int_equal(json_file_write(path, whole, 0, NULL), ASSAY_OK);
    json_decref(whole);
    expect(one("scale", "large", "{\"ratio\": 1.1}"), TARGET_MET, 1.1);
    expect(one("scale", "large", "{\"ratio\": 1.1, \"peers\": [\"torch_eager\"]}"), TARGET_NOT_MEASURED, NAN);
    assert_string_equal(list.cells[0].reason, "torch_eager was timed in another run");
    expect(one("scale", "large", "{\"copy_percent\": 10}"), TARGET_NOT_MEASURED, NAN);
}

/* f32 large of "scale" by the method of now; what set_up() wrote is of before, when cold launches were queued in batches of 40. */
static void timed_now(const char *op, const char *name, double cold)
{
    fixture_result(&f, &(fixture_case){.op = op,
                                       .name = name,
                                       .dtype = "f32",
                                       .size = "large",
                                       .kind = strcmp(name, "peer_copy") == 0 ? "bound" : NULL,
                                       .cold_us = cold,
                                       .hot_us = cold * 0.9,
                                       .cold_batch = 1});
}

static void a_peer_of_another_method_does_not_count(void **state)
{
    (void)state;
    timed_now("scale", "v4_optimized", 50);
    expect(one("scale", "large", "{\"ratio\": 0.1}"), TARGET_NOT_MEASURED, NAN);
    assert_string_equal(list.cells[0].reason, "torch_compile was timed by another method");
    expect(one("scale", "large", "{\"copy_percent\": 10}"), TARGET_NOT_MEASURED, NAN);
    assert_string_equal(list.cells[0].reason, "the copy was timed by another method");
    expect(one("scale", "large", "{\"own_percent\": 10, \"own\": \"product\"}"), TARGET_NOT_MEASURED, NAN);
    assert_string_equal(list.cells[0].reason, "our own product was timed by another method");
    expect(one("scale", "large", "{\"ratio\": 1.1, \"figure\": \"hot\"}"), TARGET_MET,
           1.1);                                /* no queue there */
    timed_now("scale", "peer_torch_eager", 60); /* slower than the other, and the one that counts */
    timed_now("scale", "peer_copy", 49);
    timed_now("product", "v4_optimized", 3000);
    expect(one("scale", "large", "{\"ratio\": 1.2}"), TARGET_MET, 1.2);
    assert_string_equal(list.cells[0].against, "torch_eager 60.00 us");
    expect(one("scale", "large", "{\"copy_percent\": 98}"), TARGET_MET, 98);
    expect(one("scale", "large", "{\"own_percent\": 97, \"own\": \"product\"}"), TARGET_MET, 6000);
}

/* The kernel was not timed again, some of what it is set against were: those of its own method count, whether the others are faster or not. */
static void an_older_kernel_meets_what_was_timed_with_it(void **state)
{
    (void)state;
    static const double now_us[] = {40, 70};
    f.ws->source[0] = '\0'; /* a bundle, which may hold kernels that the fixture has no sources of */
    for (int i = 0; i < 2; i++) {
        timed_now("scale", "peer_triton", now_us[i]);
        timed_now("product", "v4_wide", 60 * now_us[i]);
        expect(one("scale", "large", "{\"ratio\": 1.1}"), TARGET_MET, 1.1);
        assert_string_equal(list.cells[0].against, "torch_compile 55.00 us");
        expect(one("scale", "large", "{\"own_percent\": 97, \"own\": \"product\"}"), TARGET_MET, 6000);
        assert_string_equal(list.cells[0].against, "product v4_optimized 3000 us");
        write_targets(
            "{\"ops\": [\"scale\"], \"dtypes\": [\"f32\"], \"variant\": \"v4\", \"sizes\": {\"large\": "
            "[{\"ratio\": 1}]}}",
            ", \"least_ratio\": {\"variant\": \"v4\", \"ratio\": 0.9}");
        must_evaluate();
        expect(&list.cells[1], TARGET_NOT_MEASURED, 1.1); /* of one size */
    }
    expect(one("scale", "large", "{\"ratio\": 0.1, \"peers\": [\"triton\"]}"), TARGET_NOT_MEASURED, NAN);
    assert_string_equal(list.cells[0].reason, "triton was timed by another method");
}

/* Of several kernels that a target is for, the fastest by the usual method; one of before is not faster by what the queue took or did not. */
static void kernels_of_one_method_compete(void **state)
{
    (void)state;
    f.ws->source[0] = '\0'; /* a bundle, which may hold kernels that the fixture has no sources of */
    timed_now("scale", "v4_wide", 52);
    timed_now("scale", "v4_tall", 51);
    timed_now("scale", "peer_torch_eager", 60);
    expect(one("scale", "large", "{\"ratio\": 1.0}"), TARGET_MET, 60.0 / 51);
    assert_string_equal(list.cells[0].kernel, "v4_tall");
}

static void the_least_ratio_is_over_one_method(void **state)
{
    (void)state;
    timed_now("scale", "v4_optimized", 50);
    write_targets("{\"ops\": [\"scale\"], \"dtypes\": [\"f32\"], \"variant\": \"v4\", \"sizes\": {\"large\": "
                  "[{\"ratio\": 1}]}}",
                  ", \"least_ratio\": {\"variant\": \"v4\", \"ratio\": 0.9}");
    must_evaluate();
    expect(&list.cells[1], TARGET_NOT_MEASURED, NAN);
    assert_non_null(strstr(list.cells[1].reason, "0 of 4 sizes; not: small, medium, large, xlarge"));
    timed_now("scale", "peer_torch_eager", 42);
    must_evaluate();
    expect(&list.cells[1], TARGET_MISSED, 0.84);
}

static void a_copy_is_a_percentage(void **state)
{
    (void)state;
    expect(one("scale", "large", "{\"copy_percent\": 96}"), TARGET_MET, 96);
    assert_string_equal(list.cells[0].target, ">= 96% of a copy");
    expect(one("scale", "large", "{\"copy_percent\": 97}"), TARGET_MISSED, 96);
}

static void read_bandwidth_is_the_measured_one(void **state)
{
    (void)state;
    const double gbs = 2.0 * 4096 * 4096 * 4 / 50e-6 * 1e-9;
    expect(one("scale", "large", "{\"read_percent\": 88}"), TARGET_MET, 100 * gbs / 3020);
    expect(one("scale", "large", "{\"read_percent\": 90}"), TARGET_MISSED, 100 * gbs / 3020);
}

static void a_rate_is_absolute(void **state)
{
    (void)state;
    const double tflops = 2.0 * 4096 * 4096 * 4096 / 2560e-6 * 1e-12;
    expect(one("product", "large", "{\"tflops\": 53, \"figure\": \"burst\"}"), TARGET_MET, tflops);
    expect(one("product", "large", "{\"tflops\": 54, \"figure\": \"burst\"}"), TARGET_MISSED, tflops);
}

static void another_kernel_of_ours_has_the_same_dimensions(void **state)
{
    (void)state;
    expect(one("scale", "large", "{\"own_percent\": 97, \"own\": \"product\"}"), TARGET_MET, 6000);
    expect(one("scale", "large", "{\"own_percent\": 97, \"own\": \"nothing\"}"), TARGET_NOT_MEASURED, NAN);
    fixture_result(&f, &(fixture_case){.op = "product",
                                       .name = "v4_optimized",
                                       .dtype = "f32",
                                       .size = "large",
                                       .cold_us = 3000,
                                       .m = 4000});
    expect(one("scale", "large", "{\"own_percent\": 97, \"own\": \"product\"}"), TARGET_NOT_MEASURED, NAN);
}

static void what_was_not_measured_is_no_pass(void **state)
{
    (void)state;
    expect(one("scale", "medium", "{\"ratio\": 0.1}"), TARGET_NOT_MEASURED, NAN);
    assert_int_equal(list.met, 0);
    assert_int_equal(list.not_measured, 1);
    fixture_case c = {.op = "scale", .name = "v4_optimized", .dtype = "f32", .size = "large", .cold_us = 50};
    c.status = "unstable";
    c.reason = "too hot";
    fixture_result(&f, &c);
    expect(one("scale", "large", "{\"ratio\": 0.1}"), TARGET_NOT_MEASURED, NAN);
    assert_string_equal(list.cells[0].reason, "unstable: too hot");
    c.status = NULL;
    c.output_check = "fail";
    fixture_result(&f, &c);
    expect(one("scale", "large", "{\"ratio\": 0.1}"), TARGET_NOT_MEASURED, NAN);
    c.output_check = NULL;
    c.cold_us = 20; /* 134 MB in 20 us: the card has 3.4 TB/s */
    fixture_result(&f, &c);
    expect(one("scale", "large", "{\"ratio\": 0.1}"), TARGET_NOT_MEASURED, NAN);
    assert_string_equal(list.cells[0].reason, "its cold figure lies above the roof");
    c.cold_us = 50;
    fixture_result(&f, &c);
    fixture_verdict(&f, &c, "fail", "out[3] is 7", NULL);
    expect(one("scale", "large", "{\"ratio\": 0.1}"), TARGET_NOT_MEASURED, NAN);
}

static void the_least_ratio_is_of_the_worst_size(void **state)
{
    (void)state;
    static const char least[] = ", \"least_ratio\": {\"variant\": \"v4\", \"ratio\": 0.9}";
    static const char row[] = "{\"ops\": [\"scale\"], \"dtypes\": [\"f32\"], \"variant\": \"v4\", \"sizes\": "
                              "{\"large\": [{\"ratio\": 1}]}}";
    const target_cell *cell = NULL;
    write_targets(row, least);
    must_evaluate();
    for (int i = 1; i < list.count; i++) /* the first is the row's */
        if (strcmp(list.cells[i].op_name, "scale") == 0 && strcmp(list.cells[i].dtype_name, "f32") == 0)
            cell = &list.cells[i];
    assert_non_null(cell);
    expect(cell, TARGET_NOT_MEASURED, 1.1); /* other sizes have no figures */
    assert_non_null(strstr(cell->reason, "1 of 4 sizes; not: small, medium, xlarge"));
    result("scale", "v4_optimized", "xlarge", 250, 0);
    result("scale", "peer_torch_eager", "xlarge", 220, 0);
    must_evaluate();
    for (int i = 1; i < list.count; i++)
        if (strcmp(list.cells[i].op_name, "scale") == 0 && strcmp(list.cells[i].dtype_name, "f32") == 0)
            cell = &list.cells[i];
    expect(cell, TARGET_MISSED, 0.88);
    assert_string_equal(cell->against, "torch_eager 220.0 us at xlarge");
}

static void mistakes_in_the_file_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *row, *says;
    } wrong[] = {
        {"{\"ops\": [\"scal\"], \"dtypes\": [\"f32\"], \"variant\": \"v4\", \"sizes\": {}}",
         "there is no op \"scal\""},
        {"{\"ops\": [\"scale\"], \"dtypes\": [\"f64\"], \"variant\": \"v4\", \"sizes\": {}}",
         "has no dtype \"f64\""},
        {"{\"ops\": [\"scale\"], \"dtypes\": [\"f32\"], \"variant\": \"v4\", \"sizes\": {\"huge_one\": "
         "[{\"ratio\": 1}]}}",
         "has no size \"huge_one\""},
        {"{\"ops\": [\"scale\"], \"dtypes\": [\"f32\"], \"variant\": \"v4\", \"sizes\": {\"large\": "
         "[{\"ratio\": 1, "
         "\"tflops\": 2}]}}",
         "a condition needs one of"},
        {"{\"ops\": [\"scale\"], \"dtypes\": [\"f32\"], \"variant\": \"v4\", \"sizes\": {\"large\": "
         "[{\"own_percent\": 1}]}}",
         "a condition needs one of"},
        {"{\"ops\": [\"scale\"], \"dtypes\": [\"f32\"], \"variant\": \"v4\", \"sizes\": {\"large\": "
         "[{\"rate\": 1}]}}",
         "unknown key"},
        {"{\"ops\": [\"scale\"], \"dtypes\": [\"f32\"], \"sizes\": {}}", "missing key"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assay_error error = {0};
        write_targets(wrong[i].row, "");
        assert_int_equal(evaluate(&error), ASSAY_ERR_INVALID);
        if (strstr(error.message, wrong[i].says) == NULL)
            fail_msg("expected \"%s\" in: %s", wrong[i].says, error.message);
    }
}

static void another_card_has_no_targets(void **state)
{
    (void)state;
    char path[400];
    assay_error error = {0};
    static const char text[] = "{\"schema\": 1, \"cards\": {\"other-gpu\": {\"targets\": [{\"ops\": "
                               "[\"scale\"], \"dtypes\": [\"f32\"], "
                               "\"variant\": \"v4\", \"sizes\": {}}]}}}";
    snprintf(path, sizeof path, "%s/targets.json", f.root);
    assert_int_equal(text_file_write(path, text, strlen(text), NULL), ASSAY_OK);
    assert_int_equal(evaluate(&error), ASSAY_ERR_INVALID);
    assert_non_null(
        strstr(error.message, "has no targets for \"example-gpu\"; there are some for: other-gpu"));
}

static void a_filter_keeps_the_counts_of_what_it_keeps(void **state)
{
    (void)state;
    write_targets(
        "{\"ops\": [\"scale\", \"product\"], \"dtypes\": [\"f32\"], \"variant\": \"v4\", \"sizes\": "
        "{\"large\": [{\"ratio\": 1.0}, {\"ratio\": 9.0}], \"small\": [{\"ratio\": 1.0}]}}",
        "");
    must_evaluate();
    assert_int_equal(list.count, 6);
    const case_filter filter = {.ops = "scale"};
    targets_keep(&list, &filter, 0);
    assert_int_equal(list.count, 3);
    assert_int_equal(list.met + list.missed + list.not_measured, 3);
    targets_keep(&list, &filter, 1);
    assert_int_equal(list.count, 2);
    assert_int_equal(list.met, 1); /* counted, not listed */
}

static void the_table_names_everything(void **state)
{
    (void)state;
    char *text = NULL;
    size_t bytes;
    one("scale", "large", "{\"ratio\": 1.1}");
    FILE *out = open_memstream(&text, &bytes);
    targets_print(&model, &list, 1, out);
    fclose(out);
    assert_non_null(
        strstr(text, "| scale | f32 | large | >= 1.10x best peer, cold | 1.10x | v4_optimized 50.00 us | "
                     "torch_compile 55.00 us | met |"));
    assert_non_null(strstr(text, "1 targets: 1 met, 0 missed, 0 not measured"));
    free(text);
    json_t *json = targets_json(&model, &list);
    assert_non_null(json);
    assert_int_equal(json_integer_value(json_object_get(json, "met")), 1);
    json_decref(json);
}

static void a_near_miss_does_not_read_as_met(void **state)
{
    (void)state;
    static const struct {
        double us; /* the kernel's; the peer takes 55, the copy 48 */
        const char *condition, *shown;
    } rows[] = {
        {50.1, "{\"ratio\": 1.1}", "| 1.098x |"},        {50.01, "{\"ratio\": 1.1}", "| 1.0998x |"},
        {50.0, "{\"ratio\": 1.1}", "| 1.10x |"},         {50.1, "{\"ratio\": 1.2}", "| 1.10x |"},
        {50.01, "{\"copy_percent\": 96}", "| 95.98% |"}, {50.01, "{\"copy_percent\": 97}", "| 96.0% |"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = NULL;
        size_t bytes;
        result("scale", "v4_optimized", "large", rows[i].us, 0);
        one("scale", "large", rows[i].condition);
        FILE *out = open_memstream(&text, &bytes);
        targets_print(&model, &list, 1, out);
        fclose(out);
        if (!strstr(text, rows[i].shown))
            fail_msg("%s: no \"%s\" in %s", rows[i].condition, rows[i].shown, text);
        free(text);
    }
}

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = calloc(1, 8000);
    assert_non_null(file);
    assert_non_null(text);
    assert_true(fread(text, 1, 7999, file) > 0);
    fclose(file);
    return text;
}

static void the_document_parts_by_verdict(void **state)
{
    (void)state;
    char path[400], file[400];
    snprintf(file, sizeof file, "%s/targets.json", f.root);
    snprintf(path, sizeof path, "%s/targets.md", f.root);
    write_targets("{\"ops\": [\"scale\"], \"dtypes\": [\"f32\"], \"variant\": \"v4\", \"sizes\": "
                  "{\"large\": [{\"ratio\": 1.1}, {\"ratio\": 2}, {\"ratio\": 1, \"peers\": [\"cub\"]}, "
                  "{\"ratio\": 3}]}}",
                  "");
    assert_int_equal(targets_has_card(file, "example-gpu"), 1);
    assert_int_equal(targets_has_card(file, "another-gpu"), 0);
    assert_int_equal(targets_has_card("/nonexistent.json", "example-gpu"), 0);
    assert_int_equal(evaluate(NULL), ASSAY_OK);
    assert_int_equal(targets_write(&model, &list, path, NULL), ASSAY_OK);
    char *text = read_text(path);
    assert_non_null(strstr(text, "**1 of 4** targets are met, 2 are missed, 1 were not measured."));
    const char *missed = strstr(text, "## Missed"), *unknown = strstr(text, "## Not measured"),
               *met = strstr(text, "## Met");
    assert_true(missed && unknown && met && missed < unknown && unknown < met);
    assert_true(strstr(text, ">= 2.00x") > missed && strstr(text, ">= 3.00x") < unknown);
    assert_true(strstr(text, ">= 1.00x cub") > unknown && strstr(text, ">= 1.00x cub") < met);
    assert_true(strstr(text, ">= 1.10x") > met);
    free(text);
    assert_int_equal(targets_write(&model, &list, "/proc/none/targets.md", NULL), ASSAY_ERR_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_ratio_is_to_the_fastest_peer, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_condition_may_name_its_peers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_condition_may_name_its_figure, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_peer_in_another_math_mode_does_not_count, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_peer_of_another_run_does_not_count, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_peer_of_another_method_does_not_count, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_older_kernel_meets_what_was_timed_with_it, set_up, tear_down),
        cmocka_unit_test_setup_teardown(kernels_of_one_method_compete, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_least_ratio_is_over_one_method, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_copy_is_a_percentage, set_up, tear_down),
        cmocka_unit_test_setup_teardown(read_bandwidth_is_the_measured_one, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_rate_is_absolute, set_up, tear_down),
        cmocka_unit_test_setup_teardown(another_kernel_of_ours_has_the_same_dimensions, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_was_not_measured_is_no_pass, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_least_ratio_is_of_the_worst_size, set_up, tear_down),
        cmocka_unit_test_setup_teardown(mistakes_in_the_file_are_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(another_card_has_no_targets, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_filter_keeps_the_counts_of_what_it_keeps, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_table_names_everything, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_near_miss_does_not_read_as_met, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_document_parts_by_verdict, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
