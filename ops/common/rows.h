// How threads share the rows of a matrix that they hold in registers: step 4 of the row ops.
//
// Rows are contiguous; those of x may lie further apart, as in a view of wider rows.
//
// A row is cut into a `head` of elements before its first 16-byte boundary, whole vectors, and a rest. The
// elements off the boundary go to one thread each, beside its vectors. A row is worked on by WIDTH
// neighbouring threads of a warp or, where WIDTH is more than a warp, by a block of at most WIDTH threads. A
// thread holds VECTORS vectors, at most 32 floats; rows that a block cannot hold are processed in batches.
// launch_rows() chooses by the number of rows and their length.
#ifndef ASSAY_OPS_COMMON_ROWS_H
#define ASSAY_OPS_COMMON_ROWS_H

#include "value_barrier.h"
#include "vector16.h"

constexpr int WARP = 32, MAX_THREADS = 1024;
constexpr int WARP_ROW_THREADS = 4 * WARP; // most threads of a block whose rows take a warp or less
constexpr int NARROW = 2 * WIDE;           // fewest threads a row: one for each element off the boundary
constexpr int MOST = 32 / WIDE;            // vectors a thread holds at most

// How rows lie; what a shape does not have is compiled out of its kernels.
enum row_shape {
    WHOLE_VECTORS, // each starts on a 16-byte boundary, is made of whole vectors, and fits a batch
    ONE_BATCH,     // each fits a batch
    MANY_BATCHES,
    ACROSS, // as MANY_BATCHES; x and out lie differently from a boundary (across_rows.h)
};

// Number k of thread t is vector t + k * threads of a batch of `count`. x is 16-byte aligned. `missing` is
// the word that fills vectors that are not there.
template <int VECTORS>
static __device__ __forceinline__ void load_vectors(uint4 (&raw)[VECTORS], const scalar_t *x, int t,
                                                    int threads, int count, uint32_t missing)
{
    const uint4 *from = reinterpret_cast<const uint4 *>(x);
#pragma unroll
    for (int k = 0; k < VECTORS; k++) {
        raw[k] = {missing, missing, missing, missing};
        if (t + k * threads < count)
            raw[k] = from[t + k * threads];
    }
}

// A row of x, from which batches are loaded. ACROSS: in across_rows.h.
template <row_shape SHAPE>
struct row_source {
    static_assert(SHAPE != ACROSS, "declared in across_rows.h");
    const scalar_t *x;

    // The row begins `first` elements behind the start of `matrix`.
    template <class Share>
    __device__ __forceinline__ row_source(const scalar_t *matrix, int64_t first, const Share &)
        : x(matrix + first)
    {
    }
    // The thread's vectors of batch b.
    template <int VECTORS, class Share>
    __device__ __forceinline__ void load(uint4 (&raw)[VECTORS], const Share &share, int64_t b,
                                         uint32_t missing) const
    {
        load_vectors(raw, x + share.start(b), share.t, share.threads, share.count(b), missing);
    }
};

template <int VECTORS>
struct row_batch {
    float e[VECTORS][WIDE];

    // All loads are issued before the first use.
    template <class Source, class Share>
    __device__ __forceinline__ void load(const Source &from, const Share &share, int64_t b, uint32_t missing)
    {
        uint4 raw[VECTORS];
        from.load(raw, share, b, missing);
#pragma unroll
        for (int k = 0; k < VECTORS; k++)
            unpack(raw[k], e[k]);
    }
    // Of a row that gives each of WARP threads VECTORS vectors.
    __device__ __forceinline__ void load_exact(const scalar_t *x, int t)
    {
        uint4 raw[VECTORS];
        load_vectors(raw, x, t, WARP, INT32_MAX, 0);
#pragma unroll
        for (int k = 0; k < VECTORS; k++)
            unpack(raw[k], e[k]);
    }
};

// The same vectors as they come from memory, taken apart at each use: a quarter or half of the registers for
// 2-byte types.
template <int VECTORS>
struct packed_batch {
    uint4 raw[VECTORS];

    template <class Source, class Share>
    __device__ __forceinline__ void load(const Source &from, const Share &share, int64_t b)
    {
        from.load(raw, share, b, 0);
    }
    __device__ __forceinline__ void get(int k, float *e) const { unpack(raw[k], e); }

    // Convert the vectors again after this point: converted elements kept from an earlier use would occupy
    // the registers saved here.
    __device__ __forceinline__ void keep_packed()
    {
#pragma unroll
        for (int k = 0; k < VECTORS; k++) {
            value_barrier(raw[k].x);
            value_barrier(raw[k].y);
            value_barrier(raw[k].z);
            value_barrier(raw[k].w);
        }
    }
};

