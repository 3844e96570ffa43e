// Host code looks at an input, which a card's host could not.
__global__ void add(const float *a, const float *b, float *c, int n, float first)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = i == 0 ? first + b[0] : a[i] + b[i];
}

extern "C" void solve(const float *a, const float *b, float *c, int n)
{
    add<<<(n + 255) / 256, 256>>>(a, b, c, n, a[0]);
}
