/* Recorded spaces and simulation: readers of both file forms, the baseline against its definition, and that search beats
 * random search. Arguments: folder with recorded spaces made by assay-make-recorded-spaces, the file in the public form; "all" for every one. */
#include "test.h"
#include "core/json_file.h"
#include "tune/simulation/simulate.h"
#include "tune/strategies/strategy.h"

static const char *folder, *public_space;
static int is_long;

static recorded *read_text(const char *text)
{
    char path[256];
    recorded *r = NULL;
    make_folder(path);
    strcat(path, "/file.json");
    ASSERT_OK(text_file_write(path, text, strlen(text), failure));
    ASSERT_OK(recorded_read(path, &r, failure));
    *strrchr(path, '/') = '\0';
    remove_folder(path);
    return r;
}

static const char cache[] =
    "{\"device_name\": \"A card\", \"kernel_name\": \"k\", \"problem_size\": \"4096\", \"tune_params_keys\": "
    "[\"x\", \"y\"],"
    " \"tune_params\": {\"x\": [1, 2], \"y\": [4, 8]}, \"objective\": \"time\", \"cache\": {"
    " \"1,4\": {\"x\": 1, \"y\": 4, \"time\": 2.0, \"compile_time\": 500},"
    " \"1,8\": {\"x\": 1, \"y\": 8, \"time\": \"CompilationFailedConfig\"},"
    " \"2,4\": {\"x\": 2, \"y\": 4, \"time\": \"InvalidConfig\"},"
    " \"2,8\": {\"x\": 2, \"y\": 8, \"time\": 1.0, \"times\": [1.0, 1.0]},";

/* The file of a run that was killed: no closing braces, a comma at the end. */
static void test_open_cache(void **state)
{
    (void)state;
    recorded *r = read_text(cache);
    assert_int_equal(r->count, 3); /* the invalid one is no candidate */
    assert_int_equal(r->success_count, 2);
    assert_true(r->optimum == 1000); /* 1 ms in us */
    assert_string_equal(r->name, "k on A card");
    assert_true(r->cost_s[0] == 0.5);
    assert_int_equal(space_count(r->space), 3);
    assert_int_equal(r->evaluations[1].status, EVALUATION_FAILED_COMPILE);
    recorded_free(r);
}

static const char t4[] = "{\"schema_version\": \"1.0.0\", \"results\": ["
                         "{\"configuration\": {\"x\": 1}, \"objectives\": [\"time\"], \"times\": "
                         "{\"compilation_time\": 1.5}, \"invalidity\":"
                         " \"correct\", \"measurements\": [{\"name\": \"power\", \"value\": 3}, {\"name\": "
                         "\"time\", \"value\": 0.5, \"unit\": \"ms\"}]},"
                         "{\"configuration\": {\"x\": 2}, \"objectives\": [\"time\"], \"times\": "
                         "{\"compilation\": 2.5}, \"invalidity\":"
                         " \"runtime\", \"measurements\": []}]}";

static void test_t4(void **state)
{
    (void)state;
    recorded *r = read_text(t4);
    assert_int_equal(r->count, 2);
    assert_true(r->optimum == 500);
    assert_true(r->cost_s[0] == 1.5 && r->cost_s[1] == 2.5);
    assert_int_equal(r->evaluations[1].status, EVALUATION_CRASHED);
    recorded_free(r);
}

/* A file in the form of the public brute-forced spaces: failures by kind, times in ms; and what replaying it from one configuration says. */
static void test_public_form(void **state)
{
    (void)state;
    recorded *r = NULL;
    configuration start;
    double fewest = INFINITY, least_regret = INFINITY;
    int counts[EVALUATION_STATUS_COUNT] = {0};
    ASSERT_OK(recorded_read(public_space, &r, failure));
    for (long i = 0; i < r->count; i++)
        counts[r->evaluations[i].status]++;
    assert_int_equal(r->count, 128);
    assert_int_equal(r->success_count, 109);
    assert_int_equal(counts[EVALUATION_FAILED_COMPILE], 8);
    assert_int_equal(counts[EVALUATION_CRASHED], 10);
    assert_int_equal(counts[EVALUATION_FAILED_CORRECTNESS], 1);
    assert_true(fabs(r->optimum - 918.14) < 0.01);
    ASSERT_OK(configuration_parse(r->space, "block_size_x=32,block_size_y=4,tile_size_x=1,use_padding=0",
                                  &start, failure));
    const long random = simulate_random_median(r, SIMULATE_TARGET);
    for (int k = 0; strategy_name(k); k++) {
        simulate_outcome out;
        const simulate_plan plan = {
            .strategy = strategy_name(k), .repeats = 20, .seed = 1, .evaluations = 60, .start = &start};
        assay_error why = {0};
        const assay_status status = simulate_strategy(r, &plan, &out, &why);
        if (status == ASSAY_ERR_UNSUPPORTED)
            continue; /* without its library */
        assert_int_equal(status, ASSAY_OK);
        printf("%s, %s: %.0f evaluations to 95%%, %.0f to 98%%; random %ld\n", r->name, strategy_name(k),
               out.target_median, out.goal_median, random);
        assert_true(fabs(out.fraction[0] - r->optimum / recorded_at(r, &start)->objective) < 1e-12);
        assert_true(out.goal_median >= out.target_median && out.goal_reached <= out.reached);
        printf("  regret after %ld: %.2f%%\n", out.evaluations, 100 * out.regret_median);
        least_regret = fmin(least_regret, out.regret_median);
        fewest = fmin(fewest, out.goal_median);
        simulate_release(&out);
    }
    assert_true(least_regret >= 0 && least_regret < 0.01);
    assert_true(fewest <= 60); /* half of the repeats of some strategy came to 98% */
    recorded_free(r);
}

