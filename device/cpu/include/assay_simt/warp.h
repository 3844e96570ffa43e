/* Warp operations: barrier, shuffles, votes, match and reductions over the lanes of a mask.
 *
 * Each lane posts its arguments; the last one of the mask to arrive computes for all. A lane that has ended is left out, as CUDA defines: a
 * mask may name it. What a shuffle reads from such a lane, or from one outside the mask, is undefined, and here no value that helps. */
#ifndef ASSAY_SIMT_WARP_H
#define ASSAY_SIMT_WARP_H

#include <assay_simt/half.h>

namespace assay_simt
{

inline int lane()
{
    return static_cast<int>(assay_simt_current.self.index & 31u);
}

template <class F>
inline void for_lanes(uint32_t lanes, F &&f)
{
    for (; lanes; lanes &= lanes - 1)
        f(__builtin_ctz(lanes));
}

template <class T>
struct shuffle_post {
    T in, out;
    int source; /* lane */
};

template <class T>
inline void shuffle_combine(void *const *args, uint32_t lanes)
{
    for_lanes(lanes, [&](int i) {
        auto *to = static_cast<shuffle_post<T> *>(args[i]);
        if ((lanes >> to->source) & 1u)
            memcpy(&to->out, &static_cast<shuffle_post<T> *>(args[to->source])->in, sizeof to->out);
        else
            memset(static_cast<void *>(&to->out), 0xff, sizeof to->out); /* a NaN, or an index far off */
    });
}

template <class T>
inline T shuffle(uint32_t mask, T value, int source, const char *op, const char *file, int line)
{
    static_assert(sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8, "a shuffle moves 2, 4 or 8 bytes");
    shuffle_post<T> post{value, value, source & 31};
    assay_simt_warp_collective(mask, 0, &post, shuffle_combine<T>, op, file, line);
    return post.out;
}

/* Fold the lanes' values into one that all get: `Fold(a, b)` for values, in the order of the lanes. */
template <class T>
struct fold_post {
    T value;
};
template <class T, class Fold>
inline void fold_combine(void *const *args, uint32_t lanes)
{
    T total = static_cast<fold_post<T> *>(args[__builtin_ctz(lanes)])->value;
    for_lanes(lanes & (lanes - 1),
              [&](int i) { total = Fold::apply(total, static_cast<fold_post<T> *>(args[i])->value); });
    for_lanes(lanes, [&](int i) { static_cast<fold_post<T> *>(args[i])->value = total; });
}
template <class Fold, class T>
inline T fold(uint32_t mask, T value, const char *op, const char *file, int line)
{
    fold_post<T> post{value};
    assay_simt_warp_collective(mask, 0, &post, fold_combine<T, Fold>, op, file, line);
    return post.value;
}
struct fold_add {
    template <class T>
    static T apply(T a, T b)
    {
        return static_cast<T>(a + b);
    }
};
struct fold_min {
    template <class T>
    static T apply(T a, T b)
    {
        return b < a ? b : a;
    }
};
struct fold_max {
    template <class T>
    static T apply(T a, T b)
    {
        return a < b ? b : a;
    }
};
struct fold_and {
    template <class T>
    static T apply(T a, T b)
    {
        return a & b;
    }
};
struct fold_or {
    template <class T>
    static T apply(T a, T b)
    {
        return a | b;
    }
};
struct fold_xor {
    template <class T>
    static T apply(T a, T b)
    {
        return a ^ b;
    }
};

template <class T>
struct match_post {
    T value;
    uint32_t any;
    int all;
};
template <class T>
inline void match_combine(void *const *args, uint32_t lanes)
{
    for_lanes(lanes, [&](int i) {
        auto *me = static_cast<match_post<T> *>(args[i]);
        me->any = 0;
        for_lanes(lanes, [&](int j) {
            if (memcmp(&static_cast<match_post<T> *>(args[j])->value, &me->value, sizeof(T)) == 0)
                me->any |= 1u << j;
        });
        me->all = me->any == lanes;
    });
}
template <class T>
inline match_post<T> match(uint32_t mask, T value, const char *op, const char *file, int line)
{
    match_post<T> post{value, 0, 0};
    assay_simt_warp_collective(mask, 0, &post, match_combine<T>, op, file, line);
    return post;
}

} // namespace assay_simt

inline void __syncwarp(unsigned mask = 0xffffffffu, ASSAY_SIMT_PLACE)
{
    assay_simt_warp_collective(mask, 0, nullptr, nullptr, "__syncwarp", file_, line_);
}

/* ---- shuffles; a source outside the lane's segment of `width` lanes gives the lane its own value ---- */

