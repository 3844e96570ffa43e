/* What a guarded problem holds before a run: inputs between their zones, poison, spots of noise. See guards.h. */
#include "verify/guards_parts.h"
#include "verify/inputs.h"
#include "verify/random.h"
#include <string.h>

/* ---- inputs ---- */

static void write_input_zone(unsigned char *to, int64_t bytes)
{
    for (int64_t i = 0; i < bytes; i++)
        to[i] = (unsigned char)(INPUT_ZONE >> 8 * (i & 1));
}

static assay_status put_input_zones(guarded_problem *guarded, const guarded_buffer *buffer,
                                    assay_error *error)
{
    const int64_t rear = buffer->front + buffer->bytes;
    write_input_zone(guard_place(guarded, buffer, 0), buffer->front);
    assay_status status = guard_put(guarded, buffer, 0, buffer->front, error);
    write_input_zone(guard_place(guarded, buffer, rear), buffer->rear);
    return status == ASSAY_OK ? guard_put(guarded, buffer, rear, buffer->rear, error) : status;
}

/* The first `period` elements from the host, the others as copies of them. */
static assay_status upload_input(guarded_problem *guarded, int input, const float *from, int64_t period,
                                 assay_error *error)
{
    const assay_tensor *tensor = &guarded->problem.inputs[input];
    const guarded_buffer *buffer = &guarded->inputs[input];
    const int64_t size = (int64_t)assay_dtype_bytes(tensor->dtype), step = GUARD_CHUNK_BYTES / size;
    assay_status status = put_input_zones(guarded, buffer, error);
    for (int64_t first = 0; first < period && status == ASSAY_OK; first += step) {
        const int64_t n = period - first < step ? period - first : step, at = buffer->front + first * size;
        inputs_narrow(from + first, tensor->dtype, n, guard_place(guarded, buffer, at));
        status = guard_put(guarded, buffer, at, n * size, error);
    }
    if (status == ASSAY_OK && period * size < buffer->bytes)
        status = worker_add(guarded->worker,
                            (protocol_step){.kind = STEP_REPEAT,
                                            .buffer = buffer->number,
                                            .offset = buffer->front,
                                            .bytes = buffer->bytes,
                                            .value = (uint64_t)(period * size)},
                            NULL, error);
    return status;
}

assay_status guarded_upload_periodic(guarded_problem *guarded, const assay_problem *host,
                                     const int64_t *periods, assay_error *error)
{
    assay_status status = ASSAY_OK;
    for (int i = 0; i < guarded->problem.input_count && status == ASSAY_OK; i++)
        status = upload_input(guarded, i, host->inputs[i].data, periods[i], error);
    return status;
}

assay_status guarded_upload(guarded_problem *guarded, const assay_problem *host, assay_error *error)
{
    int64_t counts[ASSAY_MAX_TENSORS] = {0};
    for (int i = 0; i < guarded->problem.input_count; i++)
        counts[i] = assay_tensor_count(&guarded->problem.inputs[i]);
    return guarded_upload_periodic(guarded, host, counts, error);
}

/* ---- outputs and workspace ---- */

static assay_status fill_part(guarded_problem *guarded, const guarded_buffer *buffer, int64_t at,
                              int64_t bytes, int value, assay_error *error)
{
    protocol_step step = guard_step(guarded, STEP_FILL, buffer, at, bytes);
    step.value = (uint64_t)value;
    return bytes > 0 ? worker_add(guarded->worker, step, NULL, error) : ASSAY_OK;
}

/* Fill a buffer with `inside` and the zones around it with canary bytes. */
static assay_status fill(guarded_problem *guarded, const guarded_buffer *buffer, int inside,
                         assay_error *error)
{
    assay_status status = fill_part(guarded, buffer, 0, buffer->front, CANARY, error);
    if (status == ASSAY_OK)
        status = fill_part(guarded, buffer, buffer->front + buffer->bytes, buffer->rear, CANARY, error);
    return status == ASSAY_OK ? fill_part(guarded, buffer, buffer->front, buffer->bytes, inside, error)
                              : status;
}

