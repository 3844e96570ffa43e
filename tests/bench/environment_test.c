/* What is said about a card's surroundings, with a stand-in for NVML whose settings the test chooses. */
#include "tests/unit.h"
#include "bench/environment/environment.h"
#include "core/json_file.h"
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static const assay_device_info card = {.kind = "cuda",
                                       .name = "Invented Card",
                                       .uuid = "GPU-01234567-89ab-cdef-0123-456789abcdef",
                                       .sm_count = 132,
                                       .memory_bytes = (int64_t)80 << 30,
                                       .driver = "999.88.77",
                                       .runtime = "13.0"};

static const char *text_of(const json_t *findings, const char *name, const char *key)
{
    for (size_t i = 0; i < json_array_size(findings); i++)
        if (strcmp(json_get_text(json_array_get(findings, i), "name", ""), name) == 0)
            return json_get_text(json_array_get(findings, i), key, "");
    return "absent";
}

/* Warnings that come from the card; the host's depend on the machine of the test. */
static int card_warnings(const json_t *findings)
{
    return environment_warnings(findings) -
           (strcmp(text_of(findings, "Load of the host", "verdict"), "warning") == 0);
}

static void finds_nothing_wrong_with_a_healthy_card(void **state)
{
    json_t *findings = environment_check(&card);
    assert_int_equal(card_warnings(findings), 0);
    assert_string_equal(text_of(findings, "Highest clocks", "value"), "SM 1980 MHz, memory 2619 MHz");
    assert_string_equal(text_of(findings, "Power limit", "value"),
                        "700 W (default 700 W, 200 to 700 W allowed), now 71 W");
    assert_string_equal(text_of(findings, "ECC", "value"), "on");
    assert_string_equal(text_of(findings, "PCIe", "value"), "generation 5 of 5, width 16 of 16");
    assert_string_equal(text_of(findings, "Other processes on the card", "value"), "none");
    assert_non_null(strstr(text_of(findings, "Driver and runtime", "value"), "NVML 13.999.88"));
    assert_non_null(strstr(text_of(findings, "Loaded libraries", "value"), "libjansson"));
    for (size_t i = 0; i < json_array_size(findings); i++) /* each says what it does */
        assert_true(strlen(json_get_text(json_array_get(findings, i), "effect", "")) > 5);
    json_decref(findings);
}

static void warns_with(const char *variable, const char *value, const char *name, const char *verdict)
{
    setenv(variable, value, 1);
    json_t *findings = environment_check(&card);
    assert_string_equal(text_of(findings, name, "verdict"), verdict);
    json_decref(findings);
    unsetenv(variable);
}

static void finds_what_distorts_times(void **state)
{
    warns_with("FAKE_NVML_LIMIT_W", "450", "Power limit", "warning");
    warns_with("FAKE_NVML_CELSIUS", "83", "Temperature", "warning");
    warns_with("FAKE_NVML_REASONS", "0x20", "Clock event reasons now", "warning");
    warns_with("FAKE_NVML_REASONS", "0x4", "Clock event reasons now", "fine"); /* the power cap is no fault */
    warns_with("FAKE_NVML_MIG", "1", "MIG", "warning");
    warns_with("FAKE_NVML_COMPUTE_MODE", "0", "Compute mode", "fine");
    warns_with("FAKE_NVML_COMPUTE_MODE", "3", "Compute mode", "warning");
    warns_with("FAKE_NVML_PROCESSES", "2", "Other processes on the card", "warning");
    warns_with("FAKE_NVML_BUSY", "40", "Use of the card before measuring", "warning");
    warns_with("FAKE_NVML_APPLICATION_MHZ", "1410", "Application clocks", "note");
    warns_with("FAKE_NVML_PERSISTENCE", "0", "Persistence", "note");
}

/* What the benchmark itself started on the card, torch's server for one, is no neighbour. */
static void knows_its_own_processes(void **state)
{
    char number[32];
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        pause();
        _exit(0);
    }
    snprintf(number, sizeof number, "%ld", (long)child);
    setenv("FAKE_NVML_PROCESS", number, 1);
    warns_with("FAKE_NVML_PROCESSES", "1", "Other processes on the card", "fine");
    snprintf(number, sizeof number, "%ld", (long)getppid());
    setenv("FAKE_NVML_PROCESS", number, 1);
    warns_with("FAKE_NVML_PROCESSES", "1", "Other processes on the card", "warning");
    unsetenv("FAKE_NVML_PROCESS");
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

static void says_that_nothing_is_known(void **state)
{
    assay_device_info other = card;
    strcpy(other.uuid, "GPU-ffffffff-0000-0000-0000-000000000000");
    json_t *findings = environment_check(&other);
    assert_string_equal(text_of(findings, "NVML", "verdict"), "warning");
    assert_string_equal(text_of(findings, "MIG", "verdict"), "absent");
    json_decref(findings);
}

static void writes_a_page(void **state)
{
    char folder[256], path[300], *text = NULL;
    size_t bytes;
    make_folder(folder);
    setenv("FAKE_NVML_MIG", "1", 1);
    json_t *findings = environment_check(&card);
    unsetenv("FAKE_NVML_MIG");
    assert_int_equal(environment_write(folder, &card, findings, NULL), ASSAY_OK);
    snprintf(path, sizeof path, "%s/env_check.md", folder);
    assert_int_equal(text_file_read(path, &text, &bytes, NULL), ASSAY_OK);
    assert_non_null(strstr(text, "# Environment of the measurements: Invented Card\n"));
    assert_non_null(strstr(text, "| MIG | on | **warning:** "));
    free(text);
    json_decref(findings);
    remove_folder(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_nothing_wrong_with_a_healthy_card),
        cmocka_unit_test(finds_what_distorts_times),
        cmocka_unit_test(knows_its_own_processes),
        cmocka_unit_test(says_that_nothing_is_known),
        cmocka_unit_test(writes_a_page),
    };
    setenv("ASSAY_NVML_LIBRARY", TEST_NVML, 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
