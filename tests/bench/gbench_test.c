/* Google Benchmark behind its C interface: it runs the repetitions, its reports are strict, its options act. */
#include "tests/unit.h"
#include "bench/timing/gbench.h"
#include "core/json_file.h"
#include <jansson.h>
#include <locale.h>
#include <math.h>
#include <unistd.h>

/* A kernel of so many microseconds, a little more each time. */
typedef struct invented {
    double us;
    int taken, fails_from; /* 0: never */
    int withdraws;
    char *log; /* a letter a repetition, of all benchmarks */
} invented;

static void take(void *context, gbench_repetition *out)
{
    invented *k = context;
    if (k->log)
        k->log[strlen(k->log)] = 'a' + (char)k->us % 26;
    k->taken++;
    if (k->fails_from && k->taken >= k->fails_from) {
        snprintf(out->skipped, sizeof out->skipped, "invented reason");
        out->withdrawn = k->withdraws;
        return;
    }
    out->mean_us = k->us + 0.5 * (k->taken - 1);
    out->counters[0] = (gbench_counter){"bytes_per_second", 1e6, 1};
    out->counters[1] = (gbench_counter){"percent_of_roofline", NAN, 0};
    out->counter_count = 2;
}

static gbench_benchmark make(invented *k, const char *name, int repetitions)
{
    gbench_benchmark b = {.repetitions = repetitions, .take = take, .context = k};
    snprintf(b.name, sizeof b.name, "%s", name);
    return b;
}

static json_t *report(const char *prefix)
{
    char *text = NULL;
    json_error_t where;
    assert_int_equal(gbench_report(prefix, &text, NULL), ASSAY_OK);
    json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, &where);
    if (!json)
        fail_msg("line %d: %s\n%s", where.line, where.text, text);
    free(text);
    return json;
}

static const json_t *find_run(const json_t *report, const char *aggregate, int repetition)
{
    size_t i;
    json_t *b;
    json_array_foreach(json_object_get(report, "benchmarks"), i, b)
    {
        const char *name = json_string_value(json_object_get(b, "aggregate_name"));
        const json_t *index = json_object_get(b, "repetition_index");
        if (aggregate ? name && strcmp(name, aggregate) == 0
                      : index && json_integer_value(index) == repetition)
            return b;
    }
    return NULL;
}

static double real_time(const json_t *report, const char *aggregate, int repetition)
{
    return json_get_number(find_run(report, aggregate, repetition), "real_time", -1.0);
}

static void takes_each_repetition_once(void **state)
{
    invented a = {.us = 2.5}, b = {.us = 7.0};
    const gbench_benchmark list[] = {make(&a, "op1/a/f32/small/cold", 3),
                                     make(&b, "op1/b/f32/small/cold", 3)};
    assert_int_equal(gbench_run(list, 2, NULL), ASSAY_OK);
    assert_int_equal(a.taken, 3);
    assert_int_equal(b.taken, 3);
    json_t *json = report("op1/a/");
    assert_int_equal(json_array_size(json_object_get(json, "benchmarks")),
                     3 + 4); /* mean, median, stddev, cv */
    assert_string_equal(json_get_text(find_run(json, NULL, 0), "name", ""), "op1/a/f32/small/cold");
    for (int r = 0; r < 3; r++)
        assert_near(real_time(json, NULL, r), 2.5 + 0.5 * r, 1e-9);
    assert_near(real_time(json, "mean", 0), 3.0, 1e-9);
    assert_near(real_time(json, "median", 0), 3.0, 1e-9);
    assert_string_equal(json_get_text(find_run(json, NULL, 0), "time_unit", ""), "us");
    assert_near(json_get_number(find_run(json, NULL, 0), "bytes_per_second", 0), 1e6 / 2.5e-6, 1.0);
    assert_near(json_get_number(find_run(json, NULL, 0), "percent_of_roofline", -1), 0.0,
                0.0); /* not finite */
    json_decref(json);
}

