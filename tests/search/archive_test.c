/* The archive: what was recorded comes back, survives kill -9, merges once, and leaves as CSV and T4. */
#include "test.h"
#include "made_archive.h"
#include "core/json_file.h"
#include "tune/archive/archive_export.h"
#include "tune/archive/archive_seeds.h"
#include "tune/archive/archive_stats.h"
#include "tune/simulation/recorded.h"
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[256], db[300];

static int set_up(void **state)
{
    (void)state;
    make_folder(folder);
    snprintf(db, sizeof db, "%s/tuning.db", folder);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    remove_folder(folder);
    return 0;
}

static archive *open_at(const char *path, archive_mode mode)
{
    archive *a = NULL;
    ASSERT_OK(archive_open(path, mode, &a, failure));
    return a;
}

static void fill(archive *a, archive_run *run, int count)
{
    char label[64];
    ASSERT_OK(archive_begin_run(a, run, failure));
    for (int i = 0; i < count; i++) {
        archive_candidate c = made_candidate(i, label);
        ASSERT_OK(archive_record(a, run->id, &c, failure));
        assert_int_equal(c.number, i);
    }
}

typedef struct collected {
    int count;
    double us[256];
    char values[256][64], last_report[200], identity[ARCHIVE_IDENTITY_BYTES];
    double sample;
    evaluation_status status[256];
} collected;

static assay_status collect(void *context, const archive_run *run, const archive_candidate *c,
                            assay_error *error)
{
    collected *x = context;
    (void)run, (void)error;
    assert_true(x->count < 256);
    x->us[x->count] = c->time_us;
    x->status[x->count] = c->status;
    snprintf(x->values[x->count++], 64, "%s", c->values);
    snprintf(x->last_report, sizeof x->last_report, "%s", c->compile_report);
    snprintf(x->identity, sizeof x->identity, "%s", c->identity);
    x->sample = c->sample_count ? c->samples[1] : NAN;
    return ASSAY_OK;
}

static void test_round_trip_and_resume(void **state)
{
    (void)state;
    archive *a = open_at(db, ARCHIVE_WRITE);
    archive_run run = made_run("large"), other = made_run("large"), found;
    collected x = {0};
    int is_found = 0;
    fill(a, &run, 12);
    archive_close(a);
    a = open_at(db, ARCHIVE_WRITE);
    ASSERT_OK(archive_find_run(a, &other, &found, &is_found, failure));
    assert_true(is_found);
    assert_string_equal(found.uid, run.uid);
    assert_string_equal(found.options, "{\"budget\": 100}");
    assert_true(found.seed == UINT64_MAX - 3);
    ASSERT_OK(archive_replay(a, found.id, collect, &x, failure));
    assert_int_equal(x.count, 12);
    assert_string_equal(x.values[7], "BLOCK_M=256,STAGES=1");
    assert_string_equal(x.last_report, "{\"registers\": 40}");
    assert_true(x.sample == 11.5);
    assert_int_equal(x.status[4], EVALUATION_FAILED_COMPILE);
    assert_true(isnan(x.us[4]));
    other.space = "another space";
    ASSERT_OK(archive_find_run(a, &other, &found, &is_found, failure));
    assert_false(is_found);
    ASSERT_OK(archive_end_run(a, run.id, "budget", failure));
    other = made_run("large");
    ASSERT_OK(archive_find_run(a, &other, &found, &is_found, failure));
    assert_false(is_found);
    archive_close(a);
}

