/* The supervisor on the build's own workspace, with module records written here: history, broken files, interruption.
 * How kernels end (crash, time-out, wrong results) is tested by the corpus in tests/wrong_kernels. */
#include "tests/unit.h"
#include "core/json_file.h"
#include "core/process.h"
#include "verify/verify.h"
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static workspace *ws;
static char scratch[128], record[256], verdict[256];

static void put(const char *path, const char *text)
{
    assert_int_equal(text_file_write(path, text, strlen(text), NULL), ASSAY_OK);
}

static void write_record(const char *status, const char *op, const char *hash)
{
    char text[512];
    snprintf(text, sizeof text,
             "{\"schema\": 1, \"op\": \"%s\", \"variant\": \"outside\", \"dtype\": \"f32\", \"status\": "
             "\"%s\", \"library\": "
             "\"missing.so\", \"source\": \"k.cu\", \"source_sha256\": \"%s\"}",
             op, status, hash);
    put(record, text);
}

static assay_status run(const verify_options *more, verify_summary *summary, assay_error *error)
{
    const char *const modules[] = {record};
    const case_filter filter = {.sizes = "small"};
    verify_options options = more ? *more : (verify_options){0};
    options.modules = modules;
    options.module_count = 1;
    return verify_run(ws, &filter, &options, summary, error);
}

static json_t *read_verdict(void)
{
    json_t *json = NULL;
    assert_int_equal(json_file_read(verdict, &json, NULL), ASSAY_OK);
    return json;
}

static void attempts_are_kept_oldest_first(void **state)
{
    verify_summary summary;
    write_record("does not compile", "add", "aaa");
    assert_int_equal(run(NULL, &summary, NULL), ASSAY_OK);
    assert_int_equal(summary.failed, 1);
    assert_int_equal(verify_summary_exit(&summary), ASSAY_EXIT_CHECK);
    verify_summary_release(&summary);
    write_record("ok", "add", "bbb");
    assert_int_equal(run(NULL, &summary, NULL), ASSAY_OK);
    verify_summary_release(&summary);
    json_t *json = read_verdict();
    const json_t *attempts = json_object_get(json, "attempts");
    assert_int_equal(json_array_size(attempts), 2);
    assert_string_equal(json_get_text(json_array_get(attempts, 0), "status", ""), "does not compile");
    assert_string_equal(json_get_text(json_array_get(attempts, 0), "source_sha256", ""), "aaa");
    assert_string_equal(json_get_text(json_array_get(attempts, 1), "status", ""), "fail");
    assert_string_equal(json_get_text(json_array_get(attempts, 1), "source_sha256", ""), "bbb");
    assert_non_null(strstr(json_get_text(json, "reason", ""), "cannot load module"));
    assert_non_null(json_object_get(json_object_get(json, "git"), "commit"));
    assert_string_equal(json_get_text(json, "rerun", ""),
                        "assay verify add --source k.cu --dtype f32 --size small --seed 20260");
    json_decref(json);
}

static void a_broken_verdict_file_is_replaced(void **state)
{
    static const char *const broken[] = {"", "{\"schema\": 1, \"attempts\": [", "{\"attempts\": 7}", "[NaN]"};
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        verify_summary summary;
        write_record("does not compile", "add", "aaa");
        put(verdict, broken[i]);
        assert_int_equal(run(NULL, &summary, NULL), ASSAY_OK);
        assert_int_equal(summary.failed, 1);
        verify_summary_release(&summary);
        json_t *json = read_verdict();
        assert_int_equal(json_array_size(json_object_get(json, "attempts")), 1);
        json_decref(json);
    }
}

static void bad_records_are_named(void **state)
{
    verify_summary summary;
    assay_error error = {0};
    write_record("ok", "no_such_op", "aaa");
    assert_int_equal(run(NULL, &summary, &error), ASSAY_ERR_INVALID);
    assert_non_null(strstr(error.message, "no_such_op"));
    verify_summary_release(&summary);
    error = (assay_error){0};
    put(record, "{\"schema\": 1");
    assert_int_equal(run(NULL, &summary, &error), ASSAY_ERR_FORMAT);
    assert_non_null(strstr(error.message, record));
    verify_summary_release(&summary);
}

static void a_dry_run_writes_nothing(void **state)
{
    verify_summary summary;
    write_record("does not compile", "add", "aaa");
    unlink(verdict);
    assert_int_equal(run(&(verify_options){.dry_run = 1}, &summary, NULL), ASSAY_OK);
    assert_int_equal(access(verdict, F_OK), -1);
    assert_int_equal(summary.passed + summary.failed + summary.skipped, 0);
    verify_summary_release(&summary);
}

