/* What counts as one change, and changes of tunables. */
#include "tests/unit.h"
#include "optimize/single_change.h"
#include "optimize/tunable_changes.h"

static const char plain[] =
    "// adds\n#ifndef THREADS\n#define THREADS 256\n#endif\nconstexpr int UNROLL = 4;\n"
    "__global__ void f(float *x) { x[threadIdx.x] += 1; }\n";

/* The names of the changes with "; " between, or the message where they are not one. */
static char *changes(const char *before, const char *after, assay_status expected)
{
    static char text[800];
    json_t *list = NULL;
    assay_error error = {0};
    assert_int_equal(single_change_check(before, after, &list, &error), expected);
    text[0] = '\0';
    for (size_t i = 0; i < json_array_size(list); i++) {
        strcat(text, i ? "; " : "");
        strcat(text, json_string_value(json_array_get(list, i)));
    }
    if (expected != ASSAY_OK)
        assert_true(error.message[0] != '\0');
    json_decref(list);
    return text;
}

static char *replaced(const char *text, const char *from, const char *to)
{
    static char out[1000];
    const char *at = strstr(text, from);
    assert_non_null(at);
    snprintf(out, sizeof out, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    return out;
}

static void comments_and_blanks_are_no_change(void **state)
{
    assert_string_equal(changes(plain, plain, ASSAY_ERR_CHECK), "");
    assert_string_equal(
        changes(plain, replaced(plain, "// adds\n", "/* adds\n one */\n\n\n"), ASSAY_ERR_CHECK), "");
    assert_string_equal(changes(plain, replaced(plain, "{ x[", "{   x["), ASSAY_ERR_CHECK), "");
}

static void one_change_is_named(void **state)
{
    assert_string_equal(changes(plain, replaced(plain, "256", "512"), ASSAY_OK), "THREADS 256 -> 512");
    assert_string_equal(changes(plain, replaced(plain, "= 4", "= 8"), ASSAY_OK), "UNROLL 4 -> 8");
    assert_string_equal(changes(plain, replaced(plain, "+= 1", "= x[threadIdx.x] + 1"), ASSAY_OK),
                        "a rewrite");
    /* A technique with all the code that it needs. */
    assert_string_equal(
        changes(plain, replaced(plain, "{ x[", "{ __shared__ float t[4]; t[0] = x[0]; __syncthreads(); x["),
                ASSAY_OK),
        "shared memory");
    /* A tunable that comes with a technique is part of it. */
    assert_string_equal(
        changes(plain,
                replaced(plain, "__global__",
                         "#define TILE 64\n__global__ void __launch_bounds__(TILE) g();\n__global__"),
                ASSAY_OK),
        "launch bounds");
}

static void several_changes_are_refused(void **state)
{
    char once[1000];
    strcpy(once, replaced(plain, "256", "512"));
    assert_string_equal(changes(plain, replaced(once, "= 4", "= 8"), ASSAY_ERR_CHECK),
                        "THREADS 256 -> 512; UNROLL 4 -> 8");
    assert_string_equal(
        changes(plain, replaced(once, "{ x[", "{ __shared__ float t[4]; x["), ASSAY_ERR_CHECK),
        "THREADS 256 -> 512; shared memory");
    strcpy(once, replaced(plain, "{ x[", "{ float4 v; __shared__ float t[4]; x["));
    assert_string_equal(changes(plain, once, ASSAY_ERR_CHECK), "shared memory; vector accesses");
}

/* A value together with other code is two changes: which of them made it faster could not be told. */
static void a_tunable_and_other_code_are_two(void **state)
{
    char once[1000];
    strcpy(once, replaced(plain, "256", "512"));
    assert_string_equal(changes(plain, replaced(once, "+= 1", "= x[threadIdx.x] + 1"), ASSAY_ERR_CHECK),
                        "THREADS 256 -> 512; a rewrite");
}

static void tunables_are_changed_one_after_the_other(void **state)
{
    opspec *spec = calloc(1, sizeof *spec);
    spec->tunables_count = 1;
    spec->tunables[0].count = 1;
    spec->tunables[0].tunables[0] =
        (opspec_tunable){.name = "THREADS", .value_count = 3, .values = {64, 256, 1024}};
    json_t *tried = json_array();
    static const char *const expected[] = {"THREADS=1024", "THREADS=64", "UNROLL=8", "UNROLL=2"};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        json_t *answer = tunable_changes_next(spec, plain, tried);
        assert_non_null(answer);
        assert_string_equal(json_string_value(json_object_get(answer, "change")), expected[i]);
        assert_int_equal(
            single_change_check(plain, json_string_value(json_object_get(answer, "source")), NULL, NULL),
            ASSAY_OK);
        json_array_append(tried, json_object_get(answer, "change"));
        json_decref(answer);
    }
    assert_null(tunable_changes_next(spec, plain, tried));
    json_decref(tried);
    free(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comments_and_blanks_are_no_change),
        cmocka_unit_test(one_change_is_named),
        cmocka_unit_test(several_changes_are_refused),
        cmocka_unit_test(a_tunable_and_other_code_are_two),
        cmocka_unit_test(tunables_are_changed_one_after_the_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