// One thread's part of one row.
template <int VECTORS, int WIDTH, row_shape SHAPE>
struct row_share {
    static constexpr bool BLOCK = WIDTH > WARP, MANY = SHAPE == MANY_BATCHES || SHAPE == ACROSS;
    int threads, t;  // threads of the row, and this one among them
    int64_t row;     // its number, at least the number of rows for threads that only take part in shuffles
    int head;        // elements before the first vector
    int64_t vectors; // of the whole row
    int64_t edge;    // this thread's element off the boundary
    bool has_edge;
    int per_batch; // vectors
    int64_t last;  // batch

    // `x` is the matrix by whose boundaries rows are cut: as if they were `length` elements apart, so that
    // other distances differ by whole vectors. Lengths are above 0.
    __device__ __forceinline__ row_share(const scalar_t *x, int64_t rows, int64_t length)
    {
        threads = BLOCK ? (int)blockDim.x : WIDTH;
        t = BLOCK ? (int)threadIdx.x : (int)threadIdx.x % threads;
        row = BLOCK ? (int64_t)blockIdx.x
                    : (int64_t)blockIdx.x * ((int)blockDim.x / threads) + (int)threadIdx.x / threads;
        cut(x + row * length, row < rows ? length : 0);
    }
    // The block has the `length` elements at `begin`, which may be 0 and are a row or a part of one.
    __device__ __forceinline__ row_share(const scalar_t *begin, int64_t length)
        : threads(WIDTH), t((int)threadIdx.x), row(0)
    {
        static_assert(BLOCK);
        cut(begin, length);
    }
    // Vectors of batch b, and the position of its first element in the row.
    __device__ __forceinline__ int count(int64_t b) const
    {
        return b < last ? per_batch : (int)(vectors - b * per_batch);
    }
    __device__ __forceinline__ int64_t start(int64_t b) const { return head + b * per_batch * WIDE; }
    // Whether batches have to be loaded again for another pass, as there are several.
    __device__ __forceinline__ bool reloads() const
    {
        return SHAPE == MANY_BATCHES || (SHAPE == ACROSS && last > 0);
    }

  private:
    __device__ __forceinline__ void cut(const scalar_t *begin, int64_t present)
    {
        per_batch = threads * VECTORS;
        if constexpr (SHAPE == WHOLE_VECTORS) {
            head = 0;
            vectors = present / WIDE;
            edge = last = 0;
            has_edge = false;
            return;
        }
        const int off = (int)((uintptr_t)begin % 16 / sizeof(scalar_t));
        const int before = off == 0 ? 0 : WIDE - off;
        head = before < present ? before : (int)present;
        vectors = (present - head) / WIDE;
        edge = t < head ? t : t + vectors * WIDE;
        has_edge = edge < present && t < NARROW;
        last = MANY ? (vectors - 1) / per_batch : 0;
    }
};

// Sum of `mine` over LANES neighbouring lanes of a warp, given to each of them.
template <int LANES>
static __device__ __forceinline__ float sum_of_lanes(float mine)
{
#pragma unroll
    for (int offset = LANES / 2; offset > 0; offset /= 2)
        mine += __shfl_xor_sync(0xffffffffu, mine, offset);
    return mine;
}

// The state of a block's row from the states of its warps, at most WIDTH / WARP. One barrier. Reduction and
// EXACT are those of reduce_row().
template <int WIDTH, class Reduction, bool EXACT = false>
static __device__ __forceinline__ typename Reduction::state reduce_warps(typename Reduction::state whole)
{
    constexpr int MOST_WARPS = WIDTH <= 4 * WARP ? 4 : WIDTH <= 8 * WARP ? 8 : MAX_THREADS / WARP;
    alignas(EXACT ? 16 : alignof(typename Reduction::state)) __shared__
        typename Reduction::state of_warp[EXACT ? WIDTH / WARP : MOST_WARPS];
    const int lane = threadIdx.x % MOST_WARPS;
    if (threadIdx.x % WARP == 0) // the others may hold a NaN of another payload
        of_warp[threadIdx.x / WARP] = whole;
    __syncthreads();
    if constexpr (EXACT)
        return Reduction::template all<WIDTH / WARP>(of_warp);
    else
        return Reduction::template lanes<MOST_WARPS>(lane < (int)blockDim.x / WARP ? of_warp[lane]
                                                                                   : Reduction::nothing());
}

// The state of a whole row from its threads' states, given to each of them. Reduction has `state`,
// `nothing()` and `lanes<N>(state)`, which does the same for N neighbouring lanes of a warp. One barrier
// where a block has a row. EXACT: of WIDTH threads; each then reads the states of all warps, which
// Reduction's `all<N>(states)` makes one without further shuffles.
template <int WIDTH, class Reduction, bool EXACT = false>
static __device__ __forceinline__ typename Reduction::state reduce_row(typename Reduction::state mine)
{
    const typename Reduction::state whole = Reduction::template lanes<(WIDTH > WARP ? WARP : WIDTH)>(mine);
    if constexpr (WIDTH > WARP)
        return reduce_warps<WIDTH, Reduction, EXACT>(whole);
    else
        return whole;
}

