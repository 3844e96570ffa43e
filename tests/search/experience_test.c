/* The experience log: entries are checked, merges add nothing twice, recommendations follow the evidence. */
#include "test.h"
#include "core/json_file.h"
#include "tune/experience/experience.h"
#include <sqlite3.h>

static char folder[256], db[300];

static int set_up(void **state)
{
    (void)state;
    make_folder(folder);
    snprintf(db, sizeof db, "%s/experience.db", folder);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    remove_folder(folder);
    return 0;
}

static json_t *entry(const char *kind, const char *what, const char *outcome, double effect)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:f}", "kind", kind, "backend", "cuda", "chip", "sm_90",
                     "bottleneck", "memory", "strategy", what, "outcome", outcome, "effect", effect);
}

static void add(experience *x, const char *kind, const char *what, const char *outcome, double effect)
{
    int is_new = 0;
    json_t *e = entry(kind, what, outcome, effect);
    ASSERT_OK(experience_add(x, e, &is_new, failure));
    assert_true(is_new);
    ASSERT_OK(experience_add(x, e, &is_new, failure));
    assert_false(is_new);
    json_decref(e);
}

static experience *open_log(const char *path)
{
    experience *x = NULL;
    ASSERT_OK(experience_open(path, &x, failure));
    return x;
}

static size_t count(const experience *x)
{
    json_t *rows = experience_list(x, &(experience_filter){0});
    const size_t n = json_array_size(rows);
    json_decref(rows);
    return n;
}

static json_t *recommend(const experience *x, const experience_filter *question, int limit)
{
    json_t *rows = NULL;
    ASSERT_OK(experience_recommend(x, question, limit, &rows, failure));
    return rows;
}

static void test_seed(void **state)
{
    (void)state;
    experience *x = open_log(NULL);
    size_t i;
    json_t *row, *rows = experience_list(x, &(experience_filter){0});
    assert_true(json_array_size(rows) > 60);
    json_array_foreach(rows, i, row) if (json_get_text(row, "source", "")[0] == '\0')
        fail_msg("an entry without a source: %s", json_get_text(row, "strategy", ""));
    json_decref(rows);
    rows = experience_list(x, &(experience_filter){.kind = "matmul", .words = "WGMMA pipeline"});
    assert_int_equal(json_array_size(rows), 1);
    json_decref(rows);
    experience_close(x);
}

static void test_ranking(void **state)
{
    (void)state;
    experience *x = open_log(db);
    add(x, "transpose", "Always works", "success", 1.5);
    add(x, "transpose", "always  works.", "success", 1.4);
    add(x, "transpose", "Always works", "success", 1.6);
    add(x, "transpose", "Sometimes works", "success", 1.5);
    add(x, "transpose", "Sometimes works", "failure", 0.8);
    add(x, "transpose", "Never works", "failure", 0.7);
    const experience_filter question = {
        .kind = "transpose", .backend = "cuda", .chip = "sm_90a", .bottleneck = "memory"};
    json_t *rows = recommend(x, &question, 0);
    const json_t *first = json_array_get(rows, 0);
    assert_string_equal(json_get_text(first, "strategy", ""), "Always works");
    assert_int_equal(json_integer_value(json_object_get(first, "successes")), 3);
    assert_int_equal(json_array_size(json_object_get(first, "evidence")), 3);
    assert_true(fabs(json_get_number(first, "effect", 0) - cbrt(1.5 * 1.4 * 1.6)) < 1e-9);
    int sometimes = -1, never = -1;
    size_t i;
    json_t *row;
    json_array_foreach(rows, i, row)
    {
        sometimes = strcmp(json_get_text(row, "strategy", ""), "Sometimes works") == 0 ? (int)i : sometimes;
        never = strcmp(json_get_text(row, "strategy", ""), "Never works") == 0 ? (int)i : never;
    }
    assert_true(sometimes > 0 && never > sometimes);
    json_decref(rows);
    experience_close(x);
    x = open_log(db);
    rows = recommend(x, &question, 0);
    experience_close(x);
    ASSERT_OK(experience_open_to_recommend(db, &x, failure)); /* says the same, documents with it */
    json_t *again = recommend(x, &question, 0);
    assert_true(json_equal(rows, again));
    json_decref(again);
    again = recommend(x, &question, 2);
    assert_int_equal(json_array_size(again), 2);
    assert_true(json_equal(json_array_get(rows, 1), json_array_get(again, 1)));
    json_decref(again);
    json_decref(rows);
    experience_close(x);
}

static void test_similarity(void **state)
{
    (void)state;
    json_t *e = entry("matmul", "x", "success", 1.1);
    assert_true(experience_similarity(e, &(experience_filter){.kind = "matmul", .chip = "sm_90a"}) == 1);
    const double related = experience_similarity(e, &(experience_filter){.kind = "attention"});
    const double other = experience_similarity(e, &(experience_filter){.kind = "transpose"});
    assert_true(related < 1 && other < related);
    assert_true(experience_similarity(e, &(experience_filter){.bottleneck = "launch"}) < 0.2);
    assert_true(experience_similarity(e, &(experience_filter){.chip = "sm_80"}) < 1);
    json_decref(e);
}

