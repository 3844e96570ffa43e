/* Walking a results folder: what is found, in which order, and what becomes of files that cannot be used. */
#include "tests/unit.h"
#include "core/json_file.h"
#include "example_result.h"
#include "results/results_archive.h"
#include "results/results_folder.h"
#include <sys/stat.h>
#include <unistd.h>

typedef struct seen {
    char text[4000];
    int stop_after, count;
} seen;

static assay_status note(void *context, results_item *item, assay_error *error)
{
    static const char *const kinds[] = {"result", "verdict", "snapshot", "fault"};
    seen *s = context;
    const size_t used = strlen(s->text);
    snprintf(s->text + used, sizeof s->text - used, "%s %s%s%s\n", kinds[item->kind], item->name,
             item->reason[0] ? ": " : "", item->reason);
    result_free(item->result);
    json_decref(item->verdict);
    if (++s->count == s->stop_after)
        return assay_error_set(error, ASSAY_ERR_CHECK, "stopped");
    return ASSAY_OK;
}

static void put(const char *folder, const char *below, const char *text)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, below);
    assert_int_equal(text_file_write(path, text, strlen(text), NULL), ASSAY_OK);
}

static void put_result(const char *folder, const char *below, const char *variant)
{
    char path[700], name[256];
    result *r = example_result();
    snprintf(r->id.name, sizeof r->id.name, "%s", variant);
    result_file_name(&r->id, name, sizeof name);
    snprintf(path, sizeof path, "%s/%s/%s", folder, below, name);
    assert_int_equal(result_write_file(path, r, NULL), ASSAY_OK);
    result_free(r);
}

static void fill(const char *folder)
{
    put_result(folder, "h100/bench", "v1");
    put_result(folder, "h100/bench", "v2");
    put_result(folder, "cpu/deep/er", "v1");
    put(folder, "h100/bench/broken.json", "{");
    put(folder, "h100/bench/.hidden.json", "{");
    put(folder, "h100/bench/notes.md", "x");
    put(folder, "h100/other.json", "{");
    put(folder, "h100/verify/softmax.v1.f32.small.json", "{\"schema\":1,\"status\":\"pass\"}");
    put(folder, "h100/verify/softmax.v2.f32.small.json", "{\"schema\":7,\"status\":\"pass\"}");
    put(folder, "h100/sanitizer/softmax.v2.f32.memcheck.json", "{}");
    put(folder, "h100/ceilings.json", "{}");
}

static const char all[] =
    "result cpu/deep/er/softmax.v1.bf16.small.json\n"
    "fault h100/bench/broken.json: 1:1: not valid JSON: string or '}' expected near end of file\n"
    "result h100/bench/softmax.v1.bf16.small.json\n"
    "result h100/bench/softmax.v2.bf16.small.json\n"
    "snapshot h100/ceilings.json\n"
    "verdict h100/verify/softmax.v1.f32.small.json\n"
    "fault h100/verify/softmax.v2.f32.small.json: no verdict of schema 1\n";

static void test_walk(void **state)
{
    char folder[256], path[300];
    seen s = {.text = ""};
    make_folder(folder);
    fill(folder);
    assert_int_equal(results_each(folder, 7, RESULT_LOAD_SUMMARY, note, &s, NULL), ASSAY_OK);
    assert_string_equal(s.text, all);
    s = (seen){.text = ""};
    snprintf(path, sizeof path, "%s//", folder);
    assert_int_equal(results_each(path, RESULTS_WITH_SNAPSHOTS, RESULT_LOAD_SUMMARY, note, &s, NULL),
                     ASSAY_OK);
    assert_string_equal(s.text, "snapshot h100/ceilings.json\n");
    s = (seen){.stop_after = 2};
    assay_error error = {0};
    assert_int_equal(results_each(folder, 7, RESULT_LOAD_SUMMARY, note, &s, &error), ASSAY_ERR_CHECK);
    assert_int_equal(s.count, 2);
    assert_string_equal(error.message, "stopped");
    remove_folder(folder);
}

static void test_single_file_and_nothing(void **state)
{
    char folder[256], path[600];
    seen s = {.text = ""};
    assay_error error = {0};
    make_folder(folder);
    put_result(folder, ".", "v1");
    snprintf(path, sizeof path, "%s/softmax.v1.bf16.small.json", folder);
    assert_int_equal(results_each(path, 7, RESULT_LOAD_SAMPLES, note, &s, NULL), ASSAY_OK);
    assert_string_equal(s.text, "result softmax.v1.bf16.small.json\n");
    snprintf(path, sizeof path, "%s/not there", folder);
    assert_int_equal(results_each(path, 7, RESULT_LOAD_SAMPLES, note, &s, &error), ASSAY_ERR_INVALID);
    remove_folder(folder);
}

