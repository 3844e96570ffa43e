/* Reading what ncu prints: text as version 2025.3 writes it, shortened. */
#include "tests/unit.h"
#include "bench/run/counters.h"

#define HEADER                                                                                         \
    "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\","     \
    "\"Block Size\",\"Grid Size\",\"Device\",\"CC\",\"Section Name\",\"Metric Name\",\"Metric Unit\"," \
    "\"Metric Value\"\n"
#define ROW(id, name, unit, value)                                                                        \
    "\"" id "\",\"77\",\"assay-launch-case\",\"127.0.0.1\",\"void add<float>(const \"\"x\"\", int)\","    \
    "\"1\",\"13\",\"(256, 1, 1)\",\"(64, 1, 1)\",\"0\",\"9.0\",\"Command line profiler metrics\",\"" name \
    "\",\"" unit "\",\"" value "\"\n"
#define KERNEL(id, read, written, l2, ns)             \
    ROW(id, "dram__bytes_read.sum", "byte", read)     \
    ROW(id, "dram__bytes_write.sum", "byte", written) \
    ROW(id, "gpu__time_duration.sum", "ns", ns) ROW(id, "lts__t_bytes.sum", "byte", l2)

static void adds_up_the_kernels_of_a_launch(void **state)
{
    static const char text[] = "==PROF== Connected to process 77\n==PROF== Disconnected\n" HEADER KERNEL(
        "0", "134,217,728", "47,000,000", "201,326,592", "61,408")
        KERNEL("1", "1,000", "24", "2,000", "2,000");
    launch_counters c;
    assay_error error = {0};
    assert_int_equal(counters_parse(text, &c, &error), ASSAY_OK);
    assert_int_equal(c.kernels, 2);
    assert_near(c.dram_bytes, 134217728.0 + 47000000.0 + 1024.0, 0.0);
    assert_near(c.l2_bytes, 201328592.0, 0.0);
    assert_near(c.duration_us, 63.408, 1e-9);
}

static void quotes_what_ncu_complains_of(void **state)
{
    launch_counters c;
    assay_error error = {0};
    assert_int_equal(counters_parse("==PROF== Connected\n==ERROR== Profiling is not supported\n", &c, &error),
                     ASSAY_ERR_FORMAT);
    assert_non_null(strstr(error.message, "Profiling is not supported"));
    assert_int_equal(counters_parse("", &c, &error), ASSAY_ERR_FORMAT);
}

static void a_metric_that_is_missing_is_an_error(void **state)
{
    launch_counters c;
    assay_error error = {0};
    static const char without[] = HEADER ROW("0", "dram__bytes_read.sum", "byte", "1");
    assert_int_equal(counters_parse(without, &c, &error), ASSAY_ERR_FORMAT);
    assert_non_null(strstr(error.message, "dram__bytes_write.sum"));
    error = (assay_error){0};
    static const char unknown[] = HEADER KERNEL("0", "1", "2", "n/a", "4") KERNEL("1", "1", "2", "3", "4");
    assert_int_equal(counters_parse(unknown, &c, &error), ASSAY_ERR_FORMAT);
    assert_non_null(strstr(error.message, "lts__t_bytes.sum"));
    assert_int_equal(counters_parse("\"ID\",\"Name\"\n\"0\",\"x\"\n", &c, &error), ASSAY_ERR_FORMAT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adds_up_the_kernels_of_a_launch),
        cmocka_unit_test(quotes_what_ncu_complains_of),
        cmocka_unit_test(a_metric_that_is_missing_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
