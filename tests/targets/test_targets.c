/* Targets against made-up results: each rule met and missed, what counts as not measured, and how it is
 * printed. */
#include "tests/unit.h"
#include "report/targets.h"
#include "core/json_file.h"
#include "fixture.h"
#include "report/report_load.h"
#include <math.h>

static fixture f;
static report_model model;
static target_list list;

/* f32 of an op; the kernel's group held `with`. Half of an interval is 1% of the mean. */
static void put(const char *op, const char *name, const char *size, double cold, double sustained,
                const char *with)
{
    const fixture_case c = {.op = op,
                            .name = name,
                            .dtype = "f32",
                            .size = size,
                            .unranked = strcmp(name, "baseline_copy") == 0,
                            .cold_us = cold,
                            .sustained_us = sustained,
                            .interval = 0.01,
                            .with = with};
    fixture_result(&f, &c);
    if (name[0] == 'v')
        fixture_verdict(&f, &c, "pass", "", NULL);
}

static void judge(const char *sizes)
{
    assay_error error = {0};
    const case_filter filter = {.sizes = sizes};
    targets_release(&list);
    report_model_release(&model);
    if (report_model_read(f.ws, NULL, &model, &error) != ASSAY_OK ||
        targets_judge(&model, &filter, &list, &error) != ASSAY_OK)
        fail_msg("%s", error.message);
}

/* The only target of a size. */
static const target *one(const char *size)
{
    judge(size);
    assert_int_equal(list.count, 1);
    return &list.items[0];
}

static void expect(const target *t, target_verdict verdict, double ratio)
{
    if (t->verdict != verdict)
        fail_msg("verdict %d (%s), ratio %g", (int)t->verdict, t->reason, t->ratio);
    if (isnan(ratio) ? !isnan(t->ratio) : !(fabs(t->ratio - ratio) < 1e-6))
        fail_msg("ratio %.9g, not %.9g", t->ratio, ratio);
}

static void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part)) {
        fputs(text, stderr); /* cmocka cuts its messages */
        fail_msg("no '%s' there", part);
    }
}

static int set_up(void **state)
{
    fixture_open(&f, NULL, "cuda");
    fixture_ceilings(&f);
    return 0;
}

static int tear_down(void **state)
{
    targets_release(&list);
    report_model_release(&model);
    fixture_close(&f);
    return 0;
}

/* "scale" at large moves 134 MB: a baseline that is faster than the copy does not matter there. */
static void a_memory_bound_kernel_is_held_to_a_copy_of_the_same_bytes(void **state)
{
    put("scale", "v4_optimized", "large", 50, 0, "baseline_copy");
    put("scale", "baseline_torch_eager", "large", 40, 0, NULL);
    put("scale", "baseline_copy", "large", 48.5, 0, NULL);
    expect(one("large"), TARGET_MET, 0.97);
    assert_string_equal(list.items[0].rule, ">= 97% of a copy");
    put("scale", "baseline_copy", "large", 48.4, 0, NULL); /* within the intervals, and yet a miss */
    expect(one("large"), TARGET_MISSED, 0.968);
}

/* At small it moves half a MB: a copy is no measure there, and a tie with the best baseline is enough. */
static void below_4_mib_it_is_held_to_the_best_baseline(void **state)
{
    put("scale", "v4_optimized", "small", 5, 0, "baseline_torch_eager");
    put("scale", "baseline_torch_eager", "small", 5, 0, NULL);
    put("scale", "baseline_copy", "small", 4, 0, NULL);
    expect(one("small"), TARGET_MET, 1.0);
    assert_string_equal(list.items[0].rule, "no loss to baseline");
    put("scale", "baseline_torch_eager", "small", 4.95, 0, NULL);
    expect(one("small"), TARGET_MET, 0.99);
    put("scale", "baseline_torch_eager", "small", 4.5, 0, NULL);
    expect(one("small"), TARGET_MISSED, 0.9);
}

/* Under lasting load the power limit decides, so a product's sustained times count where there are some. */
static void a_compute_bound_kernel_is_held_to_the_best_baseline(void **state)
{
    put("product", "v4_optimized", "large", 3000, 3200, "baseline_cublas");
    put("product", "baseline_cublas", "large", 2000, 3520, NULL);
    expect(one("large"), TARGET_MET, 1.1);
    assert_int_equal(list.items[0].mode, TIMING_SUSTAINED);
    put("product", "v4_optimized", "large", 3000, 0, "baseline_cublas");
    expect(one("large"), TARGET_MISSED, 2.0 / 3);
    assert_int_equal(list.items[0].mode, TIMING_COLD);
}

