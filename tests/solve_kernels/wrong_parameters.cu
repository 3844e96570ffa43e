// Wrong: a parameter too many for the op.
extern "C" void solve(const float *A, const float *B, float *C, int N, int M)
{
    (void)A, (void)B, (void)C, (void)N, (void)M;
}
