/* The thread that watches the card: what goes to which log, and that it stops. */
#include "tests/unit.h"
#include "bench/timing/clock.h"
#include "bench/environment/health_sampler.h"
#include <math.h>

typedef struct card {
    int asked; /* by one thread at a time: the test reads it when nobody is watched */
    double sm_mhz;
} card;

static assay_status read_card(void *context, assay_device_health *health)
{
    card *c = context;
    c->asked++;
    *health = (assay_device_health){c->sm_mhz, -1.0, 100.0 + c->asked, 40.0, c->asked % 2 ? 0x4 : 0x4 | 0x20};
    return ASSAY_OK;
}

static double sm_of(const assay_device_health *h)
{
    return h->sm_mhz;
}

static double memory_of(const assay_device_health *h)
{
    return h->memory_mhz;
}

static double power_of(const assay_device_health *h)
{
    return h->power_w;
}

static void fills_the_log_that_is_watched(void **state)
{
    card c = {.sm_mhz = 1980.0};
    health_log first = {0}, second = {0};
    health_sampler *s = health_sampler_start(read_card, &c, 5.0);
    assert_non_null(s);
    clock_sleep_ms(30.0);
    assert_int_equal(c.asked, 1); /* once at the start; nobody is watched */
    health_sampler_watch(s, &first);
    clock_sleep_ms(150.0);
    health_sampler_watch(s, &second);
    const int in_first = first.count;
    clock_sleep_ms(100.0);
    health_sampler_watch(s, NULL);
    assert_int_equal(first.count, in_first);
    assert_in_range(first.count, 3, 31); /* a busy machine may skip some, never add any */
    assert_true(second.count >= 2);
    assert_true(health_log_summarise(&first, sm_of).median == 1980.0);
    assert_true(isnan(health_log_summarise(&first, memory_of).min));
    const health_summary power = health_log_summarise(&first, power_of);
    assert_true(power.min < power.median && power.median < power.max);
    assert_int_equal(health_log_reasons(&first, 0), 0x24);
    assert_int_equal(health_log_reasons(&first, first.count), 0);
    health_sampler_stop(s);
    health_log_release(&first);
    health_log_release(&second);
}

/* Repetitions of 15 ms with a period of 40: about one in three is sampled, and none twice. */
static void short_turns_get_their_share(void **state)
{
    enum { TURNS = 30 };
    card c = {.sm_mhz = 1980.0};
    health_log logs[TURNS] = {{0}};
    int sampled = 0;
    health_sampler *s = health_sampler_start(read_card, &c, 40.0);
    for (int i = 0; i < TURNS; i++) {
        health_sampler_watch(s, &logs[i]);
        clock_sleep_ms(15.0);
        health_sampler_watch(s, NULL);
        clock_sleep_ms(1.0);
    }
    health_sampler_stop(s);
    for (int i = 0; i < TURNS; i++) {
        assert_true(logs[i].count <= 2); /* a busy machine may stretch a repetition */
        sampled += logs[i].count;
        health_log_release(&logs[i]);
    }
    assert_in_range(sampled, 3, 16);
}

/* One that is over before anything could be told of it. */
static void empty_turns_are_skipped(void **state)
{
    card c = {.sm_mhz = 1980.0};
    health_log log = {0};
    health_sampler *s = health_sampler_start(read_card, &c, 1000.0);
    for (int i = 0; i < 20; i++) {
        health_sampler_watch(s, &log);
        health_sampler_watch(s, NULL);
    }
    health_sampler_stop(s);
    assert_int_equal(log.count, 0);
}

static void does_not_start_for_a_silent_card(void **state)
{
    card c = {.sm_mhz = 1980.0};
    assert_null(health_sampler_start(read_card, &c, 0.0));
    health_sampler_watch(NULL, NULL);
    health_sampler_stop(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fills_the_log_that_is_watched),
        cmocka_unit_test(short_turns_get_their_share),
        cmocka_unit_test(empty_turns_are_skipped),
        cmocka_unit_test(does_not_start_for_a_silent_card),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
