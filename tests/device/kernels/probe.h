/* How test kernels and the C tests that run them speak: kernels check themselves and count into a probe. */
#ifndef ASSAY_TESTS_DEVICE_PROBE_H
#define ASSAY_TESTS_DEVICE_PROBE_H

#include <assay/module.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct probe {
    int checks, failures;
    int first_line; /* of a failed check */
} probe;

/* One launch of a test kernel; every pointer is device memory. */
typedef struct probe_args {
    probe *result;
    void *data; /* scratch of `bytes` bytes, zeroed */
    int64_t bytes;
    int variant; /* what the kernel does with it is its own affair */
    uint32_t grid[3], block[3];
    size_t shared_bytes;
} probe_args;

typedef assay_status (*probe_run)(const probe_args *args, assay_stream stream);

#ifdef __cplusplus
}
#endif

#ifdef PROBE_KERNEL_SIDE
#define EXPECT(condition) expect(args.result, (condition), __LINE__)
static inline __device__ void expect(probe *result, bool condition, int line)
{
    atomicAdd(&result->checks, 1);
    if (!condition) {
        atomicAdd(&result->failures, 1);
        atomicMax(&result->first_line, line);
    }
}
/* Export `name_run`, which launches `name` as the probe says. */
#define PROBE_KERNEL(name)                                                                             \
    extern "C" ASSAY_EXPORT assay_status name##_run(const probe_args *args, assay_stream stream)       \
    {                                                                                                  \
        return assay::launch(name, dim3(args->grid[0], args->grid[1], args->grid[2]),                  \
                             dim3(args->block[0], args->block[1], args->block[2]), args->shared_bytes, \
                             stream, *args);                                                           \
    }
#endif

#endif
