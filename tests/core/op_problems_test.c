/* The problems of the ops that are there: named sizes say where they come from, and huge cases are huge. */
#include "tests/unit.h"
#include "core/workspace.h"

static workspace *ws;

static int open_workspace(void **state)
{
    assay_error error = {0};
    if (workspace_open(NULL, &ws, &error) != ASSAY_OK)
        fail_msg("%s", error.message);
    return 0;
}

static int close_workspace(void **state)
{
    workspace_close(ws);
    return 0;
}

static int is_square(const char *name)
{
    static const char *const squares[] = {"small", "medium", "large", "large_nhwc", "xlarge"};
    for (size_t i = 0; i < sizeof squares / sizeof squares[0]; i++)
        if (strcmp(name, squares[i]) == 0)
            return 1;
    return 0;
}

static void named_sizes_have_a_source(void **state)
{
    for (int o = 0; o < ws->op_count; o++)
        for (int s = 0; s < ws->ops[o].spec->size_count; s++) {
            const opspec_size *size = &ws->ops[o].spec->sizes[s];
            if (!is_square(size->name) && size->source[0] == '\0')
                fail_msg("%s: sizes.%s.source is missing", ws->ops[o].spec->name, size->name);
        }
}

/* On the CPU device a size is small, or left out. */
static void sizes_fit_the_cpu_device(void **state)
{
    for (int o = 0; o < ws->op_count; o++) {
        const opspec *spec = ws->ops[o].spec;
        const assay_op_impl *impl;
        assay_problem problem;
        assert_int_equal(workspace_load_impl(&ws->ops[o], &impl, NULL), ASSAY_OK);
        for (int s = 0; s < spec->size_count; s++) {
            const opspec_dims *dims = opspec_size_dims(&spec->sizes[s], "cpu");
            assert_int_equal(opspec_build_problem(spec, impl, ASSAY_F32, dims, NULL, &problem, NULL),
                             ASSAY_OK);
            if (!spec->sizes[s].cuda_only && impl->flops(&problem) > 2e8)
                fail_msg("%s: cpu_sizes.%s takes %g operations", spec->name, spec->sizes[s].name,
                         impl->flops(&problem));
        }
    }
}

static int64_t largest_tensor(const assay_problem *problem)
{
    int64_t largest = 0;
    for (int i = 0; i < problem->input_count + problem->output_count; i++) {
        const assay_tensor *tensor =
            i < problem->input_count ? &problem->inputs[i] : &problem->outputs[i - problem->input_count];
        largest = assay_tensor_count(tensor) > largest ? assay_tensor_count(tensor) : largest;
    }
    return largest;
}

/* Above 2^31 elements, in every op for two bytes and for four, and for two bytes one above 2^32; all tensors together in 40 GB. */
static void huge_cases_are_huge(void **state)
{
    for (int o = 0; o < ws->op_count; o++) {
        const opspec *spec = ws->ops[o].spec;
        const assay_op_impl *impl;
        assert_int_equal(workspace_load_impl(&ws->ops[o], &impl, NULL), ASSAY_OK);
        assert_true(opspec_has_case(spec, ASSAY_BF16, "huge") && opspec_has_case(spec, ASSAY_F32, "huge"));
        int64_t largest = 0;
        for (int h = 0; h < spec->huge_count; h++)
            for (int d = 0; d < spec->dtype_count; d++) {
                assay_problem problem;
                const assay_dtype dtype = spec->dtypes[d];
                if (!(spec->huge_cases[h].dtype_mask >> dtype & 1u))
                    continue;
                assert_int_equal(
                    opspec_build_problem(spec, impl, dtype, NULL, &spec->huge_cases[h], &problem, NULL),
                    ASSAY_OK);
                largest = largest_tensor(&problem) > largest ? largest_tensor(&problem) : largest;
                if (largest_tensor(&problem) <= INT64_C(1) << 31 ||
                    (double)problem.workspace_bytes + impl->bytes(&problem) > 4e10)
                    fail_msg("%s: huge case %s has %lld elements in its largest tensor and takes %.1f GB",
                             spec->name, spec->huge_cases[h].name, (long long)largest_tensor(&problem),
                             1e-9 * ((double)problem.workspace_bytes + impl->bytes(&problem)));
            }
        assert_true(largest > INT64_C(1) << 32);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(named_sizes_have_a_source),
        cmocka_unit_test(sizes_fit_the_cpu_device),
        cmocka_unit_test(huge_cases_are_huge),
    };
    return cmocka_run_group_tests(tests, open_workspace, close_workspace);
}
