/* Names a host access to device memory before the process ends by it, as it would on a machine with a card.
 *
 * The handler uses functions that are not async-signal-safe; the fault came from the program's own code, which holds no lock of the C library (a
 * fault inside such a function may hang or crash again, which ends the process all the same). */
#include "device/ptx/runtime/runtime.h"
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

static ptx_device *watched;
static struct sigaction earlier_segv, earlier_bus;

static const char *access_kind(const void *context)
{
#if defined(__x86_64__)
    return ((const ucontext_t *)context)->uc_mcontext.gregs[REG_ERR] & 2
               ? "writes"
               : "reads"; /* bit 1 of the page fault's code */
#else
    (void)context;
    return "accesses";
#endif
}

static const char *code_address(const void *context)
{
    const ucontext_t *u = context;
#if defined(__x86_64__)
    return (const char *)u->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (const char *)u->uc_mcontext.pc;
#else
    (void)u;
    return NULL;
#endif
}

/* "main at app.cu:12" where addr2line is there and knows, else the file and the offset in it. */
static void describe_code(const char *code, char *text, size_t bytes)
{
    Dl_info info;
    char command[1024], line[400] = "";
    snprintf(text, bytes, "address %p", (const void *)code);
    if (!dladdr(code, &info) || !info.dli_fname)
        return;
    const size_t offset = (size_t)(code - (const char *)info.dli_fbase);
    const char *slash = strrchr(info.dli_fname, '/');
    snprintf(text, bytes, "%s+0x%zx", slash ? slash + 1 : info.dli_fname, offset);
    if (strchr(info.dli_fname, '\''))
        return;
    snprintf(command, sizeof command, "LD_PRELOAD= addr2line -Cfpe '%s' 0x%zx 2>/dev/null", info.dli_fname,
             offset);
    FILE *said = popen(command, "r");
    if (said && fgets(line, sizeof line, said) && strncmp(line, "??", 2) != 0)
        snprintf(text, bytes, "%.*s", (int)strcspn(line, "\n"), line);
    if (said)
        pclose(said);
}

static void report(const void *address, const void *context)
{
    char where[600], text[1200];
    ptx_allocation a;
    describe_code(code_address(context), where, sizeof where);
    if (ptx_find(watched, (ptx_address)(uintptr_t)address, &a))
        snprintf(text, sizeof text,
                 "host code %s device memory: byte %llu of %s (%llu bytes), in %s; on a GPU only kernels and "
                 "copies reach it",
                 access_kind(context), (unsigned long long)((uintptr_t)address - a.start), a.name,
                 (unsigned long long)a.bytes, where);
    else
        snprintf(text, sizeof text, "host code %s device memory at %p, which is in no allocation, in %s",
                 access_kind(context), address, where);
    rt_report(text);
}

static void handle(int signal_number, siginfo_t *info, void *context)
{
    struct sigaction *earlier = signal_number == SIGSEGV ? &earlier_segv : &earlier_bus;
    if (ptx_device_owns(watched, info->si_addr)) {
        report(info->si_addr, context);
        signal(signal_number, SIG_DFL); /* returning runs the instruction again and ends the process */
    } else {
        sigaction(signal_number, earlier, NULL);
    }
}

void rt_faults_install(ptx_device *device)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    watched = device;
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &earlier_segv);
    sigaction(SIGBUS, &action, &earlier_bus);
}
