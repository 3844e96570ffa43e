// Right: host code with strings, maps and memory of all kinds, which it frees, and that sets and restores how denormals are taken.
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <map>
#include <string>
#include <vector>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif
__global__ void add(const float *a, const float *b, float *c, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    static std::vector<std::string> kept;
    std::map<int, std::string> names;
    std::string text = "a text that is too long to be kept in place";
    for (int i = 0; i < 1000; i++) {
        text += std::to_string(i);
        text.insert(0, "x");
        names[i] = text.substr(0, i % 60);
        if (i % 100 == 0)
            kept.push_back(text.substr(text.size() - 40));
    }
    kept.resize(7);
    kept.shrink_to_fit();
    char *words = (char *)malloc(10), *others = strdup("others");
    strcpy(words, "words");
    words = (char *)realloc(words, 5000);
    others = (char *)realloc(others, 5000);
    int *zeros = (int *)calloc(1000, sizeof *zeros);
#if defined(__x86_64__)
    const unsigned control = _mm_getcsr();
    _mm_setcsr(control | 0x8040);
#endif
    if (strcmp(words, "words") == 0 && strcmp(others, "others") == 0 && zeros[999] == 0 &&
        names.size() == 1000)
        add<<<(N + 255) / 256, 256>>>(A, B, C, N);
    cudaDeviceSynchronize();
#if defined(__x86_64__)
    _mm_setcsr(control);
#endif
    free(words);
    free(others);
    free(zeros);
}
