/* The supervisor with real workers on the CPU device: freshness, refusals, crashes, kills, interrupts. */
#include "test.h"
#include "bench/plan/bench.h"
#include "core/json_file.h"
#include "core/process.h"
#include "scratch.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const case_filter three_sizes = {.sizes = "small,medium,large"};
static const bench_options usual = {
    .repetitions = 2, .warmup_ms = 1.0, .sample_ms = 4.0, .bound_s = 20.0, .modes = 1u << TIMING_COLD};

static assay_status run(scratch *s, const case_filter *filter, const bench_options *options,
                        bench_summary *summary)
{
    assay_error error = {0};
    const assay_status status = bench_run(s->ws, filter, options, summary, &error);
    if (status != ASSAY_OK && status != ASSAY_ERR_CHECK)
        print_message("bench_run: %s\n", error.message);
    return status;
}

static void two_good_variants(scratch *s)
{
    scratch_create(s);
    scratch_add_variant(s, "v1_first", "plain_spin_400", "pass");
    scratch_add_variant(s, "v2_second", "plain_spin_420", "pass");
    scratch_open(s);
}

static void measures_once(void **state)
{
    (void)state;
    scratch s;
    bench_summary summary;
    two_good_variants(&s);
    assert_int_equal(run(&s, &three_sizes, &usual, &summary), ASSAY_OK);
    assert_int_equal(summary.groups, 3);
    assert_int_equal(summary.groups_measured, 3);
    assert_int_equal(summary.cases, 6);
    assert_int_equal(summary.timed, 6);
    assert_int_equal(summary.fresh, 0);
    assert_int_equal(summary.baselines_timed, 6); /* the reference and the copy, three sizes */
    assert_int_equal(run(&s, &three_sizes, &usual, &summary), ASSAY_OK);
    assert_int_equal(summary.groups_measured, 0);
    assert_int_equal(summary.fresh, 6);
    const bench_options quick = {.quick = 1, .warmup_ms = -1.0, .sample_ms = -1.0, .bound_s = -1.0};
    assert_int_equal(run(&s, &three_sizes, &quick, &summary),
                     ASSAY_OK); /* every part of the method reaches the worker */
    assert_int_equal(summary.groups_measured, 3);
    assert_int_equal(run(&s, &three_sizes, &quick, &summary), ASSAY_OK);
    assert_int_equal(summary.groups_measured, 0);
    bench_options other = usual;
    other.force = 1;
    assert_int_equal(run(&s, &three_sizes, &other, &summary), ASSAY_OK);
    assert_int_equal(summary.groups_measured, 3);
    other.force = 0;
    other.flush = "read"; /* another method is another time */
    assert_int_equal(run(&s, &three_sizes, &other, &summary), ASSAY_OK);
    assert_int_equal(summary.groups_measured, 3);
    scratch_close(&s);
}

static double repetitions_of(scratch *s, const char *variant)
{
    json_t *file = scratch_result(s, variant, "small");
    const json_t *assay = json_object_get(file, "assay");
    const double repetitions = json_get_number(json_object_get(assay, "method"), "repetitions", 0);
    json_decref(file);
    return repetitions;
}

static void a_quick_look_keeps_fuller_results(void **state)
{
    (void)state;
    scratch s;
    bench_summary summary;
    const case_filter small = {.sizes = "small"};
    const bench_options full = {.repetitions = 4,
                                .warmup_ms = 1.0,
                                .sample_ms = 20.0,
                                .bound_s = 20.0,
                                .modes = 1u << TIMING_COLD | 1u << TIMING_HOT};
    bench_options quick = BENCH_OPTIONS_INIT;
    quick.quick = 1;
    two_good_variants(&s);
    assert_int_equal(run(&s, &small, &full, &summary), ASSAY_OK);
    assert_int_equal(run(&s, &small, &quick, &summary), ASSAY_OK);
    assert_int_equal(summary.groups_measured, 0);
    assert_int_equal(summary.kept, 4); /* two variants, the reference and the copy */
    assert_int_equal(summary.fresh, 2);
    scratch_edit_variant(&s, "v1_first", "edited", 1); /* what changed is looked at, and only that */
    assert_int_equal(run(&s, &small, &quick, &summary), ASSAY_OK);
    assert_int_equal(summary.groups_measured, 1);
    assert_int_equal(summary.kept, 3);
    assert_float_equal(repetitions_of(&s, "v1_first"), 3, 0);
    assert_float_equal(repetitions_of(&s, "v2_second"), 4, 0);
    quick.force = 1;
    assert_int_equal(run(&s, &small, &quick, &summary), ASSAY_OK);
    assert_int_equal(summary.kept, 0);
    assert_float_equal(repetitions_of(&s, "v2_second"), 3, 0);
    assert_int_equal(run(&s, &small, &full, &summary), ASSAY_OK); /* a look is no result */
    assert_float_equal(repetitions_of(&s, "v1_first"), 4, 0);
    scratch_close(&s);
}

