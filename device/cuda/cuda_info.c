/* What a CUDA device says about itself: assay_device_info from the runtime's properties and attributes. */
#include "device/cuda/cuda_device.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* "NVIDIA H100 80GB HBM3" -> "nvidia-h100-80gb-hbm3" */
static void make_slug(const char *name, char *out, size_t out_bytes)
{
    size_t length = 0;
    for (const char *c = name; *c && length + 1 < out_bytes; c++) {
        if (isalnum((unsigned char)*c))
            out[length++] = (char)tolower((unsigned char)*c);
        else if (length > 0 && out[length - 1] != '-')
            out[length++] = '-';
    }
    while (length > 0 && out[length - 1] == '-')
        length--;
    out[length] = '\0';
}

void cuda_read_uuid(const struct cudaDeviceProp *properties, char *out, size_t out_bytes)
{
    unsigned char b[16];
    memcpy(b, properties->uuid.bytes, sizeof b);
    snprintf(out, out_bytes, "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0],
             b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
}

/* Two transfers a clock (double data rate) over the whole bus; 0 if the driver does not say. */
static double peak_bandwidth_gbs(int ordinal)
{
    int khz = 0, bits = 0;
    if (cudaDeviceGetAttribute(&khz, cudaDevAttrMemoryClockRate, ordinal) != cudaSuccess ||
        cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth, ordinal) != cudaSuccess) {
        (void)cudaGetLastError();
        return 0.0;
    }
    return 2.0 * khz * 1e3 * (bits / 8.0) * 1e-9;
}

assay_status cuda_read_info(int ordinal, const nvml_session *nvml, assay_device_info *info,
                            assay_error *error)
{
    struct cudaDeviceProp properties;
    const assay_status status =
        cuda_check(cudaGetDeviceProperties(&properties, ordinal), "reading the device's properties", error);
    if (status != ASSAY_OK)
        return status;
    int driver = 0, runtime = 0;
    (void)cudaDriverGetVersion(&driver);
    (void)cudaRuntimeGetVersion(&runtime);
    memset(info, 0, sizeof *info);
    snprintf(info->kind, sizeof info->kind, "cuda");
    snprintf(info->name, sizeof info->name, "%.*s", (int)sizeof info->name - 1, properties.name);
    make_slug(info->name, info->slug, sizeof info->slug);
    cuda_read_uuid(&properties, info->uuid, sizeof info->uuid);
    info->sm_count = properties.multiProcessorCount;
    info->compute_major = properties.major;
    info->compute_minor = properties.minor;
    info->memory_bytes = (int64_t)properties.totalGlobalMem;
    info->l2_bytes = properties.l2CacheSize;
    info->shared_bytes_per_block = (int64_t)properties.sharedMemPerBlockOptin;
    if (nvml->driver[0])
        snprintf(info->driver, sizeof info->driver, "%s", nvml->driver);
    else
        snprintf(info->driver, sizeof info->driver, "CUDA %d.%d", driver / 1000, driver % 1000 / 10);
    snprintf(info->runtime, sizeof info->runtime, "%d.%d", runtime / 1000, runtime % 1000 / 10);
    info->peak_gbs = peak_bandwidth_gbs(ordinal);
    info->has_graphs = 1;
    return ASSAY_OK;
}
