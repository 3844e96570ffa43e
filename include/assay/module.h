/* The binary interface of a module: a variant compiled for one dtype and one device as a shared object.
 *
 * Every variant of an op exports one C function, `<op>_run`, of type assay_run_fn with `args` pointing to the op's
 * own struct. The call enqueues all work on `stream` and returns; it neither allocates nor synchronises. */
#ifndef ASSAY_MODULE_H
#define ASSAY_MODULE_H

#include <assay/status.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The same opaque type as cudaStream_t, so that no cast is needed in a kernel file and no CUDA header here. */
typedef struct CUstream_st *assay_stream;

typedef assay_status (*assay_run_fn)(const void *args, assay_stream stream);

/* Baselines (library kernels) may need handles and plans, which must not be made inside the timed call. They also export
 * `<op>_prepare`, called once before the first run with the same arguments, and `<op>_release`, called at the end.
 * Their state is their own static data: a process measures one problem at a time. A variant never exports these. */
typedef assay_status (*assay_prepare_fn)(const void *args, assay_stream stream);
typedef void (*assay_release_fn)(void);

/* What a baseline says of itself, one line each, "" where it has nothing to say. */
typedef struct assay_baseline_notes {
    char version[64];    /* of the library: "cuDNN 9.19.0" */
    char choice[256];    /* what was chosen for this problem: algorithm, of how many, workspace */
    char reason[256];    /* why the last call that failed did */
    int32_t is_unranked; /* 1: computes another function than the op: shown, not compared, does not count */
} assay_baseline_notes;

/* Optional export of a baseline: `<op>_notes`, read after prepare and after a failure. A baseline computes on the tensors as they lie; one
 * that does not take their layout fails in prepare with ASSAY_ERR_UNSUPPORTED and a reason. */
typedef const assay_baseline_notes *(*assay_notes_fn)(void);

#if defined(_WIN32)
#define ASSAY_EXPORT __declspec(dllexport)
#else
#define ASSAY_EXPORT __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
}
#endif
#endif
