/* Expressions: values, precedence, errors with their column, and bounds. */
#include "test.h"

static const char *const names[] = {"BLOCK_M", "STAGES", "layout", "ratio", "flag", "N"};
static expression_value values[6];

static int set_up(void **state)
{
    (void)state;
    values[0] = value_integer(128);
    values[1] = value_integer(4);
    values[2] = value_text("row");
    values[3] = value_real(0.5);
    values[4] = value_boolean(1);
    values[5] = value_integer(4096);
    return 0;
}

/* The result as text, or "column N: ..." of the error. */
static const char *result_of(const char *text)
{
    static char out[600];
    expression *e = NULL;
    assay_error error = {0};
    expression_value result;
    if (expression_parse(text, names, 6, &e, &error) == ASSAY_OK &&
        expression_evaluate(e, values, &result, &error) == ASSAY_OK)
        value_format(&result, out, sizeof out);
    else
        snprintf(out, sizeof out, "%s", error.message);
    expression_free(e);
    return out;
}

typedef struct example {
    const char *text, *result;
} example;

/* What Python 3 gives for the same text, where it has the function (it writes 1e3 as 1000.0). */
static void test_values(void **state)
{
    static const example examples[] = {
        {"1 + 2 * 3", "7"},
        {"(1 + 2) * 3", "9"},
        {"7 // 2", "3"},
        {"-7 // 2", "-4"},
        {"-7 % 3", "2"},
        {"7 % -3", "-2"},
        {"(-9223372036854775807 - 1) % 7", "6"},
        {"(-9223372036854775807 - 1) // 7", "-1317624576693539402"},
        {"7 / 2", "3.5"},
        {"8 / 2", "4.0"},
        {"2 ** 3 ** 2", "512"},
        {"-2 ** 2", "-4"},
        {"2 ** -1", "0.5"},
        {"7.5 // 2", "3.0"},
        {"0x10", "16"},
        {"1e3", "1e+03"},
        {"BLOCK_M * STAGES <= 512", "True"},
        {"32 <= BLOCK_M < 128", "False"},
        {"32 <= BLOCK_M <= 128 != 5", "True"},
        {"BLOCK_M in [64, 128]", "True"},
        {"BLOCK_M not in (64, 128)", "False"},
        {"layout == \"row\" and flag", "True"},
        {"layout == 'column' or not flag", "False"},
        {"not BLOCK_M == 64", "True"},
        {"!flag || STAGES == 4 && 1", "True"},
        {"flag == 1", "True"},
        {"1 == 1.0", "True"},
        {"\"1\" == 1", "False"},
        {"min(3, 1, 2) + max([4, 9])", "10"},
        {"ceil_div(N, 100)", "41"},
        {"ceil_div(-7, 2)", "-3"},
        {"round_up(130, 64)", "192"},
        {"is_power_of_two(BLOCK_M)", "True"},
        {"abs(-3) + int(2.9) + len(range(5))", "10"},
        {"sum(x * x for x in range(4))", "14"},
        {"[16 * i for i in range(1, 5) if i != 3][2]", "64"},
        {"len([i for i in [j for j in range(9) if j % 2]])", "4"},
        {"64 if flag else 32", "64"},
        {"False and 1 // 0", "False"},
        {"True or 1 // 0", "True"},
        {"STAGES == 0 or N % STAGES == 0", "True"},
        {"9223372036854775807", "9223372036854775807"},
        {"ratio * 2", "1.0"},
        {"log2(N)", "12.0"},
        {"[1, 2] == [1, 2]", "True"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
        if (strcmp(result_of(examples[i].text), examples[i].result) != 0)
            fail_msg("%s gives %s, not %s", examples[i].text, result_of(examples[i].text),
                     examples[i].result);
}

static void test_errors(void **state)
{
    static const example examples[] = {
        {"", "column 1: the expression ends"},
        {"BLOCK_M *", "column 10: the expression ends"},
        {"BLOCK_M = 4", "column 9: \"=\" compares nothing; use \"==\""},
        {"BLOCK_X > 4", "column 1: \"BLOCK_X\" is not known; there are: BLOCK_M, STAGES"},
        {"(BLOCK_M", "column 9: \")\" is expected"},
        {"[1, 2", "column 6: a comma or \"]\" is expected"},
        {"4 4", "column 3: an operator or the end is expected"},
        {"1 $ 2", "column 3: \"$\" is not part of the language"},
        {"9223372036854775808", "column 1: the integer is beyond 64 bits"},
        {"9223372036854775807 + 1", "column 21: the result is beyond 64 bits"},
        {"-9223372036854775807 - 2", "column 22: the result is beyond 64 bits"},
        {"3037000500 * 3037000500", "column 12: the result is beyond 64 bits"},
        {"2 ** 63", "column 3: the result is beyond 64 bits"},
        {"BLOCK_M // (STAGES - 4)", "column 9: division by zero"},
        {"1 + layout", "column 3: numbers are expected on both sides"},
        {"layout < 3", "column 10: two numbers or two texts are expected"},
        {"3 in 4", "column 6: a list is expected after \"in\""},
        {"1e400", "column 1: the number is too large"},
        {"1e300 * 1e300", "column 7: the result is no finite number"},
        {"\"open", "column 1: the text has no closing quote"},
        {"range(100000)", "column 1: the lists of this expression are too long"},
        {"ceil_div(4)", "column 1: too few or too many arguments"},
        {"[1, 2][2]", "column 7: the index is outside the list"},
        {"__import__('os')", "column 1: \"__import__\" is not known"},
        {"3x", "column 1: this is no number"},
        {"1 if flag", "column 10: \"else\" is expected"},
        {"sum(sum(x for x in range(1000)) for y in range(1000)) > 0", "column"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
        if (strncmp(result_of(examples[i].text), examples[i].result, strlen(examples[i].result)) != 0)
            fail_msg("%s gives \"%s\", not \"%s\"", examples[i].text, result_of(examples[i].text),
                     examples[i].result);
}

static void test_bounds(void **state)
{
    char deep[400] = "", high[EXPRESSION_MAX_TEXT + 10] = "1";
    (void)state;
    for (int i = 0; i < 100; i++)
        strcat(deep, "(");
    assert_non_null(strstr(result_of(deep), "nested too deeply"));
    for (int i = 0; i < 1000; i++)
        strcat(high, "+1");
    assert_string_equal(result_of(high), "1001");
    for (int i = 0; i < 1000; i++)
        strcat(high, "+1");
    assert_non_null(strstr(result_of(high), "too many operators"));
    memset(high, ' ', sizeof high - 1);
    high[sizeof high - 1] = '\0';
    assert_non_null(strstr(result_of(high), "longer than"));
}

static void test_uses(void **state)
{
    expression *e = NULL;
    (void)state;
    ASSERT_OK(expression_parse("BLOCK_M > 0 and N > 1 if flag else True", names, 6, &e, failure));
    assert_int_equal(expression_uses(e), 1 | 1 << 4 | 1 << 5);
    expression_free(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_values), cmocka_unit_test(test_errors),
                                       cmocka_unit_test(test_bounds), cmocka_unit_test(test_uses)};
    return cmocka_run_group_tests(tests, set_up, NULL);
}
