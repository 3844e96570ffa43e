/* A whole group on the CPU device, with modules whose times and faults are known. */
#include "test.h"
#include "group_calls.h"
#include "core/json_file.h"
#include "bench/run/result.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* Both candidates see the same machine, so even on a busy one the ratio of their least times is that of their
 * spins. */
static void sees_a_injected_slowdown(void **state)
{
    (void)state;
    scratch s;
    group_outcome outcome;
    scratch_create(&s);
    scratch_add_variant(&s, "v1_fast", "plain_spin_400", "pass");
    scratch_add_variant(&s, "v2_slow", "plain_spin_420", "pass");
    scratch_open(&s);
    assert_int_equal(
        run_group(&s, "v1_fast,v2_slow", "copy,reference", short_method("cold,hot"), &outcome, NULL),
        ASSAY_OK);
    assert_int_equal(outcome.timed, 4);
    const char *const modes[] = {"cold", "hot"};
    for (int i = 0; i < 2; i++) {
        const double fast = scratch_metric(&s, "v1_fast", "small", modes[i], "min_us");
        const double slow = scratch_metric(&s, "v2_slow", "small", modes[i], "min_us");
        assert_near(slow / fast, 1.05, 0.02);
        assert_true(fast >= 400.0);
    }
    assert_string_equal(scratch_text(&s, "baseline_copy", "small", "kind"), "unranked");
    assert_near(scratch_metric(&s, "baseline_copy", "small", "cold", "tflops"), 0.0, 0.0);
    assert_string_equal(scratch_text(&s, "baseline_reference", "small", "kind"), "baseline");
    assert_string_equal(scratch_text(&s, "v1_fast", "small", "output_check"), "pass");
    scratch_close(&s);
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
    (void)state;
    scratch s;
    group_outcome outcome;
    scratch_create(&s);
    scratch_add_variant(&s, "v1_fast", "plain_spin_400", "pass");
    scratch_open(&s);
    assert_int_equal(run_group(&s, "v1_fast", "copy", short_method("cold"), &outcome, NULL), ASSAY_OK);
    json_t *file = scratch_result(&s, "v1_fast", "small");
    const json_t *assay = json_object_get(file, "assay");
    static const char *const keys[] = {"schema",    "op",
                                       "variant",   "dtype",
                                       "size",      "dims",
                                       "params",    "kind",
                                       "status",    "reason",
                                       "math_mode", "inputs",
                                       "device",    "toolchain",
                                       "git",       "source_sha256",
                                       "tunables",  "verdict",
                                       "flops",     "bytes",
                                       "method",    "launch_overhead_us",
                                       "modes",     "output_check",
                                       "time",      "rerun"}; /* docs/formats-results.md */
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!json_object_get(assay, keys[i]))
            fail_msg("the result lacks assay.%s", keys[i]);
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
    scratch_close(&s);
}

/* A stand-in of git, which leaves a line for each time it is asked. */
static void asks_git_once(void **state)
{
    (void)state;
    scratch s;
    group_outcome outcome;
    char path[4096], script[1024], asked[600];
    int lines = 0;
    scratch_create(&s);
    scratch_add_variant(&s, "v1_first", "plain_spin_400", "pass");
    scratch_open(&s);
    snprintf(asked, sizeof asked, "%s/asked", s.folder);
    snprintf(path, sizeof path, "%s/git", s.folder);
    snprintf(script, sizeof script, "#!/bin/sh\necho >>'%s'\necho 0123456789abcdef\n", asked);
    assert_int_equal(text_file_write(path, script, strlen(script), NULL), ASSAY_OK);
    assert_int_equal(chmod(path, 0700), 0);
    char *before = strdup(getenv("PATH"));
    snprintf(path, sizeof path, "%s:%s", s.folder, before);
    setenv("PATH", path, 1);
    snprintf(s.ws->source, sizeof s.ws->source, "%s", s.folder);
    assert_int_equal(run_group(&s, "v1_first", "copy,reference", short_method("cold"), &outcome, NULL),
                     ASSAY_OK);
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
    scratch_close(&s);
}

