/* The winners that are committed name values that op.json has and that hold its constraints; and op.json's own defaults do. */
#include "tests/unit.h"
#include "build_module/winner.h"
#include "tune/evaluate/constraints.h"
#include <glob.h>

static workspace *ws;

static int open_workspace(void **state)
{
    (void)state;
    assay_error error = {0};
    if (workspace_open(NULL, &ws, &error) != ASSAY_OK)
        fail_msg("%s", error.message);
    return 0;
}

static int close_workspace(void **state)
{
    (void)state;
    workspace_close(ws);
    return 0;
}

static void check_row(const workspace_op *op, const char *path, const json_t *row)
{
    const opspec_variant_tunables *set =
        opspec_find_tunables(op->spec, json_string_value(json_object_get(row, "variant")));
    int64_t values[OPSPEC_MAX_TUNABLES];
    tuned_variant tuned;
    assay_dtype dtype = ASSAY_F32;
    assay_error error = {0};
    for (int i = 0; i < set->count; i++)
        values[i] =
            json_integer_value(json_object_get(json_object_get(row, "tunables"), set->tunables[i].name));
    assert_true(assay_dtype_parse(json_string_value(json_object_get(row, "dtype")), &dtype));
    if (tuned_variant_make(op->spec, set->variant, values, &tuned, &error) != ASSAY_OK ||
        tuned_check_constraints(ws, op, &tuned, dtype, json_string_value(json_object_get(row, "size")),
                                &error) != ASSAY_OK)
        fail_msg("%s: %s", path, error.message);
    assert_true(json_is_object(json_object_get(row, "run")));
}

static void committed_winners_fit_op_json(void **state)
{
    (void)state;
    for (int o = 0; o < ws->op_count; o++) {
        char pattern[4400];
        glob_t found;
        snprintf(pattern, sizeof pattern, "%s/best/*.json", ws->ops[o].spec->directory);
        if (glob(pattern, 0, NULL, &found) != 0)
            continue;
        for (size_t i = 0; i < found.gl_pathc; i++) {
            assay_error error = {0};
            json_t *document = NULL, *row;
            size_t index;
            if (winner_read(found.gl_pathv[i], ws->ops[o].spec, &document, &error) != ASSAY_OK)
                fail_msg("%s", error.message);
            json_array_foreach(json_object_get(document, "winners"), index, row)
                check_row(&ws->ops[o], found.gl_pathv[i], row);
            json_decref(document);
        }
        globfree(&found);
    }
}

/* For every dtype and size: the build compiles them, so they must be possible. */
static void defaults_hold_the_constraints(void **state)
{
    (void)state;
    assay_case *cases = NULL;
    int count = 0, checked = 0;
    assert_int_equal(workspace_list_cases(ws, NULL, 0, &cases, &count, NULL), ASSAY_OK);
    for (int i = 0; i < count; i++) {
        tuned_variant tuned;
        assay_error error = {0};
        if (!opspec_find_tunables(cases[i].op->spec, cases[i].variant))
            continue;
        if (tuned_variant_parse(cases[i].op->spec, cases[i].variant, NULL, &tuned, &error) != ASSAY_OK ||
            tuned_check_constraints(ws, cases[i].op, &tuned, cases[i].dtype, cases[i].size, &error) !=
                ASSAY_OK)
            fail_msg("%s", error.message);
        checked++;
    }
    free(cases);
    assert_true(checked > 0);
}

static const char good[] = "{\"schema\": 1, \"op\": \"softmax\", \"arch\": \"sm_90\", \"winners\": ["
                           "{\"variant\": \"v2_tiling\", \"dtype\": \"f32\", \"size\": \"medium\", "
                           "\"tunables\": {\"BLOCK_THREADS\": 128, \"TILE\": 1024}},"
                           "{\"variant\": \"v2_tiling\", \"dtype\": \"f32\", \"size\": \"large\", "
                           "\"tunables\": {\"BLOCK_THREADS\": 512, \"TILE\": 1024}}]}";

static void the_row_of_the_large_size_counts(void **state)
{
    (void)state;
    char folder[256], path[300];
    json_t *document = NULL;
    const opspec *spec = workspace_find_op(ws, "softmax")->spec;
    make_folder(folder);
    snprintf(path, sizeof path, "%s/sm_90.json", folder);
    assert_int_equal(winner_read(path, spec, &document, NULL), ASSAY_OK); /* none is no error */
    assert_null(document);
    write_text(folder, "sm_90.json", good);
    assert_int_equal(winner_read(path, spec, &document, NULL), ASSAY_OK);
    const json_t *row = winner_find(document, "v2_tiling", ASSAY_F32);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(row, "tunables"), "BLOCK_THREADS")),
                     512);
    assert_null(winner_find(document, "v2_tiling", ASSAY_BF16));
    assert_null(winner_find(document, "v3_coalesced", ASSAY_F32));
    json_decref(document);
    remove_folder(folder);
}

static void broken_winners_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to, *message;
    } rows[] = {
        {"\"schema\": 1", "\"schema\": 2", "no winners of schema 1 of the op softmax"},
        {"v2_tiling", "v9_nothing", "winners[0].variant: op.json has no tunables of \"v9_nothing\""},
        {"\"dtype\": \"f32\"", "\"dtype\": \"f99\"", "winners[0].dtype: \"f99\" is none of v2_tiling"},
        {"\"BLOCK_THREADS\": 128", "\"BLOCK_THREADS\": 100",
         "winners[0].tunables.BLOCK_THREADS: no value of op.json"},
        {"\"TILE\": 1024", "\"TILE\": 1024, \"SPEED\": 1",
         "winners[0].tunables: other names than those of op.json"},
    };
    char folder[256], path[300], text[1024];
    make_folder(folder);
    snprintf(path, sizeof path, "%s/sm_90.json", folder);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assay_error error = {0};
        json_t *document = NULL;
        const char *at = strstr(good, rows[i].from);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - good), good, rows[i].to,
                 at + strlen(rows[i].from));
        write_text(folder, "sm_90.json", text);
        assert_int_equal(winner_read(path, workspace_find_op(ws, "softmax")->spec, &document, &error),
                         ASSAY_ERR_FORMAT);
        if (!strstr(error.message, rows[i].message))
            fail_msg("%s: expected \"%s\"", error.message, rows[i].message);
        assert_null(document);
    }
    remove_folder(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(committed_winners_fit_op_json),
        cmocka_unit_test(defaults_hold_the_constraints),
        cmocka_unit_test(the_row_of_the_large_size_counts),
        cmocka_unit_test(broken_winners_are_named),
    };
    return cmocka_run_group_tests(tests, open_workspace, close_workspace);
}
