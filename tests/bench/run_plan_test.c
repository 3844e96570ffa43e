/* The supervisor with real workers on the CPU device: freshness, refusals, crashes. */
#include "run_test.h"
#include "core/json_file.h"
#include "core/process.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

static void measures_once(void **state)
{
    two_good_variants();
    assert_int_equal(run(&three_sizes, &usual), ASSAY_OK);
    assert_int_equal(summary.groups, 3);
    assert_int_equal(summary.groups_measured, 3);
    assert_int_equal(summary.cases, 6);
    assert_int_equal(summary.timed, 6);
    assert_int_equal(summary.fresh, 0);
    assert_int_equal(summary.baselines_timed, 6); /* the reference and the copy, three sizes */
    assert_int_equal(run(&three_sizes, &usual), ASSAY_OK);
    assert_int_equal(summary.groups_measured, 0);
    assert_int_equal(summary.fresh, 6);
    const bench_options quick = {.quick = 1, .warmup_ms = -1.0, .sample_ms = -1.0, .bound_s = -1.0};
    assert_int_equal(run(&three_sizes, &quick), ASSAY_OK); /* every part of the method reaches the worker */
    assert_int_equal(summary.groups_measured, 3);
    assert_int_equal(run(&three_sizes, &quick), ASSAY_OK);
    assert_int_equal(summary.groups_measured, 0);
    bench_options other = usual;
    other.force = 1;
    assert_int_equal(run(&three_sizes, &other), ASSAY_OK);
    assert_int_equal(summary.groups_measured, 3);
    other.force = 0;
    other.flush = "read"; /* another method is another time */
    assert_int_equal(run(&three_sizes, &other), ASSAY_OK);
    assert_int_equal(summary.groups_measured, 3);
}

static double repetitions_of(const char *variant)
{
    json_t *file = scratch_result(&s, variant, "small");
    const json_t *assay = json_object_get(file, "assay");
    const double repetitions = json_get_number(json_object_get(assay, "method"), "repetitions", 0);
    json_decref(file);
    return repetitions;
}

static void a_quick_look_keeps_fuller_results(void **state)
{
    const bench_options full = {.repetitions = 4,
                                .warmup_ms = 1.0,
                                .sample_ms = 20.0,
                                .bound_s = 20.0,
                                .modes = 1u << TIMING_COLD | 1u << TIMING_HOT};
    bench_options quick = BENCH_OPTIONS_INIT;
    quick.quick = 1;
    two_good_variants();
    assert_int_equal(run(&small, &full), ASSAY_OK);
    assert_int_equal(run(&small, &quick), ASSAY_OK);
    assert_int_equal(summary.groups_measured, 0);
    assert_int_equal(summary.kept, 4); /* two variants, the reference and the copy */
    assert_int_equal(summary.fresh, 2);
    scratch_edit_variant(&s, "v1_first", "edited", 1); /* what changed is looked at, and only that */
    assert_int_equal(run(&small, &quick), ASSAY_OK);
    assert_int_equal(summary.groups_measured, 1);
    assert_int_equal(summary.kept, 3);
    assert_float_equal(repetitions_of("v1_first"), 3, 0);
    assert_float_equal(repetitions_of("v2_second"), 4, 0);
    quick.force = 1;
    assert_int_equal(run(&small, &quick), ASSAY_OK);
    assert_int_equal(summary.kept, 0);
    assert_float_equal(repetitions_of("v2_second"), 3, 0);
    assert_int_equal(run(&small, &full), ASSAY_OK); /* a look is no result */
    assert_float_equal(repetitions_of("v1_first"), 4, 0);
}

/* What is far behind is given up after one repetition; the others have all of theirs. */
static void what_is_far_behind_is_given_up(void **state)
{
    bench_options giving_up = usual;
    giving_up.repetitions = 3;
    giving_up.give_up_us = 5000;
    open_with((const made_variant[]){
        {"v1_first", "plain_spin_400", "pass"}, {"v2_far_behind", "plain_spin_20000", "pass"}, {0}});
    assert_int_equal(run(&small, &giving_up), ASSAY_OK);
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
    assert_true(metric_of("v2_far_behind", "cold", "mean_us") > 5000);
}

