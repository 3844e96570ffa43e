/* The history: ingest, identity, several writers at once, foreign files. */
#include "database_tools.h"
#include "results/result_file.h"
#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct collected {
    int rows;
    int64_t result_id, commit_time;
    char name[200], commit[64], mode[32], status[32], dims[64];
    double mean_us;
} collected;

static int collect(void *context, const history_row *row)
{
    collected *c = context;
    c->rows++;
    c->result_id = row->result_id, c->commit_time = row->commit_time, c->mean_us = row->mean_us;
    snprintf(c->name, sizeof c->name, "%s.%s.%s.%s", row->op, row->variant, row->dtype, row->size);
    snprintf(c->commit, sizeof c->commit, "%s", row->commit);
    snprintf(c->mode, sizeof c->mode, "%s", row->has_times ? timing_mode_name(row->mode) : "");
    snprintf(c->status, sizeof c->status, "%s", row->status);
    snprintf(c->dims, sizeof c->dims, "%s", row->dims);
    return 0;
}

static collected read_rows(const history_filter *filter)
{
    history *h;
    collected c = {0};
    assay_error error = {0};
    assert_int_equal(history_open(db, HISTORY_READ, &h, &error), ASSAY_OK);
    assert_int_equal(history_each_row(h, filter, collect, &c, &error), ASSAY_OK);
    history_close(h);
    return c;
}

static void the_same_result_is_one_row(void **state)
{
    char path[600];
    const made_result r = plain();
    make_results("a", &r, path);
    ingest_summary s = ingest(path);
    assert_int_equal(s.added, 1);
    s = ingest(path);
    assert_int_equal(s.added, 0);
    assert_int_equal(s.known, 1);
    const collected c = read_rows(NULL);
    assert_int_equal(c.rows, 1);
    assert_string_equal(c.name, "add.v1_baseline.f32.large");
    assert_string_equal(c.mode, "cold");
    assert_string_equal(c.dims, "{\"M\":4096,\"N\":4096}");
    assert_float_equal(c.mean_us, 100.0, 1e-9);
}

/* An export of a result, and later the result itself, are one row that ends up with all samples. */
static void samples_come_later(void **state)
{
    char path[600];
    made_result r = plain();
    r.exported = 1;
    make_results("a", &r, path);
    assert_int_equal(ingest(path).added, 1);
    r.exported = 0, r.samples = 60;
    make_results("b", &r, path);
    assert_int_equal(ingest(path).completed, 1);
    r.exported = 1;
    make_results("c", &r, path);
    assert_int_equal(ingest(path).known, 1);
    const collected c = read_rows(NULL);
    assert_int_equal(c.rows, 1);
    r.exported = 0;
    history *h;
    result *whole = NULL, *expected = make_result(&r);
    char *a, *b;
    size_t a_bytes, b_bytes;
    assert_int_equal(history_open(db, HISTORY_READ, &h, NULL), ASSAY_OK);
    assert_int_equal(history_result(h, c.result_id, RESULT_LOAD_SAMPLES, &whole, NULL), ASSAY_OK);
    assert_int_equal(result_write_text(whole, RESULT_LOAD_SAMPLES, &a, &a_bytes, NULL), ASSAY_OK);
    assert_int_equal(result_write_text(expected, RESULT_LOAD_SAMPLES, &b, &b_bytes, NULL), ASSAY_OK);
    assert_string_equal(a, b); /* nothing was lost on the way through the database */
    free(a), free(b);
    result_free(whole), result_free(expected);
    assert_int_equal(history_result(h, 12345, RESULT_LOAD_SUMMARY, &whole, NULL), ASSAY_ERR_INVALID);
    history_close(h);
}

