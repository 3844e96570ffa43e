/* Reading compute-sanitizer's output: what was found first, where, and in which problem. */
#include "tests/unit.h"
#include "verify/sanitize_report.h"

static sanitize_report read_text(const char *text)
{
    sanitize_report report;
    sanitize_read_report(text, &report);
    return report;
}

static void a_clean_run_has_a_closing_line(void **state)
{
    const sanitize_report report =
        read_text("========= COMPUTE-SANITIZER\nstep: bare\nstep: one\n========= ERROR SUMMARY: 0 errors\n");
    assert_int_equal(report.found, 1);
    assert_int_equal(report.errors, 0);
    assert_string_equal(report.first, "");
    const sanitize_report race =
        read_text("========= COMPUTE-SANITIZER\n========= RACECHECK SUMMARY: 0 hazards displayed "
                  "(0 errors, 0 warnings)\n");
    assert_true(race.found && race.errors == 0);
}

static void the_first_report_is_placed(void **state)
{
    const sanitize_report report = read_text("========= COMPUTE-SANITIZER\n"
                                             "step: bare\n"
                                             "step: primes\n"
                                             "========= Invalid __global__ read of size 4 bytes\n"
                                             "=========     at kernel(const float *)+0x70 in add.cu:12\n"
                                             "=========     by thread (0,0,0) in block (0,0,0)\n"
                                             "=========\n"
                                             "step: huge\n"
                                             "========= Invalid __global__ write of size 4 bytes\n"
                                             "=========     at other+0x10\n"
                                             "========= Target application returned an error\n"
                                             "========= ERROR SUMMARY: 2 errors\n");
    assert_int_equal(report.errors, 2);
    assert_string_equal(report.first,
                        "Invalid __global__ read of size 4 bytes at kernel(const float *)+0x70 in add.cu:12");
    assert_string_equal(report.step, "primes");
}

static void hazards_count_whatever_their_severity(void **state)
{
    const sanitize_report report =
        read_text("========= COMPUTE-SANITIZER\n"
                  "step: bare\n"
                  "========= Warning: Race reported between Read access at k+0x10 in a.cu:3\n"
                  "=========     and Write access at k+0x20 in a.cu:4 [8 hazards]\n"
                  "========= RACECHECK SUMMARY: 1 hazard displayed (0 errors, 1 warning)\n");
    assert_int_equal(report.errors, 1);
    assert_non_null(
        strstr(report.first, "Race reported between Read access at k+0x10 in a.cu:3 and Write access"));
}

static void a_tool_that_broke_off_has_none(void **state)
{
    assert_int_equal(read_text("========= COMPUTE-SANITIZER\n========= Error: no CUDA device\n").found, 0);
    assert_int_equal(read_text("").found, 0);
    assert_int_equal(read_text(NULL).found, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clean_run_has_a_closing_line),
        cmocka_unit_test(the_first_report_is_placed),
        cmocka_unit_test(hazards_count_whatever_their_severity),
        cmocka_unit_test(a_tool_that_broke_off_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
