/* Drawing: the same shapes everywhere, within bounds, by the rules of op.json; and lists of shapes in files. */
#include "grid_op.h"
#include "results/problem_hash.h"
#include "sweep/draw.h"

static const char sweep[] =
    "{\"dims\":{\"A\":{\"min\":1,\"max\":4096,\"multiples_of_8\":0.4,\"multiples_of_64\":0.2},\"B\":{\"min\":"
    "8,\"max\":512,"
    "\"multiple_of\":8},\"C\":{\"equal\":\"B\"}},\"params\":{\"last\":[false,true]},\"families\":{\"any\":{"
    "\"weight\":3},"
    "\"parts\":{\"weight\":1,\"dims\":{\"C\":[64,128]},\"params\":{\"parts\":[2,4],\"eps\":{\"min\":0.25,"
    "\"max\":0.5}}}},"
    "\"bounds\":{\"cpu\":{\"bytes\":10000,\"flops\":1e9},\"cuda\":{\"bytes\":1e9,\"flops\":3e8,\"dims\":{"
    "\"B\":400}}},"
    "\"layouts\":[{\"when\":{\"last\":true},\"shapes\":{\"x\":[\"C/"
    "parts\",\"A\",\"B\"]}},{\"shapes\":{\"x\":[\"A\",\"B\",\"C/parts\"]}}]}";

static opspec *load(const char *text)
{
    opspec *spec = NULL;
    assay_error error = {0};
    if (grid_load(text, &spec, &error) != ASSAY_OK)
        fail_msg("%s", error.message);
    return spec;
}

static shape_list draw(opspec *spec, const char *device, const char *families, uint64_t seed, int count)
{
    shape_list list = {0};
    assay_error error = {0};
    if (draw_shapes(spec, &grid_impl, device, families, seed, count, &list, &error) != ASSAY_OK)
        fail_msg("%s", error.message);
    return list;
}

static char *print(const shape_list *list)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    shape_list_print(list, out);
    fclose(out);
    return text;
}

/* The text is what every machine must draw: another one is another distribution, and recorded seeds lose their meaning. */
static void a_seed_is_a_list(void **state)
{
    opspec *spec = load(sweep);
    shape_list few = draw(spec, "cuda", NULL, 7, 4), same = draw(spec, "cuda", NULL, 7, 4),
               more = draw(spec, "cuda", NULL, 7, 30), other = draw(spec, "cuda", NULL, 8, 4);
    char *text = print(&few), *again = print(&same), *longer = print(&more), *another = print(&other);
    assert_string_equal(text, again);
    assert_memory_equal(text, longer, strlen(text));
    assert_string_not_equal(text, another);
    assert_string_equal(
        text, "{\"A\": 6, \"B\": 16, \"C\": 16, \"params\": {\"last\": false}, \"family\": \"any\"}\n"
              "{\"A\": 896, \"B\": 32, \"C\": 32, \"params\": {\"last\": false}, \"family\": \"any\"}\n"
              "{\"A\": 384, \"B\": 96, \"C\": 128, \"params\": {\"parts\": 2, \"last\": false, \"eps\": "
              "0.44950661063194275}, \"family\": \"parts\"}\n"
              "{\"A\": 320, \"B\": 8, \"C\": 64, \"params\": {\"parts\": 4, \"last\": false, \"eps\": "
              "0.43936756253242493}, \"family\": \"parts\"}\n");
    shape_list_release(&few);
    shape_list_release(&same);
    shape_list_release(&more);
    shape_list_release(&other);
    free(text);
    free(again);
    free(longer);
    free(another);
    opspec_free(spec);
}

static void check_shape(opspec *spec, const char *device, const sweep_shape *shape, int counts[3])
{
    assay_problem problem;
    char name[ASSAY_NAME_MAX];
    const int64_t a = (int64_t)shape_value(shape->shape, "A", -1),
                  b = (int64_t)shape_value(shape->shape, "B", -1),
                  c = (int64_t)shape_value(shape->shape, "C", -1);
    const int any = strcmp(shape->family, "any") == 0;
    assert_int_equal(shape_check(spec, &grid_impl, ASSAY_F32, shape->shape, &problem, name, NULL), ASSAY_OK);
    assert_string_equal(name, shape->name);
    assert_true(grid_bytes(&problem) <=
                (strcmp(device, "cpu") == 0 ? spec->sweep->cpu.bytes : spec->sweep->cuda.bytes));
    assert_true(grid_flops(&problem) <=
                (strcmp(device, "cpu") == 0 ? spec->sweep->cpu.flops : spec->sweep->cuda.flops));
    assert_true(a >= 1 && a <= 4096 && b >= 8 && b <= (strcmp(device, "cpu") == 0 ? 512 : 400) && b % 8 == 0);
    assert_true(any ? c == b : c == 64 || c == 128);
    if (!any) {
        const double eps = shape_value(shape->shape, "eps", -1),
                     parts = shape_value(shape->shape, "parts", -1);
        assert_true(eps >= 0.25 && eps <= 0.5 && (parts == 2 || parts == 4));
        const int last = (int)shape_value(shape->shape, "last", -1);
        assert_int_equal(problem.inputs[0].shape[last ? 0 : 2], c / (int64_t)parts);
    }
    counts[0] += any;
    counts[1] += a % 8 == 0;
    counts[2] += a % 64 == 0;
}