/* As if a result had been measured with another value of a key of its method. */
static void edit_method(const char *name, const char *key, int value)
{
    char path[512];
    json_t *file = scratch_result(&s, name, "small");
    json_t *method = json_object_get(json_object_get(file, "assay"), "method");
    assert_int_equal(json_object_set_new(method, key, json_integer(value)), 0);
    scratch_result_path(&s, name, "small", path, sizeof path);
    assert_int_equal(json_file_write(path, file, 0, NULL), ASSAY_OK);
    json_decref(file);
}

/* However many repetitions: what another queue or rest gave is no fuller result of this method. */
static void a_quick_look_keeps_no_other_methods_results(void **state)
{
    static const struct {
        const char *key;
        int value;
    } rows[] = {{"version", 0}, {"seed", 7}, {"locked_mhz", 1500}};
    const bench_options full = {
        .repetitions = 4, .warmup_ms = 1.0, .sample_ms = 20.0, .bound_s = 20.0, .modes = 1u << TIMING_COLD};
    bench_options quick = BENCH_OPTIONS_INIT;
    quick.quick = 1;
    two_good_variants();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(run(&small, &full), ASSAY_OK);
        assert_float_equal(repetitions_of("v1_first"), 4, 0);
        edit_method("v1_first", rows[i].key, rows[i].value);
        assert_int_equal(run(&small, &quick), ASSAY_OK);
        if (summary.groups_measured != 1 || summary.kept != 3)
            fail_msg("with another %s: %d groups measured, %d results kept", rows[i].key,
                     summary.groups_measured, summary.kept);
        assert_float_equal(repetitions_of("v1_first"), 3, 0);
        assert_float_equal(repetitions_of("v2_second"), 4, 0);
    }
}

static void measures_again_what_changed(void **state)
{
    char path[512];
    two_good_variants();
    assert_int_equal(run(&small, &usual), ASSAY_OK);
    scratch_edit_variant(&s, "v1_first", "edited", 1);
    assert_int_equal(run(&small, &usual), ASSAY_OK);
    assert_int_equal(summary.groups_measured, 1);
    assert_string_equal(said_of("v1_first", "source_sha256"), "edited");
    scratch_result_path(&s, "v2_second", "small", path, sizeof path);
    assert_int_equal(truncate(path, 100), 0); /* as if the disk had been full */
    assert_int_equal(run(&small, &usual), ASSAY_OK);
    assert_int_equal(summary.groups_measured, 1);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(run(&small, &usual), ASSAY_OK);
    assert_int_equal(summary.groups_measured, 1);
    assert_string_equal(said_of("v2_second", "status"), "ok");
}

static void records_refusals(void **state)
{
    open_with((const made_variant[]){{"v1_good", "plain_spin_400", "pass"},
                                     {"v2_wrong", "plain_spin_400", "fail"},
                                     {"v3_stale", "plain_spin_400", "pass"},
                                     {0}});
    scratch_edit_variant(&s, "v3_stale", "edited", 0);
    assert_int_equal(run(&small, &usual), ASSAY_OK);
    assert_int_equal(summary.timed, 1);
    assert_int_equal(summary.refused, 2);
    assert_string_equal(said_of("v2_wrong", "status"), "not timed");
    assert_string_equal(said_of("v2_wrong", "reason"), "correctness: fail: invented reason");
    assert_non_null(strstr(said_of("v3_stale", "reason"), "stale"));
}

/* A case that was timed and whose kernel then changed must not keep its old times. */
static void drops_times_of_an_edited_kernel(void **state)
{
    two_good_variants();
    assert_int_equal(run(&small, &usual), ASSAY_OK);
    assert_true(metric_of("v1_first", "cold", "mean_us") > 0.0);
    scratch_edit_variant(&s, "v1_first", "edited", 0);
    assert_int_equal(run(&small, &usual), ASSAY_OK);
    assert_string_equal(said_of("v1_first", "status"), "not timed");
    assert_near(metric_of("v1_first", "cold", "mean_us"), -1.0, 0.0);
}

