/* Ceilings of the host processor, for the CPU device's roofline: copy, read, write and f32 multiply-add rates over as many threads
 * as the device has workers. They are a CPU's rates and are never compared with a GPU's. */
#include "bench/ceilings/ceilings_devices.h"
#include "core/process.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { SAMPLES = 11, MAX_THREADS = 1024, CHAINS = 16 };
static const size_t buffer_bytes = (size_t)128 << 20; /* beyond the last-level cache of common processors */
static const int64_t fma_loops = 1 << 20;

typedef enum work { WORK_COPY, WORK_READ, WORK_WRITE, WORK_FMA } work;

typedef struct team {
    work kind;
    int threads;
    char *from, *to;
    double (*fma)(int64_t loops);
    int fma_lanes;
} team;

typedef struct member {
    const team *shared;
    int index;
    volatile uint64_t sink; /* keeps results observable, so that no work is optimised away */
} member;

/* Integer sums, which any compiler may reorder into vectors; a float sum may not be. */
static uint64_t read_all(const uint64_t *data, size_t count)
{
    uint64_t sums[16] = {0};
    for (size_t i = 0; i + 16 <= count; i += 16)
        for (int lane = 0; lane < 16; lane++)
            sums[lane] += data[i + (size_t)lane];
    for (int lane = 1; lane < 16; lane++)
        sums[0] += sums[lane];
    return sums[0];
}

/* One multiply-add kernel an instruction set; it returns something that depends on all chains. 16 of them hide the
 * latency of 4 cycles on two units. `x = x*a + b` with |a| < 1 stays finite and never settles on zero. */
#define DEFINE_FMA(name, attributes, vector, set1, fmadd, lanes)                                \
    attributes static double name(int64_t loops)                                                \
    {                                                                                           \
        vector x[CHAINS];                                                                       \
        const vector a = set1(0.9993f), b = set1(0.0017f);                                      \
        for (int i = 0; i < CHAINS; i++)                                                        \
            x[i] = set1(0.1f * (float)(i + 1));                                                 \
        for (int64_t loop = 0; loop < loops; loop++)                                            \
            _Pragma("GCC unroll 16") for (int i = 0; i < CHAINS; i++) x[i] = fmadd(x[i], a, b); \
        float parts[lanes];                                                                     \
        double sum = 0.0;                                                                       \
        for (int i = 0; i < CHAINS; i++) {                                                      \
            memcpy(parts, &x[i], sizeof parts);                                                 \
            sum += (double)parts[i % (lanes)];                                                  \
        }                                                                                       \
        return sum;                                                                             \
    }

typedef float vector4 __attribute__((vector_size(16)));
static inline vector4 set1_portable(float value)
{
    return (vector4){value, value, value, value};
}
static inline vector4 fmadd_portable(vector4 x, vector4 a, vector4 b)
{
    return x * a + b;
}
DEFINE_FMA(fma_portable, , vector4, set1_portable, fmadd_portable, 4)
#if defined(__x86_64__)
DEFINE_FMA(fma_avx2, __attribute__((target("avx2,fma"))), __m256, _mm256_set1_ps, _mm256_fmadd_ps, 8)
DEFINE_FMA(fma_avx512, __attribute__((target("avx512f"))), __m512, _mm512_set1_ps, _mm512_fmadd_ps, 16)
#endif

static const char *choose_fma(team *shared)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) {
        shared->fma = fma_avx512;
        shared->fma_lanes = 16;
        return "AVX-512 FMA";
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        shared->fma = fma_avx2;
        shared->fma_lanes = 8;
        return "AVX2 FMA";
    }
#endif
    shared->fma = fma_portable;
    shared->fma_lanes = 4;
    return "128-bit vectors";
}

static size_t part_bytes(const team *shared)
{
    return buffer_bytes / (size_t)shared->threads / 4096 * 4096;
}

static void *do_work(void *argument)
{
    member *self = argument;
    const team *shared = self->shared;
    const size_t part = part_bytes(shared), at = part * (size_t)self->index;
    if (shared->kind == WORK_COPY) {
        memcpy(shared->to + at, shared->from + at, part);
        self->sink = (uint64_t)shared->to[at + part - 1];
    } else if (shared->kind == WORK_READ) {
        self->sink = read_all((const uint64_t *)(const void *)(shared->from + at), part / sizeof(uint64_t));
    } else if (shared->kind == WORK_WRITE) {
        memset(shared->to + at, self->index + 1, part);
        self->sink = (uint64_t)shared->to[at + part - 1];
    } else {
        self->sink = (uint64_t)shared->fma(fma_loops);
    }
    return NULL;
}

