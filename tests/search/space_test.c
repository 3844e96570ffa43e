/* Search spaces: exact counts, order, draws, neighbours, labels, spaces of op.json and of T1 files. */
#include "test.h"

/* Counted by hand and by walking all combinations. */
static void test_count(void **state)
{
    (void)state;
    space *s = make_space("A=1,2,4;B=8,16,32;C=0,1", "A * B <= 32");
    assert_int_equal(space_cartesian_count(s), 18);
    assert_int_equal(space_count(s), 12); /* (1: 3) + (2: 2) + (4: 1) times 2 */
    configuration c;
    int walked = 0;
    for (int started = 0; space_next(s, started, &c); started = 1) {
        configuration ranked;
        assert_true(space_is_valid(s, &c, NULL));
        assert_true(space_at(s, (uint64_t)walked, &ranked));
        assert_true(configuration_equals(&c, &ranked));
        walked++;
    }
    assert_int_equal(walked, 12);
    assert_false(space_at(s, 12, &c));
    space_free(s);
}

static void test_broken_constraint_is_named(void **state)
{
    configuration c = {{2, 2, 0}};
    int broken = -2;
    (void)state;
    space *s = make_space("A=1,2,4;B=8,16,32;C=0,1", "A < 8;A * B <= 32");
    assert_false(space_is_valid(s, &c, &broken));
    assert_int_equal(broken, 1);
    c.index[0] = 3;
    assert_false(space_is_valid(s, &c, &broken));
    assert_int_equal(broken, -1);
    space_free(s);
}

static void test_impossible_and_empty(void **state)
{
    configuration c;
    (void)state;
    space *s = make_space("A=1,2", "A > 2");
    assert_int_equal(space_count(s), 0);
    assert_false(space_next(s, 0, &c));
    assert_false(space_draw(s, 1, 1, &c));
    space_free(s);
    s = make_space("A=1,2", "1 > 2");
    assert_int_equal(space_count(s), 0);
    space_free(s);
    s = make_space("", "");
    assert_int_equal(space_count(s), 1);
    assert_true(space_next(s, 0, &c));
    assert_false(space_next(s, 1, &c));
    space_free(s);
}

/* One of a million combinations in 10,000 is valid: drawing must still be quick and even. */
static void test_draws_are_even(void **state)
{
    char values[500] = "1";
    int seen[100] = {0};
    (void)state;
    for (int i = 2; i <= 100; i++)
        snprintf(values + strlen(values), sizeof values - strlen(values), ",%d", i);
    char text[1600];
    snprintf(text, sizeof text, "A=%s;B=%s;C=%s", values, values, values);
    space *s = make_space(text, "A == B;B == C");
    assert_int_equal(space_count(s), 100);
    for (int i = 0; i < 20000; i++) {
        configuration c;
        assert_true(space_draw(s, 7, (uint64_t)i, &c));
        assert_int_equal(c.index[0], c.index[2]);
        seen[c.index[0]]++;
    }
    for (int i = 0; i < 100; i++) /* 200 expected, deviation 14 */
        assert_in_range(seen[i], 130, 270);
    space_free(s);
}

/* 2^28 combinations and one constraint over all: the group is open, and draws and walks still work. */
static void test_open_space(void **state)
{
    char parameters[600] = "", sum[300] = "P0";
    configuration c;
    (void)state;
    for (int i = 0; i < 14; i++)
        snprintf(parameters + strlen(parameters), sizeof parameters - strlen(parameters), "%sP%d=0,1,2,3",
                 i ? ";" : "", i);
    for (int i = 1; i < 14; i++)
        snprintf(sum + strlen(sum), sizeof sum - strlen(sum), " + P%d", i);
    strcat(sum, " == 20");
    space *s = make_space(parameters, sum);
    assert_true(space_is_open(s));
    for (uint64_t i = 0; i < 20; i++) {
        assert_true(space_draw(s, 3, i, &c));
        assert_true(space_is_valid(s, &c, NULL));
    }
    assert_true(space_next(s, 0, &c));
    for (int i = 0; i < 50; i++) {
        assert_true(space_is_valid(s, &c, NULL));
        assert_true(space_next(s, 1, &c));
    }
    c = (configuration){0};
    assert_true(space_repair(s, 1, 1, &c));
    assert_true(space_is_valid(s, &c, NULL));
    space_free(s);
}

static void test_neighbours(void **state)
{
    configuration near[64], c = {{1, 1, 0}};
    (void)state;
    space *s = make_space("A=1,2,4;B=8,16,32;C=0,1", "A * B <= 32");
    /* A=2 B=16: A to 1; B to 8; C to 1. A=4 and B=32 are too much. */
    assert_int_equal(space_neighbours(s, &c, SPACE_ADJACENT, near, 64), 3);
    assert_int_equal(space_neighbours(s, &c, SPACE_HAMMING, near, 64), 3);
    c = (configuration){{0, 0, 0}};
    assert_int_equal(space_neighbours(s, &c, SPACE_HAMMING, near, 64), 5);
    assert_int_equal(space_neighbours(s, &c, SPACE_HAMMING, near, 2), 2);
    space_free(s);
}

