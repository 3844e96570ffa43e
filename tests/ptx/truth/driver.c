/* Runs the cases through the CUDA driver's interface: on a GPU, or on the PTX device by its stand-in library. The library is loaded by
 * name, so that the program builds where there is no CUDA toolkit. */
#include "truth.h"
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BATCH = 24 }; /* kernels of a module: the driver's assembler is called less often */
enum { ROWS_MOST = 8192 };
enum { FAULT = 10, NO_DRIVER = 11 }; /* exit statuses of a child */
enum { SECONDS_MOST = 20 };          /* of a case and of the next module; then the process is ended */

typedef unsigned long long device_pointer;
enum { JIT_ERROR_LOG = 5, JIT_ERROR_LOG_BYTES = 6 }; /* CUjit_option */

/* The functions of cuda.h that are used, with its types' representations. */
#define FUNCTIONS(X)                                                                                         \
    X(cuInit, (unsigned))                                                                                    \
    X(cuDriverGetVersion, (int *))                                                                           \
    X(cuDeviceGet, (int *, int))                                                                             \
    X(cuDeviceGetName, (char *, int, int))                                                                   \
    X(cuDevicePrimaryCtxRetain, (void **, int))                                                              \
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

/* What a child hands to its parent. */
typedef enum case_state { CASE_OPEN, CASE_RAN, CASE_REFUSED } case_state;

typedef struct shared_record {
    case_state state;
    uint32_t hash;
    size_t first; /* of its values */
} shared_record;

typedef struct shared_run {
    size_t bytes;
    char source[256];
    uint64_t *values; /* behind the records, in the same mapping */
    shared_record records[];
} shared_run;

static void run_case(driver *d, void *module, size_t number, const truth_case *c, uint64_t *values,
                     shared_record *r)
{
    char name[32];
    _Alignas(64) unsigned char map[128];
    void *function, *arguments[] = {&d->in, &d->out, &d->scratch, map};
    uint64_t *operands = truth_operands(c);
    const size_t results = (size_t)(c->outs * c->rows);
    alarm(SECONDS_MOST);
    snprintf(name, sizeof name, "c%zu", number);
    r->hash = truth_hash(c, operands);
    const int status = d->cuMemcpyHtoD_v2(d->in, operands, 8u * (size_t)(c->ins * c->rows));
    free(operands);
    if (failed("cuMemcpyHtoD", status) || failed("cuMemsetD8", d->cuMemsetD8_v2(d->out, 0, 8 * results)) ||
        failed("cuMemsetD8", d->cuMemsetD8_v2(d->scratch, 0, 16u * (size_t)c->rows)) ||
        encode_map(d, c, map) ||
        failed("cuModuleGetFunction", d->cuModuleGetFunction(&function, module, name)) ||
        failed("cuLaunchKernel", d->cuLaunchKernel(function, (unsigned)(c->rows / BLOCK), 1, 1, BLOCK, 1, 1,
                                                   0, NULL, arguments, NULL)) ||
        failed("the kernel", d->cuCtxSynchronize()) ||
        failed("cuMemcpyDtoH", d->cuMemcpyDtoH_v2(values, d->out, 8 * results)))
        _exit(FAULT);
    r->state = CASE_RAN;
}

/* Load and run cases as one module; a module that is refused is tried again case by case. */
static void run_batch(driver *d, const truth_case *cases, size_t first, size_t count, shared_run *run)
{
    void *module;
    char log[4096] = "";
    int options[] = {JIT_ERROR_LOG, JIT_ERROR_LOG_BYTES};
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    char *text = truth_text(cases + first, count);
    const int status = d->cuModuleLoadDataEx(&module, text, 2, options, values);
    free(text);
    if (status && count == 1) {
        printf("refused: %s: %s\n", cases[first].name, log);
        run->records[first].state = CASE_REFUSED;
        return;
    }
    for (size_t i = first; i < first + count; i++)
        if (status)
            run_batch(d, cases, i, 1, run);
        else
            run_case(d, module, i - first, cases + i, run->values + run->records[i].first, &run->records[i]);
    if (!status)
        d->cuModuleUnload(module);
}

/* All cases from `first` on, in a process of its own: behind a fault of a kernel the driver serves a process no more. */
static int run_child(const char *library, const truth_case *cases, size_t first, size_t count,
                     shared_run *run)
{
    const pid_t pid = fork();
    int status = 0;
    if (pid == 0) {
        driver d = {0};
        if (open_driver(&d, library, run->source, sizeof run->source) != 0)
            _exit(NO_DRIVER);
        alarm(SECONDS_MOST);
        for (size_t i = first; i < count; i += BATCH)
            run_batch(&d, cases, i, count - i < BATCH ? count - i : BATCH, run);
        fflush(NULL);
        _exit(0);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        return NO_DRIVER;
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    fprintf(stderr, "ended by signal %d%s\n", WTERMSIG(status),
            WTERMSIG(status) == SIGALRM ? ": a kernel that does not end" : "");
    return FAULT;
}

static shared_run *share(const truth_case *cases, size_t count)
{
    size_t values = 0;
    for (size_t i = 0; i < count; i++)
        values += (size_t)(cases[i].outs * cases[i].rows);
    const size_t head = sizeof(shared_run) + count * sizeof(shared_record);
    shared_run *run =
        mmap(NULL, head + 8 * values, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (run == MAP_FAILED)
        abort();
    run->bytes = head + 8 * values;
    run->values = (uint64_t *)((char *)run + head);
    for (size_t i = 0, at = 0; i < count; at += (size_t)(cases[i].outs * cases[i].rows), i++)
        run->records[i].first = at;
    return run;
}

static void take(const shared_run *run, const truth_case *cases, truth_file *file)
{
    for (size_t i = 0; i < file->count; i++) {
        truth_record *r = &file->records[i];
        const size_t bytes = 8 * (size_t)(cases[i].outs * cases[i].rows);
        snprintf(r->name, sizeof r->name, "%s", cases[i].name);
        r->rows = cases[i].rows;
        r->outs = cases[i].outs;
        r->hash = run->records[i].hash;
        r->refused = run->records[i].state != CASE_RAN;
        if (!(r->values = malloc(bytes)))
            abort();
        memcpy(r->values, run->values + run->records[i].first, bytes);
    }
}

int truth_run_driver(const char *library, const truth_case *cases, size_t count, truth_file *file)
{
    shared_run *run = share(cases, count);
    int status = FAULT;
    for (size_t next = 0; next < count && status == FAULT;) {
        status = run_child(library, cases, next, count, run);
        while (next < count && run->records[next].state != CASE_OPEN)
            next++;
        if (status == FAULT && next < count) {
            fprintf(stderr, "in the case %s, which counts as refused\n", cases[next].name);
            run->records[next++].state = CASE_REFUSED;
        }
    }
    file->count = count;
    file->records = calloc(count, sizeof *file->records);
    if (!file->records)
        abort();
    snprintf(file->source, sizeof file->source, "%s", run->source);
    take(run, cases, file);
    munmap(run, run->bytes);
    return status == NO_DRIVER ? -1 : 0;
}