static void a_crash_costs_only_its_own_case(void **state)
{
    open_with((const made_variant[]){{"v1_good", "plain_spin_400", "pass"},
                                     {"v2_crash", "plain_crash", "pass"},
                                     {"v3_good", "plain_spin_400", "pass"},
                                     {0}});
    assert_int_equal(run(&small, &usual), ASSAY_ERR_CHECK);
    assert_int_equal(summary.timed, 2);
    assert_int_equal(summary.failed, 1);
    assert_int_equal(summary.baselines_timed, 2);
    assert_string_equal(said_of("v2_crash", "status"), "not timed");
    assert_non_null(strstr(said_of("v2_crash", "reason"), "timing it"));
    assert_string_equal(said_of("v3_good", "status"), "ok");
}

static void groups_share_a_process(void **state)
{
    bench_options shared = usual;
    shared.shared = 1;
    open_with((const made_variant[]){{"v1_good", "plain_spin_400", "pass"}, {0}});
    assert_int_equal(run(&two_sizes, &shared), ASSAY_OK);
    assert_int_equal(summary.timed, 2);
    assert_int_equal(summary.baselines_timed, 4);
    assert_true(summary.phases_s[GROUP_TIMING] >
                2 * 3 * 2 * 4e-3); /* sizes, candidates, repetitions, samples */
}

static void a_crash_in_a_shared_process_costs_its_own_cases(void **state)
{
    bench_options shared = usual;
    shared.shared = 1;
    open_with((const made_variant[]){
        {"v1_good", "plain_spin_400", "pass"}, {"v2_crash", "plain_crash", "pass"}, {0}});
    assert_int_equal(run(&two_sizes, &shared), ASSAY_ERR_CHECK);
    assert_int_equal(summary.timed, 2);
    assert_int_equal(summary.failed, 2);
    assert_int_equal(summary.baselines_timed, 4);
    assert_string_equal(scratch_text(&s, "v2_crash", "medium", "status"), "not timed");
}

static void late_drift_fails(void **state)
{
    open_with((const made_variant[]){{"v1_drift", "plain_drift", "pass"}, {0}});
    bench_options longer = usual;
    longer.sample_ms = 20.0;
    assert_int_equal(run(&small, &longer), ASSAY_ERR_CHECK);
    assert_int_equal(summary.failed, 1);
    assert_string_equal(said_of("v1_drift", "output_check"), "fail");
}

static void dry_run_only_prints(void **state)
{
    char text[4096] = "";
    two_good_variants();
    bench_options dry = usual;
    dry.dry_run = 1;
    dry.progress = tmpfile();
    assert_int_equal(run(&three_sizes, &dry), ASSAY_OK);
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
}

static void says_what_surrounds_the_times(void **state)
{
    char path[512];
    two_good_variants();
    bench_options locked = usual;
    locked.lock_clocks_mhz = 1500; /* of a processor: refused, and nothing is measured */
    assert_int_equal(run(&three_sizes, &locked), ASSAY_ERR_INVALID);
    assert_int_equal(summary.groups_measured, 0);
    snprintf(path, sizeof path, "%s/results/cpu-simt/env_check.md", s.folder);
    assert_int_equal(access(path, R_OK), 0);
}

static void refuses_to_run_twice_at_once(void **state)
{
    char path[512];
    assay_error error = {0};
    two_good_variants();
    snprintf(path, sizeof path, "%s/.bench.lock", s.folder);
    const int lock = open(path, O_RDWR | O_CREAT, 0666);
    assert_int_equal(flock(lock, LOCK_EX), 0);
    assert_int_equal(bench_run(s.ws, NULL, &usual, &summary, &error), ASSAY_ERR_ENVIRONMENT);
    assert_non_null(strstr(error.message, "another benchmark is running"));
    close(lock);
}

/* The first text of a run's progress: another thread's fork() in the middle of it. */
static ssize_t fork_once(void *cookie, const char *text, size_t bytes)
{
    pid_t *child = cookie;
    (void)text;
    if (*child == 0 && (*child = fork()) == 0)
        for (;;)
            pause();
    return (ssize_t)bytes;
}

static void a_child_does_not_keep_the_lock(void **state)
{
    char path[512];
    pid_t child = 0;
    two_good_variants();
    bench_options watched = usual;
    watched.progress = fopencookie(&child, "w", (cookie_io_functions_t){.write = fork_once});
    setvbuf(watched.progress, NULL, _IONBF, 0);
    assert_int_equal(run(&small, &watched), ASSAY_OK);
    assert_true(child > 0);
    snprintf(path, sizeof path, "%s/.bench.lock", s.folder);
    const int lock = open(path, O_RDWR);
    const int free_again = flock(lock, LOCK_EX | LOCK_NB) == 0;
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    fclose(watched.progress);
    close(lock);
    assert_true(free_again);
}

