/* op.json: a good one is read as written, and each kind of mistake is named with file, key and what is allowed. */
#include "tests/unit.h"
#include "core/opspec.h"
#include "core/json_file.h"
#include <jansson.h>
#include <sys/stat.h>

static const char good[] =
    "{\"schema\":1,\"name\":\"good\",\"family\":\"elementwise\",\"torch\":\"t\","
    "\"formula\":\"f\",\"complexity\":\"c\",\"access\":\"a\","
    "\"dtypes\":[\"f32\",\"bf16\"],\"inputs\":[{\"name\":\"x\",\"shape\":[\"M\",\"3\"]"
    ",\"distribution\":\"uniform\"}],\"outputs\":[{\"name\":\"y\"}],"
    "\"params\":[{\"name\":\"alpha\",\"type\":\"real\",\"default\":1.5,\"min\":-2,\"max\":2.5},{\"name\":"
    "\"mode\",\"type\":\"text\",\"default\":\"a\",\"choices\":[\"a\",\"b\"]}],"
    "\"sizes\":{\"small\":{\"M\":4},\"medium\":{\"M\":8},\"large\":{\"M\":16},"
    "\"named\":{\"M\":8,\"params\":{\"mode\":\"b\"},\"dtypes\":[\"bf16\"],\"source\":"
    "\"somewhere\",\"cuda_only\":true},"
    "\"turned\":{\"M\":7,\"shapes\":{\"x\":[\"5\",\"M\",\"3\"]}}},"
    "\"cpu_sizes\":{\"large\":{\"M\":9},\"turned\":{\"M\":6}},"
    "\"tolerances\":{\"f32\":{\"atol\":1e-5,\"rtol\":1e-5},\"bf16\":{\"atol\":1e-2,"
    "\"rtol\":1e-2,\"stol\":0.5}},"
    "\"extras\":{\"far_away\":{\"about\":\"why\",\"claimed_by\":[\"v1\",\"v2\"]}},"
    "\"edge_cases\":[{\"name\":\"one\",\"shapes\":{\"x\":[1,3]},\"params\":{\"mode\":"
    "\"b\"},\"special\":\"nonfinite\",\"dtypes\":[\"f32\"],\"variants\":[\"v2\",\"v4\"]},{\"name\":\"two\","
    "\"dims\":{\"M\":2},\"extra\":\"far_away\"}],"
    "\"huge_cases\":[{\"name\":\"far\",\"dims\":{\"M\":1431655766},\"dtypes\":[\"bf16\"]}],"
    "\"tunables\":{\"v2\":{\"TILE\":{\"values\":[8,16],\"default\":16}}},"
    "\"constraints\":{\"v2\":[\"TILE <= "
    "16\"]},\"variant_dtypes\":{\"v3a_wide\":[\"bf16\"]},\"baselines\":[\"torch_eager\"]}";

static char base[256], folder[300];

static int setup(void **state)
{
    make_folder(base);
    snprintf(folder, sizeof folder, "%s/good", base);
    return mkdir(folder, 0777);
}

static int teardown(void **state)
{
    remove_folder(base);
    return 0;
}