/* What is far behind is given up after one repetition; the others have all of theirs. */
static void what_is_far_behind_is_given_up(void **state)
{
    (void)state;
    scratch s;
    bench_summary summary;
    const case_filter small = {.sizes = "small"};
    bench_options giving_up = usual;
    giving_up.repetitions = 3;
    giving_up.give_up_us = 5000;
    scratch_create(&s);
    scratch_add_variant(&s, "v1_first", "plain_spin_400", "pass");
    scratch_add_variant(&s, "v2_far_behind", "plain_spin_20000", "pass");
    scratch_open(&s);
    assert_int_equal(run(&s, &small, &giving_up, &summary), ASSAY_OK);
    assert_int_equal(summary.timed, 2);
    static const struct {
        const char *variant;
        size_t repetitions;
    } rows[] = {{"v1_first", 3}, {"v2_far_behind", 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        json_t *file = scratch_result(&s, rows[i].variant, "small");
        const json_t *cold =
            json_object_get(json_object_get(json_object_get(file, "assay"), "modes"), "cold");
        assert_int_equal(json_array_size(json_object_get(cold, "repetitions")), rows[i].repetitions);
        json_decref(file);
    }
    assert_true(scratch_metric(&s, "v2_far_behind", "small", "cold", "mean_us") > 5000);
    scratch_close(&s);
}

/* As if a result had been measured with another value of a key of its method. */
static void edit_method(const scratch *s, const char *name, const char *key, int value)
{
    char path[512];
    json_t *file = scratch_result(s, name, "small");
    json_t *method = json_object_get(json_object_get(file, "assay"), "method");
    assert_int_equal(json_object_set_new(method, key, json_integer(value)), 0);
    scratch_result_path(s, name, "small", path, sizeof path);
    assert_int_equal(json_file_write(path, file, 0, NULL), ASSAY_OK);
    json_decref(file);
}

/* However many repetitions: what another queue or rest gave is no fuller result of this method. */
static void a_quick_look_keeps_no_other_methods_results(void **state)
{
    (void)state;
    static const struct {
        const char *key;
        int value;
    } rows[] = {{"version", 0}, {"seed", 7}, {"locked_mhz", 1500}};
    scratch s;
    bench_summary summary;
    const case_filter small = {.sizes = "small"};
    const bench_options full = {
        .repetitions = 4, .warmup_ms = 1.0, .sample_ms = 20.0, .bound_s = 20.0, .modes = 1u << TIMING_COLD};
    bench_options quick = BENCH_OPTIONS_INIT;
    quick.quick = 1;
    two_good_variants(&s);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(run(&s, &small, &full, &summary), ASSAY_OK);
        assert_float_equal(repetitions_of(&s, "v1_first"), 4, 0);
        edit_method(&s, "v1_first", rows[i].key, rows[i].value);
        assert_int_equal(run(&s, &small, &quick, &summary), ASSAY_OK);
        if (summary.groups_measured != 1 || summary.kept != 3)
            fail_msg("with another %s: %d groups measured, %d results kept", rows[i].key,
                     summary.groups_measured, summary.kept);
        assert_float_equal(repetitions_of(&s, "v1_first"), 3, 0);
        assert_float_equal(repetitions_of(&s, "v2_second"), 4, 0);
    }
    scratch_close(&s);
}