/* A pipe is never opened: reading it would wait for ever. */
static void test_pipe_and_dead_link(void **state)
{
    char folder[256], path[600];
    seen s = {.text = ""};
    make_folder(folder);
    snprintf(path, sizeof path, "%s/a.b.c.d.json", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    snprintf(path, sizeof path, "%s/b.b.c.d.json", folder);
    assert_int_equal(symlink("/nowhere/at/all", path), 0);
    assert_int_equal(results_each(folder, 7, RESULT_LOAD_SUMMARY, note, &s, NULL), ASSAY_OK);
    assert_int_equal(strncmp(s.text, "fault b.b.c.d.json: ", 20), 0);
    assert_int_equal(s.count, 1);
    remove_folder(folder);
}

static void add(results_archive *archive, const char *op, const char *variant)
{
    result *r = example_result();
    snprintf(r->id.op, sizeof r->id.op, "%s", op);
    snprintf(r->id.name, sizeof r->id.name, "%s", variant);
    assert_int_equal(results_archive_add(archive, r, RESULT_LOAD_SAMPLES, NULL), ASSAY_OK);
    result_free(r);
}

/* A dozen lines, so that the tenth would come before the second by name. */
static void write_archives(const char *folder)
{
    int files = 0;
    results_archive *archive = results_archive_open(folder);
    for (int i = 0; i < 12; i++) {
        char name[8];
        snprintf(name, sizeof name, "v%d", i + 1);
        add(archive, "softmax", name);
    }
    add(archive, "gelu", "v1");
    json_t *verdict = json_pack("{s:i, s:s, s:s}", "schema", 1, "op", "softmax", "status", "pass");
    assert_int_equal(results_archive_add_verdict(archive, verdict, NULL), ASSAY_OK);
    json_object_set_new(verdict, "op", json_string("../x"));
    assert_int_equal(results_archive_add_verdict(archive, verdict, NULL), ASSAY_ERR_FORMAT);
    json_decref(verdict);
    assert_int_equal(results_archive_close(archive, 1, &files, NULL), ASSAY_OK);
    assert_int_equal(files, 3);
}

typedef struct names {
    char text[4000];
    int samples;
} names;

static assay_status note_name(void *context, results_item *item, assay_error *error)
{
    names *n = context;
    const size_t used = strlen(n->text);
    snprintf(n->text + used, sizeof n->text - used, "%s %s|", item->name,
             item->result      ? item->result->id.name
             : item->reason[0] ? "fault"
                               : "verdict");
    n->samples += item->result && item->result->times[TIMING_COLD].repetitions[0].samples_us != NULL;
    result_free(item->result);
    json_decref(item->verdict);
    return ASSAY_OK;
}

/* A path that begins with a point: `assay report ../results`. */
static void test_archives_of_a_relative_path(void **state)
{
    char folder[256], back[4096];
    names n = {.text = ""};
    make_folder(folder);
    write_archives(folder);
    assert_non_null(getcwd(back, sizeof back));
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(results_each("./verify", 7, RESULT_LOAD_SUMMARY, note_name, &n, NULL), ASSAY_OK);
    assert_int_equal(chdir(back), 0);
    assert_string_equal(n.text, "softmax.jsonl:1 verdict|");
    remove_folder(folder);
}

/* Archives read like single files, in the order of their lines and before files; a broken line costs
 * itself. */
static void test_archives(void **state)
{
    char folder[256], path[600];
    names n = {.text = ""};
    make_folder(folder);
    write_archives(folder);
    put_result(folder, "bench", "v1");
    snprintf(path, sizeof path, "%s/bench/gelu.jsonl", folder);
    FILE *file = fopen(path, "a");
    fputs("{\"schema\":1,\n\n{}\n", file);
    fclose(file);
    assert_int_equal(results_each(folder, 7, RESULT_LOAD_SAMPLES, note_name, &n, NULL), ASSAY_OK);
    assert_string_equal(n.text,
                        "bench/gelu.jsonl:1 v1|bench/gelu.jsonl:2 fault|bench/gelu.jsonl:4 fault|"
                        "bench/softmax.jsonl:1 v1|bench/softmax.jsonl:2 v2|bench/softmax.jsonl:3 v3|"
                        "bench/softmax.jsonl:4 v4|bench/softmax.jsonl:5 v5|bench/softmax.jsonl:6 v6|"
                        "bench/softmax.jsonl:7 v7|bench/softmax.jsonl:8 v8|bench/softmax.jsonl:9 v9|"
                        "bench/softmax.jsonl:10 v10|bench/softmax.jsonl:11 v11|bench/softmax.jsonl:12 v12|"
                        "verify/softmax.jsonl:1 verdict|bench/softmax.v1.bf16.small.json v1|");
    assert_int_equal(n.samples, 14);
    n = (names){.text = ""};
    assert_int_equal(results_each(path, 7, RESULT_LOAD_SUMMARY, note_name, &n, NULL), ASSAY_OK);
    assert_string_equal(n.text, "gelu.jsonl:1 v1|gelu.jsonl:2 fault|gelu.jsonl:4 fault|");
    assert_int_equal(n.samples, 0);
    remove_folder(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_archives), cmocka_unit_test(test_archives_of_a_relative_path),
        cmocka_unit_test(test_walk), cmocka_unit_test(test_single_file_and_nothing),
        cmocka_unit_test(test_pipe_and_dead_link)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
