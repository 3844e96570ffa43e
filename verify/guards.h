/* A problem in device memory, set up so that a kernel's misdeeds show:
 *   - outputs are filled with a poison byte before every run, the workspace with another one;
 *   - outputs and workspace lie between fences of canary bytes, 4 KiB or more on each side, checked after the run;
 *   - inputs lie between zones of NaN bytes, so that reading past them shows in the result, and are compared bit by bit
 *     with what was uploaded.
 * On the CPU device a guard page of the allocator follows each tensor at once instead of a rear fence: any access past
 * the end faults there and is reported with its thread.
 *
 * Host inputs are binary32 (the widened form of inputs.h) whatever the dtype: one host copy serves the upload, the
 * comparison and the reference. */
#ifndef ASSAY_VERIFY_GUARDS_H
#define ASSAY_VERIFY_GUARDS_H

#include "core/opspec.h"
#include <assay/device.h>

enum { GUARD_BYTES = 65536, GUARD_REASON_MAX = 256, GUARD_CHUNK_BYTES = 1 << 22 };

/* Poison bytes of consecutive runs: the first is a NaN in every dtype, the second a large finite number, so a kernel
 * that leaves memory as it found it cannot be right by luck both times. */
enum { GUARD_POISON_NAN = 0xff, GUARD_POISON_LARGE = 0x7b };

typedef struct guarded_buffer {
    void *base; /* the allocation */
    void *data; /* base + front: what the kernel gets */
    int64_t front, bytes, rear;
} guarded_buffer;

typedef struct guarded_problem {
    assay_device *device;
    const opspec *spec;
    assay_problem problem; /* with device pointers */
    guarded_buffer inputs[ASSAY_MAX_TENSORS], outputs[ASSAY_MAX_TENSORS], workspace;
    int bare;              /* no zones and no poison: guarded_open_bare */
    unsigned char *chunk;  /* host scratch of GUARD_CHUNK_BYTES */
    unsigned char *narrow; /* the same size */
} guarded_problem;

/* Device memory that guarded_open needs for a problem of these shapes, fences included. */
int64_t guarded_need_bytes(const assay_device *device, const assay_problem *shapes);

/* Allocate everything for a problem given by shapes, dtypes and parameters. Close with guarded_close, also on failure. */
assay_status guarded_open(assay_device *device, const opspec *spec, const assay_problem *shapes,
                          guarded_problem *guarded, assay_error *error);
/* The same without zones around the tensors, for tools that watch every access themselves: each tensor is an allocation of exactly its
 * bytes, and outputs and workspace stay uninitialised. */
assay_status guarded_open_bare(assay_device *device, const opspec *spec, const assay_problem *shapes,
                               guarded_problem *guarded, assay_error *error);
void guarded_close(guarded_problem *guarded);

/* Round the widened host inputs to the dtype and upload them. */
assay_status guarded_upload(guarded_problem *guarded, const assay_problem *host, assay_error *error);

/* The same for inputs that repeat: periods[i] elements of input i are uploaded, and repeated on the device. */
assay_status guarded_upload_periodic(guarded_problem *guarded, const assay_problem *host,
                                     const int64_t *periods, assay_error *error);

/* Fill outputs and workspace with `poison` and write the fences anew; waits until that is done. Nothing to do for a bare problem. */
assay_status guarded_poison(guarded_problem *guarded, int poison, assay_error *error);

/* Instead of guarded_poison: leave outputs and workspace as the last run left them and overwrite spots of every output, from one
 * element to an eighth of the tensor, with ordinary numbers; which ones depends on `seed`. Waits until that is done. */
assay_status guarded_spoil(guarded_problem *guarded, uint64_t seed, assay_error *error);

/* ASSAY_ERR_CHECK and a reason if a fence is damaged or an input is not what was uploaded. Of the inputs, one chunk of
 * GUARD_CHUNK_BYTES in `every` is compared, with the last one. */
assay_status guarded_check_fences(guarded_problem *guarded, char reason[GUARD_REASON_MAX],
                                  assay_error *error);
assay_status guarded_check_inputs(guarded_problem *guarded, const assay_problem *host, int every,
                                  char reason[GUARD_REASON_MAX], assay_error *error);

#endif
