/* Every op's reference_rows gives what its reference gives: at the CPU device's sizes and in every edge case. */
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

/* All rows at once, in an order of their own. */
static void compare_problem(const opspec *spec, const assay_op_impl *impl, const assay_problem *shapes,
                            const char *special)
{
    expected_output t;
    const assay_tensor *out = &shapes->outputs[0];
    const int64_t count = assay_tensor_count(out), n = out->rank > 0 ? out->shape[out->rank - 1] : 1;
    if (count == 0)
        return;
    assert_int_equal(expected_output_open(impl, shapes, &t, NULL), ASSAY_OK);
    assert_int_equal(inputs_fill_widened(&t.host, spec, shapes->dtype, 11, special, NULL), ASSAY_OK);
    assert_int_equal(impl->reference(&t.host, t.scale), ASSAY_OK);
    const int64_t row_count = count / n;
    int64_t *rows = malloc(sizeof *rows * (size_t)row_count);
    double *ref = malloc(2 * sizeof *ref * (size_t)count), *scale = t.scale ? ref + count : NULL;
    for (int64_t i = 0; i < row_count; i++)
        rows[i] = row_count - 1 - i;
    assert_int_equal(impl->reference_rows(&t.host, rows, row_count, ref, scale), ASSAY_OK);
    for (int64_t i = 0; i < count; i++) {
        const int64_t at = (row_count - 1 - i / n) * n + i % n;
        if (!same(ref[i], ((double *)t.host.outputs[0].data)[at]))
            fail_msg("%s: element %lld is %g, not %g", spec->name, (long long)at, ref[i],
                     ((double *)t.host.outputs[0].data)[at]);
        if (scale && !same(scale[i], t.scale[at]))
            fail_msg("%s: the scale of element %lld is %g, not %g", spec->name, (long long)at, scale[i],
                     t.scale[at]);
    }
    free(rows);
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
