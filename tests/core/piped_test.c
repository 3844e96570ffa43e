/* Programs in pipes: both directions at once, ends, limits. */
#include "tests/unit.h"
#include "core/piped.h"

static process_result run(const char *script, const char *input, double limit_s, piped *p)
{
    process_result result;
    assert_int_equal(piped_start((const char *const[]){"/bin/sh", "-c", script, NULL}, input, p, NULL),
                     ASSAY_OK);
    piped_finish(p, limit_s, &result);
    return result;
}

/* More than a pipe holds, each way, while nobody waits for the other. */
static void much_goes_through_both_ways(void **state)
{
    enum { BYTES = 1 << 20 };
    piped p;
    char *input = malloc(BYTES + 1);
    memset(input, 'x', BYTES);
    input[BYTES] = '\0';
    const process_result result = run("cat; echo done >&2", input, 60, &p);
    assert_int_equal(result.end, PROCESS_EXITED);
    assert_int_equal(result.code, 0);
    assert_int_equal(p.output_bytes, BYTES);
    assert_memory_equal(p.output, input, BYTES);
    assert_string_equal(p.messages, "done\n"); /* apart from the output */
    piped_release(&p);
    free(input);
}

static void input_that_nobody_reads_is_no_error(void **state)
{
    enum { BYTES = 1 << 20 };
    piped p;
    char *input = calloc(1, BYTES + 1);
    memset(input, 'x', BYTES);
    const process_result result = run("exec <&-; sleep 0.2; echo early; exit 5", input, 60, &p);
    assert_int_equal(result.end, PROCESS_EXITED);
    assert_int_equal(result.code, 5);
    assert_string_equal(p.output, "early\n");
    piped_release(&p);
    free(input);
}

static void a_time_limit_ends_all_that_was_started(void **state)
{
    piped p;
    const process_result result = run("echo begun; sleep 100 & sleep 100", NULL, 0.5, &p);
    assert_int_equal(result.end, PROCESS_TIMED_OUT);
    assert_string_equal(p.output, "begun\n");
    assert_true(result.seconds < 30);
    piped_release(&p);
}

static void a_program_that_is_not_there_is_named(void **state)
{
    piped p;
    assay_error error = {0};
    assert_int_equal(piped_start((const char *const[]){"/nonexistent/program", NULL}, "x", &p, &error),
                     ASSAY_ERR_ENVIRONMENT);
    assert_non_null(strstr(error.message, "/nonexistent/program"));
    piped_release(&p);
}

static void releasing_ends_what_runs(void **state)
{
    piped p;
    assert_int_equal(piped_start((const char *const[]){"/bin/sleep", "100", NULL}, NULL, &p, NULL), ASSAY_OK);
    piped_release(&p);
    assert_int_equal(p.pid, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(much_goes_through_both_ways),
        cmocka_unit_test(input_that_nobody_reads_is_no_error),
        cmocka_unit_test(a_time_limit_ends_all_that_was_started),
        cmocka_unit_test(a_program_that_is_not_there_is_named),
        cmocka_unit_test(releasing_ends_what_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
