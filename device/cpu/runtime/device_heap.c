/* malloc, free, new and delete of modules from outside, which are linked with --wrap for each. In a kernel they give memory of the device's
 * heap, 8 MiB as on a card. In a kernel's host code they give memory that kernels cannot reach. Elsewhere they are the C library's. */
#include "device/cpu/runtime/simt.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { HEAP_BYTES = 8 << 20, SMALLEST = 16, CLASSES = 20 };

/* Blocks of 16, 32, ... bytes with their class before them, given out one behind the other and kept by class when they come back. */
typedef struct block {
    _Alignas(16) uint32_t class;
    struct block *next; /* while it is free */
} block;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *heap;
static size_t used;
static block *unused[CLASSES];

static bool in_kernel(void)
{
    const simt_worker *w = assay_simt_current.worker;
    return w && w->job;
}

static void *heap_take(size_t bytes)
{
    uint32_t class = 0;
    while (class < CLASSES && ((size_t)SMALLEST << class) < bytes)
        class ++;
    if (class == CLASSES)
        return NULL;
    pthread_mutex_lock(&lock);
    if (!heap)
        heap = assay_simt_memory_alloc_for(HEAP_BYTES, ASSAY_SIMT_DEVICE);
    const size_t need = 16 + ((size_t)SMALLEST << class);
    block *b = unused[class];
    if (b)
        unused[class] = b->next;
    else if (heap && HEAP_BYTES - used >= need) {
        b = (block *)(void *)(heap + used);
        b->class = class;
        used += need;
    }
    pthread_mutex_unlock(&lock);
    const simt_worker *w = assay_simt_current.worker;
    if (b && w->job->race_clock)
        simt_race_forget((char *)b + 16, (size_t)SMALLEST << class);
    return b ? (char *)b + 16 : NULL;
}

static bool heap_holds(const void *pointer)
{
    return heap && (const char *)pointer >= heap && (const char *)pointer < heap + HEAP_BYTES;
}

static void heap_give(void *pointer)
{
    block *b = (block *)(void *)((char *)pointer - 16);
    pthread_mutex_lock(&lock);
    b->next = unused[b->class];
    unused[b->class] = b;
    pthread_mutex_unlock(&lock);
}

static void *take(size_t bytes)
{
    void *pointer = in_kernel() ? heap_take(bytes) : simt_memory_alloc_host(bytes);
    return pointer || in_kernel() ? pointer : malloc(bytes);
}

static void give(void *pointer)
{
    if (heap_holds(pointer))
        heap_give(pointer);
    else if (simt_memory_is_host(pointer))
        assay_simt_memory_free(pointer);
    else
        free(pointer);
}

static void *take_new(size_t bytes) /* on the device new gives NULL; host code here expects no exception */
{
    void *pointer = take(bytes ? bytes : 1);
    if (!pointer && !in_kernel())
        abort();
    return pointer;
}

ASSAY_EXPORT void *__wrap_malloc(size_t bytes);
ASSAY_EXPORT void *__wrap_calloc(size_t count, size_t bytes);
ASSAY_EXPORT void *__wrap_realloc(void *pointer, size_t bytes);
ASSAY_EXPORT void __wrap_free(void *pointer);
void *__wrap_malloc(size_t bytes)
{
    return take(bytes);
}
void *__wrap_calloc(size_t count, size_t bytes)
{
    size_t total;
    if (__builtin_mul_overflow(count, bytes, &total))
        return NULL;
    void *pointer = take(total);
    if (pointer)
        memset(pointer, 0, total);
    return pointer;
}
void *__wrap_realloc(void *pointer, size_t bytes)
{
    if (!simt_memory_is_host(pointer))
        return pointer ? realloc(pointer, bytes) : take(bytes);
    const size_t before = simt_memory_size(pointer);
    void *larger = take(bytes);
    if (larger)
        memcpy(larger, pointer, before < bytes ? before : bytes);
    if (larger)
        give(pointer);
    return larger;
}
void __wrap_free(void *pointer)
{
    give(pointer);
}

/* new and new[]; delete and delete[], each also with the size. */
ASSAY_EXPORT void *__wrap__Znwm(size_t bytes);
ASSAY_EXPORT void *__wrap__Znam(size_t bytes);
void *__wrap__Znwm(size_t bytes)
{
    return take_new(bytes);
}
void *__wrap__Znam(size_t bytes)
{
    return take_new(bytes);
}
/* By these names, not wrapped: the C++ library too gives back what the module's inlined code took. */
#if !SIMT_ASAN && !SIMT_TSAN
ASSAY_EXPORT void _ZdlPv(void *pointer);
ASSAY_EXPORT void _ZdaPv(void *pointer);
ASSAY_EXPORT void _ZdlPvm(void *pointer, size_t bytes);
ASSAY_EXPORT void _ZdaPvm(void *pointer, size_t bytes);
void _ZdlPv(void *pointer)
{
    give(pointer);
}
void _ZdaPv(void *pointer)
{
    give(pointer);
}
void _ZdlPvm(void *pointer, size_t bytes)
{
    (void)bytes;
    give(pointer);
}
void _ZdaPvm(void *pointer, size_t bytes)
{
    (void)bytes;
    give(pointer);
}
#endif
