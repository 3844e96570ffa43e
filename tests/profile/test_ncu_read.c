/* Reading what ncu prints: texts as versions 2022 to 2025 write them, shortened. */
#include "tests/unit.h"
#include "profile/csv.h"
#include "profile/ncu_read.h"
#include <math.h>

#define RAW_HEAD                                                                                           \
    "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\",\"Block " \
    "Size\","                                                                                              \
    "\"Grid Size\",\"Device\",\"CC\","
#define RAW_UNITS "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\","
#define RAW_ROW(id, name)                               \
    "\"" id "\",\"77\",\"kinds\",\"127.0.0.1\",\"" name \
    "\",\"1\",\"7\",\"(256, 1, 1)\",\"(64, 1, 1)\",\"0\",\"9.0\","
#define DETAILS_HEAD                                                                                 \
    RAW_HEAD                                                                                         \
    "\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\",\"Rule Name\",\"Rule Type\"," \
    "\"Rule Description\",\"Estimated Speedup Type\",\"Estimated Speedup\"\n"
#define DETAIL(section, name, unit, value) \
    RAW_ROW("0", "copy(int)")              \
    "\"" section "\",\"" name "\",\"" unit "\",\"" value "\",\n"

static double value_of(const launch_profile *p, int kernel, metric_id id)
{
    return metric_value(&p->kernels[kernel].metrics, id);
}

static void raw_page_with_units_and_two_kernels(void **state)
{
    launch_profile p = {0};
    static const char text[] =
        "==PROF== Connected to process 77 (/tmp/kinds)\nkinds: \"a lone quote\n"
        "==PROF== Profiling \"copy\" - 0: 0%....50%....100% - 12 passes\n" RAW_HEAD
        "\"dram__bytes_read.sum\",\"gpu__time_duration.sum\",\"launch__waves_per_multiprocessor\","
        "\"unheard_of.sum\"\n" RAW_UNITS "\"Mbyte\",\"us\",\"\",\"\"\n" RAW_ROW(
            "0", "void copy<float, 4>(const \"\"x\"\", int)") "\"1,234.5\",\"61.4\",\"7.5\","
                                                              "\"3\"\n" RAW_ROW("1",
                                                                                "fill(int)") "\"0.5\","
                                                                                             "\"2\",\"n/"
                                                                                             "a\",\"3\"\n="
                                                                                             "=PROF== "
                                                                                             "Disconnected"
                                                                                             "\n";
    assert_int_equal(ncu_read_page(text, &p, NULL), ASSAY_OK);
    assert_int_equal(p.count, 2);
    assert_string_equal(p.kernels[0].name, "void copy<float, 4>(const \"x\", int)");
    assert_string_equal(p.kernels[0].block, "(256, 1, 1)");
    assert_string_equal(p.kernels[0].grid, "(64, 1, 1)");
    assert_near(value_of(&p, 0, METRIC_DRAM_READ), 1234.5e6, 1e-3);
    assert_near(value_of(&p, 0, METRIC_DURATION), 61400.0, 1e-6);
    assert_near(value_of(&p, 0, METRIC_WAVES), 7.5, 0.0);
    assert_true(isnan(value_of(&p, 1, METRIC_WAVES)));
    assert_int_equal(p.unusable, 1);
    assert_near(launch_profile_sum(&p, METRIC_DURATION), 63400.0, 1e-6);
    assert_true(isnan(launch_profile_sum(&p, METRIC_WAVES)));
    assert_ptr_equal(launch_profile_longest(&p), &p.kernels[0]);
    launch_profile_release(&p);
}

