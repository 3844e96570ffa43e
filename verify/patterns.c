/* Patterns of special values; inputs.h says what each is. */
#include "verify/patterns.h"
#include "verify/random.h"
#include <math.h>
#include <string.h>

static float largest_finite(assay_dtype dtype)
{
    return dtype == ASSAY_F16 ? 65504.0f : assay_bits_float(dtype == ASSAY_BF16 ? 0x7f7f0000u : 0x7f7fffffu);
}

static float nonfinite_value(uint32_t which)
{
    static const uint32_t bits[3] = {0x7fc00000u, 0x7f800000u, 0xff800000u};
    return assay_bits_float(bits[which % 3]);
}

/* A quiet NaN of either sign with a payload that survives in every dtype; never the bits of an output's poison. */
static float nan_with_payload(uint32_t word)
{
    return assay_bits_float(0x7fc00000u | (word & 0x80000000u) | (word >> 20 & 0x1fu) << 16);
}

static void pattern_nonfinite(const pattern_tensor *fill, int64_t first, int count, const uint32_t *words,
                              float *values)
{
    for (int i = 0; i < count; i++)
        if (words[i] % 512 == 0)
            values[i] =
                words[i] / 512 % 3 == 0 ? nan_with_payload(words[i]) : nonfinite_value(words[i] / 512);
    for (uint32_t k = 0; k < 3; k++) { /* one of each at a position of its own third of the tensor */
        const int64_t third = fill->count / 3, begin = third * (int64_t)k;
        if (third == 0)
            continue;
        const int64_t at =
            begin + (int64_t)(random_word_at(fill->seed, 2 * PATTERN_STREAM + (uint64_t)fill->index, k) %
                              (uint64_t)third);
        if (at >= first && at < first + count)
            values[at - first] = nonfinite_value(k);
    }
}

static void pattern_denormal(const pattern_tensor *fill, int64_t first, int count, const uint32_t *words,
                             float *values)
{
    /* Below the smallest normal number by up to 2^8 (f32, bf16: 2^-126, so bf16's 7 bits stay in use) or 2^10 (f16). */
    const float scale = fill->dtype == ASSAY_F16 ? 0x1p-17f : 0x1p-129f;
    (void)first;
    for (int i = 0; i < count; i++)
        if (words[i] & 1)
            values[i] *= scale;
}

static void pattern_signed_zero(const pattern_tensor *fill, int64_t first, int count, const uint32_t *words,
                                float *values)
{
    (void)fill, (void)first;
    for (int i = 0; i < count; i++)
        if (words[i] & 1)
            values[i] = words[i] & 2 ? -0.0f : 0.0f;
}

static void pattern_zeros_nonfinite(const pattern_tensor *fill, int64_t first, int count,
                                    const uint32_t *words, float *values)
{
    pattern_signed_zero(fill, first, count, words, values);
    pattern_nonfinite(fill, first, count, words, values);
}

/* Every 64 elements that follow one another hold all pairs of these, one of each of two inputs. */
static void pattern_special_pairs(const pattern_tensor *fill, int64_t first, int count, const uint32_t *words,
                                  float *values)
{
    const float largest = largest_finite(fill->dtype),
                special[8] = {INFINITY, -INFINITY, NAN, 0.0f, -0.0f, largest, -largest, 1.0f};
    const uint64_t shift = random_word_at(fill->seed, 2 * PATTERN_STREAM, 0);
    (void)words;
    for (int i = 0; i < count; i++) {
        const uint64_t at = (uint64_t)(first + i) + shift;
        values[i] = special[fill->index % 2 == 0 ? at % 8 : at / 8 % 8];
    }
}

static void pattern_huge(const pattern_tensor *fill, int64_t first, int count, const uint32_t *words,
                         float *values)
{
    const float largest = largest_finite(fill->dtype);
    (void)first;
    for (int i = 0; i < count; i++) {
        const float magnitude = largest * (0.5f + (float)(int32_t)(words[i] >> 8) * 0x1p-25f);
        values[i] = words[i] & 1 ? -magnitude : magnitude;
    }
}