static void measures_again_what_changed(void **state)
{
    (void)state;
    scratch s;
    char path[512];
    bench_summary summary;
    const case_filter small = {.sizes = "small"};
    two_good_variants(&s);
    assert_int_equal(run(&s, &small, &usual, &summary), ASSAY_OK);
    scratch_edit_variant(&s, "v1_first", "edited", 1);
    assert_int_equal(run(&s, &small, &usual, &summary), ASSAY_OK);
    assert_int_equal(summary.groups_measured, 1);
    assert_string_equal(scratch_text(&s, "v1_first", "small", "source_sha256"), "edited");
    scratch_result_path(&s, "v2_second", "small", path, sizeof path);
    assert_int_equal(truncate(path, 100), 0); /* as if the disk had been full */
    assert_int_equal(run(&s, &small, &usual, &summary), ASSAY_OK);
    assert_int_equal(summary.groups_measured, 1);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(run(&s, &small, &usual, &summary), ASSAY_OK);
    assert_int_equal(summary.groups_measured, 1);
    assert_string_equal(scratch_text(&s, "v2_second", "small", "status"), "ok");
    scratch_close(&s);
}

static void records_refusals(void **state)
{
    (void)state;
    scratch s;
    bench_summary summary;
    const case_filter small = {.sizes = "small"};
    scratch_create(&s);
    scratch_add_variant(&s, "v1_good", "plain_spin_400", "pass");
    scratch_add_variant(&s, "v2_wrong", "plain_spin_400", "fail");
    scratch_add_variant(&s, "v3_stale", "plain_spin_400", "pass");
    scratch_edit_variant(&s, "v3_stale", "edited", 0);
    scratch_open(&s);
    assert_int_equal(run(&s, &small, &usual, &summary), ASSAY_OK);
    assert_int_equal(summary.timed, 1);
    assert_int_equal(summary.refused, 2);
    assert_string_equal(scratch_text(&s, "v2_wrong", "small", "status"), "not timed");
    assert_string_equal(scratch_text(&s, "v2_wrong", "small", "reason"),
                        "correctness: fail: invented reason");
    assert_non_null(strstr(scratch_text(&s, "v3_stale", "small", "reason"), "stale"));
    scratch_close(&s);
}

/* A case that was timed and whose kernel then changed must not keep its old times. */
static void drops_times_of_an_edited_kernel(void **state)
{
    (void)state;
    scratch s;
    bench_summary summary;
    const case_filter small = {.sizes = "small"};
    two_good_variants(&s);
    assert_int_equal(run(&s, &small, &usual, &summary), ASSAY_OK);
    assert_true(scratch_metric(&s, "v1_first", "small", "cold", "mean_us") > 0.0);
    scratch_edit_variant(&s, "v1_first", "edited", 0);
    assert_int_equal(run(&s, &small, &usual, &summary), ASSAY_OK);
    assert_string_equal(scratch_text(&s, "v1_first", "small", "status"), "not timed");
    assert_near(scratch_metric(&s, "v1_first", "small", "cold", "mean_us"), -1.0, 0.0);
    scratch_close(&s);
}

static void a_crash_costs_only_its_own_case(void **state)
{
    (void)state;
    scratch s;
    bench_summary summary;
    const case_filter small = {.sizes = "small"};
    scratch_create(&s);
    scratch_add_variant(&s, "v1_good", "plain_spin_400", "pass");
    scratch_add_variant(&s, "v2_crash", "plain_crash", "pass");
    scratch_add_variant(&s, "v3_good", "plain_spin_400", "pass");
    scratch_open(&s);
    assert_int_equal(run(&s, &small, &usual, &summary), ASSAY_ERR_CHECK);
    assert_int_equal(summary.timed, 2);
    assert_int_equal(summary.failed, 1);
    assert_int_equal(summary.baselines_timed, 2);
    assert_string_equal(scratch_text(&s, "v2_crash", "small", "status"), "not timed");
    assert_non_null(strstr(scratch_text(&s, "v2_crash", "small", "reason"), "timing it"));
    assert_string_equal(scratch_text(&s, "v3_good", "small", "status"), "ok");
    scratch_close(&s);
}

