/* The part of the CUDA runtime's host side that small kernel files call around their launches: memory, copies, waiting, errors.
 *
 * Copies and fills reach device memory by the runtime, which knows what lies where. */
#ifndef ASSAY_SIMT_HOST_API_H
#define ASSAY_SIMT_HOST_API_H

#include <assay_simt/host_device.h>
#include <assay_simt/host_launch.h>
#include <assay_simt/host_streams.h>

enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault
};

namespace assay_simt
{
template <class T>
inline cudaError_t allocate(T **pointer, size_t bytes, int use)
{
    *pointer = static_cast<T *>(assay_simt_memory_alloc_for(bytes, use));
    return note_error(*pointer ? cudaSuccess : cudaErrorMemoryAllocation);
}

inline cudaError_t check_argument(int is_right)
{
    return note_error(is_right ? cudaSuccess : cudaErrorInvalidValue);
}
} // namespace assay_simt

template <class T>
inline cudaError_t cudaMalloc(T **pointer, size_t bytes)
{
    return assay_simt::allocate(pointer, bytes, ASSAY_SIMT_DEVICE);
}
template <class T>
inline cudaError_t cudaMallocAsync(T **pointer, size_t bytes, cudaStream_t)
{
    return cudaMalloc(pointer, bytes);
}
template <class T>
inline cudaError_t cudaMallocManaged(T **pointer, size_t bytes, unsigned = 1)
{
    return assay_simt::allocate(pointer, bytes, ASSAY_SIMT_MAPPED);
}
template <class T>
inline cudaError_t cudaMallocHost(T **pointer, size_t bytes, unsigned = 0)
{
    return assay_simt::allocate(pointer, bytes, ASSAY_SIMT_MAPPED);
}
/* Waits for the device, as CUDA's does. */
inline cudaError_t cudaFree(void *pointer)
{
    assay_simt_device_finish();
    return assay_simt::check_argument(assay_simt_memory_free(pointer));
}
inline cudaError_t cudaFreeHost(void *pointer)
{
    return cudaFree(pointer);
}

namespace assay_simt
{
/* The error of what has been done since this was made; CUDA's last error stays where there is none. */
class errors_of
{
  public:
    errors_of() : before_(cudaGetLastError()) {}
    cudaError_t all()
    {
        const cudaError_t error = last_error;
        if (error == cudaSuccess)
            last_error = before_;
        return error;
    }

  private:
    cudaError_t before_;
};

struct stream_copy {
    void *to;
    const void *from;
    size_t bytes;
    int to_device, from_device;
};
inline void copy_now(const stream_copy &c)
{
    check_argument(assay_simt_memory_copy(c.to, c.to_device, c.from, c.from_device, c.bytes));
}
inline void copy_later(const stream_copy &c, cudaStream_t stream)
{
    of_stream(assay_simt_stream_call(
        stream, [](const void *call) { copy_now(*static_cast<const stream_copy *>(call)); }, &c, sizeof c));
}
/* The source is read now: what a copy from the host's own memory promises. */
inline void copy_later_from_host(const stream_copy &c, cudaStream_t stream)
{
    const size_t bytes = sizeof c + c.bytes;
    char *call = static_cast<char *>(malloc(bytes));
    if (!call) {
        note_error(cudaErrorMemoryAllocation);
        return;
    }
    memcpy(call, &c, sizeof c);
    memcpy(call + sizeof c, c.from, c.bytes);
    of_stream(assay_simt_stream_call(
        stream,
        [](const void *kept) {
            stream_copy inner;
            memcpy(&inner, kept, sizeof inner);
            inner.from = static_cast<const char *>(kept) + sizeof inner;
            copy_now(inner);
        },
        call, bytes));
    free(call);
}
} // namespace assay_simt

inline cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream)
{
    return assay_simt::of_stream(assay_simt_stream_call(
        stream,
        [](const void *call) {
            assay_simt::check_argument(assay_simt_memory_free(*static_cast<void *const *>(call)));
        },
        &pointer, sizeof pointer));
}
inline cudaError_t cudaMemsetAsync(void *pointer, int value, size_t bytes, cudaStream_t stream = nullptr)
{
    struct set {
        void *to;
        int value;
        size_t bytes;
    } const call = {pointer, value, bytes};
    assay_simt::errors_of errors;
    assay_simt::of_stream(assay_simt_stream_call(
        stream,
        [](const void *self) {
            const set *c = static_cast<const set *>(self);
            assay_simt::check_argument(assay_simt_memory_set(c->to, c->value, c->bytes));
        },
        &call, sizeof call));
    return errors.all();
}
inline cudaError_t cudaMemset(void *pointer, int value, size_t bytes)
{
    return cudaMemsetAsync(pointer, value, bytes);
}

/* Memory of the host that the runtime did not allocate is read before the call returns, and written when it returns. */
inline cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                                   cudaStream_t stream = nullptr)
{
    const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice ||
                           (kind == cudaMemcpyDefault && assay_simt_memory_is_device(to));
    const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice ||
                             (kind == cudaMemcpyDefault && assay_simt_memory_is_device(from));
    const assay_simt::stream_copy copy = {to, from, bytes, to_device, from_device};
    assay_simt::errors_of errors;
    if (!from_device && !assay_simt_memory_is_device(from))
        assay_simt::copy_later_from_host(copy, stream);
    else
        assay_simt::copy_later(copy, stream);
    if (!to_device && !assay_simt_memory_is_device(to))
        assay_simt::of_stream(assay_simt_stream_finish(stream));
    return errors.all();
}
inline cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    assay_simt::errors_of errors;
    cudaMemcpyAsync(to, from, bytes, kind);
    if (kind != cudaMemcpyDeviceToDevice)
        assay_simt::of_stream(assay_simt_stream_finish(nullptr));
    return errors.all();
}
/* A symbol is memory of the module: copied at once, when what was put on the stream before is done. */
template <class T>
inline cudaError_t cudaMemcpyToSymbolAsync(T &symbol, const void *from, size_t bytes, size_t offset = 0,
                                           cudaMemcpyKind = cudaMemcpyHostToDevice,
                                           cudaStream_t stream = nullptr)
{
    if (offset > sizeof symbol || bytes > sizeof symbol - offset)
        return assay_simt::note_error(cudaErrorInvalidValue);
    assay_simt::errors_of errors;
    assay_simt::of_stream(assay_simt_stream_finish(stream));
    assay_simt::copy_now(
        {reinterpret_cast<char *>(&symbol) + offset, from, bytes, 0, assay_simt_memory_is_device(from)});
    return errors.all();
}
template <class T>
inline cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                             cudaMemcpyKind = cudaMemcpyDeviceToHost,
                                             cudaStream_t stream = nullptr)
{
    if (offset > sizeof symbol || bytes > sizeof symbol - offset)
        return assay_simt::note_error(cudaErrorInvalidValue);
    assay_simt::errors_of errors;
    assay_simt::of_stream(assay_simt_stream_finish(stream));
    assay_simt::copy_now(
        {to, reinterpret_cast<const char *>(&symbol) + offset, bytes, assay_simt_memory_is_device(to), 0});
    return errors.all();
}
template <class T>
inline cudaError_t cudaMemcpyToSymbol(T &symbol, const void *from, size_t bytes, size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return cudaMemcpyToSymbolAsync(symbol, from, bytes, offset, kind);
}
template <class T>
inline cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                        cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return cudaMemcpyFromSymbolAsync(to, symbol, bytes, offset, kind);
}

#include <assay_simt/host_memory_more.h>

#endif
