/* Every op's residual, in whatever layout its output has: next to nothing where the output is right, and what one wrong element is off by
 * in the row that holds it, where the op multiplies by signs. At the CPU device's sizes and in every finite edge case. */
#include "tests/unit.h"
#include "verify/inputs.h"
#include "verify/expected_output.h"
#include "core/workspace.h"
#include <math.h>

enum { SEED = 23 };

/* The other ops' outputs are not linear in a factor: their vectors are sparse and most elements are not met. */
static int multiplies_by_signs(const opspec *spec)
{
    return strcmp(spec->name, "matmul") == 0 || strcmp(spec->name, "conv2d") == 0;
}

/* The row of the residuals that is furthest from `wanted`, which is 0 but in the row `wrong`, is no further than rounding. */
static void expect_residuals(const opspec *spec, const assay_op_impl *impl, const assay_problem *host,
                             int64_t row_count, int64_t wrong, double by)
{
    double *residual = malloc(2 * sizeof *residual * (size_t)row_count), *magnitude = residual + row_count;
    assert_int_equal(impl->residual(host, SEED, residual, magnitude), ASSAY_OK);
    for (int64_t i = 0; i < row_count; i++)
        if (!(fabs(residual[i] - (i == wrong ? by : 0.0)) <= 1e-6 * magnitude[i]))
            fail_msg("%s: the residual of row %lld is %g where it should be %g, of %g", spec->name,
                     (long long)i, residual[i], i == wrong ? by : 0.0, magnitude[i]);
    free(residual);
}

static void check_problem(const opspec *spec, const assay_op_impl *impl, const assay_problem *shapes)
{
    expected_output t;
    const assay_tensor *out = &shapes->outputs[0];
    const int64_t count = assay_tensor_count(out), n = out->rank > 0 ? out->shape[out->rank - 1] : 1;
    if (count == 0 || impl->flops(shapes) > 1e8)
        return;
    assert_int_equal(expected_output_open(impl, shapes, &t, NULL), ASSAY_OK);
    assert_int_equal(inputs_fill_widened(&t.host, spec, shapes->dtype, 11, NULL, NULL), ASSAY_OK);
    assert_int_equal(expected_output_compute(impl, &t, NULL), ASSAY_OK);
    float *result = malloc(sizeof *result * (size_t)count);
    for (int64_t i = 0; i < count; i++)
        result[i] = (float)((double *)t.host.outputs[0].data)[i];
    assay_problem with_result = t.host;
    with_result.outputs[0].data = result;
    with_result.outputs[0].dtype = ASSAY_F32;
    expect_residuals(spec, impl, &with_result, count / n, -1, 0.0);
    if (multiplies_by_signs(spec)) {
        const int64_t at = count * 2 / 3;
        const float right = result[at];
        result[at] += 100.0f;
        expect_residuals(spec, impl, &with_result, count / n, at / n, (double)result[at] - (double)right);
    }
    free(result);
    expected_output_close(&t);
}

static void check_op(const opspec *spec, const assay_op_impl *impl)
{
    assay_problem problem;
    for (int s = 0; s < spec->size_count; s++) {
        const opspec_dims *dims = opspec_size_dims(&spec->sizes[s], "cpu");
        assert_int_equal(opspec_build_problem(spec, impl, ASSAY_F32, dims, NULL, &problem, NULL), ASSAY_OK);
        check_problem(spec, impl, &problem);
    }
    for (int e = 0; e < spec->edge_count; e++) {
        assert_int_equal(opspec_build_problem(spec, impl, ASSAY_F32, NULL, &spec->edges[e], &problem, NULL),
                         ASSAY_OK);
        if (spec->edges[e].special[0] == '\0')
            check_problem(spec, impl, &problem);
    }
}

static void residuals_show_what_is_wrong(void **state)
{
    workspace *ws;
    assay_error error = {0};
    if (workspace_open(NULL, &ws, &error) != ASSAY_OK)
        fail_msg("%s", error.message);
    int checked = 0;
    for (int o = 0; o < ws->op_count; o++) {
        const assay_op_impl *impl;
        assert_int_equal(workspace_load_impl(&ws->ops[o], &impl, NULL), ASSAY_OK);
        if (impl->residual == NULL)
            continue;
        check_op(ws->ops[o].spec, impl);
        checked++;
    }
    assert_true(checked >= 4);
    workspace_close(ws);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(residuals_show_what_is_wrong)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