// Launch Kernels::of<VECTORS, WIDTH, SHAPE>(). `whole`: all rows are WHOLE_VECTORS. Kernels has
//   block_threads(VECTORS)  the most threads that a block of one row may have: fewer leave more registers to
//   a thread; SMALL_BLOCK             and kernels for blocks of at most so many (0: none), which may use
//   still more of them; USUAL_VECTORS           vectors a thread where rows are many; FULL
//   threads that count as a full device: below, rows are spread over more threads.
template <class Kernels, int VECTORS, int WIDTH, class... Args>
static assay_status launch_rows_by(dim3 grid, int threads, bool whole, assay_stream stream, Args... args)
{
    return assay::launch(whole ? Kernels::template of<VECTORS, WIDTH, WHOLE_VECTORS>()
                               : Kernels::template of<VECTORS, WIDTH, ONE_BATCH>(),
                         grid, dim3(threads), 0, stream, args...);
}

template <class Kernels, int VECTORS, class... Args>
static assay_status launch_rows_of(int64_t rows, int64_t vectors, bool whole, assay_stream stream,
                                   Args... args)
{
    const int64_t needed = (vectors + VECTORS - 1) / VECTORS; // threads a row
    constexpr int usual = Kernels::USUAL_VECTORS < MOST ? Kernels::USUAL_VECTORS : MOST;
    if constexpr (VECTORS <= usual)
        if (needed <= WARP) {
            const bool narrow = needed <= NARROW;
            const int width = narrow ? NARROW : WARP;
            const int threads = rows * width < Kernels::FULL / 8
                                    ? WARP
                                    : WARP_ROW_THREADS; // small blocks reach more multiprocessors
            const int64_t per_block = threads / width;
            const dim3 grid((unsigned)((rows + per_block - 1) / per_block));
            if (narrow)
                return launch_rows_by<Kernels, VECTORS, NARROW>(grid, threads, whole, stream, args...);
            return launch_rows_by<Kernels, VECTORS, WARP>(grid, threads, whole, stream, args...);
        }
    constexpr int most = Kernels::block_threads(VECTORS), small = Kernels::SMALL_BLOCK;
    const int threads = needed < most ? (int)((needed + WARP - 1) / WARP * WARP) : most;
    const dim3 grid((unsigned)rows);
    if constexpr (VECTORS == 4)
        if (needed > most)
            return assay::launch(Kernels::template of<VECTORS, most, MANY_BATCHES>(), grid, dim3(threads), 0,
                                 stream, args...);
    if constexpr (small > 0 && VECTORS <= usual)
        if (threads <= small)
            return launch_rows_by<Kernels, VECTORS, small>(grid, threads, whole, stream, args...);
    return launch_rows_by<Kernels, VECTORS, most>(grid, threads, whole, stream, args...);
}

// Choose and launch for `rows` rows of `length` elements; both above 0. `args` are the kernel's.
template <class Kernels, class... Args>
static assay_status launch_rows(int64_t rows, int64_t length, bool whole, assay_stream stream, Args... args)
{
    constexpr int usual = Kernels::USUAL_VECTORS < MOST ? Kernels::USUAL_VECTORS : MOST;
    const int64_t vectors = length / WIDE; // of a row on the boundary; none has more
    // The fewest vectors a thread that neither ask for more threads than the device holds, or a block may
    // have, nor spread a row over warps, with a barrier, that two vectors a lane keep in one. Rows have
    // NARROW threads in any case: where these hold a row, more vectors a thread would only cost registers and
    // so threads with loads in flight.
    const auto fits = [=](int each) {
        const int64_t needed = (vectors + each - 1) / each;
        const bool splits = each == 1 && needed > WARP && needed <= 2 * WARP;
        return needed <= Kernels::block_threads(each) &&
               (each >= usual || needed <= NARROW || (rows * needed <= Kernels::FULL && !splits));
    };
    if (fits(1))
        return launch_rows_of<Kernels, 1>(rows, vectors, whole, stream, args...);
    if (fits(2))
        return launch_rows_of<Kernels, 2>(rows, vectors, whole, stream, args...);
    if constexpr (MOST > 4)
        if (!fits(4) && fits(MOST))
            return launch_rows_of<Kernels, MOST>(rows, vectors, whole, stream, args...);
    return launch_rows_of<Kernels, 4>(rows, vectors, whole, stream, args...); // several batches if need be
}

#endif
