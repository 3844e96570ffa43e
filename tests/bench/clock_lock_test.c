/* Locking clocks, on a stand-in for NVML: the clock is given back whatever happens to whom. No card is touched. */
#include "tests/unit.h"
#include "bench/timing/clock.h"
#include "bench/environment/clock_lock.h"
#include "core/json_file.h"
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static const char uuid[] = "GPU-01234567-89ab-cdef-0123-456789abcdef";
static char log_path[] = "/tmp/assay-clock-lock-XXXXXX";

static void read_log(char *out, size_t out_bytes)
{
    char *text = NULL;
    size_t bytes;
    assert_int_equal(text_file_read(log_path, &text, &bytes, NULL), ASSAY_OK);
    snprintf(out, out_bytes, "%s", text);
    free(text);
}

static int setup(void **state)
{
    FILE *log = fopen(log_path, "w"); /* empty */
    unsetenv("FAKE_NVML_REFUSE");
    unsetenv("FAKE_NVML_DIE");
    return log ? fclose(log) : -1;
}

/* The guard works on its own when nobody waits for it. */
static void wait_for(const char *expected)
{
    char log[256];
    for (int i = 0; i < 500; i++) {
        read_log(log, sizeof log);
        if (strcmp(log, expected) == 0)
            return;
        clock_sleep_ms(10.0);
    }
    fail_msg("the log holds \"%s\", not \"%s\"", log, expected);
}

static void locks_and_restores(void **state)
{
    char log[256];
    clock_lock *lock = NULL;
    assay_error error = {0};
    assert_int_equal(clock_lock_take(TEST_GUARD, uuid, 1500, &lock, &error), ASSAY_OK);
    read_log(log, sizeof log);
    assert_string_equal(log, "lock 1500\n");
    assert_int_equal(clock_lock_release(lock, &error), ASSAY_OK);
    read_log(log, sizeof log); /* released means restored, not soon to be */
    assert_string_equal(log, "lock 1500\nreset 0\n");
}

