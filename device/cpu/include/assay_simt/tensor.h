/* ldmatrix and mma.sync as warp collectives: the last lane to arrive gathers the fragments of all, computes, and scatters.
 * Fragment layouts: PTX ISA, "Matrix fragments for mma.m16n8k16 / mma.m16n8k8" and "ldmatrix". g = lane / 4, t = lane % 4.
 *
 * The sum of a tensor core is computed here in binary32 in the order of k; a GPU's truncates differently, so results agree
 * to rounding only. */
#ifndef ASSAY_SIMT_TENSOR_H
#define ASSAY_SIMT_TENSOR_H

#include <assay_simt/memory_access.h>
#include <assay_simt/warp.h>

namespace assay_simt
{

struct ldmatrix_post {
    const void *row;
    uint32_t *r;
};

template <int Matrices, bool Transposed>
inline void ldmatrix_combine(void *const *args, uint32_t)
{
    for (int m = 0; m < Matrices; m++) {
        uint16_t tile[8][8];
        for (int i = 0; i < 8; i++)
            memcpy(tile[i], static_cast<ldmatrix_post *>(args[8 * m + i])->row, sizeof tile[i]);
        for (int lane = 0; lane < 32; lane++) {
            const int g = lane >> 2, t = lane & 3;
            const uint32_t low = Transposed ? tile[2 * t][g] : tile[g][2 * t];
            const uint32_t high = Transposed ? tile[2 * t + 1][g] : tile[g][2 * t + 1];
            static_cast<ldmatrix_post *>(args[lane])->r[m] = low | (high << 16);
        }
    }
}

template <int Matrices, bool Transposed>
inline void ldmatrix(uint32_t *r, const void *row, const char *op, const char *file, int line)
{
    if (lane() < 8 * Matrices) { /* the addresses of the other lanes are not used */
        check_aligned(row, 16, op, file, line);
        if (ASSAY_SIMT_CHECK)
            assay_simt_check_here(row, 16, ASSAY_SIMT_READ);
    }
    ldmatrix_post post{row, r};
    assay_simt_warp_collective(0xffffffffu, 1, &post, ldmatrix_combine<Matrices, Transposed>, op, file, line);
}

struct mma_post {
    const uint32_t *a, *b;
    const float *c;
    float *d;
};

/* d = a * b + c for a 16 x K, b K x 8. Rows of b and d are 8 wide, which compilers turn into vector code; the sums of four rows stay in
 * registers while k runs. */
template <int K>
inline void mma_product(const float (&a)[16][K], const float (&b)[K][8], float (&d)[16][8])
{
    for (int row = 0; row < 16; row += 4) {
        float sums[4][8];
        memcpy(sums, d[row], sizeof sums);
        for (int k = 0; k < K; k++)
            for (int i = 0; i < 4; i++)
                for (int column = 0; column < 8; column++)
                    sums[i][column] += a[row + i][k] * b[k][column];
        memcpy(d[row], sums, sizeof sums);
    }
}

inline void mma_load_accumulator(void *const *args, float (&d)[16][8])
{
    for (int lane = 0; lane < 32; lane++) {
        const float *c = static_cast<mma_post *>(args[lane])->c;
        for (int i = 0; i < 4; i++)
            d[(lane >> 2) + 8 * (i >> 1)][2 * (lane & 3) + (i & 1)] = c[i];
    }
}

inline void mma_store_accumulator(void *const *args, const float (&d)[16][8])
{
    for (int lane = 0; lane < 32; lane++) {
        float *out = static_cast<mma_post *>(args[lane])->d;
        for (int i = 0; i < 4; i++)
            out[i] = d[(lane >> 2) + 8 * (i >> 1)][2 * (lane & 3) + (i & 1)];
    }
}

template <class T>
inline float widen(uint32_t bits)
{
    return static_cast<float>(T::from_bits(bits & 0xffffu));
}
template <>
inline float widen<__half>(
    uint32_t bits) /* the same values without a branch, for vector code: exponents are moved by a product */
{
    const float magnitude = __uint_as_float((bits & 0x7fffu) << 13) * 0x1p112f;
    const uint32_t special = (bits & 0x7c00u) == 0x7c00u ? 0x7f800000u : 0u;
    return __uint_as_float(__float_as_uint(magnitude) | special | ((bits & 0x8000u) << 16));
}

template <class T>
inline void mma_m16n8k16_combine(void *const *args, uint32_t)
{
    float a[16][16], b[16][8], d[16][8];
    for (int lane = 0; lane < 32; lane++) {
        const auto *post = static_cast<mma_post *>(args[lane]);
        const int g = lane >> 2, t = lane & 3;
        for (int i = 0; i < 4; i++) {
            a[g + 8 * (i & 1)][2 * t + 8 * (i >> 1)] = widen<T>(post->a[i]);
            a[g + 8 * (i & 1)][2 * t + 8 * (i >> 1) + 1] = widen<T>(post->a[i] >> 16);
        }
        for (int i = 0; i < 2; i++) {
            b[2 * t + 8 * i][g] = widen<T>(post->b[i]);
            b[2 * t + 8 * i + 1][g] = widen<T>(post->b[i] >> 16);
        }
    }
    mma_load_accumulator(args, d);
    mma_product(a, b, d);
    mma_store_accumulator(args, d);
}

/* The tensor core reads 19 of a tf32 operand's bits and ignores the rest. */
inline float tf32_operand(uint32_t bits)
{
    return __uint_as_float(bits & 0xffffe000u);
}

inline void mma_m16n8k8_tf32_combine(void *const *args, uint32_t)
{
    float a[16][8], b[8][8], d[16][8];
    for (int lane = 0; lane < 32; lane++) {
        const auto *post = static_cast<mma_post *>(args[lane]);
        const int g = lane >> 2, t = lane & 3;
        for (int i = 0; i < 4; i++)
            a[g + 8 * (i & 1)][t + 4 * (i >> 1)] = tf32_operand(post->a[i]);
        for (int i = 0; i < 2; i++)
            b[t + 4 * i][g] = tf32_operand(post->b[i]);
    }
    mma_load_accumulator(args, d);
    mma_product(a, b, d);
    mma_store_accumulator(args, d);
}

} // namespace assay_simt

