/* What came back of a guarded problem: outputs, zones, inputs. See guards.h. */
#include "verify/guards_parts.h"
#include "verify/inputs.h"
#include <stdio.h>
#include <string.h>

/* Find the bytes as last fetched; through the window they are fetched now. */
static assay_status get(guarded_problem *guarded, const guarded_buffer *buffer, int64_t at, int64_t bytes,
                        const unsigned char **bytes_at, assay_error *error)
{
    assay_status status = ASSAY_OK;
    *bytes_at = guard_place(guarded, buffer, at);
    if (guarded->form != GUARDED_WINDOWED || bytes == 0)
        return ASSAY_OK;
    status = worker_add(guarded->worker, guard_step(guarded, STEP_DOWNLOAD, buffer, at, bytes), NULL, error);
    return status == ASSAY_OK ? worker_flush(guarded->worker, error) : status;
}

static assay_status fetch(guarded_problem *guarded, const guarded_buffer *buffer, int64_t at, int64_t bytes,
                          assay_error *error)
{
    return bytes == 0 ? ASSAY_OK
                      : worker_add(guarded->worker, guard_step(guarded, STEP_DOWNLOAD, buffer, at, bytes),
                                   NULL, error);
}

assay_status guarded_fetch(guarded_problem *guarded, int unread, assay_error *error)
{
    assay_status status = ASSAY_OK;
    if (guarded->form == GUARDED_WINDOWED)
        return ASSAY_OK;
    for (int i = 0; i < guarded->problem.input_count && status == ASSAY_OK; i++)
        status = fetch(guarded, &guarded->inputs[i], 0, guard_total(&guarded->inputs[i]), error);
    for (int i = 0; i < guarded->problem.output_count && status == ASSAY_OK && !unread; i++)
        status = fetch(guarded, &guarded->outputs[i], 0, guard_total(&guarded->outputs[i]), error);
    const guarded_buffer *workspace = &guarded->workspace;
    if (status == ASSAY_OK)
        status = fetch(guarded, workspace, 0, workspace->front, error);
    return status == ASSAY_OK
               ? fetch(guarded, workspace, workspace->front + workspace->bytes, workspace->rear, error)
               : status;
}

assay_status guarded_read_output(guarded_problem *guarded, int output, int64_t at, int64_t bytes,
                                 assay_error *error)
{
    const guarded_buffer *buffer = &guarded->outputs[output];
    const unsigned char *from;
    if (!guarded->worker)
        return assay_device_download(guarded->device, guarded->chunk, (char *)buffer->data + at, bytes,
                                     error);
    const assay_status status = get(guarded, buffer, buffer->front + at, bytes, &from, error);
    if (status == ASSAY_OK)
        memcpy(guarded->chunk, from, (size_t)bytes);
    if (status == ASSAY_OK && guarded->read[output])
        memcpy(guarded->read[output] + at, guarded->chunk, (size_t)bytes);
    return status;
}

assay_status guarded_outputs_are_read(guarded_problem *guarded, int *same, assay_error *error)
{
    *same = 1;
    for (int o = 0; o < guarded->problem.output_count && *same; o++) {
        const guarded_buffer *buffer = &guarded->outputs[o];
        const unsigned char *from;
        const assay_status status = get(guarded, buffer, buffer->front, buffer->bytes, &from, error);
        if (status != ASSAY_OK)
            return status;
        *same = guarded->read[o] && memcmp(guarded->read[o], from, (size_t)buffer->bytes) == 0;
    }
    return ASSAY_OK;
}

/* Check one zone; `rear` says on which side of the tensor it lies. `pattern`: what its bytes are, two in turn. */
static assay_status check_zone(guarded_problem *guarded, const guarded_buffer *buffer, int rear,
                               unsigned pattern, const char *name, char *reason, assay_error *error)
{
    const int64_t bytes = rear ? buffer->rear : buffer->front;
    const unsigned char *zone;
    const assay_status status =
        get(guarded, buffer, rear ? buffer->front + buffer->bytes : 0, bytes, &zone, error);
    if (status != ASSAY_OK)
        return status;
    int64_t damaged = 0, nearest = -1;
    if (bytes >= 2 && zone[0] == (unsigned char)pattern && zone[1] == (unsigned char)(pattern >> 8) &&
        memcmp(zone, zone + 2, (size_t)bytes - 2) == 0)
        return ASSAY_OK;
    for (int64_t i = 0; i < bytes; i++) {
        if (zone[i] == (unsigned char)(pattern >> 8 * (i & 1)))
            continue;
        damaged++;
        if (nearest < 0 || !rear)
            nearest = rear ? i + 1 : bytes - i;
    }
    if (damaged == 0)
        return ASSAY_OK;
    snprintf(reason, GUARD_REASON_MAX, "out of bounds: wrote %lld bytes %s %s, the nearest %lld bytes away",
             (long long)damaged, rear ? "past the end of" : "before the start of", name, (long long)nearest);
    return ASSAY_ERR_CHECK;
}

