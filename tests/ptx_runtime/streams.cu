// Streams, events, host functions and graphs where all is declared: right for every seed.
// seeds: 1 2 3
// expect: status 0
// expect: all right
#include "check.h"

enum { N = 256 };

__global__ void put(int *data, int value)
{
    data[threadIdx.x] = value;
}

__global__ void add(int *data, const int *from)
{
    data[threadIdx.x] += from[threadIdx.x];
}

static void wait_by_event(int *a, int *b)
{
    cudaStream_t first, second;
    cudaEvent_t ready, end;
    float ms = -1;
    int out[N];
    OK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    OK(cudaEventCreate(&ready));
    OK(cudaEventCreate(&end));
    for (int turn = 0; turn < 8; turn++) {
        put<<<1, N, 0, second>>>(b, 100);
        put<<<1, N, 0, first>>>(a, turn);
        OK(cudaEventRecord(ready, first));
        OK(cudaStreamWaitEvent(second, ready, 0));
        add<<<1, N, 0, second>>>(b, a);
        OK(cudaEventRecord(end, second));
        OK(cudaMemcpyAsync(out, b, sizeof out, cudaMemcpyDeviceToHost, second));
        OK(cudaStreamSynchronize(second));
        WANT(out[3] == 100 + turn);
        OK(cudaStreamSynchronize(first));
    }
    OK(cudaEventElapsedTime(&ms, ready, end));
    WANT(ms >= 0);
    OK(cudaStreamDestroy(first));
    OK(cudaStreamDestroy(second));
    OK(cudaEventDestroy(ready));
    OK(cudaEventDestroy(end));
}

/* The legacy stream waits for blocking ones and they for it. */
static void legacy_order(int *a, int *b)
{
    cudaStream_t blocking;
    int out[N];
    OK(cudaStreamCreate(&blocking));
    put<<<1, N, 0, blocking>>>(a, 1);
    put<<<1, N>>>(b, 2);
    add<<<1, N>>>(b, a);
    add<<<1, N, 0, blocking>>>(a, b);
    OK(cudaMemcpy(out, a, sizeof out, cudaMemcpyDeviceToHost));
    WANT(out[0] == 4);
    OK(cudaStreamDestroy(blocking));
}

static void count(void *data)
{
    ++*static_cast<int *>(data);
}

/* Nothing runs before it is waited for; pinned memory shows that. */
static void pinned_is_late(int *a)
{
    cudaStream_t stream;
    int *out, calls = 0;
    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    OK(cudaMallocHost(&out, N * sizeof *out));
    out[0] = -1;
    put<<<1, N, 0, stream>>>(a, 5);
    OK(cudaMemcpyAsync(out, a, N * sizeof *out, cudaMemcpyDeviceToHost, stream));
    OK(cudaLaunchHostFunc(stream, count, &calls));
    WANT(out[0] == -1 && calls == 0);
    while (cudaStreamQuery(stream) == cudaErrorNotReady)
        ;
    WANT(out[0] == 5 && calls == 1);
    OK(cudaStreamDestroy(stream));
    OK(cudaFreeHost(out));
}

/* A fork and a join, captured once and launched three times. */
static void graph(int *a, int *b)
{
    cudaStream_t first, second;
    cudaEvent_t fork, join;
    cudaGraph_t captured;
    cudaGraphExec_t executable;
    size_t nodes = 0;
    int out[N];
    OK(cudaStreamCreate(&first));
    OK(cudaStreamCreate(&second));
    OK(cudaEventCreate(&fork));
    OK(cudaEventCreate(&join));
    OK(cudaMemset(a, 0, N * sizeof *a));
    OK(cudaDeviceSynchronize());
    OK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
    OK(cudaEventRecord(fork, first));
    OK(cudaStreamWaitEvent(second, fork, 0));
    put<<<1, N, 0, second>>>(b, 1);
    OK(cudaEventRecord(join, second));
    OK(cudaStreamWaitEvent(first, join, 0));
    add<<<1, N, 0, first>>>(a, b);
    OK(cudaStreamEndCapture(first, &captured));
    OK(cudaGraphGetNodes(captured, nullptr, &nodes));
    WANT(nodes == 2);
    OK(cudaGraphInstantiate(&executable, captured, 0));
    for (int i = 0; i < 3; i++)
        OK(cudaGraphLaunch(executable, first));
    OK(cudaGraphExecDestroy(executable));
    OK(cudaGraphDestroy(captured));
    OK(cudaStreamSynchronize(first));
    OK(cudaMemcpy(out, a, sizeof out, cudaMemcpyDeviceToHost));
    WANT(out[N - 1] == 3);
}

static void capture_mistakes(void)
{
    cudaStream_t stream, other;
    cudaEvent_t fork;
    cudaGraph_t captured;
    OK(cudaStreamCreate(&stream));
    OK(cudaStreamCreate(&other));
    OK(cudaEventCreate(&fork));
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    WANT_ERROR(cudaStreamSynchronize(stream), cudaErrorStreamCaptureUnsupported);
    WANT_ERROR(cudaStreamEndCapture(stream, &captured), cudaErrorStreamCaptureInvalidated);
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    OK(cudaEventRecord(fork, stream));
    OK(cudaStreamWaitEvent(other, fork, 0));
    OK(cudaLaunchHostFunc(other, count, nullptr));
    WANT_ERROR(cudaStreamEndCapture(stream, &captured), cudaErrorStreamCaptureUnjoined);
    WANT_ERROR(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal), cudaErrorStreamCaptureUnsupported);
}

int main()
{
    int *a, *b;
    OK(cudaMalloc(&a, N * sizeof *a));
    OK(cudaMalloc(&b, N * sizeof *b));
    wait_by_event(a, b);
    legacy_order(a, b);
    pinned_is_late(a);
    graph(a, b);
    capture_mistakes();
    printf("all right\n");
}
