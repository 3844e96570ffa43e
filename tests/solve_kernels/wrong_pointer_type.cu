// Wrong: elements of a type that no dtype has.
extern "C" void solve(const double *A, const double *B, double *C, int N)
{
    (void)A, (void)B, (void)C, (void)N;
}
