/* Child processes: every way to end is told apart. */
#include "process.h"
#include "test.h"
#include <signal.h>
#include <time.h>

static process_result run_shell(const char *script, double limit)
{
    process_result result;
    process_run((const char *const[]){"sh", "-c", script, NULL}, limit, 1, &result);
    return result;
}

static void exit_status_and_output(void **state)
{
    (void)state;
    process_result r = run_shell("echo out; echo err >&2; exit 7", 10);
    assert_int_equal(r.end, PROCESS_EXITED);
    assert_int_equal(r.code, 7);
    assert_non_null(strstr(r.output, "out"));
    assert_non_null(strstr(r.output, "err"));
    process_result_release(&r);
}

static void signal_is_named(void **state)
{
    (void)state;
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
    (void)state;
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    process_result r = run_shell("sleep 30 & sleep 30", 0.3);
    clock_gettime(CLOCK_MONOTONIC, &to);
    assert_int_equal(r.end, PROCESS_TIMED_OUT);
    assert_true(to.tv_sec - from.tv_sec < 5);
    process_result_release(&r);
}

static void missing_program(void **state)
{
    (void)state;
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
    (void)state;
    process_result r =
        run_shell("i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done; echo the end", 60);
    assert_int_equal(r.end, PROCESS_EXITED);
    assert_non_null(strstr(r.output, "the end"));
    assert_null(strstr(r.output, "line 1\n"));
    process_result_release(&r);
}

static void interrupt_stops_the_child(void **state)
{
    (void)state;
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
        cmocka_unit_test(missing_program),
        cmocka_unit_test(long_output_keeps_its_end),
        cmocka_unit_test(interrupt_stops_the_child), /* last: the flag stays set */
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
