/* What makes a result one of something else, and so its case to be timed again: each part of the identity
 * that can change under a build folder is changed here once, and the plan says by name what differs.
 * Nothing is timed: results are written from an invented record. */
#include "tests/unit.h"
#include "bench/plan/plan.h"
#include "core/json_file.h"
#include "results/result_file.h"
#include "scratch.h"

static const bench_options options = {.repetitions = 2,
                                      .warmup_ms = 1.0,
                                      .sample_ms = 4.0,
                                      .bound_s = 20.0,
                                      .modes = 1u << TIMING_COLD,
                                      .baselines = ""};
static const case_filter small = {.sizes = "small"};

static void make_plan(scratch *s, const char *driver, plan *p)
{
    assay_error error = {0};
    *p = (plan){.ws = s->ws, .options = &options};
    if (plan_read_device(p, &error) != ASSAY_OK)
        fail_msg("%s", error.message);
    snprintf(p->device.driver, sizeof p->device.driver, "%s", driver);
    assert_int_equal(plan_make(p, &small, NULL), ASSAY_OK);
    assert_int_equal(p->group_count, 1);
}

/* As a worker would: 12.5 us in each of two repetitions. */
static void write_result(const plan *p)
{
    const planned_group *g = &p->groups[0];
    const result_group common = {.ws = p->ws,
                                 .op = g->op,
                                 .dtype = g->dtype,
                                 .size = g->size,
                                 .device = &p->device,
                                 .method = &g->method,
                                 .interleaved_with = "v1_first",
                                 .overhead_us = {[TIMING_COLD] = 3.0}};
    module_record module;
    const double us[] = {12.25, 12.75};
    const repetition_record like = {.launches_per_sample = 1};
    bench_record record = {.name = "v1_first", .math_mode = "ieee", .mode_count = 1};
    assert_true(planned_module(p, g, "v1_first", &module));
    record.module = &module;
    record_set_status(&record, "ok", "%s", "");
    for (int r = 0; r < 2; r++)
        assert_int_equal(record_add_repetition(&record.modes[0], us, 2, &like, NULL), ASSAY_OK);
    assert_int_equal(result_write(&common, &record, NULL), ASSAY_OK);
    record_release(&record);
    module_record_release(&module);
}

static void use_reference(scratch *s, const char *hash)
{
    char path[400], text[80];
    snprintf(s->ws->ops[0].reference, sizeof s->ws->ops[0].reference, "%s/none.so", s->folder);
    snprintf(path, sizeof path, "%s/none.sha256", s->folder);
    memset(text, hash[0], 64);
    text[64] = '\0';
    assert_int_equal(text_file_write(path, text, 64, NULL), ASSAY_OK);
}

static void start(scratch *s)
{
    plan p;
    scratch_create(s);
    scratch_add_variant(s, "v1_first", "plain_spin_400", "pass");
    scratch_open(s);
    use_reference(s, "1");
    scratch_verify(s, "v1_first");
    make_plan(s, "host", &p);
    assert_int_equal(p.groups[0].variants[0].verified, 1);
    assert_int_equal(p.groups[0].stale, 1);
    write_result(&p);
    plan_release(&p);
}

static void expect(scratch *s, const char *driver, const char *differs)
{
    plan p;
    bench_summary summary = {0};
    make_plan(s, driver, &p);
    const planned_variant *v = &p.groups[0].variants[0];
    assert_int_equal(v->verified, 1);
    if (strncmp(v->differs, differs, strlen(differs)) != 0 || (!differs[0] && v->differs[0]))
        fail_msg("\"%s\", wanted \"%s\"", v->differs, differs);
    assert_int_equal(v->fresh, differs[0] == '\0');
    assert_int_equal(p.groups[0].stale, differs[0] != '\0');
    plan_count(&p, &p.groups[0], &summary);
    assert_int_equal(summary.timed,
                     differs[0] == '\0'); /* what is of something else is no time of this case */
    assert_int_equal(summary.fresh, differs[0] == '\0');
    plan_release(&p);
}

static void reopen(scratch *s)
{
    workspace_close(s->ws);
    scratch_open(s);
    use_reference(s, "1");
    scratch_verify(s, "v1_first");
}

