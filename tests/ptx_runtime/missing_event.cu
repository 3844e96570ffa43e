// One stream reads what another one writes, and nothing orders them: some turns must come out wrong.
// seeds: 1 2 3
// expect: status 0
// expect: wrong in some turns, right in others
#include "check.h"

__global__ void put(int *data, int value)
{
    *data = value;
}

__global__ void take(int *out, const int *data)
{
    *out = *data;
}

int main()
{
    int *data, *out, result, wrong = 0;
    cudaStream_t first, second;
    OK(cudaMalloc(&data, sizeof *data));
    OK(cudaMalloc(&out, sizeof *out));
    OK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    for (int turn = 0; turn < 20; turn++) {
        put<<<1, 1, 0, first>>>(data, turn);
        take<<<1, 1, 0, second>>>(out, data);
        OK(cudaDeviceSynchronize());
        OK(cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost));
        wrong += result != turn;
    }
    printf(wrong > 0 && wrong < 20 ? "wrong in some turns, right in others\n" : "wrong in %d of 20 turns\n",
           wrong);
}
