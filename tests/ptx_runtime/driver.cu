// The driver's interface, found at run time: PTX text is loaded, launched by cuLaunchKernel, and a tensor map is encoded.
// expect: status 0
// expect: a tensor map is refused
// expect: cuMulticastCreate is not supported
// expect: all right
#include "check.h"
#include <cuda.h>

static const char text[] = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry twice(.param .u64 p, .param .u32 n)
{
    .reg .u64 %a, %o;
    .reg .u32 %i, %n, %v;
    .reg .pred %out;
    ld.param.u64 %a, [p];
    ld.param.u32 %n, [n];
    cvta.to.global.u64 %a, %a;
    mov.u32 %i, %tid.x;
    setp.ge.u32 %out, %i, %n;
    @%out bra done;
    mul.wide.u32 %o, %i, 4;
    add.u64 %a, %a, %o;
    ld.global.u32 %v, [%a];
    shl.b32 %v, %v, 1;
    st.global.u32 [%a], %v;
done:
    ret;
}
)";

template <class F>
static F entry(const char *name, F *)
{
    void *found = nullptr;
    cudaDriverEntryPointQueryResult result;
    OK(cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &result));
    WANT(result == cudaDriverEntryPointSuccess && found);
    return reinterpret_cast<F>(found);
}
#define ENTRY(name) entry(#name, static_cast<decltype(&name) *>(nullptr))

int main()
{
    CUmodule module;
    CUfunction function;
    int host[32], *device;
    unsigned n = 20;
    for (int i = 0; i < 32; i++)
        host[i] = i;
    OK(cudaMalloc(&device, sizeof host));
    OK(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice));
    WANT(ENTRY(cuModuleLoadData)(&module, text) == CUDA_SUCCESS);
    WANT(ENTRY(cuModuleGetFunction)(&function, module, "once") == CUDA_ERROR_NOT_FOUND);
    WANT(ENTRY(cuModuleGetFunction)(&function, module, "twice") == CUDA_SUCCESS);
    void *args[] = {&device, &n};
    WANT(ENTRY(cuLaunchKernel)(function, 1, 1, 1, 32, 1, 1, 0, 0, args, nullptr) == CUDA_SUCCESS);
    OK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++)
        WANT(host[i] == (i < 20 ? 2 * i : i));

    alignas(64) CUtensorMap map;
    float *tensor;
    OK(cudaMalloc(&tensor, 64 * 64 * sizeof *tensor));
    cuuint64_t dims[2] = {64, 64}, strides[1] = {256};
    cuuint32_t box[2] = {32, 8}, steps[2] = {1, 1};
    const auto encode = ENTRY(cuTensorMapEncodeTiled);
    WANT(encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, tensor, dims, strides, box, steps,
                CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
    char *large;
    OK(cudaMalloc(&large, 8 << 20));
    for (size_t at = 0; at < 8 << 20; at += 1 << 20) {
        WANT(encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, large + at, dims, strides, box, steps,
                    CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                    CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
        WANT((map.opaque[1] >> 21 & 1) == 0); /* CUTLASS and Triton clear it */
    }
    strides[0] = 250;
    WANT(encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, tensor, dims, strides, box, steps,
                CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_ERROR_INVALID_VALUE);

    size_t bytes = 0;
    WANT(ENTRY(cuCtxSetLimit)(CU_LIMIT_PRINTF_FIFO_SIZE, 1 << 16) == CUDA_SUCCESS);
    WANT(ENTRY(cuCtxGetLimit)(&bytes, CU_LIMIT_PRINTF_FIFO_SIZE) == CUDA_SUCCESS && bytes == 1 << 16);
    CUmemoryPool pool;
    CUstream stream;
    CUdeviceptr memory;
    WANT(ENTRY(cuStreamCreateWithPriority)(&stream, CU_STREAM_NON_BLOCKING, 0) == CUDA_SUCCESS);
    WANT(ENTRY(cuDeviceGetDefaultMemPool)(&pool, 0) == CUDA_SUCCESS);
    WANT(ENTRY(cuMemAllocFromPoolAsync)(&memory, sizeof host, pool, stream) == CUDA_SUCCESS);
    WANT(ENTRY(cuMemsetD32Async)(memory, 6, 32, stream) == CUDA_SUCCESS);
    WANT(ENTRY(cuMemcpyDtoHAsync)(host, memory, sizeof host, stream) == CUDA_SUCCESS);
    WANT(ENTRY(cuMemFreeAsync)(memory, stream) == CUDA_SUCCESS);
    WANT(ENTRY(cuStreamSynchronize)(stream) == CUDA_SUCCESS && host[31] == 6);
    WANT(ENTRY(cuMulticastCreate)(nullptr, nullptr) == CUDA_ERROR_NOT_SUPPORTED);
    printf("all right\n");
}