static void test_best_and_history(void **state)
{
    (void)state;
    archive *a = open_at(db, ARCHIVE_WRITE);
    archive_run large = made_run("large"), small = made_run("small");
    char label[64];
    fill(a, &large, 40);
    fill(a, &small, 8);
    archive_candidate again = made_candidate(0, label); /* the fastest of all, measured again: slower */
    again.time_us = 500;
    again.recorded_ms += 1000000;
    ASSERT_OK(archive_record(a, large.id, &again, failure));
    collected x = {0};
    ASSERT_OK(archive_best(a, &(archive_filter){.size = "large"}, 3, collect, &x, failure));
    assert_int_equal(x.count, 3);
    for (int i = 0; i < 3; i++)
        assert_string_not_equal(x.values[i], label);
    assert_true(x.us[0] <= x.us[1] && x.us[1] <= x.us[2] && x.us[0] < 102);
    x = (collected){0};
    ASSERT_OK(archive_best(a, NULL, 1, collect, &x, failure));
    assert_int_equal(x.count, 2); /* one of each problem */
    x = (collected){0};
    ASSERT_OK(archive_history(a, &(archive_filter){.op = "matmul"}, 2, collect, &x, failure));
    assert_int_equal(x.count, 2);
    assert_true(x.us[0] == 500);
    x = (collected){0};
    ASSERT_OK(archive_history(a, &(archive_filter){.op = "softmax"}, 0, collect, &x, failure));
    assert_int_equal(x.count, 0);
    json_t *stats = NULL;
    ASSERT_OK(archive_stats(a, NULL, &stats, failure));
    assert_int_equal(json_integer_value(json_object_get(stats, "attempts")), 49);
    assert_int_equal(
        json_integer_value(json_object_get(json_object_get(stats, "by_status"), "failed_compile")), 9);
    const json_t *failure_row = json_array_get(json_object_get(stats, "failures"), 0);
    assert_string_equal(json_string_value(json_object_get(failure_row, "reason")), "too much shared memory");
    assert_int_equal(json_array_size(json_object_get(stats, "stability")), 7);
    json_decref(stats);
    archive_close(a);
}

/* The values of the most similar problem first; what the space does not have is left out. */
static void test_seeds(void **state)
{
    (void)state;
    archive *a = open_at(db, ARCHIVE_WRITE);
    archive_run near = made_run("large"), far = made_run("large");
    configuration seeds[8];
    far.problem.device = "another card";
    fill(a, &far, 8);
    fill(a, &near, 12);
    const space *s = make_space("BLOCK_M=64,128,192;STAGES=0,1,2", "");
    const archive_problem here = {"matmul", "v4_optimized", "bf16", "small", "", "card", "sm_90a"};
    const int count = archive_seeds(a, &here, s, seeds, 8);
    assert_in_range(count, 1, 4);
    collected best = {0};
    ASSERT_OK(archive_best(a, &(archive_filter){.device = "card"}, 2, collect, &best, failure));
    int is_first = 0;
    for (int i = 0; i < best.count; i++) {
        configuration fastest;
        is_first |= configuration_parse(s, best.values[i], &fastest, NULL) == ASSAY_OK &&
                    configuration_equals(&seeds[0], &fastest);
    }
    assert_true(is_first);
    assert_int_equal(archive_seeds(a, &(archive_problem){"softmax", "v1", "", "", "", "", ""}, s, seeds, 8),
                     0);
    space_free((space *)s);
    archive_close(a);
}

/* A writer that is killed at some moment: every candidate that it said was recorded is there. */
static void check_kill(int milliseconds)
{
    int report[2];
    char byte, path[320];
    snprintf(path, sizeof path, "%s/killed-%d.db", folder, milliseconds);
    assert_int_equal(pipe(report), 0);
    const pid_t child = fork();
    if (child == 0) {
        archive *a = open_at(path, ARCHIVE_WRITE);
        archive_run run = made_run("large");
        char label[64];
        if (archive_begin_run(a, &run, NULL) != ASSAY_OK)
            _exit(1);
        for (int i = 0; i < 100000; i++) {
            archive_candidate c = made_candidate(i, label);
            if (archive_record(a, run.id, &c, NULL) != ASSAY_OK || write(report[1], "x", 1) != 1)
                _exit(1);
        }
        _exit(0);
    }
    close(report[1]);
    assert_int_equal(read(report[0], &byte, 1), 1); /* the first is there */
    usleep((useconds_t)milliseconds * 1000);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    long said = 1;
    while (read(report[0], &byte, 1) == 1)
        said++;
    close(report[0]);
    archive *a = open_at(path, ARCHIVE_READ);
    json_t *stats = NULL;
    ASSERT_OK(archive_stats(a, NULL, &stats, failure));
    const long found = (long)json_integer_value(json_object_get(stats, "attempts"));
    assert_in_range(found, said, said + 1);
    json_decref(stats);
    archive_close(a);
}

static void test_killed(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++)
        check_kill(i * 3);
}

