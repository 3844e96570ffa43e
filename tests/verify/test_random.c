/* The generator: known values, the same bits everywhere, the moments of its distributions, its speed. */
#include "tests/unit.h"
#include "verify/hash.h"
#include "verify/random.h"
#include <math.h>
#include <time.h>

static void philox_gives_the_published_vectors(void **state)
{
    /* known answers of the Random123 distribution for philox4x32-10 */
    static const struct {
        uint32_t counter[4], key[2], out[4];
    } known[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        uint32_t out[4];
        philox4x32_10(known[i].counter, known[i].key, out);
        assert_memory_equal(out, known[i].out, sizeof out);
    }
}

static void chunks_are_philox_blocks(void **state)
{
    uint32_t words[RANDOM_CHUNK], out[4];
    const uint64_t seed = UINT64_C(0x123456789abcdef0), stream = 3, chunk = UINT64_C(0x100000002);
    random_words(seed, stream, chunk, words);
    const uint64_t block = chunk * RANDOM_BLOCKS + 77;
    const uint32_t counter[4] = {(uint32_t)block, (uint32_t)(block >> 32), (uint32_t)stream, 0};
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    philox4x32_10(counter, key, out);
    for (int w = 0; w < 4; w++)
        assert_int_equal(words[w * RANDOM_BLOCKS + 77], out[w]);
    assert_int_equal(random_word_at(seed, stream, block), out[0]);
}

static void normals_are_bit_equal_everywhere(void **state)
{
    /* a hash over 2^20 values: any host, compiler or flag that rounds differently changes it */
    float values[RANDOM_CHUNK];
    uint64_t hash = 0;
    for (uint64_t chunk = 0; chunk < 1024; chunk++) {
        random_normal(20260, 1, chunk, values);
        hash = bits_hash(hash, values, sizeof values);
    }
    assert_true(hash == UINT64_C(0xfe29bdbf5b578937));
}

static void moments_are_those_of_the_distributions(void **state)
{
    float values[RANDOM_CHUNK];
    double normal[5] = {0}, uniform[3] = {0}, largest = 0;
    const int chunks = 4096;
    for (int chunk = 0; chunk < chunks; chunk++) {
        random_normal(1, 0, (uint64_t)chunk, values);
        for (int i = 0; i < RANDOM_CHUNK; i++) {
            double power = 1;
            for (int p = 1; p <= 4; p++)
                normal[p] += power *= (double)values[i];
            largest = fmax(largest, fabs((double)values[i]));
        }
        random_uniform(1, 0, (uint64_t)chunk, values);
        for (int i = 0; i < RANDOM_CHUNK; i++) {
            assert_true(values[i] >= -1.0f && values[i] < 1.0f);
            uniform[1] += (double)values[i];
            uniform[2] += (double)values[i] * (double)values[i];
        }
    }
    const double n = (double)chunks * RANDOM_CHUNK; /* bounds: about five standard errors */
    assert_true(fabs(normal[1] / n) < 5 / sqrt(n));
    assert_true(fabs(normal[2] / n - 1) < 5 * sqrt(2 / n));
    assert_true(fabs(normal[3] / n) < 5 * sqrt(15 / n));
    assert_true(fabs(normal[4] / n - 3) < 5 * sqrt(96 / n));
    assert_true(largest > 4.5 && largest < 5.9);
    assert_true(fabs(uniform[1] / n) < 5 / sqrt(3 * n));
    assert_true(fabs(uniform[2] / n - 1.0 / 3) < 5 * sqrt(0.1 / n));
}

static void sixteen_million_normals_are_quick(void **state)
{
    /* the bound is 0.25 s on one idle core; here it is held in processor time and with room for slow hosts */
    float *values = malloc(sizeof *values * RANDOM_CHUNK);
    const clock_t start = clock();
    for (uint64_t chunk = 0; chunk < 16384; chunk++)
        random_normal(1, 0, chunk, values);
    const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    print_message("16.8 M normals: %.3f s\n", seconds);
    assert_true(values[5] != 0.0f);
    free(values);
#ifndef ASSAY_TEST_WITHOUT_TIMES
    assert_true(seconds < 0.25);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(philox_gives_the_published_vectors),
        cmocka_unit_test(chunks_are_philox_blocks),
        cmocka_unit_test(normals_are_bit_equal_everywhere),
        cmocka_unit_test(moments_are_those_of_the_distributions),
        cmocka_unit_test(sixteen_million_normals_are_quick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
