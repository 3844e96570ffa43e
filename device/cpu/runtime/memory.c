/* Global memory between guard zones, and the list of allocations that says which one a bad address belongs to. */
#include "device/cpu/runtime/simt.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#if SIMT_ASAN
#include <sanitizer/asan_interface.h>
#endif

enum { PAGE_BYTES = 4096, ALIGNMENT = 16, CANARY_BYTE = 0xa5, HUGE_PAGE_FROM_BYTES = 4 << 20 };

typedef struct allocation {
    struct allocation *next;
    char *mapping, *data; /* the mapping with its guards; the first byte given out */
    size_t bytes, accessible_bytes;
} allocation;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static allocation *allocations;

static char *accessible_start(const allocation *a)
{
    return a->mapping + SIMT_GUARD_BYTES;
}
static char *accessible_end(const allocation *a)
{
    return accessible_start(a) + a->accessible_bytes;
}

/* Map guard | pages | guard. */
static bool map(allocation *a)
{
    const size_t total = a->accessible_bytes + 2 * (size_t)SIMT_GUARD_BYTES;
    a->mapping = mmap(NULL, total, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (a->mapping == MAP_FAILED)
        return false;
    if (a->accessible_bytes &&
        mprotect(accessible_start(a), a->accessible_bytes, PROT_READ | PROT_WRITE) != 0) {
        munmap(a->mapping, total);
        return false;
    }
    if (a->accessible_bytes >= HUGE_PAGE_FROM_BYTES)
        madvise(accessible_start(a), a->accessible_bytes, MADV_HUGEPAGE);
    return true;
}

/* Under AddressSanitizer every access around the data is an error that it reports, guards included. */
static void forbid_surroundings(const allocation *a)
{
#if SIMT_ASAN
    __asan_poison_memory_region(a->mapping, (size_t)(a->data - a->mapping));
    __asan_poison_memory_region(a->data + a->bytes,
                                (size_t)(accessible_end(a) + SIMT_GUARD_BYTES - (a->data + a->bytes)));
#else
    (void)a;
#endif
}

static void unmap(const allocation *a)
{
    const size_t total = a->accessible_bytes + 2 * (size_t)SIMT_GUARD_BYTES;
#if SIMT_ASAN
    __asan_unpoison_memory_region(a->mapping, total);
#endif
    munmap(a->mapping, total);
}

void *assay_simt_memory_alloc(size_t bytes)
{
    if (bytes > SIZE_MAX / 2)
        return NULL;
    allocation *a = calloc(1, sizeof *a);
    if (!a)
        return NULL;
    const size_t rounded = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    a->bytes = bytes;
    a->accessible_bytes = (rounded + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    if (!map(a)) {
        free(a);
        return NULL;
    }
    a->data = accessible_end(a) - rounded;
    memset(accessible_start(a), CANARY_BYTE, (size_t)(a->data - accessible_start(a)));
    memset(a->data + bytes, CANARY_BYTE, rounded - bytes);
    forbid_surroundings(a);
    pthread_mutex_lock(&lock);
    a->next = allocations;
    allocations = a;
    pthread_mutex_unlock(&lock);
    return a->data;
}

static allocation **find(const void *pointer)
{
    allocation **link = &allocations;
    while (*link && (*link)->data != pointer)
        link = &(*link)->next;
    return link;
}

static bool all_canaries(const char *from, const char *to)
{
    for (; from < to; from++)
        if (*(const unsigned char *)from != CANARY_BYTE)
            return false;
    return true;
}

int assay_simt_memory_intact(const void *pointer)
{
    pthread_mutex_lock(&lock);
    const allocation *a = *find(pointer);
    pthread_mutex_unlock(&lock);
    if (SIMT_ASAN)
        return a != NULL; /* a write would have been reported */
    return a && all_canaries(accessible_start(a), a->data) &&
           all_canaries(a->data + a->bytes, accessible_end(a));
}

void assay_simt_memory_free(void *pointer)
{
    if (!pointer)
        return;
    pthread_mutex_lock(&lock);
    allocation **link = find(pointer), *a = *link;
    if (a)
        *link = a->next;
    pthread_mutex_unlock(&lock);
    if (a)
        unmap(a);
    free(a);
}

bool simt_memory_find(const void *address, memory_bounds *bounds)
{
    const char *at = address;
    pthread_mutex_lock(&lock);
    const allocation *a = allocations;
    while (a && (at < a->mapping || at >= accessible_end(a) + SIMT_GUARD_BYTES))
        a = a->next;
    if (a)
        *bounds =
            (memory_bounds){a->mapping, a->data, a->data + a->bytes, accessible_end(a) + SIMT_GUARD_BYTES};
    pthread_mutex_unlock(&lock);
    return a != NULL;
}

/* Called from a signal handler: must not wait for the lock, which the interrupted thread may hold. */
bool simt_memory_describe(const void *address, ptrdiff_t *distance, size_t *bytes)
{
    const char *at = address;
    const bool locked = pthread_mutex_trylock(&lock) == 0;
    const allocation *a = allocations;
    while (a && (at < a->mapping || at >= accessible_end(a) + SIMT_GUARD_BYTES))
        a = a->next;
    if (a) {
        *distance = at < a->data ? at - a->data : at - (a->data + a->bytes);
        *bytes = a->bytes;
    }
    if (locked)
        pthread_mutex_unlock(&lock);
    return a != NULL;
}
