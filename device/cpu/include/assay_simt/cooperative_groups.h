/* The common parts of <cooperative_groups.h>: this_thread_block, tiled_partition, coalesced_threads and reduce.
 *
 * A tile's operations are warp operations with the tile's mask; so are those of a coalesced group, whose lanes need not be neighbours.
 * Groups of more than a block need a cooperative launch and are not here. */
#ifndef ASSAY_SIMT_COOPERATIVE_GROUPS_H
#define ASSAY_SIMT_COOPERATIVE_GROUPS_H

#include <assay_simt/warp.h>
#include <type_traits>

namespace cooperative_groups
{

class thread_block
{
  public:
    static void sync(ASSAY_SIMT_PLACE)
    {
        (void)assay_simt_block_barrier(0, "thread_block::sync", file_, line_, 0);
    }
    static unsigned thread_rank() { return assay_simt_current.self.index % assay_simt_current.block_threads; }
    static unsigned num_threads() { return assay_simt_current.block_threads; }
    static unsigned size() { return num_threads(); }
    static dim3 group_index() { return blockIdx; }
    static dim3 thread_index() { return threadIdx; }
    static dim3 group_dim() { return blockDim; }
    static dim3 dim_threads() { return blockDim; }
};
inline thread_block this_thread_block()
{
    return {};
}

/* Lanes `first` to `first + lanes - 1` of the caller's warp. */
class lane_group
{
  public:
    constexpr lane_group(unsigned first, unsigned lanes) : first_(first), lanes_(lanes) {}
    unsigned thread_rank() const { return (assay_simt_current.self.index & 31u) - first_; }
    unsigned num_threads() const { return lanes_; }
    unsigned size() const { return lanes_; }
    unsigned mask() const { return (lanes_ == 32u ? 0xffffffffu : (1u << lanes_) - 1u) << first_; }

    void sync(ASSAY_SIMT_PLACE) const { __syncwarp(mask(), file_, line_); }
    template <class T>
    T shfl(T value, int rank, ASSAY_SIMT_PLACE) const
    {
        return __shfl_sync(mask(), value, rank, static_cast<int>(lanes_), file_, line_);
    }
    template <class T>
    T shfl_up(T value, unsigned delta, ASSAY_SIMT_PLACE) const
    {
        return __shfl_up_sync(mask(), value, delta, static_cast<int>(lanes_), file_, line_);
    }
    template <class T>
    T shfl_down(T value, unsigned delta, ASSAY_SIMT_PLACE) const
    {
        return __shfl_down_sync(mask(), value, delta, static_cast<int>(lanes_), file_, line_);
    }
    template <class T>
    T shfl_xor(T value, unsigned lane_mask, ASSAY_SIMT_PLACE) const
    {
        return __shfl_xor_sync(mask(), value, static_cast<int>(lane_mask), static_cast<int>(lanes_), file_,
                               line_);
    }
    unsigned ballot(int predicate, ASSAY_SIMT_PLACE) const
    {
        return __ballot_sync(mask(), predicate, file_, line_) >> first_;
    }
    int any(int predicate, ASSAY_SIMT_PLACE) const { return __any_sync(mask(), predicate, file_, line_); }
    int all(int predicate, ASSAY_SIMT_PLACE) const { return __all_sync(mask(), predicate, file_, line_); }
    template <class T>
    unsigned match_any(T value, ASSAY_SIMT_PLACE) const
    {
        return __match_any_sync(mask(), value, file_, line_) >> first_;
    }

  private:
    unsigned first_, lanes_;
};

template <unsigned Size, class Parent = void>
class thread_block_tile : public lane_group
{
    static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0,
                  "the CPU device has tiles of 1, 2, 4, 8, 16 or 32 threads");

  public:
    thread_block_tile() : lane_group(assay_simt_current.self.index & 31u & ~(Size - 1u), Size) {}
    /* A tile that names its parent is, as CUDA has it, one that does not. */
    template <class Named>
    thread_block_tile(const thread_block_tile<Size, Named> &) : thread_block_tile()
    {
        static_assert(std::is_void<Parent>::value, "a tile's parent is another one");
    }
    static constexpr unsigned size() { return Size; }
    static constexpr unsigned num_threads() { return Size; }
    unsigned meta_group_rank() const { return assay_simt_current.self.index / Size; }
    unsigned meta_group_size() const { return (assay_simt_current.count + Size - 1u) / Size; }
};

template <unsigned Size, class Parent>
inline thread_block_tile<Size, Parent> tiled_partition(const Parent &)
{
    return {};
}

/* Any lanes of a warp; ranks count them from the lowest. */
class coalesced_group
{
  public:
    explicit constexpr coalesced_group(unsigned mask) : mask_(mask) {}
    unsigned mask() const { return mask_; }
    unsigned num_threads() const { return static_cast<unsigned>(__popc(mask_)); }
    unsigned size() const { return num_threads(); }
    unsigned thread_rank() const { return rank_of(assay_simt::lane()); }

