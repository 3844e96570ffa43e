/* Global memory: the list of allocations that says which one a bad address belongs to, and who may access it when: kernels in launches,
 * inputs for reading only; a kernel's host code never. The pages themselves are guards.c's. */
#include "device/cpu/runtime/guards.h"
#include "device/cpu/runtime/simt.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    POISON_BYTE = 0xff, /* a NaN in every dtype */
    MOST_FREED = 64,    /* kept, of at most this size each */
    MOST_FREED_BYTES = 1 << 20
};

typedef struct allocation {
    struct allocation *next;
    guarded_pages pages;
    char *tensor; /* what kernels may access: all of it unless the harness said otherwise */
    size_t tensor_bytes;
    int use;
    bool read_only, freed;
} allocation;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static allocation *allocations;
static int hosts, launches; /* kernels' host code and launches under way */
static size_t outstanding, host_outstanding;
static _Atomic int host_allocations;
static int freed_count;
static uint64_t generation;
_Atomic uint32_t simt_memory_changes;

/* ---- who may access it ---- */

static void protect_for_now(allocation *a)
{
    const int all = PROT_READ | PROT_WRITE;
    if (a->freed)
        return;
    if (launches > 0)
        guards_protect(&a->pages, a->use == SIMT_HOST_MEMORY ? PROT_NONE : a->read_only ? PROT_READ : all);
    else if (a->use == SIMT_HOST_MEMORY)
        guards_protect(&a->pages, all);
    else
        guards_protect(&a->pages, hosts > 0 && a->use != ASSAY_SIMT_MAPPED ? PROT_NONE : all);
}

static void change(int *count, int begins)
{
    pthread_mutex_lock(&lock);
    *count += begins ? 1 : -1;
    for (allocation *a = allocations; a; a = a->next)
        protect_for_now(a);
    pthread_mutex_unlock(&lock);
}

void simt_memory_launch(int begins)
{
    change(&launches, begins);
}

void simt_memory_host(int begins)
{
    change(&hosts, begins);
}

/* ---- allocating ---- */

void *assay_simt_memory_alloc_for(size_t bytes, int use)
{
    if (bytes > SIZE_MAX / 2)
        return NULL;
    allocation *a = calloc(1, sizeof *a);
    if (!a)
        return NULL;
    if (!guards_map(&a->pages, bytes)) {
        free(a);
        return NULL;
    }
    a->tensor = a->pages.data;
    a->tensor_bytes = bytes;
    a->use = use;
    if (use == ASSAY_SIMT_DEVICE || use == ASSAY_SIMT_MAPPED)
        memset(a->pages.data, POISON_BYTE, bytes);
    pthread_mutex_lock(&lock);
    a->next = allocations;
    allocations = a;
    simt_memory_changes++;
    if (use == ASSAY_SIMT_TENSOR)
        generation++;
    else
        *(use == SIMT_HOST_MEMORY ? &host_outstanding : &outstanding) += bytes;
    if (use == SIMT_HOST_MEMORY)
        host_allocations++;
    protect_for_now(a);
    pthread_mutex_unlock(&lock);
    return a->pages.data;
}

void *assay_simt_memory_alloc(size_t bytes)
{
    return assay_simt_memory_alloc_for(bytes, ASSAY_SIMT_TENSOR);
}

static allocation **find(const void *pointer)
{
    allocation **link = &allocations;
    while (*link && ((*link)->pages.data != pointer || (*link)->freed))
        link = &(*link)->next;
    return link;
}

int assay_simt_memory_intact(const void *pointer)
{
    pthread_mutex_lock(&lock);
    const allocation *a = *find(pointer);
    const int intact = a && guards_intact(&a->pages);
    pthread_mutex_unlock(&lock);
    return intact;
}

void assay_simt_memory_set_tensor(void *pointer, size_t offset, size_t bytes, int read_only)
{
    pthread_mutex_lock(&lock);
    allocation *a = *find(pointer);
    if (a && offset <= a->pages.bytes && bytes <= a->pages.bytes - offset) {
        a->tensor = a->pages.data + offset;
        a->tensor_bytes = bytes;
        a->read_only = read_only != 0;
        simt_memory_changes++;
    }
    pthread_mutex_unlock(&lock);
}

