// Wrong: the second kernel needs what the first writes on another stream, and no event orders them.
#include "copy_then_add.h"

extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    cudaStream_t s, t;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    copy<<<(N + 255) / 256, 256, 0, s>>>(A, C, N);
    add_to<<<(N + 255) / 256, 256, 0, t>>>(B, C, N);
    cudaStreamDestroy(s);
    cudaStreamDestroy(t);
}
