/* A guarded kernel run; see launch.h. */
#include "verify/launch.h"
#include "verify/hash.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PEEK_BYTES = 1 << 20, PEEK_WAIT_NS = 5000000 };

assay_status launch_hash_outputs(guarded_problem *guarded, uint64_t *hash, assay_error *error)
{
    *hash = 0;
    for (int i = 0; i < guarded->problem.output_count; i++) {
        const guarded_buffer *buffer = &guarded->outputs[i];
        for (int64_t first = 0; first < buffer->bytes; first += GUARD_CHUNK_BYTES) {
            const int64_t left = buffer->bytes - first,
                          n = left < GUARD_CHUNK_BYTES ? left : GUARD_CHUNK_BYTES;
            const assay_status status = assay_device_download(guarded->device, guarded->chunk,
                                                              (char *)buffer->data + first, n, error);
            if (status != ASSAY_OK)
                return status;
            *hash = bits_hash(*hash, guarded->chunk, (size_t)n);
        }
    }
    return ASSAY_OK;
}

int launch_wrote_late(guarded_problem *guarded)
{
    uint64_t before, after;
    return launch_hash_outputs(guarded, &before, NULL) == ASSAY_OK &&
           assay_device_sync_all(guarded->device, NULL) == ASSAY_OK &&
           launch_hash_outputs(guarded, &after, NULL) == ASSAY_OK && before != after;
}

/* With the stream still blocked: is every peeked byte of the outputs (their first and last MiB) still poison? */
static assay_status peek_outputs(guarded_problem *guarded, int poison, int *untouched, assay_error *error)
{
    *untouched = 1;
    nanosleep(&(struct timespec){.tv_nsec = PEEK_WAIT_NS},
              NULL); /* give a stray launch the time to write something */
    for (int i = 0; i < guarded->problem.output_count; i++) {
        const guarded_buffer *buffer = &guarded->outputs[i];
        const int64_t n = buffer->bytes < PEEK_BYTES ? buffer->bytes : PEEK_BYTES;
        for (int end = 0; end < 2 && n > 0; end++) {
            const char *at = (const char *)buffer->data + (end ? buffer->bytes - n : 0);
            const assay_status status = assay_device_peek(guarded->device, guarded->chunk, at, n, error);
            if (status != ASSAY_OK)
                return status;
            for (int64_t b = 0; b < n && *untouched; b++)
                *untouched = guarded->chunk[b] == (unsigned char)poison;
        }
    }
    return ASSAY_OK;
}

static assay_status wrong(char *reason, const char *text, const char *detail)
{
    snprintf(reason, LAUNCH_REASON_MAX, "%.100s%.400s", text, detail);
    return ASSAY_ERR_CHECK;
}

/* Enqueue, possibly behind a blocked stream. The kernel's own status goes to *returned. */
static assay_status enqueue(const check_subject *subject, guarded_problem *guarded, const void *args,
                            const launch_mode *mode, assay_status *returned, char *reason, assay_error *error)
{
    assay_device *device = subject->device;
    const assay_stream stream = assay_device_stream(device);
    /* On the CPU device blocking does nothing and launches may run at once: peeking would accuse the innocent. */
    const int blocked =
        mode->blocked && !subject->synchronises && strcmp(assay_device_get_info(device)->kind, "cuda") == 0;
    if (!blocked) {
        *returned = subject->run(args, stream);
        return ASSAY_OK;
    }
    int untouched = 1;
    assay_status status = assay_device_block(device, error);
    if (status != ASSAY_OK)
        return status;
    *returned = subject->run(args, stream);
    if (*returned == ASSAY_OK)
        status = peek_outputs(guarded, mode->poison, &untouched, error);
    if (assay_device_unblock(device, NULL) != ASSAY_OK)
        return wrong(reason, "the call waited for the device: a kernel must only enqueue its work", "");
    if (status == ASSAY_OK && !untouched)
        return wrong(reason, "wrong stream: the output changed while the given stream was held back", "");
    return status;
}

static assay_status run_and_wait(const check_subject *subject, guarded_problem *guarded,
                                 const launch_mode *mode, char *reason, assay_error *error)
{
    void *args = calloc(1, subject->impl->args_bytes);
    if (!args)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for the kernel's arguments");
    assay_status returned = ASSAY_OK, status = subject->impl->bind(&guarded->problem, args);
    if (status != ASSAY_OK) {
        free(args);
        return assay_error_set(error, status, "%s: its arguments could not be bound", subject->spec->name);
    }
    status = enqueue(subject, guarded, args, mode, &returned, reason, error);
    free(args);
    if (status != ASSAY_OK)
        return status;
    if (returned == ASSAY_ERR_UNSUPPORTED) {
        snprintf(reason, LAUNCH_REASON_MAX, "%s",
                 subject->contest ? "solve() cannot be asked for this problem (op.json's solve.when)"
                                  : "the kernel does not support this problem");
        return ASSAY_ERR_UNSUPPORTED;
    }
    assay_error device_error = {0};
    status = assay_device_sync_stream(subject->device, &device_error);
    if (returned != ASSAY_OK) {
        char detail[600];
        snprintf(detail, sizeof detail, "%s%s%s", assay_status_describe(returned),
                 device_error.message[0] ? ": " : "", device_error.message);
        return wrong(reason, "the kernel returned an error: ", detail);
    }
    return status == ASSAY_OK ? ASSAY_OK
                              : wrong(reason, "the device reported an error: ", device_error.message);
}

assay_status launch_kernel(const check_subject *subject, guarded_problem *guarded, const assay_problem *host,
                           const launch_mode *mode, char reason[LAUNCH_REASON_MAX], assay_error *error)
{
    char guard_reason[GUARD_REASON_MAX] = "";
    reason[0] = '\0';
    assay_status status = mode->spoil ? guarded_spoil(guarded, mode->spoil, error)
                                      : guarded_poison(guarded, mode->poison, error);
    if (status == ASSAY_OK)
        status = run_and_wait(subject, guarded, mode, reason, error);
    if (status == ASSAY_OK) {
        status = guarded_check_fences(guarded, guard_reason, error);
        if (status == ASSAY_OK)
            status = guarded_check_inputs(guarded, host, mode->sparse ? 64 : 1, guard_reason, error);
        if (status == ASSAY_ERR_CHECK)
            wrong(reason, guard_reason, "");
    }
    return status;
}
