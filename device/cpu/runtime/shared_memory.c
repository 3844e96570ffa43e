/* Shared memory of a worker: the dynamic part lies in an arena between guard zones; the static part is the thread-local
 * storage of the kernel's module.
 *
 * Dynamic shared memory starts at a multiple of 1024 bytes and ends as near to the guard as that allows; the bytes between
 * hold a pattern that is checked after every block. */
#include "device/cpu/runtime/simt.h"
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#if SIMT_ASAN
#include <sanitizer/asan_interface.h>
#endif

enum {
    ARENA_BYTES = (2 * SIMT_MAX_SHARED + 4095) / 4096 * 4096, /* of a cluster; see refused() in state.c */
    SLACK_BYTE = 0xa5,
    POISON_BYTE = 0xff
};

static char *arena_end(const simt_worker *w)
{
    return w->shared_arena + SIMT_GUARD_BYTES + ARENA_BYTES;
}

static void create_arena(simt_worker *w)
{
    const size_t bytes = ARENA_BYTES + 2 * (size_t)SIMT_GUARD_BYTES;
    char *memory = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED ||
        mprotect(memory + SIMT_GUARD_BYTES, ARENA_BYTES, PROT_READ | PROT_WRITE) != 0) {
        fprintf(stderr, "assay-simt: error: out of memory for shared memory\n");
        abort();
    }
    w->shared_arena = memory;
}

size_t simt_shared_stride(const simt_job *job)
{
    return (job->config.shared_bytes + 1023) / 1024 * 1024;
}

size_t simt_shared_total(const simt_job *job)
{
    const size_t further = job->config.cluster > 1 ? job->config.cluster - 1 : 0;
    return further * simt_shared_stride(job) + job->config.shared_bytes;
}

void simt_shared_prepare(simt_worker *w)
{
    const size_t bytes = simt_shared_total(w->job);
    if (!w->shared_arena)
        create_arena(w);
    const size_t rounded = (bytes + 1023) / 1024 * 1024;
#if SIMT_ASAN
    __asan_unpoison_memory_region(w->shared_arena, ARENA_BYTES + 2 * (size_t)SIMT_GUARD_BYTES);
#endif
    w->context->dynamic_shared = w->shared_base = (unsigned char *)arena_end(w) - rounded;
    w->shared_slack = rounded - bytes;
    memset(w->shared_base + bytes, SLACK_BYTE, w->shared_slack);
#if SIMT_ASAN /* every access around it is then an error that AddressSanitizer reports */
    __asan_poison_memory_region(w->shared_arena, (size_t)((char *)w->shared_base - w->shared_arena));
    __asan_poison_memory_region(w->shared_base + bytes, w->shared_slack + SIMT_GUARD_BYTES);
#endif
}

char *simt_shared_static(const simt_job *job)
{
#if !SIMT_ASAN && (defined(__x86_64__) || defined(__aarch64__))
    extern void *__tls_get_addr(size_t *);
    size_t index[2] = {job->tls_module, job->tls_offset};
    return job->tls_module ? __tls_get_addr(index) : NULL;
#else
    (void)job;
    return NULL;
#endif
}

void simt_shared_start_block(simt_worker *w)
{
    if (!w->job->poison_shared)
        return;
    memset(w->shared_base, POISON_BYTE, simt_shared_total(w->job));
    char *fixed = simt_shared_static(w->job);
    if (fixed)
        memset(fixed, POISON_BYTE, w->job->tls_bytes);
}

void simt_shared_check_block(simt_worker *w)
{
#if SIMT_ASAN
    (void)w; /* AddressSanitizer watches these bytes */
#else
    const unsigned char *slack = w->shared_base + simt_shared_total(w->job);
    for (size_t i = 0; i < w->shared_slack; i++)
        if (slack[i] != SLACK_BYTE)
            simt_report(NULL, "out-of-bounds shared write",
                        "block (%u,%u,%u) wrote %zu bytes past the end of %zu bytes of dynamic shared memory",
                        w->context->block_index.x, w->context->block_index.y, w->context->block_index.z, i,
                        w->job->config.shared_bytes);
#endif
}

bool simt_shared_hit_guard(const simt_worker *w, const void *address, ptrdiff_t *distance)
{
    const char *at = address;
    if (!w->shared_arena || at < w->shared_arena || at >= arena_end(w) + SIMT_GUARD_BYTES)
        return false;
    *distance = at - ((char *)w->shared_base + simt_shared_total(w->job));
    if (at < (char *)w->shared_base)
        *distance = at - (char *)w->shared_base;
    return true;
}

/* ---- static shared memory ---- */

struct search {
    uintptr_t address;
    simt_job *job;
};

static int visit(struct dl_phdr_info *info, size_t info_bytes, void *argument)
{
    struct search *search = argument;
    const ElfW(Phdr) *tls = NULL;
    bool holds = false;
    if (info_bytes < sizeof *info)
        return 1;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        const uintptr_t start = info->dlpi_addr + p->p_vaddr;
        holds |= p->p_type == PT_LOAD && search->address >= start && search->address < start + p->p_memsz;
        if (p->p_type == PT_TLS)
            tls = p;
    }
    if (!holds)
        return 0;
    /* The main program (named "") may hold thread-locals of its own that are no shared memory. Initialised ones never are. */
    if (tls && info->dlpi_name[0]) {
        search->job->tls_module = info->dlpi_tls_modid;
        search->job->tls_offset = tls->p_filesz;
        search->job->tls_bytes = tls->p_memsz - tls->p_filesz;
    }
    return 1;
}

void simt_shared_find_static(simt_job *job)
{
    struct search search = {(uintptr_t)job->config.kernel, job};
    dl_iterate_phdr(visit, &search);
}
