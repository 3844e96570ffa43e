// cub's device algorithms, as they come with the toolkit.
// options: --check
// expect: status 0
// expect: all right
#include "check.h"
#include <algorithm>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <vector>

constexpr int N = 5000;

int main()
{
    std::vector<unsigned> keys(N), sorted(N), scanned(N);
    unsigned state = 1, total = 0, *in, *out;
    for (unsigned &k : keys)
        total += k = state = state * 1664525u + 1013904223u;
    OK(cudaMalloc(&in, N * sizeof *in));
    OK(cudaMalloc(&out, N * sizeof *out));
    OK(cudaMemcpy(in, keys.data(), N * sizeof *in, cudaMemcpyHostToDevice));

    void *room = nullptr;
    size_t bytes = 0, most = 0;
    OK(cub::DeviceReduce::Sum(nullptr, most, in, out, N));
    OK(cub::DeviceScan::InclusiveSum(nullptr, bytes, in, out, N));
    most = std::max(most, bytes);
    OK(cub::DeviceRadixSort::SortKeys(nullptr, bytes, in, out, N));
    most = std::max(most, bytes);
    OK(cudaMalloc(&room, most));

    unsigned sum;
    OK(cub::DeviceReduce::Sum(room, most, in, out, N));
    OK(cudaMemcpy(&sum, out, sizeof sum, cudaMemcpyDeviceToHost));
    WANT(sum == total);

    OK(cub::DeviceScan::InclusiveSum(room, most, in, out, N));
    OK(cudaMemcpy(scanned.data(), out, N * sizeof *out, cudaMemcpyDeviceToHost));
    unsigned running = 0;
    for (int i = 0; i < N; i++)
        WANT(scanned[i] == (running += keys[i]));

    OK(cub::DeviceRadixSort::SortKeys(room, most, in, out, N));
    OK(cudaMemcpy(sorted.data(), out, N * sizeof *out, cudaMemcpyDeviceToHost));
    std::sort(keys.begin(), keys.end());
    WANT(sorted == keys);
    printf("all right\n");
}
