/* What the reader refuses, each with one line that names file and key. */
#include "tests/unit.h"
#include "example_result.h"
#include "results/result_file.h"
#include <jansson.h>

static json_t *document(void)
{
    result *r = example_result();
    char *text = NULL;
    assert_int_equal(result_write_text(r, RESULT_LOAD_SAMPLES, &text, NULL, NULL), ASSAY_OK);
    json_t *json = json_loads(text, 0, NULL);
    assert_non_null(json);
    free(text);
    result_free(r);
    return json;
}

/* Set the member at a dotted path to the JSON of `value` (NULL: remove it), and expect a refusal that says
 * `says`. */
static void refuse(const char *path, const char *value, const char *says)
{
    json_t *json = document(), *at = json;
    char key[64];
    for (;; path++) {
        const size_t length = strcspn(path, ".");
        snprintf(key, sizeof key, "%.*s", (int)length, path);
        path += length;
        if (*path == '\0')
            break;
        at = json_is_array(at) ? json_array_get(at, (size_t)atoi(key)) : json_object_get(at, key);
        assert_non_null(at);
    }
    if (!value)
        json_object_del(at, key);
    else
        json_object_set_new(at, key, json_loads(value, JSON_DECODE_ANY, NULL));
    char *text = json_dumps(json, JSON_COMPACT);
    result *r = NULL;
    assay_error error = {0};
    const assay_status status =
        result_read_text(text, strlen(text), "some/file.json", RESULT_LOAD_SAMPLES, &r, &error);
    if (status != ASSAY_ERR_FORMAT || r || !strstr(error.message, says) ||
        strncmp(error.message, "some/file.json", 14) != 0)
        fail_msg("%s = %s: status %d, \"%s\", wanted \"%s\"", key, value ? value : "absent", status,
                 error.message, says);
    assert_null(strchr(error.message, '\n'));
    for (const char *c = error.message; *c; c++)
        assert_true((unsigned char)*c >= ' ');
    free(text);
    json_decref(json);
}

static void test_names(void **state)
{
    refuse("op", "\"../../x\"", "op \"../../x\" is no name");
    refuse("op", "\"soft\\nmax\"", "op \"soft max\" is no name");
    refuse("op", "\"\\u001b[31m\"", "is no name");
    refuse("op", "\"a\\\\b\"", "is no name");
    refuse("variant", "\"v1.5\"", "variant \"v1.5\" is no name");
    refuse("size", "\"/etc\"", "size \"/etc\" is no name");
    refuse("size", NULL, "size is missing");
    refuse("variant", "\"\"", "variant is missing");
    refuse("op", "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"",
           "op is longer than 63");
    refuse("dtype", "\"f8\"", "dtype \"f8\" is none that there is");
}

static void test_enums(void **state)
{
    refuse("status", "\"fine\"", "status \"fine\" is none that there is");
    refuse("status", NULL, "status \"\" is none");
    refuse("kind", "\"friend\"", "kind \"friend\" is none that there is");
    refuse("kind", "\"baseline\"", "kind \"baseline\" does not fit the name \"v4_optimized\"");
    refuse("modes.lukewarm", "{\"mean_us\":1}", "modes has the timing mode \"lukewarm\"");
    refuse("method.modes", "[\"cold\",\"lukewarm\"]", "method.modes has the timing mode \"lukewarm\"");
    refuse("method.modes", "\"cold\"", "method.modes is not an array");
    refuse("method.version", NULL, "method.version is not an integer");
    refuse("modes.hot.method_version", NULL, "modes.hot.method_version is not an integer");
    refuse("schema", "1", "schema 1 is of an earlier version: measure again");
    refuse("schema", "99", "schema 99 is unknown: this program reads 2");
    refuse("schema", "2.5", "schema is not an integer");
    refuse("schema", NULL, "is no result of Assay");
}