/* With 20 repetitions of two benchmarks an order of all of one and then the other has a chance of one in 10^10. */
static void mixes_the_repetitions(void **state)
{
    char log[64] = "";
    invented a = {.us = 0.0, .log = log}, b = {.us = 1.0, .log = log};
    const gbench_benchmark list[] = {make(&a, "mix/a", 20), make(&b, "mix/b", 20)};
    assert_int_equal(gbench_run(list, 2, NULL), ASSAY_OK);
    assert_int_equal(strlen(log), 40);
    assert_null(strstr(log, "aaaaaaaaaaaaaaaaaaaa"));
}

/* What is cut keeps its repetitions; of what turns out to be wrong nothing is reported but the reason. */
static void says_what_was_skipped(void **state)
{
    invented cut = {.us = 5.0, .fails_from = 3}, wrong = {.us = 5.0, .fails_from = 3, .withdraws = 1};
    const gbench_benchmark list[] = {make(&cut, "skip/cut", 3), make(&wrong, "skip/wrong", 3)};
    assert_int_equal(gbench_run(list, 2, NULL), ASSAY_OK);
    json_t *json = report("skip/cut");
    assert_near(real_time(json, NULL, 1), 5.5, 1e-9);
    assert_near(real_time(json, "mean", 0), 5.25, 1e-9);
    assert_string_equal(json_get_text(find_run(json, NULL, 2), "error_message", ""), "invented reason");
    json_decref(json);
    json = report("skip/wrong");
    assert_int_equal(json_array_size(json_object_get(json, "benchmarks")), 1);
    assert_string_equal(json_get_text(find_run(json, NULL, 2), "error_message", ""), "invented reason");
    json_decref(json);
}

static void survives_extremes(void **state)
{
    invented zero = {.us = 0.0}, one = {.us = 5.0};
    const gbench_benchmark list[] = {make(&zero, "all/zero", 1), make(&one, "just/one", 1)};
    assert_int_equal(gbench_run(list, 2, NULL), ASSAY_OK);
    assert_int_equal(gbench_run(NULL, 0, NULL), ASSAY_OK);
    json_decref(report("all/"));
    json_decref(report("nobody/"));
}

static void selects_as_google_benchmark_filters(void **state)
{
    invented k = {.us = 1.0};
    int selected[3];
    const gbench_benchmark list[] = {make(&k, "s/v1/f32/small/cold", 2),
                                     make(&k, "s/v1/f32/small/cold_read", 2),
                                     make(&k, "s/v2/f32/small/cold", 2)};
    char *arguments[] = {"test", "--benchmark_filter=v1/.*/cold$|v2", NULL};
    int count = 2;
    assert_int_equal(gbench_start(&count, arguments, NULL), ASSAY_OK);
    assert_int_equal(count, 1);
    assert_null(arguments[1]);
    assert_int_equal(gbench_select(list, 3, selected),
                     1); /* its names go on: ".../cold/iterations:1/repeats:2/.." */
    assert_true(!selected[0] && !selected[1] && selected[2]);
    char *others[] = {"test", "--benchmark_filter=cold/", NULL};
    count = 2;
    assert_int_equal(gbench_start(&count, others, NULL), ASSAY_OK);
    assert_int_equal(gbench_select(list, 3, selected), 2);
    assert_true(selected[0] && !selected[1] && selected[2]);
    char *all[] = {"test", "--benchmark_filter=", NULL};
    count = 2;
    assert_int_equal(gbench_start(&count, all, NULL), ASSAY_OK);
    assert_int_equal(gbench_select(list, 3, selected), 3);
}

