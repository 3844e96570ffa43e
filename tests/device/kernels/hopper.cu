// Kernels that use Hopper's barriers, copies and clusters rightly and check what they get; run by hopper_test.c.
#include "hopper_box.cuh"

// ---- mbarrier and named barriers ----

// A ring of two places from one thread to 64 others, with values passed by ordinary stores.
static __global__ void ring_of_barriers(probe_args args)
{
    ASSAY_DYNAMIC_SHARED(uint64_t, full);
    uint64_t *empty = full + 2;
    int *value = reinterpret_cast<int *>(full + 4);
    if (threadIdx.x == 0) {
        for (int i = 0; i < 2; i++) {
            assay::mbarrier_init(&full[i], 1);
            assay::mbarrier_init(&empty[i], 64);
        }
        assay::mbarrier_fence_init();
    }
    __syncthreads();
    for (int round = 0; round < 9; round++) {
        const int place = round % 2, parity = round / 2 % 2;
        if (threadIdx.x == 64) {
            assay::mbarrier_wait(&empty[place], parity ^ 1);
            value[place] = 100 + round;
            assay::mbarrier_arrive(&full[place]);
        } else if (threadIdx.x < 64) {
            assay::mbarrier_wait(&full[place], parity);
            EXPECT(value[place] == 100 + round);
            assay::mbarrier_arrive(&empty[place]);
        }
    }
}
PROBE_KERNEL(ring_of_barriers)

// Two warps work in turns: each waits for the barrier at which the other has arrived.
static __global__ void turns(probe_args args)
{
    ASSAY_DYNAMIC_SHARED(int, turn);
    const int warp = static_cast<int>(threadIdx.x) / 32;
    if (threadIdx.x == 0)
        *turn = 0;
    __syncthreads();
    if (warp == 1)
        assay::named_barrier_arrive(1, 64);
    for (int i = 0; i < 5; i++) {
        assay::named_barrier_sync(1 + warp, 64);
        EXPECT(*turn == 2 * i + warp);
        __syncwarp();
        if (assay::elect_one())
            *turn = 2 * i + warp + 1;
        __syncwarp();
        if (warp == 0 || i < 4)
            assay::named_barrier_arrive(2 - warp, 64);
    }
}
PROBE_KERNEL(turns)

// ---- copies ----

struct maps {
    assay::tensor_map from, to;
};

static constexpr int ROWS = 70, COLUMNS = 88;

// Fill a matrix, load a box that hangs over an edge of it, check the box, store it to a second matrix, check that.
static __global__ void boxes(const __grid_constant__ assay::tensor_map from,
                             const __grid_constant__ assay::tensor_map to, probe_args args)
{
    ASSAY_DYNAMIC_SHARED(element, box);
    uint64_t *full = reinterpret_cast<uint64_t *>(box + 64 * 64);
    element *matrix = static_cast<element *>(args.data), *copy = matrix + ROWS * COLUMNS;
    const int places[4][2] = {{0, 0}, {64, 32}, {-8, -3}, {200, 0}}; // column, row
    const int x = places[args.variant][0], y = places[args.variant][1];
    for (int i = static_cast<int>(threadIdx.x); i < ROWS * COLUMNS; i += static_cast<int>(blockDim.x)) {
        matrix[i] = assay::from_float<element>(static_cast<float>(i % 251 + 1));
        copy[i] = assay::from_float<element>(-1.0f);
    }
    if (threadIdx.x == 0) {
        assay::mbarrier_init(full, 1);
        assay::mbarrier_fence_init();
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        assay::mbarrier_arrive_expect(full, BOX_BYTES);
        assay::tma_load_2d(box, &from, full, x, y);
    }
    assay::mbarrier_wait(full, 0);
    for (int i = static_cast<int>(threadIdx.x); i < 64 * 64; i += static_cast<int>(blockDim.x)) {
        const int row = y + i / 64, column = x + i % 64;
        const bool inside = row >= 0 && row < ROWS && column >= 0 && column < COLUMNS;
        const float want = inside ? static_cast<float>((row * COLUMNS + column) % 251 + 1) : 0.0f;
        EXPECT(assay::to_float(box[in_box(i / 64, i % 64)]) == want);
    }
    __syncthreads();
    const bool stores = x >= 0 && y >= 0; // a card takes a store before the matrix for an illegal instruction
    if (threadIdx.x == 0 && stores) {
        assay::tma_store_2d(&to, box, x, y);
        assay::tma_store_commit();
        assay::tma_store_wait<0>();
    }
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < ROWS * COLUMNS; i += static_cast<int>(blockDim.x)) {
        const int row = i / COLUMNS - y, column = i % COLUMNS - x;
        const bool inside = stores && row >= 0 && row < 64 && column >= 0 && column < 64;
        EXPECT(assay::to_float(copy[i]) == (inside ? static_cast<float>(i % 251 + 1) : -1.0f));
    }
}
extern "C" ASSAY_EXPORT assay_status boxes_run(const probe_args *args, assay_stream stream)
{
    maps m = {};
    const element *matrix = static_cast<const element *>(args->data);
    if (assay::tensor_map_2d(&m.from, matrix, ROWS, COLUMNS, COLUMNS, 64, 64) ||
        assay::tensor_map_2d(&m.to, matrix + ROWS * COLUMNS, ROWS, COLUMNS, COLUMNS, 64, 64))
        return ASSAY_ERR_INVALID;
    return assay::launch(boxes, dim3(1), dim3(args->block[0]), args->shared_bytes, stream, m.from, m.to,
                         *args);
}

