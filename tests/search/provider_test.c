/* Providers: good ones are used, all others are replaced by the heuristic, in time, with a reason and without the key. Arguments:
 * python3 and provider_server.py, or none where there is no Python. */
#include "test.h"
#include "tune/providers/provider.h"
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *python, *script;
static int port;
static space *s;

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static provider_report report;
static configuration found[PROVIDER_MAX_CANDIDATES];

static int ask(const char *name, double limit)
{
    int count = 0;
    const provider_options options = {.name = name,
                                      .model = "m",
                                      .time_limit_s = limit,
                                      .count = 4,
                                      .seed = 1,
                                      .key_variable = "SEARCH_TEST_KEY"};
    configuration old = {{2, 2}};
    const provider_attempt attempts[] = {
        {{old, EVALUATION_SUCCESS, 12.5}, NULL},
        {{{{0, 2}}, EVALUATION_CRASHED, NAN}, "killed by signal 11"},
    };
    const provider_prompt prompt = {.space = s,
                                    .op = "matmul",
                                    .source = "__global__ void k();",
                                    .attempts = attempts,
                                    .attempt_count = 2};
    provider_report_release(&report);
    ASSERT_OK(provider_propose(&options, &prompt, found, &count, &report, failure));
    for (int i = 0; i < count; i++) {
        assert_true(space_is_valid(s, &found[i], NULL));
        assert_false(configuration_equals(&found[i], &old));
        for (int k = 0; k < i; k++)
            assert_false(configuration_equals(&found[i], &found[k]));
    }
    return count;
}

static void expect_good(const char *name)
{
    const int count = ask(name, 60);
    if (report.used_fallback)
        fail_msg("%s: %s", name, report.why);
    assert_int_equal(count, 2);
    assert_int_equal(found[0].index[0], 1);
    assert_int_equal(found[0].index[1], 1);
}

static void expect_fallback(const char *name, double limit, const char *why)
{
    const int count = ask(name, limit);
    if (!report.used_fallback || !strstr(report.why, why))
        fail_msg("%s: \"%s\" does not say \"%s\"", name, report.why, why);
    assert_string_equal(report.provider, "heuristic");
    assert_int_equal(count, 4);
    assert_null(strpbrk(report.why, "\n\r\x1b"));
}

static const char *at(const char *path)
{
    static char address[200];
    snprintf(address, sizeof address, "http://127.0.0.1:%d/%s", port, path);
    return address;
}

static void test_names(void **state)
{
    (void)state;
    assert_true(provider_name_is_valid("https://host/v1"));
    assert_false(provider_name_is_valid("ftp://host"));
    assert_false(provider_name_is_valid("command:"));
    int count = 0;
    assay_error error = {0};
    assert_int_equal(provider_propose(&(provider_options){.name = "guess", .count = 1},
                                      &(provider_prompt){.space = s}, found, &count, &report, &error),
                     ASSAY_ERR_INVALID);
    assert_int_equal(ask("heuristic", 1), 4);
    assert_false(report.used_fallback);
}

static void test_commands(void **state)
{
    (void)state;
    static const char good[] =
        "command:echo '{\"candidates\": [{\"values\": {\"BLOCK_M\": 128, \"STAGES\": 3}},"
        " {\"values\": {\"BLOCK_M\": 64, \"STAGES\": 2}}]}'; echo noise >&2";
    expect_good(good);
    /* The prompt arrives whole: the command answers only if it holds what it must. */
    expect_good(
        "command:python3 -c 'import json,sys; p=json.load(sys.stdin);"
        " assert p[\"best\"][0][\"us\"]==12.5 and p[\"failed\"][0][\"reason\"]==\"killed by signal 11\";"
        " assert p[\"parameters\"][1][\"values\"]==[2,3,4] and p[\"constraints\"]==[\"BLOCK_M * STAGES <= "
        "512\"];"
        " print(json.dumps({\"candidates\":[{\"values\":{\"BLOCK_M\":128,\"STAGES\":3}},"
        "{\"values\":{\"BLOCK_M\":64,\"STAGES\":2}}]}))'");
    expect_fallback("command:exit 7", 60, "exited with status 7");
    expect_fallback("command:echo no such model >&2; exit 3", 60, "exited with status 3: no such model");
    expect_fallback("command:kill -9 $$", 60, "killed by signal 9");
    expect_fallback("command:echo nothing", 60, "the reply is not JSON");
    expect_fallback("command:/no/such/program", 60, "exited with status 127");
    expect_fallback("command:head -c 6000000 /dev/zero", 60, "longer than");
    expect_fallback("command:yes", 60, "longer than");
    const double begin = seconds(); /* a machine with other jobs may take seconds for what takes 0.3 here */
    expect_fallback("command:sleep 300", 0.3, "took longer than its time limit");
    expect_fallback("command:exec >&-; sleep 300", 0.3, "took longer than its time limit");
    assert_true(seconds() - begin < 100);
}