assay_status guarded_poison(guarded_problem *guarded, int poison, assay_error *error)
{
    if (guarded->form == GUARDED_EXACT)
        return ASSAY_OK;
    /* The workspace gets the other poison, so that using it uninitialised does not look like an output left alone. */
    const int other = poison == GUARD_POISON_NAN ? GUARD_POISON_LARGE : GUARD_POISON_NAN;
    assay_status status = fill(guarded, &guarded->workspace, other, error);
    for (int i = 0; i < guarded->problem.output_count && status == ASSAY_OK; i++)
        status = fill(guarded, &guarded->outputs[i], poison, error);
    return status;
}

/* Write `bytes` of an output from guarded->chunk. */
static assay_status write_output(guarded_problem *guarded, int output, int64_t at, int64_t bytes,
                                 assay_error *error)
{
    const guarded_buffer *buffer = &guarded->outputs[output];
    if (!guarded->worker)
        return assay_device_upload(guarded->device, (char *)buffer->data + at, guarded->chunk, bytes, error);
    memcpy(guard_place(guarded, buffer, buffer->front + at), guarded->chunk, (size_t)bytes);
    return guard_put(guarded, buffer, buffer->front + at, bytes, error);
}

/* Overwrite [first, first + count) of an output with the `noise` in guarded->chunk, which holds that many elements. */
static assay_status corrupt_spot(guarded_problem *guarded, int output, int64_t first, int64_t count,
                                 int64_t noise, assay_error *error)
{
    const int64_t size = (int64_t)assay_dtype_bytes(guarded->problem.outputs[output].dtype);
    assay_status status = ASSAY_OK;
    for (int64_t done = 0; done < count && status == ASSAY_OK; done += noise) {
        const int64_t n = count - done < noise ? count - done : noise;
        status = write_output(guarded, output, (first + done) * size, n * size, error);
    }
    return status;
}

assay_status guarded_corrupt(guarded_problem *guarded, uint64_t seed, assay_error *error)
{
    enum { MOST_SPOTS = 40, ELEMENTS_A_SPOT = 32, NOISE_CHUNKS = 64, CORRUPT_STREAM = 8192 };
    float values[RANDOM_CHUNK];
    assay_status status = ASSAY_OK;
    for (int o = 0; o < guarded->problem.output_count && status == ASSAY_OK; o++) {
        const assay_tensor *output = &guarded->problem.outputs[o];
        const int64_t size = (int64_t)assay_dtype_bytes(output->dtype), count = assay_tensor_count(output);
        const int64_t lengths[] = {1, 5, 64, 1000, count / 8}, longest = count / 8 + 1,
                      wanted_chunks = (longest + RANDOM_CHUNK - 1) / RANDOM_CHUNK,
                      chunks = wanted_chunks < NOISE_CHUNKS ? wanted_chunks : NOISE_CHUNKS;
        for (int64_t i = 0; i < chunks; i++) {
            random_normal(seed, CORRUPT_STREAM, (uint64_t)i, values);
            inputs_narrow(values, output->dtype, RANDOM_CHUNK, guarded->chunk + i * RANDOM_CHUNK * size);
        }
        /* Fewer in small outputs: where all is overwritten, nothing is left to be wrongly trusted. */
        const int64_t dense = (count + ELEMENTS_A_SPOT - 1) / ELEMENTS_A_SPOT;
        const int spots = dense < MOST_SPOTS ? (int)dense : MOST_SPOTS;
        for (int i = 0; i < spots && status == ASSAY_OK; i++) {
            /* Long spots are few: what lies between them is what a kernel may wrongly trust. */
            const int64_t wanted = i < 2 ? lengths[4] : lengths[i % 4];
            const int64_t length = wanted < 1 ? 1 : wanted < longest ? wanted : longest;
            const int64_t first =
                (int64_t)(random_word_at(seed, CORRUPT_STREAM + 1 + (uint64_t)o, (uint64_t)i) %
                          (uint64_t)(count - length + 1));
            status = corrupt_spot(guarded, o, first, length, chunks * RANDOM_CHUNK, error);
        }
    }
    return status == ASSAY_OK && !guarded->worker ? assay_device_sync_stream(guarded->device, error) : status;
}