static void reads_everything(void **state)
{
    opspec *spec;
    assay_error error = {0};
    write_text(folder, "op.json", good);
    assert_int_equal(opspec_load(folder, &spec, &error), ASSAY_OK);
    assert_int_equal(spec->dtype_count, 2);
    assert_int_equal(spec->dtypes[1], ASSAY_BF16);
    assert_true(spec->tolerances[ASSAY_BF16].stol == 0.5);
    assert_string_equal(spec->inputs[0].distribution, "uniform");
    assert_true(spec->params[0].value.real == 1.5);
    assert_string_equal(spec->params[1].value.text, "a");
    assert_int_equal(opspec_size_dims(opspec_find_size(spec, "large"), "cpu")->dim[0].value, 9);
    assert_int_equal(opspec_size_dims(opspec_find_size(spec, "large"), "cuda")->dim[0].value, 16);
    const opspec_size *named = opspec_find_size(spec, "named");
    assert_string_equal(named->source, "somewhere");
    assert_true(named->cuda_only && !opspec_find_size(spec, "small")->cuda_only);
    assert_true(opspec_has_case(spec, ASSAY_BF16, "named") && !opspec_has_case(spec, ASSAY_F32, "named"));
    assert_true(opspec_has_case(spec, ASSAY_F32, "small") && opspec_has_case(spec, ASSAY_F32, "edge"));
    assert_true(opspec_has_case(spec, ASSAY_BF16, "huge") && !opspec_has_case(spec, ASSAY_F32, "huge"));
    assert_false(opspec_has_case(spec, ASSAY_F16, "small"));
    assert_true(opspec_variant_has_dtype(spec, "v3a_wide", ASSAY_BF16));
    assert_false(opspec_variant_has_dtype(spec, "v3a_wide", ASSAY_F32));
    assert_true(opspec_variant_has_dtype(spec, "v2", ASSAY_F32));
    assert_false(opspec_variant_has_dtype(spec, "v2", ASSAY_F16));
    assert_int_equal(spec->size_count, 5);
    assert_int_equal(spec->huge_cases[0].dims.dim[0].value, 1431655766);
    assert_int_equal(spec->edges[0].shapes[0].shape[1], 3);
    assert_string_equal(spec->edges[0].params[0].text, "b");
    assert_true(opspec_edge_applies(&spec->edges[0], ASSAY_F32, "v4"));
    assert_true(opspec_edge_applies(&spec->edges[0], ASSAY_F32, NULL));
    assert_false(opspec_edge_applies(&spec->edges[0], ASSAY_F32, "v1"));
    assert_false(opspec_edge_applies(&spec->edges[0], ASSAY_BF16, "v4"));
    assert_true(opspec_edge_applies(&spec->huge_cases[0], ASSAY_BF16, "v1"));
    assert_true(spec->params[0].has_range && spec->params[0].min == -2 && spec->params[0].max == 2.5);
    assert_false(spec->params[1].has_range);
    assert_int_equal(spec->extra_count, 1);
    assert_string_equal(spec->extras[0].about, "why");
    assert_true(opspec_claims(&spec->extras[0], "v2") && !opspec_claims(&spec->extras[0], "v"));
    assert_true(spec->edges[0].extra == 0 && spec->edges[1].extra == 1);
    assert_int_equal(opspec_find_tunables(spec, "v2")->tunables[0].def, 16);
    assert_string_equal(opspec_find_tunables(spec, "v2")->constraints[0], "TILE <= 16");
    opspec_free(spec);
}

/* Replace `from` by `to` in the good text and expect an error that holds every given part. */
static void expect_error(const char *from, const char *to, const char *part, const char *allowed)
{
    char text[sizeof good + 400];
    const char *at = strstr(good, from);
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - good), good, to, at + strlen(from));
    write_text(folder, "op.json", text);
    opspec *spec;
    assay_error error = {0};
    assert_int_equal(opspec_load(folder, &spec, &error), ASSAY_ERR_INVALID);
    if (!strstr(error.message, part) || !strstr(error.message, allowed) ||
        !strstr(error.message, "good/op.json"))
        fail_msg("expected \"%s\" and \"%s\" in: %s", part, allowed, error.message);
}

