/* One --benchmark_out of many workers' files. Google Benchmark's options are the test's own. */
#include "tests/unit.h"
#include "bench/plan/benchmark_out.h"
#include "bench/timing/gbench.h"
#include "core/json_file.h"
#include <unistd.h>

static char folder[64], path[128];
static const char *asked_path, *asked_format;

const char *gbench_out_path(void)
{
    return asked_path;
}

const char *gbench_out_format(void)
{
    return asked_format;
}

static int set_up(void **state)
{
    strcpy(folder, "/tmp/assay-benchmark-out-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/out", folder);
    asked_path = path;
    return 0;
}

static int tear_down(void **state)
{
    unlink(path);
    return rmdir(folder); /* fails where a worker's file is left */
}

/* A worker writes `text` and ends. */
static assay_status add(benchmark_out *out, const char *text, assay_error *error)
{
    assert_int_equal(text_file_write(out->worker_path, text, strlen(text), NULL), ASSAY_OK);
    const assay_status status = benchmark_out_add(out, error);
    assert_int_not_equal(access(out->worker_path, F_OK),
                         0); /* else the next worker's would be taken for it */
    return status;
}

static void expect_file(const char *text)
{
    char *written = NULL;
    assert_int_equal(text_file_read(path, &written, NULL, NULL), ASSAY_OK);
    assert_string_equal(written, text);
    free(written);
}

static void workers_are_told_where_to_write(void **state)
{
    benchmark_out out;
    char option[128];
    asked_format = "csv";
    benchmark_out_begin(&out, folder);
    snprintf(option, sizeof option, "--benchmark_out=%s/.benchmark_out", folder);
    assert_string_equal(out.worker_option, option);
    assert_string_equal(out.worker_format, "--benchmark_out_format=csv");
    assert_int_equal(benchmark_out_end(&out, NULL), ASSAY_OK);
    assert_int_not_equal(access(path, F_OK), 0); /* no worker wrote anything */
}

/* The context is the first worker's; one of them wrote nothing. */
static void json_of_all_workers_is_one_document(void **state)
{
    benchmark_out out;
    json_t *whole;
    asked_format = "json";
    benchmark_out_begin(&out, folder);
    assert_int_equal(
        add(&out, "{\"context\": {\"host\": \"a\"}, \"benchmarks\": [{\"name\": \"x\"}, {\"name\": \"y\"}]}",
            NULL),
        ASSAY_OK);
    assert_int_equal(benchmark_out_add(&out, NULL), ASSAY_OK);
    assert_int_equal(add(&out, "{\"context\": {\"host\": \"b\"}, \"benchmarks\": [{\"name\": \"z\"}]}", NULL),
                     ASSAY_OK);
    assert_int_equal(benchmark_out_end(&out, NULL), ASSAY_OK);
    assert_int_equal(json_file_read(path, &whole, NULL), ASSAY_OK);
    const json_t *benchmarks = json_object_get(whole, "benchmarks");
    assert_int_equal(json_array_size(benchmarks), 3);
    for (size_t i = 0; i < 3; i++) {
        static const char *const names[] = {"x", "y", "z"};
        assert_string_equal(json_get_text(json_array_get(benchmarks, i), "name", ""), names[i]);
    }
    assert_string_equal(json_get_text(json_object_get(whole, "context"), "host", ""), "a");
    json_decref(whole);
}

/* What one worker wrote cannot be read: the others' is kept. */
static void a_broken_file_costs_its_own_worker(void **state)
{
    benchmark_out out;
    assay_error error = {0};
    json_t *whole;
    asked_format = "json";
    benchmark_out_begin(&out, folder);
    assert_int_equal(add(&out, "{\"benchmarks\": [{\"name\": \"x\"}]}", NULL), ASSAY_OK);
    assert_int_equal(add(&out, "{\"benchmarks\": [{\"na", &error), ASSAY_ERR_FORMAT);
    assert_non_null(strstr(error.message, ".benchmark_out"));
    assert_int_equal(add(&out, "{\"benchmarks\": [{\"name\": \"z\"}]}", NULL), ASSAY_OK);
    assert_int_equal(benchmark_out_end(&out, NULL), ASSAY_OK);
    assert_int_equal(json_file_read(path, &whole, NULL), ASSAY_OK);
    assert_int_equal(json_array_size(json_object_get(whole, "benchmarks")), 2);
    json_decref(whole);
}

/* Lines of a context may stand before it. A worker without rows wrote a head, or nothing at all. */
static void a_table_has_one_head(void **state)
{
    static const char *const texts[] = {"name,iterations,real_time\n\"x\",1,2.5\n",
                                        "name,iterations,real_time\n", "",
                                        "name,iterations,real_time\n\"y\",1,3.5\n",
                                        "host\n\nname,iterations,real_time\n\"z\",1,4.5\n\"name,\",1,5.5\n"};
    benchmark_out out;
    asked_format = "csv";
    benchmark_out_begin(&out, folder);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_int_equal(add(&out, texts[i], NULL), ASSAY_OK);
    assert_int_equal(benchmark_out_end(&out, NULL), ASSAY_OK);
    expect_file("name,iterations,real_time\n\"x\",1,2.5\n\"y\",1,3.5\n\"z\",1,4.5\n\"name,\",1,5.5\n");
}

static void text_for_a_terminal_is_taken_as_it_is(void **state)
{
    benchmark_out out;
    asked_format = "console";
    benchmark_out_begin(&out, folder);
    assert_int_equal(add(&out, "Benchmark\nx 1 us\n", NULL), ASSAY_OK);
    assert_int_equal(add(&out, "Benchmark\ny 2 us\n", NULL), ASSAY_OK);
    assert_int_equal(benchmark_out_end(&out, NULL), ASSAY_OK);
    expect_file("Benchmark\nx 1 us\nBenchmark\ny 2 us\n");
}

/* A file that lies there is not this run's, and stays. */
static void nothing_is_read_unasked(void **state)
{
    benchmark_out out;
    asked_path = "", asked_format = "json";
    benchmark_out_begin(&out, folder);
    assert_int_equal(text_file_write(out.worker_path, "{", 1, NULL), ASSAY_OK);
    assert_int_equal(benchmark_out_add(&out, NULL), ASSAY_OK);
    assert_int_equal(benchmark_out_end(&out, NULL), ASSAY_OK);
    assert_int_equal(unlink(out.worker_path), 0);
}

static void a_file_that_cannot_be_written_is_an_error(void **state)
{
    static const char *const formats[] = {"json", "console"};
    for (int f = 0; f < 2; f++) {
        benchmark_out out;
        assay_error error = {0};
        char below[160];
        snprintf(below, sizeof below, "%s/out", path); /* where a file is, no folder can be */
        assert_int_equal(text_file_write(path, "", 0, NULL), ASSAY_OK);
        asked_path = below, asked_format = formats[f];
        benchmark_out_begin(&out, folder);
        assert_int_equal(add(&out, "{\"benchmarks\": []}", NULL), ASSAY_OK);
        assert_int_equal(benchmark_out_end(&out, &error), ASSAY_ERR_IO);
        assert_non_null(strstr(error.message, path));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(workers_are_told_where_to_write, set_up, tear_down),
        cmocka_unit_test_setup_teardown(json_of_all_workers_is_one_document, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_broken_file_costs_its_own_worker, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_table_has_one_head, set_up, tear_down),
        cmocka_unit_test_setup_teardown(text_for_a_terminal_is_taken_as_it_is, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nothing_is_read_unasked, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_file_that_cannot_be_written_is_an_error, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
