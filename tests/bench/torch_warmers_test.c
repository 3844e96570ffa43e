/* Starting, waiting for and ending the processes that compile for torch and Triton, with stand-ins for Python and for torch_peer.py. */
#include "test.h"
#include "core/json_file.h"
#include "bench/baselines/torch_server.h"
#include "torch_stand_in.h"
#include "bench/baselines/torch_warmers.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A leader in a few lines: notes how it was called, has a helper, and ends when told; with ASSAY_TEST_END=N at once with that status, as
 * one that is done, with ASSAY_TEST_DEAF=1 not even when told. */
static const char leader_text[] =
    "import json, os, signal, subprocess, sys, time\n"
    "path = sys.argv[sys.argv.index('--compile-only') + 1]\n"
    "folder, calls = os.path.dirname(path), json.load(open(path))['calls']\n"
    "here = os.path.dirname(os.path.abspath(__file__))\n"
    "helper = subprocess.Popen(['sleep', '60'])\n"
    "end = []\n"
    "signal.signal(signal.SIGTERM, lambda *_: os.environ.get('ASSAY_TEST_DEAF') or end.append(1))\n"
    "os.makedirs(os.path.join(folder, 'private', 'deep'))\n"
    "open(os.path.join(folder, 'progress'), 'w').write('%d 1 %d' % (len(calls) - 1, len(calls)))\n"
    "open(here + '/called.new', 'w').write('%d %d %s' % (helper.pid, len(calls), ' '.join(sys.argv[1:])))\n"
    "os.rename(here + '/called.new', here + '/called')\n"
    "while not end and 'ASSAY_TEST_END' not in os.environ:\n"
    "    time.sleep(0.01)\n"
    "helper.kill()\n"
    "helper.wait()\n"
    "sys.exit(int(os.environ.get('ASSAY_TEST_END', '0')))\n";
static const char without_torch[] = "#!/bin/sh\nexit 1\n";

static char python[256], called[256];
static workspace ws;

static int setup(void **state)
{
    (void)state;
    stand_in_open(&ws, leader_text);
    stand_in_write(&ws, "python", stand_in_python, python);
    snprintf(called, sizeof called, "%.200s/bench/baselines/torch/called", ws.source);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    stand_in_close(&ws);
    return 0;
}

