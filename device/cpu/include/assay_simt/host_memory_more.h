/* Less common functions of the CUDA runtime about memory, made of those in host_api.h, which includes this at its end. */
#ifndef ASSAY_SIMT_HOST_MEMORY_MORE_H
#define ASSAY_SIMT_HOST_MEMORY_MORE_H

constexpr unsigned cudaHostAllocDefault = 0, cudaHostAllocPortable = 1, cudaHostAllocMapped = 2,
                   cudaHostAllocWriteCombined = 4;
constexpr unsigned cudaMemAttachGlobal = 1, cudaMemAttachHost = 2;
constexpr int cudaCpuDeviceId = -1;
enum cudaMemoryAdvise {
    cudaMemAdviseSetReadMostly = 1,
    cudaMemAdviseUnsetReadMostly,
    cudaMemAdviseSetPreferredLocation,
    cudaMemAdviseUnsetPreferredLocation,
    cudaMemAdviseSetAccessedBy,
    cudaMemAdviseUnsetAccessedBy
};

template <class T>
inline cudaError_t cudaHostAlloc(T **pointer, size_t bytes, unsigned flags)
{
    return cudaMallocHost(pointer, bytes, flags);
}

/* Hints: nothing to do. */
inline cudaError_t cudaMemPrefetchAsync(const void *, size_t, int, cudaStream_t = nullptr)
{
    return cudaSuccess;
}
inline cudaError_t cudaMemAdvise(const void *, size_t, cudaMemoryAdvise, int)
{
    return cudaSuccess;
}

inline cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                                     size_t width, size_t height, cudaMemcpyKind kind,
                                     cudaStream_t stream = nullptr)
{
    if (width > to_pitch || width > from_pitch)
        return assay_simt::note_error(cudaErrorInvalidValue);
    cudaError_t error = cudaSuccess;
    for (size_t row = 0; row < height && error == cudaSuccess; row++)
        error = cudaMemcpyAsync(static_cast<char *>(to) + row * to_pitch,
                                static_cast<const char *>(from) + row * from_pitch, width, kind, stream);
    return error;
}
inline cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                                size_t height, cudaMemcpyKind kind)
{
    const cudaError_t error = cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind);
    return error == cudaSuccess ? cudaStreamSynchronize(nullptr) : error;
}
inline cudaError_t cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height)
{
    cudaError_t error = cudaSuccess;
    for (size_t row = 0; row < height && error == cudaSuccess; row++)
        error = cudaMemset(static_cast<char *>(to) + row * pitch, value, width);
    return error;
}

#endif