static void groups_share_a_process(void **state)
{
    (void)state;
    scratch s;
    bench_summary summary;
    const case_filter two_sizes = {.sizes = "small,medium"};
    bench_options shared = usual;
    shared.shared = 1;
    scratch_create(&s);
    scratch_add_variant(&s, "v1_good", "plain_spin_400", "pass");
    scratch_open(&s);
    assert_int_equal(run(&s, &two_sizes, &shared, &summary), ASSAY_OK);
    assert_int_equal(summary.timed, 2);
    assert_int_equal(summary.baselines_timed, 4);
    assert_true(summary.phases_s[GROUP_TIMING] >
                2 * 3 * 2 * 4e-3); /* sizes, candidates, repetitions, samples */
    scratch_close(&s);
}

static void a_crash_in_a_shared_process_costs_its_own_cases(void **state)
{
    (void)state;
    scratch s;
    bench_summary summary;
    const case_filter two_sizes = {.sizes = "small,medium"};
    bench_options shared = usual;
    shared.shared = 1;
    scratch_create(&s);
    scratch_add_variant(&s, "v1_good", "plain_spin_400", "pass");
    scratch_add_variant(&s, "v2_crash", "plain_crash", "pass");
    scratch_open(&s);
    assert_int_equal(run(&s, &two_sizes, &shared, &summary), ASSAY_ERR_CHECK);
    assert_int_equal(summary.timed, 2);
    assert_int_equal(summary.failed, 2);
    assert_int_equal(summary.baselines_timed, 4);
    assert_string_equal(scratch_text(&s, "v2_crash", "medium", "status"), "not timed");
    scratch_close(&s);
}

static void late_drift_fails(void **state)
{
    (void)state;
    scratch s;
    bench_summary summary;
    const case_filter small = {.sizes = "small"};
    scratch_create(&s);
    scratch_add_variant(&s, "v1_drift", "plain_drift", "pass");
    scratch_open(&s);
    bench_options longer = usual;
    longer.sample_ms = 20.0;
    assert_int_equal(run(&s, &small, &longer, &summary), ASSAY_ERR_CHECK);
    assert_int_equal(summary.failed, 1);
    assert_string_equal(scratch_text(&s, "v1_drift", "small", "output_check"), "fail");
    scratch_close(&s);
}

/* Run in a child that can be killed or interrupted. The child's exit status is 10 + summary.interrupted. */
static pid_t start_child(scratch *s, const bench_options *options)
{
    const pid_t child = fork();
    if (child == 0) {
        bench_summary summary;
        setpgid(0, 0);
        bench_run(s->ws, &three_sizes, options, &summary, NULL);
        _exit(10 + summary.interrupted);
    }
    setpgid(child, child);
    return child;
}

static void wait_for_result(const scratch *s, const char *name, const char *size)
{
    char path[512];
    scratch_result_path(s, name, size, path, sizeof path);
    for (int i = 0; i < 3000 && access(path, R_OK) != 0; i++)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    assert_int_equal(access(path, R_OK), 0);
}

/* Groups that take about a second each: time enough to hit the second one. */
static const bench_options slow = {
    .repetitions = 10, .warmup_ms = 10.0, .sample_ms = 20.0, .bound_s = 20.0, .modes = 1u << TIMING_COLD};

static void resumes_after(int signal_number, int *exit_status)
{
    scratch s;
    bench_summary summary;
    two_good_variants(&s);
    const pid_t child = start_child(&s, &slow);
    wait_for_result(&s, "baseline_copy", "small"); /* the last file of the first group */
    nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
    kill(child, signal_number);
    assert_int_equal(waitpid(child, exit_status, 0), child);
    json_t *later = scratch_result(&s, "v1_first", "large");
    assert_null(later); /* the run had not come that far */
    nanosleep(&(struct timespec){.tv_sec = 1, .tv_nsec = 500000000}, NULL);
    later = scratch_result(&s, "v1_first", "medium");
    assert_null(later); /* nor did a worker that lost its supervisor go on by itself */
    assert_int_equal(run(&s, &three_sizes, &slow, &summary), ASSAY_OK);
    assert_int_equal(summary.timed, 6);
    assert_int_equal(summary.groups_measured, 2); /* the first group was not measured again */
    assert_true(summary.fresh >= 2);
    scratch_close(&s);
}