/* One sample: all threads are started and joined within it, which costs some 30 us of the 5 ms or more that it takes. */
static assay_status run_once(const team *shared, double *seconds, assay_error *error)
{
    pthread_t handles[MAX_THREADS];
    member members[MAX_THREADS];
    int started = 0;
    const double from = process_clock_s();
    for (; started < shared->threads; started++) {
        members[started] = (member){.shared = shared, .index = started};
        if (pthread_create(&handles[started], NULL, do_work, &members[started]) != 0)
            break;
    }
    for (int i = 0; i < started; i++)
        pthread_join(handles[i], NULL);
    *seconds = process_clock_s() - from;
    return started == shared->threads ? ASSAY_OK
                                      : assay_error_set(error, ASSAY_ERR_ENVIRONMENT,
                                                        "ceilings: only %d of %d threads could be started",
                                                        started, shared->threads);
}

/* Rates of SAMPLES runs after one that is not kept; `amount` is what a run moves or computes, in the rate's unit. */
static assay_status measure_rates(team *shared, work kind, double amount, double *rates, assay_error *error)
{
    assay_status status = ASSAY_OK;
    shared->kind = kind;
    for (int i = -1; i < SAMPLES && status == ASSAY_OK; i++) {
        double seconds = 0.0;
        status = run_once(shared, &seconds, error);
        if (i >= 0)
            rates[i] = amount / seconds;
    }
    return status;
}

static assay_status measure_bandwidth(team *shared, work kind, ceiling_list *list, assay_error *error)
{
    double rates[SAMPLES];
    const double gigabytes =
        1e-9 * (double)part_bytes(shared) * shared->threads * (kind == WORK_COPY ? 2.0 : 1.0);
    const assay_status status = measure_rates(shared, kind, gigabytes, rates, error);
    if (status != ASSAY_OK)
        return status;
    static const char *const names[] = {"copy", "read", "write"};
    static const char *const whats[] = {"memcpy (bytes read and written)", "sum", "memset"};
    return ceiling_add(list, names[kind], "GB/s", rates, SAMPLES, 0.0, error,
                       "%s of %d MiB, %d threads, host time, %d samples", whats[kind],
                       (int)(buffer_bytes >> 20), shared->threads, (int)SAMPLES);
}

static assay_status measure_fma(team *shared, ceiling_list *list, assay_error *error)
{
    double rates[SAMPLES];
    const char *instructions = choose_fma(shared);
    const double teraflops = 1e-12 * 2.0 * CHAINS * (double)fma_loops * shared->fma_lanes * shared->threads;
    const assay_status status = measure_rates(shared, WORK_FMA, teraflops, rates, error);
    if (status != ASSAY_OK)
        return status;
    return ceiling_add(list, "fma_f32", "TFLOP/s", rates, SAMPLES, 0.0, error,
                       "%d independent chains of %s, %d threads, host time, %d samples", (int)CHAINS,
                       instructions, shared->threads, (int)SAMPLES);
}

assay_status ceilings_measure_cpu(assay_device *device, ceiling_list *list, assay_error *error)
{
    const int workers = assay_device_get_info(device)->sm_count;
    team shared = {.threads = workers < 1 ? 1 : workers > MAX_THREADS ? MAX_THREADS : workers};
    shared.from = aligned_alloc(4096, buffer_bytes);
    shared.to = aligned_alloc(4096, buffer_bytes);
    assay_status status = ASSAY_ERR_NO_MEMORY;
    if (shared.from && shared.to) {
        memset(shared.from, 1, buffer_bytes); /* touches every page before anything is timed */
        memset(shared.to, 2, buffer_bytes);
        status = measure_bandwidth(&shared, WORK_COPY, list, error);
        if (status == ASSAY_OK)
            status = measure_bandwidth(&shared, WORK_READ, list, error);
        if (status == ASSAY_OK)
            status = measure_bandwidth(&shared, WORK_WRITE, list, error);
        if (status == ASSAY_OK)
            status = measure_fma(&shared, list, error);
    } else {
        assay_error_set(error, status, "ceilings: two host buffers of %d MiB do not fit",
                        (int)(buffer_bytes >> 20));
    }
    free(shared.from);
    free(shared.to);
    return status;
}
