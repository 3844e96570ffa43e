/* Many candidates: 1 kB each in the file at most, and `best`, `history` and, with ten thousand entries of experience in the same file,
 * `recommend` answer under 100 ms. 100,000, or as many thousands as the first argument says.
 * Written through SQL in one transaction a run, since a transaction each would take longer than what is measured. */
#include "test.h"
#include "made_archive.h"
#include "core/json_file.h"
#include "tune/archive/database.h"
#include "tune/experience/experience.h"
#include "statistics/random.h"
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

enum { CANDIDATES = 5000, ENTRIES = 10000 };
static int runs = 20;

/* Of this process on a processor: other tests run beside. */
static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void fill_run(archive *a, int k)
{
    static const char *const sizes[] = {"small", "medium", "large", "xlarge"};
    archive_run run = made_run(sizes[k % 4]);
    char label[256], report[128], source[64];
    double samples[10];
    run.problem.op = k % 3 ? "matmul" : "softmax";
    ASSERT_OK(archive_begin_run(a, &run, failure));
    ASSERT_OK(db_exec(&a->base, "BEGIN", failure));
    for (int i = 0; i < CANDIDATES; i++) {
        const uint64_t word = stats_random((uint64_t)k, (uint64_t)i);
        archive_candidate c = made_candidate(i, label);
        snprintf(label, sizeof label,
                 "BLOCK_M=%d,BLOCK_N=%d,BLOCK_K=%d,GROUP_M=%d,STAGES=%d,WARPS=%d,SPLIT_K=%d,CLUSTER_M=%d,"
                 "VECTOR=%d",
                 (int)(word & 511), (int)(word >> 9 & 511), (int)(word >> 18 & 255), (int)(word >> 26 & 31),
                 (int)(word >> 31 & 7), (int)(word >> 34 & 15), (int)(word >> 38 & 7), 1, 8);
        snprintf(report, sizeof report, "{\"registers\": %d, \"spill_bytes\": 0, \"shared_bytes\": %d}",
                 (int)(word & 255), (int)(word >> 8 & 255) * 1024);
        snprintf(source, sizeof source, "source of run %d", k / 10);
        snprintf(c.identity, sizeof c.identity, "%064llx", (unsigned long long)word);
        for (int s = 0; s < 10; s++)
            samples[s] = 100 + (double)(word >> s & 63);
        c.compile_report = report;
        c.source = source;
        c.samples = samples;
        c.sample_count = c.status == EVALUATION_SUCCESS ? 10 : 0;
        c.time_us = c.status == EVALUATION_SUCCESS ? samples[0] + (double)i * 1e-4 : NAN;
        c.recorded_ms = 1700000000000 + k * 100000 + i;
        ASSERT_OK(archive_record_within(a, run.id, &c, failure));
    }
    ASSERT_OK(db_exec(&a->base, "COMMIT", failure));
    ASSERT_OK(archive_end_run(a, run.id, "budget", failure));
}

/* The experience of ten thousand trials, in the same file. */
static void add_entries(const char *folder, const char *db)
{
    static const char *const kinds[] = {"matmul", "row", "attention", "elementwise"};
    char lines[300], *text = NULL;
    size_t bytes = 0;
    long added = 0, known = 0;
    experience *x = NULL;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    for (int i = 0; i < ENTRIES; i++)
        fprintf(
            out,
            "{\"kind\": \"%s\", \"backend\": \"cuda\", \"chip\": \"sm_%d\", \"bottleneck\": \"%s\", "
            "\"strategy\": \"Strategy number %d, told in a sentence of the usual length\", \"outcome\": "
            "\"%s\", \"effect\": %.2f, \"conditions\": \"where rows are long\", \"measured\": \"%d us\"}\n",
            kinds[i % 4], i % 3 ? 90 : 80, i % 2 ? "memory" : "latency", i % 200,
            i % 5 ? "success" : "failure", 0.5 + (i % 100) / 50.0, i);
    assert_int_equal(fclose(out), 0);
    snprintf(lines, sizeof lines, "%s/lines.jsonl", folder);
    ASSERT_OK(text_file_write(lines, text, bytes, failure));
    free(text);
    ASSERT_OK(experience_open(db, &x, failure));
    ASSERT_OK(experience_merge(x, lines, &added, &known, failure));
    assert_int_equal(added, ENTRIES);
    experience_close(x);
}

/* As `assay experience recommend` does: the log is read each time. */
static double recommend_seconds(const char *db)
{
    const experience_filter question = {.kind = "matmul", .bottleneck = "memory", .chip = "sm_90"};
    experience *x = NULL;
    const double begin = seconds();
    ASSERT_OK(experience_open_to_recommend(db, &x, failure));
    json_t *rows = NULL;
    ASSERT_OK(experience_recommend(x, &question, 10, &rows, failure));
    assert_int_equal(json_array_size(rows), 10);
    json_decref(rows);
    experience_close(x);
    return seconds() - begin;
}

static assay_status count_row(void *context, const archive_run *run, const archive_candidate *c,
                              assay_error *error)
{
    (void)run, (void)c, (void)error;
    ++*(int *)context;
    return ASSAY_OK;
}

static void test_many(void **state)
{
    char folder[256], db[300];
    struct stat file;
    (void)state;
    make_folder(folder);
    snprintf(db, sizeof db, "%s/tuning.db", folder);
    archive *a = NULL;
    ASSERT_OK(archive_open(db, ARCHIVE_WRITE, &a, failure));
    for (int k = 0; k < runs; k++)
        fill_run(a, k);
    archive_close(a);
    add_entries(folder, db);
    assert_int_equal(stat(db, &file), 0);
    ASSERT_OK(archive_open(db, ARCHIVE_READ, &a, failure));
    const archive_filter filter = {.op = "matmul", .dtype = "bf16", .size = "large"};
    double least = INFINITY, history = INFINITY, recommend = INFINITY;
    for (int i = 0; i < 3; i++) {
        int rows = 0;
        const double begin = seconds();
        ASSERT_OK(archive_best(a, &filter, 10, count_row, &rows, failure));
        const double middle = seconds();
        assert_int_equal(rows, 10);
        ASSERT_OK(archive_history(a, NULL, 10, count_row, &rows, failure));
        least = fmin(least, middle - begin);
        history = fmin(history, seconds() - middle);
        recommend = fmin(recommend, recommend_seconds(db));
    }
    printf("%d candidates: %.0f MB, best %.1f ms, history %.1f ms, recommend %.1f ms\n", runs * CANDIDATES,
           (double)file.st_size / 1e6, least * 1e3, history * 1e3, recommend * 1e3);
    archive_close(a);
    remove_folder(folder);
    assert_true(file.st_size < 1000.0 * runs * CANDIDATES);
    assert_true(least < 0.1);
    assert_true(history < 0.1);
    assert_true(recommend < 0.1);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        runs = atoi(argv[1]) * 1000 / CANDIDATES;
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_many)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
