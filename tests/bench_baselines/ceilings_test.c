/* Tests of the ceilings' statistics and of the object that is written, measured for real on the CPU device. */
#include "tests/unit.h"
#include "bench/ceilings/ceilings.h"
#include "bench/ceilings/ceilings_list.h"
#include "core/json_file.h"

static void test_median(void **state)
{
    double odd[] = {3.0, 1.0, 2.0}, even[] = {4.0, 1.0, 2.0, 3.0};
    assert_true(ceiling_median(odd, 3) == 2.0);
    assert_true(ceiling_median(even, 4) == 2.5);
    assert_true(ceiling_median(odd, 0) == 0.0);
}

static void test_add(void **state)
{
    ceiling_list list = {.count = 0};
    assay_error error = {ASSAY_OK, ""};
    double samples[] = {5.0, 9.0, 7.0};
    assert_int_equal(ceiling_add(&list, "copy", "GB/s", samples, 3, 10.0, &error, "%d samples", 3), ASSAY_OK);
    assert_int_equal(list.count, 1);
    assert_true(list.items[0].min == 5.0 && list.items[0].median == 7.0 && list.items[0].max == 9.0);
    assert_string_equal(list.items[0].method, "3 samples");
    assert_int_equal(ceiling_add(&list, "read", "GB/s", samples, 0, 0.0, &error, "none"), ASSAY_ERR_INVALID);
    assert_non_null(strstr(error.message, "read"));
    error = (assay_error){ASSAY_OK, ""};
    assert_int_equal(ceiling_add(&list, "shared", "GB/s", samples, 3, 2.0, &error, "too fast"),
                     ASSAY_ERR_DEVICE);
    assert_non_null(strstr(error.message, "did not do its work"));
}

static void check_item(const json_t *item)
{
    const double low = json_get_number(item, "min", -1.0), high = json_get_number(item, "max", -1.0);
    const double median = json_get_number(item, "median", -1.0);
    assert_true(low > 0.0 && low <= median && median <= high);
    assert_true(json_is_null(json_object_get(item, "theoretical")));
    assert_true(json_get_number(item, "samples", 0) >= 11 && json_get_number(item, "stddev", -1.0) >= 0.0);
    assert_true(strlen(json_get_text(item, "method", "")) > 10);
}

static void test_cpu_device(void **state)
{
    static const char *const names[] = {"copy", "read", "write", "fma_f32", "launch_latency"};
    static const char *const units[] = {"GB/s", "GB/s", "GB/s", "TFLOP/s", "us"};
    assay_error error = {ASSAY_OK, ""};
    assay_device *device = NULL;
    json_t *ceilings = NULL;
    assert_int_equal(assay_device_open("cpu", 0, &device, &error), ASSAY_OK);
    assert_int_equal(ceilings_measure(device, &ceilings, &error), ASSAY_OK);
    assert_int_equal(json_get_int(ceilings, "schema", 0), 1);
    assert_int_equal(json_get_int(ceilings, "revision", 0), CEILINGS_REVISION);
    assert_string_equal(json_get_text(json_object_get(ceilings, "device"), "kind", ""), "cpu");
    const json_t *items = json_object_get(ceilings, "ceilings");
    assert_int_equal(json_array_size(items), 5);
    for (size_t i = 0; i < 5; i++) {
        const json_t *item = json_array_get(items, i);
        assert_string_equal(json_get_text(item, "name", ""), names[i]);
        assert_string_equal(json_get_text(item, "unit", ""), units[i]);
        check_item(item);
    }
    json_decref(ceilings);
    assay_device_close(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_median),
        cmocka_unit_test(test_add),
        cmocka_unit_test(test_cpu_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