static void names_each_mistake(void **state)
{
    expect_error("\"torch\":\"t\",", "", "missing key \"torch\"", "required here");
    expect_error("\"torch\"", "\"toch\":1,\"torch\"", "unknown key \"toch\"",
                 "allowed here: schema, name, family");
    expect_error("\"elementwise\"", "\"elemental\"", "key \"family\" is \"elemental\"",
                 "elementwise, row, reduction");
    expect_error("\"schema\":1", "\"schema\":2", "key \"schema\" is 2", "allowed: 1");
    expect_error("[\"f32\",\"bf16\"]", "[\"f32\",\"f8\"]", "key \"dtypes[1]\" is \"f8\"",
                 "f32, f16, bf16, tf32");
    expect_error("[\"f32\",\"bf16\"]", "[\"f32\",\"f16\"]", "missing key \"tolerances.f16\"", "required");
    expect_error("[\"f32\",\"bf16\"]", "[\"f32\",\"f32\"]", "names a dtype twice", "dtypes");
    expect_error("[\"f32\",\"bf16\"]", "[]", "key \"dtypes\"", "at least 1");
    expect_error("\"small\":{\"M\":4}", "\"small\":{\"N\":4}", "key \"sizes.small\" has no dimension \"M\"",
                 "input \"x\"");
    expect_error("\"small\":{\"M\":4}", "\"small\":{\"M\":4611686018427387904}",
                 "key \"sizes.small\": input \"x\" has 4611686018427387904", "allowed: up to 2^48");
    expect_error("\"shapes\":{\"x\":[1,3]}", "\"shapes\":{\"x\":[4294967296,4294967297]}",
                 "key \"edge_cases[0].shapes.x\" has 4294967296 x 4294967297 elements",
                 "allowed: up to 2^48");
    expect_error("\"small\":{\"M\":4},", "", "missing key \"sizes.small\"", "small, medium, large");
    expect_error("\"small\":{\"M\":4}", "\"small\":{\"M\":-4}", "key \"sizes.small.M\" is negative",
                 "0 and up");
    expect_error("\"small\":{\"M\":4}", "\"small\":{\"M\":\"4\"}",
                 "key \"sizes.small.M\" must be of type integer", "");
    expect_error("\"medium\":{\"M\":8}", "\"medium\":{\"M\":8},\"edge\":{\"M\":8}",
                 "\"sizes.edge\" is reserved", "another name");
    expect_error("\"named\":{", "\"huge\":{", "\"sizes.huge\" is reserved", "another name");
    expect_error("\"params\":{\"mode\":\"b\"},\"dtypes\"", "\"params\":{\"mode\":\"c\"},\"dtypes\"",
                 "\"sizes.named.params.mode\" is \"c\"", "a, b");
    expect_error("\"params\":{\"mode\":\"b\"},\"dtypes\"", "\"params\":{\"moed\":\"b\"},\"dtypes\"",
                 "unknown key \"sizes.named.params.moed\"", "alpha, mode");
    expect_error("\"dtypes\":[\"bf16\"],\"source\"", "\"dtypes\":[\"f16\"],\"source\"",
                 "key \"sizes.named.dtypes\"", "\"f16\" is not among");
    expect_error("{\"x\":[\"5\"", "{\"z\":[\"5\"", "key \"sizes.turned.shapes.z\"", "no input");
    expect_error("[\"5\",\"M\"", "[\"5\",\"Q\"", "key \"sizes.turned\" has no dimension \"Q\"",
                 "input \"x\"");
    expect_error("[\"5\",\"M\"", "[5,\"M\"", "key \"sizes.turned.shapes.x[0]\"", "type string");
    expect_error("[\"5\",\"M\"", "[\"1\",\"2\",\"3\",\"4\",\"5\",\"6\",\"7\",\"8\",\"M\"",
                 "\"sizes.turned.shapes.x\"", "more than 8 dimensions");
    expect_error("[\"5\",\"M\"", "[\"quite_a_long_name\",\"M\"", "\"quite_a_long_name\" is too long",
                 "15 characters");
    expect_error("1431655766},\"dtypes\":[\"bf16\"]", "1431655766}", "missing key \"huge_cases[0].dtypes\"",
                 "required");
    expect_error("\"cpu_sizes\":{\"large\"", "\"cpu_sizes\":{\"larger\"", "key \"cpu_sizes.larger\"",
                 "sizes");
    expect_error("\"default\":1.5", "\"default\":\"x\"", "params[0].default", "type real");
    expect_error("\"default\":\"a\"", "\"default\":\"z\"", "is \"z\"", "a, b");
    expect_error("\"params\":{\"mode\":\"b\"},\"special\"", "\"params\":{\"moed\":\"b\"},\"special\"",
                 "unknown key \"edge_cases[0].params.moed\"", "alpha, mode");
    expect_error("\"shapes\":{\"x\":[1,3]}", "\"shapes\":{\"z\":[1,3]}", "edge_cases[0].shapes.z",
                 "no input");
    expect_error("\"uniform\"}]", "\"uniform\"},{\"name\":\"w\",\"shape\":[\"M\"]}]",
                 "\"edge_cases[0].shapes\" must give every input", "missing: w");
    expect_error("\"shapes\":{\"x\":[1,3]},", "", "edge_cases[0]", "either \"dims\" or \"shapes\"");
    expect_error("\"special\":\"nonfinite\"", "\"special\":\"nan\"", "edge_cases[0].special",
                 "nonfinite, denormal");
    expect_error("\"default\":16", "\"default\":17", "tunables.v2.TILE.default", "values");
    expect_error("\"v3a_wide\":[\"bf16\"]", "\"v3a_wide\":[\"f16\"]", "key \"variant_dtypes.v3a_wide\"",
                 "\"f16\" is not among");
    expect_error("\"v3a_wide\":[\"bf16\"]", "\"v3a_wide\":[]", "variant_dtypes.v3a_wide", "at least 1");
    expect_error("\"constraints\":{\"v2\"", "\"constraints\":{\"v3\"", "constraints.v3", "without tunables");
    expect_error("\"name\":\"good\"", "\"name\":\"other\"", "key \"name\" is \"other\"", "folder's name");
    expect_error("\"max\":2.5", "\"max\":-2.5", "params[0]", "the smaller one first");
    expect_error(",\"max\":2.5", "", "params[0]", "both of them");
    expect_error("\"default\":1.5,\"min\"", "\"default\":7,\"min\"", "params[0].default",
                 "allowed: -2 to 2.5");
    expect_error("\"default\":\"a\"", "\"default\":\"a\",\"min\":0,\"max\":1", "params[1]",
                 "real parameters");
    expect_error("\"extra\":\"far_away\"", "\"extra\":\"near\"", "edge_cases[1].extra",
                 "not among \"extras\"");
    expect_error("\"about\":\"why\",", "", "missing key \"extras.far_away.about\"", "required");
    expect_error("\"name\":\"y\"", "\"name\":\"y-1\"", "\"y-1\" is not a name", "letters, digits");
    expect_error("\"atol\":1e-5", "\"atol\":-1", "tolerances.f32", "negative");
}

