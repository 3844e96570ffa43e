/* Pages between guard zones: an access beyond the upper end meets inaccessible memory at once, one that stays within the pages changes a
 * pattern that is looked at later. */
#include "device/cpu/runtime/guards.h"
#include "device/cpu/runtime/simt.h"
#include <string.h>
#include <sys/mman.h>
#if SIMT_ASAN
#include <sanitizer/asan_interface.h>
#endif

enum { PAGE_BYTES = 4096, ALIGNMENT = 16, CANARY_BYTE = 0xa5, HUGE_PAGE_FROM_BYTES = 4 << 20 };

static char *accessible_start(const guarded_pages *p)
{
    return p->mapping + SIMT_GUARD_BYTES;
}
static char *accessible_end(const guarded_pages *p)
{
    return accessible_start(p) + p->accessible_bytes;
}

/* Map guard | pages | guard. */
static bool map_pages(guarded_pages *p)
{
    const size_t total = p->accessible_bytes + 2 * (size_t)SIMT_GUARD_BYTES;
    p->mapping = mmap(NULL, total, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p->mapping == MAP_FAILED)
        return false;
    p->protection = PROT_READ | PROT_WRITE;
    if (p->accessible_bytes && mprotect(accessible_start(p), p->accessible_bytes, p->protection) != 0) {
        munmap(p->mapping, total);
        return false;
    }
    if (p->accessible_bytes >= HUGE_PAGE_FROM_BYTES)
        madvise(accessible_start(p), p->accessible_bytes, MADV_HUGEPAGE);
    return true;
}

/* Under AddressSanitizer every access around the data is an error that it reports, guards included. */
static void forbid_surroundings(const guarded_pages *p)
{
#if SIMT_ASAN
    __asan_poison_memory_region(p->mapping, (size_t)(p->data - p->mapping));
    __asan_poison_memory_region(p->data + p->bytes,
                                (size_t)(accessible_end(p) + SIMT_GUARD_BYTES - (p->data + p->bytes)));
#else
    (void)p;
#endif
}

void guards_unmap(const guarded_pages *p)
{
    const size_t total = p->accessible_bytes + 2 * (size_t)SIMT_GUARD_BYTES;
#if SIMT_ASAN
    __asan_unpoison_memory_region(p->mapping, total);
#endif
    munmap(p->mapping, total);
}

void guards_protect(guarded_pages *p, int protection)
{
    if (p->protection == protection || p->accessible_bytes == 0)
        return;
    mprotect(accessible_start(p), p->accessible_bytes, protection);
    p->protection = protection;
}

static bool all_canaries(const char *from, const char *to)
{
    for (; from < to; from++)
        if (*(const unsigned char *)from != CANARY_BYTE)
            return false;
    return true;
}

bool guards_intact(const guarded_pages *p)
{
    return SIMT_ASAN /* a write would have been reported */
           || (all_canaries(accessible_start(p), p->data) &&
               all_canaries(p->data + p->bytes, accessible_end(p)));
}

char *guards_end(const guarded_pages *p)
{
    return accessible_end(p) + SIMT_GUARD_BYTES;
}

bool guards_map(guarded_pages *p, size_t bytes)
{
    const size_t rounded = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    p->bytes = bytes;
    p->accessible_bytes = (rounded + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    if (!map_pages(p))
        return false;
    p->data = accessible_end(p) - rounded;
    memset(accessible_start(p), CANARY_BYTE, (size_t)(p->data - accessible_start(p)));
    memset(p->data + bytes, CANARY_BYTE, rounded - bytes);
    forbid_surroundings(p);
    return true;
}

bool guards_discard(guarded_pages *p)
{
    if (p->accessible_bytes == 0 ||
        mmap(accessible_start(p), p->accessible_bytes, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
        return false;
    p->protection = PROT_NONE;
    return true;
}