static void resumes_after_kill(void **state)
{
    (void)state;
    int exit_status;
    resumes_after(SIGKILL, &exit_status);
    assert_true(WIFSIGNALED(exit_status));
}

static void resumes_after_interrupt(void **state)
{
    (void)state;
    int exit_status;
    resumes_after(SIGINT, &exit_status);
    assert_true(WIFEXITED(exit_status));
    assert_int_equal(WEXITSTATUS(exit_status), 11);
}

/* Results of another method lie there: they are not of this run, and neither is what it did not come to. */
static void an_interrupted_run_counts_what_it_did(void **state)
{
    (void)state;
    scratch s;
    bench_summary summary;
    int channel[2];
    two_good_variants(&s);
    assert_int_equal(run(&s, &three_sizes, &usual, &summary), ASSAY_OK);
    assert_int_equal(pipe(channel), 0);
    const pid_t child = fork();
    if (child == 0) {
        setpgid(0, 0);
        bench_run(s.ws, &three_sizes, &slow, &summary, NULL);
        _exit(write(channel[1], &summary, sizeof summary) != sizeof summary);
    }
    nanosleep(&(struct timespec){.tv_nsec = 500000000}, NULL);
    kill(child, SIGINT);
    assert_int_equal(read(channel[0], &summary, sizeof summary), sizeof summary);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(summary.interrupted, 1);
    assert_int_equal(summary.cases, 6);
    assert_int_equal(summary.fresh, 0);
    assert_int_equal(summary.timed + summary.left, 6);
    assert_true(summary.left >= 4); /* two groups, at least */
    close(channel[0]);
    close(channel[1]);
    scratch_close(&s);
}

static void dry_run_only_prints(void **state)
{
    (void)state;
    scratch s;
    bench_summary summary;
    char text[4096] = "";
    two_good_variants(&s);
    bench_options dry = usual;
    dry.dry_run = 1;
    dry.progress = tmpfile();
    assert_int_equal(run(&s, &three_sizes, &dry, &summary), ASSAY_OK);
    rewind(dry.progress);
    const size_t bytes = fread(text, 1, sizeof text - 1, dry.progress);
    fclose(dry.progress);
    assert_true(bytes > 0);
    assert_non_null(strstr(text, "assay-bench-group --plan - <<'END'\n{"));
    assert_non_null(strstr(
        text, "\"size\":\"large\",\"variants\":[\"v1_first\",\"v2_second\"],\"baselines\":[\"reference\","
              "\"copy\"]"));
    assert_non_null(strstr(text, "\"repetitions\":2"));
    assert_null(scratch_result(&s, "v1_first", "small"));
    scratch_close(&s);
}

static void says_what_surrounds_the_times(void **state)
{
    (void)state;
    scratch s;
    bench_summary summary;
    char path[512];
    two_good_variants(&s);
    bench_options locked = usual;
    locked.lock_clocks_mhz = 1500; /* of a processor: refused, and nothing is measured */
    assert_int_equal(run(&s, &three_sizes, &locked, &summary), ASSAY_ERR_INVALID);
    assert_int_equal(summary.groups_measured, 0);
    snprintf(path, sizeof path, "%s/results/cpu-simt/env_check.md", s.folder);
    assert_int_equal(access(path, R_OK), 0);
    scratch_close(&s);
}

static void refuses_to_run_twice_at_once(void **state)
{
    (void)state;
    scratch s;
    char path[512];
    bench_summary summary;
    assay_error error = {0};
    two_good_variants(&s);
    snprintf(path, sizeof path, "%s/.bench.lock", s.folder);
    const int lock = open(path, O_RDWR | O_CREAT, 0666);
    assert_int_equal(flock(lock, LOCK_EX), 0);
    assert_int_equal(bench_run(s.ws, NULL, &usual, &summary, &error), ASSAY_ERR_ENVIRONMENT);
    assert_non_null(strstr(error.message, "another benchmark is running"));
    close(lock);
    scratch_close(&s);
}

