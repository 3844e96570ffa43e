/* Occupancy by hand-computed cases, and against the toolkit's own calculator where the build has a toolkit. */
#include "tests/unit.h"
#include "resources/occupancy.h"
#ifdef WITH_CUDA_OCCUPANCY
#include <cuda_occupancy.h>
#endif

static void known_cases(void **state)
{
    static const struct {
        const char *arch;
        int threads, registers;
        long shared;
        int blocks;
        const char *limited_by;
    } cases[] = {
        {"sm_90a", 256, 32, 0, 8, "warps"},
        {"sm_90a", 1024, 64, 0, 1, "registers"},      /* 1024 * 64 fill the register file */
        {"sm_90a", 1024, 65, 0, 0, "registers"},      /* cannot be launched */
        {"sm_90a", 128, 168, 0, 3, "registers"},      /* 5376 a warp, 3 warps a part, 12 warps */
        {"sm_90a", 384, 168, 230000, 1, "registers"}, /* also by shared memory; the first bound is named */
        {"sm_90a", 128, 32, 100000, 2, "shared memory"},
        {"sm_90a", 128, 32, 232449, 0, "shared memory"}, /* one byte over what a block may have */
        {"sm_90a", 32, 16, 0, 32, "blocks"},
        {"sm_86", 1024, 32, 0, 1, "warps"},
        {"sm_75", 64, 64, 20000, 3, "shared memory"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const occupancy o = occupancy_compute(occupancy_limits(cases[i].arch), cases[i].threads,
                                              cases[i].registers, cases[i].shared);
        if (o.blocks != cases[i].blocks || strcmp(o.limited_by, cases[i].limited_by) != 0)
            fail_msg("case %zu: %d blocks by %s", i, o.blocks, o.limited_by);
        assert_int_equal(o.warps, o.blocks * ((cases[i].threads + 31) / 32));
    }
    assert_null(occupancy_limits("sm_35"));
    assert_null(occupancy_limits("gfx90a"));
    assert_null(occupancy_limits(NULL));
}

#ifdef WITH_CUDA_OCCUPANCY
static int toolkit_blocks(const sm_limits *limits, int threads, int registers, size_t shared)
{
    cudaOccDeviceProp device = {.computeMajor = limits->major,
                                .computeMinor = limits->minor,
                                .maxThreadsPerBlock = 1024,
                                .maxThreadsPerMultiprocessor = limits->max_warps * 32,
                                .regsPerBlock = limits->registers,
                                .regsPerMultiprocessor = limits->registers,
                                .warpSize = 32,
                                .sharedMemPerBlock = 49152,
                                .sharedMemPerMultiprocessor = (size_t)limits->shared_bytes,
                                .numSms = 132,
                                .sharedMemPerBlockOptin = (size_t)limits->max_shared_block_bytes,
                                .reservedSharedMemPerBlock = limits->major >= 8 ? 1024 : 0};
    const cudaOccFuncAttributes function = {.maxThreadsPerBlock = 1024,
                                            .numRegs = registers,
                                            .sharedSizeBytes = 0,
                                            .partitionedGCConfig = PARTITIONED_GC_OFF,
                                            .shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN,
                                            .maxDynamicSharedSizeBytes = shared,
                                            .numBlockBarriers = 1};
    const cudaOccDeviceState state = {.cacheConfig = CACHE_PREFER_NONE,
                                      .carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED};
    cudaOccResult result;
    const cudaOccError error =
        cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &function, &state, threads, shared);
    if (error != CUDA_OCC_SUCCESS)
        return -1;
    /* The calculator does not know the limit on blocks of every capability of the table. */
    return result.activeBlocksPerMultiprocessor;
}

static void agrees_with_the_toolkit(void **state)
{
    static const char *const architectures[] = {"sm_80", "sm_86", "sm_89", "sm_90a", "sm_100"};
    int compared = 0;
    for (size_t a = 0; a < sizeof architectures / sizeof *architectures; a++) {
        const sm_limits *limits = occupancy_limits(architectures[a]);
        for (int threads = 32; threads <= 1024; threads += 32) {
            for (int registers = 8; registers <= 255; registers += 7) {
                for (long shared = 0; shared <= limits->max_shared_block_bytes; shared += 9973) {
                    const int theirs = toolkit_blocks(limits, threads, registers, (size_t)shared);
                    const occupancy ours = occupancy_compute(limits, threads, registers, shared);
                    if (ours.blocks != theirs)
                        fail_msg("%s, %d threads, %d registers, %ld bytes: %d blocks, the toolkit says %d",
                                 architectures[a], threads, registers, shared, ours.blocks, theirs);
                    compared++;
                }
            }
        }
    }
    assert_true(compared > 10000);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_cases),
#ifdef WITH_CUDA_OCCUPANCY
        cmocka_unit_test(agrees_with_the_toolkit),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