static void shapes_keep_bounds_and_rules(void **state)
{
    static const char *const devices[] = {"cpu", "cuda"};
    opspec *spec = load(sweep);
    for (int d = 0; d < 2; d++) {
        int counts[3] = {0};
        shape_list list = draw(spec, devices[d], NULL, 3, 400);
        assert_true(list.count == 400 || d == 0); /* bounds of 10000 bytes leave few shapes */
        assert_true(list.count > 100);
        for (int i = 0; i < list.count; i++)
            check_shape(spec, devices[d], &list.shapes[i], counts);
        assert_int_equal(spec->size_count, 3); /* no shape stays in the op */
        if (d == 1) {
            assert_in_range(counts[0], 250, 345); /* three of four are of "any" */
            assert_in_range(counts[1], 140,
                            220); /* 40% and half of 20% of the three quarters above 7, and by chance */
            assert_in_range(counts[2], 25, 70);
        }
        shape_list_release(&list);
    }
    opspec_free(spec);
}

static void families_can_be_chosen(void **state)
{
    opspec *spec = load(sweep);
    shape_list list = draw(spec, "cuda", "parts", 3, 50), none = {0};
    assay_error error = {0};
    for (int i = 0; i < list.count; i++)
        assert_string_equal(list.shapes[i].family, "parts");
    assert_int_equal(draw_shapes(spec, &grid_impl, "cuda", "part", 3, 5, &none, &error), ASSAY_ERR_INVALID);
    assert_non_null(strstr(error.message, "has no family \"part\"; there are: any, parts"));
    shape_list_release(&list);
    opspec_free(spec);
}

/* Fewer where there are no more; an error where there is none at all. */
static void small_and_empty_spaces_end(void **state)
{
    char text[600];
    static const char few[] = "{\"dims\":{\"A\":[2,3,13],\"B\":5,\"C\":5},\"families\":{\"any\":{\"weight\":"
                              "1}},\"bounds\":{\"cpu\":{"
                              "\"bytes\":%s,\"flops\":1e9},\"cuda\":{\"bytes\":1e9,\"flops\":1e9}}}";
    snprintf(text, sizeof text, few, "1e9");
    opspec *spec = load(text);
    shape_list list = draw(spec, "cpu", NULL, 1, 40), none = {0};
    assert_int_equal(list.count, 2); /* 13 is not computed */
    shape_list_release(&list);
    opspec_free(spec);
    snprintf(text, sizeof text, few, "10");
    assay_error error = {0};
    spec = load(text);
    assert_int_equal(draw_shapes(spec, &grid_impl, "cpu", NULL, 1, 5, &none, &error), ASSAY_ERR_INVALID);
    assert_non_null(strstr(error.message, "grid/op.json: key \"sweep.families.any\": none of"));
    opspec_free(spec);
}

static void an_op_without_a_sweep_has_one(void **state)
{
    opspec *spec = load(NULL);
    shape_list list = draw(spec, "cpu", NULL, 1, 60);
    int modes = 0, large = 0;
    assert_int_equal(list.count, 60);
    for (int i = 0; i < list.count; i++) {
        const json_t *params = json_object_get(list.shapes[i].shape, "params");
        modes += strcmp(json_string_value(json_object_get(params, "mode")), "b") == 0;
        large += shape_value(list.shapes[i].shape, "B", 0) > 10;
        assert_null(json_object_get(params, "parts"));
        assert_true(shape_value(list.shapes[i].shape, "B", 0) <= 100);
    }
    assert_in_range(modes, 15, 45);
    assert_in_range(large, 10, 50);
    shape_list_release(&list);
    opspec_free(spec);
}