static json_t *some_calls(int count)
{
    json_t *calls = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(calls, json_pack("{s:s, s:i}", "op", "add", "number", i));
    return calls;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Begin with eight calls and wait until the leader is there. The helper's pid. */
static int begin(torch_warmers *w)
{
    json_t *calls = some_calls(8);
    int helper = 0, listed = 0;
    unlink(called);
    memset(w, 0, sizeof *w);
    torch_warmers_begin(w, &ws, python, calls, 3);
    json_decref(calls);
    assert_true(w->pid > 0);
    for (int i = 0; i < 1000 && access(called, R_OK) != 0; i++)
        usleep(10000);
    FILE *file = fopen(called, "r");
    char text[512] = "";
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%d %d", &helper, &listed), 2);
    assert_non_null(fgets(text, sizeof text, file));
    fclose(file);
    assert_int_equal(listed, 8);
    assert_non_null(strstr(text, "--jobs 3"));
    return helper;
}

static void assert_gone(const torch_warmers *w, pid_t leader, int helper, const char *private_folder)
{
    assert_int_equal(w->pid, 0);
    assert_int_not_equal(kill(leader, 0), 0);
    for (int i = 0; i < 100 && is_alive(helper); i++) /* of a leader that was killed somebody else reaps it */
        usleep(10000);
    assert_false(is_alive(helper));
    assert_int_not_equal(access(private_folder, F_OK), 0);
}

static void few_calls_are_not_worth_it(void **state)
{
    (void)state;
    torch_warmers w = {.pid = 0};
    json_t *few = some_calls(TORCH_WARMERS_LEAST_CALLS - 1), *enough = some_calls(TORCH_WARMERS_LEAST_CALLS);
    torch_warmers_begin(&w, &ws, python, few, 4);
    assert_int_equal(w.pid, 0);
    torch_warmers_begin(&w, &ws, python, NULL, 4);
    assert_int_equal(w.pid, 0);
    torch_warmers_begin(&w, &ws, python, enough, 0);
    assert_int_equal(w.pid, 0);
    torch_warmers_begin(&w, &ws, "/nonexistent/python", enough, 4);
    assert_int_equal(w.pid, 0);
    char path[256];
    stand_in_write(&ws, "blank", without_torch, path);
    torch_warmers_begin(&w, &ws, path, enough, 4);
    assert_int_equal(w.pid, 0);
    torch_warmers_finish(&w, 1.0, NULL); /* none: nothing to wait for */
    torch_warmers_stop(&w);
    json_decref(few);
    json_decref(enough);
}

static void jobs_follow_the_processors(void **state)
{
    (void)state;
    const int jobs = torch_warmers_default_jobs();
    assert_true(jobs == 0 || (jobs >= 2 && jobs <= TORCH_WARMERS_MOST_JOBS));
    assert_true(jobs <= sysconf(_SC_NPROCESSORS_ONLN));
}

static void ended_before_they_are_done(void **state)
{
    (void)state;
    torch_warmers w;
    const int helper = begin(&w);
    const pid_t leader = w.pid;
    char private_folder[64];
    memcpy(private_folder, w.folder, sizeof private_folder);
    torch_warmers_stop(&w);
    assert_gone(&w, leader, helper, private_folder);
    torch_warmers_stop(&w); /* twice is fine */
}

static void what_was_told(FILE *told, char *text, size_t text_bytes)
{
    rewind(told);
    const size_t length = fread(text, 1, text_bytes - 1, told);
    text[length] = '\0';
    fclose(told);
}

static void waiting_has_a_limit(void **state)
{
    (void)state;
    torch_warmers w;
    char text[2048], private_folder[64];
    FILE *told = tmpfile();
    const int helper = begin(&w);
    const pid_t leader = w.pid;
    memcpy(private_folder, w.folder, sizeof private_folder);
    const double start = seconds();
    torch_warmers_finish(&w, 0.5, told);
    assert_true(seconds() - start >= 0.5);
    assert_true(seconds() - start < 5.0);
    assert_gone(&w, leader, helper, private_folder);
    what_was_told(told, text, sizeof text);
    assert_non_null(
        strstr(text, "in 3 processes: 7 of 8 calls; the others are compiled when they are measured"));
}

static void waits_for_the_end_and_tells_of_failures(void **state)
{
    (void)state;
    torch_warmers w;
    char text[8192], private_folder[64];
    FILE *told = tmpfile();
    setenv("ASSAY_TEST_END", "0", 1);
    const int helper = begin(&w);
    unsetenv("ASSAY_TEST_END");
    const pid_t leader = w.pid;
    memcpy(private_folder, w.folder, sizeof private_folder);
    torch_warmers_finish(&w, 60.0, told);
    assert_gone(&w, leader, helper, private_folder);
    what_was_told(told, text, sizeof text);
    assert_non_null(strstr(text, "7 of 8 calls; 1 failed ("));
    assert_non_null(strstr(text, "results/card/torch_warm.log)"));
}

static void one_that_is_deaf_is_killed(void **state)
{
    (void)state;
    torch_warmers w;
    char private_folder[64];
    setenv("ASSAY_TEST_DEAF", "1", 1);
    const int helper = begin(&w);
    unsetenv("ASSAY_TEST_DEAF");
    const pid_t leader = w.pid;
    memcpy(private_folder, w.folder, sizeof private_folder);
    torch_warmers_stop(&w);
    assert_gone(&w, leader, helper, private_folder);
}

static void begin_leader(const workspace *of, const char *importing)
{
    torch_warmers w = {.pid = 0};
    torch_warmers_begin(&w, of, importing, some_calls(8), 3);
}

static void a_leader_ends_with_a_command_that_is_killed(void **state)
{
    (void)state;
    ends_with_the_killed(&ws, begin_leader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_calls_are_not_worth_it),
        cmocka_unit_test(jobs_follow_the_processors),
        cmocka_unit_test(ended_before_they_are_done),
        cmocka_unit_test(waiting_has_a_limit),
        cmocka_unit_test(waits_for_the_end_and_tells_of_failures),
        cmocka_unit_test(one_that_is_deaf_is_killed),
        cmocka_unit_test(a_leader_ends_with_a_command_that_is_killed),
    };
    if (system("python3 -c pass 2>/dev/null") != 0)
        return 77;
    return cmocka_run_group_tests(tests, setup, teardown);
}
