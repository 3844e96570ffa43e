/* Reading a card's health: with a stand-in for NVML (argument "present"), and without any library ("absent").
 */
#include "tests/unit.h"
#include "device/cuda/nvml.h"

static const char uuid[] = "GPU-01234567-89ab-cdef-0123-456789abcdef";

static void reads_the_card(void **state)
{
    nvml_session session;
    assay_device_health health;
    nvml_open(&session, uuid);
    assert_string_equal(session.driver, "999.88.77");
    nvml_read(&session, &health);
    assert_near(health.sm_mhz, 1980.0, 0.0);
    assert_near(health.memory_mhz, 2619.0, 0.0);
    assert_near(health.power_w, 653.5, 1e-9);
    assert_near(health.temperature_c, 61.0, 0.0);
    assert_int_equal(health.reasons, 0x4);
    nvml_close(&session);
}

static void assert_all_unknown(const assay_device_health *health)
{
    assert_true(health->sm_mhz < 0.0 && health->memory_mhz < 0.0 && health->power_w < 0.0 &&
                health->temperature_c < 0.0);
    assert_int_equal(health->reasons, -1);
}

static void does_not_take_another_card(void **state)
{
    nvml_session session;
    assay_device_health health;
    nvml_open(&session, "GPU-ffffffff-0000-0000-0000-000000000000");
    nvml_read(&session, &health);
    assert_all_unknown(&health);
    nvml_close(&session);
}

static void works_without_the_library(void **state)
{
    nvml_session session;
    assay_device_health health;
    nvml_open(&session, uuid);
    if (session.library) { /* a real driver is here: then there is nothing to be seen without one */
        nvml_close(&session);
        skip();
    }
    nvml_read(&session, &health);
    assert_all_unknown(&health);
    assert_string_equal(session.driver, "");
    nvml_close(&session);
    nvml_close(&session); /* twice is fine */
}

int main(int argc, char **argv)
{
    const struct CMUnitTest present[] = {cmocka_unit_test(reads_the_card),
                                         cmocka_unit_test(does_not_take_another_card)};
    const struct CMUnitTest absent[] = {cmocka_unit_test(works_without_the_library)};
    if (argc == 2 && strcmp(argv[1], "present") == 0)
        return cmocka_run_group_tests(present, NULL, NULL);
    return cmocka_run_group_tests(absent, NULL, NULL);
}
