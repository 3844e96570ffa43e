/* Every op's reference_rows gives what its reference gives: at the CPU device's sizes and in every edge case. */
#include "verify/sampled.h"
#include "verify/inputs.h"
#include "verify/expected_output.h"
#include "core/workspace.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-12 * fabs(b);
}

/* Two chunks of rows that a product takes together and some more; drawn ones. */
enum { NEIGHBOURS = 130, DRAWN = 40, MOST_ROWS = NEIGHBOURS + DRAWN, SEED = 11 };

/* The last rows and drawn ones before them, in an order of their own. Not all of many: a softmax over another dimension than
 * the last one reads every row for each element. */
static int64_t choose_rows(int64_t row_count, int64_t rows[MOST_ROWS])
{
    int64_t count = 0, drawn[DRAWN];
    for (; count < NEIGHBOURS && count < row_count; count++)
        rows[count] = row_count - 1 - count;
    for (int64_t left = sampled_pick_rows(row_count - count, DRAWN, SEED, drawn); left > 0; left--)
        rows[count++] = drawn[left - 1];
    return count;
}

static void compare_row(const opspec *spec, const expected_output *t, int64_t row, int64_t n,
                        const double *ref, const double *scale)
{
    for (int64_t i = 0; i < n; i++) {
        const double whole = ((const double *)t->host.outputs[0].data)[row * n + i];
        if (!same(ref[i], whole))
            fail_msg("%s: element %lld of row %lld is %g, not %g", spec->name, (long long)i, (long long)row,
                     ref[i], whole);
        if (scale && !same(scale[i], t->scale[row * n + i]))
            fail_msg("%s: the scale of element %lld of row %lld is %g, not %g", spec->name, (long long)i,
                     (long long)row, scale[i], t->scale[row * n + i]);
    }
}

static void compare_problem(const opspec *spec, const assay_op_impl *impl, const assay_problem *shapes,
                            const char *special)
{
    expected_output t;
    const assay_tensor *out = &shapes->outputs[0];
    const int64_t count = assay_tensor_count(out), n = out->rank > 0 ? out->shape[out->rank - 1] : 1;
    if (count == 0)
        return;
    assert_int_equal(expected_output_open(impl, shapes, &t, NULL), ASSAY_OK);
    assert_int_equal(inputs_fill_widened(&t.host, spec, shapes->dtype, SEED, special, NULL), ASSAY_OK);
    assert_int_equal(impl->reference(&t.host, t.scale), ASSAY_OK);
    int64_t rows[MOST_ROWS];
    const int64_t chosen = choose_rows(count / n, rows);
    double *ref = malloc(2 * sizeof *ref * (size_t)(chosen * n)), *scale = t.scale ? ref + chosen * n : NULL;
    assert_int_equal(impl->reference_rows(&t.host, rows, chosen, ref, scale), ASSAY_OK);
    for (int64_t i = 0; i < chosen; i++)
        compare_row(spec, &t, rows[i], n, ref + i * n, scale ? scale + i * n : NULL);
    free(ref);
    expected_output_close(&t);
}

static void rows_are_those_of_the_reference(void **state)
{
    (void)state;
    workspace *ws;
    assay_error error = {0};
    if (workspace_open(NULL, &ws, &error) != ASSAY_OK)
        fail_msg("%s", error.message);
    int compared = 0;
    for (int o = 0; o < ws->op_count; o++) {
        const opspec *spec = ws->ops[o].spec;
        const assay_op_impl *impl;
        assay_problem problem;
        assert_int_equal(workspace_load_impl(&ws->ops[o], &impl, NULL), ASSAY_OK);
        if (!impl->reference_rows) {
            assert_int_equal(spec->huge_count, 0); /* they could not be judged */
            continue;
        }
        for (int s = 0; s < spec->size_count; s++) {
            const opspec_dims *dims = opspec_size_dims(&spec->sizes[s], "cpu");
            assert_int_equal(opspec_build_problem(spec, impl, ASSAY_F32, dims, NULL, &problem, NULL),
                             ASSAY_OK);
            if (impl->flops(&problem) < 3e7)
                compare_problem(spec, impl, &problem, NULL);
        }
        for (int e = 0; e < spec->edge_count; e++) {
            assert_int_equal(
                opspec_build_problem(spec, impl, ASSAY_F32, NULL, &spec->edges[e], &problem, NULL), ASSAY_OK);
            if (impl->flops(&problem) < 1e8)
                compare_problem(spec, impl, &problem, spec->edges[e].special);
        }
        compared++;
    }
    assert_true(compared >= 11);
    workspace_close(ws);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_are_those_of_the_reference)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
