/* The device's own state: address ranges, allocations, limits. Private to device/ptx. */
#ifndef ASSAY_DEVICE_PTX_DEVICE_H
#define ASSAY_DEVICE_PTX_DEVICE_H

#include "device/ptx/ptx.h"
#include <pthread.h>
#include <stdbool.h>

/* Generic addresses. One reservation holds, in this order, windows for shared, local and parameter space and the device's memory, so no
 * host object can lie there. A shared address is the offset in a block; its top byte is 0 for the own block or 1 + the rank of a block
 * of the cluster. */
enum { WINDOW_SHIFT = 32, SHARED_RANK_SHIFT = 24 };
#define WINDOW_BYTES (1ull << WINDOW_SHIFT)

typedef struct memory_record {
    uint64_t start, end; /* [start, end) as asked for */
    uint64_t from, to;   /* what kernels may touch of it: all, or a tensor (ptx_set_tensor) */
    char *name;
    uint64_t number;
    bool host, dead, read_only;
} memory_record;

typedef struct texture_record {
    ptx_texture is;
    bool live;
} texture_record;

struct ptx_device {
    ptx_limits limits;
    ptx_device_options options;
    uint64_t reserved;         /* start of the reservation: the shared window */
    uint64_t arena, arena_end; /* device memory's addresses */
    char *view;                /* where the host sees the byte at `arena` */
    uint64_t next;             /* first address never given out */
    uint64_t used, total;
    pthread_mutex_t lock;
    memory_record *records; /* by start */
    size_t record_count, record_capacity;
    uint64_t numbers;
    uint64_t heap_used;
    texture_record *textures;
    size_t texture_count;
    pthread_mutex_t print_lock;
};

static inline uint64_t device_shared_window(const ptx_device *d)
{
    return d->reserved;
}
static inline uint64_t device_local_window(const ptx_device *d)
{
    return d->reserved + WINDOW_BYTES;
}
static inline uint64_t device_param_window(const ptx_device *d)
{
    return d->reserved + 2 * WINDOW_BYTES;
}
static inline bool device_in_arena(const ptx_device *d, uint64_t a)
{
    return a - d->arena < d->arena_end - d->arena;
}
static inline char *device_view(const ptx_device *d, uint64_t a)
{
    return d->view + (a - d->arena);
}

/* A live range that holds [address, address + bytes), for the cache of a block: what to add to an address to get the host's view. */
typedef struct memory_range {
    uint64_t start, end;
    int64_t delta;
    bool read_only;
} memory_range;
bool memory_lookup(ptx_device *device, uint64_t address, uint64_t bytes, memory_range *out);

/* Why an access failed: kind, and a description such as "4 bytes at byte 4096 of 'x', which has 4096 bytes". */
ptx_finding_kind memory_describe(ptx_device *device, uint64_t address, uint64_t bytes, char *out,
                                 size_t out_bytes);
/* "byte 16 of 'x'" for a live address. */
void memory_place(ptx_device *device, uint64_t address, char *out, size_t out_bytes);

ptx_status ptx_fail(ptx_error *error, ptx_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
