/* Names of configurations, and shapes that users give. */
#include "tests/unit.h"
#include "core/case_options.h"
#include "core/tuned_variant.h"

static workspace *ws;
static workspace_op *op;

static int open_workspace(void **state)
{
    assay_error error = {0};
    if (workspace_open(NULL, &ws, &error) != ASSAY_OK)
        fail_msg("%s", error.message);
    op = &ws->ops[workspace_find_op(ws, "softmax") - ws->ops];
    return 0;
}

static int close_workspace(void **state)
{
    workspace_close(ws);
    return 0;
}

static void a_name_is_of_all_values_in_any_order(void **state)
{
    tuned_variant a, b, c;
    char text[TUNED_VARIANT_TEXT_MAX];
    const int64_t values[] = {128, 4096};
    assert_int_equal(tuned_variant_parse(op->spec, "v2_tiling", "TILE=4096,BLOCK_THREADS=128", &a, NULL),
                     ASSAY_OK);
    assert_int_equal(tuned_variant_make(op->spec, "v2_tiling", values, &b, NULL), ASSAY_OK);
    assert_int_equal(tuned_variant_parse(op->spec, "v2_tiling", "BLOCK_THREADS=512", &c, NULL), ASSAY_OK);
    assert_string_equal(a.name, b.name);
    assert_string_not_equal(a.name, c.name);
    tuned_variant_text(&a, text);
    assert_string_equal(text, "BLOCK_THREADS=128,TILE=4096");
    tuned_variant_text(&c, text);
    assert_string_equal(text, "BLOCK_THREADS=512,TILE=4096"); /* the default of the other */
    assert_true(tuned_variant_is(a.name) && !tuned_variant_is("v2_tiling"));
    assert_true(tuned_variant_is_of(a.name, "v2_tiling") && !tuned_variant_is_of(a.name, "v2"));
}

/* Dtypes, claims and tunables are the variant's; files lie apart. */
static void a_configuration_is_a_variant_while_it_is_added(void **state)
{
    tuned_variant tuned;
    assay_case *cases = NULL, c = {.op = op, .dtype = ASSAY_F32, .size = "small"};
    char path[4400];
    int count = 0;
    const int before = op->variant_count;
    assert_int_equal(tuned_variant_parse(op->spec, "v2_tiling", "BLOCK_THREADS=128", &tuned, NULL), ASSAY_OK);
    const case_filter filter = {.ops = "softmax", .variants = tuned.name, .dtypes = "f32", .sizes = "small"};
    assert_int_not_equal(workspace_list_cases(ws, &filter, 0, &cases, &count, NULL), ASSAY_OK);
    assert_int_equal(workspace_add_tuned(ws, op, &tuned, NULL), ASSAY_OK);
    assert_int_equal(workspace_add_tuned(ws, op, &tuned, NULL), ASSAY_OK); /* once */
    assert_int_equal(op->variant_count, before + 1);
    assert_int_equal(workspace_list_cases(ws, &filter, 0, &cases, &count, NULL), ASSAY_OK);
    assert_int_equal(count, 1);
    assert_string_equal(cases[0].variant, tuned.name);
    free(cases);
    assert_ptr_equal(opspec_find_tunables(op->spec, tuned.name), opspec_find_tunables(op->spec, "v2_tiling"));
    snprintf(c.variant, sizeof c.variant, "%s", tuned.name);
    case_module_path(ws, &c, path, sizeof path);
    assert_non_null(strstr(path, "/configurations/softmax.v2_tiling+"));
    case_result_path(ws, &c, path, sizeof path);
    assert_non_null(strstr(path, "/configurations/bench/softmax.v2_tiling+"));
    workspace_forget_tuned(ws);
    assert_int_equal(op->variant_count, before);
}

static const opspec_size *add(const char *dims, const char *params)
{
    json_t *shape = NULL;
    const opspec_size *size = NULL;
    assay_error error = {0};
    if (opspec_parse_shape(op->spec, dims, params, &shape, &error) != ASSAY_OK ||
        opspec_add_shape(op->spec, shape, &size, &error) != ASSAY_OK)
        fail_msg("%s", error.message);
    json_decref(shape);
    return size;
}

static void a_shape_is_a_size_of_its_own(void **state)
{
    char options[256];
    const opspec_size *one = add("N=7,M=3", NULL), *same = add("M=3,N=7", NULL),
                      *other = add("M=3,N=7", "dim=0");
    assert_ptr_equal(one, same);
    assert_ptr_not_equal(one, other);
    assert_string_equal(one->name, "M=3+N=7");
    assert_string_equal(other->name, "M=3+N=7+dim=0");
    assert_true(opspec_is_shape(one->name) && !opspec_is_shape("small"));
    assert_int_equal(opspec_size_dims(one, "cpu")->dim[1].value, 7);
    json_t *again = opspec_shape_json(other);
    const opspec_size *read = NULL;
    assert_int_equal(opspec_add_shape(op->spec, again, &read, NULL), ASSAY_OK); /* what a plan carries */
    assert_ptr_equal(read, other);
    json_decref(again);
    assay_case c = {.op = op, .dtype = ASSAY_F32, .variant = "v1_baseline"};
    snprintf(c.size, sizeof c.size, "%s", other->name);
    case_options(ws, &c, NULL, options, sizeof options);
    assert_string_equal(options, "--variant v1_baseline --dtype f32 --dims M=3,N=7 --params dim=0");
}

static void too_many_shapes_are_refused(void **state)
{
    char dims[64];
    assay_error error = {0};
    const opspec_size *size = NULL;
    assay_status status = ASSAY_OK;
    for (int i = 0; i < 2 * OPSPEC_MAX_SHAPES + OPSPEC_MAX_SIZES && status == ASSAY_OK; i++) {
        json_t *shape = NULL;
        snprintf(dims, sizeof dims, "M=%d,N=5", i + 10);
        assert_int_equal(opspec_parse_shape(op->spec, dims, NULL, &shape, NULL), ASSAY_OK);
        status = opspec_add_shape(op->spec, shape, &size, &error);
        json_decref(shape);
    }
    assert_int_equal(status, ASSAY_ERR_INVALID);
    assert_non_null(strstr(error.message, "shapes at a time"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_is_of_all_values_in_any_order),
        cmocka_unit_test(a_configuration_is_a_variant_while_it_is_added),
        cmocka_unit_test(a_shape_is_a_size_of_its_own),
        cmocka_unit_test(too_many_shapes_are_refused),
    };
    return cmocka_run_group_tests(tests, open_workspace, close_workspace);
}
