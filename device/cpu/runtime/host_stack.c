/* The stack of a kernel's host code is out of kernels' reach while they run: the launching thread goes on on a stack of its own meanwhile,
 * and takes all rights from the pages that the host code has in use. */
#include "device/cpu/runtime/simt.h"
#include <pthread.h>
#include <sys/mman.h>

enum { PAGE_BYTES = 4096, STACK_BYTES = 256 * 1024 };

static struct {
    bool begun, closed;
    pthread_t owner;
    char *top;            /* of what host code may have in use; it grows downwards from there */
    void *host_pointer;   /* the stack pointers of the two while the other runs */
    void *launch_pointer; /* NULL: there is no stack yet */
    void (*run)(void *);
    void *argument;
} stack;

static char *page_of(void *address)
{
    return (char *)((uintptr_t)address & ~(uintptr_t)(PAGE_BYTES - 1));
}

static void set_rights(int rights)
{
    char *from = page_of(stack.host_pointer);
    if (from < stack.top)
        mprotect(from, (size_t)(stack.top - from), rights);
    stack.closed = rights == PROT_NONE;
}

/* The body of the launches' stack: one turn for each launch. */
static void launch_main(void)
{
    for (;;) {
        set_rights(PROT_NONE);
        stack.run(stack.argument);
        set_rights(PROT_READ | PROT_WRITE);
        simt_swap_stacks(&stack.launch_pointer, stack.host_pointer);
    }
}

/* The caller has at least two pages on its stack that it does not use: the frames of the host code called next begin below. */
void simt_host_stack_begin(void)
{
    if (SIMT_ASAN || SIMT_TSAN) /* they want to know of every switch */
        return;
    if (!stack.launch_pointer) {
        char *memory = mmap(NULL, PAGE_BYTES + STACK_BYTES, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
        if (memory == MAP_FAILED)
            return;
        mprotect(memory, PAGE_BYTES, PROT_NONE);
        stack.launch_pointer = simt_first_frame(memory + PAGE_BYTES + STACK_BYTES - 64, launch_main);
    }
    stack.top = page_of((char *)__builtin_frame_address(0) + PAGE_BYTES);
    stack.owner = pthread_self();
    stack.begun = true;
}

void simt_host_stack_end(void)
{
    stack.begun = false;
}

void simt_host_stack_leave(void (*run)(void *argument), void *argument)
{
    if (!stack.begun || !pthread_equal(stack.owner, pthread_self())) {
        run(argument);
        return;
    }
    stack.run = run;
    stack.argument = argument;
    simt_swap_stacks(&stack.host_pointer, stack.launch_pointer);
}

bool simt_host_stack_holds(const void *address)
{
    const char *at = address;
    return stack.closed && at >= page_of(stack.host_pointer) && at < stack.top;
}

void simt_host_stack_open(void)
{
    if (stack.closed)
        set_rights(PROT_READ | PROT_WRITE);
}