static void replace(const scratch *s, const char *below, const char *from, const char *to)
{
    char path[400], *text = NULL;
    snprintf(path, sizeof path, "%s/%s", s->folder, below);
    assert_int_equal(text_file_read(path, &text, NULL, NULL), ASSAY_OK);
    char *at = strstr(text, from), *changed = malloc(strlen(text) + strlen(to) + 1);
    assert_non_null(at);
    sprintf(changed, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    assert_int_equal(text_file_write(path, changed, strlen(changed), NULL), ASSAY_OK);
    free(changed);
    free(text);
}

static void what_is_the_same_is_fresh(void **state)
{
    (void)state;
    scratch s;
    start(&s);
    expect(&s, "host", "");
    reopen(&s);
    expect(&s, "host", "");
    scratch_close(&s);
}

/* `small` was 8 x 16 when it was timed: its time once stood in the column of another size. */
static void dimensions_changed_in_op_json(void **state)
{
    (void)state;
    scratch s;
    start(&s);
    replace(&s, "ops/add/op.json", "\"small\": {\"M\": 8", "\"small\": {\"M\": 32");
    reopen(&s);
    expect(&s, "host", "dimensions M=8 N=16, now M=32 N=16; op.json ");
    scratch_close(&s);
}

static void tolerance_changed_in_op_json(void **state)
{
    (void)state;
    scratch s;
    start(&s);
    replace(&s, "ops/add/op.json", "\"rtol\": 1e-5", "\"rtol\": 1e-6");
    reopen(&s);
    expect(&s, "host", "op.json ");
    scratch_close(&s);
}

static void reference_changed(void **state)
{
    (void)state;
    scratch s;
    plan p;
    start(&s);
    use_reference(&s, "2");
    make_plan(&s, "host", &p); /* not fresh, and not to be timed before it was verified with this reference */
    assert_int_equal(p.groups[0].variants[0].verified, 0);
    assert_int_equal(p.groups[0].variants[0].fresh, 0);
    plan_release(&p);
    scratch_verify(&s, "v1_first");
    expect(&s, "host", "reference.c 11111111, now 22222222");
    scratch_close(&s);
}

static void compiler_and_flags_changed(void **state)
{
    (void)state;
    scratch s;
    start(&s);
    replace(&s, "modules/add.v1_first.f32.json", "\"compiler\": \"cc\"", "\"compiler\": \"cc 13\"");
    expect(&s, "host", "compiler cc, now cc 13");
    replace(&s, "modules/add.v1_first.f32.json", "\"flags\": \"-O2\"", "\"flags\": \"-O3\"");
    expect(&s, "host", "compiler cc, now cc 13; compiler flags -O2, now -O3");
    scratch_close(&s);
}

static void kernel_changed(void **state)
{
    (void)state;
    scratch s;
    start(&s);
    scratch_edit_variant(&s, "v1_first", "edited", 1);
    scratch_verify(&s, "v1_first");
    expect(&s, "host", "kernel source v1_first, now edited");
    scratch_close(&s);
}

static void driver_host_and_method_changed(void **state)
{
    (void)state;
    scratch s;
    start(&s);
    expect(&s, "590", "driver host");
    const char *const file = "results/cpu-simt/bench/add.v1_first.f32.small.json";
    replace(&s, file, "\"host\":{\"name\":\"", "\"host\":{\"name\":\"other-");
    expect(&s, "host", "host other-");
    replace(&s, file, "other-", "");
    replace(&s, file, "\"method\":{\"version\":1", "\"method\":{\"version\":0");
    expect(&s, "host", "method version 0 cold.1 flush by memset, now version 1");
    replace(&s, file, "\"version\":0", "\"version\":1");
    replace(&s, file, "\"method_version\":1", "\"method_version\":9");
    expect(&s, "host", "method version 1 cold.9");
    scratch_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_the_same_is_fresh),     cmocka_unit_test(dimensions_changed_in_op_json),
        cmocka_unit_test(tolerance_changed_in_op_json),  cmocka_unit_test(reference_changed),
        cmocka_unit_test(compiler_and_flags_changed),    cmocka_unit_test(kernel_changed),
        cmocka_unit_test(driver_host_and_method_changed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