/* Whichever kernel it is. */
static void the_fastest_kernel_counts(void **state)
{
    put("scale", "v3_coalesced", "small", 5, 0, "baseline_a");
    put("scale", "v4_optimized", "small", 6, 0, "baseline_a");
    put("scale", "baseline_a", "small", 5.5, 0, NULL);
    expect(one("small"), TARGET_MET, 1.1);
    assert_string_equal(list.items[0].kernel->name, "v3_coalesced");
}

static void what_does_not_count_is_not_measured(void **state)
{
    put("scale", "v4_optimized", "small", 5, 0, NULL);
    expect(one("small"), TARGET_NOT_MEASURED, NAN);
    assert_string_equal(list.items[0].reason, "the best baseline has no time");
    put("scale", "baseline_a", "small", 5, 0, NULL);
    expect(one("small"), TARGET_NOT_MEASURED, NAN);
    assert_string_equal(list.items[0].reason, "the best baseline was timed in another run");
    put("scale", "v4_optimized", "small", 0.1, 0, "baseline_a");
    expect(one("small"), TARGET_NOT_MEASURED, NAN);
    assert_string_equal(list.items[0].reason, "v4_optimized is above its roofline bound");
    fixture_case unstable = {.op = "scale",
                             .name = "v4_optimized",
                             .dtype = "f32",
                             .size = "small",
                             .cold_us = 5,
                             .status = "unstable"};
    fixture_result(&f, &unstable);
    expect(one("small"), TARGET_NOT_MEASURED, NAN);
    assert_string_equal(list.items[0].reason, "v4_optimized is unstable");
    expect(one("medium"), TARGET_NOT_MEASURED, NAN); /* of a dtype that was measured */
    assert_string_equal(list.items[0].reason, "no kernel has a time");
    assert_int_equal(list.without_results, 5); /* op x dtype of which nothing was */
}

static char *printed(int all, int markdown)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    targets_print(&model, &list, all, markdown, out);
    fclose(out);
    return text;
}

static void times_of_the_cpu_device_are_held_to_nothing(void **state)
{
    fixture cpu;
    report_model read;
    target_list none;
    assay_error error = {0};
    const case_filter filter = {0};
    fixture_open(&cpu, NULL, "cpu");
    fixture_fill_cpu(&cpu);
    assert_int_equal(report_model_read(cpu.ws, NULL, &read, &error), ASSAY_OK);
    assert_int_equal(targets_judge(&read, &filter, &none, &error), ASSAY_ERR_INVALID);
    assert_has(error.message, "times of the CPU device are not held to anything");
    targets_release(&none);
    report_model_release(&read);
    fixture_close(&cpu);
}

/* A line a rule with its worst size, or one a size; the JSON has each. */
static void a_rule_is_printed_with_its_worst_size(void **state)
{
    static const char *const sizes[] = {"medium", "large"};
    for (int s = 0; s < 2; s++) {
        put("scale", "v4_optimized", sizes[s], 100, 0, "baseline_copy");
        put("scale", "baseline_copy", sizes[s], s ? 96 : 99, 0, NULL);
    }
    judge("medium,large");
    assert_int_equal(list.counts[TARGET_MET], 1);
    assert_int_equal(list.counts[TARGET_MISSED], 1);
    char *lines = printed(0, 0), *all = printed(1, 0), *table = printed(0, 1);
    assert_has(lines, "scale  f32    >= 97% of a copy  1 of 2  96.00% at large  v4_optimized 100.0 us, copy "
                      "96.00 us  missed\n");
    assert_has(lines, "\n2 targets: 1 met, 1 missed, 0 not measured; no results of 5 op x dtype\n");
    assert_null(strstr(lines, "at medium"));
    assert_has(all, "1 of 1  99.0% at medium");
    assert_has(all, "0 of 1  96.00% at large");
    assert_has(table, "| scale | f32 | >= 97% of a copy | 1 of 2 | 96.00% at large | v4_optimized 100.0 us, "
                      "copy 96.00 us | missed |\n");
    json_t *json = targets_json(&model, &list);
    assert_int_equal(json_array_size(json_object_get(json, "targets")), 2);
    assert_true(json_get_number(json, "missed", 0) == 1);
    json_decref(json);
    free(lines);
    free(all);
    free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_memory_bound_kernel_is_held_to_a_copy_of_the_same_bytes, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(below_4_mib_it_is_held_to_the_best_baseline, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_compute_bound_kernel_is_held_to_the_best_baseline, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_fastest_kernel_counts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_does_not_count_is_not_measured, set_up, tear_down),
        cmocka_unit_test(times_of_the_cpu_device_are_held_to_nothing),
        cmocka_unit_test_setup_teardown(a_rule_is_printed_with_its_worst_size, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
