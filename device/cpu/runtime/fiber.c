/* Stacks and the switch between them. Knows nothing of CUDA threads beyond the worker's pool of free fibers. */
#include "device/cpu/runtime/simt.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#if SIMT_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#elif SIMT_TSAN
#include <sanitizer/tsan_interface.h>
#endif

enum {
    STACK_BYTES = SIMT_ASAN ? 512 * 1024 : 128 * 1024, /* reserved; pages are touched on demand */
    GUARD_PAGE_BYTES = 4096,
    /* Stacks whose tops lie a multiple of a page apart compete for the same sets of the first-level cache. */
    STACK_COLOURS = 32,
    COLOUR_BYTES = 128,
    /* Each guard page costs two memory mappings, of which Linux gives a process 65530. */
    MAX_GUARDED_FIBERS = 24000
};

/* Ending in `ret` lets the processor predict the target of simt_swap_stacks() when, as at a barrier, all fibers return to the same place. */

#if defined(__x86_64__)
__asm__(".text\n"
        ".hidden simt_swap_stacks\n"
        ".globl simt_swap_stacks\n"
        ".type simt_swap_stacks, @function\n"
        "simt_swap_stacks:\n"
        "    pushq %rbp\n    pushq %rbx\n    pushq %r12\n    pushq %r13\n    pushq %r14\n    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n    popq %r14\n    popq %r13\n    popq %r12\n    popq %rbx\n    popq %rbp\n"
        "    ret\n"
        ".size simt_swap_stacks, .-simt_swap_stacks\n");

void *simt_first_frame(char *top, void (*entry)(void))
{
    void **sp = (void **)top;
    *--sp = NULL; /* the return address of `entry`; keeps the ABI's alignment */
    *--sp = (void *)entry;
    for (int i = 0; i < 6; i++)
        *--sp = NULL;
    return sp;
}
#elif defined(__aarch64__)
__asm__(".text\n"
        ".hidden simt_swap_stacks\n"
        ".globl simt_swap_stacks\n"
        ".type simt_swap_stacks, %function\n"
        "simt_swap_stacks:\n"
        "    sub sp, sp, #160\n"
        "    stp x19, x20, [sp, #0]\n    stp x21, x22, [sp, #16]\n    stp x23, x24, [sp, #32]\n    stp x25, "
        "x26, [sp, #48]\n"
        "    stp x27, x28, [sp, #64]\n    stp x29, x30, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n    stp d10, d11, [sp, #112]\n    stp d12, d13, [sp, #128]\n    stp d14, "
        "d15, [sp, #144]\n"
        "    mov x9, sp\n    str x9, [x0]\n    mov sp, x1\n"
        "    ldp x19, x20, [sp, #0]\n    ldp x21, x22, [sp, #16]\n    ldp x23, x24, [sp, #32]\n    ldp x25, "
        "x26, [sp, #48]\n"
        "    ldp x27, x28, [sp, #64]\n    ldp x29, x30, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n    ldp d10, d11, [sp, #112]\n    ldp d12, d13, [sp, #128]\n    ldp d14, "
        "d15, [sp, #144]\n"
        "    add sp, sp, #160\n"
        "    ret\n"
        ".size simt_swap_stacks, .-simt_swap_stacks\n");

void *simt_first_frame(char *top, void (*entry)(void))
{
    void **sp = (void **)(top - 160);
    for (int i = 0; i < 20; i++)
        sp[i] = NULL;
    sp[11] = (void *)entry; /* x30, the address that `ret` jumps to */
    return sp;
}
#else
/* Any other processor: ucontext, whose switch is slower because it saves the signal mask. The context lies on the stack. */
#include <ucontext.h>
void simt_swap_stacks(void **save, void *load)
{
    ucontext_t here;
    *save = &here;
    swapcontext(&here, (ucontext_t *)load);
}
void *simt_first_frame(char *top, void (*entry)(void))
{
    ucontext_t *context = (ucontext_t *)(((uintptr_t)top - sizeof(ucontext_t)) & ~(uintptr_t)63);
    getcontext(context);
    char *stack = top - (STACK_BYTES / 2);
    context->uc_stack.ss_sp = stack;
    context->uc_stack.ss_size = (size_t)((char *)context - stack);
    context->uc_link = NULL;
    makecontext(context, entry, 0);
    return context;
}
#endif

static _Atomic uint32_t guarded_fibers;

static fiber *fiber_create(simt_worker *w)
{
    fiber *f = calloc(1, sizeof *f);
    char *memory = mmap(NULL, GUARD_PAGE_BYTES + STACK_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (!f || memory == MAP_FAILED) {
        fprintf(stderr, "assay-simt: error: out of memory for the stack of a thread\n");
        abort();
    }
    if (atomic_fetch_add(&guarded_fibers, 1) < MAX_GUARDED_FIBERS)
        f->guarded = mprotect(memory, GUARD_PAGE_BYTES, PROT_NONE) == 0;
    f->stack = memory + GUARD_PAGE_BYTES;
    f->stack_pointer = simt_first_frame(
        f->stack + STACK_BYTES - 64 - (w->fiber_count++ % STACK_COLOURS) * COLOUR_BYTES, w->fiber_main);
    return f;
}

fiber *simt_fiber_take(simt_worker *w)
{
    return w->free_count ? w->free_fibers[--w->free_count] : fiber_create(w);
}

#if SIMT_ASAN
void simt_fiber_switch(simt_worker *w, fiber *to)
{
    fiber *from = w->running;
    w->running = to;
    if (to == &w->main_fiber)
        __sanitizer_start_switch_fiber(&from->sanitizer, w->main_stack, w->main_stack_bytes);
    else
        __sanitizer_start_switch_fiber(&from->sanitizer, to->stack, STACK_BYTES);
    simt_swap_stacks(&from->stack_pointer, to->stack_pointer);
    __sanitizer_finish_switch_fiber(from->sanitizer, NULL, NULL);
}
#elif SIMT_TSAN
/* Each switch counts as a synchronisation, so only races between blocks are reported; those within a block are the business of the
 * checked build (docs/simt-checks.md). */
__attribute__((no_sanitize_thread)) void simt_fiber_switch(simt_worker *w, fiber *to)
{
    fiber *from = w->running;
    w->running = to;
    if (!from->sanitizer)
        from->sanitizer = __tsan_get_current_fiber();
    if (!to->sanitizer)
        to->sanitizer = __tsan_create_fiber(0);
    __tsan_switch_to_fiber(to->sanitizer, 0);
    simt_swap_stacks(&from->stack_pointer, to->stack_pointer);
}
#else
void simt_fiber_switch(simt_worker *w, fiber *to)
{
    fiber *from = w->running;
    w->running = to;
    simt_swap_stacks(&from->stack_pointer, to->stack_pointer);
}
#endif

bool simt_fiber_hit_guard(const fiber *f, const void *address)
{
    const char *at = address;
    return f && f->guarded && at < f->stack && at >= f->stack - GUARD_PAGE_BYTES;
}

bool simt_fiber_holds(const fiber *f, const void *address)
{
    const char *at = address;
    return at >= f->stack && at < f->stack + STACK_BYTES;
}
