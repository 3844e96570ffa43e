// Windows of an image with its channels last, as a convolution reads and writes them with Hopper's instructions; run by hopper_test.c.
#include <assay/kernel.h>
#include <assay/hopper.h>
#include <cstring>
#define PROBE_KERNEL_SIDE
#include "probe.h"

using element = __nv_bfloat16;
enum { CHANNELS = 64, IMAGE_W = 9, IMAGE_H = 12, IMAGES = 2, BOX_W = 10, BOX_H = 12, OUT_W = 8, OUT_H = 8 };
enum { IMAGE_ELEMENTS = IMAGES * IMAGE_H * IMAGE_W * CHANNELS, OUT_ELEMENTS = OUT_H * OUT_W * 64 };
enum { BOX_ELEMENTS = BOX_W * BOX_H * CHANNELS };

static __device__ float pixel_at(int c, int h, int w) // of image 1
{
    const bool inside = h >= 0 && h < IMAGE_H && w >= 0 && w < IMAGE_W;
    return inside ? static_cast<float>((c * 5 + h * 7 + w * 2) % 9 - 4) : 0.0f;
}
static __device__ float filter_at(int k, int c)
{
    return static_cast<float>((k * 3 + c * 7) % 5 - 2);
}
static __device__ element product_at(int k, int h, int w)
{
    float sum = 0.0f;
    for (int c = 0; c < CHANNELS; c++)
        sum += filter_at(k, c) * pixel_at(c, h, w);
    return assay::from_float<element>(sum);
}

// A box that starts outside of the image and takes every `variant` + 1st pixel of two dimensions; any pixel of it begins an operand with k
// along rows. The product goes, transposed, to a box that starts inside of the output and ends outside.
static __global__ void windows(const __grid_constant__ assay::tensor_map map,
                               const __grid_constant__ assay::tensor_map map_out, probe_args args)
{
    ASSAY_DYNAMIC_SHARED(element, filter);
    element *box = filter + 64 * 64, *staging = box + BOX_ELEMENTS,
            *images = static_cast<element *>(args.data), *out = images + IMAGE_ELEMENTS;
    uint64_t *full = reinterpret_cast<uint64_t *>(staging + 64 * 64);
    const int t = static_cast<int>(threadIdx.x), warp = t / 32, lane = t % 32, step = args.variant + 1;
    for (int i = t; i < IMAGE_ELEMENTS; i += 128) {
        const int image = i / (IMAGE_H * IMAGE_W * CHANNELS), h = i / CHANNELS / IMAGE_W % IMAGE_H;
        images[i] = assay::from_float<element>(image == 1 ? pixel_at(i % CHANNELS, h, i / CHANNELS % IMAGE_W)
                                                          : 100.0f);
    }
    for (int i = t; i < OUT_ELEMENTS; i += 128)
        out[i] = assay::from_float<element>(77.0f);
    for (int i = t; i < 64 * 64; i += 128)
        filter[i / 64 * 64 + (i % 64 / 8 ^ i / 64 % 8) * 8 + i % 8] =
            assay::from_float<element>(filter_at(i / 64, i % 64));
    if (t == 0) {
        assay::mbarrier_init(full, 1);
        assay::mbarrier_fence_init();
    }
    assay::fence_async_shared();
    __syncthreads();
    if (t == 0) {
        assay::mbarrier_arrive_expect(full, BOX_ELEMENTS * 2);
        assay::tma_load_4d(box, &map, full, 0, -1, -2, 1);
    }
    assay::mbarrier_wait(full, 0);
    for (int first = 0; first <= 11; first += first < 3 ? 1 : 4) {
        float sums[32];
        assay::wgmma_fence();
        for (int k = 0; k < 64; k += 16)
            assay::wgmma_m64k16<element, 64, false>::run(
                sums, assay::wgmma_descriptor(filter + k, 16, 1024),
                assay::wgmma_descriptor(box + first * 64 + k, 16, 1024), k > 0);
        assay::wgmma_commit();
        assay::wgmma_wait<0>();
        assay::wgmma_fence_operands(sums);
        for (int i = 0; i < 32; i++) {
            const int k = warp * 16 + lane / 4 + 8 * (i / 2 % 2),
                      pixel = first + i / 4 * 8 + lane % 4 * 2 + i % 2;
            const element want = product_at(k, pixel / BOX_W * step - 2, pixel % BOX_W * step - 1);
            EXPECT(assay::to_float(assay::from_float<element>(sums[i])) == assay::to_float(want));
        }
        if (first != 0)
            continue;
        for (int j = 0; j < 8; j += 2) { // of 8 places
            uint32_t r[4];
            for (int i = 0; i < 4; i++) {
                const float *from = sums + (j + i / 2) * 4 + i % 2 * 2;
                const assay::vec<element, 2> pair = {
                    {assay::from_float<element>(from[0]), assay::from_float<element>(from[1])}};
                memcpy(&r[i], &pair, 4);
            }
            const int place = (j + lane / 16) * 8 + lane % 8, chunk = warp * 2 + lane / 8 % 2;
            assay::stmatrix_x4_trans(staging + place * 64 + (chunk ^ place % 8) * 8, r);
        }
    }
    assay::fence_async_shared();
    __syncthreads();
    if (t == 0) {
        assay::tma_store_4d(&map_out, staging, 0, 1, 2, 0);
        assay::tma_store_commit();
        assay::tma_store_wait<0>();
    }
    __syncthreads();
    for (int i = t; i < OUT_ELEMENTS; i += 128) {
        const int k = i % 64, w = i / 64 % OUT_W - 1, h = i / 64 / OUT_W - 2, pixel = h * 8 + w;
        const element want = w < 0 || h < 0
                                 ? assay::from_float<element>(77.0f)
                                 : product_at(k, pixel / BOX_W * step - 2, pixel % BOX_W * step - 1);
        EXPECT(assay::to_float(out[i]) == assay::to_float(want));
    }
}
extern "C" ASSAY_EXPORT assay_status windows_run(const probe_args *args, assay_stream stream)
{
    const element *images = static_cast<const element *>(args->data), *out = images + IMAGE_ELEMENTS;
    const int step = args->variant + 1;
    assay::tensor_map map = {}, map_out = {};
    assay_status status = assay::tensor_map_strided<element, 4>(
        &map, images, {CHANNELS, IMAGE_W, IMAGE_H, IMAGES},
        {CHANNELS, CHANNELS * IMAGE_W, CHANNELS * IMAGE_W * IMAGE_H},
        {CHANNELS, BOX_W * step, BOX_H * step, 1}, {1, step, step, 1}, true);
    if (status == ASSAY_OK)
        status = assay::tensor_map_nd<element, 4>(&map_out, out, {64, OUT_W, OUT_H, 1},
                                                  {64, 64 * OUT_W, OUT_ELEMENTS}, {64, 8, 8, 1}, true);
    return status
               ? status
               : assay::launch(windows, dim3(1), dim3(128), args->shared_bytes, stream, map, map_out, *args);
}