/* Two of four are good: the chance of none after 1, 2, 3 draws is 1/2, 1/6, 0. */
static void test_random_median(void **state)
{
    (void)state;
    recorded *r =
        read_text("{\"results\": ["
                  "{\"configuration\": {\"x\": 1}, \"measurements\": [{\"name\": \"t\", \"value\": 1}]},"
                  "{\"configuration\": {\"x\": 2}, \"measurements\": [{\"name\": \"t\", \"value\": 1.01}]},"
                  "{\"configuration\": {\"x\": 3}, \"measurements\": [{\"name\": \"t\", \"value\": 3}]},"
                  "{\"configuration\": {\"x\": 4}, \"measurements\": [{\"name\": \"t\", \"value\": 4}]}]}");
    assert_int_equal(simulate_random_median(r, 0.95), 1);
    assert_int_equal(simulate_random_median(r, 1.0), 2); /* 3/4, 1/2 */
    assert_int_equal(simulate_random_median(r, 0.2), 1);
    recorded_free(r);
}

static simulate_outcome simulate(const recorded *r, const char *name, int repeats, long evaluations)
{
    simulate_outcome out;
    const simulate_plan plan = {.strategy = name, .repeats = repeats, .seed = 1, .evaluations = evaluations};
    ASSERT_OK(simulate_strategy(r, &plan, &out, failure));
    return out;
}

/* Random search is its own baseline: its score is 0 within the scatter. */
static void check_random(const recorded *r, simulate_outcome *random)
{
    assert_in_range(random->cutoff, 1, r->count);
    if (!(random->score > -0.5 && random->score < 0.5))
        fail_msg("random search scores %g on %s", random->score, r->name);
}

static void check_space(const char *name, int repeats)
{
    char path[4200];
    recorded *r = NULL;
    double best = 0;
    snprintf(path, sizeof path, "%s/%s.t4.json", folder, name);
    ASSERT_OK(recorded_read(path, &r, failure));
    simulate_outcome random = simulate(r, "random", repeats, r->count < 1500 ? r->count : 1500);
    check_random(r, &random);
    for (int k = 2; strategy_name(k); k++) {
        if (!is_long &&
            (strcmp(strategy_name(k), "bayesian") == 0 || strcmp(strategy_name(k), "heuristic") == 0))
            continue;
        simulate_outcome own = simulate(r, strategy_name(k), repeats, 300);
        printf("%s: %s reaches 95%% after %.1f evaluations, random after %.1f\n", name, strategy_name(k),
               own.target_mean, random.target_mean);
        best = fmax(best, random.target_mean / own.target_mean);
        simulate_release(&own);
    }
    if (best < 3)
        fail_msg("%s: no strategy is 3 times as fast as random search; the best is %.2f times", r->name,
                 best);
    simulate_release(&random);
    recorded_free(r);
}

static void test_faster_than_random(void **state)
{
    static const char *const all[] = {"attention", "convolution", "matmul", "softmax", "stencil"};
    (void)state;
    for (size_t i = 0; i < (is_long ? sizeof all / sizeof *all : 1); i++)
        check_space(all[i], is_long ? 10 : 12);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_open_cache), cmocka_unit_test(test_t4), cmocka_unit_test(test_public_form),
        cmocka_unit_test(test_random_median), cmocka_unit_test(test_faster_than_random)};
    if (argc < 3)
        return 2;
    folder = argv[1];
    public_space = argv[2];
    is_long = argc > 3;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
