/* assay sanitize's runner, with a shell script in place of compute-sanitizer: what becomes of its reports and of the kernel's results. */
#include "tests/unit.h"
#include "build_module/compile.h"
#include "core/json_file.h"
#include "verify/sanitize.h"
#include <sys/stat.h>
#include <unistd.h>

static workspace *ws;
static char scratch[256], tool[300];

static void write_script(const char *path, const char *body)
{
    char text[1024];
    snprintf(text, sizeof text, "#!/bin/sh\n%s\n", body);
    assert_int_equal(text_file_write(path, text, strlen(text), NULL), ASSAY_OK);
    assert_int_equal(chmod(path, 0755), 0);
}

/* Every variant of add in f32 becomes the kernel FILE.cu of the corpora. */
static void set_kernel(const char *file)
{
    const workspace_op *add = workspace_find_op(ws, "add");
    for (int i = 0; i < add->variant_count; i++) {
        char path[300], text[600];
        snprintf(path, sizeof path, "%s/modules/add.%s.f32.json", scratch, add->variants[i]);
        snprintf(
            text, sizeof text,
            "{\"schema\": 1, \"op\": \"add\", \"variant\": \"%s\", \"dtype\": \"f32\", \"status\": \"ok\", "
            "\"library\": \"%s/%s.so\", \"source\": \"%s\", \"source_sha256\": \"aa\"}",
            add->variants[i], scratch, file, file);
        assert_int_equal(text_file_write(path, text, strlen(text), NULL), ASSAY_OK);
    }
}

/* The tool drops its own arguments, runs the worker and says `words`. */
static void set_tool(const char *words)
{
    char body[700];
    snprintf(body, sizeof body,
             "while [ \"${1##*/}\" != assay-verify-worker ]; do shift; done\n\"$@\"\nprintf '%s'", words);
    write_script(tool, body);
}

static void run(const char *tools, verify_summary *summary)
{
    const case_filter filter = {.ops = "add", .variants = "v1", .dtypes = "f32"};
    const sanitize_options options = {
        .tools = tools, .program = tool, .quiet = 1, .jobs = 1, .time_limit_s = 60};
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
    set_kernel("right_add");
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
    assert_true(json_get_number(result, "problems", 0) > 5); /* the small size and the edge cases */
    json_decref(result);
}

static void a_report_is_a_failure(void **state)
{
    set_kernel("right_add");
    set_tool("========= COMPUTE-SANITIZER\\nstep: primes\\n========= Invalid __global__ read of size 4 "
             "bytes\\n=========     "
             "at k in a.cu:3\\n========= ERROR SUMMARY: 1 error\\n");
    expect("fail", "1 report, the first in primes: Invalid __global__ read of size 4 bytes at k in a.cu:3");
}

static void a_wrong_result_is_a_failure_too(void **state)
{
    set_kernel("zeros");
    set_tool("========= ERROR SUMMARY: 0 errors\\n");
    expect("fail", "the whole output is the constant 0");
    set_kernel("refuses");
    expect("skipped", "does not support");
}