static void refuses_what_is_not_verified(void **state)
{
    (void)state;
    static const char *const verdicts[] = {"", "fail", "crash", "timeout"};
    scratch s;
    group_outcome outcome;
    scratch_create(&s);
    scratch_add_variant(&s, "v0_good", "plain_spin_400", "pass");
    scratch_add_variant(&s, "v1_none", "plain_spin_400", verdicts[0]);
    scratch_add_variant(&s, "v2_fail", "plain_spin_400", verdicts[1]);
    scratch_add_variant(&s, "v3_crash", "plain_spin_400", verdicts[2]);
    scratch_add_variant(&s, "v4_edited", "plain_spin_400", "pass");
    scratch_edit_variant(&s, "v4_edited", "another", 0);
    scratch_open(&s);
    assert_int_equal(run_group(&s, "v0_good,v1_none,v2_fail,v3_crash,v4_edited,v9_unknown", "nothing",
                               short_method("cold"), &outcome, NULL),
                     ASSAY_OK);
    assert_int_equal(outcome.timed, 1);
    assert_int_equal(outcome.refused, 5);
    assert_int_equal(outcome.unavailable, 1);
    static const char *const refused[][2] = {{"v1_none", "never verified"},
                                             {"v2_fail", "invented reason"},
                                             {"v3_crash", "crash"},
                                             {"v4_edited", "stale"}};
    for (int i = 0; i < 4; i++) {
        assert_string_equal(scratch_text(&s, refused[i][0], "small", "status"), "not timed");
        if (!strstr(scratch_text(&s, refused[i][0], "small", "reason"), refused[i][1]))
            fail_msg("%s: %s", refused[i][0], scratch_text(&s, refused[i][0], "small", "reason"));
        assert_near(scratch_metric(&s, refused[i][0], "small", "cold", "mean_us"), -1.0, 0.0);
    }
    assert_string_equal(scratch_text(&s, "baseline_nothing", "small", "status"), "unavailable");
    scratch_close(&s);
}

/* Wrong only after many launches: found, because the output that was timed is compared. */
static void finds_late_drift(void **state)
{
    (void)state;
    scratch s;
    group_outcome outcome;
    assay_error error = {0};
    scratch_create(&s);
    scratch_add_variant(&s, "v1_drift", "plain_drift", "pass");
    scratch_add_variant(&s, "v2_good", "plain_spin_400", "pass");
    scratch_open(&s);
    assert_int_equal(run_group(&s, "v1_drift,v2_good", "", short_method("cold"), &outcome, &error),
                     ASSAY_ERR_CHECK);
    assert_int_equal(outcome.wrong, 1);
    assert_int_equal(outcome.timed, 1);
    assert_string_equal(scratch_text(&s, "v1_drift", "small", "status"), "not timed");
    assert_string_equal(scratch_text(&s, "v1_drift", "small", "output_check"), "fail");
    assert_non_null(strstr(scratch_text(&s, "v1_drift", "small", "reason"), "output is wrong"));
    assert_string_equal(scratch_text(&s, "v2_good", "small", "status"), "ok");
    scratch_close(&s);
}

/* Idle wherever its result is there already, which is so in all launches of a repetition but the first. */
static void finds_work_left_undone(void **state)
{
    (void)state;
    static const char *const modes[] = {"cold", "hot", "cold,hot"}; /* one copy of the buffers, and several */
    for (int i = 0; i < 3; i++) {
        scratch s;
        group_outcome outcome;
        assay_error error = {0};
        scratch_create(&s);
        scratch_add_variant(&s, "v1_trust", "plain_trust", "pass");
        scratch_add_variant(&s, "v2_good", "plain_spin_400", "pass");
        scratch_open(&s);
        assert_int_equal(run_group(&s, "v1_trust,v2_good", "", short_method(modes[i]), &outcome, &error),
                         ASSAY_ERR_CHECK);
        assert_int_equal(outcome.wrong, 1);
        assert_string_equal(scratch_text(&s, "v1_trust", "small", "status"), "not timed");
        assert_non_null(strstr(scratch_text(&s, "v1_trust", "small", "reason"), "over its own result"));
        assert_non_null(strstr(scratch_text(&s, "v1_trust", "small", "reason"),
                               i == 1 ? "(hot)" : "(cold)")); /* by the first mode that can see it */
        assert_string_equal(scratch_text(&s, "v2_good", "small", "status"), "ok");
        scratch_close(&s);
    }
}

