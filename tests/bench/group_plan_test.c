/* The plan of a group: what was written is read again, and what is missing, unknown or of another kind is named. */
#include "tests/unit.h"
#include "bench/plan/group_plan.h"
#include "core/json_file.h"
#include <unistd.h>

static char path[64];

static int set_up(void **state)
{
    strcpy(path, "/tmp/assay-group-plan-XXXXXX");
    const int file = mkstemp(path);
    return file < 0 ? -1 : close(file);
}

static int tear_down(void **state)
{
    return unlink(path);
}

static group_plan example(void)
{
    return (group_plan){.workspace = "/build",
                        .op = "softmax",
                        .dtype = "bf16",
                        .size = "large",
                        .variants = "v1_baseline,v4_optimized",
                        .baselines = "reference,torch_eager",
                        .device = 1,
                        .modes_named = 1,
                        .torch_socket = "/run/torch",
                        .method = {.repetitions = 7,
                                   .locked_mhz = 1500,
                                   .warmup_ms = 12.5,
                                   .sample_ms = 80.0,
                                   .min_samples = 3,
                                   .max_samples = 400,
                                   .bound_s = 6.0,
                                   .flush = "read",
                                   .modes = 1u << TIMING_COLD | 1u << TIMING_HOT,
                                   .seed = 3000000000u}};
}

static json_t *example_json(void)
{
    const group_plan plan = example();
    return group_plan_json(&plan);
}

static void write_json(json_t *json)
{
    assert_int_equal(json_file_write(path, json, 0, NULL), ASSAY_OK);
    json_decref(json);
}

static void reads_what_was_written(void **state)
{
    const group_plan e = example();
    group_plan p;
    assay_error error = {0};
    write_json(example_json());
    if (group_plan_read(path, &p, &error) != ASSAY_OK)
        fail_msg("%s", error.message);
    assert_string_equal(p.workspace, e.workspace);
    assert_string_equal(p.op, e.op);
    assert_string_equal(p.dtype, e.dtype);
    assert_string_equal(p.size, e.size);
    assert_string_equal(p.variants, e.variants);
    assert_string_equal(p.baselines, e.baselines);
    assert_int_equal(p.device, e.device);
    assert_int_equal(p.modes_named, e.modes_named);
    assert_string_equal(p.torch_socket, e.torch_socket);
    assert_null(p.torch_missing);
    assert_int_equal(p.method.repetitions, e.method.repetitions);
    assert_int_equal(p.method.locked_mhz, e.method.locked_mhz);
    assert_true(p.method.warmup_ms == e.method.warmup_ms && p.method.sample_ms == e.method.sample_ms);
    assert_int_equal(p.method.min_samples, e.method.min_samples);
    assert_int_equal(p.method.max_samples, e.method.max_samples);
    assert_true(p.method.bound_s == e.method.bound_s);
    assert_string_equal(p.method.flush, e.method.flush);
    assert_int_equal(p.method.modes, e.method.modes);
    assert_true(p.method.seed == e.method.seed);
    group_plan_release(&p);
    assert_null(p.document);
}

/* Some keys may be left out, and lists may be empty. */
static void optional_keys_have_defaults(void **state)
{
    group_plan p;
    assay_error error = {0};
    json_t *json = example_json();
    json_object_del(json, "device");
    json_object_del(json, "modes_named");
    json_object_del(json, "torch_socket");
    json_object_del(json_object_get(json, "method"), "locked_mhz");
    json_object_set_new(json, "torch_missing", json_string("no Python"));
    json_object_set_new(json, "baselines", json_array());
    write_json(json);
    if (group_plan_read(path, &p, &error) != ASSAY_OK)
        fail_msg("%s", error.message);
    assert_int_equal(p.device, 0);
    assert_int_equal(p.modes_named, 0);
    assert_null(p.torch_socket);
    assert_string_equal(p.torch_missing, "no Python");
    assert_string_equal(p.baselines, "");
    assert_int_equal(p.method.locked_mhz, 0);
    group_plan_release(&p);
}

/* The message names the file, the key, and what is expected of it. */
static void expect_refusal(const char *words)
{
    group_plan p;
    assay_error error = {0};
    const assay_status status = group_plan_read(path, &p, &error);
    group_plan_release(&p);
    if (status != ASSAY_ERR_FORMAT || !strstr(error.message, words) || !strstr(error.message, path))
        fail_msg("status %d, '%s'; expected of %s: '%s'", status, error.message, path, words);
}