/* Kernels share a process as long as all is well; then each has one of its own, so that a report has a name. */
static void a_shared_process_is_taken_apart(void **state)
{
    const case_filter filter = {.ops = "add", .dtypes = "f32"};
    const sanitize_options options = {
        .tools = "memcheck", .program = tool, .quiet = 1, .jobs = 1, .time_limit_s = 60};
    verify_summary summary;
    set_kernel("right_add");
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

/* Outputs stay on the device under initcheck, and under no other tool: a wrong result is not seen there. */
static void initcheck_alone_leaves_outputs_unread(void **state)
{
    const case_filter filter = {.ops = "add", .variants = "v1", .dtypes = "f32"};
    const sanitize_options options = {.program = tool, .quiet = 1, .jobs = 1, .time_limit_s = 60};
    verify_summary summary;
    set_kernel("zeros");
    set_tool("========= ERROR SUMMARY: 0 errors\\n");
    assert_int_equal(sanitize_run(ws, &filter, &options, &summary, NULL), ASSAY_OK);
    assert_int_equal(summary.passed, 1);
    assert_int_equal(summary.failed, 3);
    size_t i;
    json_t *judged;
    json_array_foreach(summary.cases, i, judged)
        assert_int_equal(strcmp(json_get_text(judged, "status", ""), "pass") == 0,
                         strstr(json_get_text(judged, "name", ""), ".initcheck.") != NULL);
    verify_summary_release(&summary);
}

/* Neither a pass nor the kernel's fault. */
static void a_tool_that_does_not_run_is_an_error(void **state)
{
    verify_summary summary;
    set_kernel("right_add");
    set_tool("========= Error: no device\\n");
    run("racecheck,memcheck", &summary);
    assert_int_equal(summary.passed + summary.failed, 0);
    assert_int_equal(summary.errors, 2);
    assert_int_equal(verify_summary_exit(&summary), ASSAY_EXIT_ENVIRONMENT);
    verify_summary_release(&summary);
}

static void unknown_tools_are_named(void **state)
{
    verify_summary summary;
    assay_error error = {0};
    const case_filter filter = {0};
    const sanitize_options options = {.tools = "memcheck,mumcheck", .program = tool};
    assert_int_equal(sanitize_run(ws, &filter, &options, &summary, &error), ASSAY_ERR_INVALID);
    assert_non_null(strstr(error.message, "\"mumcheck\""));
    verify_summary_release(&summary);
}

/* An injected mistake passes if it is reported, and only then. */
static void the_self_test_wants_reports(void **state)
{
    char folder[200], path[300];
    verify_summary summary;
    const sanitize_options options = {.program = tool, .quiet = 1, .jobs = 1, .time_limit_s = 60};
    snprintf(folder, sizeof folder, "%s/injected", scratch);
    assert_int_equal(make_folders(folder, NULL), ASSAY_OK);
    snprintf(path, sizeof path, "%s/add.memcheck_out_of_bounds.f32.json", folder);
    char text[400];
    snprintf(text, sizeof text,
             "{\"schema\": 1, \"op\": \"add\", \"variant\": \"memcheck_out_of_bounds\", \"dtype\": \"f32\", "
             "\"status\": "
             "\"ok\", \"library\": \"%s/right_add.so\", \"source\": \"k.cu\", \"source_sha256\": \"aa\"}",
             scratch);
    assert_int_equal(text_file_write(path, text, strlen(text), NULL), ASSAY_OK);
    set_kernel("right_add");
    set_tool("========= Invalid read\\n========= ERROR SUMMARY: 1 error\\n");
    assert_int_equal(sanitize_self_test(ws, &options, &summary, NULL), ASSAY_OK);
    assert_int_equal(summary.passed, 1);
    verify_summary_release(&summary);
    set_tool("========= ERROR SUMMARY: 0 errors\\n");
    assert_int_equal(sanitize_self_test(ws, &options, &summary, NULL), ASSAY_OK);
    assert_int_equal(summary.failed, 1);
    verify_summary_release(&summary);
}

/* SCRATCH/NAME.so from a kernel of the corpora. */
static int compile(const char *file, const char *name)
{
    char source[4400], record[300];
    module_record made;
    snprintf(source, sizeof source, "%s/tests/%s", getenv("ASSAY_SOURCE"), file);
    snprintf(record, sizeof record, "%s/%s.json", scratch, name);
    const module_request request = {.op = workspace_find_op(ws, "add"),
                                    .source = source,
                                    .variant = name,
                                    .dtype = ASSAY_F32,
                                    .record = record};
    const int ok = module_compile(ws, &request, &made, NULL) == ASSAY_OK && strcmp(made.status, "ok") == 0;
    module_record_release(&made);
    return ok;
}

static int open_workspace(void **state)
{
    assay_error error = {0};
    char modules[300];
    if (workspace_open(NULL, &ws, &error) != ASSAY_OK || !getenv("ASSAY_SOURCE"))
        fail_msg("%s", error.message);
    make_folder(scratch);
    snprintf(tool, sizeof tool, "%s/tool", scratch);
    if (!compile("wrong_kernels/right_add.cu", "right_add") || !compile("wrong_kernels/zeros.cu", "zeros") ||
        !compile("verify/kernels/refuses.cu", "refuses"))
        return -1;
    snprintf(modules, sizeof modules, "%s/modules", scratch);
    snprintf(ws->modules, sizeof ws->modules, "%s", modules);
    snprintf(ws->results, sizeof ws->results, "%s/results", scratch);
    snprintf(ws->path, sizeof ws->path, "%s", scratch);
    return make_folders(modules, &error) == ASSAY_OK ? 0 : -1;
}

static int close_workspace(void **state)
{
    remove_folder(scratch);
    workspace_close(ws);
    return 0;
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