static void broken_and_missing_files(void **state)
{
    opspec *spec;
    assay_error error = {0};
    assert_int_equal(opspec_load(folder, &spec, &error), ASSAY_ERR_IO);
    assay_error second = {0};
    write_text(folder, "op.json", "{\"schema\": 1,");
    assert_int_equal(opspec_load(folder, &spec, &second), ASSAY_ERR_FORMAT);
    assert_non_null(strstr(second.message, "op.json:1:"));
}

/* A stand-in op: the output has the input's shape. */
static assay_status infer(const assay_problem *problem, assay_tensor *outputs, assay_error *error)
{
    outputs[0] = problem->inputs[0];
    return ASSAY_OK;
}

static assay_status infer_wide(const assay_problem *problem, assay_tensor *outputs, assay_error *error)
{
    outputs[0] = problem->inputs[0];
    outputs[0].shape[0] = outputs[0].shape[1] = (int64_t)1 << 32;
    return ASSAY_OK;
}

static void expect_shape(const opspec *spec, const char *size, const char *device, int rank,
                         const int64_t *shape)
{
    const assay_op_impl impl = {.infer = infer};
    assay_problem problem;
    const opspec_dims *dims = opspec_size_dims(opspec_find_size(spec, size), device);
    assert_int_equal(opspec_build_problem(spec, &impl, ASSAY_BF16, dims, NULL, &problem, NULL), ASSAY_OK);
    assert_int_equal(problem.inputs[0].rank, rank);
    assert_int_equal(problem.outputs[0].rank, rank);
    for (int i = 0; i < rank; i++)
        assert_int_equal(problem.inputs[0].shape[i], shape[i]);
}

