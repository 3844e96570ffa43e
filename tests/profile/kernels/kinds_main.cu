// kinds NAME... | all | --list: launches kernels of this folder, each once to load it and once between the profiler's marks.
// tests/profile/record.sh runs it under ncu with --profile-from-start off. Exit status 1 if a kernel failed.
#include "kinds.h"
#include <cstdio>
#include <cstring>
#include <cuda_profiler_api.h>

kind *first_kind = nullptr; // initialised before any registration: it is a constant

static __global__ void fill(float *out, size_t count)
{
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
         i += size_t(gridDim.x) * blockDim.x)
        out[i] = float((i * 2654435761u >> 8) % 1000) * 0.001f;
}

static bool works(cudaError_t code, const char *what)
{
    if (code != cudaSuccess)
        fprintf(stderr, "kinds: %s: %s\n", what, cudaGetErrorString(code));
    return code == cudaSuccess;
}

static bool run_kind(const kind &k, const kind_run &run)
{
    k.launch(run);
    if (!works(cudaGetLastError(), k.name) || !works(cudaDeviceSynchronize(), k.name))
        return false;
    cudaProfilerStart();
    k.launch(run);
    const bool right = works(cudaDeviceSynchronize(), k.name);
    cudaProfilerStop();
    if (right)
        printf("kinds: %s\n", k.name);
    return right;
}

static bool selected(const kind &k, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "all") == 0 || strcmp(argv[i], k.name) == 0)
            return true;
    return false;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fputs("usage: kinds NAME... | all | --list\n", stderr);
        return 2;
    }
    if (strcmp(argv[1], "--list") == 0) {
        for (const kind *k = first_kind; k; k = k->next)
            puts(k->name);
        return 0;
    }
    kind_run run = {};
    run.count = size_t(1) << 26; // 256 MiB each: five times the L2 cache
    if (!works(cudaDeviceGetAttribute(&run.sms, cudaDevAttrMultiProcessorCount, 0), "no device") ||
        !works(cudaMalloc(&run.in, run.count * sizeof(float)), "memory") ||
        !works(cudaMalloc(&run.out, run.count * sizeof(float)), "memory"))
        return 1;
    fill<<<8 * run.sms, 256>>>(run.in, run.count);
    if (!works(cudaDeviceSynchronize(), "fill"))
        return 1;
    int done = 0;
    for (const kind *k = first_kind; k; k = k->next)
        if (selected(*k, argc, argv)) {
            if (!run_kind(*k, run))
                return 1;
            done++;
        }
    return done > 0 ? 0 : 1;
}
