/* The terminal's table. */
#include "expect.h"
#include "fixture.h"

static void the_whole_table_names_everything(void **state)
{
    fixture f;
    fixture_open(&f, NULL, "cuda");
    fixture_fill_golden(&f);
    char *text = table_text(&f, 1);
    compare_expected(text, "table.txt");
    free(text);
    fixture_close(&f);
}

static void check_screen(const char *text, int most_lines)
{
    int lines = 0;
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1, lines++)
        if (strcspn(line, "\n") > 110)
            fail_msg("%zu columns: %.*s", strcspn(line, "\n"), (int)strcspn(line, "\n"), line);
    if (lines > most_lines)
        fail_msg("%d lines:\n%s", lines, text);
}

/* One op and dtype, and everything of a card: both fit a screen. */
static void the_table_fits_a_screen(void **state)
{
    fixture f;
    fixture_open(&f, NULL, "cuda");
    fixture_fill_golden(&f);
    char *text = table_text(&f, 0);
    check_screen(text, 24);
    assert_has(text, "* v4_optimized");
    assert_has(text, "  best baseline");
    assert_null(strstr(text, "unranked"));
    free(text);
    fixture_fill_card(&f);
    text = table_text(&f, 0);
    check_screen(text, 24);
    assert_has(text, "product         bf16  v4_optimized");
    free(text);
    fixture_close(&f);
}

static void table_of(const fixture_case *kernel, const char *verdict, const char *expected)
{
    fixture f;
    const fixture_case baseline = {
        .op = "scale", .name = "baseline_torch", .dtype = "f32", .size = "small", .cold_us = 10};
    fixture_open(&f, NULL, "cuda");
    fixture_ceilings(&f);
    fixture_result(&f, &baseline);
    fixture_result(&f, kernel);
    fixture_verdict(&f, kernel, verdict, "", NULL);
    char *text = table_text(&f, 0);
    assert_has(text, expected);
    free(text);
    fixture_close(&f);
}

static void the_table_says_what_a_win_lacks(void **state)
{
    fixture_case c = {.op = "scale", .name = "v1_baseline", .dtype = "f32", .size = "small", .cold_us = 20};
    table_of(&c, "pass", "0.50x  loss\n");
    table_of(&c, "fail", "  incomplete: no kernel has a time\n");
    c.cold_us = 5;
    table_of(&c, "pass", "2.00x  win\n");
    c.status = "unstable";
    table_of(&c, "pass", "  incomplete: a time of the best kernel is unstable\n");
    c.status = NULL;
    c.cold_us = 0.13;
    table_of(&c, "pass", "  incomplete: a time of the best kernel is above its roofline bound");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_whole_table_names_everything),
        cmocka_unit_test(the_table_fits_a_screen),
        cmocka_unit_test(the_table_says_what_a_win_lacks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
