/* Several kernels in one worker: each gets the verdict that it would get alone, and costs the others nothing. */
#include "tests/unit.h"
#include "core/json_file.h"
#include "build_module/compile.h"
#include "verify/verify.h"
#include <sys/stat.h>
#include <unistd.h>

enum { MOST = 8 };

static workspace *ws;
static char scratch[128], program[300], starts[300];

/* A module of a kernel of the corpora under a name of its own; made once. */
static void make_module(const char *file, const char *variant, char *record, size_t record_bytes)
{
    char source[4400];
    module_record made;
    snprintf(record, record_bytes, "%s/%s.json", scratch, variant);
    if (access(record, R_OK) == 0)
        return;
    snprintf(source, sizeof source, "%s/tests/%s", getenv("ASSAY_SOURCE"), file);
    const module_request request = {.op = workspace_find_op(ws, "add"),
                                    .source = source,
                                    .variant = variant,
                                    .dtype = ASSAY_F32,
                                    .record = record};
    assert_int_equal(module_compile(ws, &request, &made, NULL), ASSAY_OK);
    assert_true(strcmp(made.status, "ok") == 0 || strcmp(made.status, "does not compile") == 0);
    module_record_release(&made);
}

/* Stands before the worker and leaves a line for each start. */
static void count_starts(void)
{
    char script[4800];
    snprintf(script, sizeof script, "#!/bin/sh\necho >> '%s'\nexec '%s/assay-verify-worker' \"$@\"\n", starts,
             ws->libexec);
    assert_int_equal(text_file_write(program, script, strlen(script), NULL), ASSAY_OK);
    assert_int_equal(chmod(program, 0700), 0);
    snprintf(ws->libexec, sizeof ws->libexec, "%s", scratch);
}

static int workers_started(void)
{
    FILE *file = fopen(starts, "r");
    int lines = 0;
    for (int c; file && (c = fgetc(file)) != EOF;)
        lines += c == '\n';
    if (file)
        fclose(file);
    return lines;
}

typedef struct injected {
    const char *file, *variant, *status, *reason; /* what must become of it */
} injected;

static json_t *read_verdict(const char *variant)
{
    char path[400];
    json_t *json = NULL;
    snprintf(path, sizeof path, "%s/results/outside/verify/add.%s.f32.small.json", scratch, variant);
    assert_int_equal(json_file_read(path, &json, NULL), ASSAY_OK);
    return json;
}

/* Judge them in this order and hold the verdicts against what was injected. Returns how many workers it took. */
static int judge(const injected *kernels, int count, double time_limit_s, int jobs)
{
    char records[MOST][300], command[200];
    const char *modules[MOST];
    verify_summary summary;
    const case_filter filter = {.sizes = "small"};
    int passed = 0, skipped = 0;
    for (int i = 0; i < count; i++) {
        make_module(kernels[i].file, kernels[i].variant, records[i], sizeof records[i]);
        modules[i] = records[i];
        passed += strcmp(kernels[i].status, "pass") == 0;
        skipped += strcmp(kernels[i].status, "skipped") == 0;
    }
    snprintf(command, sizeof command, "rm -rf '%s/results' '%s/starts'", scratch, scratch);
    assert_int_equal(system(command), 0);
    const verify_options options = {
        .modules = modules, .module_count = count, .time_limit_s = time_limit_s, .jobs = jobs};
    assert_int_equal(verify_run(ws, &filter, &options, &summary, NULL), ASSAY_OK);
    assert_int_equal(summary.passed, passed);
    assert_int_equal(summary.skipped, skipped);
    assert_int_equal(summary.failed, count - passed - skipped);
    assert_int_equal(json_array_size(summary.cases), count);
    verify_summary_release(&summary);
    for (int i = 0; i < count; i++) {
        json_t *verdict = read_verdict(kernels[i].variant);
        const char *status = json_get_text(verdict, "status", ""),
                   *reason = json_get_text(verdict, "reason", "");
        if (strcmp(status, "crash") == 0 && strcmp(kernels[i].status, "fail") == 0)
            status = "fail"; /* a GPU reports what the CPU device stops at */
        assert_string_equal(status, kernels[i].status);
        if (!strstr(reason, kernels[i].reason))
            print_message("got: %s\n", reason);
        assert_non_null(strstr(reason, kernels[i].reason));
        assert_int_equal(json_array_size(json_object_get(verdict, "attempts")), 1);
        assert_true(json_get_number(verdict, "seconds", 0) > 0);
        json_decref(verdict);
    }
    return workers_started();
}

#define GOOD(name)                                     \
    {                                                  \
        "wrong_kernels/right_add.cu", name, "pass", "" \
    }

static void those_that_pass_share_a_worker(void **state)
{
    const injected all[] = {GOOD("v1"), GOOD("v2"), GOOD("v3")};
    assert_int_equal(judge(all, 3, 0, 1), 1);
    json_t *alone, *behind = read_verdict("v3");
    assert_int_equal(judge(&all[2], 1, 0, 1), 1);
    alone = read_verdict("v3");
    assert_true(json_array_size(json_object_get(alone, "checks")) > 5);
    assert_true(json_equal(json_object_get(alone, "checks"), json_object_get(behind, "checks")));
    json_decref(alone);
    json_decref(behind);
}

