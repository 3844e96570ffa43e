/* The CPU side of <assay/hopper.h>. What is checked beyond the result:
 *   mbarrier     use before init, without the init fence, overwritten; too many arrivals; a deadlock names the waiting lines
 *   copies       maps that CUDA refuses; destinations misaligned or outside dynamic shared memory; a block that ends with
 *                copies or products under way
 *   wgmma        descriptors that differ between threads, point outside dynamic shared memory or, with k across rows, into the
 *                middle of a swizzle block; no wgmma_fence since the last wait; stmatrix without fence_async_shared before the copy engine or
 *                wgmma reads (ordinary stores are not watched)
 * Not modelled: registers (setmaxnreg does nothing); static shared arrays exist once for a whole cluster. */
#ifndef ASSAY_SIMT_HOPPER_CPU_H
#define ASSAY_SIMT_HOPPER_CPU_H

#include <assay_simt/hopper_runtime.h>
#include <assay_simt/kernel_cpu.h>

#define ASSAY_HOPPER_CODE 1

namespace assay_simt
{

struct stmatrix_post {
    void *row;
    const uint32_t *r;
};

template <int Matrices>
inline void stmatrix_combine(void *const *args, uint32_t)
{
    for (int m = 0; m < Matrices; m++)
        for (int lane = 0; lane < 32; lane++) {
            char *row = static_cast<char *>(static_cast<stmatrix_post *>(args[8 * m + lane / 4])->row);
            memcpy(row + lane % 4 * 4, &static_cast<stmatrix_post *>(args[lane])->r[m], 4);
        }
}

/* What a lane holds side by side is stored one below the other. */
template <int Matrices>
inline void stmatrix_trans_combine(void *const *args, uint32_t)
{
    for (int m = 0; m < Matrices; m++)
        for (int lane = 0; lane < 32; lane++)
            for (int i = 0; i < 2; i++) {
                const int stored_row = lane % 4 * 2 + i, stored_column = lane / 4;
                char *row = static_cast<char *>(static_cast<stmatrix_post *>(args[8 * m + stored_row])->row);
                const uint16_t element =
                    static_cast<uint16_t>(static_cast<stmatrix_post *>(args[lane])->r[m] >> (16 * i));
                memcpy(row + stored_column * 2, &element, 2);
            }
}

template <class T>
struct wgmma_kind;
template <>
struct wgmma_kind<__half> {
    static constexpr int KIND = ASSAY_SIMT_WGMMA_F16;
};
template <>
struct wgmma_kind<__nv_bfloat16> {
    static constexpr int KIND = ASSAY_SIMT_WGMMA_BF16;
};

} // namespace assay_simt