static void a_worker_that_cannot_start_is_an_error_not_a_verdict(void **state)
{
    verify_summary summary;
    char kept[sizeof ws->libexec];
    memcpy(kept, ws->libexec, sizeof kept);
    strcpy(ws->libexec, "/nonexistent");
    write_record("ok", "add", "aaa");
    unlink(verdict);
    assert_int_equal(run(NULL, &summary, NULL), ASSAY_OK);
    assert_int_equal(summary.errors, 1);
    assert_int_equal(verify_summary_exit(&summary), ASSAY_EXIT_ENVIRONMENT);
    assert_int_equal(access(verdict, F_OK), -1);
    verify_summary_release(&summary);
    memcpy(ws->libexec, kept, sizeof kept);
}

/* In the worker's place a program that never says a word of the protocol. */
static void a_worker_that_says_nothing_is_an_error_not_a_verdict(void **state)
{
    verify_summary summary;
    char kept[sizeof ws->libexec], program[300];
    static const char script[] = "#!/bin/sh\necho no device today\nexit 3\n";
    memcpy(kept, ws->libexec, sizeof kept);
    snprintf(ws->libexec, sizeof ws->libexec, "%s", scratch);
    snprintf(program, sizeof program, "%s/assay-verify-worker", scratch);
    write_record("ok", "add", "aaa");
    put(program, script);
    assert_int_equal(chmod(program, 0700), 0);
    unlink(verdict);
    assert_int_equal(run(NULL, &summary, NULL), ASSAY_OK);
    assert_int_equal(summary.passed + summary.failed, 0);
    assert_int_equal(summary.errors, 1);
    assert_int_equal(verify_summary_exit(&summary), ASSAY_EXIT_ENVIRONMENT);
    const char *reason = json_get_text(json_array_get(summary.cases, 0), "reason", "");
    assert_non_null(strstr(reason, "exited with status 3: no device today"));
    verify_summary_release(&summary);
    assert_int_equal(access(verdict, F_OK), -1);
    memcpy(ws->libexec, kept, sizeof kept);
}

static void unwritable_results_are_an_io_error(void **state)
{
    verify_summary summary;
    assay_error error = {0};
    char blocker[300], kept[sizeof ws->results];
    memcpy(kept, ws->results, sizeof kept);
    snprintf(blocker, sizeof blocker, "%s/file", scratch);
    put(blocker, "x");
    snprintf(ws->results, sizeof ws->results, "%s/below", blocker);
    assert_int_equal(run(NULL, &summary, &error), ASSAY_ERR_IO);
    assert_non_null(strstr(error.message, blocker));
    verify_summary_release(&summary);
    memcpy(ws->results, kept, sizeof kept);
}

/* The worker would leave a trace if it were started. */
static void a_full_disk_is_found_before_judging(void **state)
{
    verify_summary summary;
    assay_error error = {0};
    char program[300], script[300], trace[300], kept[sizeof ws->libexec];
    memcpy(kept, ws->libexec, sizeof kept);
    snprintf(ws->libexec, sizeof ws->libexec, "%s", scratch);
    snprintf(program, sizeof program, "%s/assay-verify-worker", scratch);
    snprintf(trace, sizeof trace, "%s/was-started", scratch);
    snprintf(script, sizeof script, "#!/bin/sh\n: > %s\n", trace);
    put(program, script);
    assert_int_equal(chmod(program, 0700), 0);
    write_record("ok", "add", "aaa");
    struct rlimit limit;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &limit);
    const struct rlimit small = {.rlim_cur = 4096, .rlim_max = limit.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    const assay_status status = run(NULL, &summary, &error);
    setrlimit(RLIMIT_FSIZE, &limit);
    assert_int_equal(status, ASSAY_ERR_IO);
    assert_non_null(strstr(error.message, "/results/outside/verify"));
    assert_int_equal(access(trace, F_OK), -1);
    verify_summary_release(&summary);
    assert_int_equal(run(NULL, &summary, NULL), ASSAY_OK);
    assert_int_equal(access(trace, F_OK), 0);
    verify_summary_release(&summary);
    memcpy(ws->libexec, kept, sizeof kept);
}

