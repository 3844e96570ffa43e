/* Runs the cases through the CUDA driver's interface: on a GPU, or on the PTX device by its stand-in library. The library is loaded by
 * name, so that the program builds where there is no CUDA toolkit. */
#include "truth.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 24 }; /* kernels of a module: the driver's assembler is called less often */
enum { ROWS_MOST = 8192 };

typedef unsigned long long device_pointer;
enum { JIT_ERROR_LOG = 5, JIT_ERROR_LOG_BYTES = 6 }; /* CUjit_option */

/* The functions of cuda.h that are used, with its types' representations. */
#define FUNCTIONS(X)                                                                                         \
    X(cuInit, (unsigned))                                                                                    \
    X(cuDriverGetVersion, (int *))                                                                           \
    X(cuDeviceGet, (int *, int))                                                                             \
    X(cuDeviceGetName, (char *, int, int))                                                                   \
    X(cuDevicePrimaryCtxRetain, (void **, int))                                                              \
    X(cuDevicePrimaryCtxReset_v2, (int))                                                                     \
    X(cuCtxSetCurrent, (void *))                                                                             \
    X(cuCtxSynchronize, (void))                                                                              \
    X(cuModuleLoadDataEx, (void **, const void *, unsigned, int *, void **))                                 \
    X(cuModuleUnload, (void *))                                                                              \
    X(cuModuleGetFunction, (void **, void *, const char *))                                                  \
    X(cuMemAlloc_v2, (device_pointer *, size_t))                                                             \
    X(cuMemcpyHtoD_v2, (device_pointer, const void *, size_t))                                               \
    X(cuMemcpyDtoH_v2, (void *, device_pointer, size_t))                                                     \
    X(cuMemsetD8_v2, (device_pointer, unsigned char, size_t))                                                \
    X(cuLaunchKernel, (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, \
                       void **, void **))                                                                    \
    X(cuTensorMapEncodeTiled, (void *, int, unsigned, void *, const uint64_t *, const uint64_t *,            \
                               const uint32_t *, const uint32_t *, int, int, int, int))                      \
    X(cuTensorMapEncodeIm2col,                                                                               \
      (void *, int, unsigned, void *, const uint64_t *, const uint64_t *, const int *, const int *,          \
       unsigned, unsigned, const uint32_t *, int, int, int, int))

typedef struct driver {
#define X(name, arguments) int(*name) arguments;
    FUNCTIONS(X)
#undef X
    device_pointer in, out, scratch;
} driver;

static int failed(const char *what, int status)
{
    if (status)
        fprintf(stderr, "%s failed with error %d of the CUDA driver\n", what, status);
    return status;
}

