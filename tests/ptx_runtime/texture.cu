// Textures over an array of two dimensions and over linear memory.
// expect: status 0
// expect: all right
#include "check.h"

__global__ void sample(cudaTextureObject_t plane, cudaTextureObject_t line, float *out)
{
    const int x = threadIdx.x, y = threadIdx.y;
    out[y * 8 + x] = tex2D<float>(plane, x + 0.5f, y + 0.5f) + tex1Dfetch<float>(line, y * 8 + x);
}

int main()
{
    float host[4][8], out[32], *linear, *result;
    for (int i = 0; i < 32; i++)
        host[i / 8][i % 8] = static_cast<float>(i);
    cudaArray_t array;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    OK(cudaMallocArray(&array, &format, 8, 4));
    OK(cudaMemcpy2DToArray(array, 0, 0, host, 32, 32, 4, cudaMemcpyHostToDevice));
    WANT_ERROR(cudaMemcpy2DToArray(array, 4, 0, host, 32, 32, 4, cudaMemcpyHostToDevice),
               cudaErrorInvalidValue);
    OK(cudaMalloc(&linear, sizeof host));
    OK(cudaMemcpy(linear, host, sizeof host, cudaMemcpyHostToDevice));
    OK(cudaMalloc(&result, sizeof out));

    cudaResourceDesc resource = {};
    cudaTextureDesc settings = {};
    cudaTextureObject_t plane, line;
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    settings.addressMode[0] = settings.addressMode[1] = cudaAddressModeClamp;
    OK(cudaCreateTextureObject(&plane, &resource, &settings, nullptr));
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = linear;
    resource.res.linear.desc = format;
    resource.res.linear.sizeInBytes = sizeof host;
    OK(cudaCreateTextureObject(&line, &resource, &settings, nullptr));
    sample<<<1, dim3(8, 4)>>>(plane, line, result);
    OK(cudaMemcpy(out, result, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++)
        WANT(out[i] == 2.0f * i);
    OK(cudaDestroyTextureObject(plane));
    OK(cudaDestroyTextureObject(line));
    OK(cudaFreeArray(array));
    printf("all right\n");
}