/* Magnitudes from 2^least up, `octaves` of them, each as likely as any other; either sign. */
static void fill_octaves(int least, int octaves, int count, const uint32_t *words, float *values)
{
    for (int i = 0; i < count; i++) {
        const int exponent = least + (int)((words[i] >> 20) * (uint32_t)octaves >> 12);
        const float magnitude = ldexpf(1.0f + (float)(words[i] >> 1 & 0x7ffffu) * 0x1p-19f, exponent);
        values[i] = words[i] & 1 ? -magnitude : magnitude;
    }
}

static void pattern_log_uniform(const pattern_tensor *fill, int64_t first, int count, const uint32_t *words,
                                float *values)
{
    (void)first;
    fill_octaves(fill->dtype == ASSAY_F16 ? -14 : -126, fill->dtype == ASSAY_F16 ? 29 : 253, count, words,
                 values);
}

/* As much of it as squares and sums of a row bear. */
static void pattern_log_uniform_middle(const pattern_tensor *fill, int64_t first, int count,
                                       const uint32_t *words, float *values)
{
    (void)first;
    fill_octaves(fill->dtype == ASSAY_F16 ? -10 : -16, fill->dtype == ASSAY_F16 ? 15 : 32, count, words,
                 values);
}

/* The first input's values so large that their squares overflow binary32, and yet so far from the largest that, brought down until they
 * do not, they are small beside an epsilon that was not. f16 has no such values. */
static void pattern_overflowing_squares(const pattern_tensor *fill, int64_t first, int count,
                                        const uint32_t *words, float *values)
{
    (void)first, (void)words;
    for (int i = 0; i < count && fill->index == 0 && fill->dtype != ASSAY_F16; i++)
        values[i] *= 0x1p66f;
}

/* Inputs that are tiny and large by turns, so that the products of two neighbours are ordinary numbers: 2^-124 and 2^124 (f16:
 * 2^-13 and 2^13). A kernel that loses bits of tiny values shows it in the result here, unlike with `denormal`. */
static void pattern_opposite_scales(const pattern_tensor *fill, int64_t first, int count,
                                    const uint32_t *words, float *values)
{
    const float large = fill->dtype == ASSAY_F16 ? 0x1p13f : 0x1p124f;
    (void)first, (void)words;
    for (int i = 0; i < count; i++)
        values[i] *= fill->index % 2 == 0 ? 1.0f / large : large;
}

/* The same with the first two inputs exchanged: a kernel that scales its first factor up overflows. The others are what they are, so that
 * a bias does not outweigh the sums. */
static void pattern_opposite_scales_reversed(const pattern_tensor *fill, int64_t first, int count,
                                             const uint32_t *words, float *values)
{
    const float large = fill->dtype == ASSAY_F16 ? 0x1p13f : 0x1p124f;
    (void)first, (void)words;
    for (int i = 0; i < count && fill->index < 2; i++)
        values[i] *= fill->index == 0 ? large : 1.0f / large;
}

static void pattern_masked_rows(const pattern_tensor *fill, int64_t first, int count, const uint32_t *words,
                                float *values)
{
    if (fill->index != 0)
        return;
    for (int i = 0; i < count; i++) {
        const int64_t kind = (first + i) / fill->row % 3;
        if (kind == 0 || (kind == 1 && (words[i] & 1)))
            values[i] = nonfinite_value(2);
    }
}

static void pattern_large_mean(const pattern_tensor *fill, int64_t first, int count, const uint32_t *words,
                               float *values)
{
    (void)fill, (void)first, (void)words;
    for (int i = 0; i < count; i++)
        values[i] += 10000.0f;
}

