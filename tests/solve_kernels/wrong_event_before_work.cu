// Wrong: the event is recorded before the work that it should order.
#include "copy_then_add.h"

extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    cudaStream_t s, t;
    cudaEvent_t e;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
    cudaEventRecord(e, s);
    copy<<<(N + 255) / 256, 256, 0, s>>>(A, C, N);
    cudaStreamWaitEvent(t, e, 0);
    add_to<<<(N + 255) / 256, 256, 0, t>>>(B, C, N);
    cudaDeviceSynchronize();
    cudaEventDestroy(e);
    cudaStreamDestroy(s);
    cudaStreamDestroy(t);
}
