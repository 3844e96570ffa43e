/* What a record has room for, and the method of a device. */
#include "test.h"
#include "bench/run/group.h"
#include "core/json_file.h"
#include "bench/run/result.h"
#include <string.h>

/* A record holds each timing mode once; a seventh of six once wrote behind it. */
static void a_record_has_room_for_every_mode(void **state)
{
    (void)state;
    assert_int_equal(RECORD_MOST_FIGURES, TIMING_MODES);
    for (int m = 0; m < TIMING_MODES; m++) {
        const figure_method *method = figure_method_find(timing_mode_name((timing_mode)m));
        assert_non_null(method);
        assert_string_equal(method->name, timing_mode_name((timing_mode)m));
        assert_int_equal(timing_mode_get((timing_mode)m)->flush == TIMING_FLUSH_READ, method->flush != NULL);
    }
    assert_null(figure_method_find("warm"));
}

/* A card's cold launches rest before each; a host has no queue to rest in. */
static void a_method_is_that_of_the_device(void **state)
{
    (void)state;
    static const char *const families[] = {"elementwise", "matrix"};
    for (int i = 0; i < 4; i++) {
        bench_method card, host;
        timing_modes modes = 0;
        bench_method_default(&card, "cuda", families[i % 2], i / 2);
        bench_method_default(&host, "cpu", families[i % 2], i / 2);
        assert_near(card.cold_rest_us, 100.0, 0.0);
        assert_near(host.cold_rest_us, 0.0, 0.0);
        assert_int_equal(host.repetitions, i / 2 ? 3 : 10);
        assert_int_equal(timing_modes_parse(card.figures, &modes, NULL), ASSAY_OK);
        assert_int_equal(!!(modes & timing_mode_bit(TIMING_SUSTAINED)), i % 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_record_has_room_for_every_mode),
                                       cmocka_unit_test(a_method_is_that_of_the_device)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
