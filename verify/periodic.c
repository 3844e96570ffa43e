/* One anonymous file, mapped again and again into one stretch of addresses; see periodic.h. */
#include "verify/periodic.h"
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static assay_status map_periods(int file, size_t period_bytes, periodic *array)
{
    for (size_t at = 0; at < array->mapped_bytes; at += period_bytes) {
        const size_t left = array->mapped_bytes - at, n = left < period_bytes ? left : period_bytes;
        if (mmap((char *)array->data + at, n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) ==
            MAP_FAILED)
            return ASSAY_ERR_NO_MEMORY;
    }
    return ASSAY_OK;
}

assay_status periodic_open(int64_t count, int64_t pages, periodic *array, assay_error *error)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), period_bytes = (size_t)pages * page;
    const size_t bytes = (size_t)count * sizeof(float);
    *array = (periodic){.period = (int64_t)(period_bytes / sizeof(float))};
    array->period = array->period < count ? array->period : count;
    array->mapped_bytes = (bytes + page - 1) / page * page + page; /* never nothing */
    array->data =
        mmap(NULL, array->mapped_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (array->data == MAP_FAILED) {
        array->data = NULL;
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no address space for %zu bytes: %s",
                               array->mapped_bytes, strerror(errno));
    }
    const int file = memfd_create("assay-periodic", MFD_CLOEXEC);
    assay_status status =
        file >= 0 && ftruncate(file, (off_t)period_bytes) == 0 ? ASSAY_OK : ASSAY_ERR_NO_MEMORY;
    if (status == ASSAY_OK)
        status = map_periods(file, period_bytes, array);
    if (status != ASSAY_OK)
        assay_error_set(error, status, "no host memory for a period of %zu bytes: %s", period_bytes,
                        strerror(errno));
    if (file >= 0)
        close(file); /* the mappings keep it */
    return status;
}

void periodic_close(periodic *array)
{
    if (array->data)
        munmap(array->data, array->mapped_bytes);
    *array = (periodic){0};
}
