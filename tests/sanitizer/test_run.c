/* assay sanitize's runner, with shell scripts in place of compute-sanitizer and of the worker: what becomes of their ends. */
#include "core/json_file.h"
#include "verify/sanitize.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static workspace *ws;
static char scratch[128], tool[256];

static void write_script(const char *path, const char *body)
{
    char text[1024];
    snprintf(text, sizeof text, "#!/bin/sh\n%s\n", body);
    assert_int_equal(text_file_write(path, text, strlen(text), NULL), ASSAY_OK);
    assert_int_equal(chmod(path, 0755), 0);
}

/* The worker writes a verdict for each --bare to the file after --out, as a script that knows no more than that. */
static void set_worker(const char *status, const char *reason)
{
    char path[256], body[600];
    snprintf(path, sizeof path, "%s/assay-verify-case", scratch);
    snprintf(
        body, sizeof body,
        "for last; do\n[ \"$last\" != --bare ] || all=\"${all:+$all, }{\\\"status\\\": \\\"%s\\\", "
        "\\\"reason\\\": "
        "\\\"%s\\\", \\\"checks\\\": [{}, {}]}\"\ndone\nprintf '{\"verdicts\": [%%s]}' \"$all\" > \"$last\"",
        status, reason);
    write_script(path, body);
}

/* The tool drops its own arguments, runs the worker and says `words`. */
static void set_tool(const char *words)
{
    char body[700];
    snprintf(body, sizeof body,
             "while [ \"${1##*/}\" != assay-verify-case ]; do shift; done\n\"$@\"\nprintf '%s'", words);
    write_script(tool, body);
}

static void run(const char *tools, verify_summary *summary)
{
    const case_filter filter = {.ops = "add", .variants = "v1", .dtypes = "f32"};
    const sanitize_options options = {
        .tools = tools, .program = tool, .quiet = 1, .jobs = 1, .time_limit_s = 5};
    assay_error error = {0};
    if (sanitize_run(ws, &filter, &options, summary, &error) != ASSAY_OK)
        fail_msg("%s", error.message);
}

/* The one case's status and a part of its reason. */
static void expect(const char *status, const char *reason)
{
    verify_summary summary;
    run("memcheck", &summary);
    const json_t *judged = json_array_get(summary.cases, 0);
    assert_int_equal(json_array_size(summary.cases), 1);
    assert_string_equal(json_get_text(judged, "status", ""), status);
    if (!strstr(json_get_text(judged, "reason", ""), reason))
        fail_msg("expected \"%s\" in: %s", reason, json_get_text(judged, "reason", ""));
    verify_summary_release(&summary);
}

static void silence_is_a_pass(void **state)
{
    (void)state;
    set_worker("pass", "");
    set_tool("========= COMPUTE-SANITIZER\\n========= ERROR SUMMARY: 0 errors\\n");
    expect("pass", "");
    verify_summary summary;
    run(NULL, &summary);
    assert_int_equal(summary.passed, 4);
    assert_int_equal(verify_summary_exit(&summary), ASSAY_EXIT_OK);
    verify_summary_release(&summary);
    char path[400];
    json_t *result;
    snprintf(path, sizeof path, "%s/sanitizer/add.v1_baseline.f32.synccheck.json", ws->results);
    assert_int_equal(json_file_read(path, &result, NULL), ASSAY_OK);
    assert_true(json_get_number(result, "problems", 0) == 2);
    json_decref(result);
}

static void a_report_is_a_failure(void **state)
{
    (void)state;
    set_worker("pass", "");
    set_tool("========= COMPUTE-SANITIZER\\nstep: primes\\n========= Invalid __global__ read of size 4 "
             "bytes\\n=========     "
             "at k in a.cu:3\\n========= ERROR SUMMARY: 1 error\\n");
    expect("fail", "1 report, the first in primes: Invalid __global__ read of size 4 bytes at k in a.cu:3");
}

static void a_wrong_result_is_a_failure_too(void **state)
{
    (void)state;
    set_worker("fail", "3 of 9 elements are wrong");
    set_tool("========= ERROR SUMMARY: 0 errors\\n");
    expect("fail", "3 of 9 elements");
    set_worker("skipped", "the kernel does not support this problem");
    expect("skipped", "does not support");
}

/* Kernels share a process as long as all is well; then each has one of its own, so that a report has a name. */
static void a_shared_process_is_taken_apart(void **state)
{
    (void)state;
    const case_filter filter = {.ops = "add", .dtypes = "f32"};
    const sanitize_options options = {
        .tools = "memcheck", .program = tool, .quiet = 1, .jobs = 1, .time_limit_s = 5};
    verify_summary summary;
    set_worker("pass", "");
    set_tool("========= ERROR SUMMARY: 0 errors\\n");
    assert_int_equal(sanitize_run(ws, &filter, &options, &summary, NULL), ASSAY_OK);
    const int variants = summary.passed;
    assert_true(variants >= 4);
    verify_summary_release(&summary);
    char path[400];
    json_t *result;
    snprintf(path, sizeof path, "%s/sanitizer/add.v2_tiling.f32.memcheck.json", ws->results);
    assert_int_equal(json_file_read(path, &result, NULL), ASSAY_OK);
    assert_true(json_get_number(result, "together", 0) == variants);
    json_decref(result);
    set_tool("========= Invalid read\\n========= ERROR SUMMARY: 1 error\\n");
    assert_int_equal(sanitize_run(ws, &filter, &options, &summary, NULL), ASSAY_OK);
    assert_int_equal(summary.failed, variants);
    verify_summary_release(&summary);
    assert_int_equal(json_file_read(path, &result, NULL), ASSAY_OK);
    assert_true(json_get_number(result, "together", 0) == 1);
    json_decref(result);
}

