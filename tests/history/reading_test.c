/* What is read from the history: commits, cards, facts, snapshots, and exports. */
#include "database_tools.h"
#include "history/export.h"
#include "history/result_set.h"
#include "results/result_file.h"
#include <math.h>

static int count_revision(void *context, const history_revision *revision)
{
    char *order = context;
    strncat(order, revision->commit, 1);
    return 0;
}

static int count_card(void *context, const history_card *card)
{
    *(int64_t *)context += card->results;
    return 0;
}

static void revisions_in_order_and_by_beginning(void **state)
{
    char path[600], order[16] = "", commit[64];
    made_result r = plain();
    r.commit = "bbbb000000000000000000000000000000000000", r.time = "2026-03-01T00:00:00Z";
    make_results("a", &r, path);
    ingest(path);
    r.commit = "aaaa000000000000000000000000000000000000", r.time = "2026-04-01T00:00:00Z";
    make_results("b", &r, path);
    ingest(path);
    r.commit = "abcd000000000000000000000000000000000000", r.time = "2026-02-01T00:00:00Z";
    make_results("c", &r, path);
    ingest(path);
    run_sql("UPDATE revision SET time = 1 WHERE hash LIKE 'aaaa%'"); /* git's time counts before the run's */
    history *h;
    int64_t results = 0;
    assay_error error = {0};
    assert_int_equal(history_open(db, HISTORY_READ, &h, NULL), ASSAY_OK);
    assert_int_equal(history_each_revision(h, NULL, count_revision, order, NULL), ASSAY_OK);
    assert_string_equal(order, "aab");
    assert_int_equal(history_each_card(h, count_card, &results, NULL), ASSAY_OK);
    assert_int_equal(results, 3);
    assert_int_equal(history_find_revision(h, "bb", commit, NULL), ASSAY_OK);
    assert_string_equal(commit, "bbbb000000000000000000000000000000000000");
    assert_int_equal(history_find_revision(h, "a", commit, &error), ASSAY_ERR_INVALID);
    assert_non_null(strstr(error.message, "several"));
    assert_int_equal(history_find_revision(h, "c", commit, NULL), ASSAY_ERR_INVALID);
    assert_int_equal(history_find_revision(h, "", commit, NULL), ASSAY_ERR_INVALID);
    result_set set = {0};
    assert_int_equal(result_set_load_commit(h, "bbbb", &set, NULL), ASSAY_OK);
    assert_int_equal(set.count, 1);
    assert_float_equal(set.results[0].midmeans_us[TIMING_COLD][0], hundred[0], 1e-3);
    result_set_release(&set);
    history_close(h);
}

static int sum_fact(void *context, const history_fact *value)
{
    if (strcmp(value->key, "resources.registers") == 0)
        *(double *)context += value->number;
    if (strcmp(value->key, "resources.arch") == 0)
        assert_string_equal(value->text, "sm_90a");
    return 0;
}

static void facts_and_snapshots(void **state)
{
    char path[600], file[700];
    const made_result made = plain();
    make_results("a", &made, path);
    result *r = make_result(&made);
    result_add_fact(r, &r->resources, "registers", 40, NULL);
    result_add_fact(r, &r->resources, "arch", NAN, "sm_90a");
    snprintf(file, sizeof file, "%s/bench/add.v1_baseline.f32.large.json", path);
    assert_int_equal(result_write_file(file, r, NULL), ASSAY_OK);
    result_free(r);
    json_t *root;
    for (int i = 0; i < 2; i++) {
        root = json_pack("{s:i, s:{s:s}, s:s, s:i}", "schema", 1, "device", "slug", "made-up-100", "time",
                         i ? "2026-01-02T00:00:00Z" : "2026-01-01T00:00:00Z", "number", i);
        snprintf(file, sizeof file, "%s/ceilings.json", path);
        assert_int_equal(json_dump_file(root, file, 0), 0);
        json_decref(root);
        assert_int_equal(ingest(path).snapshots, 1);
        assert_int_equal(ingest(path).snapshots, 0);
    }
    history *h;
    double registers = 0;
    assert_int_equal(history_open(db, HISTORY_READ, &h, NULL), ASSAY_OK);
    assert_int_equal(history_each_fact(h, NULL, sum_fact, &registers, NULL), ASSAY_OK);
    assert_float_equal(registers, 40, 0);
    static const struct {
        int64_t time;
        int number;
    } wanted[] = {
        {0, 1}, {1767225600, 0}, {1767225600 + 3600, 0}, {1767312000, 1}, {5, 0}}; /* 2026-01-01, -02 */
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        assert_int_equal(history_snapshot(h, "made-up-100", "ceilings", wanted[i].time, &root, NULL),
                         ASSAY_OK);
        assert_int_equal(json_integer_value(json_object_get(root, "number")), wanted[i].number);
        json_decref(root);
    }
    assert_int_equal(history_snapshot(h, "other", "ceilings", 0, &root, NULL), ASSAY_OK);
    assert_null(root);
    history_close(h);
}

static void exports(void **state)
{
    char path[600], *text = NULL;
    size_t bytes;
    long rows;
    made_result r = plain();
    make_results("a", &r, path);
    ingest(path);
    r.variant = "v2_bad", r.count = 0, r.status = RESULT_NOT_TIMED, r.reason = "says \"no\", twice";
    make_results("b", &r, path);
    ingest(path);
    history *h;
    assert_int_equal(history_open(db, HISTORY_READ, &h, NULL), ASSAY_OK);
    FILE *out = open_memstream(&text, &bytes);
    assert_int_equal(history_export(h, NULL, EXPORT_CSV, 0, out, &rows, NULL), ASSAY_OK);
    fclose(out);
    assert_int_equal(rows, 2);
    assert_int_equal(strncmp(text, "timestamp,name,ms,tflops,status,config\r\n", 40), 0);
    assert_non_null(strstr(
        text, "\r\n2026-01-31T12:00:00Z,add.v1_baseline.f32.large,0.1,1.5,ok,\"{\"\"mode\"\":\"\"cold\"\""));
    assert_non_null(strstr(text, "\r\n2026-01-31T12:00:00Z,add.v2_bad.f32.large,,,not timed,\""));
    free(text);
    out = open_memstream(&text, &bytes);
    assert_int_equal(history_export(h, NULL, EXPORT_CSV, 1, out, NULL, NULL), ASSAY_OK);
    fclose(out);
    assert_non_null(strstr(text, "\"says \"\"no\"\", twice\"\r\n"));
    free(text);
    out = open_memstream(&text, &bytes);
    assert_int_equal(history_export(h, NULL, EXPORT_JSON, 0, out, NULL, NULL), ASSAY_OK);
    fclose(out);
    json_t *array = json_loads(text, 0, NULL);
    assert_int_equal(json_array_size(array), 2);
    json_decref(array);
    free(text);
    history_close(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(revisions_in_order_and_by_beginning, set_up, tear_down),
        cmocka_unit_test_setup_teardown(facts_and_snapshots, set_up, tear_down),
        cmocka_unit_test_setup_teardown(exports, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
