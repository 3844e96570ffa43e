/* What the comparison knows of dtypes: values, bits, units in the last place. See compare.h. */
#include "verify/compare_parts.h"

double compare_overflow_threshold(assay_dtype dtype)
{
    return dtype == ASSAY_F16 ? 65520.0 : dtype == ASSAY_BF16 ? 0x1.ffp127 : 0x1.ffffffp127;
}

double compare_largest_finite(assay_dtype dtype)
{
    return dtype == ASSAY_F16 ? 65504.0 : dtype == ASSAY_BF16 ? 0x1.fep127 : 0x1.fffffep127;
}

double compare_rounding_error(assay_dtype dtype)
{
    return dtype == ASSAY_F16 ? 0x1p-11 : dtype == ASSAY_BF16 ? 0x1p-8 : 0x1p-24;
}

/* Half of the smallest subnormal number. */
double compare_smallest_half_unit(assay_dtype dtype)
{
    return dtype == ASSAY_F16 ? 0x1p-25 : dtype == ASSAY_BF16 ? 0x1p-134 : 0x1p-150;
}

/* Units in the last place: bit patterns mapped to integers that are ordered like the values. */
static inline int32_t ordered32(uint32_t bits)
{
    const int32_t value = (int32_t)bits;
    return value < 0 ? INT32_MIN - value : value;
}

static inline uint32_t distance32(uint32_t a, uint32_t b)
{
    const int32_t x = ordered32(a), y = ordered32(b);
    return x > y ? (uint32_t)x - (uint32_t)y : (uint32_t)y - (uint32_t)x;
}

static inline int32_t ordered16(uint16_t bits)
{
    return bits & 0x8000 ? -(int32_t)(bits & 0x7fff) : (int32_t)bits;
}

static inline uint32_t distance16(uint16_t a, uint16_t b)
{
    const int32_t d = ordered16(a) - ordered16(b);
    return (uint32_t)(d < 0 ? -d : d);
}

uint32_t compare_ulp_distance(uint32_t got_bits, double ref, assay_dtype dtype)
{
    const float rounded = (float)ref;
    if (dtype == ASSAY_F32)
        return distance32(got_bits, assay_float_bits(rounded));
    return distance16((uint16_t)got_bits,
                      dtype == ASSAY_F16 ? assay_float_to_f16(rounded) : assay_float_to_bf16(rounded));
}

uint32_t compare_block_max_ulp(const compare_block *b, const void *out, assay_dtype dtype)
{
    uint32_t worst = 0;
    const uint32_t *words = out;
    const uint16_t *halves = out;
    if (dtype == ASSAY_F32) {
        for (int i = 0; i < b->count; i++) {
            const uint32_t d = distance32(words[i], assay_float_bits(b->rounded[i]));
            worst = d > worst ? d : worst;
        }
    } else if (dtype == ASSAY_BF16) {
        for (int i = 0; i < b->count; i++) {
            const uint32_t d = distance16(halves[i], assay_float_to_bf16(b->rounded[i]));
            worst = d > worst ? d : worst;
        }
    } else {
        for (int i = 0; i < b->count; i++) {
            const uint32_t d = distance16(halves[i], assay_float_to_f16(b->rounded[i]));
            worst = d > worst ? d : worst;
        }
    }
    return worst;
}
