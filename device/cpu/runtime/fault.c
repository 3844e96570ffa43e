/* Turns a memory fault inside a kernel into a report. Faults elsewhere are handed on to whoever handled them before.
 *
 * The handler uses functions that are not async-signal-safe; the fault came from kernel code, which holds no lock of the C library
 * (a fault inside such a function called by a kernel may hang or crash again, which ends the process all the same). */
#include "device/cpu/runtime/simt.h"
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

static struct sigaction earlier_segv, earlier_bus;

static const char *access_kind(const void *context)
{
#if defined(__x86_64__)
    const ucontext_t *u = context;
    return u->uc_mcontext.gregs[REG_ERR] & 2 ? "write" : "read"; /* bit 1 of the page fault's error code */
#else
    (void)context;
    return "access";
#endif
}

/* The address behind the instruction, as simt_source_place takes it. */
static const void *code_address(const void *context)
{
    const ucontext_t *u = context;
#if defined(__x86_64__)
    return (const char *)u->uc_mcontext.gregs[REG_RIP] + 1;
#elif defined(__aarch64__)
    return (const char *)u->uc_mcontext.pc + 1;
#else
    (void)u;
    return NULL;
#endif
}

static const char *side(ptrdiff_t distance)
{
    return distance < 0 ? "before the start" : "past the end";
}

static ptrdiff_t absolute(ptrdiff_t distance)
{
    return distance < 0 ? -distance : distance;
}

__attribute__((noreturn)) static void report_memory(simt_worker *w, const memory_place *place,
                                                    const void *address, const char *kind, const char *line)
{
    if (place->host)
        simt_report(w, "access to host memory", "%s at %s, byte %td of %zu bytes that host code allocated",
                    kind, line, place->distance, place->bytes);
    if (place->freed)
        simt_report(w, "use of freed memory", "%s at %s, byte %td of a buffer of %zu bytes", kind, line,
                    place->distance, place->bytes);
    if (place->inside && place->read_only && strcmp(kind, "write") == 0)
        simt_report(w, "write to an input", "at %s, to byte %td of an input of %zu bytes", line,
                    place->distance, place->bytes);
    if (place->inside)
        simt_report(w, "invalid memory access", "%s at %s of byte %td of a buffer of %zu bytes", kind, line,
                    place->distance, place->bytes);
    simt_report(w, "out-of-bounds global access",
                "%s at %s, at address %p, %td bytes %s of a buffer of %zu bytes", kind, line, address,
                absolute(place->distance), side(place->distance), place->bytes);
}

__attribute__((noreturn)) static void report_fault(simt_worker *w, const siginfo_t *info, const char *kind,
                                                   const char *line, bool in_host_stack)
{
    const void *address = info->si_addr;
    ptrdiff_t distance;
    memory_place place;
    if (simt_fiber_hit_guard(w->running, address))
        simt_report(w, "stack overflow", "the thread's local variables need more stack than there is");
    if (simt_shared_hit_guard(w, address, &distance))
        simt_report(w, "out-of-bounds shared access",
                    "%s at %s, at address %p, %td bytes %s of %zu bytes of dynamic shared memory", kind, line,
                    address, absolute(distance), side(distance), w->job->config.shared_bytes);
    if (simt_memory_describe(address, &place))
        report_memory(w, &place, address, kind, line);
    if (in_host_stack)
        simt_report(w, "access to host memory", "%s at %s, at address %p, on the stack of host code", kind,
                    line, address);
    if (info->si_code == SI_KERNEL) /* the processor gives no address for a non-canonical or misaligned one */
        simt_report(w, "invalid memory access", "at %s, an address that is misaligned or can be no address",
                    line);
    simt_report(w, "invalid memory access", "%s at %s, at address %p, which is in no buffer", kind, line,
                address);
}

/* A kernel's host code has device pointers, and on a card nothing to do with them but to hand them on. */
static void report_host(const void *address, const char *kind, const void *code)
{
    memory_place place;
    char line[512];
    if (!simt_memory_describe(address, &place))
        return;
    simt_source_place(code, line, sizeof line);
    if (place.host)
        simt_report(NULL, "out-of-bounds or freed host memory", "%s at %s, byte %td of %zu bytes", kind, line,
                    place.distance, place.bytes);
    simt_report(
        NULL, strcmp(kind, "write") == 0 ? "host code writes device memory" : "host code reads device memory",
        "%s at %s, byte %td of a buffer of %zu bytes; on a GPU only kernels and copies reach it", kind, line,
        place.distance, place.bytes);
}

static void handle(int signal_number, siginfo_t *info, void *context)
{
    simt_worker *w = assay_simt_current.worker;
    const void *code = code_address(context);
    if (w && w->job) {
        char line[512];
        const bool in_host_stack = simt_host_stack_holds(info->si_addr);
        simt_host_stack_open(); /* addr2line wants the environment */
        simt_source_place(code, line, sizeof line);
        report_fault(w, info, access_kind(context), line, in_host_stack);
    }
    report_host(info->si_addr, access_kind(context), code);
    sigaction(signal_number, signal_number == SIGSEGV ? &earlier_segv : &earlier_bus, NULL);
    /* returning runs the instruction again, now under the earlier handler */
}

static void install(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &earlier_segv);
    sigaction(SIGBUS, &action, &earlier_bus);
}

void simt_faults_install(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (!SIMT_ASAN) /* AddressSanitizer's own report says more */
        pthread_once(&once, install);
}

/* A fault on an overflowing stack can only be handled on another one. It lives as long as the thread. */
void simt_faults_thread_install(void)
{
    enum { SIGNAL_STACK_BYTES = 64 * 1024 };
    static __thread bool installed;
    if (installed || SIMT_ASAN)
        return;
    stack_t stack = {.ss_size = SIGNAL_STACK_BYTES};
    stack.ss_sp = mmap(NULL, SIGNAL_STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    installed = stack.ss_sp != MAP_FAILED && sigaltstack(&stack, NULL) == 0;
}
