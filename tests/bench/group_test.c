/* A whole group on the CPU device, with modules whose times and faults are known. */
#include "scratch_test.h"
#include "group_calls.h"
#include "core/json_file.h"
#include "core/list.h"
#include "bench/run/result.h"
#include <math.h>
#include <sys/stat.h>

/* Linked with --wrap: what the card says about itself, for as many readings as asked for. */
assay_status __real_assay_device_read_health(assay_device *device, assay_device_health *health);
assay_status __wrap_assay_device_read_health(assay_device *device, assay_device_health *health);
static int64_t invented_reasons;
static int invented_readings;

assay_status __wrap_assay_device_read_health(assay_device *device, assay_device_health *health)
{
    const assay_status status = __real_assay_device_read_health(device, health);
    if (invented_readings > 0) {
        invented_readings--;
        health->reasons = invented_reasons;
    }
    return status;
}

static group_outcome outcome; /* of the last run */

static assay_status run(const char *variants, const char *baselines, const char *modes)
{
    return run_group(&s, variants, baselines, short_method(modes), &outcome, NULL);
}

static void open_fast(void)
{
    open_with((const made_variant[]){{"v1_fast", "plain_spin_400", "pass"}, {0}});
}

static void open_fast_and_slow(void)
{
    open_with((const made_variant[]){
        {"v1_fast", "plain_spin_400", "pass"}, {"v2_slow", "plain_spin_420", "pass"}, {0}});
}

/* Both candidates see the same machine, so even on a busy one the ratio of their least times is that of their
 * spins. */
static void sees_an_injected_slowdown(void **state)
{
    open_fast_and_slow();
    assert_int_equal(run("v1_fast,v2_slow", "copy,reference", "cold,hot"), ASSAY_OK);
    assert_int_equal(outcome.timed, 4);
    const char *const modes[] = {"cold", "hot"};
    for (int i = 0; i < 2; i++) {
        const double fast = metric_of("v1_fast", modes[i], "min_us");
        const double slow = metric_of("v2_slow", modes[i], "min_us");
        assert_near(slow / fast, 1.05, 0.02);
        assert_true(fast >= 400.0);
    }
    assert_string_equal(said_of("baseline_copy", "kind"), "unranked");
    assert_near(metric_of("baseline_copy", "cold", "tflops"), 0.0, 0.0);
    assert_string_equal(said_of("baseline_reference", "kind"), "baseline");
    assert_string_equal(said_of("v1_fast", "output_check"), "pass");
}

static void check_times(const json_t *times, int repetitions)
{
    const double mean = json_get_number(times, "mean_us", -1.0);
    const json_t *list = json_object_get(times, "repetitions"), *interval = json_object_get(times, "ci95_us");
    assert_int_equal(json_array_size(list), repetitions);
    double sum = 0.0;
    for (int r = 0; r < repetitions; r++) {
        const json_t *repetition = json_array_get(list, (size_t)r);
        assert_true(json_array_size(json_object_get(repetition, "samples_us")) >= 3);
        assert_true(json_is_object(json_object_get(repetition, "before")));
        sum += json_get_number(repetition, "mean_us", -1.0);
    }
    assert_near(mean, sum / repetitions, 1e-6 * mean);
    assert_true(json_number_value(json_array_get(interval, 0)) <= mean);
    assert_true(json_number_value(json_array_get(interval, 1)) >= mean);
    assert_near(json_get_number(times, "gbs", 0.0), 3.0 * 8 * 16 * 4 / mean * 1e-3, 1e-9);
}

