/* How inputs are filled: values follow the seed and nothing else, are the same in every dtype's form, and change where they should. */
#include "inputs_fixture.h"
#include "verify/patterns.h"

static void values_do_not_depend_on_shape_and_follow_the_seed(void **state)
{
    fixture small, large;
    make(&small, ASSAY_F32, 3, 5);
    make(&large, ASSAY_F32, 70, 50);
    fill(&small, 9, NULL);
    fill(&large, 9, "");
    assert_memory_equal(small.problem.inputs[0].data, large.problem.inputs[0].data, 15 * sizeof(float));
    fill(&large, 10, NULL);
    assert_memory_not_equal(small.problem.inputs[0].data, large.problem.inputs[0].data, 15 * sizeof(float));
    assert_memory_not_equal(large.problem.inputs[0].data, large.problem.inputs[1].data, 15 * sizeof(float));
    release(&small);
    release(&large);
}

static void widened_inputs_are_the_same_values(void **state)
{
    enum { COUNT = 61 * 67 };
    for (int d = ASSAY_F32; d <= ASSAY_BF16; d++) {
        for (int number = -1; number < 0 || pattern_name(number); number++) {
            const char *special = number < 0 ? "" : pattern_name(number);
            fixture stored, widened;
            float expected[COUNT];
            unsigned char narrow[COUNT * 4];
            make(&stored, (assay_dtype)d, 61, 67);
            make(&widened, ASSAY_F32, 61, 67);
            fill(&stored, 5, special);
            assert_int_equal(
                inputs_fill_widened(&widened.problem, &widened.spec, (assay_dtype)d, 5, special, NULL),
                ASSAY_OK);
            for (int t = 0; t < 2; t++) {
                inputs_widen(stored.problem.inputs[t].data, (assay_dtype)d, COUNT, expected);
                assert_memory_equal(expected, widened.problem.inputs[t].data, sizeof expected);
                inputs_narrow(widened.problem.inputs[t].data, (assay_dtype)d, COUNT, narrow);
                assert_memory_equal(narrow, stored.problem.inputs[t].data,
                                    COUNT * assay_dtype_bytes((assay_dtype)d));
            }
            release(&stored);
            release(&widened);
        }
    }
}

static void empty_tensors_and_unknown_patterns(void **state)
{
    fixture f;
    assay_error error = {0};
    make(&f, ASSAY_F32, 0, 5);
    fill(&f, 4, "masked_rows");
    assert_int_equal(inputs_fill(&f.problem, &f.spec, 4, "zeros", &error), ASSAY_ERR_INVALID);
    assert_non_null(strstr(error.message, "\"zeros\""));
    assert_non_null(strstr(error.message, "known: nonfinite, denormal, "));
    release(&f);
}

/* At most three elements of each tensor differ, at least one does, the first row is among them, and all are values that were there. */
static void a_few_elements_change(void **state)
{
    enum { ROWS = 50, COLUMNS = 20, COUNT = ROWS * COLUMNS };
    float values[2][COUNT], before[2][COUNT];
    for (uint64_t seed = 1; seed < 200; seed++) {
        assay_problem problem = {.input_count = 2};
        for (int t = 0; t < 2; t++) {
            problem.inputs[t] =
                (assay_tensor){.dtype = ASSAY_F32, .rank = 2, .shape = {ROWS, COLUMNS}, .data = values[t]};
            for (int i = 0; i < COUNT; i++)
                before[t][i] = values[t][i] = (float)(t * COUNT + i);
        }
        inputs_change_few(&problem, seed);
        for (int t = 0; t < 2; t++) {
            int changed = 0, in_first_row = 0;
            for (int i = 0; i < COUNT; i++) {
                const int differs = values[t][i] != before[t][i];
                changed += differs;
                in_first_row += differs && i < COLUMNS;
                assert_true(values[t][i] >= before[t][0] && values[t][i] <= before[t][COUNT - 1]);
            }
            assert_in_range(changed, 1, INPUTS_CHANGED);
            assert_in_range(in_first_row, 1, INPUTS_CHANGED);
        }
    }
    float one = 7;
    assay_problem tiny = {.input_count = 2,
                          .inputs = {{.dtype = ASSAY_F32, .rank = 1, .shape = {1}, .data = &one},
                                     {.dtype = ASSAY_F32, .rank = 1, .shape = {0}}}};
    inputs_change_few(&tiny, 3);
    assert_true(one == 7);
}

/* One input keeps its values, which one depends on the shapes; the others get those of the next seed. */
static void other_contents_keep_one_input(void **state)
{
    int kept[2] = {0, 0};
    for (int columns = 1; columns <= 32; columns++) {
        static fixture f, first, next; /* too large for the stack together */
        fixture *const all[3] = {&f, &first, &next};
        for (int i = 0; i < 3; i++)
            make(all[i], ASSAY_F32, 3, columns);
        fill(&first, 5, "");
        fill(&next, 6, "");
        assert_int_equal(inputs_fill_others(&f.problem, &f.spec, ASSAY_F32, 5, "", NULL), ASSAY_OK);
        const int which = inputs_kept(&f.problem, 5);
        assert_in_range(which, 0, 1);
        kept[which]++;
        const size_t bytes = (size_t)(3 * columns) * sizeof(float);
        for (int t = 0; t < 2; t++)
            assert_memory_equal(f.problem.inputs[t].data,
                                (t == which ? &first : &next)->problem.inputs[t].data, bytes);
        for (int i = 0; i < 3; i++)
            release(all[i]);
    }
    assert_in_range(kept[0], 4, 28);
    assert_int_equal(kept[0] + kept[1], 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_do_not_depend_on_shape_and_follow_the_seed),
        cmocka_unit_test(widened_inputs_are_the_same_values),
        cmocka_unit_test(other_contents_keep_one_input),
        cmocka_unit_test(empty_tensors_and_unknown_patterns),
        cmocka_unit_test(a_few_elements_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