// Rows of any multiple of 16 bytes, from any such place to any such place; what is beside them stays.
static __global__ void rows_of_bytes(probe_args args)
{
    ASSAY_DYNAMIC_SHARED(element, row);
    element *out = static_cast<element *>(args.data);
    const int lengths[4] = {8, 256, 1400, 512}, length = lengths[args.variant];
    for (int i = static_cast<int>(threadIdx.x); i < 2048; i += static_cast<int>(blockDim.x)) {
        row[i] = assay::from_float<element>(static_cast<float>(i % 251 + 1));
        out[i] = assay::from_float<element>(-1.0f);
    }
    assay::fence_async_shared();
    __syncthreads();
    if (threadIdx.x == 0) {
        assay::bulk_store(out + 24, row + 8, length * 2);
        assay::tma_store_commit();
        assay::tma_store_wait<0>();
    }
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < 2048; i += static_cast<int>(blockDim.x)) {
        const bool inside = i >= 24 && i < 24 + length;
        EXPECT(assay::to_float(out[i]) == (inside ? static_cast<float>((i - 16) % 251 + 1) : -1.0f));
    }
}
PROBE_KERNEL(rows_of_bytes)

// Narrower boxes are swizzled over their own width, by groups of 2 or 4 rows that make 128 bytes.
template <int Columns>
static __device__ void check_narrow(const element *box, const probe_args &args)
{
    for (int i = static_cast<int>(threadIdx.x); i < 32 * Columns; i += static_cast<int>(blockDim.x)) {
        const int row = i / Columns, chunk = i % Columns / 8;
        const int at = row * Columns + (chunk ^ (row * Columns / 64 % (Columns / 8))) * 8 + i % 8;
        EXPECT(assay::to_float(box[at]) == static_cast<float>((row * 64 + i % Columns) % 251 + 1));
    }
}
static __global__ void narrow_boxes(const __grid_constant__ assay::tensor_map wide,
                                    const __grid_constant__ assay::tensor_map narrow, probe_args args)
{
    ASSAY_DYNAMIC_SHARED(element, box);
    uint64_t *full = reinterpret_cast<uint64_t *>(box + 64 * 64);
    element *matrix = static_cast<element *>(args.data);
    for (int i = static_cast<int>(threadIdx.x); i < 32 * 64; i += static_cast<int>(blockDim.x))
        matrix[i] = assay::from_float<element>(static_cast<float>(i % 251 + 1));
    if (threadIdx.x == 0) {
        assay::mbarrier_init(full, 1);
        assay::mbarrier_fence_init();
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        assay::mbarrier_arrive_expect(full, 32 * (32 + 16) * 2);
        assay::tma_load_2d(box, &wide, full, 0, 0);
        assay::tma_load_2d(box + 32 * 32, &narrow, full, 0, 0);
    }
    assay::mbarrier_wait(full, 0);
    check_narrow<32>(box, args);
    check_narrow<16>(box + 32 * 32, args);
}
extern "C" ASSAY_EXPORT assay_status narrow_boxes_run(const probe_args *args, assay_stream stream)
{
    maps m = {};
    const element *matrix = static_cast<const element *>(args->data);
    if (assay::tensor_map_2d(&m.from, matrix, 32, 64, 64, 32, 32) ||
        assay::tensor_map_2d(&m.to, matrix, 32, 64, 64, 32, 16))
        return ASSAY_ERR_INVALID;
    return assay::launch(narrow_boxes, dim3(1), dim3(args->block[0]), args->shared_bytes, stream, m.from,
                         m.to, *args);
}

