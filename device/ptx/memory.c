/* Device memory: an address range that the host cannot touch, and a second view of the same bytes for launches and copies. */
#include "device/ptx/device.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ALIGNMENT = 512, PAGE = 4096 };
#define DEFAULT_MEMORY (64ull << 30)
#define DEFAULT_HEAP   (8ull << 20)
/* Larger allocations are not filled: that would commit their pages. */
#define LARGEST_FILL (64ull << 20)

ptx_status ptx_fail(ptx_error *error, ptx_status status, const char *format, ...)
{
    if (error) {
        va_list list;
        va_start(list, format);
        vsnprintf(error->text, sizeof error->text, format, list);
        va_end(list);
        error->status = status;
    }
    return status;
}

static const ptx_limits hopper = {.major = 9,
                                  .multiprocessors = 132,
                                  .threads_per_block = 1024,
                                  .threads_per_sm = 2048,
                                  .blocks_per_sm = 32,
                                  .block = {1024, 1024, 64},
                                  .grid = {2147483647u, 65535, 65535},
                                  .shared_per_block = 49152,
                                  .shared_per_block_optin = 232448,
                                  .shared_per_sm = 233472,
                                  .shared_reserved = 1024,
                                  .cluster = 8,
                                  .registers_per_sm = 65536};

static void set_limits(ptx_device *d)
{
    d->limits = hopper;
    if (d->options.major == 8) {
        d->limits.major = 8;
        d->limits.multiprocessors = 108;
        d->limits.shared_per_block_optin = 166912;
        d->limits.shared_per_sm = 167936;
        d->limits.cluster = 0;
    }
}

