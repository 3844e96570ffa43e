/* The calls of the stand-in CUDA runtime (runtime/) that the backend makes: CUDA's own and those of runtime/control.h. The library is loaded
 * before any module, so that a module's own libcudart is this one, and its functions are found by name. */
#ifndef ASSAY_DEVICE_PTX_PTX_RUNTIME_H
#define ASSAY_DEVICE_PTX_PTX_RUNTIME_H

#include "device/backend.h"
#include "device/ptx/runtime/control.h"

typedef struct ptx_runtime {
    int (*malloc)(void **, size_t);
    int (*free)(void *);
    int (*copy)(void *, const void *, size_t, int, assay_stream);
    int (*fill)(void *, int, size_t, assay_stream);
    int (*sync_stream)(assay_stream);
    int (*sync_device)(void);
    int (*create_stream)(assay_stream *, unsigned);
    int (*destroy_stream)(assay_stream);
    int (*begin_capture)(assay_stream, int);
    int (*end_capture)(assay_stream, void **);
    int (*count_nodes)(void *, void **, size_t *);
    int (*instantiate)(void **, void *, unsigned long long);
    int (*launch_graph)(void *, assay_stream);
    int (*destroy_graph)(void *);
    int (*destroy_executable)(void *);
    int (*last_error)(void);
    const char *(*error_name)(int);
    const char *(*error_text)(int);
    int (*attribute)(int *, int, int);
    void (*judge)(void);
    void (*judge_host)(int);
    void (*set_tensor)(void *, size_t, size_t, int);
    void (*set_order)(uint64_t, int);
    int (*took_order)(void);
    void (*take_report)(char *, size_t);
    uint64_t (*used)(void);
    void (*count)(void);
    void (*take_counts)(void (*)(void *, const ptx_counted_kernel *), void *);
    void (*print_kernel)(const ptx_counted_kernel *);
} ptx_runtime;

/* Valid once ptx_runtime_load() has succeeded, for as long as the process lives. ASSAY_ERR_ENVIRONMENT: there is no such library at this path. */
extern ptx_runtime ptx_rt;
assay_status ptx_runtime_load(const char *path, assay_error *error);

#endif
