/* Running ncu, with a program in its place (fake_ncu.sh): what it is asked for, and what becomes of its refusals. */
#include "tests/unit.h"
#include "core/json_file.h"
#include "profile/ncu_read.h"
#include "profile/ncu_run.h"
#include <math.h>
#include <sys/stat.h>

static char folder[256], log_path[300];
static workspace ws;
static opspec spec;
static workspace_op op = {.spec = &spec};
static assay_case one = {.op = &op, .variant = "v1_baseline", .dtype = ASSAY_BF16, .size = "large"};

static int begin(void **state)
{
    char path[4400];
    make_folder(folder);
    snprintf(log_path, sizeof log_path, "%s/calls", folder);
    snprintf(ws.libexec, sizeof ws.libexec, "%s", folder);
    snprintf(ws.path, sizeof ws.path, "%s/build", folder);
    snprintf(path, sizeof path, "%s/assay-launch-case", folder);
    FILE *launcher = fopen(path, "w");
    snprintf(spec.name, sizeof spec.name, "softmax");
    setenv("FAKE_NCU_LOG", log_path, 1);
    setenv("FAKE_NCU", "", 1);
    return launcher && fclose(launcher) == 0 && chmod(path, 0700) == 0 ? 0 : -1;
}

static int end(void **state)
{
    remove_folder(folder);
    return 0;
}

static void has_call(const char *words)
{
    char *text = NULL;
    size_t bytes;
    assert_int_equal(text_file_read(log_path, &text, &bytes, NULL), ASSAY_OK);
    if (!strstr(text, words))
        fail_msg("no call has \"%s\": %s", words, text);
    free(text);
}

static void a_profile_is_collected_and_read(void **state)
{
    launch_profile p = {0};
    assert_int_equal(ncu_run_case(&ws, &one, folder, &p, NULL), ASSAY_OK);
    has_call("--section SpeedOfLight --section ");
    has_call("dram__bytes_read.sum,");
    has_call("--clock-control none --cache-control all --profile-from-start off ");
    has_call("--op softmax --variant v1_baseline --dtype bf16 --size large --mode profile");
    has_call("--page source --log-file");
    assert_int_equal(p.count, 1);
    assert_near(metric_value(&p.kernels[0].metrics, METRIC_SM_SOL), 12.0, 0.0);
    assert_near(metric_value(&p.kernels[0].metrics, METRIC_MEMORY_SOL), 91.0, 0.0);
    assert_int_equal(p.kernels[0].line_count, 1);
    assert_int_equal(p.kernels[0].lines[0].line, 3);
    launch_profile_release(&p);
}

static void refused_metrics_leave_the_sections(void **state)
{
    launch_profile p = {0};
    setenv("FAKE_NCU", "refused", 1);
    assert_int_equal(ncu_run_case(&ws, &one, folder, &p, NULL), ASSAY_OK);
    has_call("--section SourceCounters --clock-control none"); /* the second call has no --metrics */
    assert_int_equal(p.count, 1);
    launch_profile_release(&p);
}

static void failures_are_told_apart(void **state)
{
    launch_profile p = {0};
    assay_error error = {0};
    char *text = NULL;
    setenv("FAKE_NCU", "denied", 1);
    assert_int_equal(ncu_run_case(&ws, &one, folder, &p, &error), ASSAY_ERR_ENVIRONMENT);
    assert_non_null(strstr(error.message, "ERR_NVGPUCTRPERM"));
    assert_int_equal(ncu_run_metrics(&ws, &one, "lts__t_bytes.sum", &text, NULL), ASSAY_ERR_ENVIRONMENT);
    free(text);
    error = (assay_error){0};
    setenv("FAKE_NCU", "crashed", 1);
    assert_int_equal(ncu_run_case(&ws, &one, folder, &p, &error), ASSAY_ERR_DEVICE);
    assert_non_null(strstr(error.message, "an illegal memory access"));
    error = (assay_error){0};
    snprintf(ws.libexec, sizeof ws.libexec, "/nowhere");
    assert_int_equal(ncu_run_case(&ws, &one, folder, &p, &error), ASSAY_ERR_ENVIRONMENT);
    assert_non_null(strstr(error.message, "/nowhere/assay-launch-case"));
    launch_profile_release(&p);
}

static void metrics_alone_come_as_text(void **state)
{
    char *text = NULL;
    launch_profile p = {0};
    assert_int_equal(ncu_run_metrics(&ws, &one, "gpu__time_duration.sum", &text, NULL), ASSAY_OK);
    assert_int_equal(ncu_read_page(text, &p, NULL), ASSAY_OK);
    assert_near(metric_value(&p.kernels[0].metrics, METRIC_DURATION), 61.0, 0.0);
    free(text);
    launch_profile_release(&p);
}

static void a_named_ncu_must_be_there(void **state)
{
    char path[4400];
    assay_error error = {0};
    const char *before = getenv("ASSAY_NCU");
    assert_int_equal(ncu_find(path, NULL), ASSAY_OK);
    assert_string_equal(path, before);
    char kept[4400];
    snprintf(kept, sizeof kept, "%s", before);
    setenv("ASSAY_NCU", "/nowhere/ncu", 1);
    assert_int_equal(ncu_find(path, &error), ASSAY_ERR_ENVIRONMENT);
    assert_non_null(strstr(error.message, "/nowhere/ncu"));
    setenv("ASSAY_NCU", kept, 1);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    setenv("ASSAY_NCU", argv[1], 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_profile_is_collected_and_read, begin, end),
        cmocka_unit_test_setup_teardown(refused_metrics_leave_the_sections, begin, end),
        cmocka_unit_test_setup_teardown(failures_are_told_apart, begin, end),
        cmocka_unit_test_setup_teardown(metrics_alone_come_as_text, begin, end),
        cmocka_unit_test_setup_teardown(a_named_ncu_must_be_there, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