static json_t *written_overhead(scratch *s, const bench_record *record)
{
    const bench_method method = short_method("cold");
    const assay_device_info device = {.kind = "cpu", .name = "invented", .slug = "cpu-simt"};
    const result_group common = {.ws = s->ws,
                                 .op = workspace_find_op(s->ws, "add"),
                                 .dtype = ASSAY_F32,
                                 .size = "small",
                                 .device = &device,
                                 .method = &method,
                                 .interleaved_with = "",
                                 .overhead_us = {[TIMING_COLD] = 3.0, [TIMING_HOT] = 0.8}};
    assert_int_equal(result_write(&common, record, NULL), ASSAY_OK);
    json_t *file = scratch_result(s, record->name, "small");
    json_t *overhead = json_incref(
        json_object_get(json_object_get(json_object_get(file, "assay"), "launch_overhead_us"), "cold"));
    json_decref(file);
    return overhead;
}

/* What was timed in a process of its own has that process's launch overhead or none, and never that of the kernels' process. */
static void overheads_are_those_of_the_process(void **state)
{
    (void)state;
    static const struct {
        double us, written; /* 0: null */
    } rows[] = {{2.75, 2.75}, {-1.0, 0.0}, {0.0, 3.0}};
    scratch s;
    scratch_create(&s);
    scratch_add_variant(&s, "v1_fast", "plain_spin_400", "pass");
    scratch_open(&s);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bench_record record = {.name = "baseline_torch_eager",
                               .kind = RESULT_BASELINE,
                               .math_mode = "ieee",
                               .status = "ok",
                               .overhead_cold_us = rows[i].us};
        json_t *overhead = written_overhead(&s, &record);
        if (rows[i].written > 0)
            assert_near(json_number_value(overhead), rows[i].written, 0.0);
        else
            assert_true(json_is_null(overhead));
        json_decref(overhead);
    }
    scratch_close(&s);
}

static void survives_an_arm_that_fails(void **state)
{
    (void)state;
    scratch s;
    group_outcome outcome;
    scratch_create(&s);
    scratch_add_variant(&s, "v1_error", "plain_error", "pass");
    scratch_add_variant(&s, "v2_good", "plain_spin_400", "pass");
    scratch_open(&s);
    assert_int_equal(run_group(&s, "v1_error,v2_good", "", short_method("cold"), &outcome, NULL), ASSAY_OK);
    assert_string_equal(scratch_text(&s, "v1_error", "small", "status"), "not timed");
    assert_string_equal(scratch_text(&s, "v2_good", "small", "status"), "ok");
    scratch_close(&s);
}

/* 20 ms a launch and a bound of 0.3 s: repetitions of 60 ms and more are cut, to no less than two. */
static void cuts_long_repetitions(void **state)
{
    (void)state;
    scratch s;
    group_outcome outcome;
    bench_method method = short_method("cold");
    method.bound_s = 0.3;
    method.repetitions = 10;
    scratch_create(&s);
    scratch_add_variant(&s, "v1_long", "plain_spin_20000", "pass");
    scratch_open(&s);
    assert_int_equal(run_group(&s, "v1_long", "", method, &outcome, NULL), ASSAY_OK);
    json_t *file = scratch_result(&s, "v1_long", "small");
    const json_t *cold = json_object_get(json_object_get(json_object_get(file, "assay"), "modes"), "cold");
    const size_t repetitions = json_array_size(json_object_get(cold, "repetitions"));
    assert_in_range(repetitions, 2, 5);
    assert_string_equal(json_get_text(cold, "stopped", ""), "time");
    json_decref(file);
    scratch_close(&s);
}

