/* What CUDA refuses to launch on compute capability 9.0, which the CPU device stands for: sizes of grids and blocks, and shared memory
 * beyond 48 KiB that no cudaFuncSetAttribute() allowed the kernel. */
#include "device/cpu/runtime/simt.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { SHARED_WITHOUT_LEAVE = 48 * 1024, MOST_KERNELS = 256, NAME_BYTES = 512 };

typedef struct allowance {
    const void *kernel;
    size_t bytes;
    char name[NAME_BYTES]; /* without scope and template arguments; "" until it is asked for */
} allowance;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static allowance allowances[MOST_KERNELS];
static int allowance_count;

/* "space::softmax<float>" becomes "softmax". */
static void strip_name(const char *full, char *out, size_t out_bytes)
{
    size_t begin = 0, end = 0, depth = 0, i = 0;
    for (; full[i]; i++) {
        depth += full[i] == '<';
        if (depth == 0 && full[i] == ':')
            begin = i + 1;
        if (depth == 0)
            end = i + 1;
        depth -= full[i] == '>' && depth > 0;
    }
    while (begin < end && (full[begin] == ' ' || full[begin] == '&' || full[begin] == '('))
        begin++;
    while (end > begin && (full[end - 1] == ' ' || full[end - 1] == ')'))
        end--;
    snprintf(out, out_bytes, "%.*s", (int)(end - begin), full + begin);
}

int assay_simt_allow_shared(const void *kernel, long long bytes)
{
    if (bytes < 0 || bytes > SIMT_MAX_SHARED)
        return 0;
    pthread_mutex_lock(&lock);
    int i = 0;
    while (i < allowance_count && allowances[i].kernel != kernel)
        i++;
    if (i < MOST_KERNELS) {
        if (i == allowance_count)
            allowance_count++;
        allowances[i].kernel = kernel;
        allowances[i].bytes = (size_t)bytes;
    }
    pthread_mutex_unlock(&lock);
    return i < MOST_KERNELS;
}

/* By the kernel's address where the launch has it, else by its name; a launch through a pointer has neither. */
static bool is_allowed(const assay_simt_launch_config *c)
{
    char wanted[NAME_BYTES] = "";
    bool allowed = false;
    if (c->leave == ASSAY_SIMT_LEAVE_BY_NAME)
        strip_name(c->name, wanted, sizeof wanted);
    pthread_mutex_lock(&lock);
    for (int i = 0; i < allowance_count && !allowed; i++) {
        allowance *a = &allowances[i];
        if (a->bytes < c->shared_bytes)
            continue;
        if (wanted[0] && !a->name[0]) {
            char full[NAME_BYTES];
            simt_kernel_name(a->kernel, full, sizeof full);
            strip_name(full, a->name, sizeof a->name);
        }
        allowed = c->leave == ASSAY_SIMT_LEAVE_BY_ADDRESS ? a->kernel == c->kernel
                                                          : !wanted[0] || strcmp(a->name, wanted) == 0;
    }
    pthread_mutex_unlock(&lock);
    return allowed;
}

/* Found once for each module, and kept for the kernels that were launched last. */
static size_t static_shared(const void *kernel)
{
    enum { KERNELS = 64, MODULES = 64 };
    static struct {
        const void *of;
        size_t bytes;
    } kernels[KERNELS], modules[MODULES];
    static unsigned module_count;
    const unsigned slot = (unsigned)(simt_mix((uintptr_t)kernel) % KERNELS);
    pthread_mutex_lock(&lock);
    if (kernels[slot].of != kernel) {
        const void *module = simt_module_of(kernel);
        unsigned i = 0;
        while (i < module_count && i < MODULES && modules[i].of != module)
            i++;
        if (i == module_count || i == MODULES) {
            i = module_count++ % MODULES;
            modules[i].of = module;
            modules[i].bytes = simt_most_static_shared(kernel);
        }
        kernels[slot].of = kernel;
        kernels[slot].bytes = modules[i].bytes;
    }
    const size_t found = kernels[slot].bytes;
    pthread_mutex_unlock(&lock);
    return found;
}

const char *simt_limits_refuse(const assay_simt_launch_config *c)
{
    const uint64_t threads = (uint64_t)c->block.x * c->block.y * c->block.z;
    if (threads == 0 || c->grid.x == 0 || c->grid.y == 0 || c->grid.z == 0)
        return "a dimension is 0";
    if (c->block.x > 1024 || c->block.y > 1024 || c->block.z > 64 || threads > SIMT_MAX_THREADS)
        return "a block has at most 1024 threads and 64 in z";
    if (c->grid.x > 0x7fffffffu || c->grid.y > 65535 || c->grid.z > 65535)
        return "a grid has at most 2^31 - 1 blocks in x and 65535 in y and z";
    if (c->shared_bytes > SIMT_MAX_SHARED)
        return "a block has at most 227 KiB of shared memory";
    if (c->shared_bytes > SHARED_WITHOUT_LEAVE && c->leave != ASSAY_SIMT_LEAVE_GIVEN && !is_allowed(c))
        return "more than 48 KiB of dynamic shared memory needs cudaFuncSetAttribute("
               "cudaFuncAttributeMaxDynamicSharedMemorySize)";
    if (static_shared(c->kernel) > SHARED_WITHOUT_LEAVE) {
        static __thread char reason[96];
        snprintf(reason, sizeof reason, "%zu bytes of static shared memory, of which nvcc allows 48 KiB",
                 static_shared(c->kernel));
        return reason;
    }
    if (c->cluster > 1 && (c->grid.x % c->cluster != 0 || c->cluster > SIMT_MAX_CLUSTER))
        return "a grid is whole clusters of at most 8 blocks";
    if (c->cluster > 1 && (threads % 32 != 0 || threads * c->cluster > SIMT_MAX_THREADS ||
                           c->cluster * ((c->shared_bytes + 1023) / 1024 * 1024) > 2 * SIMT_MAX_SHARED))
        return "the CPU device runs clusters of whole warps, 1024 threads and 454 KiB of shared memory in "
               "all";
    return NULL;
}