static void says_what_does_not_fit(void **state)
{
    const case_filter gigantic = {.sizes = "gigantic"};
    open_with((const made_variant[]){{"v1_good", "plain_spin_400", "pass"}, {0}});
    assert_int_equal(run(&gigantic, &usual), ASSAY_OK);
    assert_int_equal(summary.too_large, 1);
    assert_string_equal(scratch_text(&s, "v1_good", "gigantic", "status"), "not timed");
    assert_non_null(strstr(scratch_text(&s, "v1_good", "gigantic", "reason"),
                           "does not fit the device: need 13194.14 GB, have "));
    assert_int_equal(run(&gigantic, &usual), ASSAY_OK);
    assert_int_equal(summary.groups_measured, 0); /* nothing has changed since */
}

static void reports_a_folder_that_cannot_be_written(void **state)
{
    char path[512];
    assay_error error = {0};
    two_good_variants();
    snprintf(path, sizeof path, "%s/results/cpu-simt/bench", s.folder);
    assert_int_equal(text_file_write(path, "in the way", 10, NULL),
                     ASSAY_OK); /* root ignores permissions: a file blocks */
    assert_int_equal(bench_run(s.ws, NULL, &usual, &summary, &error), ASSAY_ERR_IO);
    assert_non_null(strstr(error.message, path));
    assert_int_equal(summary.groups, 0); /* found before anything was planned */
}

/* A name that no op has is a mistake; one that only other ops have is left out, and nothing is written of it. */
static void baselines_are_those_of_the_op(void **state)
{
    assay_error error = {0};
    bench_options options = usual;
    two_good_variants();
    options.baselines = "copy,cudnn";
    assert_int_equal(bench_check_baselines(s.ws, &small, options.baselines, &error), ASSAY_ERR_INVALID);
    assert_non_null(strstr(error.message,
                           "no op here has a baseline \"cudnn\"; there are: copy, reference, torch_eager"));
    assert_int_equal(bench_check_baselines(s.ws, &small, "copy,triton,reference", NULL), ASSAY_OK);
    assert_int_equal(bench_check_baselines(s.ws, &small, NULL, NULL), ASSAY_OK);
    assert_int_equal(bench_run(s.ws, &small, &options, &summary, NULL), ASSAY_OK);
    assert_int_equal(summary.baselines_timed, 1);
    assert_int_equal(summary.baselines_unavailable, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(measures_once, close_scratch),
        cmocka_unit_test_teardown(baselines_are_those_of_the_op, close_scratch),
        cmocka_unit_test_teardown(what_is_far_behind_is_given_up, close_scratch),
        cmocka_unit_test_teardown(a_quick_look_keeps_fuller_results, close_scratch),
        cmocka_unit_test_teardown(a_quick_look_keeps_no_other_methods_results, close_scratch),
        cmocka_unit_test_teardown(measures_again_what_changed, close_scratch),
        cmocka_unit_test_teardown(records_refusals, close_scratch),
        cmocka_unit_test_teardown(drops_times_of_an_edited_kernel, close_scratch),
        cmocka_unit_test_teardown(a_crash_costs_only_its_own_case, close_scratch),
        cmocka_unit_test_teardown(groups_share_a_process, close_scratch),
        cmocka_unit_test_teardown(a_crash_in_a_shared_process_costs_its_own_cases, close_scratch),
        cmocka_unit_test_teardown(late_drift_fails, close_scratch),
        cmocka_unit_test_teardown(says_what_surrounds_the_times, close_scratch),
        cmocka_unit_test_teardown(dry_run_only_prints, close_scratch),
        cmocka_unit_test_teardown(refuses_to_run_twice_at_once, close_scratch),
        cmocka_unit_test_teardown(a_child_does_not_keep_the_lock, close_scratch),
        cmocka_unit_test_teardown(says_what_does_not_fit, close_scratch),
        cmocka_unit_test_teardown(reports_a_folder_that_cannot_be_written, close_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