static void every_required_key_is_missed(void **state)
{
    static const char *const keys[] = {"workspace", "op", "dtype", "size", "variants", "baselines"},
                             *const of_method[] = {"repetitions", "warmup_ms",   "sample_ms",
                                                   "min_samples", "max_samples", "bound_s"};
    char words[64];
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        json_t *json = example_json();
        assert_int_equal(json_object_del(json, keys[i]), 0);
        write_json(json);
        snprintf(words, sizeof words, ": %s is missing", keys[i]);
        expect_refusal(words);
    }
    for (size_t i = 0; i < sizeof of_method / sizeof *of_method; i++) {
        json_t *json = example_json();
        assert_int_equal(json_object_del(json_object_get(json, "method"), of_method[i]), 0);
        write_json(json);
        snprintf(words, sizeof words, ": method.%s is missing", of_method[i]);
        expect_refusal(words);
    }
}

/* One key of the document or of its method, set to what it must not be. */
static void wrong_values_are_named(void **state)
{
    static const struct {
        const char *object, *key, *value, *words;
    } cases[] = {
        {"", "schema", "2", "no plan of schema 1"},
        {"", "op", "4", "op: a text is expected"},
        {"", "variants", "\"v1,v2\"", "variants: an array of names is expected"},
        {"", "variants", "[\"v1\", 2]", "variants: an array of names is expected"},
        {"", "variants", "[\"v1\", \"\"]", "variants: an array of names is expected"},
        {"", "baselines", "[\"a,b\"]", "baselines: an array of names is expected"},
        {"", "baselines", "[\"a \"]", "baselines: an array of names is expected"},
        {"", "device", "-1", "device: a whole number from 0 is expected"},
        {"", "device", "0.5", "device: a whole number from 0 is expected"},
        {"", "device", "99999999999", "device: a whole number from 0 is expected"},
        {"", "modes_named", "1", "modes_named: true or false is expected"},
        {"", "colour", "1", "unknown key colour"},
        {"", "method", "[]", "method is missing"},
        {"method", "repetitions", "0", "method.repetitions: at least 1 is expected"},
        {"method", "warmup_ms", "-1", "method.warmup_ms: a number from 0 is expected"},
        {"method", "warmup_ms", "null", "method.warmup_ms: a number from 0 is expected"},
        {"method", "bound_s", "\"6\"", "method.bound_s: a number from 0 is expected"},
        {"method", "flush", "\"none\"", "method.flush: memset or read is expected"},
        {"method", "modes", "\"cold\"", "method.modes: an array of names is expected"},
        {"method", "modes", "[\"warm\"]", "method.modes: "},
        {"method", "seed", "-3", "method.seed: a whole number from 0 is expected"},
        {"method", "seed", "1.5", "method.seed: a whole number from 0 is expected"},
        {"method", "colour", "1", "unknown key method.colour"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *json = example_json();
        json_t *object = cases[i].object[0] ? json_object_get(json, cases[i].object) : json;
        json_object_set_new(object, cases[i].key, json_loads(cases[i].value, JSON_DECODE_ANY, NULL));
        write_json(json);
        expect_refusal(cases[i].words);
    }
}

/* Its names with commas do not fit the reader's line. */
static void a_list_that_is_too_long_is_refused(void **state)
{
    json_t *json = example_json(), *names = json_array();
    for (int i = 0; i < 300; i++)
        json_array_append_new(names, json_sprintf("v%d_with_a_long_name", i));
    json_object_set_new(json, "variants", names);
    write_json(json);
    expect_refusal("variants: an array of names is expected");
}

static void what_is_no_document_is_an_error(void **state)
{
    group_plan p;
    assay_error error = {0};
    assert_int_equal(text_file_write(path, "{\"schema\": 1", 12, NULL), ASSAY_OK);
    assert_int_not_equal(group_plan_read(path, &p, &error), ASSAY_OK);
    assert_non_null(strstr(error.message, path));
    group_plan_release(&p);
    assert_int_not_equal(group_plan_read("/nonexistent/plan.json", &p, NULL), ASSAY_OK);
    group_plan_release(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(reads_what_was_written, set_up, tear_down),
        cmocka_unit_test_setup_teardown(optional_keys_have_defaults, set_up, tear_down),
        cmocka_unit_test_setup_teardown(every_required_key_is_missed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wrong_values_are_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_list_that_is_too_long_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_no_document_is_an_error, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