static const char *status_under(int64_t reasons, int readings, double *repeated)
{
    static char status[16];
    scratch s;
    group_outcome outcome;
    scratch_create(&s);
    scratch_add_variant(&s, "v1_fast", "plain_spin_400", "pass");
    scratch_open(&s);
    invented_reasons = reasons;
    invented_readings = readings;
    assert_int_equal(run_group(&s, "v1_fast", "", short_method("cold"), &outcome, NULL), ASSAY_OK);
    invented_readings = 0;
    snprintf(status, sizeof status, "%s", scratch_text(&s, "v1_fast", "small", "status"));
    *repeated = scratch_metric(&s, "v1_fast", "small", "cold", "repeated");
    assert_true(scratch_metric(&s, "v1_fast", "small", "cold", "mean_us") >=
                400.0); /* the numbers stay, either way */
    scratch_close(&s);
    return status;
}

static void repeats_under_slowdowns(void **state)
{
    (void)state;
    double repeated;
    assert_string_equal(status_under(0x4, 1000, &repeated), "ok"); /* the power cap is normal */
    assert_near(repeated, 0.0, 0.0);
    assert_string_equal(status_under(0x40, 4, &repeated),
                        "ok"); /* two repetitions, then the card has recovered */
    assert_near(repeated, 2.0, 0.0);
    assert_string_equal(status_under(0x8, 1000, &repeated),
                        "unstable"); /* bounded: three repeats, not for ever */
    assert_near(repeated, 3.0, 0.0);
}

/* A kernel that keeps results is timed without them where launches come one by one, and refused where they cannot be changed between. */
static void sees_through_kept_results(void **state)
{
    (void)state;
    scratch s;
    group_outcome outcome;
    assay_error error = {0};
    scratch_create(&s);
    scratch_add_variant(&s, "v1_keeps", "plain_keeps", "pass");
    scratch_open(&s);
    assert_int_equal(run_group(&s, "v1_keeps", "", short_method("cold,host"), &outcome, NULL), ASSAY_OK);
    assert_true(scratch_metric(&s, "v1_keeps", "small", "cold", "min_us") >= 400.0);
    assert_true(scratch_metric(&s, "v1_keeps", "small", "host", "min_us") >= 400.0);
    assert_int_equal(run_group(&s, "v1_keeps", "", short_method("hot"), &outcome, &error), ASSAY_ERR_CHECK);
    assert_string_equal(scratch_text(&s, "v1_keeps", "small", "status"), "not timed");
    if (!strstr(scratch_text(&s, "v1_keeps", "small", "reason"), "the kernel keeps its results"))
        fail_msg("%s", scratch_text(&s, "v1_keeps", "small", "reason"));
    scratch_close(&s);
}

static void sees_new_contents_skipped(void **state)
{
    (void)state;
    scratch s;
    group_outcome outcome;
    assay_error error = {0};
    scratch_create(&s);
    scratch_add_variant(&s, "v1_skips", "plain_skips", "pass");
    scratch_open(&s);
    assert_int_equal(run_group(&s, "v1_skips", "", short_method("cold"), &outcome, &error), ASSAY_ERR_CHECK);
    assert_string_equal(scratch_text(&s, "v1_skips", "small", "output_check"), "fail");
    if (!strstr(scratch_text(&s, "v1_skips", "small", "reason"),
                "on contents that it was not timed on (cold)"))
        fail_msg("%s", scratch_text(&s, "v1_skips", "small", "reason"));
    scratch_close(&s);
}

static void write_ceilings(const scratch *s, double gbs)
{
    char path[512];
    snprintf(path, sizeof path, "%s/results/cpu-simt/ceilings.json", s->folder);
    json_t *file = json_pack("{s:i, s:[{s:s, s:f, s:f, s:f, s:n}, {s:s, s:f, s:f, s:f, s:n}]}", "schema", 1,
                             "ceilings", "name", "copy", "median", gbs, "min", gbs, "max", gbs, "theoretical",
                             "name", "fma_f32", "median", 1.0, "min", 1.0, "max", 1.0, "theoretical");
    assert_int_equal(json_file_write(path, file, 0, NULL), ASSAY_OK);
    json_decref(file);
}

