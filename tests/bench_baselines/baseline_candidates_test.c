/* What the harness makes of a peer's optional exports: notes, a layout of its own, another function, and a problem that it does
 * not offer. On the CPU device with the peers of plain_peer.c. */
#include "test.h"
#include "bench/plan/bench.h"
#include "core/json_file.h"
#include "scratch.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const bench_options all_peers = {.peers = "right,wrong,refuses,yardstick",
                                        .repetitions = 2,
                                        .warmup_ms = 0.5,
                                        .sample_ms = 2.0,
                                        .bound_s = 5.0};
static const case_filter small = {.sizes = "small"};

static void add_peer(const scratch *s, const char *name)
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
    add_peer(s, "right");
    add_peer(s, "wrong");
    add_peer(s, "refuses");
    add_peer(s, "yardstick");
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

static void tells_peers_apart(void **state)
{
    (void)state;
    scratch s;
    bench_summary summary;
    make_scratch(&s);
    assert_int_equal(bench_run(s.ws, &small, &all_peers, &summary, NULL),
                     ASSAY_OK); /* of kernels none is wrong */
    check_texts(&s, "baseline_right", "baseline", "ok", "pass", "");
    assert_string_equal(scratch_text(&s, "baseline_right", "small", "version"), "plain 1.0");
    assert_string_equal(scratch_text(&s, "baseline_right", "small", "choice"), "the only way there is");
    assert_true(scratch_figure(&s, "baseline_right", "small", "hot", "mean_us") > 0.0);
    check_texts(&s, "baseline_wrong", "baseline", "not timed", "fail", "the timed output is wrong");
    check_texts(&s, "baseline_yardstick", "unranked", "ok", "", "");
    check_texts(&s, "baseline_refuses", "baseline", "unavailable", "",
                "not offered: this baseline wants prime numbers");
    scratch_close(&s);
}

static void does_not_ask_again(void **state)
{
    (void)state;
    scratch s;
    bench_summary summary;
    bench_options options = all_peers;
    options.peers = "right,refuses";
    make_scratch(&s);
    assert_int_equal(bench_run(s.ws, &small, &options, &summary, NULL), ASSAY_OK);
    assert_int_equal(summary.groups_measured, 1);
    assert_int_equal(summary.peers_unavailable, 1);
    assert_int_equal(bench_run(s.ws, &small, &options, &summary, NULL), ASSAY_OK);
    assert_int_equal(summary.groups_measured, 0);
    assert_int_equal(summary.peers_unavailable, 1);
    scratch_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tells_peers_apart),
                                       cmocka_unit_test(does_not_ask_again)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
