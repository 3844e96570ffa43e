// Memory that both sides see: managed, pinned, registered; and what the runtime says of pointers.
// expect: status 0
// expect: all right
#include "check.h"

__managed__ int both = 7;

__global__ void add_one(int *data, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        data[i]++;
    if (threadIdx.x == 0)
        both += 10;
}

static cudaMemoryType type_of(const void *pointer)
{
    cudaPointerAttributes attributes;
    OK(cudaPointerGetAttributes(&attributes, pointer));
    return attributes.type;
}

int main()
{
    enum { N = 100 };
    int *managed, *pinned, *device, *own = static_cast<int *>(malloc(N * sizeof(int)));
    OK(cudaMallocManaged(&managed, N * sizeof(int)));
    OK(cudaHostAlloc(&pinned, N * sizeof(int), cudaHostAllocMapped));
    OK(cudaMalloc(&device, N * sizeof(int)));
    OK(cudaHostRegister(own, N * sizeof(int), cudaHostRegisterMapped));
    for (int i = 0; i < N; i++)
        managed[i] = pinned[i] = own[i] = i;
    add_one<<<1, 64>>>(managed, N);
    int *mapped;
    OK(cudaHostGetDevicePointer(&mapped, pinned, 0));
    add_one<<<1, 64>>>(mapped, N);
    OK(cudaHostGetDevicePointer(&mapped, own, 0));
    add_one<<<1, 64>>>(mapped, N);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < N; i++)
        WANT(managed[i] == i + 1 && pinned[i] == i + 1 && own[i] == i + 1);
    WANT(both == 37);
    both = 1;
    add_one<<<1, 64>>>(managed, N);
    OK(cudaDeviceSynchronize());
    WANT(both == 11);
    WANT(type_of(managed) == cudaMemoryTypeManaged && type_of(pinned) == cudaMemoryTypeHost);
    WANT(type_of(device) == cudaMemoryTypeDevice && type_of(own) == cudaMemoryTypeHost);
    OK(cudaHostUnregister(own));
    WANT(type_of(own) == cudaMemoryTypeUnregistered);
    OK(cudaFree(managed));
    OK(cudaFreeHost(pinned));
    printf("all right\n");
}
