/* Jobs in processes of their own: what they reported stays, whatever becomes of them. */
#include "tests/unit.h"
#include "verify/parallel.h"
#include "core/json_file.h"
#include "core/process.h"
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { JOBS = 3, CASES = 4 };

/* Shared by all processes. */
static struct {
    int at[JOBS]; /* the case that a job is at */
    int lost;
    char how[128];
} * places;

static void add_pass(verify_summary *summary, int job, int i)
{
    char name[32];
    snprintf(name, sizeof name, "%d.%d", job, i);
    summary->passed++;
    json_array_append_new(summary->cases, json_pack("{s:s}", "name", name));
}

/* Job 1 is killed at its second case, job 2 exits at its third without a word. */
static assay_status run(void *context, int job, parallel_report *report, verify_summary *summary,
                        assay_error *error)
{
    for (int i = places->at[job]; i < CASES; i++) {
        places->at[job] = i;
        signal(SIGSEGV, SIG_DFL);
        if (context && job == 1 && i == 1)
            raise(SIGSEGV);
        if (context && job == 2 && i == 2)
            _exit(5);
        add_pass(summary, job, i);
        parallel_send(report, summary);
        assert_int_equal(summary->passed, 0);
    }
    return ASSAY_OK;
}

static int lost(void *context, int job, const char *how, verify_summary *summary)
{
    summary->errors++;
    places->lost++;
    if (job == 1)
        snprintf(places->how, sizeof places->how, "%s", how);
    places->at[job]++;
    return places->at[job] < CASES;
}

static void run_all(void *context, verify_summary *summary)
{
    const parallel_work work = {.run = run, .lost = lost, .context = context};
    memset(places, 0, sizeof *places);
    *summary = (verify_summary){.cases = json_array()};
    assert_int_equal(parallel_run(JOBS, &work, summary, NULL), ASSAY_OK);
}

static void all_that_is_reported_arrives(void **state)
{
    verify_summary summary;
    run_all(NULL, &summary);
    assert_int_equal(summary.passed, JOBS * CASES);
    assert_int_equal(json_array_size(summary.cases), JOBS * CASES);
    assert_int_equal(places->lost, 0);
    verify_summary_release(&summary);
}

static void a_lost_job_costs_one_case(void **state)
{
    verify_summary summary;
    run_all(places, &summary);
    assert_int_equal(summary.passed, JOBS * CASES - 2);
    assert_int_equal(summary.errors, 2);
    assert_int_equal(places->lost, 2);
    assert_string_equal(places->how, "killed by signal 11 (Segmentation fault)");
    verify_summary_release(&summary);
}

static assay_status fails(void *context, int job, parallel_report *report, verify_summary *summary,
                          assay_error *error)
{
    add_pass(summary, job, 0);
    return job == 1 ? assay_error_set(error, ASSAY_ERR_IO, "the disk is full") : ASSAY_OK;
}

static void a_failure_is_handed_on(void **state)
{
    const parallel_work work = {.run = fails};
    verify_summary summary = {.cases = json_array()};
    assay_error error = {0};
    assert_int_equal(parallel_run(JOBS, &work, &summary, &error), ASSAY_ERR_IO);
    assert_string_equal(error.message, "the disk is full");
    assert_int_equal(summary.passed, JOBS);
    verify_summary_release(&summary);
}

static assay_status is_busy(void *context, int job, parallel_report *report, verify_summary *summary,
                            assay_error *error)
{
    kill(getppid(), SIGTERM);
    for (int i = 0; i < 300; i++)
        usleep(100000);
    return ASSAY_OK;
}

/* A job that is in a long computation does not see the interrupt. In a process of its own: it is interrupted from then on. */
static void an_interrupt_ends_busy_jobs(void **state)
{
    int status = -1;
    const pid_t pid = fork();
    if (pid == 0) {
        const parallel_work work = {.run = is_busy};
        verify_summary summary = {.cases = json_array()};
        process_watch_interrupts();
        const double began_s = process_clock_s();
        const int done = parallel_run(2, &work, &summary, NULL) == ASSAY_OK && summary.interrupted &&
                         process_clock_s() - began_s < 15;
        _exit(done ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static assay_status say_and_stay(void *context, int job, parallel_report *report, verify_summary *summary,
                                 assay_error *error)
{
    assert_int_equal(write(*(const int *)context, "", 1), 1);
    for (int i = 0; i < 300; i++)
        usleep(100000);
    return ASSAY_OK;
}

/* Killed without a chance to end its jobs. The pipe ends once no job holds it any more. */
static void jobs_end_with_their_parent(void **state)
{
    int ends[2];
    char said;
    assert_int_equal(pipe(ends), 0);
    const pid_t pid = fork();
    if (pid == 0) {
        const parallel_work work = {.run = say_and_stay, .context = &ends[1]};
        verify_summary summary = {.cases = json_array()};
        close(ends[0]);
        _exit(parallel_run(JOBS, &work, &summary, NULL) == ASSAY_OK ? 0 : 1);
    }
    close(ends[1]);
    for (int i = 0; i < JOBS; i++)
        assert_int_equal(read(ends[0], &said, 1), 1);
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    struct pollfd end = {.fd = ends[0], .events = POLLIN};
    assert_int_equal(poll(&end, 1, 10000), 1);
    assert_int_equal(read(ends[0], &said, 1), 0);
    close(ends[0]);
}

static int set_up(void **state)
{
    void *shared = mmap(NULL, sizeof *places, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    places = shared;
    return shared == MAP_FAILED ? -1 : 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_that_is_reported_arrives), cmocka_unit_test(a_lost_job_costs_one_case),
        cmocka_unit_test(a_failure_is_handed_on),       cmocka_unit_test(an_interrupt_ends_busy_jobs),
        cmocka_unit_test(jobs_end_with_their_parent),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
