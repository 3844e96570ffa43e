/* A problem in a worker's device memory, set up so that a kernel's misdeeds show:
 *   - outputs are filled with a poison byte before every run, the workspace with another one;
 *   - every tensor lies between guard zones (64 KiB on CUDA), checked after the run: canary bytes around outputs and workspace, NaN around
 *     inputs, so that reading past them shows in the result;
 *   - inputs are compared bit by bit with what was uploaded.
 * On the CPU device a tensor has its pages to itself, with inaccessible ones on both sides, and ends at the last of them (to a multiple of
 * 16 bytes) or starts at the first: an access beyond faults and is reported with its thread. Zones fill the pages up.
 *
 * The bytes are the judge's: it writes images of the tensors with their zones into memory that it shares with the worker, and looks at
 * the images that come back. Host inputs are binary32 (the widened form of inputs.h) whatever the dtype: one host copy serves the upload,
 * the comparison and the reference. */
#ifndef ASSAY_VERIFY_GUARDS_H
#define ASSAY_VERIFY_GUARDS_H

#include "core/opspec.h"
#include "verify/worker.h"
#include <assay/device.h>

enum { GUARD_BYTES = 65536, GUARD_REASON_MAX = 256, GUARD_CHUNK_BYTES = 1 << 20 };

/* Poison bytes of consecutive runs: the first is a NaN in every dtype, the second a large finite number, so a kernel
 * that leaves memory as it found it cannot be right by luck both times. */
enum { GUARD_POISON_NAN = 0xff, GUARD_POISON_LARGE = 0x7b };

typedef enum guarded_form {
    GUARDED_ZONES,
    GUARDED_EXACT,   /* exact-size allocations without zones or poison, for tools that watch every access */
    GUARDED_WINDOWED /* zones, and no images: tensors of many GB pass through a window, piece by piece */
} guarded_form;

typedef struct guarded_buffer {
    int number;                 /* the worker's: BUFFER_INPUT and so on */
    int64_t front, bytes, rear; /* zone, tensor, zone */
    int64_t image;              /* where its image lies in the shared memory */
    void *data;                 /* a tensor of this process (below) */
} guarded_buffer;

/* With `worker` NULL the outputs are tensors on a `device` of this process, and only guarded_read_output and guarded_corrupt may be called:
 * so does bench, which fills in device, spec, problem, outputs' data and bytes, and chunk. */
typedef struct guarded_problem {
    worker *worker;
    assay_device *device;
    const opspec *spec;
    assay_problem problem; /* with the device's addresses */
    guarded_form form;
    guarded_buffer inputs[ASSAY_MAX_TENSORS], outputs[ASSAY_MAX_TENSORS], workspace;
    unsigned char *read
        [ASSAY_MAX_TENSORS]; /* NULL, or the caller's, where what is read of an output is kept at its place */
    unsigned char *chunk;    /* host scratch of GUARD_CHUNK_BYTES */
    unsigned char *narrow;   /* the same size */
} guarded_problem;

/* Device memory that guarded_open needs for a problem of these shapes on a device kind, zones included, and shared host memory. */
int64_t guarded_need_bytes(const char *device_kind, const assay_problem *shapes);
int64_t guarded_shared_bytes(const char *device_kind, const assay_problem *shapes);

/* Allocate everything for a problem given by shapes, dtypes and parameters. Close with guarded_close, also on failure. */
assay_status guarded_open(worker *w, const opspec *spec, const assay_problem *shapes, guarded_form form,
                          guarded_problem *guarded, assay_error *error);
void guarded_close(guarded_problem *guarded);

/* On the CPU device: does a tensor end at its last page and not start at its first one? Then move all to the start of theirs, for the rest
 * of the problem's runs; inputs must be uploaded anew. */
int guarded_can_move(const guarded_problem *guarded);
assay_status guarded_move_to_start(guarded_problem *guarded, assay_error *error);

/* Round the widened host inputs to the dtype and upload them with their zones. */
assay_status guarded_upload(guarded_problem *guarded, const assay_problem *host, assay_error *error);

/* The same for inputs that repeat: periods[i] elements of input i are uploaded, and repeated on the device. */
assay_status guarded_upload_periodic(guarded_problem *guarded, const assay_problem *host,
                                     const int64_t *periods, assay_error *error);

/* Queue: fill outputs and workspace with `poison` and write their zones anew. Nothing to do for exact allocations. */
assay_status guarded_poison(guarded_problem *guarded, int poison, assay_error *error);

/* Instead of guarded_poison: leave outputs and workspace as the last run left them and overwrite spots of every output, from one
 * element to an eighth of the tensor, with ordinary numbers; which ones depends on `seed`. */
assay_status guarded_corrupt(guarded_problem *guarded, uint64_t seed, assay_error *error);

/* Queue: bring back what guarded_read_output and the checks below look at. `unread`: all but the outputs. */
assay_status guarded_fetch(guarded_problem *guarded, int unread, assay_error *error);
/* Bytes [at, at + bytes) of an output as last fetched go to guarded->chunk; at most GUARD_CHUNK_BYTES. A copy: the worker may still write
 * the shared memory. */
assay_status guarded_read_output(guarded_problem *guarded, int output, int64_t at, int64_t bytes,
                                 assay_error *error);

/* *same: 1 if the outputs as last fetched have the bytes that guarded->read holds. */
assay_status guarded_outputs_are_read(guarded_problem *guarded, int *same, assay_error *error);

/* ASSAY_ERR_CHECK and a reason if a zone is damaged or an input is not what was uploaded. Of the inputs, one chunk of
 * GUARD_CHUNK_BYTES in `every` is compared, with the last one. */
assay_status guarded_check_zones(guarded_problem *guarded, char reason[GUARD_REASON_MAX], assay_error *error);
assay_status guarded_check_inputs(guarded_problem *guarded, const assay_problem *host, int every,
                                  char reason[GUARD_REASON_MAX], assay_error *error);

#endif