static void golden_sets_that_fit_nothing_are_an_error(void **state)
{
    verify_summary summary;
    assay_error error = {0};
    char directory[4096];
    snprintf(directory, sizeof directory, "%s/tests/golden", getenv("ASSAY_SOURCE"));
    const case_filter filter = {.ops = "no_such_op"};
    assert_int_equal(verify_golden(ws, directory, &filter, &(verify_options){0}, &summary, &error),
                     ASSAY_ERR_INVALID);
    assert_non_null(strstr(error.message, "no golden case matches"));
    verify_summary_release(&summary);
    error = (assay_error){0};
    assert_int_equal(verify_golden(ws, scratch, NULL, &(verify_options){0}, &summary, &error), ASSAY_ERR_IO);
    verify_summary_release(&summary);
}

/* One add case whose input is cut short: wrong input, no verdict on the kernel. */
static void a_truncated_golden_file_is_named(void **state)
{
    static const char manifest[] = "{\"cases\": [{\"id\": \"cut\", \"op\": \"add\", \"dtype\": \"f32\", "
                                   "\"params\": {}, \"inputs\": {\"x\": {\"file\": "
                                   "\"x.npy\", \"shape\": [3]}, \"y\": {\"file\": \"x.npy\", \"shape\": "
                                   "[3]}}, \"output_shape\": [3], \"expected\": "
                                   "\"x.npy\"}]}";
    verify_summary summary;
    char directory[160], path[200];
    snprintf(directory, sizeof directory, "%s/golden", scratch);
    snprintf(path, sizeof path, "%s/manifest.json", directory);
    put(path, manifest);
    snprintf(path, sizeof path, "%s/x.npy", directory);
    put(path, "\x93NUMPY\x01");
    const case_filter filter = {.ops = "add", .variants = "v1", .dtypes = "f32"};
    assert_int_equal(verify_golden(ws, directory, &filter, &(verify_options){0}, &summary, NULL), ASSAY_OK);
    assert_int_equal(summary.errors, 1);
    assert_int_equal(summary.passed + summary.failed, 0);
    assert_int_equal(verify_summary_exit(&summary), ASSAY_EXIT_USAGE);
    const char *reason = json_get_text(json_array_get(summary.cases, 0), "reason", "");
    assert_non_null(strstr(reason, "golden case cut"));
    assert_non_null(strstr(reason, "x.npy: not a .npy file"));
    verify_summary_release(&summary);
}

/* Comes last: the flag that a signal sets stays set. */
static void an_interrupt_stops_and_leaves_old_verdicts(void **state)
{
    verify_summary summary;
    write_record("does not compile", "add", "aaa");
    assert_int_equal(run(NULL, &summary, NULL), ASSAY_OK);
    verify_summary_release(&summary);
    json_t *before = read_verdict();
    process_watch_interrupts();
    raise(SIGINT);
    assert_int_equal(run(NULL, &summary, NULL), ASSAY_OK);
    assert_int_equal(summary.interrupted, 1);
    assert_int_equal(verify_summary_exit(&summary), 130);
    verify_summary_release(&summary);
    json_t *after = read_verdict();
    assert_true(json_equal(before, after));
    json_decref(before);
    json_decref(after);
}

static int set_up(void **state)
{
    if (workspace_open(NULL, &ws, NULL) != ASSAY_OK || !getenv("ASSAY_SOURCE"))
        return -1;
    snprintf(scratch, sizeof scratch, "/tmp/assay-test-supervisor-%ld", (long)getpid());
    snprintf(record, sizeof record, "%s/k.json", scratch);
    snprintf(verdict, sizeof verdict, "%s/results/outside/verify/add.outside.f32.small.json", scratch);
    snprintf(ws->results, sizeof ws->results, "%s/results", scratch);
    return make_folders(scratch, NULL) == ASSAY_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    char command[300];
    workspace_close(ws);
    snprintf(command, sizeof command, "rm -rf %s", scratch);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attempts_are_kept_oldest_first),
        cmocka_unit_test(a_broken_verdict_file_is_replaced),
        cmocka_unit_test(bad_records_are_named),
        cmocka_unit_test(a_dry_run_writes_nothing),
        cmocka_unit_test(a_worker_that_cannot_start_is_an_error_not_a_verdict),
        cmocka_unit_test(a_worker_that_says_nothing_is_an_error_not_a_verdict),
        cmocka_unit_test(unwritable_results_are_an_io_error),
        cmocka_unit_test(a_full_disk_is_found_before_judging),
        cmocka_unit_test(golden_sets_that_fit_nothing_are_an_error),
        cmocka_unit_test(a_truncated_golden_file_is_named),
        cmocka_unit_test(an_interrupt_stops_and_leaves_old_verdicts),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
