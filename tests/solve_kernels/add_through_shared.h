// The sum through the 100th KiB of dynamic shared memory `s`, for kernels that differ in what they may have of it.
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[25000 + threadIdx.x] = i < n ? a[i] : 0.0f;
    __syncthreads();
    if (i < n)
        c[i] = s[25000 + threadIdx.x] + b[i];
}