    void sync(ASSAY_SIMT_PLACE) const { __syncwarp(mask_, file_, line_); }
    template <class T>
    T shfl(T value, unsigned rank, ASSAY_SIMT_PLACE) const
    {
        return __shfl_sync(mask_, value, lane_of(rank % num_threads()), 32, file_, line_);
    }
    template <class T>
    T shfl_up(T value, unsigned delta, ASSAY_SIMT_PLACE) const
    {
        const unsigned me = thread_rank();
        return __shfl_sync(mask_, value, lane_of(me < delta ? me : me - delta), 32, file_, line_);
    }
    template <class T>
    T shfl_down(T value, unsigned delta, ASSAY_SIMT_PLACE) const
    {
        const unsigned me = thread_rank();
        return __shfl_sync(mask_, value, lane_of(me + delta >= num_threads() ? me : me + delta), 32, file_,
                           line_);
    }
    unsigned ballot(int predicate, ASSAY_SIMT_PLACE) const
    {
        return pack(__ballot_sync(mask_, predicate, file_, line_));
    }
    int any(int predicate, ASSAY_SIMT_PLACE) const { return __any_sync(mask_, predicate, file_, line_); }
    int all(int predicate, ASSAY_SIMT_PLACE) const { return __all_sync(mask_, predicate, file_, line_); }
    template <class T>
    unsigned match_any(T value, ASSAY_SIMT_PLACE) const
    {
        return pack(__match_any_sync(mask_, value, file_, line_));
    }

  private:
    unsigned rank_of(int lane) const { return static_cast<unsigned>(__popc(mask_ & ((1u << lane) - 1u))); }
    int lane_of(unsigned rank) const
    {
        unsigned rest = mask_;
        for (; rank > 0 && (rest & (rest - 1)); rank--)
            rest &= rest - 1;
        return __builtin_ctz(rest);
    }
    unsigned pack(unsigned lanes) const /* bits by rank */
    {
        unsigned packed = 0;
        assay_simt::for_lanes(lanes & mask_, [&](int lane) { packed |= 1u << rank_of(lane); });
        return packed;
    }
    unsigned mask_;
};
inline coalesced_group coalesced_threads(ASSAY_SIMT_PLACE)
{
    return coalesced_group(assay_simt_active_mask(file_, line_));
}

/* Tiles of a size that is known when the kernel runs. */
inline coalesced_group tiled_partition(const thread_block &, unsigned size)
{
    const unsigned lanes = size >= 32u ? 0xffffffffu : (1u << size) - 1u,
                   first = assay_simt_current.self.index & 31u & ~(size - 1u);
    const unsigned left = assay_simt_current.block_threads - (assay_simt_current.self.index & ~31u);
    return coalesced_group((lanes << (size >= 32u ? 0u : first)) &
                           (left >= 32u ? 0xffffffffu : (1u << left) - 1u));
}
template <class Group>
inline coalesced_group binary_partition(const Group &group, bool predicate, ASSAY_SIMT_PLACE)
{
    const unsigned yes = __ballot_sync(group.mask(), predicate, file_, line_);
    return coalesced_group(predicate ? yes : group.mask() & ~yes);
}

struct grid_group {
    void sync() const {}
};
template <class T = void>
inline grid_group this_grid()
{
    static_assert(assay_simt::never<T>::value,
                  "the CPU device has no grid-wide groups (this_grid, cudaLaunchCooperativeKernel)");
    return {};
}
struct cluster_group {
    void sync() const {}
};
template <class T = void>
inline cluster_group this_cluster()
{
    static_assert(assay_simt::never<T>::value,
                  "the CPU device has no cluster_group; its clusters are those of <assay/hopper.h>");
    return {};
}

template <class Group>
inline void sync(const Group &group, ASSAY_SIMT_PLACE)
{
    group.sync(file_, line_);
}

template <class T>
struct plus {
    T operator()(T a, T b) const { return a + b; }
};
template <class T>
struct less {
    T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T>
struct greater {
    T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T>
struct bit_and {
    T operator()(T a, T b) const { return a & b; }
};
template <class T>
struct bit_or {
    T operator()(T a, T b) const { return a | b; }
};
template <class T>
struct bit_xor {
    T operator()(T a, T b) const { return a ^ b; }
};

/* In the order of the ranks, as lanes need not be a power of two. */
template <class T, class Op>
inline T reduce(const coalesced_group &group, T value, Op &&op, ASSAY_SIMT_PLACE)
{
    T total = group.shfl(value, 0, file_, line_);
    for (unsigned rank = 1; rank < group.num_threads(); rank++)
        total = op(total, group.shfl(value, rank, file_, line_));
    return total;
}

/* All threads of the group get the reduction; the order is that of a butterfly, the same for every thread. */
template <class Group, class T, class Op>
inline T reduce(const Group &group, T value, Op &&op, ASSAY_SIMT_PLACE)
{
    for (unsigned offset = group.num_threads() / 2u; offset > 0u; offset /= 2u)
        value = op(value, group.shfl_xor(value, offset, file_, line_));
    return value;
}

} // namespace cooperative_groups

#endif