static void result_carries_its_context(void **state)
{
    open_fast();
    assert_int_equal(run("v1_fast", "copy", "cold"), ASSAY_OK);
    json_t *file = scratch_result(&s, "v1_fast", "small");
    const json_t *assay = json_object_get(file, "assay");
    /* docs/formats-results.md */
    static const char keys[] =
        "schema,op,variant,dtype,size,dims,params,kind,status,reason,math_mode,inputs,device,toolchain,git,"
        "source_sha256,"
        "tunables,verdict,flops,bytes,method,launch_overhead_us,modes,output_check,time,rerun";
    for (list_item key = {0}; list_next(keys, &key);) {
        char name[32];
        snprintf(name, sizeof name, "%.*s", key.length, key.text);
        if (!json_object_get(assay, name))
            fail_msg("the result lacks assay.%s", name);
    }
    assert_string_equal(json_get_text(assay, "rerun", ""),
                        "assay bench --op add --variant v1_fast --dtype f32 --size small --force");
    assert_string_equal(json_get_text(json_object_get(assay, "git"), "commit", ""),
                        "0123456789abcdef0123456789abcdef01234567");
    check_times(json_object_get(json_object_get(assay, "modes"), "cold"), 5);
    assert_int_equal(json_array_size(json_object_get(json_object_get(assay, "method"), "interleaved_with")),
                     1);
    assert_true(json_array_size(json_object_get(file, "benchmarks")) >= 5);
    assert_string_equal(json_get_text(json_array_get(json_object_get(file, "benchmarks"), 0), "name", ""),
                        "add/v1_fast/f32/small/cold");
    json_decref(file);
}

/* A stand-in of git, which leaves a line for each time it is asked. */
static void asks_git_once(void **state)
{
    char path[4096], script[1024], asked[600];
    int lines = 0;
    open_with((const made_variant[]){{"v1_first", "plain_spin_400", "pass"}, {0}});
    snprintf(asked, sizeof asked, "%s/asked", s.folder);
    snprintf(path, sizeof path, "%s/git", s.folder);
    snprintf(script, sizeof script, "#!/bin/sh\necho >>'%s'\necho 0123456789abcdef\n", asked);
    assert_int_equal(text_file_write(path, script, strlen(script), NULL), ASSAY_OK);
    assert_int_equal(chmod(path, 0700), 0);
    char *before = strdup(getenv("PATH"));
    snprintf(path, sizeof path, "%s:%s", s.folder, before);
    setenv("PATH", path, 1);
    snprintf(s.ws->source, sizeof s.ws->source, "%s", s.folder);
    assert_int_equal(run("v1_first", "copy,reference", "cold"), ASSAY_OK);
    setenv("PATH", before, 1);
    free(before);
    FILE *file = fopen(asked, "r");
    for (int c; file && (c = fgetc(file)) != EOF;)
        lines += c == '\n';
    if (file)
        fclose(file);
    assert_int_equal(lines, 2); /* its commit and its changes, for three results */
    json_t *found = scratch_result(&s, "baseline_copy", "small");
    assert_string_equal(json_get_text(json_object_get(json_object_get(found, "assay"), "git"), "commit", ""),
                        "0123456789abcdef");
    json_decref(found);
}

static void refuses_what_is_not_verified(void **state)
{
    open_with((const made_variant[]){{"v0_good", "plain_spin_400", "pass"},
                                     {"v1_none", "plain_spin_400", ""},
                                     {"v2_fail", "plain_spin_400", "fail"},
                                     {"v3_crash", "plain_spin_400", "crash"},
                                     {"v4_edited", "plain_spin_400", "pass"},
                                     {0}});
    scratch_edit_variant(&s, "v4_edited", "another", 0);
    assert_int_equal(run("v0_good,v1_none,v2_fail,v3_crash,v4_edited,v9_unknown", "nothing", "cold"),
                     ASSAY_OK);
    assert_int_equal(outcome.timed, 1);
    assert_int_equal(outcome.refused, 5);
    assert_int_equal(outcome.unavailable, 1);
    static const char *const refused[][2] = {{"v1_none", "never verified"},
                                             {"v2_fail", "invented reason"},
                                             {"v3_crash", "crash"},
                                             {"v4_edited", "stale"}};
    for (int i = 0; i < 4; i++) {
        assert_string_equal(said_of(refused[i][0], "status"), "not timed");
        if (!strstr(said_of(refused[i][0], "reason"), refused[i][1]))
            fail_msg("%s: %s", refused[i][0], said_of(refused[i][0], "reason"));
        assert_near(metric_of(refused[i][0], "cold", "mean_us"), -1.0, 0.0);
    }
    assert_string_equal(said_of("baseline_nothing", "status"), "unavailable");
}

