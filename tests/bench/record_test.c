/* What a record has room for, and the method of a device. */
#include "test.h"
#include "bench/plan/plan.h"
#include <string.h>

/* A record holds each timing mode once; a seventh of six once wrote behind it. */
static void a_record_has_room_for_every_mode(void **state)
{
    (void)state;
    assert_int_equal(RECORD_MOST_FIGURES, TIMING_MODES);
}

static void a_method_is_that_of_the_device(void **state)
{
    (void)state;
    static const char *const families[] = {"elementwise", "matrix"};
    for (int i = 0; i < 4; i++) {
        const int quick = i / 2, products = i % 2;
        bench_method card, host;
        timing_modes modes = 0;
        bench_method_default(&card, "cuda", families[products], quick);
        bench_method_default(&host, "cpu", families[products], quick);
        assert_int_equal(host.repetitions, quick ? 3 : 10);
        assert_int_equal(timing_modes_parse(card.figures, &modes, NULL), ASSAY_OK);
        assert_true(modes & timing_mode_bit(TIMING_HOT));
        /* a quick run has no time for a steady state */
        assert_int_equal(!!(modes & timing_mode_bit(TIMING_SUSTAINED)), products && !quick);
        assert_string_equal(host.figures, quick ? "cold" : "cold,hot");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_record_has_room_for_every_mode),
                                       cmocka_unit_test(a_method_is_that_of_the_device)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
