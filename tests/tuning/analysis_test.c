/* What the compiler's report rules out, and what a run's evaluations are said to mean. */
#include "tests/unit.h"
#include "tune/evaluate/evaluate_internal.h"
#include "tune/tuner/tuning_analysis.h"
#include <math.h>

static void prune(double spill, double shared, int64_t most_spill, tune_candidate *c)
{
    const assay_device_info h100 = {.kind = "cuda", .compute_major = 9};
    json_t *resources = json_pack("{s:{s:{s:{s:f, s:f, s:i}}}}", "architectures", "sm_90a", "summary",
                                  "spill_bytes", spill, "shared_bytes", shared, "registers", 128);
    assert_non_null(resources);
    *c = (tune_candidate){.time_us = NAN};
    evaluate_prune(resources, &h100, most_spill, c);
    json_decref(resources);
}

static void spills_and_shared_memory_are_ruled_out(void **state)
{
    (void)state;
    tune_candidate c;
    prune(0, 49152, 1024, &c);
    assert_int_equal(c.done, 0);
    assert_non_null(strstr(c.report, "\"registers\":128"));
    tune_candidate_release(&c);
    prune(1028, 0, 1024, &c);
    assert_true(c.done && c.status == EVALUATION_CONSTRAINTS);
    assert_string_equal(c.reason, "spills 1028 bytes; allowed: 1024");
    tune_candidate_release(&c);
    prune(1028, 0, -1, &c); /* no limit */
    assert_int_equal(c.done, 0);
    tune_candidate_release(&c);
    prune(0, 300000, 1024, &c);
    assert_true(c.done && c.status == EVALUATION_CONSTRAINTS);
    assert_non_null(strstr(c.reason, "needs 300000 bytes of shared memory; a block has 232448"));
    tune_candidate_release(&c);
    c = (tune_candidate){.time_us = NAN};
    evaluate_prune(NULL, &(assay_device_info){.kind = "cpu"}, 0, &c); /* nothing is known of the CPU's */
    assert_int_equal(c.done, 0);
    tune_candidate_release(&c);
}

/* A space of A = 1, 2, 4 and B = 0, 1, and what came of all six. */
typedef struct invented_run {
    tune_outcome outcome;
    tune_candidate candidates[6];
    double elapsed_s[6];
} invented_run;

static void invent(invented_run *run)
{
    static const double times[] = {10, NAN, 20, NAN, 5, NAN};
    const expression_value a[] = {value_integer(1), value_integer(2), value_integer(4)},
                           b[] = {value_integer(0), value_integer(1)};
    *run =
        (invented_run){.outcome = {.count = 6, .candidates = run->candidates, .elapsed_s = run->elapsed_s}};
    assert_int_equal(space_create(&run->outcome.space, NULL), ASSAY_OK);
    assert_int_equal(space_add_parameter(run->outcome.space, "A", a, 3, 0, NULL), ASSAY_OK);
    assert_int_equal(space_add_parameter(run->outcome.space, "B", b, 2, 0, NULL), ASSAY_OK);
    assert_int_equal(space_finish(run->outcome.space, NULL), ASSAY_OK);
    for (int i = 0; i < 6; i++) {
        tune_candidate *c = &run->candidates[i];
        *c = (tune_candidate){.configuration = {.index = {(uint16_t)(i / 2), (uint16_t)(i % 2)}},
                              .time_us = times[i],
                              .status = isnan(times[i]) ? EVALUATION_CRASHED : EVALUATION_SUCCESS};
        snprintf(c->reason, sizeof c->reason, "%s%d", isnan(times[i]) ? "killed by signal " : "", i);
        run->outcome.counts[c->status]++;
    }
}

static void impact_top_and_failures(void **state)
{
    (void)state;
    invented_run run;
    parameter_impact impacts[2];
    const tune_candidate *top[2];
    failure_group groups[4];
    invent(&run);
    assert_int_equal(tuning_impact(&run.outcome, impacts, 2), 2);
    assert_string_equal(impacts[0].parameter->name, "A"); /* the larger one first */
    assert_float_equal(impacts[0].impact, 4, 1e-12);
    assert_float_equal(impacts[0].best_us[1], 20, 0);
    assert_float_equal(impacts[1].best_us[0], 5, 0);
    assert_true(isnan(impacts[1].best_us[1]));
    assert_int_equal(tuning_top(&run.outcome, top, 2), 2);
    assert_float_equal(top[0]->time_us, 5, 0);
    assert_float_equal(top[1]->time_us, 10, 0);
    assert_int_equal(tuning_failures(&run.outcome, groups, 4),
                     1); /* numbers in a reason do not make it another one */
    assert_int_equal(groups[0].count, 3);
    space_free(run.outcome.space);
}

static void a_value_that_always_fails_is_a_constraint(void **state)
{
    (void)state;
    invented_run run;
    char proposals[4][PROPOSAL_BYTES];
    invent(&run);
    assert_int_equal(tuning_propose_constraints(&run.outcome, proposals, 4), 1);
    assert_non_null(
        strstr(proposals[0], "`B != 1`: all 3 candidates with this value failed (crashed: killed by signal"));
    space_free(run.outcome.space);
}

static void regret_is_against_the_whole_space(void **state)
{
    (void)state;
    invented_run run;
    invent(&run);
    run.outcome.finalist_count = 3;
    run.outcome.finalists[0] = (tune_finalist){.us = 10.1};
    run.outcome.finalists[1] = (tune_finalist){.us = 10};
    run.outcome.finalists[2] = (tune_finalist){.us = 5, .wrong = 1}; /* no winner can be wrong */
    run.outcome.winner = 0;
    assert_float_equal(tuning_regret(&run.outcome), 0.01, 1e-9);
    run.outcome.count = 5; /* one was not evaluated */
    assert_true(isnan(tuning_regret(&run.outcome)));
    run.outcome.count = 6;
    run.outcome.winner = -1;
    assert_true(isnan(tuning_regret(&run.outcome)));
    space_free(run.outcome.space);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spills_and_shared_memory_are_ruled_out),
        cmocka_unit_test(impact_top_and_failures),
        cmocka_unit_test(a_value_that_always_fails_is_a_constraint),
        cmocka_unit_test(regret_is_against_the_whole_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
