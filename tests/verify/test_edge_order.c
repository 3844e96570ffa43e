/* The order of edge cases: ordinary contents, special ones, those that run once; in each the least work first, equal ones as in op.json. */
#include "tests/unit.h"
#include "verify/edge_order.h"

static assay_status infer(const assay_problem *problem, assay_tensor *outputs, assay_error *error)
{
    outputs[0] = problem->inputs[0];
    return ASSAY_OK;
}

static double flops(const assay_problem *problem)
{
    return 0;
}

static double bytes(const assay_problem *problem)
{
    return 8.0 * (double)assay_tensor_count(&problem->inputs[0]);
}

static opspec_edge of_length(int64_t length, const char *special, int once)
{
    opspec_edge edge = {.has_shapes = 1, .shapes = {{.rank = 1, .shape = {length}}}, .once = once};
    snprintf(edge.special, sizeof edge.special, "%s", special);
    return edge;
}

static void ordinary_contents_and_the_least_work_come_first(void **state)
{
    static const opspec spec = {.input_count = 1, .output_count = 1};
    const assay_op_impl impl = {.infer = infer, .flops = flops, .bytes = bytes};
    const opspec_edge cases[] = {
        of_length(70, "", 0),         of_length(3, "", 1),  of_length(0, "", 0),
        of_length(9, "nonfinite", 0), of_length(70, "", 0), of_length(1, "nonfinite", 1),
        of_length(5, "denormal", 0),
    };
    const int expected[] = {2, 0, 4, 6, 3, 5, 1};
    int order[7];
    edge_order(&spec, &impl, ASSAY_F32, cases, 7, order);
    for (int i = 0; i < 7; i++)
        assert_int_equal(order[i], expected[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ordinary_contents_and_the_least_work_come_first)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
