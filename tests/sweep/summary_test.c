/* Numbers of a sweep and what --require asks of them. */
#include "tests/unit.h"
#include "sweep/summary.h"
#include <math.h>

static sweep_case cases[24];

/* bf16: ratios 0.5, 0.6 ... 1.5; f32: one wrong, one refused, one right without a ratio. */
static sweep_outcome make(void)
{
    int count = 0;
    memset(cases, 0, sizeof cases);
    for (int i = 10; i >= 0; i--)
        cases[count++] = (sweep_case){.shape = i,
                                      .dtype = ASSAY_BF16,
                                      .variant = "v4",
                                      .status = SWEEP_COMPARED,
                                      .ratio = 0.5 + 0.1 * i};
    cases[count++] = (sweep_case){.dtype = ASSAY_F32, .variant = "v4", .status = SWEEP_WRONG, .ratio = NAN};
    cases[count++] = (sweep_case){.dtype = ASSAY_F32, .variant = "v4", .status = SWEEP_REFUSED, .ratio = NAN};
    cases[count++] = (sweep_case){.dtype = ASSAY_F32, .variant = "v4", .status = SWEEP_RIGHT, .ratio = NAN};
    return (sweep_outcome){.count = count, .cases = cases};
}

static void counts_and_quantiles(void **state)
{
    const sweep_outcome out = make();
    sweep_summary s;
    double logs = 0;
    sweep_summarise(&out, &s);
    for (int i = 0; i <= 10; i++)
        logs += log(0.5 + 0.1 * i);
    assert_int_equal(s.count, 2);
    assert_int_equal(s.lines[0].compared, 11);
    assert_int_equal(s.lines[0].right, 11);
    assert_true(fabs(s.lines[0].minimum - 0.5) < 1e-12 && fabs(s.lines[0].p10 - 0.6) < 1e-12);
    assert_true(fabs(s.lines[0].median - 1) < 1e-12 && fabs(s.lines[0].geomean - exp(logs / 11)) < 1e-12);
    assert_true(s.lines[1].shapes == 3 && s.lines[1].wrong == 1 && s.lines[1].refused == 1 &&
                s.lines[1].right == 1);
    assert_true(isnan(s.lines[1].minimum) && s.all.shapes == 14 && s.all.wrong == 1);
}

static void the_worst_come_first(void **state)
{
    const sweep_outcome out = make();
    int worst[3];
    assert_int_equal(sweep_worst(&out, 3, worst), 3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(out.cases[worst[i]].shape, i);
}

static void requirements(void **state)
{
    static const char *const mistakes[][2] = {
        {"p20=1", "NAME=RATIO is expected"}, {"minimum", "NAME=RATIO is expected"},
        {"minimum=", "a ratio above 0"},     {"minimum=x", "a ratio above 0"},
        {"minimum=-1", "a ratio above 0"},   {"p10=1,p10=2", "p10 is given twice"},
        {"", "nothing is in the list"},
    };
    sweep_outcome out = make();
    sweep_require require;
    sweep_summary s;
    char why[200];
    out.count = 11;
    sweep_summarise(&out, &s);
    assert_int_equal(sweep_require_parse("minimum=0.49,p10=0.59,median=0.9", &require, NULL), ASSAY_OK);
    assert_true(sweep_require_asks(&require) && isnan(require.geomean));
    assert_true(sweep_require_holds(&require, &s, why, sizeof why));
    assert_int_equal(sweep_require_parse("p10=0.61", &require, NULL), ASSAY_OK);
    assert_false(sweep_require_holds(&require, &s, why, sizeof why));
    assert_string_equal(why, "v4 bf16: p10 is 0.6, required: 0.61");
    out.count = 14; /* with a line that has no ratio */
    sweep_summarise(&out, &s);
    assert_int_equal(sweep_require_parse("geomean=0.1", &require, NULL), ASSAY_OK);
    assert_false(sweep_require_holds(&require, &s, why, sizeof why));
    assert_string_equal(why, "v4 f32: no shape has a ratio");
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        assay_error error = {0};
        assert_int_equal(sweep_require_parse(mistakes[i][0], &require, &error), ASSAY_ERR_INVALID);
        if (!strstr(error.message, mistakes[i][1]))
            fail_msg("expected \"%s\" in: %s", mistakes[i][1], error.message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(counts_and_quantiles),
                                       cmocka_unit_test(the_worst_come_first),
                                       cmocka_unit_test(requirements)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
