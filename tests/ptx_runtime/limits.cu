// What a card refuses to launch is refused, and the errors do not stay.
// expect: status 0
// expect: block.x is 1025
// expect: grid.y is 65536
// expect: all right
#include "check.h"

__global__ void nothing() {}

__global__ void __launch_bounds__(64) bounded() {}

__global__ void uses_shared(int *out)
{
    extern __shared__ int tile[];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x];
}

__global__ void __cluster_dims__(2, 1, 1) pairs(unsigned *size)
{
    unsigned blocks;
    asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(blocks));
    atomicAdd(size, blocks);
}

#define REFUSED(launch, error)                 \
    do {                                       \
        launch;                                \
        WANT_ERROR(cudaGetLastError(), error); \
        OK(cudaDeviceSynchronize());           \
    } while (0)

static void clusters()
{
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 3;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.gridDim = dim3(4);
    config.blockDim = dim3(32);
    config.attrs = &attribute;
    config.numAttrs = 1;
    WANT_ERROR(cudaLaunchKernelEx(&config, nothing), cudaErrorInvalidClusterSize);
    attribute.val.clusterDim.x = 9;
    config.gridDim = dim3(9);
    WANT_ERROR(cudaLaunchKernelEx(&config, nothing), cudaErrorInvalidClusterSize);
    OK(cudaDeviceSynchronize());
    (void)cudaGetLastError();
}

// A kernel's own cluster dimensions need no attribute.
static void own_clusters(int *out)
{
    int size = 0;
    OK(cudaMemset(out, 0, 4));
    pairs<<<4, 1>>>((unsigned *)out);
    OK(cudaMemcpy(&size, out, 4, cudaMemcpyDeviceToHost));
    WANT(size == 4 * 2);
    REFUSED((pairs<<<3, 1>>>((unsigned *)out)), cudaErrorInvalidClusterSize);
}

int main()
{
    int *out, value;
    OK(cudaMalloc(&out, 4096));
    REFUSED((nothing<<<1, 1025>>>()), cudaErrorInvalidConfiguration);
    REFUSED((nothing<<<1, dim3(1, 1, 65)>>>()), cudaErrorInvalidConfiguration);
    REFUSED((nothing<<<dim3(1, 65536), 1>>>()), cudaErrorInvalidConfiguration);
    REFUSED((nothing<<<0, 1>>>()), cudaErrorInvalidConfiguration);
    REFUSED((bounded<<<1, 65>>>()), cudaErrorLaunchOutOfResources);
    REFUSED((uses_shared<<<1, 32, 50000>>>(out)), cudaErrorInvalidValue);
    WANT_ERROR(cudaFuncSetAttribute(uses_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 232449),
               cudaErrorInvalidValue);
    (void)cudaGetLastError();
    OK(cudaFuncSetAttribute(uses_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448));
    uses_shared<<<1, 32, 232448>>>(out);
    OK(cudaDeviceSynchronize());
    clusters();
    own_clusters(out);
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    WANT(value == 232448);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, nothing, 1024, 0));
    WANT(value == 2);
    WANT_ERROR(cudaLaunchCooperativeKernel(nothing, dim3(100000), dim3(1024), nullptr, 0, 0),
               cudaErrorCooperativeLaunchTooLarge);
    printf("all right\n");
}
