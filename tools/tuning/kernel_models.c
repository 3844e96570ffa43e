/* The models: see recorded_spaces.h. Rates and limits are rounded figures of a large GPU; only the shape of the space
 * matters here. */
#include "tools/tuning/recorded_spaces.h"
#include <math.h>
#include <stddef.h>

enum { SMS = 132, SHARED_BYTES = 232448, REGISTERS = 65536, MAX_THREADS = 2048 };

static double waves(double blocks, double resident)
{
    return ceil(blocks / (SMS * resident));
}

/* Blocks of `threads` that fit on a multiprocessor. */
static double resident_blocks(double threads, double registers, double shared)
{
    const double by_threads = floor(MAX_THREADS / threads),
                 by_registers = floor(REGISTERS / (registers * threads));
    const double by_shared = shared > 0 ? floor(233472 / (shared + 1024)) : 32;
    return fmin(32, fmin(by_threads, fmin(by_registers, by_shared)));
}

/* A step that falls off on both sides of `middle`, in octaves. */
static double peak_at(double x, double middle, double loss)
{
    return 1 - loss * fabs(log2(x / middle));
}

/* BLOCK_M, BLOCK_N, BLOCK_K, STAGES, WARPS, GROUP_M, SPLIT_K, CLUSTER: bf16 4096 x 4096 x 4096 on tensor cores. */
static double matmul_us(const int *v, evaluation_status *status)
{
    const double m = v[0], n = v[1], k = v[2], stages = v[3], warps = v[4], group = v[5], split = v[6],
                 cluster = v[7];
    const double threads = (warps + 4) * 32, shared = stages * (m + n) * k * 2;
    const double registers = 40 + m * n / (warps * 32);
    if (shared > SHARED_BYTES || registers > 420)
        *status = EVALUATION_FAILED_COMPILE;
    if (cluster == 2 && n == 192)
        *status = EVALUATION_FAILED_CORRECTNESS;
    const double resident = fmax(1, resident_blocks(threads, fmin(registers, 255), shared));
    const double reuse = m * n / (m + n);
    double efficiency =
        reuse / (reuse + 20) * (1 - 0.55 * exp(-(stages - 1) * k / 70)) * peak_at(group, 8, 0.025);
    efficiency *= registers > 232 ? 232 / registers : 1;
    efficiency *= warps * 16 > m ? 0.82 : 1; /* warps without rows of their own */
    efficiency *= cluster == 2 ? (m >= 128 ? 1.03 : 0.97) : 1;
    const double tile_flops = 2 * m * n * (4096 / split);
    const double tile_us = tile_flops * resident / (7.2e6 * efficiency) + 1.2;
    return waves(ceil(4096 / m) * ceil(4096 / n) * split, resident) * tile_us +
           (split > 1 ? 6 + 4 * split : 0);
}

/* BLOCK_THREADS, ROWS, VECTOR, ITEMS, UNROLL, PERSISTENT: rows of 4096 elements, bound by memory. */
static double softmax_us(const int *v, evaluation_status *status)
{
    const double threads = v[0], rows = v[1], vector = v[2], items = v[3], unroll = v[4], persistent = v[5];
    const double registers = 18 + 2.0 * items * vector / 2 + 3 * unroll * rows;
    if (threads * rows > 2048)
        *status = EVALUATION_FAILED_COMPILE;
    if (registers > 255)
        *status = EVALUATION_CRASHED;
    const double resident = fmax(1, resident_blocks(threads, fmin(registers, 255), 64 * rows));
    const double in_flight = resident * threads * vector * fmin(items, 4 * unroll);
    double bandwidth = 2.9e6 * in_flight / (in_flight + 9000) * (vector < 8 ? 0.72 + 0.04 * vector : 1);
    const double covered = threads * vector * items / rows; /* elements of a row held in registers */
    bandwidth *= covered >= 4096 ? 4096 / covered * 0.3 + 0.7 : 0.62; /* else the row is read twice */
    bandwidth *= peak_at(unroll, 2, 0.02) * (persistent > 1 ? 1.025 - 0.05 * (rows > 2) : 1);
    return 2.0 * 4096 * 4096 * 2 / bandwidth + 2.2 + 0.1 * waves(4096 / rows, resident);
}

/* block_size_x, block_size_y, tile_size_x, tile_size_y, use_padding, read_only: a 2D filter of 17 x 17. */
static double convolution_us(const int *v, evaluation_status *status)
{
    const double bx = v[0], by = v[1], tx = v[2], ty = v[3], padding = v[4] - 1, read_only = v[5] - 1;
    const double threads = bx * by, shared = (bx * tx + 16 + padding) * (by * ty + 16) * 4;
    const double registers = 22 + 2.6 * tx * ty;
    if (threads > 1024 || shared > 49152)
        *status = EVALUATION_FAILED_COMPILE;
    if (threads < 32)
        *status = EVALUATION_TIMEOUT;
    const double resident = fmax(1, resident_blocks(threads, fmin(registers, 255), shared));
    const double warps = ceil(threads / 32) * resident;
    double rate = 1.9e7 * warps / (warps + 9) * (tx * ty) / (tx * ty + 1.4);
    rate *= fmod(bx, 32) != 0 ? (padding > 0 ? 0.9 : 0.68) : 1 - 0.03 * padding;
    rate *= registers > 128 ? 128 / registers : 1;
    rate *= read_only > 0 ? 1.04 : 1;
    const double halo = (bx * tx + 16) * (by * ty + 16) / (bx * tx * by * ty);
    return 4096.0 * 4096 * 289 * 2 / rate * (0.9 + 0.1 * halo) +
           0.4 * waves(4096 / (bx * tx) * (4096 / (by * ty)), resident);
}