static void *reserve(uint64_t bytes, int protection)
{
    void *p = mmap(NULL, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

ptx_status ptx_device_open(const ptx_device_options *options, ptx_device **device, ptx_error *error)
{
    *device = NULL;
    ptx_device *d = calloc(1, sizeof *d);
    if (!d)
        return ptx_fail(error, PTX_NO_MEMORY, "no memory for a device");
    if (options)
        d->options = *options;
    if (d->options.major != 0 && d->options.major != 8 && d->options.major != 9) {
        const int major = d->options.major;
        free(d);
        return ptx_fail(error, PTX_WRONG_USE, "compute capability %d.x is not known; 8.0 and 9.0 are", major);
    }
    set_limits(d);
    d->total = d->options.memory_bytes ? d->options.memory_bytes : DEFAULT_MEMORY;
    d->options.heap_bytes = d->options.heap_bytes ? d->options.heap_bytes : DEFAULT_HEAP;
    /* Freed addresses are not used again soon: more addresses than memory. */
    const uint64_t addresses = 4 * d->total;
    char *reserved = reserve(3 * WINDOW_BYTES + addresses, PROT_NONE);
    d->view = reserve(addresses, PROT_READ | PROT_WRITE);
    if (!reserved || !d->view) {
        free(d);
        return ptx_fail(error, PTX_NO_MEMORY, "cannot reserve %llu GiB of addresses for device memory",
                        (unsigned long long)(addresses >> 29));
    }
    d->reserved = (uint64_t)reserved;
    d->arena = d->reserved + 3 * WINDOW_BYTES;
    d->next = d->arena + ALIGNMENT;
    d->arena_end = d->arena + addresses;
    pthread_mutex_init(&d->lock, NULL);
    pthread_mutex_init(&d->print_lock, NULL);
    *device = d;
    return PTX_OK;
}

void ptx_device_close(ptx_device *d)
{
    if (!d)
        return;
    munmap((void *)d->reserved, 3 * WINDOW_BYTES + (d->arena_end - d->arena));
    munmap(d->view, d->arena_end - d->arena);
    for (size_t i = 0; i < d->record_count; i++)
        free(d->records[i].name);
    free(d->records);
    free(d->textures);
    pthread_mutex_destroy(&d->lock);
    pthread_mutex_destroy(&d->print_lock);
    free(d);
}

const ptx_limits *ptx_device_limits(const ptx_device *d)
{
    return &d->limits;
}

int ptx_device_owns(const ptx_device *d, const void *address)
{
    const uint64_t a = (uint64_t)address;
    return a >= d->reserved && a < d->arena_end;
}

/* ---- records ---- */

/* The last record that starts at or before the address, or -1. */
static ptrdiff_t record_at(const ptx_device *d, uint64_t address)
{
    size_t low = 0, high = d->record_count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (d->records[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return (ptrdiff_t)low - 1;
}

static memory_record *live_record(const ptx_device *d, uint64_t address, uint64_t bytes)
{
    const ptrdiff_t i = record_at(d, address);
    memory_record *r = i < 0 ? NULL : &d->records[i];
    return r && !r->dead && address + bytes <= r->end && address + bytes >= address ? r : NULL;
}

static void drop_record(ptx_device *d, size_t at)
{
    free(d->records[at].name);
    memmove(&d->records[at], &d->records[at + 1], (d->record_count - at - 1) * sizeof *d->records);
    d->record_count--;
}

static memory_record *insert_record(ptx_device *d, uint64_t start, uint64_t bytes, const char *name)
{
    if (d->record_count == d->record_capacity) {
        const size_t capacity = d->record_capacity * 2 + 64;
        memory_record *grown = realloc(d->records, capacity * sizeof *grown);
        if (!grown)
            return NULL;
        d->records = grown;
        d->record_capacity = capacity;
    }
    /* Records of freed memory that lies there are history now. */
    ptrdiff_t at = record_at(d, start + bytes - 1);
    while (at >= 0 && d->records[at].dead && d->records[at].end > start)
        drop_record(d, (size_t)at--);
    at = record_at(d, start) + 1;
    memmove(&d->records[at + 1], &d->records[at], (d->record_count - (size_t)at) * sizeof *d->records);
    d->record_count++;
    memory_record *r = &d->records[at];
    *r = (memory_record){
        .start = start, .end = start + bytes, .from = start, .to = start + bytes, .number = ++d->numbers};
    char text[64];
    snprintf(text, sizeof text, "allocation %llu", (unsigned long long)r->number);
    r->name = strdup(name ? name : text);
    return r;
}

/* Addresses for `bytes`: new ones, or, where none are left, a gap between live allocations. */
static uint64_t find_addresses(ptx_device *d, uint64_t bytes)
{
    const uint64_t step = (bytes + ALIGNMENT + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (d->arena_end - d->next >= step) {
        const uint64_t start = d->next;
        d->next += step;
        return start;
    }
    uint64_t from = d->arena;
    for (size_t i = 0; i < d->record_count; i++) {
        const memory_record *r = &d->records[i];
        if (r->dead || r->host || r->start < d->arena)
            continue;
        if (r->start - from >= step)
            return from;
        from = (r->end + 2 * ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
    return d->arena_end - from >= step ? from : 0;
}

ptx_status ptx_alloc(ptx_device *d, uint64_t bytes, const char *name, ptx_address *out, ptx_error *error)
{
    *out = 0;
    if (bytes == 0)
        return ptx_fail(error, PTX_WRONG_USE, "an allocation of 0 bytes");
    pthread_mutex_lock(&d->lock);
    uint64_t start = bytes <= d->total - d->used ? find_addresses(d, bytes) : 0;
    if (start && !insert_record(d, start, bytes, name))
        start = 0;
    if (start)
        d->used += bytes;
    pthread_mutex_unlock(&d->lock);
    if (!start)
        return ptx_fail(error, PTX_NO_MEMORY,
                        "out of device memory: %llu bytes asked for, %llu of %llu in use",
                        (unsigned long long)bytes, (unsigned long long)d->used, (unsigned long long)d->total);
    if (bytes <= LARGEST_FILL)
        memset(device_view(d, start), 0xCD, bytes);
    *out = start;
    return PTX_OK;
}

ptx_status ptx_free(ptx_device *d, ptx_address start, ptx_error *error)
{
    pthread_mutex_lock(&d->lock);
    const ptrdiff_t at = record_at(d, start);
    memory_record *r = at < 0 ? NULL : &d->records[at];
    const bool right = r && r->start == start && !r->dead && !r->host;
    const bool twice = r && r->start == start && r->dead;
    if (right) {
        r->dead = true;
        d->used -= r->end - r->start;
        /* Give whole pages back that no neighbour shares. */
        const uint64_t first = (r->start + PAGE - 1) / PAGE * PAGE, last = r->end / PAGE * PAGE;
        if (last > first)
            madvise(device_view(d, first), last - first, MADV_DONTNEED);
    }
    pthread_mutex_unlock(&d->lock);
    return right ? PTX_OK
                 : ptx_fail(error, PTX_WRONG_USE, "free of %#llx, which %s", (unsigned long long)start,
                            twice ? "was freed before" : "is not the start of an allocation");
}

void ptx_name(ptx_device *d, ptx_address start, const char *name)
{
    pthread_mutex_lock(&d->lock);
    const ptrdiff_t at = record_at(d, start);
    if (at >= 0 && d->records[at].start == start) {
        free(d->records[at].name);
        d->records[at].name = strdup(name);
    }
    pthread_mutex_unlock(&d->lock);
}

void ptx_set_tensor(ptx_device *d, ptx_address start, uint64_t offset, uint64_t bytes, int read_only)
{
    pthread_mutex_lock(&d->lock);
    const ptrdiff_t at = record_at(d, start);
    memory_record *r = at < 0 ? NULL : &d->records[at];
    if (r && !r->dead && r->start == start && offset <= r->end - start && bytes <= r->end - start - offset) {
        r->from = start + offset;
        r->to = r->from + bytes;
        r->read_only = read_only != 0;
    }
    pthread_mutex_unlock(&d->lock);
}

int ptx_find(ptx_device *d, ptx_address address, ptx_allocation *out)
{
    pthread_mutex_lock(&d->lock);
    const memory_record *r = live_record(d, address, 1);
    if (r && out)
        *out = (ptx_allocation){r->start, r->end - r->start, r->name, r->host, r->number};
    pthread_mutex_unlock(&d->lock);
    return r != NULL;
}

void ptx_memory_info(ptx_device *d, uint64_t *used, uint64_t *total)
{
    pthread_mutex_lock(&d->lock);
    *used = d->used;
    *total = d->total;
    pthread_mutex_unlock(&d->lock);
}

ptx_status ptx_host_register(ptx_device *d, void *host, uint64_t bytes, const char *name, ptx_error *error)
{
    if (!host || bytes == 0 || ptx_device_owns(d, host))
        return ptx_fail(error, PTX_WRONG_USE, "%p is no host memory of at least a byte", host);
    pthread_mutex_lock(&d->lock);
    const bool taken = live_record(d, (uint64_t)host, 1) != NULL;
    memory_record *r = taken ? NULL : insert_record(d, (uint64_t)host, bytes, name ? name : "host memory");
    if (r)
        r->host = true;
    pthread_mutex_unlock(&d->lock);
    return r ? PTX_OK
             : ptx_fail(error, taken ? PTX_WRONG_USE : PTX_NO_MEMORY, "host memory at %p %s", host,
                        taken ? "is registered already" : "cannot be recorded");
}

ptx_status ptx_host_unregister(ptx_device *d, void *host, ptx_error *error)
{
    pthread_mutex_lock(&d->lock);
    const ptrdiff_t at = record_at(d, (uint64_t)host);
    const bool right = at >= 0 && d->records[at].start == (uint64_t)host && d->records[at].host;
    if (right)
        drop_record(d, (size_t)at);
    pthread_mutex_unlock(&d->lock);
    return right ? PTX_OK : ptx_fail(error, PTX_WRONG_USE, "host memory at %p is not registered", host);
}

/* ---- what launches ask ---- */

bool memory_lookup(ptx_device *d, uint64_t address, uint64_t bytes, memory_range *out)
{
    pthread_mutex_lock(&d->lock);
    const memory_record *r = live_record(d, address, bytes);
    if (r && (address < r->from || address + bytes > r->to))
        r = NULL;
    if (r)
        *out = (memory_range){r->from, r->to, r->host ? 0 : (int64_t)((uint64_t)d->view - d->arena),
                              r->read_only};
    pthread_mutex_unlock(&d->lock);
    return r != NULL;
}

int ptx_may_touch(ptx_device *d, ptx_address start, uint64_t bytes, int write)
{
    memory_range range;
    return memory_lookup(d, start, bytes, &range) && !(write && range.read_only);
}

ptx_finding_kind memory_describe(ptx_device *d, uint64_t address, uint64_t bytes, char *out, size_t out_bytes)
{
    pthread_mutex_lock(&d->lock);
    ptx_finding_kind kind = PTX_FOUND_OUT_OF_BOUNDS;
    const ptrdiff_t at = record_at(d, address);
    const memory_record *before = at < 0 ? NULL : &d->records[at];
    const memory_record *after = (size_t)(at + 1) < d->record_count ? &d->records[at + 1] : NULL;
    const unsigned long long n = bytes, a = address;
    if (before && before->dead && address < before->end) {
        kind = PTX_FOUND_FREED;
        snprintf(out, out_bytes, "%llu bytes at byte %llu of '%s', which was freed", n,
                 (unsigned long long)(address - before->start), before->name);
    } else if (!device_in_arena(d, address) && address > 0xffff) {
        kind = PTX_FOUND_HOST_MEMORY;
        snprintf(out, out_bytes,
                 "%llu bytes at %#llx, which is no device memory and neither pinned nor managed", n, a);
    } else if (before && !before->dead && address < before->end && address >= before->from) {
        snprintf(out, out_bytes, "%llu bytes at byte %llu of '%s', which has %llu bytes", n,
                 (unsigned long long)(address - before->from), before->name,
                 (unsigned long long)(before->to - before->from));
    } else if (before && before->from > address) {
        snprintf(out, out_bytes, "%llu bytes at byte -%llu of '%s'", n,
                 (unsigned long long)(before->from - address), before->name);
    } else if (before && before->end - address + (1 << 20) < (2 << 20) &&
               (!after || address - before->end <= after->start - address)) {
        snprintf(out, out_bytes, "%llu bytes at byte %llu of '%s', which has %llu bytes", n,
                 (unsigned long long)(address - before->from), before->name,
                 (unsigned long long)(before->to - before->from));
    } else if (after && device_in_arena(d, address)) {
        snprintf(out, out_bytes, "%llu bytes at byte -%llu of '%s'", n,
                 (unsigned long long)(after->start - address), after->name);
    } else {
        snprintf(out, out_bytes, "%llu bytes at %#llx, far from any allocation", n, a);
    }
    pthread_mutex_unlock(&d->lock);
    return kind;
}

void memory_place(ptx_device *d, uint64_t address, char *out, size_t out_bytes)
{
    pthread_mutex_lock(&d->lock);
    const memory_record *r = live_record(d, address, 1);
    if (r)
        snprintf(out, out_bytes, "byte %llu of '%s'", (unsigned long long)(address - r->start), r->name);
    else
        snprintf(out, out_bytes, "%#llx", (unsigned long long)address);
    pthread_mutex_unlock(&d->lock);
}
