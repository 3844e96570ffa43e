/* A process that measures one plan after the other, against a script in its place. */
#include "tests/unit.h"
#include "bench/plan/group_process.h"

/* Says its number and the plan; ends over one plan, sleeps over another. */
static const char script[] =
    "while read -r plan; do echo \"$$ $plan\"; case $plan in "
    "dies) echo oops >&2; exit 3;; hangs) sleep 100;; large) echo '77 0 0 0 0 0 0' >&0;; "
    "*) echo '0 0.5 0 1 0 2.25 0' >&0;; esac; done";
static const char *const argv[] = {"/bin/sh", "-c", script, NULL};

/* The process that said so; its status and the plan are as expected. */
static long run(group_process *g, const char *plan, process_end end, int code)
{
    process_result result;
    char said[64] = "";
    long pid = 0;
    assert_true(group_process_run(g, argv, plan, end == PROCESS_TIMED_OUT ? 0.2 : 20, &result));
    assert_int_equal(result.end, end);
    if (end == PROCESS_EXITED)
        assert_int_equal(result.code, code);
    assert_int_equal(sscanf(result.output, "%ld %63s", &pid, said), 2);
    assert_string_equal(said, plan);
    if (code == 3)
        assert_non_null(strstr(result.output, "oops"));
    process_result_release(&result);
    return pid;
}

static void plans_share_a_process(void **state)
{
    group_process g = {.runs = 0};
    const long first = run(&g, "one", PROCESS_EXITED, 0);
    assert_int_equal(run(&g, "large", PROCESS_EXITED, 77), first);
    assert_int_equal(run(&g, "two", PROCESS_EXITED, 0), first);
    assert_true(g.phases_s[GROUP_START] == 1.0 && g.phases_s[GROUP_BASELINES] == 2.0 &&
                g.phases_s[GROUP_TIMING] == 4.5 && g.phases_s[GROUP_WRITING] == 0.0);
    group_process_end(&g);
    assert_false(g.runs);
    group_process_end(&g);
}

static void one_that_fails_costs_itself(void **state)
{
    group_process g = {.runs = 0};
    const long first = run(&g, "one", PROCESS_EXITED, 0);
    assert_int_equal(run(&g, "dies", PROCESS_EXITED, 3), first);
    const long second = run(&g, "two", PROCESS_EXITED, 0);
    assert_int_not_equal(second, first);
    assert_int_equal(run(&g, "hangs", PROCESS_TIMED_OUT, 0), second);
    assert_int_not_equal(run(&g, "three", PROCESS_EXITED, 0), second);
    group_process_end(&g);
}

static void one_that_is_not_there_is_told(void **state)
{
    static const char *const nothing[] = {"/nonexistent/program", NULL};
    group_process g = {.runs = 0};
    process_result result;
    assert_false(group_process_run(&g, nothing, "one", 1, &result));
    assert_false(g.runs);
}

static void phases_survive_their_text(void **state)
{
    const double seconds[GROUP_PHASES] = {0.125, 1, 0, 12.5, 3, 0.001};
    double sum[GROUP_PHASES] = {1};
    char text[256];
    group_phases_print(seconds, text, sizeof text);
    group_phases_add(text, sum);
    group_phases_add("no numbers", sum);
    for (int i = 0; i < GROUP_PHASES; i++)
        assert_true(sum[i] == seconds[i] + (i == 0));
    assert_string_equal(group_phase_name(GROUP_REFERENCE), "reference");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_share_a_process), cmocka_unit_test(one_that_fails_costs_itself),
        cmocka_unit_test(one_that_is_not_there_is_told), cmocka_unit_test(phases_survive_their_text)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
