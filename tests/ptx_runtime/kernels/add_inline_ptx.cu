// Right, and only for what compiles inline PTX and __CUDA_ARCH__.
__global__ void add(const float *a, const float *b, float *c, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
#if __CUDA_ARCH__ >= 800
    float x, sum;
    asm volatile("ld.global.nc.f32 %0, [%1];" : "=f"(x) : "l"(a + i));
    asm("add.rn.f32 %0, %1, %2;" : "=f"(sum) : "f"(x), "f"(b[i]));
    c[i] = sum;
#endif
}

extern "C" void solve(const float *a, const float *b, float *c, int n)
{
    add<<<(n + 255) / 256, 256>>>(a, b, c, n);
}
