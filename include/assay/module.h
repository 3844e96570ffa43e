/* The binary interface of a module: a variant compiled for one dtype and one device as a shared object.
 *
 * Every variant of an op exports one C function, `<op>_run`, of type assay_run_fn with `args` pointing to the op's
 * own struct. The call enqueues all work on `stream` and returns; it neither allocates nor synchronises. */
#ifndef ASSAY_MODULE_H
#define ASSAY_MODULE_H

#include <assay/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The same opaque type as cudaStream_t, so that no cast is needed in a kernel file and no CUDA header here. */
typedef struct CUstream_st *assay_stream;

typedef assay_status (*assay_run_fn)(const void *args, assay_stream stream);

/* Peers (library kernels) may need handles and plans, which must not be made inside the timed call. They also export
 * `<op>_prepare`, called once before the first run with the same arguments, and `<op>_release`, called at the end.
 * Their state is their own static data: a process measures one problem at a time. A variant never exports these. */
typedef assay_status (*assay_prepare_fn)(const void *args, assay_stream stream);
typedef void (*assay_release_fn)(void);

#if defined(_WIN32)
#define ASSAY_EXPORT __declspec(dllexport)
#else
#define ASSAY_EXPORT __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
}
#endif
#endif
