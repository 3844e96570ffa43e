/* Ceilings: which are measured on a kind of device, and the JSON object of them all. */
#include "bench/ceilings/ceilings.h"
#include "bench/ceilings/ceilings_devices.h"
#include "core/json_file.h"
#include <stdio.h>
#include <string.h>
#include <time.h>

static assay_status measure_host(assay_device *device, ceiling_list *list, assay_error *error)
{
    const assay_status status = ceilings_measure_cpu(device, list, error);
    return status == ASSAY_OK ? ceiling_measure_latency(device, list, error) : status;
}

static assay_status measure_all(assay_device *device, ceiling_list *list, assay_error *error)
{
    if (strcmp(assay_device_get_info(device)->kind, "cpu") == 0)
        return measure_host(device, list, error);
#if ASSAY_WITH_CUDA
    assay_status status = ceilings_measure_cuda_memory(device, list, error);
    if (status == ASSAY_OK)
        status = ceilings_measure_cuda_shared(device, list, error);
    if (status == ASSAY_OK)
        status = ceilings_measure_cuda_fma(device, list, error);
    if (status == ASSAY_OK)
        status = ceilings_measure_cuda_tensor(device, list, error);
    if (status == ASSAY_OK)
        status = ceiling_measure_latency(device, list, error);
    return status;
#else
    return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "ceilings of %s: Assay was built without CUDA",
                           assay_device_get_info(device)->name);
#endif
}

static json_t *describe_device(const assay_device_info *info)
{
    char compute[16];
    snprintf(compute, sizeof compute, "%d.%d", info->compute_major, info->compute_minor);
    return json_pack("{s:s, s:s, s:s, s:s, s:i, s:s, s:s, s:s, s:I, s:I}", "kind", info->kind, "name",
                     info->name, "slug", info->slug, "uuid", info->uuid, "sm_count", info->sm_count, "driver",
                     info->driver, "runtime", info->runtime, "compute", compute, "memory_bytes",
                     (json_int_t)info->memory_bytes, "l2_bytes", (json_int_t)info->l2_bytes);
}

static json_t *describe_ceiling(const ceiling *item)
{
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:i, s:o, s:s}", "name", item->name, "unit", item->unit,
                     "median", json_number(item->median), "min", json_number(item->min), "max",
                     json_number(item->max), "stddev", json_number(item->stddev), "samples", item->samples,
                     "theoretical", item->theoretical > 0.0 ? json_number(item->theoretical) : json_null(),
                     "method", item->method);
}

assay_status ceilings_measure(assay_device *device, json_t **out, assay_error *error)
{
    ceiling_list list = {.count = 0};
    const assay_status status = measure_all(device, &list, error);
    if (status != ASSAY_OK)
        return status;
    char now[32];
    const time_t seconds = time(NULL);
    struct tm utc;
    gmtime_r(&seconds, &utc);
    strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", &utc);
    json_t *items = json_array();
    for (int i = 0; i < list.count; i++)
        json_array_append_new(items, describe_ceiling(&list.items[i]));
    *out = json_pack("{s:i, s:i, s:o, s:s, s:o}", "schema", 1, "revision", CEILINGS_REVISION, "device",
                     describe_device(assay_device_get_info(device)), "time", now, "ceilings", items);
    return *out ? ASSAY_OK : assay_error_set(error, ASSAY_ERR_NO_MEMORY, "ceilings: out of host memory");
}
