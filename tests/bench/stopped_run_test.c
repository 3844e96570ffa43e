/* Runs that are killed or interrupted: the next one goes on where they stopped. */
#include "run_test.h"
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Run in a child that can be killed or interrupted. The child's exit status is 10 + summary.interrupted. */
static pid_t start_child(const bench_options *options)
{
    const pid_t child = fork();
    if (child == 0) {
        setpgid(0, 0);
        bench_run(s.ws, &three_sizes, options, &summary, NULL);
        _exit(10 + summary.interrupted);
    }
    setpgid(child, child);
    return child;
}

static void wait_for_result(const char *name, const char *size)
{
    char path[512];
    scratch_result_path(&s, name, size, path, sizeof path);
    for (int i = 0; i < 3000 && access(path, R_OK) != 0; i++)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    assert_int_equal(access(path, R_OK), 0);
}

/* Groups that take about a second each: time enough to hit the second one. */
static const bench_options slow = {
    .repetitions = 10, .warmup_ms = 10.0, .sample_ms = 20.0, .bound_s = 20.0, .modes = 1u << TIMING_COLD};

static void resumes_after(int signal_number, int *exit_status)
{
    two_good_variants();
    const pid_t child = start_child(&slow);
    wait_for_result("baseline_copy", "small"); /* the last file of the first group */
    nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
    kill(child, signal_number);
    assert_int_equal(waitpid(child, exit_status, 0), child);
    json_t *later = scratch_result(&s, "v1_first", "large");
    assert_null(later); /* the run had not come that far */
    nanosleep(&(struct timespec){.tv_sec = 1, .tv_nsec = 500000000}, NULL);
    later = scratch_result(&s, "v1_first", "medium");
    assert_null(later); /* nor did a worker that lost its supervisor go on by itself */
    assert_int_equal(run(&three_sizes, &slow), ASSAY_OK);
    assert_int_equal(summary.timed, 6);
    assert_int_equal(summary.groups_measured, 2); /* the first group was not measured again */
    assert_true(summary.fresh >= 2);
}

static void resumes_after_kill(void **state)
{
    int exit_status;
    resumes_after(SIGKILL, &exit_status);
    assert_true(WIFSIGNALED(exit_status));
}

static void resumes_after_interrupt(void **state)
{
    int exit_status;
    resumes_after(SIGINT, &exit_status);
    assert_true(WIFEXITED(exit_status));
    assert_int_equal(WEXITSTATUS(exit_status), 11);
}

/* Results of another method lie there: they are not of this run, and neither is what it did not come to. */
static void an_interrupted_run_counts_what_it_did(void **state)
{
    int channel[2];
    two_good_variants();
    assert_int_equal(run(&three_sizes, &usual), ASSAY_OK);
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
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(resumes_after_kill, close_scratch),
        cmocka_unit_test_teardown(resumes_after_interrupt, close_scratch),
        cmocka_unit_test_teardown(an_interrupted_run_counts_what_it_did, close_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
