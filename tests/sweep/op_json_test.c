/* "sweep" of op.json: each mistake is named with file and key. */
#include "grid_op.h"

static const char good[] =
    "{\"dims\":{\"A\":{\"min\":1,\"max\":64},\"B\":[1,2],\"C\":{\"equal\":\"A\"}},\"params\":{\"parts\":1,"
    "\"mode\":[\"a\",\"b\"]},"
    "\"families\":{\"any\":{\"weight\":2,\"about\":\"words\"}},\"bounds\":{\"cpu\":{\"bytes\":1,\"flops\":1},"
    "\"cuda\":{\"bytes\":2,"
    "\"flops\":0}},\"layouts\":[{\"when\":{\"last\":true},\"shapes\":{\"x\":[\"A\",\"3\",\"C/parts\"]}}]}";

static void reads_everything(void **state)
{
    opspec *spec = NULL;
    assay_error error = {0};
    if (grid_load(good, &spec, &error) != ASSAY_OK)
        fail_msg("%s", error.message);
    const opspec_sweep *s = spec->sweep;
    const opspec_family *f = &s->families[0];
    assert_int_equal(s->family_count, 1);
    assert_string_equal(f->name, "any");
    assert_string_equal(f->about, "words");
    assert_true(f->weight == 2 && s->cpu.bytes == 1 && s->cuda.bytes == 2 && s->cuda.flops == 0);
    assert_int_equal(f->draw_count, 5);
    assert_string_equal(f->draws[0].name, "A");
    assert_true(f->draws[0].kind == OPSPEC_DRAW_RANGE && f->draws[0].max == 64 && f->draws[0].multiple == 1);
    assert_true(f->draws[1].kind == OPSPEC_DRAW_VALUES && f->draws[1].values[1].integer == 2);
    assert_true(f->draws[2].kind == OPSPEC_DRAW_EQUAL && strcmp(f->draws[2].equal, "A") == 0);
    assert_true(f->draws[4].is_param && strcmp(f->draws[4].values[1].text, "b") == 0);
    assert_int_equal(s->layout_count, 1);
    assert_string_equal(s->layouts[0].inputs[0].axis[2], "C/parts");
    opspec_free(spec);
    assert_int_equal(grid_load(NULL, &spec, &error), ASSAY_OK);
    assert_null(spec->sweep);
    opspec_free(spec);
}

/* "x" of the shape {A: 1, B: 4, C: 6} with so many parts. */
static void expect_axes(const opspec *spec, int parts, const char *expected)
{
    json_t *shape = json_pack("{s:i, s:i, s:i, s:{s:b, s:i}}", "A", 1, "B", 4, "C", 6, "params", "last", 1,
                              "parts", parts),
           *laid_out = NULL;
    assert_int_equal(opspec_lay_out(spec, shape, &laid_out, NULL), ASSAY_OK);
    char *text = json_dumps(json_object_get(laid_out, "shapes"), JSON_COMPACT);
    assert_string_equal(text, expected);
    free(text);
    json_decref(laid_out);
    json_decref(shape);
}

static void axes_of_parameters(void **state)
{
    char text[sizeof good + 100];
    opspec *spec = NULL;
    const char *at = strstr(good, "\"A\",\"3\"");
    snprintf(text, sizeof text, "%.*s\"parts\",\"B+parts\"%s", (int)(at - good), good,
             at + strlen("\"A\",\"3\""));
    assert_int_equal(grid_load(text, &spec, NULL), ASSAY_OK);
    expect_axes(spec, 3, "{\"x\":[\"3\",\"7\",\"2\"]}");
    expect_axes(spec, 1, "{\"x\":[\"1\",\"5\",\"C\"]}");
    opspec_free(spec);
}

static void expect_error(const char *from, const char *to, const char *part)
{
    char text[sizeof good + 300];
    opspec *spec = NULL;
    assay_error error = {0};
    const char *at = strstr(good, from);
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - good), good, to, at + strlen(from));
    assert_int_equal(grid_load(text, &spec, &error), ASSAY_ERR_INVALID);
    if (!strstr(error.message, part) || !strstr(error.message, "grid/op.json: "))
        fail_msg("expected \"%s\" in: %s", part, error.message);
}

