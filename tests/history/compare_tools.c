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

void add_made(result_set *set, made_result r)
{
    assert_int_equal(result_set_add(set, make_assay(&r), NULL), ASSAY_OK);
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

char *written(const compare_report *report, compare_format format)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    compare_write(report, format, 1, out);
    fclose(out);
    return text;
}
