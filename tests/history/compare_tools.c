/* Comparing made-up results: see compare_tools.h. */
#include "compare_tools.h"

double hundred[10], slower[10], noisy[10];

int make_compare_times(void **state)
{
    (void)state;
    fill_times(hundred, 10, 100.0, 0.004);
    fill_times(slower, 10, 104.0, 0.004);
    fill_times(noisy, 10, 101.0, 0.10);
    return 0;
}

made_result plain(const double *times)
{
    return (made_result){.times = times, .count = times ? 10 : 0};
}

made_result changed_to(const double *times)
{
    made_result r = plain(times);
    r.kernel = "changed";
    return r;
}

void add_made(result_set *set, made_result r)
{
    assay_error error = {0};
    if (result_set_add(set, make_result(&r), &error) != ASSAY_OK)
        fail_msg("%s", error.message);
}

compare_case compare_two(made_result before, made_result after, const compare_options *options,
                         assay_status *status, assay_error *error)
{
    static const compare_options defaults;
    result_set base = {.label = "old"}, changed = {.label = "new"};
    compare_report report;
    add_made(&base, before);
    add_made(&changed, after);
    *status = compare_sets(&base, &changed, options ? options : &defaults, &report, error);
    assert_int_equal(report.count, 1);
    const compare_case only = report.cases[0];
    compare_report_release(&report);
    result_set_release(&base);
    result_set_release(&changed);
    return only;
}

compare_report compare_made(result_set sets[2], const compare_options *options)
{
    compare_report report;
    assert_int_equal(compare_sets(&sets[0], &sets[1], options, &report, NULL), ASSAY_OK);
    result_set_release(&sets[0]);
    result_set_release(&sets[1]);
    return report;
}

char *written(const compare_report *report, compare_format format)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    compare_write(report, format, 1, 1, out);
    fclose(out);
    return text;
}