/* What a kernel that measures from a row's first (or last) element, or from 0, loses: the digits between the outlier and the
 * others' spread. */
static void pattern_outliers(const pattern_tensor *fill, int64_t first, int count, const uint32_t *words,
                             float *values)
{
    (void)words;
    if (fill->index != 0)
        return;
    for (int i = 0; i < count; i++) {
        const int64_t column = (first + i) % fill->row, kind = (first + i) / fill->row % 3;
        if (kind == 2)
            values[i] += column == 0 ? 20000.0f : 10000.0f;
        else if (column == (kind == 0 ? 0 : fill->row - 1))
            values[i] += kind == 0 ? 300.0f : -10000.0f;
    }
}

static void pattern_cancelling(const pattern_tensor *fill, int64_t first, int count, const uint32_t *words,
                               float *values)
{
    (void)words;
    for (int i = 0; i < count; i++)
        values[i] += ((first + i) / fill->row + (first + i) % fill->row) % 2 == 0 ? 10000.0f : -10000.0f;
}

/* Queries and keys of attention, all elements of a row alike. Keys grow from pair to pair of rows; only powers of two and few bits take
 * part, so that every score is exact in binary32, those of a pair are equal, and huge ones are too far apart for a second guess. The
 * 8 bits are odd: then an element that inputs_change_few() replaces does not make scores equal that are not a pair's. */
static void pattern_huge_scores(const pattern_tensor *fill, int64_t first, int count, const uint32_t *words,
                                float *values)
{
    const int64_t rows = fill->tensor->rank > 1 ? fill->tensor->shape[fill->tensor->rank - 2] : 1;
    (void)words;
    for (int i = 0; i < count && fill->index < 2; i++) {
        const int64_t row = (first + i) / fill->row, head = row / rows, place = row % rows;
        const int top = fill->dtype == ASSAY_F16 ? 15 : head % 2 == 0 ? 83 : 59;
        if (fill->index == 0) {
            const float huge = fill->dtype == ASSAY_F16 ? 0x1p15f : 1.0f;
            values[i] = place % 3 == 0 ? huge : place % 3 == 1 ? -huge : ldexpf(1.0f, -5 - top);
        } else {
            const int64_t from_start = head / 2 % 2 == 0 ? place : rows - 1 - place;
            const int below = (int)((rows - 1) / 2 - from_start / 2);
            values[i] = ldexpf((float)(255 - 8 * (below % 16)), top - 7 - below / 16);
        }
    }
}

/* Queries and keys of attention: one key is ahead of all others, so that each of those has a small weight and all of them together a
 * large one. Three levels of it, from head to head. */
static void pattern_small_weights(const pattern_tensor *fill, int64_t first, int count, const uint32_t *words,
                                  float *values)
{
    static const float ahead[3] = {7.6f, 9.6f, 11.6f};
    const int64_t rows = fill->tensor->rank > 1 ? fill->tensor->shape[fill->tensor->rank - 2] : 1;
    (void)words;
    for (int i = 0; i < count && fill->index < 2; i++) {
        const int64_t row = (first + i) / fill->row;
        values[i] *= 0.125f;
        if (fill->index == 0)
            values[i] += 1.0f;
        else if (row % rows == rows / 2)
            values[i] += ahead[row / rows % 3] / sqrtf((float)fill->row);
    }
}

/* Few values, so that elements equal their neighbours, those of other tensors and the row's largest, and sums are exact. */
static void pattern_few_values(const pattern_tensor *fill, int64_t first, int count, const uint32_t *words,
                               float *values)
{
    static const float few[5] = {-2.0f, -1.0f, 0.0f, 1.0f, 2.0f};
    (void)fill, (void)first;
    for (int i = 0; i < count; i++)
        values[i] = few[(words[i] >> 8) % 5];
}

/* Input 0 of eight binades from 1 up, the others half a unit in the last place of the element there: every sum of two lies halfway
 * between two values of the dtype. */
