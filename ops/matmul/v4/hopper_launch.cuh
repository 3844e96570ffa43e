// Launches of hopper.cuh: how TMA sees the operands, and as how many blocks, parts of k and products.
#ifndef ASSAY_OPS_MATMUL_V4_HOPPER_LAUNCH_CUH
#define ASSAY_OPS_MATMUL_V4_HOPPER_LAUNCH_CUH

#include "hopper.cuh"

// What a kernel needs of a, b and c: how TMA sees them, and the shape with the operands' row strides.
template <class C>
struct hopper_operands {
    assay::tensor_map a, b, c;
    matmul_shape s;
    bool packed; // see tensor_launch_behind
};

// How TMA sees `batch` matrices of `rows` rows one behind the other, in boxes of box_rows x 64 of one of them.
static inline assay_status hopper_map_batch(assay::tensor_map *map, const scalar_t *base, int64_t batch,
                                            int64_t rows, int64_t columns, int64_t stride, int box_rows)
{
    return assay::tensor_map_nd<scalar_t, 3>(map, base, {columns, rows, batch}, {stride, rows * stride},
                                             {64, box_rows, 1}, true);
}

// The maps of a kernel with hopper_alone.
template <class C>
static assay_status hopper_map_alone(const matmul_args *args, const scalar_t *a, const scalar_t *b,
                                     hopper_operands<C> *to)
{
    const matmul_shape &s = to->s;
    assay_status status = assay::tensor_map_2d(&to->a, a, s.m, s.k, s.lda, C::TILE_M, C::TILE_K);
    if (status == ASSAY_OK)
        status = hopper_map_b<C>(&to->b, b, s);
    if (status == ASSAY_OK && s.n % 8 == 0) // otherwise c is written by ordinary stores
        status = assay::tensor_map_2d(&to->c, static_cast<scalar_t *>(args->c), s.m, s.n, s.n, 64, 64);
    return status;
}

// Those of a kernel with hopper_work; a cluster loads from matrices.
template <class C>
static assay_status hopper_map_products(const matmul_args *args, const scalar_t *a, const scalar_t *b,
                                        int cluster, hopper_operands<C> *to)
{
    const matmul_shape &s = to->s;
    const matmul_stored of_b = matmul_stored_b(args);
    assay_status status = cluster > 1 ? assay::tensor_map_2d(&to->a, a, s.m, s.k, s.lda, C::TILE_M, C::TILE_K)
                                      : hopper_map_batch(&to->a, a, args->batch, s.m, s.k, s.lda, C::TILE_M);
    if (status == ASSAY_OK)
        status = cluster > 1 ? hopper_map_b<C>(&to->b, b, s, cluster)
                             : hopper_map_batch(&to->b, b, args->batch, of_b.rows, of_b.length, s.ldb,
                                                C::TRANSPOSE_B ? C::TILE_N : C::TILE_K);
    if (status == ASSAY_OK && s.n % 8 == 0)
        status = hopper_map_batch(&to->c, static_cast<scalar_t *>(args->c), args->batch, s.m, s.n, s.n, 64);
    return status;
}

// a and b must not be empty; rows that are not 16-byte aligned are packed first (unaligned.cuh).
template <class C>
static assay_status hopper_prepare(const matmul_args *args, const matmul_shape &shape, int cluster,
                                   bool alone, hopper_operands<C> *to, assay_stream stream)
{
    const scalar_t *a = static_cast<const scalar_t *>(args->a), *b = static_cast<const scalar_t *>(args->b);
    *to = {};
    to->s = shape;
    const assay_status status = tensor_align_operands(&a, &b, &to->s, &to->packed, args, stream);
    if (status != ASSAY_OK)
        return status;
    return alone ? hopper_map_alone<C>(args, a, b, to) : hopper_map_products<C>(args, a, b, cluster, to);
}

template <class C, bool SPLIT, class Work, class Epilogue>
static assay_status hopper_launch_items(dim3 grid, const hopper_operands<C> &operands,
                                        const matmul_args *args, const Work &work, const Epilogue &epilogue,
                                        assay_stream stream)
{
    const auto kernel = matmul_hopper<C, SPLIT, Work, Epilogue>;
    scalar_t *c = static_cast<scalar_t *>(args->c);
    return work.cluster > 1
               ? assay::launch_cluster(kernel, work.cluster, grid, dim3(C::THREADS), C::SHARED_BYTES, stream,
                                       operands.a, operands.b, operands.c, c, operands.s, work, epilogue)
               : tensor_launch_behind(operands.packed, kernel, grid, dim3(C::THREADS), C::SHARED_BYTES,
                                      stream, operands.a, operands.b, operands.c, c, operands.s, work,
                                      epilogue);
}

// plan.splits: at most; the workspace must have room for their sums.
template <class C, class Epilogue>
static assay_status hopper_launch(const matmul_args *args, const matmul_shape &shape, tile_plan plan,
                                  const Epilogue &epilogue, assay_stream stream)
{
    if constexpr (!C::TRANSPOSE_B)
        if (args->transpose_b)
            return hopper_launch<with_transposed_b<C>>(args, shape, plan, epilogue, stream);
    const int splits = count_parts((shape.k + C::TILE_K - 1) / C::TILE_K, plan.splits);
    const bool alone = C::ALONE && splits == 1 && plan.cluster == 1 && args->batch == 1;
    hopper_operands<C> operands;
    assay_status status = hopper_prepare<C>(args, shape, plan.cluster, alone, &operands, stream);
    if (status != ASSAY_OK)
        return status;
    const hopper_work work = {plan.cluster, splits, static_cast<int>(args->batch),
                              partial_sums_of(args).sums};
    const int64_t tiles = count_tiles(args->m, args->n, C::TILE_M, C::TILE_N);
    const int64_t items = count_tiles(args->m, args->n, C::TILE_M * plan.cluster, C::TILE_N) * splits *
                          args->batch,
                  resident = assay::multiprocessor_count() / plan.cluster;
    const int64_t blocks = (items < resident ? items : resident) * plan.cluster;
    const dim3 grid(static_cast<unsigned>(blocks));
    if constexpr (C::ALONE)
        if (alone)
            return hopper_launch_items<C, false>(grid, operands, args, hopper_alone{}, epilogue, stream);
    if (splits == 1)
        return hopper_launch_items<C, false>(grid, operands, args, work, epilogue, stream);
    status = hopper_launch_items<C, true>(grid, operands, args, work, keep_sums{}, stream);
    if (status != ASSAY_OK)
        return status;
    const int tiles_n = static_cast<int>((args->n + C::TILE_N - 1) / C::TILE_N);
    return add_partial_sums(work.partial, args, tiles, splits,
                            partial_grid{C::TILE_M, C::TILE_N, tiles_n, splits}, epilogue, stream);
}

#endif
