/* The method of a device. */
#include "tests/unit.h"
#include "bench/plan/plan.h"

static void a_method_is_that_of_the_device(void **state)
{
    static const char *const families[] = {"elementwise", "matrix"};
    for (int i = 0; i < 4; i++) {
        const int quick = i / 2, products = i % 2;
        bench_method card, host;
        bench_method_default(&card, "cuda", families[products], quick);
        bench_method_default(&host, "cpu", families[products], quick);
        assert_int_equal(host.repetitions, quick ? 3 : 10);
        assert_true(card.modes & timing_mode_bit(TIMING_HOT));
        /* a quick run has no time for a steady state */
        assert_int_equal(!!(card.modes & timing_mode_bit(TIMING_SUSTAINED)), products && !quick);
        assert_int_equal(host.modes,
                         timing_mode_bit(TIMING_COLD) | (quick ? 0 : timing_mode_bit(TIMING_HOT)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_method_is_that_of_the_device)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
