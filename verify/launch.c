/* A guarded kernel run; see launch.h. */
#include "verify/launch.h"
#include "verify/hash.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PEEK_BYTES = GUARD_CHUNK_BYTES };

assay_status launch_hash_outputs(guarded_problem *guarded, uint64_t *hash, assay_error *error)
{
    *hash = 0;
    for (int i = 0; i < guarded->problem.output_count; i++) {
        const int64_t bytes = guarded->outputs[i].bytes;
        for (int64_t first = 0; first < bytes; first += GUARD_CHUNK_BYTES) {
            const int64_t left = bytes - first, n = left < GUARD_CHUNK_BYTES ? left : GUARD_CHUNK_BYTES;
            const assay_status status = guarded_read_output(guarded, i, first, n, error);
            if (status != ASSAY_OK)
                return status;
            *hash = bits_hash(*hash, guarded->chunk, (size_t)n);
        }
    }
    return ASSAY_OK;
}

static assay_status add_step(worker *w, step_kind kind, assay_error *error)
{
    return worker_add(w, (protocol_step){.kind = kind}, NULL, error);
}

int launch_wrote_late(guarded_problem *guarded)
{
    uint64_t before, after;
    return launch_hash_outputs(guarded, &before, NULL) == ASSAY_OK &&
           add_step(guarded->worker, STEP_SYNC_ALL, NULL) == ASSAY_OK &&
           guarded_fetch(guarded, 0, NULL) == ASSAY_OK && worker_flush(guarded->worker, NULL) == ASSAY_OK &&
           launch_hash_outputs(guarded, &after, NULL) == ASSAY_OK && before != after;
}

static assay_status wrong(char *reason, const char *text, const char *detail)
{
    snprintf(reason, LAUNCH_REASON_MAX, "%.100s%.400s", text, detail);
    return ASSAY_ERR_CHECK;
}

/* Queue a look at the first or last bytes of an output, which arrive in its image. */
static int64_t peek_bytes(const guarded_buffer *buffer)
{
    return buffer->bytes < PEEK_BYTES ? buffer->bytes : PEEK_BYTES;
}

static assay_status add_peeks(guarded_problem *guarded, assay_error *error)
{
    assay_status status = ASSAY_OK;
    for (int i = 0; i < guarded->problem.output_count; i++) {
        const guarded_buffer *buffer = &guarded->outputs[i];
        const int64_t n = peek_bytes(buffer);
        for (int end = 0; end < 2 && n > 0 && status == ASSAY_OK; end++) {
            const int64_t at = buffer->front + (end ? buffer->bytes - n : 0);
            status = worker_add(guarded->worker,
                                (protocol_step){.kind = STEP_PEEK,
                                                .buffer = buffer->number,
                                                .offset = at,
                                                .bytes = n,
                                                .shared = buffer->image + at},
                                NULL, error);
        }
    }
    return status;
}

/* With the stream still blocked: is every peeked byte still poison? */
static int peeks_are_poison(const guarded_problem *guarded, int poison)
{
    for (int i = 0; i < guarded->problem.output_count; i++) {
        const guarded_buffer *buffer = &guarded->outputs[i];
        const int64_t n = peek_bytes(buffer);
        for (int end = 0; end < 2; end++) {
            const unsigned char *at = worker_shared(guarded->worker) + buffer->image + buffer->front +
                                      (end ? buffer->bytes - n : 0);
            for (int64_t b = 0; b < n; b++)
                if (at[b] != (unsigned char)poison)
                    return 0;
        }
    }
    return 1;
}

static assay_status add_run(const check_subject *subject, const void *args, assay_error *error)
{
    return worker_add(subject->worker,
                      (protocol_step){.kind = STEP_RUN, .bytes = (int64_t)subject->impl->args_bytes}, args,
                      error);
}

/* Enqueue behind a blocked stream, look at the outputs meanwhile, and let the stream go. */
static assay_status run_blocked(const check_subject *subject, guarded_problem *guarded, const void *args,
                                int poison, char *reason, assay_error *error)
{
    worker *w = subject->worker;
    assay_status status =
        add_step(w, STEP_SYNC_ALL, error); /* the poison must be there before the stream stands still */
    if (status == ASSAY_OK)
        status = add_step(w, STEP_BLOCK, error);
    if (status == ASSAY_OK)
        status = add_run(subject, args, error);
    if (status == ASSAY_OK)
        status = add_peeks(guarded, error);
    if (status == ASSAY_OK)
        status = worker_flush(w, error);
    const int untouched =
        status != ASSAY_OK || worker_returned(w) != ASSAY_OK || peeks_are_poison(guarded, poison);
    assay_status unblocked = add_step(w, STEP_UNBLOCK, NULL);
    if (unblocked == ASSAY_OK)
        unblocked = worker_flush(w, NULL);
    if (worker_lost(w))
        return worker_flush(w, error);
    if (unblocked != ASSAY_OK)
        return wrong(reason, "the call waited for the device: a kernel must only enqueue its work", "");
    if (status == ASSAY_OK && !untouched)
        return wrong(reason, "wrong stream: the output changed while the given stream was held back", "");
    return status;
}

