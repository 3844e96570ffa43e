/* cuDNN without a GPU: from version 9.11 on its heuristics and plans can be asked for a device that is only described. So the
 * baselines' graphs are held against the real library wherever it is installed; nothing runs. Include after a cuDNN baseline's file. */
#ifndef ASSAY_TESTS_CUDNN_OFFLINE_H
#define ASSAY_TESTS_CUDNN_OFFLINE_H

#include "tests/unit.h"

/* An H100 as cuDNN describes it; figures from NVIDIA's data sheet and CUDA's tables of compute capability 9.0. */
static const char h100_properties[] =
    "{\"maxGridSize\": [2147483647, 65535, 65535], \"maxBlockSize\": [1024, 1024, 64], \"regsPerBlock\": "
    "65536,"
    " \"multiProcessorCount\": 132, \"warpSize\": 32, \"maxSharedMemoryPerBlock\": 49152,"
    " \"maxSharedMemoryPerBlockOptin\": 232448, \"reservedSharedMemoryPerBlock\": 1024,"
    " \"maxRegistersPerSM\": 65536, \"maxCtasPerSM\": 32, \"maxThreadsPerBlock\": 1024, \"maxThreadsPerSM\": "
    "2048,"
    " \"pciDeviceId\": 0, \"isTccDriver\": 0, \"supportCoopLaunch\": 1, \"smClockRateKHz\": 1980000,"
    " \"memClockRateKHz\": 2619000, \"l2CacheSize\": 52428800, \"deviceName\": \"NVIDIA H100 80GB HBM3\","
    " \"deviceVer\": 900, \"driverVer\": 13000, \"cudaDeviceId\": 0, \"totalGlobalMem\": 85000000000}";

/* Skips the test where there is no cuDNN, or one that cannot do this. */
static cudnn_descriptor describe_h100(void)
{
    cudnn_descriptor device = NULL;
    if (cudnn_load() != ASSAY_OK || cudnn.get_version() < 91100)
        skip();
    assert_int_equal(cudnn.create_descriptor(CUDNN_D_DEVICEPROP, &device), CUDNN_OK);
    if (cudnn.set_attribute(device, CUDNN_A_DEVICEPROP_JSON, CUDNN_T_CHAR, sizeof h100_properties - 1,
                            h100_properties) != CUDNN_OK ||
        cudnn.finalize(device) != CUDNN_OK) /* another version wants other figures */
        skip();
    return device;
}

static void print_plans(const char *name, const cudnn_graph *g)
{
    print_message("%s: %d plans of %d offered%s%s; engines", name, g->plan_count, g->offered,
                  g->failed ? ", " : "", g->why);
    for (int i = 0; i < g->plan_count; i++)
        print_message(" %lld", (long long)g->plans[i].engine);
    print_message("\n");
}

#endif