/* Find the functions. */
static int load_driver(driver *d, const char *library)
{
    void *handle = dlopen(library, RTLD_NOW);
    if (!handle) {
        fprintf(stderr, "%s\n", dlerror());
        return -1;
    }
#define X(name, arguments)                                          \
    if (!(*(void **)&d->name = dlsym(handle, #name))) {             \
        fprintf(stderr, "%s has no function %s\n", library, #name); \
        return -1;                                                  \
    }
    FUNCTIONS(X)
#undef X
    return 0;
}

static int open_context(driver *d)
{
    void *context;
    return failed("cuDevicePrimaryCtxRetain", d->cuDevicePrimaryCtxRetain(&context, 0)) ||
           failed("cuCtxSetCurrent", d->cuCtxSetCurrent(context)) ||
           failed("cuMemAlloc", d->cuMemAlloc_v2(&d->in, 8u * MOST_OPERANDS * ROWS_MOST)) ||
           failed("cuMemAlloc", d->cuMemAlloc_v2(&d->out, 8u * MOST_RESULTS * ROWS_MOST)) ||
           failed("cuMemAlloc", d->cuMemAlloc_v2(&d->scratch, 16u * ROWS_MOST));
}

static int open_driver(driver *d, const char *library, char *source, size_t bytes)
{
    int device, version = 0;
    char name[128] = "";
    if (load_driver(d, library) || failed("cuInit", d->cuInit(0)) ||
        failed("cuDeviceGet", d->cuDeviceGet(&device, 0)) || open_context(d) ||
        failed("cuDeviceGetName", d->cuDeviceGetName(name, sizeof name, device)) ||
        failed("cuDriverGetVersion", d->cuDriverGetVersion(&version)))
        return -1;
    snprintf(source, bytes, "%s, CUDA driver %d.%d", name, version / 1000, version % 1000 / 10);
    return 0;
}

static int encode_map(driver *d, const truth_case *c, void *out)
{
    const uint32_t steps[4] = {1, 1, 1, 1};
    void *in = (void *)(uintptr_t)d->in;
    truth_map m;
    if (!truth_map_of(c, &m))
        return 0;
    if (m.rank == 2)
        return failed("cuTensorMapEncodeTiled",
                      d->cuTensorMapEncodeTiled(out, m.type, m.rank, in, m.dims, m.strides, m.box, steps, 0,
                                                m.swizzle, 0, m.fill));
    const int lower[2] = {m.corners[0], m.corners[0]}, upper[2] = {m.corners[1], m.corners[1]};
    return failed("cuTensorMapEncodeIm2col",
                  d->cuTensorMapEncodeIm2col(out, m.type, m.rank, in, m.dims, m.strides, lower, upper,
                                             m.box[0], m.box[1], steps, 0, m.swizzle, 0, m.fill));
}

static int run_case(driver *d, void *module, size_t number, const truth_case *c, truth_record *r)
{
    char name[32];
    _Alignas(64) unsigned char map[128];
    void *function, *arguments[] = {&d->in, &d->out, &d->scratch, map};
    uint64_t *operands = truth_operands(c);
    const size_t results = (size_t)(c->outs * c->rows);
    int status;
    snprintf(name, sizeof name, "c%zu", number);
    r->values = calloc(results, sizeof *r->values);
    if (!r->values)
        abort();
    r->hash = truth_hash(c, operands);
    status = d->cuMemcpyHtoD_v2(d->in, operands, 8u * (size_t)(c->ins * c->rows));
    free(operands);
    if (failed("cuMemcpyHtoD", status) || failed("cuMemsetD8", d->cuMemsetD8_v2(d->out, 0, 8 * results)) ||
        failed("cuMemsetD8", d->cuMemsetD8_v2(d->scratch, 0, 16u * (size_t)c->rows)) ||
        encode_map(d, c, map) ||
        failed("cuModuleGetFunction", d->cuModuleGetFunction(&function, module, name)) ||
        failed("cuLaunchKernel", d->cuLaunchKernel(function, (unsigned)(c->rows / BLOCK), 1, 1, BLOCK, 1, 1,
                                                   0, NULL, arguments, NULL)) ||
        failed("the kernel", d->cuCtxSynchronize()) ||
        failed("cuMemcpyDtoH", d->cuMemcpyDtoH_v2(r->values, d->out, 8 * results))) {
        fprintf(stderr, "in the case %s, which counts as refused\n", c->name);
        r->refused = 1;
    }
    return r->refused ? -1 : 0;
}

/* Load and run cases as one module; a module that is refused is tried again case by case. */
static int run_batch(driver *d, const truth_case *cases, size_t count, truth_record *records)
{
    void *module;
    char log[4096] = "";
    int options[] = {JIT_ERROR_LOG, JIT_ERROR_LOG_BYTES};
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    char *text = truth_text(cases, count);
    const int status = d->cuModuleLoadDataEx(&module, text, 2, options, values);
    int bad = 0;
    free(text);
    if (status && count == 1) {
        printf("refused: %s: %s\n", cases->name, log);
        records->refused = 1;
        return 0;
    }
    if (status) {
        for (size_t i = 0; i < count && !bad; i++)
            bad = run_batch(d, cases + i, 1, records + i);
        return bad;
    }
    size_t done = 0;
    while (done < count && run_case(d, module, done, cases + done, records + done) == 0)
        done++;
    if (done < count && d->cuDevicePrimaryCtxReset_v2(0) ==
                            0) /* a fault of a kernel ends the context; the stand-in has no reset */
        bad = open_context(d);
    else
        d->cuModuleUnload(module);
    done++;
    return bad ? bad : done < count ? run_batch(d, cases + done, count - done, records + done) : 0;
}

int truth_run_driver(const char *library, const truth_case *cases, size_t count, truth_file *file)
{
    driver d = {0};
    file->count = count;
    file->records = calloc(count, sizeof *file->records);
    if (!file->records)
        abort();
    if (open_driver(&d, library, file->source, sizeof file->source) != 0)
        return -1;
    for (size_t i = 0; i < count; i++) {
        snprintf(file->records[i].name, sizeof file->records[i].name, "%s", cases[i].name);
        file->records[i].rows = cases[i].rows;
        file->records[i].outs = cases[i].outs;
    }
    for (size_t i = 0; i < count; i += BATCH)
        if (run_batch(&d, cases + i, count - i < BATCH ? count - i : BATCH, file->records + i) != 0)
            break;
    for (size_t i = 0; i < count; i++) /* behind a fault that the process cannot go on after */
        file->records[i].refused |= !file->records[i].values;
    return 0;
}