/* block_size_x, block_size_y, tile_size_x, tile_size_y, temporal_tiling, double_buffer: a stencil over many steps. */
static double stencil_us(const int *v, evaluation_status *status)
{
    const double bx = v[0], by = v[1], tx = v[2], ty = v[3], steps = v[4], buffer = v[5];
    const double width = bx * tx + 2 * steps, height = by * ty + 2 * steps, threads = bx * by;
    const double shared = width * height * 4 * (buffer > 1 ? 2 : 1);
    const double registers = 24 + 3 * tx * ty + 2 * buffer;
    if (shared > 101376 || threads > 1024)
        *status = EVALUATION_FAILED_COMPILE;
    if (threads < 64)
        *status = EVALUATION_TIMEOUT;
    const double resident = fmax(1, resident_blocks(threads, fmin(registers, 255), shared));
    const double useful = bx * tx * by * ty / (width * height);
    const double warps = resident * ceil(threads / 32);
    const double compute = 60.0 / (useful * warps / (warps + 14) * (tx * ty) / (tx * ty + 0.8));
    const double memory = 260.0 / steps / (useful * warps / (warps + 20)) * (bx < 32 ? 1.5 : 1);
    return (buffer > 1 ? fmax(compute, memory) + 12 : compute + memory) *
               (registers > 128 ? registers / 128 : 1) +
           3 * steps;
}

/* BLOCK_Q, BLOCK_KV, STAGES, WARPS, SWIZZLE, SPLIT_HEADS: attention forward; half of the space does not work. */
static double attention_us(const int *v, evaluation_status *status)
{
    const double q = v[0], kv = v[1], stages = v[2], warps = v[3], swizzle = v[4], split = v[5];
    const double shared = (q + 2 * stages * kv) * 128 * 2, threads = warps * 32;
    const double registers = 48 + (q * kv + q * 128) / threads;
    if (shared > SHARED_BYTES || registers > 300)
        *status = EVALUATION_FAILED_COMPILE;
    if (q / warps < 16)
        *status = EVALUATION_FAILED_CORRECTNESS;
    const double resident = fmax(1, resident_blocks(threads, fmin(registers, 255), shared));
    double efficiency = q / (q + 40) * kv / (kv + 18) * (1 - 0.5 * exp(-(stages - 0.4) * kv / 60));
    efficiency *= registers > 240 ? 0.7 : 1;
    efficiency *= swizzle > 1 ? 1 : 0.81;
    efficiency *= resident >= 2 ? 1.06 : 1;
    const double blocks = 32 * ceil(4096 / q) * split;
    const double block_us = 4.0 * q * 4096 * 128 / split * resident / (5.6e6 * efficiency) + 2;
    return waves(blocks, resident) * block_us + (split > 1 ? 5 * split : 0);
}

static const kernel_model models[] = {
    {"matmul",
     "bf16 matmul on tensor cores, 4096 x 4096 x 4096",
     {{"BLOCK_M", {64, 128, 256}, 3},
      {"BLOCK_N", {64, 128, 192, 256}, 4},
      {"BLOCK_K", {32, 64, 128}, 3},
      {"STAGES", {2, 3, 4, 5, 6}, 5},
      {"WARPS", {4, 8, 12}, 3},
      {"GROUP_M", {1, 4, 8, 16}, 4},
      {"SPLIT_K", {1, 2, 4}, 3},
      {"CLUSTER", {1, 2}, 2}},
     8,
     matmul_us},
    {"softmax",
     "softmax of rows of 4096",
     {{"BLOCK_THREADS", {64, 128, 256, 512, 1024}, 5},
      {"ROWS", {1, 2, 4, 8}, 4},
      {"VECTOR", {1, 2, 4, 8}, 4},
      {"ITEMS", {1, 2, 4, 8, 16}, 5},
      {"UNROLL", {1, 2, 4}, 3},
      {"PERSISTENT", {1, 2}, 2}},
     6,
     softmax_us},
    {"convolution",
     "2D filter of 17 x 17",
     {{"block_size_x", {16, 32, 48, 64, 96, 128}, 6},
      {"block_size_y", {1, 2, 4, 8, 16}, 5},
      {"tile_size_x", {1, 2, 3, 4, 5, 6, 7, 8}, 8},
      {"tile_size_y", {1, 2, 3, 4, 5, 6, 7, 8}, 8},
      {"use_padding", {1, 2}, 2},
      {"read_only", {1, 2}, 2}},
     6,
     convolution_us},
    {"stencil",
     "stencil with temporal tiling",
     {{"block_size_x", {8, 16, 32, 64, 128}, 5},
      {"block_size_y", {1, 2, 4, 8, 16, 32}, 6},
      {"tile_size_x", {1, 2, 3, 4, 5, 6}, 6},
      {"tile_size_y", {1, 2, 3, 4, 5, 6}, 6},
      {"temporal_tiling", {1, 2, 3, 4, 5, 6, 7, 8}, 8},
      {"double_buffer", {1, 2}, 2}},
     6,
     stencil_us},
    {"attention",
     "attention forward, half of the space fails",
     {{"BLOCK_Q", {16, 32, 64, 128, 192, 256}, 6},
      {"BLOCK_KV", {16, 32, 48, 64, 96, 128}, 6},
      {"STAGES", {1, 2, 3, 4}, 4},
      {"WARPS", {2, 4, 8, 12}, 4},
      {"SWIZZLE", {1, 2}, 2},
      {"SPLIT_HEADS", {1, 2, 4}, 3}},
     6,
     attention_us},
};

const kernel_model *kernel_model_at(int number)
{
    return number >= 0 && number < (int)(sizeof models / sizeof *models) ? &models[number] : NULL;
}
