// Steps 1 and 2: sums of the distances from a pivot near the mean, and of their squares (the corrected
// two-pass algorithm of Chan, Golub and LeVeque 1983). The pivot is a float and the mean is not: what the
// distances still sum up to says how far it is off.
#ifndef ASSAY_OPS_LAYERNORM_DISTANCES_H
#define ASSAY_OPS_LAYERNORM_DISTANCES_H

struct distances {
    float sum, squares;

    __device__ __forceinline__ void operator+=(distances other)
    {
        sum += other.sum;
        squares += other.squares;
    }
};

static __device__ __forceinline__ distances distance_of(float distance)
{
    return {distance, distance * distance};
}

#endif
