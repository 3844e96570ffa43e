/* Conversions checked exhaustively: every half and bfloat16 pattern, and every rounding boundary between two of them. */
#include "tests/unit.h"
#include <assay/dtype.h>
#include <math.h>

static double f16_value(unsigned bits) /* by the definition of binary16 */
{
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double magnitude = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    return bits & 0x8000 ? -magnitude : magnitude;
}

static void f16_widens_exactly(void **state)
{
    for (unsigned bits = 0; bits < 65536; bits++) {
        const float value = assay_f16_to_float((uint16_t)bits);
        if ((bits & 0x7c00) != 0x7c00)
            assert_true((double)value == f16_value(bits) && !!signbit(value) == (bits >> 15));
        else if (bits & 0x3ff)
            assert_true(isnan(value));
        else
            assert_true(isinf(value) && (value < 0) == (bits >> 15));
    }
}

/* Round trip, and the three floats around each midpoint of neighbours. */
static void check_rounding(uint16_t (*narrow)(float), float (*widen)(uint16_t), unsigned infinity)
{
    for (unsigned bits = 0; bits < infinity; bits++) {
        const float low = widen((uint16_t)bits);
        assert_int_equal(narrow(low), bits);
        assert_int_equal(narrow(-low), bits | 0x8000);
        if (bits + 1 >= infinity)
            break;
        const float middle = (float)(((double)low + (double)widen((uint16_t)(bits + 1))) / 2);
        assert_int_equal(narrow(middle), bits & 1 ? bits + 1 : bits); /* ties to even */
        assert_int_equal(narrow(nextafterf(middle, 0)), bits);
        assert_int_equal(narrow(nextafterf(middle, INFINITY)), bits + 1);
    }
    assert_int_equal(narrow(INFINITY), infinity);
    assert_int_equal(narrow(-INFINITY), infinity | 0x8000);
    assert_true(isnan(widen(narrow(NAN))));
}

static void f16_rounds_to_nearest_even(void **state)
{
    check_rounding(assay_float_to_f16, assay_f16_to_float, 0x7c00);
    assert_int_equal(assay_float_to_f16(65519.996f), 0x7bff);
    assert_int_equal(assay_float_to_f16(65520.0f), 0x7c00);
}

static void bf16_rounds_to_nearest_even(void **state)
{
    check_rounding(assay_float_to_bf16, assay_bf16_to_float, 0x7f80);
    assert_int_equal(assay_float_to_bf16(3.4028235e38f), 0x7f80);
    for (uint32_t payload = 1; payload < 0x800000; payload += 4097) /* no NaN becomes an infinity */
        assert_true(isnan(assay_bf16_to_float(assay_float_to_bf16(assay_bits_float(0x7f800000u | payload)))));
}

static void names_round_trip(void **state)
{
    for (int i = 0; i < ASSAY_DTYPE_COUNT; i++) {
        assay_dtype back;
        assert_true(assay_dtype_parse(assay_dtype_name((assay_dtype)i), &back));
        assert_int_equal(back, i);
    }
    assay_dtype none;
    assert_false(assay_dtype_parse("f8", &none));
    assert_null(assay_dtype_name((assay_dtype)9));
}

/* tf32 is a way to multiply, not to store. */
static void tf32_is_stored_as_f32(void **state)
{
    assert_int_equal(assay_dtype_storage(ASSAY_TF32), ASSAY_F32);
    assert_int_equal(assay_dtype_storage(ASSAY_BF16), ASSAY_BF16);
    assert_int_equal(assay_dtype_bytes(ASSAY_TF32), 4);
    assert_true(assay_dtype_roundoff(ASSAY_TF32) == assay_dtype_roundoff(ASSAY_F16));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(f16_widens_exactly),          cmocka_unit_test(f16_rounds_to_nearest_even),
        cmocka_unit_test(bf16_rounds_to_nearest_even), cmocka_unit_test(names_round_trip),
        cmocka_unit_test(tf32_is_stored_as_f32),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
