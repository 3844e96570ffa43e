/* What a run of the one-change loop needs, each only where it is used. ncu and Python are scripts here. */
#include "tests/unit.h"
#include "optimize/environment_gate.h"
#include <sys/stat.h>
#include <unistd.h>

static void versions_are_compared_by_their_numbers(void **state)
{
    assert_true(version_at_least("11.10", "11.6"));
    assert_true(version_at_least("13.0.88", "11.6"));
    assert_true(version_at_least("2024.3.2", "2024.3.2"));
    assert_true(version_at_least("3.11", "3.10"));
    assert_false(version_at_least("2024.3.1", "2024.3.2"));
    assert_false(version_at_least("7", "7.0.1"));
    assert_false(version_at_least("", "7.0"));
}

static void write_script(const char *folder, const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\n%s", text);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0755), 0);
}

/* An ncu and a torch that are too old, a Python that is not, no Triton. */
static int set_up(void **state)
{
    static char folder[256];
    char path[4096], python[512];
    make_folder(folder);
    write_script(folder, "ncu", "echo Version 2023.1.0.0\n");
    write_script(folder, "python",
                 "case $2 in *torch*) echo 1.13.1 ;; *triton*) exit 1 ;; *) echo 3.11.2 ;; esac\n");
    snprintf(path, sizeof path, "%s:%s", folder, getenv("PATH"));
    snprintf(python, sizeof python, "%s/python", folder);
    setenv("PATH", path, 1);
    setenv("ASSAY_PYTHON", python, 1);
    *state = folder;
    return 0;
}

static int tear_down(void **state)
{
    remove_folder(*state);
    return 0;
}

/* Names of what is used and does not pass, with blanks between. */
static const char *lacks(int use_ncu, const char *baselines)
{
    static char text[200];
    workspace ws = {.manifest = json_pack("{s:{s:s}}", "toolchain", "compiler", "c++")};
    assay_device_info device = {0};
    int missing = -1, counted = 0;
    snprintf(ws.device, sizeof ws.device, "cpu");
    json_t *gate = environment_gate(&ws, &device, use_ncu, baselines, &missing), *item;
    size_t i;
    text[0] = '\0';
    json_array_foreach(gate, i, item)
    {
        if (!json_is_true(json_object_get(item, "used")) || json_is_true(json_object_get(item, "passed")))
            continue;
        counted++;
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", text[0] ? " " : "",
                 json_string_value(json_object_get(item, "name")));
    }
    assert_int_equal(missing, counted);
    json_decref(gate);
    json_decref(ws.manifest);
    return text;
}

static void only_what_is_used_must_be_new_enough(void **state)
{
    assert_string_equal(lacks(0, ""), "");
    assert_string_equal(lacks(0, "cublas,triton"), "");
    assert_string_equal(lacks(1, "cublas"), "ncu");
    assert_string_equal(lacks(0, "cublas,torch_eager"), "torch");
    assert_string_equal(lacks(1, NULL), "ncu torch");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(versions_are_compared_by_their_numbers),
        cmocka_unit_test_setup_teardown(only_what_is_used_must_be_new_enough, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
