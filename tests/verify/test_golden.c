/* The golden manifest: the committed one is well formed, and each way of being broken is named. */
#include "tests/unit.h"
#include "verify/golden.h"
#include "core/json_file.h"
#include <unistd.h>

static char folder[64];

static assay_status open_text(const char *text, golden_set *set, assay_error *error)
{
    char path[128];
    snprintf(path, sizeof path, "%s/manifest.json", folder);
    assert_int_equal(text_file_write(path, text, strlen(text), NULL), ASSAY_OK);
    return golden_open(folder, set, error);
}

static void refused(const char *text, const char *fragment)
{
    golden_set set;
    assay_error error = {0};
    assert_int_equal(open_text(text, &set, &error), ASSAY_ERR_FORMAT);
    if (!strstr(error.message, fragment))
        print_message("got: %s\n", error.message);
    assert_non_null(strstr(error.message, fragment));
    golden_close(&set);
}

#define CASE(id, dtype, params, inputs, shape, expected)                                       \
    "{\"cases\": [{\"id\": " id ", \"op\": \"add\", \"dtype\": " dtype ", \"params\": " params \
    ", \"inputs\": " inputs ", \"output_shape\": " shape ", \"expected\": " expected "}]}"
#define INPUTS \
    "{\"x\": {\"file\": \"x.npy\", \"shape\": [2, 3]}, \"y\": {\"file\": \"y.npy\", \"shape\": [2, 3]}}"

static void broken_manifests_are_named(void **state)
{
    refused("{\"cases\": []}", "at least one case");
    refused("{}", "at least one case");
    refused("{\"cases\": [{", "manifest.json");
    refused(CASE("7", "\"f32\"", "{}", INPUTS, "[2, 3]", "\"e.npy\""), "a string under the key id");
    refused(CASE("\"a\"", "\"f64\"", "{}", INPUTS, "[2, 3]", "\"e.npy\""),
            "case \"a\": dtype must be f32, f16 or bf16, not f64");
    refused(CASE("\"a\"", "\"f32\"", "[]", INPUTS, "[2, 3]", "\"e.npy\""), "an object under the key params");
    refused(CASE("\"a\"", "\"f32\"", "{}", "[]", "[2, 3]", "\"e.npy\""), "an object under the key inputs");
    refused(CASE("\"a\"", "\"f32\"", "{}", "{\"x\": {\"shape\": [1]}}", "[1]", "\"e.npy\""),
            "a shape for input x");
    refused(CASE("\"a\"", "\"f32\"", "{}", INPUTS, "[2, -3]", "\"e.npy\""), "under the key output_shape");
    refused(CASE("\"a\"", "\"f32\"", "{}", INPUTS, "[2, 3]", "\"../e.npy\""),
            "names of files beside the manifest");
}

static assay_status infer_as_add(const assay_problem *problem, assay_tensor *outputs, assay_error *error)
{
    outputs[0] = problem->inputs[0];
    return ASSAY_OK;
}

/* Shapes and parameters against an op.json that declares alpha and a choice. */
static assay_status build(const char *text, assay_problem *problem, assay_error *error)
{
    golden_set set;
    const assay_op_impl impl = {.name = "add", .infer = infer_as_add};
    opspec *spec = calloc(1, sizeof *spec);
    strcpy(spec->name, "add");
    spec->input_count = 2, spec->output_count = 1, spec->param_count = 3;
    strcpy(spec->inputs[0].name, "x"), strcpy(spec->inputs[1].name, "y");
    spec->params[0].value = (assay_param){.name = "alpha", .type = ASSAY_PARAM_REAL, .real = 1};
    spec->params[1].value = (assay_param){.name = "mode", .type = ASSAY_PARAM_TEXT, .text = "none"};
    spec->params[1].choice_count = 2;
    strcpy(spec->params[1].choices[0], "none"), strcpy(spec->params[1].choices[1], "tanh");
    spec->params[2].value = (assay_param){.name = "causal", .type = ASSAY_PARAM_BOOLEAN};
    assert_int_equal(open_text(text, &set, NULL), ASSAY_OK);
    const assay_status status =
        golden_problem(&set, json_array_get(set.cases, 0), spec, &impl, problem, error);
    golden_close(&set);
    free(spec);
    return status;
}