/* Everything that is queued, the run, and back with what it left. */
static assay_status run_and_wait(const check_subject *subject, guarded_problem *guarded, const void *args,
                                 const launch_mode *mode, char *reason, assay_error *error)
{
    worker *w = subject->worker;
    /* On the CPU device blocking does nothing and launches may run at once: peeking would accuse the innocent. */
    const int blocked = mode->blocked && !subject->synchronises && strcmp(worker_info(w)->kind, "cuda") == 0;
    assay_status status = blocked ? run_blocked(subject, guarded, args, mode->poison, reason, error)
                                  : add_run(subject, args, error);
    if (status == ASSAY_OK)
        status = add_step(w, STEP_SYNC_STREAM, error);
    if (status == ASSAY_OK)
        status = guarded_fetch(guarded, mode->unread, error);
    return status == ASSAY_OK ? worker_flush(w, error) : status;
}

/* What the answer says of the run: the kernel's own status, and the device's. `ran`: how the steps behind the call ended. */
static assay_status look_at_answer(const check_subject *subject, assay_status ran, const char *device_message,
                                   char *reason)
{
    const assay_status returned = worker_returned(subject->worker);
    if (returned == ASSAY_ERR_UNSUPPORTED) {
        snprintf(reason, LAUNCH_REASON_MAX, "%s",
                 subject->contest ? "solve() cannot be asked for this problem (op.json's solve.when)"
                                  : "the kernel does not support this problem");
        return ASSAY_ERR_UNSUPPORTED;
    }
    if (returned != ASSAY_OK) {
        char detail[600];
        snprintf(detail, sizeof detail, "%s%s%s", assay_status_describe(returned),
                 device_message[0] ? ": " : "", device_message);
        return wrong(reason, "the kernel returned an error: ", detail);
    }
    return ran == ASSAY_OK ? ASSAY_OK : wrong(reason, LAUNCH_DEVICE_ERROR, device_message);
}

static assay_status run_bound(const check_subject *subject, guarded_problem *guarded, const launch_mode *mode,
                              char *reason, assay_error *error)
{
    assay_error ran = {0};
    void *args = calloc(1, subject->impl->args_bytes);
    if (!args)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for the kernel's arguments");
    assay_status status = subject->impl->bind(&guarded->problem, args);
    if (status != ASSAY_OK) {
        free(args);
        return assay_error_set(error, status, "%s: its arguments could not be bound", subject->spec->name);
    }
    status = run_and_wait(subject, guarded, args, mode, reason, &ran);
    free(args);
    if (status == ASSAY_ERR_CHECK)
        return status;
    /* Waiting for the stream is the step that says what became of the kernel; what fails elsewhere is no fault of this run. */
    if (status != ASSAY_OK &&
        (worker_lost(subject->worker) || worker_failed_step(subject->worker) != STEP_SYNC_STREAM))
        return assay_error_set(error, status, "%s", ran.message);
    return look_at_answer(subject, status, ran.message, reason);
}

assay_status launch_kernel(const check_subject *subject, guarded_problem *guarded, const assay_problem *host,
                           const launch_mode *mode, char reason[LAUNCH_REASON_MAX], assay_error *error)
{
    char guard_reason[GUARD_REASON_MAX] = "";
    reason[0] = '\0';
    assay_status status = ASSAY_OK;
    if (mode->corrupt)
        status = guarded_corrupt(guarded, mode->corrupt, error);
    else if (!mode->keep)
        status = guarded_poison(guarded, mode->poison, error);
    if (status == ASSAY_OK)
        status = run_bound(subject, guarded, mode, reason, error);
    if (status == ASSAY_OK) {
        status = guarded_check_zones(guarded, guard_reason, error);
        if (status == ASSAY_OK)
            status = guarded_check_inputs(guarded, host, mode->sparse ? 64 : 1, guard_reason, error);
        if (status == ASSAY_ERR_CHECK)
            wrong(reason, guard_reason, "");
    }
    return status;
}
