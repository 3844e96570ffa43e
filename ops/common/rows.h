// How threads share the rows of a contiguous matrix that they hold in registers: used by step 4 of the row ops.
//
// A row is cut into a `head` of elements before its first 16-byte boundary, whole vectors, and a rest. The elements off the
// boundary go to one thread each, beside its vectors. A row is worked on by WIDTH neighbouring threads of a warp, or, where
// WIDTH is BLOCK_ROW, by a block. A thread holds VECTORS vectors, at most 32 floats; what a block cannot hold is taken batch
// by batch. launch_rows() chooses by the number of rows and their length.
#ifndef ASSAY_OPS_COMMON_ROWS_H
#define ASSAY_OPS_COMMON_ROWS_H

#include "vector16.h"

#ifndef VECTORS_PER_THREAD
#define VECTORS_PER_THREAD 8 // held where rows are plenty; 32 floats at most, so 4 for 2-byte types
#endif
#ifndef FILL_THREADS
#define FILL_THREADS 270336 // threads that count as a full machine: 132 multiprocessors of 2048
#endif

constexpr int WARP = 32, MAX_THREADS = 1024, BLOCK_ROW = 0;
constexpr int WARP_ROW_THREADS = 4 * WARP; // most in a block whose rows are a warp's or less
constexpr int NARROW = 2 * WIDE;           // fewest threads a row: one for each element off the boundary
constexpr int MOST = 32 / WIDE;            // vectors a thread holds at most

// Number k of thread t is vector t + k * threads of a batch of `count`. x is 16-byte aligned.
template <int VECTORS>
struct row_batch {
    float e[VECTORS][WIDE];

    // All loads are issued before the first use. `missing` is the word that fills vectors that are not there.
    __device__ __forceinline__ void load(const scalar_t *x, int t, int threads, int count, uint32_t missing)
    {
        const uint4 *from = reinterpret_cast<const uint4 *>(x);
        uint4 raw[VECTORS];
#pragma unroll
        for (int k = 0; k < VECTORS; k++) {
            raw[k] = {missing, missing, missing, missing};
            if (t + k * threads < count)
                raw[k] = from[t + k * threads];
        }
#pragma unroll
        for (int k = 0; k < VECTORS; k++)
            unpack(raw[k], e[k]);
    }
};

// One thread's part of one row.
template <int VECTORS, int WIDTH, bool MANY>
struct row_share {
    int threads, t;  // threads of the row, and this one among them
    int64_t row;     // its number, at least the number of rows for threads that only take part in shuffles
    int head;        // elements before the first vector
    int64_t vectors; // of the whole row
    int64_t edge;    // this thread's element off the boundary
    bool has_edge;
    int per_batch; // vectors
    int64_t last;  // batch

    // `x` is the matrix; lengths are above 0.
    __device__ __forceinline__ row_share(const scalar_t *x, int64_t rows, int64_t length)
    {
        threads = WIDTH == BLOCK_ROW ? (int)blockDim.x : WIDTH;
        t = WIDTH == BLOCK_ROW ? (int)threadIdx.x : (int)threadIdx.x % threads;
        row = WIDTH == BLOCK_ROW
                  ? (int64_t)blockIdx.x
                  : (int64_t)blockIdx.x * ((int)blockDim.x / threads) + (int)threadIdx.x / threads;
        const int64_t present = row < rows ? length : 0;
        const int off = (int)((uintptr_t)(x + row * length) % 16 / sizeof(scalar_t));
        const int before = off == 0 ? 0 : WIDE - off;
        head = before < present ? before : (int)present;
        vectors = (present - head) / WIDE;
        edge = t < head ? t : t + vectors * WIDE;
        has_edge = edge < present && t < NARROW;
        per_batch = threads * VECTORS;
        last = MANY ? (vectors - 1) / per_batch : 0;
    }
    // Vectors of batch b, and the place of its first element in the row.
    __device__ __forceinline__ int count(int64_t b) const
    {
        return b < last ? per_batch : (int)(vectors - b * per_batch);
    }
    __device__ __forceinline__ int64_t start(int64_t b) const { return head + b * per_batch * WIDE; }
};