static void cases_become_problems(void **state)
{
    assay_problem problem;
    const char *text = CASE("\"a\"", "\"bf16\"", "{\"alpha\": -1, \"mode\": \"tanh\", \"causal\": true}",
                            INPUTS, "[2, 3]", "\"e.npy\"");
    assert_int_equal(build(text, &problem, NULL), ASSAY_OK);
    assert_int_equal(problem.dtype, ASSAY_BF16);
    assert_int_equal(problem.inputs[1].shape[1], 3);
    assert_true(assay_problem_real(&problem, "alpha") == -1);
    assert_string_equal(assay_problem_text(&problem, "mode"), "tanh");
    assert_int_equal(assay_problem_integer(&problem, "causal"), 1);
}

static void contradictions_with_op_json_are_named(void **state)
{
    static const struct {
        const char *text, *fragment;
    } wrong[] = {
        {CASE("\"a\"", "\"f32\"", "{\"beta\": 1}", INPUTS, "[2, 3]", "\"e.npy\""),
         "parameter unknown to op.json: beta"},
        {CASE("\"a\"", "\"f32\"", "{\"alpha\": \"x\"}", INPUTS, "[2, 3]", "\"e.npy\""),
         "not allowed by op.json for parameter alpha"},
        {CASE("\"a\"", "\"f32\"", "{\"mode\": \"erf\"}", INPUTS, "[2, 3]", "\"e.npy\""),
         "not allowed by op.json for parameter mode"},
        {CASE("\"a\"", "\"f32\"", "{\"causal\": 1}", INPUTS, "[2, 3]", "\"e.npy\""),
         "not allowed by op.json for parameter causal"},
        {CASE("\"a\"", "\"f32\"", "{}", INPUTS, "[3, 2]", "\"e.npy\""),
         "output_shape is not what the op gives"},
        {CASE("\"a\"", "\"f32\"", "{}", "{\"x\": {\"file\": \"x\", \"shape\": [1]}}", "[1]", "\"e.npy\""),
         "must give every input"},
        {CASE("\"a\"", "\"f32\"", "{}",
              "{\"x\": {\"file\": \"x\", \"shape\": [1]}, \"z\": {\"file\": \"x\", \"shape\": [1]}}", "[1]",
              "\"e.npy\""),
         "lacks input y"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assay_problem problem;
        assay_error error = {0};
        assert_int_equal(build(wrong[i].text, &problem, &error), ASSAY_ERR_FORMAT);
        assert_non_null(strstr(error.message, wrong[i].fragment));
    }
}

static void the_committed_set_is_well_formed(void **state)
{
    golden_set set;
    assay_error error = {0};
    char path[4096], file[8192];
    const char *source = getenv("ASSAY_SOURCE");
    snprintf(path, sizeof path, "%s/tests/golden", source ? source : ".");
    assert_int_equal(golden_open(path, &set, &error), ASSAY_OK);
    assert_true(json_array_size(set.cases) > 200);
    size_t i;
    json_t *golden;
    json_array_foreach(set.cases, i, golden)
    {
        snprintf(file, sizeof file, "%s/%s", path, json_get_text(golden, "expected", ""));
        assert_int_equal(access(file, R_OK), 0);
    }
    golden_close(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broken_manifests_are_named),
        cmocka_unit_test(cases_become_problems),
        cmocka_unit_test(contradictions_with_op_json_are_named),
        cmocka_unit_test(the_committed_set_is_well_formed),
    };
    char path[128];
    snprintf(folder, sizeof folder, "/tmp/assay-test-golden-%ld", (long)getpid());
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    snprintf(path, sizeof path, "%s/manifest.json", folder);
    unlink(path);
    rmdir(folder);
    return failed;
}
