/* What the environment asks for. `assay run` and the backend set it; it can be set by hand too:
 * ASSAY_PTX_ARCH=sm_80|sm_90a, ASSAY_PTX_THREADS=N, ASSAY_PTX_CHECK=1 (races, asynchronous copies, uninitialised shared memory),
 * ASSAY_PTX_COUNT=1 (a table of counts at the end), ASSAY_PTX_SEED=N, ASSAY_PTX_LIMIT_S=SECONDS for one kernel, ASSAY_PTX_VERBOSE=1, ASSAY_PTX_FINDINGS=FILE. */
#include "device/ptx/runtime/control.h"
#include "device/ptx/runtime/runtime.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static rt_options options;
static uint64_t state;

static double number(const char *name, double otherwise)
{
    const char *text = getenv(name);
    char *end = NULL;
    const double value = text && text[0] ? strtod(text, &end) : otherwise;
    if (text && text[0] && (*end != '\0' || value < 0)) {
        fprintf(stderr, "assay-ptx: %s=%s is ignored: a number is expected\n", name, text);
        return otherwise;
    }
    return value;
}

static void read_environment(void)
{
    const char *arch = getenv("ASSAY_PTX_ARCH");
    options.major = 9;
    snprintf(options.arch, sizeof options.arch, "sm_90a");
    if (arch && strcmp(arch, "sm_80") == 0) {
        options.major = 8;
        snprintf(options.arch, sizeof options.arch, "%s", arch);
    } else if (arch && arch[0] && strcmp(arch, "sm_90a") != 0) {
        fprintf(stderr, "assay-ptx: ASSAY_PTX_ARCH=%s is ignored: sm_80 and sm_90a are known\n", arch);
    }
    options.threads = (uint32_t)number("ASSAY_PTX_THREADS", 0);
    options.checks =
        number("ASSAY_PTX_CHECK", 0) != 0 ? PTX_CHECK_RACES | PTX_CHECK_ASYNC | PTX_CHECK_UNINIT : 0;
    if (number("ASSAY_PTX_COUNT", 0) != 0) {
        options.checks |= PTX_CHECK_COUNTERS;
        atexit(assay_ptx_print_counts);
    }
    options.seed = (uint64_t)number("ASSAY_PTX_SEED", 1);
    options.order_seed = options.checks & PTX_CHECK_RACES ? options.seed : 0;
    options.limit_s = number("ASSAY_PTX_LIMIT_S", 0);
    options.verbose = number("ASSAY_PTX_VERBOSE", 0) != 0;
    options.findings = getenv("ASSAY_PTX_FINDINGS");
    if (options.findings && !options.findings[0])
        options.findings = NULL;
    state = options.seed;
}

rt_options *rt_get_options(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_environment);
    return &options;
}

/* SplitMix64 (Steele, Lea, Flood 2014). */
uint64_t rt_draw(void)
{
    rt_get_options();
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}