/* Outputs stay on the device under initcheck, and under no other tool. */
static void initcheck_alone_leaves_outputs_unread(void **state)
{
    (void)state;
    const case_filter filter = {.ops = "add", .variants = "v1", .dtypes = "f32"};
    const sanitize_options options = {.program = tool, .quiet = 1, .jobs = 1, .time_limit_s = 5};
    verify_summary summary;
    set_worker("pass", "");
    write_script(tool, "all=\"$*\"\nwhile [ \"${1##*/}\" != assay-verify-case ]; do shift; done\n\"$@\"\n"
                       "case $all in *--unread*) echo '========= Unread'; n=1 ;; *) n=0 ;; esac\n"
                       "echo \"========= ERROR SUMMARY: $n errors\"");
    assert_int_equal(sanitize_run(ws, &filter, &options, &summary, NULL), ASSAY_OK);
    assert_int_equal(summary.passed, 3);
    assert_int_equal(summary.failed, 1);
    size_t i;
    json_t *judged;
    json_array_foreach(summary.cases, i, judged)
        assert_int_equal(strcmp(json_get_text(judged, "status", ""), "fail") == 0,
                         strstr(json_get_text(judged, "name", ""), ".initcheck.") != NULL);
    verify_summary_release(&summary);
}

/* Neither a pass nor the kernel's fault. */
static void a_tool_that_does_not_run_is_an_error(void **state)
{
    (void)state;
    verify_summary summary;
    set_worker("pass", "");
    set_tool("========= Error: no device\\n");
    run("racecheck,memcheck", &summary);
    assert_int_equal(summary.passed + summary.failed, 0);
    assert_int_equal(summary.errors, 2);
    assert_int_equal(verify_summary_exit(&summary), ASSAY_EXIT_ENVIRONMENT);
    verify_summary_release(&summary);
}

static void unknown_tools_are_named(void **state)
{
    (void)state;
    verify_summary summary;
    assay_error error = {0};
    const case_filter filter = {0};
    const sanitize_options options = {.tools = "memcheck,mumcheck", .program = tool};
    assert_int_equal(sanitize_run(ws, &filter, &options, &summary, &error), ASSAY_ERR_INVALID);
    assert_non_null(strstr(error.message, "\"mumcheck\""));
    verify_summary_release(&summary);
}

/* A planted mistake passes if it is reported, and only then. */
static void the_self_test_wants_reports(void **state)
{
    (void)state;
    char folder[200], path[300];
    verify_summary summary;
    const sanitize_options options = {.program = tool, .quiet = 1, .jobs = 1, .time_limit_s = 5};
    snprintf(folder, sizeof folder, "%s/planted", scratch);
    assert_int_equal(make_folders(folder, NULL), ASSAY_OK);
    snprintf(path, sizeof path, "%s/add.memcheck_out_of_bounds.f32.json", folder);
    assert_int_equal(text_file_write(path, "{}", 2, NULL), ASSAY_OK);
    set_worker("pass", "");
    set_tool("========= Invalid read\\n========= ERROR SUMMARY: 1 error\\n");
    assert_int_equal(sanitize_self_test(ws, &options, &summary, NULL), ASSAY_OK);
    assert_int_equal(summary.passed, 1);
    verify_summary_release(&summary);
    set_tool("========= ERROR SUMMARY: 0 errors\\n");
    assert_int_equal(sanitize_self_test(ws, &options, &summary, NULL), ASSAY_OK);
    assert_int_equal(summary.failed, 1);
    verify_summary_release(&summary);
}

static int open_workspace(void **state)
{
    (void)state;
    assay_error error = {0};
    if (workspace_open(NULL, &ws, &error) != ASSAY_OK)
        fail_msg("%s", error.message);
    snprintf(scratch, sizeof scratch, "/tmp/assay-sanitize-XXXXXX");
    assert_non_null(mkdtemp(scratch));
    snprintf(tool, sizeof tool, "%s/tool", scratch);
    snprintf(ws->libexec, sizeof ws->libexec, "%s", scratch);
    snprintf(ws->results, sizeof ws->results, "%s/results", scratch);
    snprintf(ws->path, sizeof ws->path, "%s", scratch);
    return 0;
}

static int close_workspace(void **state)
{
    (void)state;
    char command[200];
    snprintf(command, sizeof command, "rm -rf %s", scratch);
    workspace_close(ws);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(silence_is_a_pass),
        cmocka_unit_test(a_report_is_a_failure),
        cmocka_unit_test(a_wrong_result_is_a_failure_too),
        cmocka_unit_test(a_shared_process_is_taken_apart),
        cmocka_unit_test(initcheck_alone_leaves_outputs_unread),
        cmocka_unit_test(a_tool_that_does_not_run_is_an_error),
        cmocka_unit_test(unknown_tools_are_named),
        cmocka_unit_test(the_self_test_wants_reports),
    };
    return cmocka_run_group_tests(tests, open_workspace, close_workspace);
}
