// Runs the test kernels of tests/device, which check themselves, as nvcc compiles them for sm_90a: a program for `assay run`.
// Arguments: names of kernels; none: all.
#include "../device/kernels/probe.h"
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

// name, variants, blocks x, y, z, threads x, y, z, bytes of dynamic shared memory
#define PROBES(X)                                                              \
    X(coordinates, 1, 3, 4, 5, 4, 3, 2, 0)                                     \
    X(barriers, 1, 2, 2, 1, 16, 8, 8, 0)                                       \
    X(counting_barriers, 1, 4, 1, 1, 64, 4, 1, 0)                              \
    X(dynamic_shared, 1, 5, 2, 1, 96, 1, 1, 48128)                             \
    X(shuffles, 1, 4, 1, 1, 256, 1, 1, 0)                                      \
    X(votes, 1, 4, 1, 1, 128, 1, 1, 0)                                         \
    X(ended_lanes, 1, 3, 1, 1, 1000, 1, 1, 0)                                  \
    X(ended_threads, 1, 1, 1, 1, 100, 1, 1, 0)                                 \
    X(active_lanes, 1, 1, 1, 1, 45, 1, 1, 0)                                   \
    X(groups, 1, 3, 1, 1, 32, 4, 1, 0)                                         \
    X(spin_lock, 1, 1, 1, 1, 64, 1, 1, 0)                                      \
    X(by_value, 1, 2, 1, 1, 8, 1, 1, 0)                                        \
    X(ring_of_barriers, 1, 3, 1, 1, 96, 1, 1, 64)                              \
    X(turns, 1, 2, 1, 1, 64, 1, 1, 4)                                          \
    X(boxes, 4, 1, 1, 1, 96, 1, 1, BOX_BYTES + 8)                              \
    X(rows_of_bytes, 4, 1, 1, 1, 96, 1, 1, 4096)                               \
    X(narrow_boxes, 1, 1, 1, 1, 64, 1, 1, BOX_BYTES + 8)                       \
    X(products_bf16_64, 2, 1, 1, 1, 128, 1, 1, 0)                              \
    X(products_bf16_256, 2, 1, 1, 1, 128, 1, 1, 0)                             \
    X(products_f16_128, 2, 1, 1, 1, 128, 1, 1, 0)                              \
    X(products_tf32_64, 2, 1, 1, 1, 128, 1, 1, 0)                              \
    X(shifted_cores, 1, 1, 1, 1, 128, 1, 1, 10 * 16 * 128 + 64 * 128 + 8)      \
    X(places_in_rows, 1, 1, 1, 1, 128, 1, 1, 0)                                \
    X(windows, 2, 1, 1, 1, 128, 1, 1, 64 * 128 + 10 * 12 * 128 + 64 * 128 + 8) \
    X(places_in_swizzled_rows, 1, 1, 1, 1, 128, 1, 1, 0)                       \
    X(matrices_to_shared, 1, 1, 1, 1, 32, 1, 1, 512)

enum { DATA_BYTES = 1 << 16, BOX_BYTES = 64 * 64 * 2 };

#define DECLARE(name, ...) extern "C" assay_status name##_run(const probe_args *, assay_stream);
PROBES(DECLARE)

struct entry {
    const char *name;
    probe_run run;
    int variants;
    uint32_t grid[3], block[3];
    size_t shared;
};
static const entry entries[] = {
#define ENTRY(name, variants, gx, gy, gz, bx, by, bz, shared) \
    {#name, name##_run, variants, {gx, gy, gz}, {bx, by, bz}, shared},
    PROBES(ENTRY)};

static bool run(const entry &e, probe_args args)
{
    bool good = true;
    for (args.variant = 0; args.variant < e.variants; args.variant++) {
        probe result = {};
        memcpy(args.grid, e.grid, sizeof args.grid);
        memcpy(args.block, e.block, sizeof args.block);
        args.shared_bytes = e.shared;
        cudaMemset(args.result, 0, sizeof result);
        cudaMemset(args.data, 0, DATA_BYTES);
        const assay_status status = e.run(&args, assay_stream{});
        const cudaError_t error = cudaDeviceSynchronize();
        if (!error)
            cudaMemcpy(&result, args.result, sizeof result, cudaMemcpyDeviceToHost);
        const bool right =
            status == ASSAY_OK && error == cudaSuccess && result.checks > 0 && result.failures == 0;
        if (!right)
            printf("%s variant %d: status %d, %s, %d of %d checks failed, one at line %d\n", e.name,
                   args.variant, (int)status, cudaGetErrorString(error), result.failures, result.checks,
                   result.first_line);
        good = good && right;
    }
    return good;
}

int main(int count, char **names)
{
    probe_args args = {};
    cudaMalloc(&args.result, sizeof(probe));
    cudaMalloc(&args.data, DATA_BYTES);
    args.bytes = DATA_BYTES;
    int failed = 0, done = 0;
    for (const entry &e : entries) {
        bool wanted = count < 2;
        for (int i = 1; i < count; i++)
            wanted = wanted || strcmp(names[i], e.name) == 0;
        if (!wanted)
            continue;
        done++;
        failed += !run(e, args);
    }
    printf("%d kernels, %d failed\n", done, failed);
    return failed != 0 || done == 0;
}
