// A kernel that gets a pointer of the host's that is neither pinned nor managed.
// expect: status 1
// expect: access to host memory
// expect: the error stays
#include "check.h"

__global__ void touch(int *data)
{
    data[threadIdx.x] = 1;
}

int main()
{
    int *own = static_cast<int *>(malloc(4096));
    touch<<<1, 32>>>(own);
    OK(cudaGetLastError());
    WANT_ERROR(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    WANT_ERROR(cudaMalloc(&own, 4), cudaErrorIllegalAddress);
    WANT_ERROR(cudaGetLastError(), cudaErrorIllegalAddress);
    WANT_ERROR(cudaGetLastError(), cudaErrorIllegalAddress);
    printf("the error stays\n");
}
