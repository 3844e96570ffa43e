// Steps 1 to 3 of the row ops: a long sum by one thread.
//
// One running sum of 100 000 similar terms rounds each term to the last place of a sum that has long outgrown
// it, always in the same direction. Summed in parts of 256, the error grows with 256 + count / 256 instead.
#ifndef ASSAY_OPS_COMMON_SUM_IN_PARTS_H
#define ASSAY_OPS_COMMON_SUM_IN_PARTS_H

// term(begin) + term(begin + step) + ..., up to but not including `end`. A Sum is zero as Sum{} and has += .
template <class Sum = float, class Term>
static __device__ __forceinline__ Sum sum_in_parts(int64_t begin, int64_t end, int step, Term term)
{
    Sum sum{};
    for (int64_t first = begin; first < end; first += 256 * step) {
        const int64_t stop = first + 256 * step < end ? first + 256 * step : end;
        Sum part{};
        for (int64_t i = first; i < stop; i += step)
            part += term(i);
        sum += part;
    }
    return sum;
}

// term(0) + ... + term(count - 1)
template <class Sum = float, class Term>
static __device__ __forceinline__ Sum sum_in_parts(int64_t count, Term term)
{
    return sum_in_parts<Sum>(0, count, 1, term);
}

#endif
