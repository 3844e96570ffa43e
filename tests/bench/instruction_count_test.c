/* The processor's counter of instructions, where there is one: it follows the work, and the same work counts the same. */
#include "tests/unit.h"
#include "bench/run/instruction_count.h"

static double work(int steps)
{
    const double before = instruction_count_now();
    volatile unsigned sum = 0;
    for (int i = 0; i < steps; i++)
        sum = sum * 3 + 1;
    return instruction_count_now() - before;
}

static void counts_follow_the_work(void **state)
{
    enum { STEPS = 1000000 };
    instruction_count_open();
    if (instruction_count_now() < 0) {
        print_message("this machine's processor has no counter for its users\n");
        skip();
    }
    const double once = work(STEPS), again = work(STEPS), twice = work(2 * STEPS);
    instruction_count_close();
    assert_true(once > 2.0 * STEPS);
    assert_true(again > 0.99 * once && again < 1.01 * once);
    assert_true(twice > 1.98 * once && twice < 2.02 * once);
}

static void nothing_is_known_without_a_counter(void **state)
{
    instruction_count_close();
    assert_true(instruction_count_now() < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(counts_follow_the_work),
                                       cmocka_unit_test(nothing_is_known_without_a_counter)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