/* A process that holds the lock and is then ended by `signal_number` without any chance to release it. */
static void kill_the_holder(int signal_number)
{
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    const pid_t holder = fork();
    if (holder == 0) {
        clock_lock *lock = NULL;
        signal(signal_number, SIG_DFL); /* cmocka has handlers of its own */
        if (clock_lock_take(TEST_GUARD, uuid, 1410, &lock, NULL) != ASSAY_OK)
            _exit(1);
        if (write(ready[1], "x", 1) != 1)
            _exit(1);
        pause();
        _exit(1);
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    wait_for("lock 1410\n");
    kill(holder, signal_number);
    waitpid(holder, NULL, 0);
    wait_for("lock 1410\nreset 0\n");
}

static void restores_when_the_holder_is_killed(void **state)
{
    kill_the_holder(SIGKILL);
}

static void restores_when_the_holder_crashes(void **state)
{
    kill_the_holder(SIGSEGV);
}

/* Children of the holder, such as workers, must not keep the guard waiting. */
static void restores_while_children_of_the_holder_live(void **state)
{
    clock_lock *lock = NULL;
    assert_int_equal(clock_lock_take(TEST_GUARD, uuid, 1200, &lock, NULL), ASSAY_OK);
    const pid_t child = fork();
    if (child == 0) {
        execl("/bin/sleep", "sleep", "30", (char *)NULL);
        _exit(127);
    }
    clock_sleep_ms(200.0); /* the pipe closes when sleep has started */
    assert_int_equal(clock_lock_release(lock, NULL), ASSAY_OK);
    wait_for("lock 1200\nreset 0\n");
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

static pid_t find_guard(void)
{
    char line[64] = "";
    FILE *list = popen("pgrep -n -P $PPID assay-clock-gua", "r");
    assert_non_null(list);
    if (!fgets(line, sizeof line, list))
        line[0] = '\0';
    pclose(list);
    return (pid_t)strtol(line, NULL, 10);
}

static void restores_when_the_guard_is_killed(void **state)
{
    char log[256];
    clock_lock *lock = NULL;
    assay_error error = {0};
    assert_int_equal(clock_lock_take(TEST_GUARD, uuid, 1300, &lock, NULL), ASSAY_OK);
    const pid_t guard = find_guard();
    if (guard <= 0) {
        (void)clock_lock_release(lock, NULL);
        skip(); /* no pgrep here */
    }
    assert_int_equal(kill(guard, SIGTERM), 0); /* ignored */
    assert_int_equal(kill(guard, SIGKILL), 0);
    assert_int_equal(clock_lock_release(lock, &error), ASSAY_OK);
    read_log(log, sizeof log);
    assert_string_equal(log, "lock 1300\nreset 0\n");
}

static void says_that_permission_is_missing(void **state)
{
    char log[256];
    clock_lock *lock = NULL;
    assay_error error = {0};
    setenv("FAKE_NVML_REFUSE", "4", 1);
    assert_int_equal(clock_lock_take(TEST_GUARD, uuid, 1500, &lock, &error), ASSAY_ERR_ENVIRONMENT);
    assert_null(lock);
    assert_non_null(strstr(error.message, "Insufficient Permissions"));
    assert_non_null(strstr(error.message, "needs root"));
    read_log(log, sizeof log);
    assert_string_equal(log, ""); /* nothing was set, so nothing is reset */
}

static void restores_what_a_guard_locked_before_it_died(void **state)
{
    char log[256];
    clock_lock *lock = NULL;
    assay_error error = {0};
    setenv("FAKE_NVML_DIE", "1", 1);
    assert_int_equal(clock_lock_take(TEST_GUARD, uuid, 1500, &lock, &error), ASSAY_ERR_ENVIRONMENT);
    assert_null(lock);
    assert_non_null(strstr(error.message, "killed"));
    read_log(log, sizeof log);
    assert_string_equal(log, "lock 1500\nreset 0\n");
}

static void refuses_a_clock_above_the_highest(void **state)
{
    char log[256];
    clock_lock *lock = NULL;
    assay_error error = {0};
    assert_int_equal(clock_lock_take(TEST_GUARD, uuid, 9000, &lock, &error), ASSAY_ERR_INVALID);
    assert_non_null(strstr(error.message, "9000 MHz are more than the card's 1980 MHz"));
    read_log(log, sizeof log);
    assert_string_equal(log, "");
}

static void does_not_touch_another_card(void **state)
{
    clock_lock *lock = NULL;
    assay_error error = {0};
    assert_int_equal(
        clock_lock_take(TEST_GUARD, "GPU-ffffffff-0000-0000-0000-000000000000", 1500, &lock, &error),
        ASSAY_ERR_ENVIRONMENT);
    assert_non_null(strstr(error.message, "does not know the card"));
}

static void says_that_the_guard_is_missing(void **state)
{
    clock_lock *lock = NULL;
    assay_error error = {0};
    assert_int_equal(clock_lock_take("/nonexistent/guard", uuid, 1500, &lock, &error), ASSAY_ERR_ENVIRONMENT);
    assert_non_null(strstr(error.message, "cannot run /nonexistent/guard"));
    assert_int_equal(clock_lock_release(NULL, &error), ASSAY_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(locks_and_restores, setup),
        cmocka_unit_test_setup(restores_when_the_holder_is_killed, setup),
        cmocka_unit_test_setup(restores_when_the_holder_crashes, setup),
        cmocka_unit_test_setup(restores_while_children_of_the_holder_live, setup),
        cmocka_unit_test_setup(restores_when_the_guard_is_killed, setup),
        cmocka_unit_test_setup(says_that_permission_is_missing, setup),
        cmocka_unit_test_setup(restores_what_a_guard_locked_before_it_died, setup),
        cmocka_unit_test_setup(refuses_a_clock_above_the_highest, setup),
        cmocka_unit_test_setup(does_not_touch_another_card, setup),
        cmocka_unit_test_setup(says_that_the_guard_is_missing, setup),
    };
    const int file = mkstemp(log_path);
    if (file < 0)
        return 1;
    close(file);
    setenv("FAKE_NVML_LOG", log_path, 1);
    setenv("ASSAY_NVML_LIBRARY", TEST_NVML, 1);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(log_path);
    return failed;
}