static void says_what_does_not_fit(void **state)
{
    (void)state;
    scratch s;
    bench_summary summary;
    const case_filter gigantic = {.sizes = "gigantic"};
    scratch_create(&s);
    scratch_add_variant(&s, "v1_good", "plain_spin_400", "pass");
    scratch_open(&s);
    assert_int_equal(run(&s, &gigantic, &usual, &summary), ASSAY_OK);
    assert_int_equal(summary.too_large, 1);
    assert_string_equal(scratch_text(&s, "v1_good", "gigantic", "status"), "not timed");
    assert_non_null(strstr(scratch_text(&s, "v1_good", "gigantic", "reason"),
                           "does not fit the device: need 13194.14 GB, have "));
    assert_int_equal(run(&s, &gigantic, &usual, &summary), ASSAY_OK);
    assert_int_equal(summary.groups_measured, 0); /* nothing has changed since */
    scratch_close(&s);
}

static void reports_a_folder_that_cannot_be_written(void **state)
{
    (void)state;
    scratch s;
    char path[512];
    bench_summary summary;
    assay_error error = {0};
    two_good_variants(&s);
    snprintf(path, sizeof path, "%s/results/cpu-simt/bench", s.folder);
    assert_int_equal(text_file_write(path, "in the way", 10, NULL),
                     ASSAY_OK); /* root ignores permissions: a file blocks */
    assert_int_equal(bench_run(s.ws, NULL, &usual, &summary, &error), ASSAY_ERR_IO);
    assert_non_null(strstr(error.message, path));
    assert_int_equal(summary.groups, 0); /* found before anything was planned */
    scratch_close(&s);
}

/* A name that no op has is a mistake; one that only other ops have is left out, and nothing is written of it. */
static void baselines_are_those_of_the_op(void **state)
{
    (void)state;
    scratch s;
    bench_summary summary;
    assay_error error = {0};
    const case_filter small = {.sizes = "small"};
    bench_options options = usual;
    two_good_variants(&s);
    options.baselines = "copy,cudnn";
    assert_int_equal(bench_check_baselines(s.ws, &small, options.baselines, &error), ASSAY_ERR_INVALID);
    assert_non_null(strstr(error.message,
                           "no op here has a baseline \"cudnn\"; there are: copy, reference, torch_eager"));
    assert_int_equal(bench_check_baselines(s.ws, &small, "copy,triton,reference", NULL), ASSAY_OK);
    assert_int_equal(bench_check_baselines(s.ws, &small, NULL, NULL), ASSAY_OK);
    assert_int_equal(bench_run(s.ws, &small, &options, &summary, NULL), ASSAY_OK);
    assert_int_equal(summary.baselines_timed, 1);
    assert_int_equal(summary.baselines_unavailable, 0);
    scratch_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measures_once),
        cmocka_unit_test(baselines_are_those_of_the_op),
        cmocka_unit_test(what_is_far_behind_is_given_up),
        cmocka_unit_test(a_quick_look_keeps_fuller_results),
        cmocka_unit_test(a_quick_look_keeps_no_other_methods_results),
        cmocka_unit_test(measures_again_what_changed),
        cmocka_unit_test(records_refusals),
        cmocka_unit_test(drops_times_of_an_edited_kernel),
        cmocka_unit_test(a_crash_costs_only_its_own_case),
        cmocka_unit_test(groups_share_a_process),
        cmocka_unit_test(a_crash_in_a_shared_process_costs_its_own_cases),
        cmocka_unit_test(late_drift_fails),
        cmocka_unit_test(resumes_after_kill),
        cmocka_unit_test(resumes_after_interrupt),
        cmocka_unit_test(says_what_surrounds_the_times),
        cmocka_unit_test(an_interrupted_run_counts_what_it_did),
        cmocka_unit_test(dry_run_only_prints),
        cmocka_unit_test(refuses_to_run_twice_at_once),
        cmocka_unit_test(says_what_does_not_fit),
        cmocka_unit_test(reports_a_folder_that_cannot_be_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
