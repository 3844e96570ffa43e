// Wrong: is no C++.
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    C[0] = A[0] + ;
}
