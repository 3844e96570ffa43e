/* Child processes: every way to end is told apart. */
#include "tests/unit.h"
#include "core/process.h"
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static process_result run_shell(const char *script, double limit)
{
    process_result result;
    process_run((const char *const[]){"sh", "-c", script, NULL}, limit, 1, &result);
    return result;
}

static void exit_status_and_output(void **state)
{
    process_result r = run_shell("echo out; echo err >&2; exit 7", 10);
    assert_int_equal(r.end, PROCESS_EXITED);
    assert_int_equal(r.code, 7);
    assert_non_null(strstr(r.output, "out"));
    assert_non_null(strstr(r.output, "err"));
    process_result_release(&r);
}

static void signal_is_named(void **state)
{
    char text[100];
    process_result r = run_shell("kill -SEGV $$", 10);
    assert_int_equal(r.end, PROCESS_SIGNALED);
    assert_int_equal(r.code, SIGSEGV);
    process_describe(&r, text, sizeof text);
    assert_non_null(strstr(text, "signal 11"));
    process_result_release(&r);
}

static void time_limit_kills_the_whole_group(void **state)
{
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    process_result r = run_shell("sleep 30 & sleep 30", 0.3);
    clock_gettime(CLOCK_MONOTONIC, &to);
    assert_int_equal(r.end, PROCESS_TIMED_OUT);
    assert_true(to.tv_sec - from.tv_sec < 5);
    process_result_release(&r);
}

/* Says four times that something is done, whenever the file has grown. */
static int has_grown(void *context)
{
    int *seen = context;
    FILE *file = fopen("grows", "r");
    int size = 0;
    while (file && fgetc(file) != EOF)
        size++;
    if (file)
        fclose(file);
    const int grown = size > *seen;
    *seen = size;
    return grown;
}

static void a_watch_starts_the_time_limit_anew(void **state)
{
    static const char *const script[] = {
        "sh", "-c",
        "for i in 1 2 3 4; do sleep 0.5; printf x >> grows; done; sleep 0.2; [ \"$0\" = end ] || sleep 30",
        "end", NULL};
    process_result r;
    int seen = 0;
    unlink("grows");
    process_run_watched(script, 1.5, 1, has_grown, &seen, &r);
    assert_int_equal(r.end, PROCESS_EXITED);
    assert_true(r.seconds < 1.5); /* since the last time */
    assert_int_equal(seen, 4);
    process_result_release(&r);
    unlink("grows");
    seen = 0;
    process_run_watched((const char *const[]){"sh", "-c", script[2], "hang", NULL}, 1.5, 1, has_grown, &seen,
                        &r);
    assert_int_equal(r.end, PROCESS_TIMED_OUT);
    assert_int_equal(seen, 4);
    process_result_release(&r);
    unlink("grows");
}

static void missing_program(void **state)
{
    char text[100];
    process_result r;
    process_run((const char *const[]){"/nonexistent/program", NULL}, 5, 1, &r);
    assert_int_equal(r.end, PROCESS_NOT_STARTED);
    process_describe(&r, text, sizeof text);
    assert_non_null(strstr(text, "could not be started"));
    process_result_release(&r);
}

static void long_output_keeps_its_end(void **state)
{
    process_result r =
        run_shell("seq 60000; echo the end", 60); /* 350 KB, as of a compiler with many kernels */
    assert_int_equal(r.end, PROCESS_EXITED);
    assert_memory_equal(r.output, "1\n2\n", 4);
    assert_non_null(strstr(r.output, "the end"));
    process_result_release(&r);
    r = run_shell("seq 200000; echo the end", 60); /* 1.3 MB */
    assert_int_equal(r.end, PROCESS_EXITED);
    assert_non_null(strstr(r.output, "\n200000\nthe end\n"));
    assert_null(strstr(r.output, "\n60000\n"));
    process_result_release(&r);
}

static void endless_output_does_not_hide_the_time_limit(void **state)
{
    process_result r = run_shell("exec yes", 1);
    assert_int_equal(r.end, PROCESS_TIMED_OUT);
    assert_true(r.seconds < 30);
    process_result_release(&r);
}

/* A runner that is killed leaves no kernel running without a time limit. */
static void child_goes_with_its_parent(void **state)
{
    int ends[2];
    char byte;
    assert_int_equal(pipe(ends), 0);
    const pid_t runner = fork();
    if (runner == 0) {
        process_result r; /* the write end is inherited by sleep: closed only when it is gone, too */
        process_run((const char *const[]){"sh", "-c", "exec sleep 20", NULL}, 0, 0, &r);
        _exit(0);
    }
    close(ends[1]);
    nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
    kill(runner, SIGKILL);
    waitpid(runner, NULL, 0);
    struct pollfd watched = {.fd = ends[0], .events = POLLIN};
    assert_int_equal(poll(&watched, 1, 10000), 1);
    assert_int_equal(read(ends[0], &byte, 1), 0);
    close(ends[0]);
}

static void descendants_are_known(void **state)
{
    int pipe_ends[2];
    long grandchild = 0;
    assert_int_equal(pipe(pipe_ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        const pid_t own = fork();
        if (own > 0) {
            const long number = own;
            (void)!write(pipe_ends[1], &number, sizeof number);
        }
        pause();
        _exit(0);
    }
    assert_int_equal(read(pipe_ends[0], &grandchild, sizeof grandchild), sizeof grandchild);
    assert_true(process_descends_from(grandchild, getpid()));
    assert_true(process_descends_from(grandchild, child));
    assert_true(process_descends_from(child, child));
    assert_false(process_descends_from(child, grandchild));
    assert_false(process_descends_from(getppid(), getpid()));
    kill((pid_t)grandchild, SIGKILL);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_false(process_descends_from(child, getpid())); /* gone */
    close(pipe_ends[0]);
    close(pipe_ends[1]);
}

static void interrupt_stops_the_child(void **state)
{
    process_watch_interrupts();
    raise(SIGINT);
    assert_true(process_interrupted());
    process_result r = run_shell("sleep 30", 0);
    assert_int_equal(r.end, PROCESS_INTERRUPTED);
    assert_true(r.seconds < 5);
    process_result_release(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exit_status_and_output),
        cmocka_unit_test(signal_is_named),
        cmocka_unit_test(time_limit_kills_the_whole_group),
        cmocka_unit_test(a_watch_starts_the_time_limit_anew),
        cmocka_unit_test(missing_program),
        cmocka_unit_test(long_output_keeps_its_end),
        cmocka_unit_test(endless_output_does_not_hide_the_time_limit),
        cmocka_unit_test(child_goes_with_its_parent),
        cmocka_unit_test(descendants_are_known),
        cmocka_unit_test(interrupt_stops_the_child), /* last: the flag stays set */
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