namespace assay
{

/* ---- host ---- */

inline bool hopper_available()
{
    return true;
}
/* Few, so that a grid that stays has several tiles a block at the sizes the CPU device is tested with. */
inline int multiprocessor_count()
{
    return 6;
}
/* A cluster's threads are at most 1024 together, so two blocks of three or four warpgroups. */
inline int cluster_limit()
{
    return 2;
}

template <class... Params, class... Args>
inline assay_status launch_cluster(void (*kernel)(Params...), int cluster, dim3 grid, dim3 block,
                                   size_t shared_bytes, assay_stream stream, Args &&...args)
{
    static_assert(sizeof...(Params) == sizeof...(Args), "one argument for each parameter of the kernel");
    const assay_simt_launch_config config = {reinterpret_cast<const void *>(kernel),
                                             {grid.x, grid.y, grid.z},
                                             {block.x, block.y, block.z},
                                             shared_bytes,
                                             stream,
                                             ASSAY_SIMT_CHECK,
                                             static_cast<uint32_t>(cluster)};
    return assay_simt::launcher<Params...>::launch(config, kernel, static_cast<Params>(args)...);
}

/* Kernels run one after the other here. */
template <class... Params, class... Args>
inline assay_status launch_early(void (*kernel)(Params...), dim3 grid, dim3 block, size_t shared_bytes,
                                 assay_stream stream, Args &&...args)
{
    return launch(kernel, grid, block, shared_bytes, stream, args...);
}
inline void wait_for_previous() {}
inline void let_next_begin() {}

struct tensor_map {
    assay_simt_tensor_map is;
    unsigned char
        unused[128 - sizeof(assay_simt_tensor_map)]; /* CUDA's size: kernel parameters are limited */
};

template <class T, int Rank>
inline assay_status tensor_map_strided(tensor_map *map, const T *base, const int64_t (&extents)[Rank],
                                       const int64_t (&strides)[Rank - 1], const int (&box)[Rank],
                                       const int (&every)[Rank], bool swizzled)
{
    static_assert(Rank <= ASSAY_SIMT_MAX_RANK, "the dimensions that the CPU device knows");
    int64_t stride_bytes[Rank - 1];
    for (int i = 0; i < Rank - 1; i++)
        stride_bytes[i] = strides[i] * static_cast<int64_t>(sizeof(T));
    return assay_simt_tensor_map_nd(&map->is, base, Rank, extents, stride_bytes, box, every, sizeof(T),
                                    swizzled);
}
template <class T, int Rank>
inline assay_status tensor_map_nd(tensor_map *map, const T *base, const int64_t (&extents)[Rank],
                                  const int64_t (&strides)[Rank - 1], const int (&box)[Rank], bool swizzled)
{
    int every[Rank];
    for (int &step : every)
        step = 1;
    return tensor_map_strided<T, Rank>(map, base, extents, strides, box, every, swizzled);
}
template <class T>
inline assay_status tensor_map_2d(tensor_map *map, const T *base, int64_t rows, int64_t columns,
                                  int64_t row_stride, int box_rows, int box_columns)
{
    return tensor_map_nd<T, 2>(map, base, {columns, rows}, {row_stride}, {box_columns, box_rows},
                               box_columns * sizeof(T) > 16 && 128 % (box_columns * sizeof(T)) == 0);
}

/* ---- mbarrier ---- */

inline void mbarrier_init(uint64_t *barrier, int arrivals, ASSAY_SIMT_PLACE)
{
    assay_simt_mbarrier_init(barrier, arrivals, file_, line_);
}
inline void mbarrier_fence_init()
{
    assay_simt_mbarrier_fence_init();
}
inline void mbarrier_arrive(uint64_t *barrier, ASSAY_SIMT_PLACE)
{
    assay_simt_mbarrier_arrive(barrier, -1, 0, "mbarrier_arrive", file_, line_);
}
inline void mbarrier_arrive_expect(uint64_t *barrier, int bytes, ASSAY_SIMT_PLACE)
{
    assay_simt_mbarrier_arrive(barrier, -1, bytes, "mbarrier_arrive_expect", file_, line_);
}
inline void mbarrier_arrive_cluster(uint64_t *barrier, int rank, ASSAY_SIMT_PLACE)
{
    assay_simt_mbarrier_arrive(barrier, rank, 0, "mbarrier_arrive_cluster", file_, line_);
}
inline void mbarrier_wait(uint64_t *barrier, int parity, ASSAY_SIMT_PLACE)
{
    assay_simt_mbarrier_wait(barrier, parity, file_, line_);
}

/* ---- the copy engine ---- */

inline void tma_prefetch_map(const tensor_map *) {}
inline void prefetch_l2(const void *) {}
inline void tma_load_2d(void *shared, const tensor_map *map, uint64_t *barrier, int x, int y,
                        ASSAY_SIMT_PLACE)
{
    assay_simt_tma_load(shared, &map->is, barrier, {{x, y, 0, 0}}, 2, 0, "tma_load_2d", file_, line_);
}
inline void tma_load_3d(void *shared, const tensor_map *map, uint64_t *barrier, int x, int y, int z,
                        ASSAY_SIMT_PLACE)
{
    assay_simt_tma_load(shared, &map->is, barrier, {{x, y, z, 0}}, 3, 0, "tma_load_3d", file_, line_);
}
inline void tma_load_4d(void *shared, const tensor_map *map, uint64_t *barrier, int x, int y, int z, int w,
                        ASSAY_SIMT_PLACE)
{
    assay_simt_tma_load(shared, &map->is, barrier, {{x, y, z, w}}, 4, 0, "tma_load_4d", file_, line_);
}
inline void tma_load_2d_multicast(void *shared, const tensor_map *map, uint64_t *barrier, int x, int y,
                                  unsigned mask, ASSAY_SIMT_PLACE)
{
    assay_simt_tma_load(shared, &map->is, barrier, {{x, y, 0, 0}}, 2, mask, "tma_load_2d_multicast", file_,
                        line_);
}
inline void tma_store_2d(const tensor_map *map, const void *shared, int x, int y, ASSAY_SIMT_PLACE)
{
    assay_simt_tma_store(&map->is, shared, {{x, y, 0, 0}}, 2, "tma_store_2d", file_, line_);
}
inline void tma_store_3d(const tensor_map *map, const void *shared, int x, int y, int z, ASSAY_SIMT_PLACE)
{
    assay_simt_tma_store(&map->is, shared, {{x, y, z, 0}}, 3, "tma_store_3d", file_, line_);
}
inline void tma_store_4d(const tensor_map *map, const void *shared, int x, int y, int z, int w,
                         ASSAY_SIMT_PLACE)
{
    assay_simt_tma_store(&map->is, shared, {{x, y, z, w}}, 4, "tma_store_4d", file_, line_);
}
inline void bulk_store(void *global, const void *shared, int bytes, ASSAY_SIMT_PLACE)
{
    assay_simt_bulk_store(global, shared, bytes, file_, line_);
}
inline void tma_store_commit()
{
    assay_simt_tma_commit();
}
template <int Pending>
inline void tma_store_wait_read()
{
    assay_simt_tma_wait(Pending);
}
template <int Pending>
inline void tma_store_wait()
{
    assay_simt_tma_wait(Pending);
}
inline void fence_async_shared()
{
    assay_simt_fence_async();
}

/* ---- clusters, roles and registers ---- */

inline int cluster_rank()
{
    return assay_simt_cluster_rank();
}
inline void cluster_sync(ASSAY_SIMT_PLACE)
{
    assay_simt_cluster_barrier("cluster_sync", file_, line_);
}
inline void cluster_meet(ASSAY_SIMT_PLACE)
{
    assay_simt_cluster_barrier("cluster_meet", file_, line_);
}
inline bool elect_one()
{
    return assay_simt::lane() == 0;
}
template <int Registers>
inline void registers_increase()
{
    static_assert(Registers >= 24 && Registers <= 256 && Registers % 8 == 0, "what setmaxnreg takes");
}
template <int Registers>
inline void registers_decrease()
{
    static_assert(Registers >= 24 && Registers <= 256 && Registers % 8 == 0, "what setmaxnreg takes");
}
inline void named_barrier_sync(int id, int threads, ASSAY_SIMT_PLACE)
{
    assay_simt_named_barrier(id, threads, 1, "named_barrier_sync", file_, line_);
}
inline void named_barrier_arrive(int id, int threads, ASSAY_SIMT_PLACE)
{
    assay_simt_named_barrier(id, threads, 0, "named_barrier_arrive", file_, line_);
}
inline void stmatrix_x4(void *row, const uint32_t *r, ASSAY_SIMT_PLACE)
{
    assay_simt::check_aligned(row, 16, "stmatrix_x4", file_, line_);
    assay_simt::stmatrix_post post{row, r};
    assay_simt_warp_collective(0xffffffffu, 1, &post, assay_simt::stmatrix_combine<4>, "stmatrix_x4", file_,
                               line_);
    assay_simt_wrote_shared(row, 16);
}
inline void stmatrix_x4_trans(void *row, const uint32_t *r, ASSAY_SIMT_PLACE)
{
    assay_simt::check_aligned(row, 16, "stmatrix_x4_trans", file_, line_);
    assay_simt::stmatrix_post post{row, r};
    assay_simt_warp_collective(0xffffffffu, 1, &post, assay_simt::stmatrix_trans_combine<4>,
                               "stmatrix_x4_trans", file_, line_);
    assay_simt_wrote_shared(row, 16);
}

/* ---- wgmma ---- */

inline void wgmma_fence()
{
    assay_simt_wgmma_fence();
}
inline void wgmma_commit()
{
    assay_simt_wgmma_commit();
}
template <int Pending>
inline void wgmma_wait(ASSAY_SIMT_PLACE)
{
    assay_simt_wgmma_wait(Pending, file_, line_);
}
template <int N>
inline void wgmma_fence_operands(float (&)[N])
{
}
inline uint64_t wgmma_descriptor(const void *shared, int leading_bytes, int stride_bytes, ASSAY_SIMT_PLACE)
{
    return static_cast<uint64_t>(assay_simt_shared_offset(shared, file_, line_) >> 4) |
           static_cast<uint64_t>(leading_bytes >> 4) << 16 | static_cast<uint64_t>(stride_bytes >> 4) << 32 |
           static_cast<uint64_t>(1) << 62;
}
inline uint64_t wgmma_descriptor_cores(const void *shared, int leading_bytes, int stride_bytes,
                                       ASSAY_SIMT_PLACE)
{
    return wgmma_descriptor(shared, leading_bytes, stride_bytes, file_, line_) &
           ~(static_cast<uint64_t>(1) << 62);
}

inline uint64_t wgmma_descriptor_rows(const void *shared, int width, int leading_bytes, int stride_bytes,
                                      ASSAY_SIMT_PLACE)
{
    return wgmma_descriptor_cores(shared, leading_bytes, stride_bytes, file_, line_) |
           static_cast<uint64_t>(width == 128  ? 1
                                 : width == 64 ? 2
                                               : 3)
               << 62;
}

template <class T, int N, bool TransposeB = true>
struct wgmma_m64k16 {
    static_assert(N == 64 || N == 72 || N == 80 || N == 96 || N == 112 || N == 120 || N == 128 || N == 136 ||
                      N == 160 || N == 192 || N == 208 || N == 224 || N == 232 || N == 240 || N == 256,
                  "the widths that <assay/hopper.h> has");
    static void run(float (&d)[N / 2], uint64_t a, uint64_t b, int accumulate, ASSAY_SIMT_PLACE)
    {
        const assay_simt_wgmma product = {
            d, a, b, {}, assay_simt::wgmma_kind<T>::KIND, N, 0, TransposeB, accumulate != 0};
        assay_simt_wgmma_start(&product, file_, line_);
    }
    static void run_registers(float (&d)[N / 2], const uint32_t (&a)[4], uint64_t b, int accumulate,
                              ASSAY_SIMT_PLACE)
    {
        const assay_simt_wgmma product = {
            d, 0, b,          {a[0], a[1], a[2], a[3]}, assay_simt::wgmma_kind<T>::KIND,
            N, 1, TransposeB, accumulate != 0};
        assay_simt_wgmma_start(&product, file_, line_);
    }
};

template <int N>
struct wgmma_m64k8_tf32 {
    static_assert(N == 64 || N == 128 || N == 256, "the widths that <assay/hopper.h> has");
    static void run(float (&d)[N / 2], uint64_t a, uint64_t b, int accumulate, ASSAY_SIMT_PLACE)
    {
        const assay_simt_wgmma product = {d, a, b, {}, ASSAY_SIMT_WGMMA_TF32, N, 0, 0, accumulate != 0};
        assay_simt_wgmma_start(&product, file_, line_);
    }
    static void run_registers(float (&d)[N / 2], const uint32_t (&a)[4], uint64_t b, int accumulate,
                              ASSAY_SIMT_PLACE)
    {
        const assay_simt_wgmma product = {d, 0, b, {a[0], a[1], a[2], a[3]}, ASSAY_SIMT_WGMMA_TF32,
                                          N, 1, 0, accumulate != 0};
        assay_simt_wgmma_start(&product, file_, line_);
    }
};

} // namespace assay

#endif
