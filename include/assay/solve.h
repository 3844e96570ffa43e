/* What a generated file for a contest's kernel includes before the kernel's text (build_module/module_solve.h): the types of CUDA, the
 * stream that launches go to, and the call of solve() with a check of every argument. No kernel file includes this.
 *
 * ASSAY_SOLVE_SYNCHRONISES is 1 where the file calls more of the CUDA runtime than launching takes. Then nothing of it is
 * changed, and the call waits for the device before and after; else its launches go to the harness's stream, and its calls that
 * wait for the device, which contests ask for, do nothing, as the harness waits itself. */
#ifndef ASSAY_SOLVE_H
#define ASSAY_SOLVE_H

#include <assay/module.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cstdint>
#include <type_traits>

namespace assay_solve
{

#if defined(ASSAY_DTYPE_F16) && ASSAY_DTYPE_F16
typedef __half element;
#elif defined(ASSAY_DTYPE_BF16) && ASSAY_DTYPE_BF16
typedef __nv_bfloat16 element;
#else
typedef float element;
#endif

static cudaStream_t stream;        /* of the call under way */
static assay_status launch_status; /* of the launches of the call under way */

/* The stream for a launch that names none, or `wanted` where it is one of the file's own. */
inline cudaStream_t on(cudaStream_t wanted = nullptr)
{
    return wanted != nullptr ? wanted : stream;
}

/* In place of waiting for the device. */
inline cudaError_t wait_later(cudaStream_t = nullptr)
{
    return cudaSuccess;
}

template <class>
struct is_wrong : std::false_type {
};

/* Is `value` the same as a P? Sizes are 64-bit in Assay and mostly int in contests. */
template <class P, class A>
inline bool fits(A value)
{
    if constexpr (std::is_integral_v<P> && !std::is_same_v<P, bool> && std::is_integral_v<A>)
        return static_cast<A>(static_cast<P>(value)) == value && (std::is_signed_v<P> || value >= 0);
    else
        return true;
}

template <class P, class A>
inline P convert(A value)
{
    typedef std::remove_cv_t<std::remove_pointer_t<P>> pointee;
    if constexpr (std::is_pointer_v<P> && std::is_pointer_v<A>) {
        static_assert(std::is_same_v<pointee, element> || std::is_void_v<pointee>,
                      "solve(): a pointer parameter is of another type than this module's elements");
        return static_cast<P>(const_cast<void *>(static_cast<const void *>(value)));
    } else if constexpr (std::is_arithmetic_v<P> && std::is_arithmetic_v<A>) {
        static_assert(std::is_floating_point_v<P> || !std::is_floating_point_v<A>,
                      "solve(): an integer parameter where op.json's solve.arguments has a real number");
        return static_cast<P>(value);
    } else {
        static_assert(
            is_wrong<P>::value,
            "solve(): a parameter is no pointer where op.json's solve.arguments has a tensor, or one "
            "where it has a number");
    }
}

/* Call solve() with `values`, the members of the op's argument struct, as its parameters want them. ASSAY_ERR_UNSUPPORTED: a size
 * is too large for its parameter. */
template <class... P, class... A>
inline assay_status call(assay_stream given, void (*solve)(P...), A... values)
{
    static_assert(sizeof...(P) == sizeof...(A),
                  "solve() has another number of parameters than op.json's solve.arguments");
    if (!(fits<P>(values) && ...))
        return ASSAY_ERR_UNSUPPORTED;
    stream = given;
    launch_status = ASSAY_OK;
#if defined(ASSAY_CPU_DEVICE)
    assay_simt_stream_zero(given); /* launches and calls that name no stream go to the same one */
#endif
    if (ASSAY_SOLVE_SYNCHRONISES && cudaStreamSynchronize(given) != cudaSuccess)
        return ASSAY_ERR_DEVICE;
    solve(convert<P>(values)...);
    if (ASSAY_SOLVE_SYNCHRONISES && cudaDeviceSynchronize() != cudaSuccess)
        return ASSAY_ERR_DEVICE;
#if defined(ASSAY_CPU_DEVICE)
    assay_simt_stream_zero(nullptr);
#endif
    return cudaGetLastError() == cudaSuccess ? launch_status : ASSAY_ERR_DEVICE;
}

} // namespace assay_solve

#if defined(ASSAY_CPU_DEVICE)
#include <assay_simt/launch_call.h>
#elif !ASSAY_SOLVE_SYNCHRONISES
/* Behind the functions above, which must not see them. */
#define cudaDeviceSynchronize ::assay_solve::wait_later
#define cudaThreadSynchronize ::assay_solve::wait_later
#define cudaStreamSynchronize ::assay_solve::wait_later
#endif

#endif