// The state of a whole row from its threads' states, given to each of them. Reduction has `state`, `nothing()` and
// `lanes<N>(state)`, which does the same for N neighbouring lanes of a warp. One barrier where a block has a row.
template <int WIDTH, class Reduction>
static __device__ __forceinline__ typename Reduction::state reduce_row(typename Reduction::state mine)
{
    constexpr int LANES = WIDTH == BLOCK_ROW ? WARP : WIDTH;
    typename Reduction::state whole = Reduction::template lanes<LANES>(mine);
    if (WIDTH == BLOCK_ROW) {
        __shared__ typename Reduction::state of_warp[MAX_THREADS / WARP];
        const int lane = threadIdx.x % WARP;
        if (lane == 0) // the others may hold a NaN of another payload
            of_warp[threadIdx.x / WARP] = whole;
        __syncthreads();
        whole = Reduction::template lanes<WARP>(lane < (int)blockDim.x / WARP ? of_warp[lane]
                                                                              : Reduction::nothing());
    }
    return whole;
}

// Launch Kernels::of<VECTORS, WIDTH, MANY>() with VECTORS a thread. Kernels::block_threads(VECTORS) is the most that a block of
// one row may have: fewer leave more registers to a thread.
template <class Kernels, int VECTORS, class... Args>
static assay_status launch_rows_of(int64_t rows, int64_t vectors, assay_stream stream, Args... args)
{
    const int64_t needed = (vectors + VECTORS - 1) / VECTORS; // threads a row
    if (needed <= WARP) {
        const bool narrow = needed <= NARROW;
        const int width = narrow ? NARROW : WARP;
        const int threads = rows * width < FILL_THREADS / 8
                                ? WARP
                                : WARP_ROW_THREADS; // small blocks reach more multiprocessors
        const int64_t per_block = threads / width;
        return assay::launch(narrow ? Kernels::template of<VECTORS, NARROW, false>()
                                    : Kernels::template of<VECTORS, WARP, false>(),
                             dim3((unsigned)((rows + per_block - 1) / per_block)), dim3(threads), 0, stream,
                             args...);
    }
    constexpr int most = Kernels::block_threads(VECTORS);
    const int threads = needed < most ? (int)((needed + WARP - 1) / WARP * WARP) : most;
    return assay::launch(needed > most ? Kernels::template of<VECTORS, BLOCK_ROW, VECTORS == 4>()
                                       : Kernels::template of<VECTORS, BLOCK_ROW, false>(),
                         dim3((unsigned)rows), dim3(threads), 0, stream, args...);
}

// Choose and launch for `rows` rows of `length` elements; both above 0. `args` are the kernel's.
template <class Kernels, class... Args>
static assay_status launch_rows(int64_t rows, int64_t length, assay_stream stream, Args... args)
{
    constexpr int usual = VECTORS_PER_THREAD < MOST ? VECTORS_PER_THREAD : MOST;
    const int64_t vectors = length / WIDE; // of a row on the boundary; none has more
    // The fewest vectors a thread that neither ask for more threads than the machine holds, or a block may have, nor spread
    // a row over warps, with a barrier, that two vectors a lane keep in one.
    const auto fits = [=](int each) {
        const int64_t needed = (vectors + each - 1) / each;
        const bool splits = each == 1 && needed > WARP && needed <= 2 * WARP;
        return needed <= Kernels::block_threads(each) &&
               (each >= usual || (rows * needed <= FILL_THREADS && !splits));
    };
    if (fits(1))
        return launch_rows_of<Kernels, 1>(rows, vectors, stream, args...);
    if (fits(2))
        return launch_rows_of<Kernels, 2>(rows, vectors, stream, args...);
    if (MOST > 4 && !fits(4) && fits(MOST))
        return launch_rows_of<Kernels, MOST>(rows, vectors, stream, args...);
    return launch_rows_of<Kernels, 4>(rows, vectors, stream, args...); // several batches if need be
}

#endif