/* The axes of a size with "shapes" take the dimensions of the device. */
static void a_size_may_have_other_axes(void **state)
{
    opspec *spec;
    write_text(folder, "op.json", good);
    assert_int_equal(opspec_load(folder, &spec, NULL), ASSAY_OK);
    expect_shape(spec, "named", "cuda", 2, (const int64_t[]){8, 3});
    expect_shape(spec, "turned", "cuda", 3, (const int64_t[]){5, 7, 3});
    expect_shape(spec, "turned", "cpu", 3, (const int64_t[]){5, 6, 3});
    opspec_free(spec);
}

static void builds_problems(void **state)
{
    opspec *spec;
    assay_problem problem;
    const assay_op_impl impl = {.infer = infer};
    write_text(folder, "op.json", good);
    assert_int_equal(opspec_load(folder, &spec, NULL), ASSAY_OK);
    assert_int_equal(
        opspec_build_problem(spec, &impl, ASSAY_BF16, &spec->sizes[1].dims, NULL, &problem, NULL), ASSAY_OK);
    assert_int_equal(problem.inputs[0].shape[0], 8);
    assert_int_equal(problem.inputs[0].shape[1], 3);
    assert_int_equal(assay_tensor_count(&problem.outputs[0]), 24);
    assert_true(assay_problem_real(&problem, "alpha") == 1.5);

    opspec_param *named_as_dimension = &spec->params[0];
    const opspec_param kept = *named_as_dimension;
    snprintf(named_as_dimension->value.name, sizeof named_as_dimension->value.name, "M");
    named_as_dimension->value.type = ASSAY_PARAM_INTEGER;
    assert_int_equal(
        opspec_build_problem(spec, &impl, ASSAY_BF16, &spec->sizes[1].dims, NULL, &problem, NULL), ASSAY_OK);
    assert_int_equal(assay_problem_integer(&problem, "M"), 8);
    *named_as_dimension = kept;

    assert_int_equal(opspec_build_problem(spec, &impl, ASSAY_BF16,
                                          opspec_size_dims(opspec_find_size(spec, "named"), "cpu"), NULL,
                                          &problem, NULL),
                     ASSAY_OK);
    assert_string_equal(assay_problem_text(&problem, "mode"), "b");
    assert_true(assay_problem_real(&problem, "alpha") == 1.5);

    assert_int_equal(opspec_build_problem(spec, &impl, ASSAY_F32, NULL, &spec->edges[0], &problem, NULL),
                     ASSAY_OK);
    assert_int_equal(problem.inputs[0].shape[0], 1);
    assert_string_equal(assay_problem_text(&problem, "mode"), "b");

    assay_error error = {0}; /* 2^63 elements, and in the output alone */
    opspec_edge large = spec->edges[0];
    large.shapes[0].shape[0] = 2147483648, large.shapes[0].shape[1] = 4294967296;
    assert_int_equal(opspec_build_problem(spec, &impl, ASSAY_F32, NULL, &large, &problem, &error),
                     ASSAY_ERR_INVALID);
    assert_string_equal(error.message,
                        "good: \"x\" has 2147483648 x 4294967296 elements; allowed: up to 2^48");
    const assay_op_impl wide = {.infer = infer_wide};
    assert_int_equal(opspec_build_problem(spec, &wide, ASSAY_F32, NULL, &spec->edges[0], &problem, NULL),
                     ASSAY_ERR_INVALID);
    opspec_free(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(reads_everything, setup, teardown),
        cmocka_unit_test_setup_teardown(a_size_may_have_other_axes, setup, teardown),
        cmocka_unit_test_setup_teardown(names_each_mistake, setup, teardown),
        cmocka_unit_test_setup_teardown(broken_and_missing_files, setup, teardown),
        cmocka_unit_test_setup_teardown(builds_problems, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