static void test_repair_is_near(void **state)
{
    configuration c = {{2, 2, 1}};
    (void)state;
    space *s = make_space("A=1,2,4;B=8,16,32;C=0,1", "A * B <= 32");
    assert_true(space_repair(s, 5, 0, &c));
    assert_true(space_is_valid(s, &c, NULL));
    assert_int_equal(c.index[2], 1);                 /* a group that was valid stays */
    assert_true(c.index[0] == 2 || c.index[1] == 2); /* one of both values is kept */
    space_free(s);
}

static void test_labels(void **state)
{
    configuration c, back;
    assay_error error = {0};
    (void)state;
    space *s = make_space("BLOCK_M=64,128;STAGES=2,3,4", "");
    space_default(s, &c);
    c.index[1] = 2;
    ASSERT_OK(configuration_parse(s, "STAGES=4", &back, failure));
    assert_true(configuration_equals(&c, &back));
    json_t *object = configuration_to_json(s, &c);
    ASSERT_OK(configuration_from_json(s, object, &back, failure));
    assert_true(configuration_equals(&c, &back));
    json_object_del(object, "STAGES");
    assert_int_equal(configuration_from_json(s, object, &back, &error), ASSAY_ERR_INVALID);
    assert_string_equal(error.message, "parameter STAGES is missing");
    json_decref(object);
    static const char *const wrong[][2] = {
        {"STAGES=5", "STAGES has no value \"5\"; allowed: 2, 3, 4"},
        {"STAGE=4", "there is no parameter \"STAGE\"; there are: BLOCK_M, STAGES"},
        {"STAGES", "\"STAGES\" is no NAME=VALUE"},
        {"STAGES=2,STAGES=3", "STAGES is given twice"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        error = (assay_error){0};
        assert_int_equal(configuration_parse(s, wrong[i][0], &back, &error), ASSAY_ERR_INVALID);
        assert_string_equal(error.message, wrong[i][1]);
    }
    space_free(s);
}

static void test_op(void **state)
{
    opspec *spec = NULL;
    space *s = NULL;
    char folder[600];
    (void)state;
    snprintf(folder, sizeof folder, "%s/ops/matmul", getenv("ASSAY_SOURCE"));
    ASSERT_OK(opspec_load(folder, &spec, failure));
    const opspec_size *size = opspec_find_size(spec, "large");
    const space_limits limits = space_limits_of("sm_90a");
    assert_int_equal(limits.registers_per_sm, 65536);
    ASSERT_OK(space_from_op(spec, "v3_coalesced", &size->dims, ASSAY_BF16, &limits, &s, failure));
    assert_true(space_count(s) >= 2);
    assert_true(space_constant(s, "M") == 4096 && space_constant(s, "element_bytes") == 2);
    assert_true(isnan(space_constant(s, "sm_count")));
    space_free(s);
    ASSERT_OK(space_from_op(spec, "v1_baseline", NULL, ASSAY_F32, NULL, &s, failure));
    assert_int_equal(space_count(s), 1);
    space_free(s);
    opspec_free(spec);
}

/* The form of the public spaces: Values as Python expressions, Conditions over parameters. */
static const char t1[] = "{\"ConfigurationSpace\": {\"TuningParameters\": ["
                         "{\"Name\": \"block_size_x\", \"Type\": \"int\", \"Values\": \"[1, 2, 4, 8, 16] + "
                         "0\", \"Default\": 4}]}}";

static void test_t1(void **state)
{
    space *s = NULL;
    assay_error error = {0};
    (void)state;
    json_t *root = json_loads(t1, 0, NULL);
    json_t *parameter =
        json_array_get(json_object_get(json_object_get(root, "ConfigurationSpace"), "TuningParameters"), 0);
    assert_int_equal(space_from_t1(root, "file.json", &s, &error), ASSAY_ERR_FORMAT);
    assert_non_null(
        strstr(error.message, "file.json: Values of \"block_size_x\": column 18: numbers are expected"));
    json_object_set_new(parameter, "Values", json_string("[2**i for i in range(0, 11)]"));
    json_array_append_new(
        json_object_get(json_object_get(root, "ConfigurationSpace"), "TuningParameters"),
        json_loads("{\"Name\": \"use_padding\", \"Type\": \"bool\", \"Values\": [0, 1]}", 0, NULL));
    json_object_set_new(json_object_get(root, "ConfigurationSpace"), "Conditions",
                        json_loads("[{\"Parameters\": [\"block_size_x\", \"use_padding\"], \"Expression\":"
                                   " \"use_padding == 0 or block_size_x % 32 == 0\"}]",
                                   0, NULL));
    ASSERT_OK(space_from_t1(root, "file.json", &s, failure));
    assert_int_equal(space_count(s), 11 + 6);
    assert_int_equal(space_parameter_at(s, 0)->default_index, 2);
    space_free(s);
    /* Reals without a fraction are integers as far as 64 bits hold them. */
    json_object_del(json_object_get(root, "ConfigurationSpace"), "Conditions");
    json_object_set_new(parameter, "Values", json_string("[4.0, 1e308, -1e308]"));
    ASSERT_OK(space_from_t1(root, "file.json", &s, failure));
    const expression_value *values = space_parameter_at(s, 0)->values;
    assert_int_equal(values[0].kind, VALUE_INTEGER);
    assert_int_equal(values[1].kind, VALUE_REAL);
    assert_true(values[2].kind == VALUE_REAL && values[2].real == -1e308);
    space_free(s);
    json_decref(root);
}

/* Of a document with these parameters and conditions, for a variant of the tunables TILE (16 of 8, 16) and FAST (0 of 0, 1). */
static assay_status take_t1(const char *parameters, const char *conditions, opspec_variant_tunables *set,
                            assay_error *error)
{
    char text[2000];
    *set = (opspec_variant_tunables){
        .variant = "v5_mine",
        .count = 2,
        .tunables = {{.name = "TILE", .def = 16, .value_count = 2, .values = {8, 16}},
                     {.name = "FAST", .def = 0, .value_count = 2, .values = {0, 1}}},
        .constraint_count = 1,
        .constraints = {"TILE > 8"}};
    snprintf(text, sizeof text,
             "{\"ConfigurationSpace\": {\"TuningParameters\": [%s], \"Conditions\": [%s]}}", parameters,
             conditions);
    json_t *root = json_loads(text, 0, NULL);
    assert_non_null(root);
    *error = (assay_error){0};
    const assay_status status = space_t1_tunables(root, "file.json", set, error);
    json_decref(root);
    return status;
}

static void test_t1_for_a_variant(void **state)
{
    opspec_variant_tunables set;
    assay_error error;
    (void)state;
    assert_int_equal(ASSAY_OK, take_t1("{\"Name\": \"TILE\", \"Values\": \"[32, 16]\", \"Default\": 32}",
                                       "\"TILE < K\"", &set, &error));
    assert_int_equal(set.tunables[0].value_count, 2);
    assert_int_equal(set.tunables[0].values[0], 32);
    assert_int_equal(set.tunables[0].def, 16); /* op.json's, since the file has it */
    assert_int_equal(set.tunables[1].value_count, 1);
    assert_int_equal(set.tunables[1].values[0], 0);
    assert_int_equal(set.constraint_count, 1);
    assert_string_equal(set.constraints[0], "TILE < K");
    assert_string_equal(set.file, "file.json");
    assert_int_equal(ASSAY_OK, take_t1("{\"Name\": \"TILE\", \"Values\": [4, 2], \"Default\": 2},"
                                       "{\"Name\": \"FAST\", \"Type\": \"bool\", \"Values\": [true]}",
                                       "", &set, &error));
    assert_int_equal(set.tunables[0].def, 2);
    assert_int_equal(set.tunables[1].def, 1);
    assert_int_equal(set.constraint_count, 0);
}

static void test_t1_that_is_not_for_the_variant(void **state)
{
    static const struct {
        const char *parameters, *conditions, *message;
    } table[] = {
        {"{\"Name\": \"TILES\", \"Values\": [4]}", "", "file.json: \"TILES\" is no tunable of v5_mine"},
        {"{\"Name\": \"TILE\", \"Values\": [0.5]}", "", "a value of \"TILE\" is no integer"},
        {"{\"Name\": \"TILE\", \"Values\": \"range(33)\"}", "", "\"TILE\" has 33 values; at most 32"},
        {"{\"Name\": \"TILE\", \"Values\": [4]}", "\"1\",\"1\",\"1\",\"1\",\"1\",\"1\",\"1\",\"1\",\"1\"",
         "9 conditions; at most 8"},
        {"{\"Name\": \"TILE\", \"Values\": [4]}",
         "\"1 == 1                                                                                          "
         "                                             \"",
         "condition 1 is longer than 127 characters"},
    };
    opspec_variant_tunables set;
    assay_error error;
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        assert_int_equal(take_t1(table[i].parameters, table[i].conditions, &set, &error), ASSAY_ERR_FORMAT);
        assert_non_null(strstr(error.message, table[i].message));
        assert_int_equal(set.tunables[0].value_count, 2); /* as it was */
        assert_string_equal(set.constraints[0], "TILE > 8");
        assert_null(set.file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_count),
                                       cmocka_unit_test(test_broken_constraint_is_named),
                                       cmocka_unit_test(test_impossible_and_empty),
                                       cmocka_unit_test(test_draws_are_even),
                                       cmocka_unit_test(test_open_space),
                                       cmocka_unit_test(test_neighbours),
                                       cmocka_unit_test(test_repair_is_near),
                                       cmocka_unit_test(test_labels),
                                       cmocka_unit_test(test_op),
                                       cmocka_unit_test(test_t1),
                                       cmocka_unit_test(test_t1_for_a_variant),
                                       cmocka_unit_test(test_t1_that_is_not_for_the_variant)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
