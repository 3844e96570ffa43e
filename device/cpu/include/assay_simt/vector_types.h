/* CUDA's built-in vector types with CUDA's sizes and alignments, their make_ functions, and dim3. */
#ifndef ASSAY_SIMT_VECTOR_TYPES_H
#define ASSAY_SIMT_VECTOR_TYPES_H

#include <assay_simt/keywords.h>
#include <assay_simt/runtime.h>

/* clang-format off */
#define ASSAY_SIMT_VECTORS(name, T, align2, align4)                                                                    \
    struct name##1 { T x; };                                                                                           \
    struct __align__(align2) name##2 { T x, y; };                                                                      \
    struct name##3 { T x, y, z; };                                                                                     \
    struct __align__(align4) name##4 { T x, y, z, w; };                                                                \
    inline constexpr name##1 make_##name##1(T x) { return {x}; }                                                       \
    inline constexpr name##2 make_##name##2(T x, T y) { return {x, y}; }                                               \
    inline constexpr name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; }                                       \
    inline constexpr name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }

ASSAY_SIMT_VECTORS(char, signed char, 2, 4)
ASSAY_SIMT_VECTORS(uchar, unsigned char, 2, 4)
ASSAY_SIMT_VECTORS(short, short, 4, 8)
ASSAY_SIMT_VECTORS(ushort, unsigned short, 4, 8)
ASSAY_SIMT_VECTORS(int, int, 8, 16)
struct uint1 { unsigned int x; };
struct __align__(8) uint2 { unsigned int x, y; };
typedef assay_simt_uint3 uint3; /* the type of threadIdx and blockIdx in the runtime's context */
struct __align__(16) uint4 { unsigned int x, y, z, w; };
inline constexpr uint1 make_uint1(unsigned int x) { return {x}; }
inline constexpr uint2 make_uint2(unsigned int x, unsigned int y) { return {x, y}; }
inline constexpr uint3 make_uint3(unsigned int x, unsigned int y, unsigned int z) { return {x, y, z}; }
inline constexpr uint4 make_uint4(unsigned int x, unsigned int y, unsigned int z, unsigned int w) { return {x, y, z, w}; }
ASSAY_SIMT_VECTORS(long, long, 16, 16)
ASSAY_SIMT_VECTORS(ulong, unsigned long, 16, 16)
ASSAY_SIMT_VECTORS(longlong, long long, 16, 16)
ASSAY_SIMT_VECTORS(ulonglong, unsigned long long, 16, 16)
ASSAY_SIMT_VECTORS(float, float, 8, 16)
ASSAY_SIMT_VECTORS(double, double, 16, 16)
/* clang-format on */
#undef ASSAY_SIMT_VECTORS

/* Sizes of grids and blocks: missing dimensions are 1. */
struct dim3 {
    unsigned int x, y, z;
    constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1) : x(vx), y(vy), z(vz) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return uint3{x, y, z}; }
};

#endif