static void test_merge_and_sync(void **state)
{
    char second[300], lines[300], *text = NULL, *again = NULL;
    size_t bytes = 0;
    long added = 0, known = 0, sent = 0;
    (void)state;
    snprintf(second, sizeof second, "%s/second.db", folder);
    snprintf(lines, sizeof lines, "%s/shared.jsonl", folder);
    experience *x = open_log(db), *y = open_log(second);
    const size_t seeds = count(x);
    add(x, "matmul", "one", "success", 1.1);
    add(x, "matmul", "two", "failure", 0.9);
    add(y, "matmul", "two", "failure", 0.9);
    add(y, "matmul", "three", "neutral", 1.0);
    ASSERT_OK(experience_merge(x, second, &added, &known, failure));
    assert_int_equal(added, 1);
    assert_int_equal(known, 1);
    ASSERT_OK(experience_merge(x, second, &added, &known, failure));
    assert_int_equal(added, 0);
    assert_int_equal(count(x), seeds + 3);
    ASSERT_OK(experience_sync(x, lines, &added, &sent, failure));
    assert_int_equal(added, 0);
    assert_int_equal(sent, 3);
    ASSERT_OK(experience_sync(y, lines, &added, &sent, failure));
    assert_int_equal(added, 1);
    assert_int_equal(sent, 0);
    ASSERT_OK(text_file_read(lines, &text, &bytes, failure));
    ASSERT_OK(experience_sync(y, lines, &added, &sent, failure));
    ASSERT_OK(text_file_read(lines, &again, &bytes, failure));
    assert_string_equal(text, again);
    free(text);
    free(again);
    experience_close(x);
    experience_close(y);
    x = open_log(db); /* from the file */
    assert_int_equal(count(x), seeds + 3);
    experience_close(x);
}

static void test_refused(void **state)
{
    static const char *const wrong[][2] = {
        {"{\"kind\": \"matmul\"}", "line 1: \"backend\" is missing"},
        {"{\"kind\": \"mat\", \"backend\": \"cuda\", \"chip\": \"sm_90\", \"bottleneck\": \"memory\", "
         "\"strategy\": \"x\","
         " \"outcome\": \"success\"}",
         "line 1: \"kind\" is \"mat\"; allowed:"},
        {"\n{\"kind\": \"matmul\", \"backend\": \"cuda\", \"chip\": \"sm_90\", \"bottleneck\": \"memory\", "
         "\"strategy\":"
         " \"x\", \"outcome\": \"success\", \"effect\": -1}",
         "line 2: \"effect\" must be a number above 0"},
        {"{\"kind\": ", "line 1: column"},
        {"[1]", "line 1: an entry must be a JSON object"},
    };
    char path[300];
    long added = 0, known = 0;
    (void)state;
    snprintf(path, sizeof path, "%s/wrong.jsonl", folder);
    experience *x = open_log(db);
    const size_t before = count(x);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assay_error error = {0};
        ASSERT_OK(text_file_write(path, wrong[i][0], strlen(wrong[i][0]), failure));
        assert_int_equal(experience_merge(x, path, &added, &known, &error), ASSAY_ERR_FORMAT);
        if (!strstr(error.message, wrong[i][1]))
            fail_msg("\"%s\" does not say \"%s\"", error.message, wrong[i][1]);
    }
    assert_int_equal(count(x), before);
    experience_close(x);
}

/* Whatever the log is opened for, a broken entry is named; what would not show it does not read it. */
static void test_broken_entry(void **state)
{
    const experience_filter question = {.kind = "transpose", .bottleneck = "launch"};
    json_t *rows = NULL;
    sqlite3 *file = NULL;
    assay_error error = {0};
    (void)state;
    experience *x = open_log(db);
    add(x, "transpose", "Seldom works", "failure", 0.5);
    experience_close(x);
    assert_int_equal(sqlite3_open(db, &file), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(file, "UPDATE experience SET uid = 'abc', document = '{\"kind\": 3}'", NULL, NULL, NULL),
        SQLITE_OK);
    sqlite3_close(file);
    assert_int_equal(experience_open(db, &x, &error), ASSAY_ERR_FORMAT);
    assert_non_null(strstr(error.message, "experience.db has a broken entry: abc"));
    ASSERT_OK(experience_open_to_recommend(db, &x, failure));
    error = (assay_error){0};
    assert_int_equal(experience_recommend(x, &question, 0, &rows, &error), ASSAY_ERR_FORMAT);
    assert_null(rows);
    assert_non_null(strstr(error.message, "experience.db has a broken entry: abc"));
    rows = recommend(x, &question, 1);
    assert_int_equal(json_array_size(rows), 1);
    json_decref(rows);
    experience_close(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_seed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_ranking, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_similarity, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_merge_and_sync, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_broken_entry, set_up, tear_down)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
