// Steps 1 to 3 of the row ops: a long sum by one thread.
//
// One running sum of 100 000 terms of a kind rounds each of them to the last place of a sum that has long outgrown it, always
// in the same direction where the terms are alike. Summed in parts of 256, the error grows with 256 + count / 256 instead.
#ifndef ASSAY_OPS_COMMON_SUM_IN_PARTS_H
#define ASSAY_OPS_COMMON_SUM_IN_PARTS_H

// term(0) + ... + term(count - 1). A Sum is zero as Sum{} and has += .
template <class Sum = float, class Term>
static __device__ __forceinline__ Sum sum_in_parts(int64_t count, Term term)
{
    Sum sum{};
    for (int64_t first = 0; first < count; first += 256) {
        const int64_t end = first + 256 < count ? first + 256 : count;
        Sum part{};
        for (int64_t i = first; i < end; i++)
            part += term(i);
        sum += part;
    }
    return sum;
}

#endif