static void what_differs_is_another_row(void **state)
{
    char path[600];
    made_result variants[6];
    for (int i = 0; i < 6; i++)
        variants[i] = plain();
    variants[1].time = "2026-01-31T12:00:01Z";
    variants[2].commit = "2222222222222222222222222222222222222222";
    variants[3].uuid = "GPU-2";
    variants[4].math_mode = "tf32";
    variants[5].dirty = 1;
    for (int i = 0; i < 6; i++) {
        char name[8];
        snprintf(name, sizeof name, "%d", i);
        make_results(name, &variants[i], path);
        assert_int_equal(ingest(path).added, 1);
    }
    assert_int_equal(read_rows(NULL).rows, 6);
    assert_int_equal(read_rows(&(history_filter){.clean_only = 1}).rows, 5);
    assert_int_equal(read_rows(&(history_filter){.commits = "22222"}).rows, 1);
    assert_int_equal(read_rows(&(history_filter){.commits = "22222,1111"}).rows, 6);
    assert_int_equal(read_rows(&(history_filter){.cards = "GPU-2"}).rows, 1);
    assert_int_equal(read_rows(&(history_filter){.cards = "made-up-100"}).rows, 6);
    assert_int_equal(read_rows(&(history_filter){.ops = "softmax"}).rows, 0);
    assert_int_equal(
        read_rows(&(history_filter){.variants = "v1", .modes = timing_mode_bit(TIMING_COLD)}).rows, 6);
    assert_int_equal(read_rows(&(history_filter){.modes = timing_mode_bit(TIMING_HOT)}).rows, 0);
    assert_int_equal(read_rows(&(history_filter){.ops = "x' OR 1=1 --"}).rows, 0);
    assert_int_equal(read_rows(&(history_filter){.since = 1769860801}).rows, 1); /* 2026-01-31T12:00:01Z */
    /* The two at one time on the first commit and card, and its later run: only the last of these is left of
     * each case. */
    assert_int_equal(read_rows(&(history_filter){.latest_only = 1}).rows, 4);
}

/* The last of a case is the last of each way of measuring: three methods at one commit, two runs of the
 * first. Other lengths of a measurement are no other method. */
static void the_last_result_is_one_of_each_method(void **state)
{
    char path[600], time[5][32];
    made_result runs[5];
    for (int i = 0; i < 5; i++) {
        char name[8];
        runs[i] = plain();
        runs[i].method_version = i == 4 ? RESULT_METHOD_VERSION + 1 : 0;
        runs[i].flush = i == 2 ? "read" : "memset";
        runs[i].locked_mhz = i == 3 ? 1500 : 0;
        snprintf(time[i], sizeof time[i], "2026-01-31T12:00:%02dZ", i);
        runs[i].time = time[i];
        snprintf(name, sizeof name, "%d", i);
        make_results(name, &runs[i], path);
        assert_int_equal(ingest(path).added, 1);
    }
    assert_int_equal(read_rows(NULL).rows, 5);
    assert_int_equal(read_rows(&(history_filter){.latest_only = 1}).rows, 4);
    assert_int_equal(read_rows(&(history_filter){.latest_only = 1, .until = 1769860801}).rows, 1);
}

static void results_without_times_are_kept(void **state)
{
    char path[600];
    made_result r = plain();
    r.count = 0, r.status = RESULT_NOT_TIMED, r.reason = "verdict is fail";
    make_results("a", &r, path);
    assert_int_equal(ingest(path).added, 1);
    const collected c = read_rows(NULL);
    assert_int_equal(c.rows, 1);
    assert_string_equal(c.status, "not timed");
    assert_string_equal(c.mode, "");
    assert_true(isnan(c.mean_us));
}

static void broken_files_are_counted_and_the_rest_goes_in(void **state)
{
    char path[600], file[700];
    const made_result r = plain();
    make_results("a", &r, path);
    static const char *const broken[] = {"{", "{}", "{\"assay\": {\"schema\": 1}}", "[1]",
                                         "{\"assay\": {\"schema\": 2, \"op\": \"add\"}}"};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        snprintf(file, sizeof file, "%s/bench/add.broken%zu.f32.large.json", path, i);
        FILE *out = fopen(file, "w");
        assert_non_null(out);
        fputs(broken[i], out);
        fclose(out);
    }
    history *h;
    ingest_summary s;
    const char *paths[] = {path};
    assert_int_equal(history_open(db, HISTORY_WRITE, &h, NULL), ASSAY_OK);
    assert_int_equal(history_ingest(h, paths, 1, &(ingest_options){0}, &s, NULL), ASSAY_ERR_FORMAT);
    assert_int_equal(s.added, 1);
    assert_int_equal(s.unreadable, 5);
    paths[0] = "/nonexistent";
    assert_int_equal(history_ingest(h, paths, 1, &(ingest_options){0}, &s, NULL), ASSAY_ERR_INVALID);
    history_close(h);
}

/* ---- schema -------------------------------------------------------------------------------------------- */

/* The file format's version for writing: 1 with a rollback journal, as another program left it, 2 in WAL
 * mode. */
static int write_version(void)
{
    unsigned char header[20] = {0};
    FILE *file = fopen(db, "rb");
    assert_non_null(file);
    assert_int_equal(fread(header, 1, sizeof header, file), sizeof header);
    fclose(file);
    return header[18];
}