static void names_each_mistake(void **state)
{
    expect_error("\"bounds\"", "\"bound\"", "missing key \"sweep.bounds\"");
    expect_error("\"weight\":2,", "", "missing key \"sweep.families.any.weight\"");
    expect_error("\"weight\":2", "\"weight\":0", "key \"sweep.families.any.weight\" must be above 0");
    expect_error("\"any\"", "\"a-b\"", "\"a-b\" is not a name");
    expect_error("{\"any\":{\"weight\":2,\"about\":\"words\"}}", "{}",
                 "key \"sweep.families\" needs at least one family");
    expect_error("\"about\":\"words\"", "\"dims\":{\"Q\":1}",
                 "key \"sweep.families.any.dims.Q\" is no dimension of \"sizes.small\"");
    expect_error("\"about\":\"words\"", "\"params\":{\"q\":1}",
                 "key \"sweep.families.any.params.q\" is no parameter");
    expect_error("\"B\":[1,2],", "", "missing key \"sweep.families.any.dims.B\"");
    expect_error("[1,2]", "[]", "key \"sweep.dims.B\" needs at least one value");
    expect_error("[1,2]", "[1,\"x\"]", "key \"sweep.dims.B\": a dimension is an integer from 0 up");
    expect_error("\"min\":1,", "", "key \"sweep.dims.A\" needs \"min\" and \"max\"");
    expect_error("\"max\":64", "\"max\":0", "\"min\" must be at least 1 and at most \"max\"");
    expect_error("\"min\":1", "\"min\":0", "\"min\" must be at least 1 and at most \"max\"");
    expect_error("\"max\":64", "\"max\":\"64\"", "key \"sweep.dims.A.max\" must be of type number");
    expect_error("\"max\":64", "\"max\":64,\"maximum\":3",
                 "unknown key \"sweep.dims.A.maximum\"; allowed here: min, max");
    expect_error("\"max\":64", "\"max\":64,\"multiple_of\":8",
                 "key \"sweep.dims.A.multiple_of\": allowed: 1 to \"min\"");
    expect_error("\"max\":64", "\"max\":64,\"multiples_of_8\":0.7,\"multiples_of_64\":0.7",
                 "together at most 1");
    expect_error("{\"equal\":\"A\"}", "{\"equal\":\"Z\"}",
                 "key \"sweep.dims.C.equal\" stands alone and is the name of another");
    expect_error("[1,2],\"C\"", "{\"equal\":\"C\"},\"C\"", "B is equal to C, which must be drawn itself");
    expect_error("\"parts\":1", "\"parts\":true", "key \"sweep.params.parts\" must be of type integer");
    expect_error("[\"a\",\"b\"]", "[\"z\"]", "is \"z\"; allowed: a, b");
    expect_error("\"parts\":1", "\"eps\":{\"min\":0.5,\"max\":2}",
                 "key \"sweep.params.eps\" is 0.5 to 2; allowed: 0 to 1");
    expect_error("\"parts\":1", "\"last\":{\"min\":1,\"max\":2}", "a range is for numbers");
    expect_error("\"bytes\":1,", "\"bytes\":0,", "key \"sweep.bounds.cpu\"");
    expect_error("\"flops\":1}", "\"flops\":1,\"dims\":{\"Q\":4}}", "key \"sweep.bounds.cpu.dims.Q\"");
    expect_error("\"flops\":1}", "\"flops\":1,\"dims\":{\"A\":0}}", "key \"sweep.bounds.cpu.dims.A\"");
    expect_error("\"last\":true", "\"last\":1", "key \"sweep.layouts[0].when.last\" must be of type boolean");
    expect_error("\"last\":true", "\"first\":1", "key \"sweep.layouts[0].when.first\" is no parameter");
    expect_error("\"x\":[", "\"w\":[", "key \"sweep.layouts[0].shapes.w\" is no input");
    expect_error("\"C/parts\"", "\"C/mode\"", "\"C/mode\" is no axis");
    expect_error("\"C/parts\"", "\"3+parts\"", "\"3+parts\" is no axis");
    expect_error("\"C/parts\"", "\"mode\"", "\"mode\" is no axis");
    expect_error("\"C/parts\"", "\"Z\"", "\"Z\" is no axis");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(reads_everything),
                                       cmocka_unit_test(axes_of_parameters),
                                       cmocka_unit_test(names_each_mistake)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