static void details_page_with_rules(void **state)
{
    launch_profile p = {0};
    static const char text[] = DETAILS_HEAD DETAIL("GPU Speed Of Light Throughput", "Memory Throughput", "%",
                                                   "93.25") DETAIL("GPU Speed Of Light Throughput",
                                                                   "Duration", "us", "61.41")
        DETAIL("GPU Speed Of Light Throughput", "SM Frequency", "Ghz", "1.98") DETAIL(
            "Memory Workload Analysis", "Memory Throughput", "Tbyte/s",
            "4.21") DETAIL("Command line profiler metrics", "lts__t_bytes.sum", "Kbyte", "12")
            DETAIL("Launch Statistics", "Static Shared Memory Per Block", "Kbyte/block", "1.02") RAW_ROW(
                "0",
                "copy(int)") "\"GPU Speed Of Light "
                             "Throughput\",\"\",\"\",\"\",\"SOLBottleneck\",\"OPT\",\"Memory is more "
                             "heavily utilized than Compute: look, at \"\"DRAM\"\".\",\"local\",\"12.5\"\n";
    assert_int_equal(ncu_read_page(text, &p, NULL), ASSAY_OK);
    assert_int_equal(p.count, 1);
    assert_near(value_of(&p, 0, METRIC_MEMORY_SOL), 93.25,
                0.0); /* not the bandwidth, which has the same label */
    assert_near(value_of(&p, 0, METRIC_DURATION), 61410.0, 1e-6);
    assert_near(value_of(&p, 0, METRIC_SM_MHZ), 1.98e9, 1.0);
    assert_near(value_of(&p, 0, METRIC_L2_BYTES), 12000.0, 0.0);
    assert_near(value_of(&p, 0, METRIC_STATIC_SHARED), 1020.0, 1e-9);
    assert_int_equal(p.kernels[0].rule_count, 1);
    assert_string_equal(p.kernels[0].rules[0].type, "OPT");
    assert_non_null(strstr(p.kernels[0].rules[0].text, "look, at \"DRAM\"."));
    assert_near(p.kernels[0].rules[0].speedup, 12.5, 0.0);
    launch_profile_release(&p);
}

/* Of the older columns, without rules; and the raw page's value stays where the details round it. */
static void pages_are_joined(void **state)
{
    launch_profile p = {0};
    static const char raw[] =
        RAW_HEAD "\"gpu__time_duration.sum\"\n" RAW_UNITS "\"ns\"\n" RAW_ROW("0", "copy(int)") "\"61408\"\n";
    static const char details[] =
        RAW_HEAD "\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric "
                 "Value\"\n" RAW_ROW("0", "copy(int)") "\"GPU Speed Of Light "
                                                       "Throughput\",\"Duration\",\"usecond\",\"61."
                                                       "4\"\n" RAW_ROW("0", "copy(int)") "\"Occupancy\","
                                                                                         "\"Achieved "
                                                                                         "Occupancy\",\"%\","
                                                                                         "\"70\"\n";
    assert_int_equal(ncu_read_page(raw, &p, NULL), ASSAY_OK);
    assert_int_equal(ncu_read_page(details, &p, NULL), ASSAY_OK);
    assert_int_equal(p.count, 1);
    assert_near(value_of(&p, 0, METRIC_DURATION), 61408.0, 0.0);
    assert_near(value_of(&p, 0, METRIC_ACHIEVED_OCCUPANCY), 70.0, 0.0);
    launch_profile_release(&p);
}