template <class T>
inline T __shfl_sync(unsigned mask, T value, int source, int width = 32, ASSAY_SIMT_PLACE)
{
    const int segment = assay_simt::lane() & ~(width - 1);
    return assay_simt::shuffle(mask, value, segment | (source & (width - 1)), "__shfl_sync", file_, line_);
}
template <class T>
inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, ASSAY_SIMT_PLACE)
{
    const int me = assay_simt::lane(), in_segment = me & (width - 1);
    const int source = in_segment < static_cast<int>(delta) ? me : me - static_cast<int>(delta);
    return assay_simt::shuffle(mask, value, source, "__shfl_up_sync", file_, line_);
}
template <class T>
inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, ASSAY_SIMT_PLACE)
{
    const int me = assay_simt::lane(), in_segment = me & (width - 1);
    const int source = in_segment + static_cast<int>(delta) >= width ? me : me + static_cast<int>(delta);
    return assay_simt::shuffle(mask, value, source, "__shfl_down_sync", file_, line_);
}
template <class T>
inline T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32, ASSAY_SIMT_PLACE)
{
    const int me = assay_simt::lane(), other = me ^ lane_mask;
    const int segment_end = (me & ~(width - 1)) + width; /* earlier segments may be read, later ones not */
    return assay_simt::shuffle(mask, value, other < segment_end ? other : me, "__shfl_xor_sync", file_,
                               line_);
}

/* ---- votes ---- */

inline unsigned __ballot_sync(unsigned mask, int predicate, ASSAY_SIMT_PLACE)
{
    const unsigned mine = predicate ? 1u << assay_simt::lane() : 0u;
    return assay_simt::fold<assay_simt::fold_or>(mask, mine, "__ballot_sync", file_, line_);
}
inline int __any_sync(unsigned mask, int predicate, ASSAY_SIMT_PLACE)
{
    return assay_simt::fold<assay_simt::fold_or>(mask, predicate ? 1 : 0, "__any_sync", file_, line_);
}
inline int __all_sync(unsigned mask, int predicate, ASSAY_SIMT_PLACE)
{
    return assay_simt::fold<assay_simt::fold_and>(mask, predicate ? 1 : 0, "__all_sync", file_, line_);
}
/* The lanes that are here together; in converged code, all of the warp. */
inline unsigned __activemask(ASSAY_SIMT_PLACE)
{
    return assay_simt_active_mask(file_, line_);
}

template <class T>
inline unsigned __match_any_sync(unsigned mask, T value, ASSAY_SIMT_PLACE)
{
    return assay_simt::match(mask, value, "__match_any_sync", file_, line_).any;
}
template <class T>
inline unsigned __match_all_sync(unsigned mask, T value, int *predicate, ASSAY_SIMT_PLACE)
{
    const auto result = assay_simt::match(mask, value, "__match_all_sync", file_, line_);
    *predicate = result.all;
    return result.all ? result.any : 0u;
}

/* ---- the forms without a mask, which compute capability 7.0 removed ---- */

#define ASSAY_SIMT_REMOVED(name)                                                             \
    template <class T, class... Rest>                                                        \
    inline T name(T value, Rest...)                                                          \
    {                                                                                        \
        static_assert(assay_simt::never<T>::value,                                           \
                      #name " was removed with compute capability 7.0: use " #name "_sync"); \
        return value;                                                                        \
    }
ASSAY_SIMT_REMOVED(__shfl)
ASSAY_SIMT_REMOVED(__shfl_up)
ASSAY_SIMT_REMOVED(__shfl_down)
ASSAY_SIMT_REMOVED(__shfl_xor)
ASSAY_SIMT_REMOVED(__ballot)
ASSAY_SIMT_REMOVED(__any)
ASSAY_SIMT_REMOVED(__all)
#undef ASSAY_SIMT_REMOVED

/* ---- reductions ---- */

#define ASSAY_SIMT_REDUCE(name, T)                                                                      \
    inline T __reduce_##name##_sync(unsigned mask, T value, ASSAY_SIMT_PLACE)                           \
    {                                                                                                   \
        return assay_simt::fold<assay_simt::fold_##name>(mask, value, "__reduce_" #name "_sync", file_, \
                                                         line_);                                        \
    }
ASSAY_SIMT_REDUCE(add, unsigned)
ASSAY_SIMT_REDUCE(min, unsigned)
ASSAY_SIMT_REDUCE(max, unsigned)
ASSAY_SIMT_REDUCE(min, int)
ASSAY_SIMT_REDUCE(max, int)
ASSAY_SIMT_REDUCE(and, unsigned)
ASSAY_SIMT_REDUCE(or, unsigned)
ASSAY_SIMT_REDUCE(xor, unsigned)
#undef ASSAY_SIMT_REDUCE
inline int __reduce_add_sync(unsigned mask, int value, ASSAY_SIMT_PLACE)
{
    const unsigned bits = static_cast<unsigned>(value); /* wraps around as the GPU does */
    return static_cast<int>(
        assay_simt::fold<assay_simt::fold_add>(mask, bits, "__reduce_add_sync", file_, line_));
}

#endif