/* v0 fails to launch. The others are found because the output that was timed is compared: v1 is wrong only after many launches; v2 does
 * nothing where its result lies there already, as in all launches of a repetition but the first. The next ones do nothing on contents that
 * they did not see, or keep results between launches whose contents cannot be changed. */
static void one_that_fails_while_timed_costs_no_other(void **state)
{
    static const char over_cold[] = "over its own result the kernel leaves it wrong (cold)",
                      over_hot[] = "over its own result the kernel leaves it wrong (hot)",
                      keeps[] = "the kernel keeps its results";
    static const struct {
        const char *variant, *modes;
        assay_status status;
        const char *output_check; /* NULL: not said */
        const char *reason,
            *or_else; /* the second, where a launch takes long enough for its times to say so */
    } rows[] = {
        {"v0_error", "cold", ASSAY_OK, NULL, "", NULL},
        {"v1_drift", "cold", ASSAY_ERR_CHECK, "fail", "output is wrong", NULL},
        {"v2_trust", "cold", ASSAY_ERR_CHECK, NULL, over_cold, NULL},
        {"v2_trust", "hot", ASSAY_ERR_CHECK, NULL, over_hot, keeps},
        {"v2_trust", "cold,hot", ASSAY_ERR_CHECK, NULL, over_cold,
         NULL}, /* by the first mode that can see it */
        {"v3_skips", "cold", ASSAY_ERR_CHECK, "fail", "on contents that it was not timed on (cold)", NULL},
        {"v4_keeps", "hot", ASSAY_ERR_CHECK, NULL, keeps, NULL},
    };
    open_with((const made_variant[]){{"v0_error", "plain_error", "pass"},
                                     {"v1_drift", "plain_drift", "pass"},
                                     {"v2_trust", "plain_trust", "pass"},
                                     {"v3_skips", "plain_skips", "pass"},
                                     {"v4_keeps", "plain_keeps", "pass"},
                                     {"v5_good", "plain_spin_400", "pass"},
                                     {0}});
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char variants[64];
        snprintf(variants, sizeof variants, "%s,v5_good", rows[i].variant);
        assert_int_equal(run(variants, "", rows[i].modes), rows[i].status);
        assert_int_equal(outcome.wrong, rows[i].status == ASSAY_ERR_CHECK);
        assert_int_equal(outcome.timed, 1);
        assert_string_equal(said_of("v5_good", "status"), "ok");
        assert_string_equal(said_of(rows[i].variant, "status"), "not timed");
        if (rows[i].output_check)
            assert_string_equal(said_of(rows[i].variant, "output_check"), rows[i].output_check);
        const char *reason = said_of(rows[i].variant, "reason");
        if (!strstr(reason, rows[i].reason) && !(rows[i].or_else && strstr(reason, rows[i].or_else)))
            fail_msg("%s in %s: %s", rows[i].variant, rows[i].modes, reason);
    }
}

static json_t *written_overhead(const bench_record *record)
{
    const bench_method method = short_method("cold");
    const assay_device_info device = {.kind = "cpu", .name = "invented", .slug = "cpu-simt"};
    const result_group common = {.ws = s.ws,
                                 .op = workspace_find_op(s.ws, "add"),
                                 .dtype = ASSAY_F32,
                                 .size = "small",
                                 .device = &device,
                                 .method = &method,
                                 .interleaved_with = "",
                                 .overhead_us = {[TIMING_COLD] = 3.0, [TIMING_HOT] = 0.8}};
    assert_int_equal(result_write(&common, record, NULL), ASSAY_OK);
    json_t *file = scratch_result(&s, record->name, "small");
    json_t *overhead = json_incref(
        json_object_get(json_object_get(json_object_get(file, "assay"), "launch_overhead_us"), "cold"));
    json_decref(file);
    return overhead;
}

