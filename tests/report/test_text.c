/* How times, paths and head comments read. */
#include "tests/unit.h"
#include "report/report_text.h"
#include <math.h>
#include <unistd.h>

static void times_keep_their_digits(void **state)
{
    static const struct {
        double us;
        const char *text;
    } cases[] = {{3.05, "3.050"},  {31.234, "31.23"}, {312.34, "312.3"},
                 {3123.4, "3123"}, {NAN, "-"},        {INFINITY, "-"}};
    char out[64];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        text_us(out, sizeof out, cases[i].us);
        assert_string_equal(out, cases[i].text);
    }
}

static void intervals_set_the_digits(void **state)
{
    static const struct {
        double mean, half;
        const char *text;
    } cases[] = {{72.314, 0.05, "72.31 ± 0.05"},
                 {72.314, 3, "72 ± 3"},
                 {5, 0.0001, "5.000 ± 0.000"},
                 {9.5, 0.96, "10 ± 1"},
                 {7, NAN, "7.000"}};
    char out[64];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const report_times times = {.mean_us = cases[i].mean,
                                    .low_us = cases[i].mean - cases[i].half,
                                    .high_us = cases[i].mean + cases[i].half};
        text_us_interval(out, sizeof out, &times);
        assert_string_equal(out, cases[i].text);
    }
}

/* A loss never reads as a tie. */
static void ratios_do_not_round_up_to_one(void **state)
{
    static const struct {
        double ratio;
        const char *text;
    } cases[] = {{1, "1.00x"},     {0.9999, "0.999x"}, {0.996, "0.996x"}, {0.994, "0.99x"},
                 {1.004, "1.00x"}, {23.45, "23.4x"},   {123.4, "123x"},   {NAN, "-"}};
    char out[32];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        text_ratio(out, sizeof out, cases[i].ratio);
        assert_string_equal(out, cases[i].text);
    }
}

static void units_are_scaled(void **state)
{
    char out[32];
    text_scaled(out, sizeof out, 201326592, "B");
    assert_string_equal(out, "201 MB");
    text_scaled(out, sizeof out, 999.9e9, "B/s");
    assert_string_equal(out, "1.00 TB/s");
    text_scaled(out, sizeof out, 12, "B");
    assert_string_equal(out, "12 B");
    text_intensity(out, sizeof out, 1365.33);
    assert_string_equal(out, "1365");
    text_intensity(out, sizeof out, 0.16667);
    assert_string_equal(out, "0.167");
}

static void markdown_is_escaped_and_cut_between_characters(void **state)
{
    char out[64];
    text_markdown(out, sizeof out, "a|b\nc", 0);
    assert_string_equal(out, "a\\|b c");
    text_markdown(out, sizeof out, "±±±±", 2);
    assert_string_equal(out, "±±…");
    text_markdown(out, sizeof out, "abc", 3);
    assert_string_equal(out, "abc");
}

static void paths_are_relative(void **state)
{
    char out[4200], here[4200];
    text_relative(out, sizeof out, "/none/logs", "/none/plots/a.svg");
    assert_string_equal(out, "../plots/a.svg");
    text_relative(out, sizeof out, "/none/logs", "/none/logs/a.md");
    assert_string_equal(out, "a.md");
    text_relative(out, sizeof out, "/none/logs/card", "/none/plots/card/a.svg");
    assert_string_equal(out, "../../plots/card/a.svg");
    text_relative(out, sizeof out, "/none", "/none/ops/add/v1.cu");
    assert_string_equal(out, "ops/add/v1.cu");
    text_relative(out, sizeof out, "/none/ab", "/none/abc/x");
    assert_string_equal(out, "../abc/x");
    text_relative(out, sizeof out, "/none/logs", "/elsewhere/x");
    assert_string_equal(out, "/elsewhere/x");
    assert_non_null(getcwd(here, 4000));
    strcat(here, "/none-logs");
    text_relative(out, sizeof out, here, "none-plots/x");
    assert_string_equal(out, "../none-plots/x");
}

static void check_head(const char *source, const char *title, const char *technique)
{
    text_buffer a = {0}, b = {0};
    text_head_comment(source, &a, &b);
    assert_string_equal(text_get(&a), title);
    assert_string_equal(text_get(&b), technique);
    text_release(&a);
    text_release(&b);
}

static void head_comments_give_title_and_technique(void **state)
{
    check_head("// add, step 1: one thread.\n//\n// Body of\n// two lines.\n// Tunables: A,\n// more of "
               "A.\n#include <x>\n// not this\n",
               "add, step 1: one thread", "Body of\ntwo lines.");
    check_head("/* Title.\n *\n * Body.\n */\nint x;\n", "Title", "Body.");
    check_head("/* Only a title */\nint x;\n", "Only a title", "");
    check_head("int x; // no head\n", "", "");
    check_head("", "", "");
    check_head("// Title\r\n//\r\n// Body\r\n", "Title", "Body");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_keep_their_digits),
        cmocka_unit_test(intervals_set_the_digits),
        cmocka_unit_test(ratios_do_not_round_up_to_one),
        cmocka_unit_test(units_are_scaled),
        cmocka_unit_test(markdown_is_escaped_and_cut_between_characters),
        cmocka_unit_test(paths_are_relative),
        cmocka_unit_test(head_comments_give_title_and_technique),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
