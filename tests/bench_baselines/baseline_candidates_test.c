/* What the harness makes of a baseline's optional exports: notes, a layout of its own, another function, and a problem that it does
 * not offer. On the CPU device with the baselines of plain_baseline.c. */
#include "tests/unit.h"
#include "bench/plan/bench.h"
#include "core/json_file.h"
#include "scratch.h"
#include <sys/stat.h>
#include <unistd.h>

static const bench_options all_baselines = {.baselines = "right,wrong,refuses,unranked",
                                            .repetitions = 2,
                                            .warmup_ms = 0.5,
                                            .sample_ms = 2.0,
                                            .bound_s = 5.0};
static const case_filter small = {.sizes = "small"};

static void add_baseline(const scratch *s, const char *name)
{
    char module[512], link[512];
    snprintf(module, sizeof module, "%s/baseline_%s.so", TEST_BASELINE_FOLDER, name);
    snprintf(link, sizeof link, "%s/baselines/add.%s.f32.so", s->folder, name);
    assert_int_equal(symlink(module, link), 0);
}

static void make_scratch(scratch *s)
{
    char folder[512];
    scratch_create(s);
    snprintf(folder, sizeof folder, "%s/baselines", s->folder);
    assert_int_equal(mkdir(folder, 0777), 0);
    add_baseline(s, "right");
    add_baseline(s, "wrong");
    add_baseline(s, "refuses");
    add_baseline(s, "unranked");
    scratch_add_variant(s, "v1_first", "plain_spin_400", "pass");
    scratch_open(s);
}

static void check_texts(const scratch *s, const char *name, const char *kind, const char *status,
                        const char *output_check, const char *reason)
{
    assert_string_equal(scratch_text(s, name, "small", "kind"), kind);
    assert_string_equal(scratch_text(s, name, "small", "status"), status);
    assert_string_equal(scratch_text(s, name, "small", "output_check"), output_check);
    assert_non_null(strstr(scratch_text(s, name, "small", "reason"), reason));
}

static void tells_baselines_apart(void **state)
{
    scratch s;
    bench_summary summary;
    make_scratch(&s);
    assert_int_equal(bench_run(s.ws, &small, &all_baselines, &summary, NULL),
                     ASSAY_OK); /* of kernels none is wrong */
    check_texts(&s, "baseline_right", "baseline", "ok", "pass", "");
    assert_string_equal(scratch_text(&s, "baseline_right", "small", "version"), "plain 1.0");
    assert_string_equal(scratch_text(&s, "baseline_right", "small", "choice"), "the only way there is");
    assert_true(scratch_metric(&s, "baseline_right", "small", "hot", "mean_us") > 0.0);
    check_texts(&s, "baseline_wrong", "baseline", "not timed", "fail", "the timed output is wrong");
    check_texts(&s, "baseline_unranked", "unranked", "ok", "", "");
    check_texts(&s, "baseline_refuses", "baseline", "unavailable", "",
                "not offered: this baseline wants prime numbers");
    scratch_close(&s);
}

static void does_not_ask_again(void **state)
{
    scratch s;
    bench_summary summary;
    bench_options options = all_baselines;
    options.baselines = "right,refuses";
    make_scratch(&s);
    assert_int_equal(bench_run(s.ws, &small, &options, &summary, NULL), ASSAY_OK);
    assert_int_equal(summary.groups_measured, 1);
    assert_int_equal(summary.baselines_unavailable, 1);
    assert_int_equal(bench_run(s.ws, &small, &options, &summary, NULL), ASSAY_OK);
    assert_int_equal(summary.groups_measured, 0);
    assert_int_equal(summary.baselines_unavailable, 1);
    scratch_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tells_baselines_apart),
                                       cmocka_unit_test(does_not_ask_again)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
