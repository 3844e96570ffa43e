/* What a device backend implements; device/device.c dispatches include/assay/device.h to it. Signatures and semantics are those of
 * device.h. A handle of a backend starts with this struct. Only device/ includes this header. */
#ifndef ASSAY_DEVICE_BACKEND_H
#define ASSAY_DEVICE_BACKEND_H

#include <assay/device.h>

typedef struct device_backend {
    void (*close)(assay_device *);
    assay_status (*free_bytes)(assay_device *, int64_t *, assay_error *);
    assay_status (*alloc)(assay_device *, int64_t, void **, assay_error *);
    void (*free)(assay_device *, void *);
    void (*set_tensor)(assay_device *, void *, int64_t, int64_t, int); /* or NULL */
    assay_status (*call)(assay_device *, assay_run_fn, const void *);  /* or NULL */
    assay_status (*upload)(assay_device *, void *, const void *, int64_t, assay_error *);
    assay_status (*download)(assay_device *, void *, const void *, int64_t, assay_error *);
    assay_status (*fill)(assay_device *, void *, int, int64_t, assay_error *);
    assay_status (*copy)(assay_device *, void *, const void *, int64_t, assay_error *);
    assay_status (*sync_stream)(assay_device *, assay_error *);
    assay_status (*sync_all)(assay_device *, assay_error *);
    assay_status (*block)(assay_device *, assay_error *);
    assay_status (*unblock)(assay_device *, assay_error *);
    assay_status (*peek)(assay_device *, void *, const void *, int64_t, assay_error *);
    assay_status (*flush_cache)(assay_device *, const char *, assay_error *);
    assay_status (*event_create)(assay_device *, assay_event **, assay_error *);
    void (*event_destroy)(assay_event *);
    assay_status (*event_record)(assay_event *, assay_error *);
    assay_status (*event_elapsed_us)(assay_event *, assay_event *, double *, assay_error *);
    assay_status (*graph_begin)(assay_device *, assay_error *);
    assay_status (*graph_end)(assay_device *, assay_graph **, assay_error *);
    assay_status (*graph_launch)(assay_graph *, assay_error *);
    void (*graph_destroy)(assay_graph *);
    assay_status (*launch_empty)(assay_device *, assay_error *);
    assay_status (*read_health)(assay_device *, assay_device_health *);
    assay_status (*set_cpu_options)(assay_device *, const assay_cpu_options *, assay_error *);
    int (*took_order)(assay_device *); /* NULL: not known */
    /* NULL: a captured graph tells, see assay_graph */
    assay_status (*list_launches)(assay_device *, assay_run_fn, const void *, assay_launch_shape *, int,
                                  int *, assay_error *);
} device_backend;

struct assay_device {
    const device_backend *backend;
    assay_device_info info;
    assay_stream stream;
};

/* Events and graphs of a backend start with a pointer to their device. */
struct assay_event {
    assay_device *device;
};
enum { GRAPH_LAUNCHES = 16 };
struct assay_graph {
    assay_device *device;
    int nodes, programmatic;                   /* see assay_graph_describe() */
    int launches;                              /* kernels among the nodes; 0: not known */
    assay_launch_shape shapes[GRAPH_LAUNCHES]; /* of the first of them */
};

assay_status device_cpu_open(int ordinal, assay_device **device, assay_error *error);
/* ASSAY_ERR_ENVIRONMENT where the build has no stand-in runtime. */
assay_status device_ptx_open(int ordinal, assay_device **device, assay_error *error);
/* Present only where Assay was built with CUDA (ASSAY_WITH_CUDA). */
assay_status device_cuda_open(int ordinal, assay_device **device, assay_error *error);

#endif