/* A kernel's own memory is looked at when it goes: nobody else would see what was written around it. */
static void end_use(allocation *a)
{
    if (a->use == ASSAY_SIMT_TENSOR) {
        generation++;
        return;
    }
    *(a->use == SIMT_HOST_MEMORY ? &host_outstanding : &outstanding) -= a->pages.bytes;
    if (a->use == SIMT_HOST_MEMORY)
        host_allocations--;
    guards_protect(&a->pages, PROT_READ | PROT_WRITE);
    if (!guards_intact(&a->pages))
        simt_launch_error("out of bounds: something wrote around an allocation of the kernel's, of %zu bytes",
                          a->pages.bytes);
}

/* What a kernel freed stays reserved and inaccessible for a while, so that its use is seen. The oldest goes when there are many. */
static bool keep_freed(allocation *a)
{
    if (SIMT_ASAN || a->use == ASSAY_SIMT_TENSOR || a->pages.accessible_bytes > MOST_FREED_BYTES ||
        !guards_discard(&a->pages))
        return false;
    a->freed = true;
    a->next = allocations;
    allocations = a;
    freed_count++;
    return true;
}

static allocation *take_oldest_freed(void)
{
    allocation **oldest = NULL;
    for (allocation **link = &allocations; *link; link = &(*link)->next)
        if ((*link)->freed)
            oldest = link;
    if (freed_count <= MOST_FREED || !oldest)
        return NULL;
    allocation *a = *oldest;
    *oldest = a->next;
    freed_count--;
    return a;
}

int assay_simt_memory_free(void *pointer)
{
    if (!pointer)
        return 1;
    pthread_mutex_lock(&lock);
    allocation **link = find(pointer), *a = *link;
    if (a) {
        *link = a->next;
        simt_memory_changes++;
        end_use(a);
    }
    allocation *gone = a && keep_freed(a) ? take_oldest_freed() : a;
    pthread_mutex_unlock(&lock);
    if (gone)
        guards_unmap(&gone->pages);
    free(gone);
    return a != NULL;
}

/* Of a kernel's host code; a few, because each has pages of its own. */
void *simt_memory_alloc_host(size_t bytes)
{
    enum { MOST_HOST_ALLOCATIONS = 500 };
    pthread_mutex_lock(&lock);
    const bool wanted = hosts > 0 && launches == 0 && host_allocations < MOST_HOST_ALLOCATIONS;
    pthread_mutex_unlock(&lock);
    return wanted && !SIMT_ASAN && !SIMT_TSAN ? assay_simt_memory_alloc_for(bytes, SIMT_HOST_MEMORY) : NULL;
}

size_t simt_memory_size(const void *pointer)
{
    pthread_mutex_lock(&lock);
    const allocation *a = *find(pointer);
    const size_t bytes = a ? a->pages.bytes : 0;
    pthread_mutex_unlock(&lock);
    return bytes;
}

bool simt_memory_is_host(const void *pointer)
{
    if (!pointer || host_allocations == 0)
        return false;
    pthread_mutex_lock(&lock);
    const allocation *a = *find(pointer);
    const bool is_host = a && a->use == SIMT_HOST_MEMORY;
    pthread_mutex_unlock(&lock);
    return is_host;
}

void simt_memory_outstanding(size_t *device, size_t *host_code)
{
    pthread_mutex_lock(&lock);
    *device = outstanding;
    *host_code = host_outstanding;
    pthread_mutex_unlock(&lock);
}

uint64_t simt_memory_generation(void)
{
    pthread_mutex_lock(&lock);
    const uint64_t now = generation;
    pthread_mutex_unlock(&lock);
    return now;
}

/* ---- finding ---- */

/* The allocation whose mapping, guards included, holds the address. */
static allocation *find_around(const char *at)
{
    allocation *a = allocations;
    while (a && (at < a->pages.mapping || at >= guards_end(&a->pages)))
        a = a->next;
    return a;
}