static void refuses_what_it_cannot_do(void **state)
{
    static const struct {
        char *option, *part;
    } rows[] = {{"--benchmark_bogus", "does not know the option --benchmark_bogus"},
                {"--benchmark_repetitions=3", "the plan says how often"},
                {"--benchmark_min_time=2", "the plan says how often"},
                {"--benchmark_out", "wants a file"},
                {"--benchmark_format=xml", "json, csv or console"},
                {"--benchmark_out_format=xml", "json, csv or console"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assay_error error = {0};
        char *arguments[] = {"test", rows[i].option, NULL};
        int count = 2;
        assert_int_equal(gbench_start(&count, arguments, &error), ASSAY_ERR_INVALID);
        assert_non_null(strstr(error.message, rows[i].part));
    }
}

static void write_out(const char *path, const char *format)
{
    char out[600], out_format[64];
    snprintf(out, sizeof out, "--benchmark_out=%s", path);
    snprintf(out_format, sizeof out_format, "--benchmark_out_format=%s", format);
    char *arguments[] = {"test", out, out_format, NULL};
    int count = 3;
    assert_int_equal(gbench_start(&count, arguments, NULL), ASSAY_OK);
    assert_string_equal(gbench_out_path(), path);
    assert_int_equal(gbench_finish(NULL), ASSAY_OK);
}

static void writes_what_it_reports(void **state)
{
    char path[64] = "/tmp/assay-gbench-XXXXXX", *text = NULL;
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    json_t *json = NULL;
    write_out(path, "json");
    assert_int_equal(json_file_read(path, &json, NULL), ASSAY_OK);
    assert_non_null(strstr(json_get_text(json_array_get(json_object_get(json, "benchmarks"), 0), "name", ""),
                           "/iterations:1/repeats:3/manual_time"));
    json_decref(json);
    write_out(path, "csv");
    assert_int_equal(text_file_read(path, &text, NULL, NULL), ASSAY_OK);
    assert_non_null(strstr(text, "name,iterations,real_time"));
    assert_non_null(strstr(text, "op1/a/f32/small/cold"));
    free(text);
    assert_int_equal(unlink(path), 0);
    assay_error error = {0};
    char *arguments[] = {"test", "--benchmark_out=/nowhere/at/all.json", "--benchmark_out_format=json", NULL};
    int count = 3;
    assert_int_equal(gbench_start(&count, arguments, NULL), ASSAY_OK);
    assert_int_equal(gbench_finish(&error), ASSAY_ERR_IO);
    assert_non_null(strstr(error.message, "/nowhere/at/all.json"));
}

static void ignores_the_locale(void **state)
{
    const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "C.UTF-8"};
    for (int i = 0; i < 3; i++)
        if (setlocale(LC_ALL, names[i]))
            break;
    json_t *json = report("op1/a/");
    assert_near(real_time(json, NULL, 0), 2.5, 1e-9);
    json_decref(json);
    setlocale(LC_ALL, "C");
}

static void makes_text_strict(void **state)
{
    char text[] =
        "{\"a\": NaN, \"b\": -Infinity, \"c\": \"NaN \\\" nan\", \"d\": inf, \"e\":[ -nan, Infinity]}";
    gbench_make_strict(text);
    json_t *json = json_loads(text, 0, NULL);
    assert_non_null(json);
    assert_true(json_is_null(json_object_get(json, "a")) && json_is_null(json_object_get(json, "b")));
    assert_true(json_is_null(json_object_get(json, "d")) &&
                json_is_null(json_array_get(json_object_get(json, "e"), 1)));
    assert_string_equal(json_string_value(json_object_get(json, "c")), "NaN \" nan");
    json_decref(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_each_repetition_once), cmocka_unit_test(mixes_the_repetitions),
        cmocka_unit_test(says_what_was_skipped),      cmocka_unit_test(survives_extremes),
        cmocka_unit_test(ignores_the_locale),         cmocka_unit_test(writes_what_it_reports),
        cmocka_unit_test(refuses_what_it_cannot_do),  cmocka_unit_test(selects_as_google_benchmark_filters),
        cmocka_unit_test(makes_text_strict),
    };
    char *arguments[] = {"gbench_test", NULL};
    int count = 1;
    gbench_start(&count, arguments, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