/* What was timed in a process of its own has that process's launch overhead or none, and never that of the kernels' process. */
static void overheads_are_those_of_the_process(void **state)
{
    static const struct {
        double us, written; /* 0: null */
    } rows[] = {{2.75, 2.75}, {-1.0, 0.0}, {0.0, 3.0}};
    open_fast();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bench_record record = {.name = "baseline_torch_eager",
                               .kind = RESULT_BASELINE,
                               .math_mode = "ieee",
                               .status = "ok",
                               .overhead_cold_us = rows[i].us};
        json_t *overhead = written_overhead(&record);
        if (rows[i].written > 0)
            assert_near(json_number_value(overhead), rows[i].written, 0.0);
        else
            assert_true(json_is_null(overhead));
        json_decref(overhead);
    }
}

/* 20 ms a launch and a bound of 0.3 s: repetitions of 60 ms and more are cut, to no less than two. */
static void cuts_long_repetitions(void **state)
{
    bench_method method = short_method("cold");
    method.bound_s = 0.3;
    method.repetitions = 10;
    open_with((const made_variant[]){{"v1_long", "plain_spin_20000", "pass"}, {0}});
    assert_int_equal(run_group(&s, "v1_long", "", method, &outcome, NULL), ASSAY_OK);
    json_t *file = scratch_result(&s, "v1_long", "small");
    const json_t *cold = json_object_get(json_object_get(json_object_get(file, "assay"), "modes"), "cold");
    const size_t repetitions = json_array_size(json_object_get(cold, "repetitions"));
    assert_in_range(repetitions, 2, 5);
    assert_string_equal(json_get_text(cold, "stopped", ""), "time");
    json_decref(file);
}

static const char *status_under(int64_t reasons, int readings, double *repeated)
{
    static char status[16];
    invented_reasons = reasons;
    invented_readings = readings;
    assert_int_equal(run("v1_fast", "", "cold"), ASSAY_OK);
    invented_readings = 0;
    snprintf(status, sizeof status, "%s", said_of("v1_fast", "status"));
    *repeated = metric_of("v1_fast", "cold", "repeated");
    assert_true(metric_of("v1_fast", "cold", "mean_us") >= 400.0); /* the numbers stay, either way */
    return status;
}

static void repeats_under_slowdowns(void **state)
{
    double repeated;
    open_fast();
    assert_string_equal(status_under(0x4, 1000, &repeated), "ok"); /* the power cap is normal */
    assert_near(repeated, 0.0, 0.0);
    assert_string_equal(status_under(0x40, 4, &repeated),
                        "ok"); /* two repetitions, then the card has recovered */
    assert_near(repeated, 2.0, 0.0);
    assert_string_equal(status_under(0x8, 1000, &repeated),
                        "unstable"); /* bounded: three repeats, not for ever */
    assert_near(repeated, 3.0, 0.0);
}

/* A kernel that keeps results is timed without them where launches come one by one. */
static void sees_through_kept_results(void **state)
{
    open_with((const made_variant[]){{"v1_keeps", "plain_keeps", "pass"}, {0}});
    assert_int_equal(run("v1_keeps", "", "cold,host"), ASSAY_OK);
    assert_true(metric_of("v1_keeps", "cold", "min_us") >= 400.0);
    assert_true(metric_of("v1_keeps", "host", "min_us") >= 400.0);
}

static void write_ceilings(double gbs)
{
    char path[512];
    snprintf(path, sizeof path, "%s/results/cpu-simt/ceilings.json", s.folder);
    json_t *file = json_pack("{s:i, s:[{s:s, s:f, s:f, s:f, s:n}, {s:s, s:f, s:f, s:f, s:n}]}", "schema", 1,
                             "ceilings", "name", "copy", "median", gbs, "min", gbs, "max", gbs, "theoretical",
                             "name", "fma_f32", "median", 1.0, "min", 1.0, "max", 1.0, "theoretical");
    assert_int_equal(json_file_write(path, file, 0, NULL), ASSAY_OK);
    json_decref(file);
}