bool simt_memory_find(const void *address, memory_bounds *bounds)
{
    pthread_mutex_lock(&lock);
    const allocation *a = find_around(address);
    if (a && (a->freed || a->use == SIMT_HOST_MEMORY)) /* no buffers */
        a = NULL;
    if (a)
        *bounds =
            (memory_bounds){a->pages.mapping, a->tensor, a->tensor + a->tensor_bytes, guards_end(&a->pages)};
    pthread_mutex_unlock(&lock);
    return a != NULL;
}

/* Called from a signal handler: must not wait for the lock, which the interrupted thread may hold. */
bool simt_memory_describe(const void *address, memory_place *place)
{
    const char *at = address;
    const bool locked = pthread_mutex_trylock(&lock) == 0;
    const allocation *a = find_around(at);
    if (a) {
        const char *end = a->tensor + a->tensor_bytes;
        *place = (memory_place){.inside = at >= a->tensor && at < end,
                                .distance = at < end ? at - a->tensor : at - end,
                                .bytes = a->tensor_bytes,
                                .read_only = a->read_only,
                                .freed = a->freed,
                                .host = a->use == SIMT_HOST_MEMORY};
    }
    if (locked)
        pthread_mutex_unlock(&lock);
    return a != NULL;
}

/* ---- copying for a kernel's host code ---- */

/* Within one allocation, or among a module's variables (__device__, __constant__), which have addresses that dladdr knows. */
static bool is_device(const char *at, size_t bytes, allocation **found)
{
    Dl_info info;
    allocation *a = find_around(at);
    *found = a;
    if (!a)
        return dladdr(at, &info) != 0;
    return !a->freed && a->use != SIMT_HOST_MEMORY && at >= a->tensor && bytes <= a->tensor_bytes &&
           at <= a->tensor + a->tensor_bytes - bytes;
}

int assay_simt_memory_is_device(const void *address)
{
    pthread_mutex_lock(&lock);
    const allocation *a = find_around(address);
    const bool is_device = a && a->use != SIMT_HOST_MEMORY;
    pthread_mutex_unlock(&lock);
    return is_device;
}

/* On a card this goes well, and the caller finds its input changed. */
__attribute__((noreturn)) static void report_input(const allocation *target, const char *to, size_t bytes)
{
    const ptrdiff_t at = to - target->tensor;
    const size_t of = target->tensor_bytes;
    pthread_mutex_unlock(&lock);
    simt_report(NULL, "write to an input",
                "host code copies or fills %zu bytes at byte %td of an input of %zu bytes", bytes, at, of);
}

/* The lock is held meanwhile, so that no launch changes who may access what. A fault at the host's side does not wait for it. */
int assay_simt_memory_copy(void *to, int to_device, const void *from, int from_device, size_t bytes)
{
    allocation *target = NULL, *source = NULL;
    if (bytes == 0)
        return 1;
    pthread_mutex_lock(&lock);
    const bool allowed =
        (!to_device || is_device(to, bytes, &target)) && (!from_device || is_device(from, bytes, &source));
    if (allowed) {
        if (target && target->read_only)
            report_input(target, to, bytes);
        if (target)
            guards_protect(&target->pages, PROT_READ | PROT_WRITE);
        if (source)
            guards_protect(&source->pages, PROT_READ | PROT_WRITE);
        memmove(to, from, bytes);
        if (target)
            protect_for_now(target);
        if (source)
            protect_for_now(source);
    }
    pthread_mutex_unlock(&lock);
    return allowed;
}

int assay_simt_memory_set(void *to, int byte, size_t bytes)
{
    allocation *target = NULL;
    if (bytes == 0)
        return 1;
    pthread_mutex_lock(&lock);
    const bool allowed = is_device(to, bytes, &target);
    if (allowed) {
        if (target && target->read_only)
            report_input(target, to, bytes);
        if (target)
            guards_protect(&target->pages, PROT_READ | PROT_WRITE);
        memset(to, byte, bytes);
        if (target)
            protect_for_now(target);
    }
    pthread_mutex_unlock(&lock);
    return allowed;
}
