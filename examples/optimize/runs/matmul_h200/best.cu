// matmul, v5 of the run: large products on tensor cores, three bfloat16 parts of each operand (step 4 of the ladder).
#include "v4/choose.cuh"

static constexpr int kSide = 64, kStep = 16, kSums = 4; // tile of c, of k at a time, sums of a thread a side
static constexpr int kThreads = (kSide / kSums) * (kSide / kSums);
static constexpr int kLoads = kSide * kStep / kThreads;

static __global__ void matmul_tiles(const scalar_t *a, const scalar_t *b, scalar_t *c, int64_t m, int64_t n,
                                    int64_t k, int64_t blocks_n)
{
    alignas(16) __shared__ float tile_a[kStep][kSide], tile_b[kStep][kSide];
    const int t = static_cast<int>(threadIdx.x), row = t / (kSide / kSums) * kSums,
              column = t % (kSide / kSums) * kSums;
    const int64_t first_i = blockIdx.x / blocks_n * kSide, first_j = blockIdx.x % blocks_n * kSide;
    float sums[kSums][kSums] = {}, next_a[kLoads], next_b[kLoads];
    for (int64_t p = -kStep; p < k; p += kStep) {
        for (int l = 0; l < kLoads; l++) { // of the next step; beyond the last all are 0
            const int e = l * kThreads + t, ai = e / kStep, bj = e % kSide;
            const int64_t ak = p + kStep + e % kStep, bk = p + kStep + e / kSide;
            next_a[l] =
                first_i + ai < m && ak < k ? assay::to_float(as_factor(a[(first_i + ai) * k + ak])) : 0.0f;
            next_b[l] =
                first_j + bj < n && bk < k ? assay::to_float(as_factor(b[bk * n + first_j + bj])) : 0.0f;
        }
#pragma unroll
        for (int q = 0; q < kStep && p >= 0; q++) {
            const assay::vec<float, 4> of_a = assay::load_vec<4>(&tile_a[q][row]);
            const assay::vec<float, 4> of_b = assay::load_vec<4>(&tile_b[q][column]);
#pragma unroll
            for (int i = 0; i < kSums; i++)
#pragma unroll
                for (int j = 0; j < kSums; j++)
                    sums[i][j] += of_a[i] * of_b[j];
        }
        __syncthreads();
        for (int l = 0; l < kLoads; l++) {
            const int e = l * kThreads + t;
            tile_a[e % kStep][e / kStep] = next_a[l];
            tile_b[e / kSide][e % kSide] = next_b[l];
        }
        __syncthreads();
    }
    for (int i = 0; i < kSums; i++)
        for (int j = 0; j < kSums; j++)
            if (first_i + row + i < m && first_j + column + j < n)
                c[(first_i + row + i) * n + first_j + column + j] = assay::from_float<scalar_t>(sums[i][j]);
}

extern "C" assay_status matmul_run(const matmul_args *args, assay_stream stream)
{
    const int64_t blocks_m = (args->m + kSide - 1) / kSide, blocks_n = (args->n + kSide - 1) / kSide;
    if (blocks_m == 0 || blocks_n == 0)
        return ASSAY_OK;
    if (blocks_n > INT32_MAX / blocks_m)
        return ASSAY_ERR_UNSUPPORTED;
    if (blocks_m * blocks_n >= 64) // tiles enough for the tensor cores
        return matmul_choose_and_run(args, keep_sums{}, stream);
    return assay::launch(matmul_tiles, dim3(static_cast<unsigned>(blocks_m * blocks_n)), dim3(kThreads), 0,
                         stream, static_cast<const scalar_t *>(args->a),
                         static_cast<const scalar_t *>(args->b), static_cast<scalar_t *>(args->c), args->m,
                         args->n, args->k, blocks_n);
}