static void other_files_are_refused(void **state)
{
    history *h;
    assay_error error = {0};
    assert_int_equal(history_open(db, HISTORY_READ, &h, &error), ASSAY_ERR_IO);
    assert_null(h);
    run_sql("CREATE TABLE someone_elses (a)");
    assert_int_equal(history_open(db, HISTORY_WRITE, &h, NULL), ASSAY_ERR_FORMAT);
    assert_int_equal(history_open(db, HISTORY_READ, &h, NULL), ASSAY_ERR_FORMAT);
    assert_int_equal(write_version(), 1); /* and stay as they are */
    static const char *const others[] = {
        "DROP TABLE someone_elses; CREATE TABLE test_case (id); PRAGMA user_version = 99",
        "PRAGMA user_version = 2"};
    for (int i = 0; i < 2; i++) { /* of a newer Assay and of an older one */
        run_sql(others[i]);
        error = (assay_error){0};
        assert_int_equal(history_open(db, HISTORY_READ, &h, NULL), ASSAY_ERR_FORMAT);
        assert_int_equal(history_open(db, HISTORY_WRITE, &h, &error), ASSAY_ERR_FORMAT);
        assert_non_null(strstr(error.message, "ingest the result files again"));
        assert_int_equal(write_version(), 1);
    }
    FILE *file = fopen(db, "w");
    assert_non_null(file);
    fputs("this is a text file and no database, and long enough to be looked at as one", file);
    fclose(file);
    assert_int_equal(history_open(db, HISTORY_WRITE, &h, NULL), ASSAY_ERR_FORMAT);
}

static void a_read_only_copy_can_be_read(void **state)
{
    char path[600], command[700];
    const made_result r = plain();
    make_results("a", &r, path);
    ingest(path);
    snprintf(command, sizeof command, "mkdir '%s/100%%?#' && mv '%s' '%s/100%%?#/' && chmod a-w '%s/100%%?#'",
             folder, db, folder, folder);
    assert_int_equal(system(command), 0);
    snprintf(db, sizeof db, "%s/100%%?#/history.db", folder);
    assert_int_equal(read_rows(NULL).rows, 1);
    snprintf(command, sizeof command, "chmod u+w '%s/100%%?#'", folder);
    assert_int_equal(system(command), 0);
}

/* ---- several writers ----------------------------------------------------------------------------------- */

enum { WRITERS = 32, OWN_RESULTS = 12 };

/* A writer's folder: results of its own, and one that all have. */
static void make_writer_folder(int writer, char out[600])
{
    made_result r = plain();
    char name[16], variant[32], time[32];
    snprintf(name, sizeof name, "w%d", writer);
    make_results(name, &r, out);
    for (int i = 0; i < OWN_RESULTS; i++) {
        snprintf(variant, sizeof variant, "v%d_of_%d", i, writer);
        snprintf(time, sizeof time, "2026-02-01T00:00:%02dZ", i);
        r.variant = variant, r.time = time;
        write_result(out, &r);
    }
}

static void writers_at_once(void **state)
{
    pid_t children[WRITERS];
    char path[600];
    for (int w = 0; w < WRITERS; w++) {
        make_writer_folder(w, path);
        children[w] = fork();
        assert_true(children[w] >= 0);
        if (children[w] == 0) { /* no assertion in the child: it would run the rest of the tests */
            history *h;
            ingest_summary s;
            const char *const paths[] = {path};
            int ok = history_open(db, HISTORY_WRITE, &h, NULL) == ASSAY_OK;
            for (int again = 0; ok && again < 2; again++)
                ok = history_ingest(h, paths, 1, &(ingest_options){0}, &s, NULL) == ASSAY_OK &&
                     s.files == OWN_RESULTS + 1;
            history_close(h);
            _exit(ok ? 0 : 1);
        }
    }
    for (int w = 0; w < WRITERS; w++) {
        int end;
        assert_int_equal(waitpid(children[w], &end, 0), children[w]);
        assert_true(WIFEXITED(end) && WEXITSTATUS(end) == 0);
    }
    assert_int_equal(read_rows(NULL).rows, WRITERS * OWN_RESULTS + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_same_result_is_one_row, set_up, tear_down),
        cmocka_unit_test_setup_teardown(samples_come_later, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_differs_is_another_row, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_last_result_is_one_of_each_method, set_up, tear_down),
        cmocka_unit_test_setup_teardown(results_without_times_are_kept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(broken_files_are_counted_and_the_rest_goes_in, set_up, tear_down),
        cmocka_unit_test_setup_teardown(other_files_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_read_only_copy_can_be_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(writers_at_once, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