static void numbers_of_any_locale(void **state)
{
    assert_near(ncu_read_number("1,234,567.5", 0), 1234567.5, 0.0);
    assert_near(ncu_read_number("1.234.567,5", 1), 1234567.5, 0.0);
    assert_near(ncu_read_number("1 234,5", 1), 1234.5, 0.0);
    assert_near(ncu_read_number("1\xe2\x80\xaf"
                                "234,5",
                                1),
                1234.5, 0.0);
    assert_near(ncu_read_number("1'234.5", 0), 1234.5, 0.0);
    assert_near(ncu_read_number("-3.5e2", 0), -350.0, 0.0);
    static const char *const none[] = {"",    "n/a",         "N/A",  "nan",     "-nan",
                                       "inf", "(256, 1, 1)", "0x10", "12 cats", "1e999"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_true(isnan(ncu_read_number(none[i], 0)));
    assert_true(ncu_has_decimal_comma("\"a\",\"1.234\",\"0,53\"\n"));
    assert_true(ncu_has_decimal_comma("\"1.234,5\"\n"));
    assert_false(ncu_has_decimal_comma("\"1,234\",\"1.5\"\n"));
    assert_false(ncu_has_decimal_comma("\"1,234\"\n")); /* nothing says so: thousands */
}

static void a_decimal_comma_holds_for_the_page(void **state)
{
    launch_profile p = {0};
    static const char text[] =
        RAW_HEAD "\"launch__waves_per_multiprocessor\",\"lts__t_bytes.sum\"\n" RAW_UNITS
                 "\"\",\"byte\"\n" RAW_ROW("0", "copy(int)") "\"0,75\",\"1.234.567\"\n";
    assert_int_equal(ncu_read_page(text, &p, NULL), ASSAY_OK);
    assert_near(value_of(&p, 0, METRIC_WAVES), 0.75, 0.0);
    assert_near(value_of(&p, 0, METRIC_L2_BYTES), 1234567.0, 0.0);
    launch_profile_release(&p);
}

static void says_what_to_do_about_permission(void **state)
{
    launch_profile p = {0};
    assay_error error = {0};
    assert_int_equal(
        ncu_read_page("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU "
                      "Performance Counters on the target device 0.\n",
                      &p, &error),
        ASSAY_ERR_ENVIRONMENT);
    assert_non_null(strstr(error.message, "NVreg_RestrictProfilingToAdminUsers=0"));
    error = (assay_error){0};
    assert_int_equal(
        ncu_read_page("==PROF== Connected\n==ERROR== Profiling is not supported on device 0.\n", &p, &error),
        ASSAY_ERR_FORMAT);
    assert_non_null(strstr(error.message, "Profiling is not supported"));
    error = (assay_error){0};
    assert_int_equal(ncu_read_page("", &p, &error), ASSAY_ERR_FORMAT);
    assert_int_equal(ncu_read_page(RAW_HEAD "\"x\"\n", &p, NULL),
                     ASSAY_ERR_FORMAT); /* a table without kernels */
    assert_int_equal(ncu_read_page("\"ID\",\"Name\"\n\"0\",\"x\"\n", &p, NULL), ASSAY_ERR_FORMAT);
    launch_profile_release(&p);
}

static void rows_that_are_cut_are_passed_over(void **state)
{
    launch_profile p = {0};
    static const char text[] = RAW_HEAD "\"lts__t_bytes.sum\"\n" RAW_UNITS
                                        "\"byte\"\n" RAW_ROW("0", "copy(int)") "\"12\"\n\"1\",\"77\",\"kin";
    assert_int_equal(ncu_read_page(text, &p, NULL), ASSAY_OK);
    assert_int_equal(p.count, 1);
    launch_profile_release(&p);
}

/* As 2025.3 writes the view of source and instructions: quotes of the source are not doubled. */
#define SOURCE_HEAD                                                                                       \
    "\"Line No\",\"Source\",\"Address\",\"Source\",\"Warp Stall Sampling (All Samples)\",\"Instructions " \
    "Executed\",\"L2 "                                                                                    \
    "Theoretical Sectors Global Excessive\",\"stall_long_sb\",\"stall_wait\",\n"
#define IN_FILE(path, function) "\"File Path\",\"" path "\"\n\"Function Name\",\"" function "\"\n" SOURCE_HEAD

static double samples(const profile_line *line)
{
    return line->samples;
}

static double sectors(const profile_line *line)
{
    return line->excess_sectors;
}

static void source_page(void **state)
{
    launch_profile p = {0};
    static const char raw[] = RAW_HEAD
        "\"lts__t_bytes.sum\"\n" RAW_UNITS "\"byte\"\n" RAW_ROW("0", "void first<4>(int)") "\"1\"\n" RAW_ROW(
            "1", "second(int)") "\"1\"\n" RAW_ROW("2", "second(int)") "\"1\"\n";
    static const char text[] = IN_FILE(
        "/src/a.cu",
        "void first<(int)4>(int)") "\"1\",\"int "
                                   "x;\",\"-\",\"-\",\"0\",\"0\",\"0\",\"0\",\"0\",\n"
                                   "\"2\",\"  y = a[\"b\",\"c\"] + "
                                   "'\"';\",\"-\",\"-\",\"90\",\"1,000\",\"700\",\"80\","
                                   "\"10\",\n"
                                   "\"\",\"\",\"0x7f00\",\"LDG\",\"90\",\"1,000\","
                                   "\"700\",\"80\",\"10\",\n"
                                   "\"\",\"\",\"...\",\"...\",\"-\",\"-\",\"-\",\"-\","
                                   "\"-\",\n"
                                   "\"3\",\"z = "
                                   "y;\",\"-\",\"-\",\"100\",\"1000\",\"-\",\"100\","
                                   "\"0\",\n" IN_FILE(
                                       "/src/b.h",
                                       "void "
                                       "first<(int)4>(int)") "\"3\",\"w();\",\"-\",\"-\",\"1\",\"10\","
                                                             "\"0\","
                                                             "\"0\",\"1\",\n" IN_FILE(
                                                                 "/src/b.cu",
                                                                 "second(int)") "\"7\","
                                                                                "\"q();"
                                                                                "\",\"-"
                                                                                "\",\"-"
                                                                                "\","
                                                                                "\"5\","
                                                                                "\"10\","
                                                                                "\"0\","
                                                                                "\"0\","
                                                                                "\"5\","
                                                                                "\n" IN_FILE(
                                                                                    "/sr"
                                                                                    "c/"
                                                                                    "b."
                                                                                    "cu",
                                                                                    "sec"
                                                                                    "ond"
                                                                                    "(in"
                                                                                    "t)") "\"7\""
                                                                                          ",\"q("
                                                                                          ");\","
                                                                                          "\"-"
                                                                                          "\","
                                                                                          "\"-"
                                                                                          "\","
                                                                                          "\"6\""
                                                                                          ",\"10"
                                                                                          "\","
                                                                                          "\"0\""
                                                                                          ",\"0"
                                                                                          "\","
                                                                                          "\"5\""
                                                                                          ","
                                                                                          "\n" IN_FILE(
                                                                                              "/src/c.cu",
                                                                                              "other("
                                                                                              "int)") "\""
                                                                                                      "8"
                                                                                                      "\""
                                                                                                      ","
                                                                                                      "\""
                                                                                                      "r("
                                                                                                      ");"
                                                                                                      "\""
                                                                                                      ","
                                                                                                      "\""
                                                                                                      "-"
                                                                                                      "\""
                                                                                                      ","
                                                                                                      "\""
                                                                                                      "-"
                                                                                                      "\""
                                                                                                      ","
                                                                                                      "\""
                                                                                                      "6"
                                                                                                      "\""
                                                                                                      ","
                                                                                                      "\""
                                                                                                      "10"
                                                                                                      "\""
                                                                                                      ","
                                                                                                      "\""
                                                                                                      "0"
                                                                                                      "\""
                                                                                                      ","
                                                                                                      "\""
                                                                                                      "0"
                                                                                                      "\""
                                                                                                      ","
                                                                                                      "\""
                                                                                                      "5"
                                                                                                      "\""
                                                                                                      ","
                                                                                                      "\n";
    assert_int_equal(ncu_read_page(raw, &p, NULL), ASSAY_OK);
    assert_int_equal(ncu_read_source(text, &p, NULL), ASSAY_OK);
    assert_int_equal(p.kernels[0].line_count, 3);
    const profile_line *worst = profiled_kernel_worst(&p.kernels[0], sectors);
    assert_int_equal(worst->line, 2);
    assert_string_equal(worst->file, "/src/a.cu");
    assert_near(worst->samples, 90.0, 0.0);
    assert_near(worst->instructions, 1000.0, 0.0);
    assert_near(worst->stalls[METRIC_STALL_LONG_SCOREBOARD - FIRST_STALL], 80.0, 0.0);
    assert_int_equal(profiled_kernel_worst(&p.kernels[0], samples)->line, 3);
    assert_int_equal(p.kernels[1].line_count, 1);
    assert_near(p.kernels[1].lines[0].samples, 5.0, 0.0);
    assert_int_equal(p.kernels[2].line_count, 1);
    assert_near(p.kernels[2].lines[0].samples, 6.0, 0.0);
    assert_null(profiled_kernel_worst(&p.kernels[1], sectors));
    launch_profile_release(&p);
}

/* The view of instructions alone. */
static void source_page_of_instructions(void **state)
{
    launch_profile p = {0};
    static const char raw[] =
        RAW_HEAD "\"lts__t_bytes.sum\"\n" RAW_UNITS "\"byte\"\n" RAW_ROW("0", "first(int)") "\"1\"\n";
    static const char text[] =
        "\"Kernel Name\",\"first(int)\",\n\"Address\",\"Source\",\"# Samples\",\"Instructions Executed\"\n"
        "\"0x7f10\",\"      LDC R1, c[0x0][0x28]\",\"28\",\"8448\"\n\"0x7f20\",\"  EXIT\",\"2\",\"8448\"\n";
    assert_int_equal(ncu_read_page(raw, &p, NULL), ASSAY_OK);
    assert_int_equal(ncu_read_source(text, &p, NULL), ASSAY_OK);
    assert_int_equal(p.kernels[0].line_count, 2);
    assert_string_equal(profiled_kernel_worst(&p.kernels[0], samples)->text, "LDC R1, c[0x0][0x28]");
    launch_profile_release(&p);
}

static void csv_fields(void **state)
{
    csv_record r = {0};
    const char *next = csv_next("\"a,b\",\"c\"\"d\",,e\r\n\"x\ny\"\n", &r);
    assert_int_equal(r.count, 4);
    assert_string_equal(r.fields[0], "a,b");
    assert_string_equal(r.fields[1], "c\"d");
    assert_string_equal(r.fields[2], "");
    assert_string_equal(r.fields[3], "e");
    next = csv_next(next, &r);
    assert_int_equal(r.count, 1);
    assert_string_equal(r.fields[0], "x\ny");
    assert_null(csv_next(next, &r));
    csv_release(&r);
}

/* Each metric of the table has a name to be found by, and no two share one. */
static void metrics_have_one_name(void **state)
{
    for (int id = 0; id < METRIC_COUNT; id++) {
        const metric_info *info = metric_get((metric_id)id);
        if (*info->raw)
            assert_int_equal(metric_find(info->raw), id);
        if (*info->label)
            assert_int_equal(metric_find_label(info->section, info->label), id);
        assert_true(*info->meaning);
    }
    assert_int_equal(metric_find("launch__grid"), METRIC_COUNT);
    assert_int_equal(metric_find("dram__throughput.avg.pct_of_peak_sustained_elapsed"), METRIC_DRAM_SOL);
    assert_non_null(strstr(metric_asked_names(), "dram__bytes_read.sum,"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(raw_page_with_units_and_two_kernels),
        cmocka_unit_test(details_page_with_rules),
        cmocka_unit_test(pages_are_joined),
        cmocka_unit_test(numbers_of_any_locale),
        cmocka_unit_test(a_decimal_comma_holds_for_the_page),
        cmocka_unit_test(says_what_to_do_about_permission),
        cmocka_unit_test(rows_that_are_cut_are_passed_over),
        cmocka_unit_test(source_page),
        cmocka_unit_test(source_page_of_instructions),
        cmocka_unit_test(csv_fields),
        cmocka_unit_test(metrics_have_one_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