static void flags_times_above_the_bound(void **state)
{
    (void)state;
    scratch s;
    group_outcome outcome;
    scratch_create(&s);
    scratch_add_variant(&s, "v1_fast", "plain_spin_400", "pass");
    scratch_open(&s);
    const double bytes = 3.0 * 8 * 16 * 4;
    write_ceilings(&s, bytes / 20000.0 * 1e-3); /* at best 20 ms: what will be measured is impossible */
    assert_int_equal(run_group(&s, "v1_fast", "", short_method("cold"), &outcome, NULL), ASSAY_OK);
    assert_near(scratch_metric(&s, "v1_fast", "small", "cold", "above_bound"), 1.0, 0.0);
    write_ceilings(&s, bytes / 40.0 * 1e-3);
    assert_int_equal(run_group(&s, "v1_fast", "", short_method("cold"), &outcome, NULL), ASSAY_OK);
    assert_near(scratch_metric(&s, "v1_fast", "small", "cold", "above_bound"), 0.0, 0.0);
    const double mean = scratch_metric(&s, "v1_fast", "small", "cold", "mean_us");
    assert_near(scratch_metric(&s, "v1_fast", "small", "cold", "percent_of_bound"), 100.0 * 40.0 / mean,
                1e-6);
    scratch_close(&s);
}

static void names_what_it_does_not_know(void **state)
{
    (void)state;
    scratch s;
    group_outcome outcome;
    assay_error error = {0};
    scratch_create(&s);
    scratch_add_variant(&s, "v1_fast", "plain_spin_400", "pass");
    scratch_open(&s);
    assay_device *device = NULL;
    assert_int_equal(assay_device_open("cpu", 0, &device, NULL), ASSAY_OK);
    const group_plan plan = {
        .op = "add", .dtype = "f32", .size = "giant", .method = short_method("cold"), .quiet = 1};
    assert_int_equal(group_run(s.ws, device, &plan, &outcome, &error), ASSAY_ERR_INVALID);
    assert_non_null(strstr(error.message, "there are: small, medium, large, gigantic"));
    assay_device_close(device);
    scratch_close(&s);
}

static json_t *borrow_times(json_t *file, const char *mode)
{
    return json_object_get(json_object_get(json_object_get(file, "assay"), "modes"), mode);
}

static void measures_all_named_modes(void **state)
{
    (void)state;
    static const char *const names[] = {"cold", "cold_read", "hot", "host"};
    scratch s;
    group_outcome outcome;
    scratch_create(&s);
    scratch_add_variant(&s, "v1_fast", "plain_spin_400", "pass");
    scratch_add_variant(&s, "v2_slow", "plain_spin_420", "pass");
    scratch_open(&s);
    assert_int_equal(
        run_group(&s, "v1_fast,v2_slow", "", short_method("cold,cold_read,hot,host"), &outcome, NULL),
        ASSAY_OK);
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
    scratch_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measures_all_named_modes),     cmocka_unit_test(sees_a_injected_slowdown),
        cmocka_unit_test(result_carries_its_context),   cmocka_unit_test(asks_git_once),
        cmocka_unit_test(refuses_what_is_not_verified), cmocka_unit_test(finds_late_drift),
        cmocka_unit_test(finds_work_left_undone),       cmocka_unit_test(overheads_are_those_of_the_process),
        cmocka_unit_test(sees_through_kept_results),    cmocka_unit_test(sees_new_contents_skipped),
        cmocka_unit_test(survives_an_arm_that_fails),   cmocka_unit_test(cuts_long_repetitions),
        cmocka_unit_test(repeats_under_slowdowns),      cmocka_unit_test(flags_times_above_the_bound),
        cmocka_unit_test(names_what_it_does_not_know),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