static void test_merge(void **state)
{
    char second[300], third[300];
    archive_merge_counts n;
    (void)state;
    snprintf(second, sizeof second, "%s/second.db", folder);
    snprintf(third, sizeof third, "%s/third.db", folder);
    archive *a = open_at(db, ARCHIVE_WRITE), *b = open_at(second, ARCHIVE_WRITE),
            *c = open_at(third, ARCHIVE_WRITE);
    archive_run one = made_run("large"), two = made_run("small");
    fill(a, &one, 10);
    fill(b, &two, 7);
    ASSERT_OK(archive_merge(a, second, &n, failure));
    assert_int_equal(n.runs_added, 1);
    assert_int_equal(n.candidates_added, 7);
    ASSERT_OK(archive_merge(a, second, &n, failure));
    assert_int_equal(n.runs_added + n.candidates_added, 0);
    assert_int_equal(n.candidates_known, 7);
    /* The other order, and over a third: the same set. */
    ASSERT_OK(archive_merge(c, second, &n, failure));
    ASSERT_OK(archive_merge(c, db, &n, failure));
    assert_int_equal(n.candidates_added, 10);
    collected x = {0};
    ASSERT_OK(archive_walk(c, NULL, collect, &x, failure));
    assert_int_equal(x.count, 17);
    x = (collected){0};
    ASSERT_OK(archive_history(c, &(archive_filter){.size = "small"}, 1, collect, &x, failure));
    assert_string_equal(x.last_report, "{\"registers\": 40}");
    /* The run goes on after the merge. */
    char label[64];
    archive_candidate more = made_candidate(20, label);
    ASSERT_OK(archive_record(b, two.id, &more, failure));
    ASSERT_OK(archive_end_run(b, two.id, "budget", failure));
    ASSERT_OK(archive_merge(a, second, &n, failure));
    assert_int_equal(n.runs_added, 0);
    assert_int_equal(n.candidates_added, 1);
    assay_error error = {0};
    assert_int_equal(archive_merge(a, db, &n, &error), ASSAY_ERR_INVALID);
    archive_close(a);
    archive_close(b);
    archive_close(c);
}

static void export_to(archive *a, const char *path, archive_format format)
{
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    ASSERT_OK(archive_export(a, NULL, format, out, NULL, failure));
    assert_int_equal(fclose(out), 0);
}

static void test_export_and_import(void **state)
{
    char csv[300], t4[300], *text = NULL;
    size_t bytes = 0;
    long added = 0;
    (void)state;
    snprintf(csv, sizeof csv, "%s/out.csv", folder);
    snprintf(t4, sizeof t4, "%s/out.json", folder);
    archive *a = open_at(db, ARCHIVE_WRITE);
    archive_run run = made_run("large");
    fill(a, &run, 10);
    export_to(a, csv, ARCHIVE_CSV);
    export_to(a, t4, ARCHIVE_T4);
    ASSERT_OK(text_file_read(csv, &text, &bytes, failure));
    static const char first[] = "timestamp,name,ms,tflops,status,config\r\n"
                                "2023-11-14T22:13:20.000Z,matmul.v4_optimized.bf16.large,0.1,,success,\"{"
                                "\"\"BLOCK_M\"\":64,\"\"STAGES\"\":0}\"\r\n";
    assert_memory_equal(text, first, strlen(first));
    free(text);
    recorded *r = NULL; /* what a simulation reads */
    ASSERT_OK(recorded_read(t4, &r, failure));
    assert_int_equal(r->count, 10);
    assert_true(fabs(r->optimum - 100) < 1e-9);
    assert_true(r->cost_s[0] == 3);
    recorded_free(r);
    ASSERT_OK(
        archive_import_t4(a, t4, &(archive_problem){"m", "v", "f32", "s", "", "", ""}, &added, failure));
    assert_int_equal(added, 10);
    ASSERT_OK(
        archive_import_t4(a, t4, &(archive_problem){"m", "v", "f32", "s", "", "", ""}, &added, failure));
    assert_int_equal(added, 0);
    collected x = {0};
    ASSERT_OK(archive_best(a, &(archive_filter){.op = "m"}, 1, collect, &x, failure));
    assert_true(fabs(x.us[0] - 100) < 1e-6);
    archive_close(a);
}

static void test_refused_files(void **state)
{
    archive *a = NULL;
    assay_error error = {0};
    char path[300];
    (void)state;
    assert_int_equal(archive_open(db, ARCHIVE_READ, &a, &error), ASSAY_ERR_IO);
    assert_non_null(strstr(error.message, "assay tune makes one"));
    snprintf(path, sizeof path, "%s/text", folder);
    ASSERT_OK(text_file_write(path, "no database, but long enough to be one", 38, failure));
    error = (assay_error){0};
    assert_int_equal(archive_open(path, ARCHIVE_WRITE, &a, &error), ASSAY_ERR_FORMAT);
    assert_null(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_round_trip_and_resume, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_best_and_history, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_seeds, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_killed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_merge, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_export_and_import, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_refused_files, set_up, tear_down)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
