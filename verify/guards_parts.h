/* What the files of the guarded problem share. Only they include this header. */
#ifndef ASSAY_VERIFY_GUARDS_PARTS_H
#define ASSAY_VERIFY_GUARDS_PARTS_H

#include "verify/guards.h"

/* Canary of outputs and workspace: as f32 -1.4e-14, as f16 -0.026, as bf16 -3.4e-14: not a value kernels write in bulk. */
enum { CANARY = 0xa7 };

/* Around inputs lies a NaN of every dtype whose bits differ from the NaN that outputs are poisoned with, so that a kernel that
 * reads past an input is not taken for one that writes nothing. */
enum { INPUT_ZONE = 0x7fe1 };

/* Bytes of a buffer with its zones. */
static inline int64_t guard_total(const guarded_buffer *buffer)
{
    return buffer->front + buffer->bytes + buffer->rear;
}

/* Where the judge writes bytes that guard_put() sends, or finds those that get() brought: in the image, or in the window. */
static inline unsigned char *guard_place(const guarded_problem *guarded, const guarded_buffer *buffer,
                                         int64_t at)
{
    unsigned char *shared = worker_shared(guarded->worker);
    return guarded->form == GUARDED_WINDOWED ? shared : shared + buffer->image + at;
}

static inline protocol_step guard_step(const guarded_problem *guarded, step_kind kind,
                                       const guarded_buffer *buffer, int64_t at, int64_t bytes)
{
    return (protocol_step){.kind = kind,
                           .buffer = buffer->number,
                           .offset = at,
                           .bytes = bytes,
                           .shared = guarded->form == GUARDED_WINDOWED ? 0 : buffer->image + at};
}

/* Send bytes [at, at + bytes) of a buffer, zones counted in. A window is needed again, so it is emptied at once. */
static inline assay_status guard_put(guarded_problem *guarded, const guarded_buffer *buffer, int64_t at,
                                     int64_t bytes, assay_error *error)
{
    if (bytes == 0)
        return ASSAY_OK;
    const assay_status status =
        worker_add(guarded->worker, guard_step(guarded, STEP_UPLOAD, buffer, at, bytes), NULL, error);
    return status == ASSAY_OK && guarded->form == GUARDED_WINDOWED ? worker_flush(guarded->worker, error)
                                                                   : status;
}

#endif