static void sizes_share_a_worker(void **state)
{
    char record[300], command[200];
    const char *module = record;
    verify_summary summary;
    const case_filter filter = {.sizes = "small,edge"};
    const verify_options options = {.modules = &module, .module_count = 1, .jobs = 1};
    make_module("wrong_kernels/right_add.cu", "v1", record, sizeof record);
    snprintf(command, sizeof command, "rm -rf '%s/results' '%s/starts'", scratch, scratch);
    assert_int_equal(system(command), 0);
    assert_int_equal(verify_run(ws, &filter, &options, &summary, NULL), ASSAY_OK);
    assert_int_equal(summary.passed, 2);
    assert_int_equal(workers_started(), 1);
    verify_summary_release(&summary);
}

static void jobs_share_the_kernels(void **state)
{
    const injected all[] = {GOOD("v1"), GOOD("v2"), GOOD("v3"), GOOD("v4")};
    assert_int_equal(judge(all, 4, 0, 2), 2);
}

static void a_crash_is_its_own(void **state)
{
    const injected all[] = {GOOD("v1"),
                            {"wrong_kernels/host_null.cu", "v2_crashes", "crash", "first contents"},
                            GOOD("v3"),
                            GOOD("v4")};
    /* v1 and the crash, the crash alone, the rest. */
    assert_int_equal(judge(all, 4, 0, 1), 3);
}

static void a_first_crash_is_not_repeated(void **state)
{
    const injected all[] = {{"wrong_kernels/host_null.cu", "v2_crashes", "crash", "first contents"},
                            GOOD("v3")};
    assert_int_equal(judge(all, 2, 0, 1), 2);
}

static void an_exit_is_its_own(void **state)
{
    const injected all[] = {
        GOOD("v1"), {"wrong_kernels/exits.cu", "v2_exits", "crash", "exited with status"}, GOOD("v3")};
    assert_int_equal(judge(all, 3, 0, 1), 3);
}

static void what_never_runs_ends_no_worker(void **state)
{
    const injected all[] = {
        GOOD("v1"),
        {"wrong_kernels/does_not_compile.cu", "v2_broken", "does not compile", "does_not_compile.cu"},
        {"verify/kernels/refuses.cu", "v3_refuses", "skipped", "does not support this problem"},
        GOOD("v4")};
    assert_int_equal(judge(all, 4, 0, 1), 1);
}

/* On a GPU nothing more can be run in that process: its context is broken. */
static void a_broken_device_is_its_own(void **state)
{
    const injected all[] = {GOOD("v1"),
                            {"wrong_kernels/device_null.cu", "v2_null", "fail", ""},
                            {"wrong_kernels/device_null.cu", "v3_null", "fail", ""},
                            GOOD("v4")};
    judge(all, 4, 0, 1);
}

static void a_hang_costs_one_time_limit(void **state)
{
    const injected all[] = {GOOD("v1"),
                            {"wrong_kernels/infinite_loop.cu", "v2_hangs", "timeout",
                             "timed out after 6 s in small, first contents"},
                            GOOD("v3")};
    assert_int_equal(judge(all, 3, 6, 1), 2);
}

static void a_failure_counts_from_a_worker_of_its_own(void **state)
{
    const injected all[] = {
        GOOD("v1"),
        {"wrong_kernels/zeros.cu", "v2_zeros", "fail", "the whole output is the constant 0"},
        GOOD("v3")};
    assert_int_equal(judge(all, 3, 0, 1), 3);
}

static void what_a_kernel_leaves_behind_harms_no_other(void **state)
{
    const injected all[] = {{"verify/kernels/leaves_mark.cu", "v1_marks", "pass", ""},
                            {"verify/kernels/minds_mark.cu", "v2_minds", "pass", ""},
                            GOOD("v3")};
    assert_int_equal(judge(all, 3, 0, 1), 2);
    setenv("ASSAY_TEST_MARK_KILLS", "1", 1);
    assert_int_equal(judge(all, 3, 0, 1), 2);
    unsetenv("ASSAY_TEST_MARK_KILLS");
}

static int set_up(void **state)
{
    if (workspace_open(NULL, &ws, NULL) != ASSAY_OK || !getenv("ASSAY_SOURCE"))
        return -1;
    snprintf(scratch, sizeof scratch, "/tmp/assay-test-judge-%ld", (long)getpid());
    snprintf(program, sizeof program, "%s/assay-verify-worker", scratch);
    snprintf(starts, sizeof starts, "%s/starts", scratch);
    snprintf(ws->results, sizeof ws->results, "%s/results", scratch);
    if (make_folders(scratch, NULL) != ASSAY_OK)
        return -1;
    char record[300];
    make_module("wrong_kernels/right_add.cu", "v1", record, sizeof record); /* while libexec is the build's */
    count_starts();
    return 0;
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
        cmocka_unit_test(those_that_pass_share_a_worker),
        cmocka_unit_test(sizes_share_a_worker),
        cmocka_unit_test(jobs_share_the_kernels),
        cmocka_unit_test(a_crash_is_its_own),
        cmocka_unit_test(a_first_crash_is_not_repeated),
        cmocka_unit_test(an_exit_is_its_own),
        cmocka_unit_test(what_never_runs_ends_no_worker),
        cmocka_unit_test(a_broken_device_is_its_own),
        cmocka_unit_test(a_hang_costs_one_time_limit),
        cmocka_unit_test(a_failure_counts_from_a_worker_of_its_own),
        cmocka_unit_test(what_a_kernel_leaves_behind_harms_no_other),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
