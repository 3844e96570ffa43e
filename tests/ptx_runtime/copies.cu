// Copies and fills: lines, rows, boxes, symbols; and the ones that must be refused.
// expect: status 0
// expect: a copy to 101 bytes from byte 0 of an allocation of 100 bytes
// expect: all right
#include "check.h"
#include <cstring>

__device__ char symbol[64];

int main()
{
    char host[64 * 48], back[64 * 48], *device, *small;
    size_t pitch;
    for (size_t i = 0; i < sizeof host; i++)
        host[i] = static_cast<char>(i * 7);

    OK(cudaMallocPitch(&device, &pitch, 64, 48));
    WANT(pitch >= 64 && pitch % 256 == 0);
    OK(cudaMemcpy2D(device, pitch, host, 64, 64, 48, cudaMemcpyHostToDevice));
    OK(cudaMemset2D(device + 8, pitch, 1, 4, 48));
    OK(cudaMemcpy2DAsync(back, 64, device, pitch, 64, 48, cudaMemcpyDeviceToHost, 0));
    for (int y = 0; y < 48; y++)
        for (int x = 0; x < 64; x++)
            WANT(back[64 * y + x] == (x >= 8 && x < 12 ? 1 : host[64 * y + x]));

    cudaPitchedPtr box;
    OK(cudaMalloc3D(&box, make_cudaExtent(16, 12, 16)));
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(host, 16, 16, 12);
    p.dstPtr = box;
    p.extent = make_cudaExtent(16, 12, 16);
    p.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&p));
    p.srcPtr = box;
    p.srcPos = make_cudaPos(4, 2, 3);
    p.dstPtr = make_cudaPitchedPtr(back, 8, 8, 6);
    p.extent = make_cudaExtent(8, 6, 5);
    p.kind = cudaMemcpyDeviceToHost;
    OK(cudaMemcpy3D(&p));
    for (int z = 0; z < 5; z++)
        for (int y = 0; y < 6; y++)
            WANT(memcmp(back + (z * 6 + y) * 8, host + ((z + 3) * 12 + y + 2) * 16 + 4, 8) == 0);

    OK(cudaMemcpyToSymbol(symbol, host, 32, 16));
    OK(cudaMemcpyFromSymbol(back, symbol, 32, 16));
    WANT(memcmp(back, host, 32) == 0);
    WANT_ERROR(cudaMemcpyToSymbol(symbol, host, 32, 40), cudaErrorInvalidValue);

    OK(cudaMalloc(&small, 100));
    WANT_ERROR(cudaMemcpy(small, host, 101, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    WANT_ERROR(cudaMemcpy(small, host, 8, cudaMemcpyDeviceToDevice), cudaErrorInvalidValue);
    WANT_ERROR(cudaMemcpy(host, small, 8, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    WANT_ERROR(cudaMemset(host, 0, 8), cudaErrorInvalidValue);
    WANT_ERROR(cudaFree(small + 4), cudaErrorInvalidValue);
    /* From pageable memory the source is read within the call. */
    strcpy(host, "first");
    OK(cudaMemcpyAsync(small, host, 8, cudaMemcpyHostToDevice, 0));
    strcpy(host, "later");
    OK(cudaMemcpy(back, small, 8, cudaMemcpyDefault));
    WANT(strcmp(back, "first") == 0);
    OK(cudaFree(small));
    WANT_ERROR(cudaMemcpy(back, small, 8, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    printf("all right\n");
}