static void test_good_endpoints(void **state)
{
    (void)state;
    if (port == 0)
        skip();
    expect_good(at("good"));
    expect_good(at("good/"));
    expect_good(at("good/v1"));
    expect_good(at("good/v1/chat/completions"));
    expect_good(at("fenced"));
    expect_good(at("picky"));   /* refuses three parameters, one after the other */
    expect_good(at("limited")); /* asks for a second's pause */
    expect_good(at("duplicates"));
    assert_int_equal(report.known, 38);
}

static void test_bad_endpoints(void **state)
{
    (void)state;
    if (port == 0)
        skip();
    expect_fallback(at("malformed"), 60, "the reply is not JSON");
    expect_fallback(at("prose"), 60, "the reply is not JSON");
    expect_fallback(at("deep"), 60, "the reply is not JSON");
    expect_fallback(at("hostile"), 60, "no candidate of the reply is of use: 11 received, 11 invalid");
    assert_int_not_equal(access("/tmp/assay-hostile", F_OK), 0);
    expect_fallback(at("truncated"), 60, "the endpoint gave no answer");
    expect_fallback(at("busy"), 60, "HTTP status 429 (too many requests)");
    expect_fallback(at("stubborn"), 60, "HTTP status 400");
    expect_fallback(at("redirect"), 60, "HTTP status 302");
    expect_fallback(at("huge"), 60, "longer than");
    expect_fallback(at("empty"), 60, "no choices[0].message.content");
    expect_fallback(at("html"), 60, "not JSON");
    expect_fallback("http://127.0.0.1:1", 60, "gave no answer");
    const double begin = seconds();
    expect_fallback(at("slow"), 0.4, "took longer than its time limit");
    expect_fallback(at("drip"), 0.4, "took longer than its time limit");
    assert_true(seconds() - begin < 100);
}

/* The key arrives in the header, is nowhere in what is kept, and does not leave the machine in the clear. */
static void test_key(void **state)
{
    static const char key[] = "secret-key-0123456789";
    (void)state;
    if (port == 0)
        skip();
    setenv("SEARCH_TEST_KEY", key, 1);
    expect_good(at("key"));
    assert_null(strstr(report.prompt, key));
    expect_fallback(at("echo"), 60, "HTTP status 401");
    assert_null(strstr(report.why, "secret"));
    expect_fallback("http://192.0.2.1/v1", 60, "is not sent over http://");
    expect_fallback("http://localhost.example.org/v1", 60, "is not sent over http://");
    setenv("SEARCH_TEST_KEY", "a\r\nX-Header: b", 1);
    expect_fallback(at("key"), 60, "holds a line break");
    unsetenv("SEARCH_TEST_KEY");
    expect_fallback(at("key"), 60, "HTTP status 401");
}

static pid_t start_server(int *input)
{
    int to[2], from[2];
    char text[32] = "";
    assert_int_equal(pipe(to) | pipe(from), 0);
    const pid_t child = fork();
    if (child == 0) {
        dup2(to[0], 0);
        dup2(from[1], 1);
        close(to[1]);
        close(from[0]);
        execlp(python, python, script, (char *)NULL);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    FILE *said = fdopen(from[0], "r"); /* to the end of the line: Python may write it in two parts */
    assert_non_null(said);
    if (fgets(text, sizeof text, said))
        port = atoi(text);
    fclose(said);
    *input = to[1];
    return child;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_names), cmocka_unit_test(test_commands),
                                       cmocka_unit_test(test_good_endpoints),
                                       cmocka_unit_test(test_bad_endpoints), cmocka_unit_test(test_key)};
    int input = -1;
    pid_t child = -1;
    signal(SIGPIPE, SIG_IGN);
    s = make_space("BLOCK_M=64,128,256;STAGES=2,3,4", "BLOCK_M * STAGES <= 512");
    if (argc == 3) {
        python = argv[1];
        script = argv[2];
        child = start_server(&input);
    }
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    provider_report_release(&report);
    space_free(s);
    if (child > 0) {
        close(input);
        kill(child, SIGTERM);
        waitpid(child, NULL, 0);
    }
    return failed;
}