static void ranges_are_log_uniform(void **state)
{
    int below = 0;
    assert_int_equal(draw_log_uniform(1, 65536, 0), 1);
    assert_int_equal(draw_log_uniform(1, 65535, 0.5), 256);
    assert_int_equal(draw_log_uniform(1, 4, 0.999999), 4);
    assert_int_equal(draw_log_uniform(7, 7, 0.3), 7);
    for (int i = 0; i < 1000; i++)
        below += draw_log_uniform(10, 1000, i / 1000.0) < 100;
    assert_in_range(below, 495, 505);
}

/* What is drawn decides no verdict: results of before stay valid. */
static void the_hash_of_a_case_does_not_know_it(void **state)
{
    char with[HASH_TEXT_BYTES], without[HASH_TEXT_BYTES];
    opspec *spec = load(sweep), *plain = load(NULL);
    for (int e = 0; e < 2; e++) {
        const char *size = e ? "edge" : "small";
        assert_int_equal(problem_hash(spec, ASSAY_F32, size, "cuda", with, NULL), ASSAY_OK);
        assert_int_equal(problem_hash(plain, ASSAY_F32, size, "cuda", without, NULL), ASSAY_OK);
        assert_string_equal(with, without);
    }
    opspec_free(spec);
    opspec_free(plain);
}

/* A file that --list printed is the list; each mistake is named with its line. */
static void files_are_read_back(void **state)
{
    static const char *const mistakes[][2] = {
        {"{\"A\":1,\"B\":2}", "no value for the dimension C"},
        {"{\"A\":1,\"B\":2,\"C\":-3}", "C: an integer from 0 up is expected"},
        {"{\"A\":1,\"B\":2,\"C\":3.5}", "C: an integer from 0 up is expected"},
        {"{\"A\":1,\"B\":2,\"C\":3,\"D\":4}", "grid has no dimension \"D\""},
        {"{\"A\":1,\"B\":2,\"C\":3,\"params\":{\"part\":1}}", "grid has no parameter \"part\""},
        {"{\"A\":1,\"B\":2,\"C\":3,\"params\":{\"mode\":\"c\"}}", "is \"c\"; allowed: a, b"},
        {"{\"A\":1,\"B\":2,\"C\":3,\"params\":[1]}", "params: an object is expected"},
        {"{\"A\":1,\"B\":2,\"C\":3,\"params\":{\"parts\":2}}", "C=3 is no multiple of parts=2"},
        {"{\"A\":13,\"B\":2,\"C\":3}", "grid: unlucky"},
        {"{\"A\":1,\"B\":2,\"C\":3}", "this shape is there already"},
        {"{\"A\":1,\"A\":1,\"B\":2,\"C\":4}", "no JSON object: duplicate object key"},
        {"[1, 2]", "no JSON object"},
        {"A=1", "no JSON object: "},
    };
    opspec *spec = load(sweep);
    char path[400], text[300];
    snprintf(path, sizeof path, "%s/shapes.jsonl", base);
    shape_list list = draw(spec, "cuda", NULL, 5, 40), read = {0};
    FILE *file = fopen(path, "w");
    shape_list_print(&list, file);
    fclose(file);
    assert_int_equal(shape_list_read(spec, &grid_impl, path, &read, NULL), ASSAY_OK);
    char *one = print(&list), *two = print(&read);
    assert_string_equal(one, two);
    free(one);
    free(two);
    shape_list_release(&list);
    shape_list_release(&read);
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        assay_error error = {0};
        shape_list bad = {0};
        snprintf(text, sizeof text, "{\"A\":1,\"B\":2,\"C\":3}\n\n%s\n", mistakes[i][0]);
        write_text(base, "shapes.jsonl", text);
        assert_int_equal(shape_list_read(spec, &grid_impl, path, &bad, &error), ASSAY_ERR_INVALID);
        if (!strstr(error.message, mistakes[i][1]) || !strstr(error.message, "shapes.jsonl:3: "))
            fail_msg("expected \"%s\" in: %s", mistakes[i][1], error.message);
        shape_list_release(&bad);
    }
    opspec_free(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_seed_is_a_list),
        cmocka_unit_test(shapes_keep_bounds_and_rules),
        cmocka_unit_test(families_can_be_chosen),
        cmocka_unit_test(small_and_empty_spaces_end),
        cmocka_unit_test(an_op_without_a_sweep_has_one),
        cmocka_unit_test(ranges_are_log_uniform),
        cmocka_unit_test(the_hash_of_a_case_does_not_know_it),
        cmocka_unit_test(files_are_read_back),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
