/* Occupancy. The limits are the table "Technical Specifications per Compute Capability" of NVIDIA's CUDA C++ Programming Guide (release
 * 13.0); the units in which registers and shared memory are given out are those of the occupancy calculator in the toolkit
 * (cuda_occupancy.h), against which tests/resources holds this file where a toolkit is there. */
#include "resources/occupancy.h"
#include <stddef.h>
#include <stdio.h>

enum {
    WARP = 32,
    REGISTER_UNIT = 256,   /* registers are given to a warp in units of this many */
    REGISTER_PARTS = 4,    /* register files of a multiprocessor; a warp lives in one of them */
    RESERVED_SHARED = 1024 /* of each block, from compute capability 8.0 on */
};

static const sm_limits table[] = {
    {7, 5, 16, 32, 65536, 65536, 65536},    {8, 0, 32, 64, 65536, 167936, 166912},
    {8, 6, 16, 48, 65536, 102400, 101376},  {8, 7, 16, 48, 65536, 167936, 166912},
    {8, 9, 24, 48, 65536, 102400, 101376},  {9, 0, 32, 64, 65536, 233472, 232448},
    {10, 0, 32, 64, 65536, 233472, 232448}, {12, 0, 24, 48, 65536, 102400, 101376},
};

const sm_limits *occupancy_limits(const char *arch)
{
    int number;
    if (arch == NULL || sscanf(arch, "sm_%d", &number) != 1)
        return NULL;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].major * 10 + table[i].minor == number)
            return &table[i];
    return NULL;
}

static long round_up(long value, long unit)
{
    return (value + unit - 1) / unit * unit;
}

static int blocks_by_registers(const sm_limits *limits, int warps, int registers)
{
    if (registers <= 0)
        return limits->max_blocks;
    const long a_warp = round_up((long)registers * WARP, REGISTER_UNIT);
    if (a_warp * round_up(warps, REGISTER_PARTS) >
        limits->registers) /* a launch is checked as if it filled all parts */
        return 0;
    const long a_part = limits->registers / REGISTER_PARTS / a_warp;
    return (int)(a_part * REGISTER_PARTS / warps);
}

static int blocks_by_shared(const sm_limits *limits, long shared_bytes)
{
    const int recent = limits->major >= 8;
    const long unit = recent ? 128 : 256;
    if (shared_bytes > limits->max_shared_block_bytes)
        return 0;
    const long a_block = round_up(shared_bytes + (recent ? RESERVED_SHARED : 0), unit);
    return a_block > 0 ? (int)(limits->shared_bytes / a_block) : limits->max_blocks;
}

occupancy occupancy_compute(const sm_limits *limits, int threads, int registers, long shared_bytes)
{
    const int warps = (threads + WARP - 1) / WARP;
    const struct {
        int blocks;
        const char *name;
    } bounds[] = {
        {limits->max_warps / warps, "warps"},
        {blocks_by_registers(limits, warps, registers), "registers"},
        {blocks_by_shared(limits, shared_bytes), "shared memory"},
        {limits->max_blocks, "blocks"},
    };
    int least = 0;
    for (int i = 1; i < 4; i++)
        if (bounds[i].blocks < bounds[least].blocks)
            least = i;
    occupancy out = {.blocks = bounds[least].blocks, .limited_by = bounds[least].name};
    out.warps = out.blocks * warps;
    out.percent = 100.0 * out.warps / limits->max_warps;
    return out;
}