static void flags_times_above_the_bound(void **state)
{
    open_fast();
    const double bytes = 3.0 * 8 * 16 * 4;
    write_ceilings(bytes / 20000.0 * 1e-3); /* at best 20 ms: what will be measured is impossible */
    assert_int_equal(run("v1_fast", "", "cold"), ASSAY_OK);
    assert_near(metric_of("v1_fast", "cold", "above_bound"), 1.0, 0.0);
    write_ceilings(bytes / 40.0 * 1e-3);
    assert_int_equal(run("v1_fast", "", "cold"), ASSAY_OK);
    assert_near(metric_of("v1_fast", "cold", "above_bound"), 0.0, 0.0);
    const double mean = metric_of("v1_fast", "cold", "mean_us");
    assert_near(metric_of("v1_fast", "cold", "percent_of_bound"), 100.0 * 40.0 / mean, 1e-6);
}

static void names_what_it_does_not_know(void **state)
{
    assay_error error = {0};
    open_fast();
    assay_device *device = NULL;
    assert_int_equal(assay_device_open("cpu", 0, &device, NULL), ASSAY_OK);
    const group_plan plan = {
        .op = "add", .dtype = "f32", .size = "giant", .method = short_method("cold"), .quiet = 1};
    assert_int_equal(group_run(s.ws, device, &plan, &outcome, &error), ASSAY_ERR_INVALID);
    assert_non_null(strstr(error.message, "there are: small, medium, large, gigantic"));
    assay_device_close(device);
}

static json_t *borrow_times(json_t *file, const char *mode)
{
    return json_object_get(json_object_get(json_object_get(file, "assay"), "modes"), mode);
}

static void measures_all_named_modes(void **state)
{
    static const char *const names[] = {"cold", "cold_read", "hot", "host"};
    open_fast_and_slow();
    assert_int_equal(run("v1_fast,v2_slow", "", "cold,cold_read,hot,host"), ASSAY_OK);
    json_t *file = scratch_result(&s, "v1_fast", "small"), *other = scratch_result(&s, "v2_slow", "small");
    for (int i = 0; i < 4; i++) {
        const json_t *times = borrow_times(file, names[i]);
        assert_true(json_get_number(times, "min_us", 0.0) >= 400.0);
        assert_true(
            json_is_false(json_object_get(json_object_get(times, "launch"), "graph"))); /* of this device */
        assert_true(json_is_array(json_object_get(json_object_get(times, "quality"), "flags")));
        assert_true(json_is_null(json_object_get(times, "during"))); /* a host says nothing */
        int seen = 0; /* which of the ten repetitions were whose: together all of them */
        for (size_t r = 0; r < 5; r++) {
            seen |=
                1 << json_get_int(json_array_get(json_object_get(times, "repetitions"), r), "position", 31);
            seen |= 1 << json_get_int(
                        json_array_get(json_object_get(borrow_times(other, names[i]), "repetitions"), r),
                        "position", 31);
        }
        assert_int_equal(seen, 0x3ff);
    }
    assert_true(json_is_number(
        json_object_get(json_object_get(json_object_get(file, "assay"), "launch_overhead_us"), "host")));
    json_decref(file);
    json_decref(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(measures_all_named_modes, close_scratch),
        cmocka_unit_test_teardown(sees_an_injected_slowdown, close_scratch),
        cmocka_unit_test_teardown(result_carries_its_context, close_scratch),
        cmocka_unit_test_teardown(asks_git_once, close_scratch),
        cmocka_unit_test_teardown(refuses_what_is_not_verified, close_scratch),
        cmocka_unit_test_teardown(one_that_fails_while_timed_costs_no_other, close_scratch),
        cmocka_unit_test_teardown(overheads_are_those_of_the_process, close_scratch),
        cmocka_unit_test_teardown(sees_through_kept_results, close_scratch),
        cmocka_unit_test_teardown(cuts_long_repetitions, close_scratch),
        cmocka_unit_test_teardown(repeats_under_slowdowns, close_scratch),
        cmocka_unit_test_teardown(flags_times_above_the_bound, close_scratch),
        cmocka_unit_test_teardown(names_what_it_does_not_know, close_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