static void pattern_halfway(const pattern_tensor *fill, int64_t first, int count, const uint32_t *words,
                            float *values)
{
    const int bits = fill->dtype == ASSAY_F16 ? 10 : fill->dtype == ASSAY_BF16 ? 7 : 23;
    for (int i = 0; i < count; i++) {
        const int binade = (int)(random_word_at(fill->seed, 2 * PATTERN_STREAM, (uint64_t)(first + i)) % 8);
        const float fraction = ldexpf((float)(words[i] >> 9 >> (23 - bits)), -bits);
        const float size = ldexpf(fill->index == 0 ? 1.0f + fraction : ldexpf(0.5f, -bits), binade);
        values[i] = words[i] & 1 ? -size : size;
    }
}

/* One element of each row is far ahead of all others: the last one of every second row, else any. Only the first input. */
static void pattern_peaks(const pattern_tensor *fill, int64_t first, int count, const uint32_t *words,
                          float *values)
{
    (void)words;
    for (int i = 0; i < count && fill->index == 0; i++) {
        const int64_t row = (first + i) / fill->row, column = (first + i) % fill->row;
        const uint64_t any = random_word_at(fill->seed, 2 * PATTERN_STREAM, (uint64_t)row);
        if (column == (row % 2 == 0 ? fill->row - 1 : (int64_t)(any % (uint64_t)fill->row)))
            values[i] += 300.0f;
    }
}

static void pattern_negative_mean(const pattern_tensor *fill, int64_t first, int count, const uint32_t *words,
                                  float *values)
{
    (void)fill, (void)first, (void)words;
    for (int i = 0; i < count; i++)
        values[i] -= 10000.0f;
}

/* The first input so small that an epsilon of 1e-8 decides beside its squares. */
static void pattern_small(const pattern_tensor *fill, int64_t first, int count, const uint32_t *words,
                          float *values)
{
    (void)first, (void)words;
    for (int i = 0; i < count && fill->index == 0; i++)
        values[i] *= 0x1p-13f;
}

static void pattern_constant(const pattern_tensor *fill, int64_t first, int count, const uint32_t *words,
                             float *values)
{
    (void)first, (void)words;
    for (int i = 0; i < count; i++)
        values[i] = (float)(fill->index + 3) * 0.25f;
}

static const struct {
    const char *name;
    pattern_fn apply;
} patterns[] = {
    {"nonfinite", pattern_nonfinite},
    {"denormal", pattern_denormal},
    {"signed_zero", pattern_signed_zero},
    {"zeros_nonfinite", pattern_zeros_nonfinite},
    {"special_pairs", pattern_special_pairs},
    {"huge", pattern_huge},
    {"overflowing_squares", pattern_overflowing_squares},
    {"opposite_scales", pattern_opposite_scales},
    {"opposite_scales_reversed", pattern_opposite_scales_reversed},
    {"masked_rows", pattern_masked_rows},
    {"large_mean", pattern_large_mean},
    {"outliers", pattern_outliers},
    {"cancelling", pattern_cancelling},
    {"huge_scores", pattern_huge_scores},
    {"log_uniform", pattern_log_uniform},
    {"log_uniform_middle", pattern_log_uniform_middle},
    {"small_weights", pattern_small_weights},
    {"few_values", pattern_few_values},
    {"halfway", pattern_halfway},
    {"peaks", pattern_peaks},
    {"negative_mean", pattern_negative_mean},
    {"small", pattern_small},
    {"constant", pattern_constant},
};

int pattern_find(const char *name, pattern_fn *apply)
{
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        if (strcmp(patterns[i].name, name) == 0) {
            *apply = patterns[i].apply;
            return 1;
        }
    }
    return 0;
}

const char *pattern_name(int number)
{
    return (size_t)number < sizeof patterns / sizeof patterns[0] ? patterns[number].name : NULL;
}
