/* What makes a result one of something else, and so its case to be timed again: each part of the identity
 * that can change under a build folder is changed here once, and the plan says by name what differs.
 * Nothing is timed: results are written from an invented record. */
#include "scratch_test.h"
#include "bench/plan/plan.h"
#include "core/json_file.h"
#include "results/result_file.h"

static const bench_options options = {.repetitions = 2,
                                      .warmup_ms = 1.0,
                                      .sample_ms = 4.0,
                                      .bound_s = 20.0,
                                      .modes = 1u << TIMING_COLD,
                                      .baselines = ""};
static const case_filter small = {.sizes = "small"};

static void make_plan(const char *driver, plan *p)
{
    assay_error error = {0};
    *p = (plan){.ws = s.ws, .options = &options};
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

static void use_reference(const char *hash)
{
    char path[400], text[80];
    snprintf(s.ws->ops[0].reference, sizeof s.ws->ops[0].reference, "%s/none.so", s.folder);
    snprintf(path, sizeof path, "%s/none.sha256", s.folder);
    memset(text, hash[0], 64);
    text[64] = '\0';
    assert_int_equal(text_file_write(path, text, 64, NULL), ASSAY_OK);
}

static void start(void)
{
    plan p;
    open_with((const made_variant[]){{"v1_first", "plain_spin_400", "pass"}, {0}});
    use_reference("1");
    scratch_verify(&s, "v1_first");
    make_plan("host", &p);
    assert_int_equal(p.groups[0].variants[0].verified, 1);
    assert_int_equal(p.groups[0].stale, 1);
    write_result(&p);
    plan_release(&p);
}

static void expect(const char *driver, const char *differs)
{
    plan p;
    bench_summary summary = {0};
    make_plan(driver, &p);
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

static void reopen(void)
{
    workspace_close(s.ws);
    scratch_open(&s);
    use_reference("1");
    scratch_verify(&s, "v1_first");
}

static void replace(const char *below, const char *from, const char *to)
{
    char path[400], *text = NULL;
    snprintf(path, sizeof path, "%s/%s", s.folder, below);
    assert_int_equal(text_file_read(path, &text, NULL, NULL), ASSAY_OK);
    char *at = strstr(text, from), *changed = malloc(strlen(text) + strlen(to) + 1);
    assert_non_null(at);
    sprintf(changed, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    assert_int_equal(text_file_write(path, changed, strlen(changed), NULL), ASSAY_OK);
    free(changed);
    free(text);
}

static void what_changed_is_named(void **state)
{
    static const char op_json[] = "ops/add/op.json", module[] = "modules/add.v1_first.f32.json",
                      timed[] = "results/cpu-simt/bench/add.v1_first.f32.small.json";
    static const struct {
        const char *file, *from, *to; /* NULL: no file is changed */
        int reopened;
        const char *driver, *differs;
    } rows[] = {
        {NULL, NULL, NULL, 0, "host", ""},
        {NULL, NULL, NULL, 1, "host", ""},
        {NULL, NULL, NULL, 0, "590", "driver host"},
        /* `small` was 8 x 16 when it was timed: its time once stood in the column of another size. */
        {op_json, "\"small\": {\"M\": 8", "\"small\": {\"M\": 32", 1, "host",
         "dimensions M=8 N=16, now M=32 N=16; op.json "},
        {op_json, "\"rtol\": 1e-5", "\"rtol\": 1e-6", 1, "host", "op.json "},
        {module, "\"compiler\": \"cc\"", "\"compiler\": \"cc 13\"", 0, "host", "compiler cc, now cc 13"},
        {module, "\"flags\": \"-O2\"", "\"flags\": \"-O3\"", 0, "host", "compiler flags -O2, now -O3"},
        {timed, "\"host\":{\"name\":\"", "\"host\":{\"name\":\"other-", 0, "host", "host other-"},
        {timed, "\"method\":{\"version\":1", "\"method\":{\"version\":0", 0, "host",
         "method version 0 cold.1 flush by memset, now version 1"},
        {timed, "\"method_version\":1", "\"method_version\":9", 0, "host", "method version 1 cold.9"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        start();
        if (rows[i].file)
            replace(rows[i].file, rows[i].from, rows[i].to);
        if (rows[i].reopened)
            reopen();
        expect(rows[i].driver, rows[i].differs);
        scratch_close(&s);
    }
}

static void reference_changed(void **state)
{
    plan p;
    start();
    use_reference("2");
    make_plan("host", &p); /* not fresh, and not to be timed before it was verified with this reference */
    assert_int_equal(p.groups[0].variants[0].verified, 0);
    assert_int_equal(p.groups[0].variants[0].fresh, 0);
    plan_release(&p);
    scratch_verify(&s, "v1_first");
    expect("host", "reference.c 11111111, now 22222222");
}

static void kernel_changed(void **state)
{
    start();
    scratch_edit_variant(&s, "v1_first", "edited", 1);
    scratch_verify(&s, "v1_first");
    expect("host", "kernel source v1_first, now edited");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_changed_is_named),
        cmocka_unit_test_teardown(reference_changed, close_scratch),
        cmocka_unit_test_teardown(kernel_changed, close_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
