/* Which arithmetic units bound an op. */
#include "tests/unit.h"
#include "results/roofline_units.h"

/* Full-accuracy f32 products may use tensor cores at three tf32, six bf16 or three f16 products for one; elementwise ops never do. */
static void names_the_units_of_a_bound(void **state)
{
    roofline_unit units[ROOFLINE_MOST_UNITS];
    opspec *spec = calloc(1, sizeof *spec);
    strcpy(spec->family, "elementwise");
    assert_int_equal(roofline_units(spec, ASSAY_BF16, 0, units), 1);
    assert_string_equal(units[0].ceiling, "fma_f32");
    strcpy(spec->family, "matrix");
    assert_int_equal(roofline_units(spec, ASSAY_BF16, 0, units), 2);
    assert_string_equal(units[1].ceiling, "tensor_bf16");
    assert_true(units[1].cost == 1);
    assert_int_equal(roofline_units(spec, ASSAY_F32, 0, units), 4);
    assert_true(units[1].cost == 3 && units[2].cost == 6 && units[3].cost == 3);
    assert_string_equal(units[3].ceiling, "tensor_f16");
    assert_int_equal(roofline_units(spec, ASSAY_F32, 1, units), 2);
    assert_true(units[1].cost == 1);
    free(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_the_units_of_a_bound)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