namespace assay
{

inline void ldmatrix_x4(uint32_t *r, const void *row, ASSAY_SIMT_PLACE)
{
    assay_simt::ldmatrix<4, false>(r, row, "ldmatrix_x4", file_, line_);
}
inline void ldmatrix_x2(uint32_t *r, const void *row, ASSAY_SIMT_PLACE)
{
    assay_simt::ldmatrix<2, false>(r, row, "ldmatrix_x2", file_, line_);
}
inline void ldmatrix_x4_trans(uint32_t *r, const void *row, ASSAY_SIMT_PLACE)
{
    assay_simt::ldmatrix<4, true>(r, row, "ldmatrix_x4_trans", file_, line_);
}
inline void ldmatrix_x2_trans(uint32_t *r, const void *row, ASSAY_SIMT_PLACE)
{
    assay_simt::ldmatrix<2, true>(r, row, "ldmatrix_x2_trans", file_, line_);
}

template <class T>
inline void mma_m16n8k16(float *d, const uint32_t *a, const uint32_t *b, const float *c, ASSAY_SIMT_PLACE)
{
    static_assert(sizeof(T) == 2, "mma_m16n8k16 is for __half and __nv_bfloat16");
    assay_simt::mma_post post{a, b, c, d};
    assay_simt_warp_collective(0xffffffffu, 1, &post, assay_simt::mma_m16n8k16_combine<T>, "mma_m16n8k16",
                               file_, line_);
}
inline void mma_m16n8k8_tf32(float *d, const uint32_t *a, const uint32_t *b, const float *c, ASSAY_SIMT_PLACE)
{
    assay_simt::mma_post post{a, b, c, d};
    assay_simt_warp_collective(0xffffffffu, 1, &post, assay_simt::mma_m16n8k8_tf32_combine,
                               "mma_m16n8k8_tf32", file_, line_);
}

} // namespace assay

#endif