// ---- matrices by warps ----

// stmatrix is ldmatrix backwards.
static __global__ void matrices_to_shared(probe_args args)
{
    ASSAY_DYNAMIC_SHARED(uint16_t, tile); // 4 matrices of 8 x 8
    const int lane = static_cast<int>(threadIdx.x);
    uint32_t r[4], back[4];
    for (int m = 0; m < 4; m++) {
        const uint32_t first = static_cast<uint32_t>(m * 64 + lane / 4 * 8 + lane % 4 * 2);
        r[m] = first | (first + 1) << 16;
    }
    assay::stmatrix_x4(tile + lane * 8, r);
    assay::fence_async_shared();
    __syncwarp();
    for (int i = 0; i < 8; i++)
        EXPECT(tile[lane * 8 + i] == lane * 8 + i);
    assay::ldmatrix_x4(back, tile + lane * 8);
    for (int m = 0; m < 4; m++)
        EXPECT(back[m] == r[m]);
}
PROBE_KERNEL(matrices_to_shared)

// ---- clusters ----

// Each of two blocks loads half of a box for both, and hands a turn to the other through its barriers.
static __global__ void pairs(const __grid_constant__ assay::tensor_map half, probe_args args)
{
    ASSAY_DYNAMIC_SHARED(element, box);
    uint64_t *full = reinterpret_cast<uint64_t *>(box + 64 * 64), *met = full + 1;
    const int rank = assay::cluster_rank();
    EXPECT(rank == static_cast<int>(blockIdx.x) % 2);
    if (threadIdx.x == 0) {
        assay::mbarrier_init(full, 1);
        assay::mbarrier_init(met, 2);
        assay::mbarrier_fence_init();
    }
    assay::cluster_meet();
    element *matrix = static_cast<element *>(args.data) + blockIdx.x / 2 * 64 * 64;
    for (int i = static_cast<int>(threadIdx.x); i < 32 * 64; i += static_cast<int>(blockDim.x))
        matrix[rank * 32 * 64 + i] =
            assay::from_float<element>(static_cast<float>((rank * 32 * 64 + i) % 251));
    assay::cluster_sync();
    if (threadIdx.x == 0) {
        assay::mbarrier_arrive_expect(full, BOX_BYTES);
        assay::tma_load_2d_multicast(box + rank * 32 * 64, &half, full, 0,
                                     static_cast<int>(blockIdx.x) / 2 * 64 + rank * 32, 3);
        assay::mbarrier_arrive_cluster(met, 0);
        assay::mbarrier_arrive_cluster(met, 1);
    }
    assay::mbarrier_wait(full, 0);
    assay::mbarrier_wait(met, 0);
    for (int i = static_cast<int>(threadIdx.x); i < 64 * 64; i += static_cast<int>(blockDim.x))
        EXPECT(assay::to_float(box[in_box(i / 64, i % 64)]) == static_cast<float>(i % 251));
    __syncthreads();
    assay::cluster_meet();
}
extern "C" ASSAY_EXPORT assay_status pairs_run(const probe_args *args, assay_stream stream)
{
    assay::tensor_map half = {};
    if (assay::tensor_map_2d(&half, static_cast<const element *>(args->data), 64 * args->grid[0] / 2, 64, 64,
                             32, 64))
        return ASSAY_ERR_INVALID;
    return assay::launch_cluster(pairs, 2, dim3(args->grid[0]), dim3(args->block[0]), args->shared_bytes,
                                 stream, half, *args);
}
