// Every block writes the first element, with the same value: the result is right, and blocks race in global memory.
__global__ void add(const float *a, const float *b, float *c, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
    if (threadIdx.x == 0)
        c[0] = a[0] + b[0];
}

extern "C" void solve(const float *a, const float *b, float *c, int n)
{
    add<<<(n + 255) / 256, 256>>>(a, b, c, n);
}