static assay_status check_zones(guarded_problem *guarded, const guarded_buffer *buffer, unsigned pattern,
                                const char *what, const char *tensor, char *reason, assay_error *error)
{
    char name[ASSAY_NAME_MAX + 16];
    snprintf(name, sizeof name, "%s%s%s", what, tensor[0] ? " " : "", tensor);
    const assay_status status = check_zone(guarded, buffer, 0, pattern, name, reason, error);
    return status == ASSAY_OK ? check_zone(guarded, buffer, 1, pattern, name, reason, error) : status;
}

assay_status guarded_check_zones(guarded_problem *guarded, char reason[GUARD_REASON_MAX], assay_error *error)
{
    const unsigned canary = CANARY | CANARY << 8;
    const opspec *spec = guarded->spec;
    assay_status status =
        check_zones(guarded, &guarded->workspace, canary, "the workspace", "", reason, error);
    for (int i = 0; i < guarded->problem.output_count && status == ASSAY_OK; i++)
        status = check_zones(guarded, &guarded->outputs[i], canary, "output", spec->outputs[i].name, reason,
                             error);
    for (int i = 0; i < guarded->problem.input_count && status == ASSAY_OK; i++)
        status = check_zones(guarded, &guarded->inputs[i], INPUT_ZONE, "input", spec->inputs[i].name, reason,
                             error);
    return status;
}

/* Position of the first byte that differs; called only when two chunks are known to differ. */
static int64_t first_difference(const unsigned char *a, const unsigned char *b, int64_t bytes)
{
    int64_t i = 0;
    while (i < bytes && a[i] == b[i])
        i++;
    return i;
}

/* Is [first, first + n) of an input what the host has? */
static assay_status check_input_chunk(guarded_problem *guarded, int input, const float *from, int64_t first,
                                      int64_t n, char *reason, assay_error *error)
{
    const assay_tensor *tensor = &guarded->problem.inputs[input];
    const guarded_buffer *buffer = &guarded->inputs[input];
    const int64_t size = (int64_t)assay_dtype_bytes(tensor->dtype);
    const unsigned char *got, *wanted = (const unsigned char *)(from + first);
    const assay_status status = get(guarded, buffer, buffer->front + first * size, n * size, &got, error);
    if (status != ASSAY_OK)
        return status;
    if (tensor->dtype != ASSAY_F32) {
        inputs_narrow(from + first, tensor->dtype, n, guarded->narrow);
        wanted = guarded->narrow;
    }
    if (memcmp(got, wanted, (size_t)(n * size)) == 0)
        return ASSAY_OK;
    snprintf(reason, GUARD_REASON_MAX, "the kernel modified its input %s, first at element %lld",
             guarded->spec->inputs[input].name,
             (long long)(first + first_difference(got, wanted, n * size) / size));
    return ASSAY_ERR_CHECK;
}

assay_status guarded_check_inputs(guarded_problem *guarded, const assay_problem *host, int every,
                                  char reason[GUARD_REASON_MAX], assay_error *error)
{
    for (int i = 0; i < guarded->problem.input_count; i++) {
        const assay_tensor *tensor = &guarded->problem.inputs[i];
        const int64_t step = GUARD_CHUNK_BYTES / (int64_t)assay_dtype_bytes(tensor->dtype);
        const int64_t count = assay_tensor_count(tensor);
        for (int64_t first = 0; first < count; first += step) {
            const int64_t n = count - first < step ? count - first : step;
            if (first / step % every != 0 && first + step < count)
                continue;
            const assay_status status =
                check_input_chunk(guarded, i, host->inputs[i].data, first, n, reason, error);
            if (status != ASSAY_OK)
                return status;
        }
    }
    return ASSAY_OK;
}