static void test_dims(void **state)
{
    refuse("dims.M", "-1", "dims.M is negative: -1");
    refuse("dims.M", "1.5", "dims.M is not an integer");
    refuse("dims.M", "\"1024\"", "dims.M is not an integer");
    refuse("dims", "{\"M\":2147483648,\"N\":4294967296}", "dims.N is too large");
    refuse("dims", "{\"M\":4294967296,\"N\":4294967297}", "dims.N is too large");
    refuse("dims.a_name_that_is_too_long", "1", "has a name longer than 15");
    refuse("dims", "{\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1,\"g\":1,\"h\":1,\"i\":1}",
           "dims has more than 8 dimensions");
    refuse("tunables.BLOCK", "\"x\"", "tunables has a member \"BLOCK\" that is not an integer");
}

static void test_times(void **state)
{
    refuse("modes.cold.mean_us", "0", "modes.cold.mean_us is not a positive");
    refuse("modes.cold.mean_us", "-3", "modes.cold.mean_us is not a positive");
    refuse("modes.cold.mean_us", "1e300", "modes.cold.mean_us is not a positive");
    refuse("modes.hot.mean_us", "null", "modes.hot.mean_us is not a positive");
    refuse("modes.cold.repetitions.0.samples_us", "[1,-2]",
           "modes.cold.repetitions.samples_us holds a sample that is not a time");
    refuse("modes.cold.repetitions.0.samples_us", "[1,\"x\"]", "holds a sample that is not a time");
    refuse("modes", "{}", "status is \"ok\" but there is no time");
    refuse("time", "\"2026-02-31T00:00:00Z\"", "time is not a time");
    refuse("time", NULL, "time is not a time");
}

static void refuse_text(const char *text, const char *says)
{
    result *r = NULL;
    assay_error error = {0};
    assert_int_equal(result_read_text(text, strlen(text), "f", RESULT_LOAD_SUMMARY, &r, &error),
                     ASSAY_ERR_FORMAT);
    assert_null(r);
    if (!strstr(error.message, says))
        fail_msg("\"%s\", wanted \"%s\"", error.message, says);
}

static void test_documents(void **state)
{
    refuse_text("{", "f:1:1: not valid JSON");
    refuse_text("{}", "no object 'assay'");
    refuse_text("{\"assay\":3}", "no object 'assay'");
    refuse_text("[]", "a JSON object is expected");
    refuse_text("{\"assay\":{\"schema\":2}}", "op is missing");
    refuse_text("{\"schema\":99999999999999999999999}", "f:1:");
}

/* Control characters in texts that are printed become spaces. */
static void test_texts_are_lines(void **state)
{
    json_t *json = document();
    json_object_set_new(json, "reason", json_string("two\nlines \x1b[31m"));
    char *text = json_dumps(json, JSON_COMPACT);
    result *r = NULL;
    assert_int_equal(result_read_text(text, strlen(text), "f", RESULT_LOAD_SUMMARY, &r, NULL), ASSAY_OK);
    assert_string_equal(r->reason, "two lines  [31m");
    result_free(r);
    free(text);
    json_decref(json);
}

/* A count that no int holds is no count, and not undefined. */
static void test_huge_counts(void **state)
{
    json_t *json = document();
    json_object_set_new(json_object_get(json, "method"), "repetitions", json_real(1e30));
    char *text = json_dumps(json, JSON_COMPACT);
    result *r = NULL;
    assert_int_equal(result_read_text(text, strlen(text), "f", RESULT_LOAD_SUMMARY, &r, NULL), ASSAY_OK);
    assert_int_equal(r->method.repetitions, 0);
    result_free(r);
    free(text);
    json_decref(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),          cmocka_unit_test(test_enums),
        cmocka_unit_test(test_dims),           cmocka_unit_test(test_times),
        cmocka_unit_test(test_documents),      cmocka_unit_test(test_huge_counts),
        cmocka_unit_test(test_texts_are_lines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
