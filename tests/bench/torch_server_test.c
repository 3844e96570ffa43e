/* Starting and ending the Python process of torch baselines, with stand-ins for Python and for torch_baseline.py. */
#include "tests/unit.h"
#include "core/json_file.h"
#include "bench/baselines/remote.h"
#include "bench/baselines/torch_server.h"
#include "torch_stand_in.h"
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A server in a few lines: listens, and ends on any request. */
static const char server_text[] = "import json, os, socket, sys\n"
                                  "path = sys.argv[sys.argv.index('--socket') + 1]\n"
                                  "listener = socket.socket(socket.AF_UNIX)\n"
                                  "listener.bind(path + '.new')\n"
                                  "listener.listen(1)\n"
                                  "os.rename(path + '.new', path)\n"
                                  "connection, _ = listener.accept()\n"
                                  "connection.recv(4096)\n"
                                  "connection.sendall(json.dumps({'ok': True}).encode() + b'\\n')\n";

static const char failing_text[] = "#!/bin/sh\n[ \"$1\" = -c ] && exit 0\nexit 9\n";

static workspace ws;

static int setup(void **state)
{
    stand_in_open(&ws, server_text);
    return 0;
}

static int teardown(void **state)
{
    stand_in_close(&ws);
    return 0;
}

static void says_why_there_is_none(void **state)
{
    char reason[256];
    assert_false(torch_server_possible(&ws, "/nonexistent/python", reason, sizeof reason));
    assert_string_equal(reason, "/nonexistent/python is not there");
    assert_false(torch_server_possible(&ws, "false", reason, sizeof reason));
    assert_string_equal(reason, "false here has no torch (set ASSAY_PYTHON to one that has)");
    static workspace empty;
    assert_false(torch_server_possible(&empty, "true", reason, sizeof reason));
    assert_string_equal(reason, "torch_baseline.py is missing");
}

static void starts_once_and_ends(void **state)
{
    char python[256], socket[108];
    torch_server server = {.pid = 0};
    if (system("python3 -c pass 2>/dev/null") != 0)
        skip();
    stand_in_write(&ws, "python", stand_in_python, python);
    const char *first = torch_server_start(&server, &ws, python);
    if (!first)
        fail_msg("%s", server.reason);
    snprintf(socket, sizeof socket, "%s", first);
    const pid_t pid = server.pid;
    assert_string_equal(torch_server_start(&server, &ws, python), socket); /* not a second one */
    assert_int_equal(server.pid, pid);
    torch_server_stop(&server);
    assert_int_not_equal(kill(pid, 0), 0);
    assert_int_not_equal(access(socket, F_OK), 0);
    torch_server_stop(&server); /* twice is fine */
}

static void does_not_wait_for_one_that_ended(void **state)
{
    char python[256];
    torch_server server = {.pid = 0};
    stand_in_write(&ws, "python", failing_text, python);
    assert_null(torch_server_start(&server, &ws, python));
    assert_string_equal(server.reason, "torch_baseline.py ended while starting (status 9)");
    assert_null(torch_server_start(&server, &ws, python)); /* known from the first time */
    torch_server_stop(&server);
}

/* A server that imports for a while, and tells how it was called. */
static const char slow_text[] =
    "#!/bin/sh\n[ \"$1\" = -c ] && exit 0\necho \"$@\" > \"$(dirname \"$0\")/called\"\nsleep 30\n";

static void begins_without_waiting(void **state)
{
    char python[256], socket[108];
    torch_server server = {.pid = 0};
    if (system("python3 -c pass 2>/dev/null") != 0)
        skip();
    stand_in_write(&ws, "python", stand_in_python, python);
    torch_server_begin(&server, &ws, python, 0);
    const pid_t pid = server.pid;
    assert_true(pid > 0);
    torch_server_begin(&server, &ws, python, 0); /* not a second one */
    assert_int_equal(server.pid, pid);
    const char *listening = torch_server_start(&server, &ws, python);
    assert_non_null(listening);
    assert_int_equal(server.pid, pid);
    snprintf(socket, sizeof socket, "%s", listening);
    torch_server_stop(&server);
    assert_int_not_equal(access(socket, F_OK), 0);
}

static void ends_one_that_does_not_listen_yet(void **state)
{
    char python[256], path[256], called[512] = "";
    torch_server server = {.pid = 0};
    struct timespec start, end;
    stand_in_write(&ws, "python", slow_text, python);
    snprintf(path, sizeof path, "%.200s/called", ws.source);
    clock_gettime(CLOCK_MONOTONIC, &start);
    torch_server_begin(&server, &ws, python, 1);
    clock_gettime(CLOCK_MONOTONIC, &end);
    assert_true(end.tv_sec - start.tv_sec < 10);
    for (int i = 0; i < 500 && access(path, R_OK) != 0; i++)
        usleep(10000);
    usleep(50000);
    const pid_t pid = server.pid;
    torch_server_stop(&server);
    clock_gettime(CLOCK_MONOTONIC, &end);
    assert_true(end.tv_sec - start.tv_sec < 20); /* it would have slept for 30 s */
    assert_int_not_equal(kill(pid, 0), 0);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(called, sizeof called, file));
    fclose(file);
    assert_non_null(strstr(called, " --warm"));
    snprintf(path, sizeof path, "%s/torch_baseline.log", ws.results);
    assert_int_equal(access(path, R_OK), 0); /* in a folder that was not there */
}

static void begin_server(const workspace *of, const char *python)
{
    torch_server server = {.pid = 0};
    torch_server_begin(&server, of, python, 1);
}

static void ends_with_a_command_that_is_killed(void **state)
{
    ends_with_the_killed(&ws, begin_server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_why_there_is_none),
        cmocka_unit_test(starts_once_and_ends),
        cmocka_unit_test(does_not_wait_for_one_that_ended),
        cmocka_unit_test(begins_without_waiting),
        cmocka_unit_test(ends_one_that_does_not_listen_yet),
        cmocka_unit_test(ends_with_a_command_that_is_killed),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
