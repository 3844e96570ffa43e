/* Words for methods, and launch overheads that differ by more than chance. */
#include "tests/unit.h"
#include "example_result.h"
#include "results/launch_overhead.h"
#include "results/method.h"
#include <math.h>

static const char *label(const result *r, timing_mode mode)
{
    static char text[METHOD_LABEL_BYTES];
    result_method_label(r, mode, text, sizeof text);
    return text;
}

static void test_labels(void **state)
{
    result *r = example_result();
    r->method.locked_mhz = 0;
    assert_string_equal(label(r, TIMING_COLD), "");
    snprintf(r->method.flush, sizeof r->method.flush, "read");
    assert_string_equal(label(r, TIMING_COLD), "flush by reading");
    assert_string_equal(label(r, TIMING_HOT), "");
    assert_string_equal(label(r, TIMING_COLD_READ), "");
    r->method.locked_mhz = 1500;
    assert_string_equal(label(r, TIMING_COLD), "flush by reading, clock locked at 1500 MHz");
    assert_string_equal(label(r, TIMING_HOT), "clock locked at 1500 MHz");
    r->method.locked_mhz = 0;
    r->times[TIMING_HOT].method_version = 0;
    char wanted[80];
    snprintf(wanted, sizeof wanted, "earlier method (version %d.0, now %d.%d)", RESULT_METHOD_VERSION,
             RESULT_METHOD_VERSION, timing_mode_get(TIMING_HOT)->version);
    assert_string_equal(label(r, TIMING_HOT), wanted);
    r->method.version = RESULT_METHOD_VERSION + 1;
    assert_non_null(strstr(label(r, TIMING_COLD), "later method"));
    result_free(r);
}

static void test_words(void **state)
{
    char text[METHOD_LABEL_BYTES];
    result *r = example_result();
    r->method.locked_mhz = 0;
    result_method_words(r, TIMING_COLD, text, sizeof text);
    assert_string_equal(text, "flush by memset");
    result_method_words(r, TIMING_HOT, text, sizeof text);
    assert_string_equal(text, "clock not locked");
    result_free(r);
}

static void test_overheads(void **state)
{
    assert_true(overhead_shift_us(3.0, 3.2, 0.1) > 0.19 && overhead_shift_us(3.0, 3.2, 0.1) < 0.21);
    assert_true(overhead_shift_us(3.0, 3.05, OVERHEAD_NOISE_US) == 0.0);
    assert_true(overhead_shift_us(NAN, 3.2, 0.1) == 0.0 && overhead_shift_us(3.0, -1.0, 0.1) == 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_labels), cmocka_unit_test(test_words),
                                       cmocka_unit_test(test_overheads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
