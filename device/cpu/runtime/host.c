/* What a kernel's host code may do and leave behind: it does not touch device memory, frees what it allocates sooner or later, and leaves
 * the floating-point environment as it was. */
#include "device/cpu/runtime/simt.h"
#include <fenv.h>
#include <malloc.h>
#include <string.h>

enum {
    LEAKING_CALLS = 3,      /* after a first one, which may set things up once and for all */
    HOST_LEAK_BYTES = 4096, /* a call may keep notes */
};

/* Of calls without an allocation of the harness in between: all of one problem. */
static struct {
    uint64_t generation;
    size_t device_bytes, host_bytes;
    int calls, device_leaks, host_leaks; /* calls that left more than there was before */
    fenv_t environment;
} host;

/* What launches left on the heap: the state of workers that had none yet, arenas of new threads. It is the device's, and grows over many
 * calls where there are many cores. */
static _Atomic size_t left_by_launches;

size_t simt_host_bytes(void)
{
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    const struct mallinfo2 now = mallinfo2();
    return now.uordblks + now.hblkhd;
#else
    return 0; /* not known */
#endif
}

void simt_host_bytes_left(size_t before)
{
    left_by_launches += simt_host_bytes() - before;
}

void assay_simt_host_begin(void)
{
    simt_faults_install();
    simt_faults_thread_install();
    fegetenv(&host.environment);
    simt_host_stack_begin();
    simt_memory_host(1);
}

/* Control bits only: which exceptions were raised is no one's business. */
static void check_environment(void)
{
    fenv_t now;
    fegetenv(&now);
#if defined(__x86_64__)
    const unsigned flags = 0x3f;
    const bool same = (now.__mxcsr & ~flags) == (host.environment.__mxcsr & ~flags) &&
                      now.__control_word == host.environment.__control_word;
#else
    const bool same = memcmp(&now, &host.environment, sizeof now) == 0;
#endif
    fesetenv(&host.environment);
    if (!same)
        simt_launch_error(
            "the kernel's host code leaves the floating-point environment changed: rounding, or "
            "denormals taken for zero");
}

static void count_leak(size_t now, size_t before, size_t least, int *leaks, const char *what)
{
    if (now < before + least)
        return;
    if (++*leaks == LEAKING_CALLS)
        simt_launch_error("calls leave more and more %s memory allocated, the last one %zu bytes", what,
                          now - before);
}

static void check_leaks(void)
{
    size_t device_now, host_now;
    simt_memory_outstanding(&device_now, &host_now);
    host_now += simt_host_bytes() - left_by_launches;
    if (host.generation != simt_memory_generation()) {
        host.generation = simt_memory_generation();
        host.calls = host.device_leaks = host.host_leaks = 0;
    }
    if (host.calls++ > 0) {
        count_leak(device_now, host.device_bytes, 1, &host.device_leaks, "device");
        count_leak(host_now, host.host_bytes, HOST_LEAK_BYTES, &host.host_leaks, "host");
    }
    host.device_bytes = device_now;
    host.host_bytes = host_now;
}

void assay_simt_host_end(void)
{
    simt_memory_host(0);
    simt_host_stack_end();
    check_environment();
    check_leaks();
}
