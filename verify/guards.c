/* Allocation, poison and fences around a problem's tensors; see guards.h. */
#include "verify/guards.h"
#include "verify/inputs.h"
#include "verify/random.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Canary of outputs and workspace: as f32 -1.4e-14, as f16 -0.026, as bf16 -3.4e-14: not a value kernels write in bulk. */
enum { CANARY = 0xa7 };

/* Around inputs lies a NaN of every dtype whose bits differ from the NaN that outputs are poisoned with, so that a kernel that
 * reads past an input is not taken for one that writes nothing. */
enum { INPUT_ZONE = 0x7fe1 };

static int is_cpu(const assay_device *device)
{
    return strcmp(assay_device_get_info(device)->kind, "cpu") == 0;
}

static int64_t tensor_bytes(const assay_tensor *tensor)
{
    return assay_tensor_count(tensor) * (int64_t)assay_dtype_bytes(tensor->dtype);
}

/* Zones around `bytes`: the rear one starts right after the last byte and fills up to 16 on the CPU device, whose guard
 * page begins there. */
static guarded_buffer plan_buffer(const assay_device *device, int64_t bytes)
{
    const int64_t rounding = (16 - bytes % 16) % 16;
    return (guarded_buffer){
        .front = GUARD_BYTES,
        .bytes = bytes,
        .rear = is_cpu(device) ? rounding : rounding + GUARD_BYTES,
    };
}

static int64_t total(guarded_buffer buffer)
{
    return buffer.front + buffer.bytes + buffer.rear;
}

int64_t guarded_need_bytes(const assay_device *device, const assay_problem *shapes)
{
    int64_t need = total(plan_buffer(device, shapes->workspace_bytes));
    for (int i = 0; i < shapes->input_count; i++)
        need += total(plan_buffer(device, tensor_bytes(&shapes->inputs[i])));
    for (int i = 0; i < shapes->output_count; i++)
        need += total(plan_buffer(device, tensor_bytes(&shapes->outputs[i])));
    return need;
}

static assay_status allocate(guarded_problem *guarded, int64_t bytes, guarded_buffer *buffer,
                             assay_error *error)
{
    *buffer = guarded->bare ? (guarded_buffer){.bytes = bytes} : plan_buffer(guarded->device, bytes);
    const assay_status status = assay_device_alloc(guarded->device, total(*buffer), &buffer->base, error);
    buffer->data = status == ASSAY_OK ? (char *)buffer->base + buffer->front : NULL;
    return status;
}

static assay_status open_buffers(guarded_problem *guarded, assay_error *error)
{
    assay_problem *problem = &guarded->problem;
    guarded->chunk = malloc(GUARD_CHUNK_BYTES);
    guarded->narrow = malloc(GUARD_CHUNK_BYTES);
    if (!guarded->chunk || !guarded->narrow)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no host memory for %d bytes",
                               2 * GUARD_CHUNK_BYTES);
    assay_status status = allocate(guarded, problem->workspace_bytes, &guarded->workspace, error);
    for (int i = 0; i < problem->input_count && status == ASSAY_OK; i++) {
        status = allocate(guarded, tensor_bytes(&problem->inputs[i]), &guarded->inputs[i], error);
        problem->inputs[i].data = guarded->inputs[i].data;
    }
    for (int i = 0; i < problem->output_count && status == ASSAY_OK; i++) {
        status = allocate(guarded, tensor_bytes(&problem->outputs[i]), &guarded->outputs[i], error);
        problem->outputs[i].data = guarded->outputs[i].data;
    }
    problem->workspace = guarded->workspace.data;
    return status;
}

assay_status guarded_open(assay_device *device, const opspec *spec, const assay_problem *shapes,
                          guarded_problem *guarded, assay_error *error)
{
    *guarded = (guarded_problem){.device = device, .spec = spec, .problem = *shapes};
    return open_buffers(guarded, error);
}

assay_status guarded_open_bare(assay_device *device, const opspec *spec, const assay_problem *shapes,
                               guarded_problem *guarded, assay_error *error)
{
    *guarded = (guarded_problem){.device = device, .spec = spec, .problem = *shapes, .bare = 1};
    return open_buffers(guarded, error);
}

void guarded_close(guarded_problem *guarded)
{
    if (!guarded->device)
        return;
    for (int i = 0; i < ASSAY_MAX_TENSORS; i++) {
        assay_device_free(guarded->device, guarded->inputs[i].base);
        assay_device_free(guarded->device, guarded->outputs[i].base);
    }
    assay_device_free(guarded->device, guarded->workspace.base);
    free(guarded->chunk);
    free(guarded->narrow);
    *guarded = (guarded_problem){0};
}

/* Fill a buffer with `inside` and the zones around it with canary bytes. */
static assay_status fill(assay_device *device, const guarded_buffer *buffer, int inside, assay_error *error)
{
    assay_status status = assay_device_fill(device, buffer->base, CANARY, buffer->front, error);
    if (status == ASSAY_OK && buffer->rear > 0)
        status = assay_device_fill(device, (char *)buffer->data + buffer->bytes, CANARY, buffer->rear, error);
    if (status == ASSAY_OK && buffer->bytes > 0)
        status = assay_device_fill(device, buffer->data, inside, buffer->bytes, error);
    return status;
}

static assay_status fill_input_zones(guarded_problem *guarded, const guarded_buffer *buffer,
                                     assay_error *error)
{
    if (guarded->bare)
        return ASSAY_OK;
    const int64_t longest = buffer->rear > buffer->front ? buffer->rear : buffer->front;
    for (int64_t i = 0; i < longest; i++)
        guarded->chunk[i] = (unsigned char)(INPUT_ZONE >> 8 * (i & 1));
    const assay_status status =
        assay_device_upload(guarded->device, buffer->base, guarded->chunk, buffer->front, error);
    if (status != ASSAY_OK || buffer->rear == 0)
        return status;
    return assay_device_upload(guarded->device, (char *)buffer->data + buffer->bytes, guarded->chunk,
                               buffer->rear, error);
}

/* The first `period` elements from the host, the others as copies of them, in doubling stretches. */
static assay_status upload_input(guarded_problem *guarded, const assay_tensor *tensor, const float *from,
                                 int64_t period, assay_error *error)
{
    const int64_t size = (int64_t)assay_dtype_bytes(tensor->dtype), step = GUARD_CHUNK_BYTES / size;
    const int64_t count = assay_tensor_count(tensor);
    char *to = tensor->data;
    assay_status status = ASSAY_OK;
    for (int64_t first = 0; first < period && status == ASSAY_OK; first += step) {
        const int64_t n = period - first < step ? period - first : step;
        inputs_narrow(from + first, tensor->dtype, n, guarded->chunk);
        status = assay_device_upload(guarded->device, to + first * size, guarded->chunk, n * size, error);
    }
    for (int64_t done = period; done < count && status == ASSAY_OK; done *= 2) {
        const int64_t n = count - done < done ? count - done : done;
        status = assay_device_copy(guarded->device, to + done * size, to, n * size, error);
    }
    return status;
}

assay_status guarded_upload_periodic(guarded_problem *guarded, const assay_problem *host,
                                     const int64_t *periods, assay_error *error)
{
    assay_status status = ASSAY_OK;
    for (int i = 0; i < guarded->problem.input_count && status == ASSAY_OK; i++) {
        status = fill_input_zones(guarded, &guarded->inputs[i], error);
        if (status == ASSAY_OK)
            status =
                upload_input(guarded, &guarded->problem.inputs[i], host->inputs[i].data, periods[i], error);
    }
    return status;
}

assay_status guarded_upload(guarded_problem *guarded, const assay_problem *host, assay_error *error)
{
    int64_t counts[ASSAY_MAX_TENSORS] = {0};
    for (int i = 0; i < guarded->problem.input_count; i++)
        counts[i] = assay_tensor_count(&guarded->problem.inputs[i]);
    return guarded_upload_periodic(guarded, host, counts, error);
}

assay_status guarded_poison(guarded_problem *guarded, int poison, assay_error *error)
{
    if (guarded->bare)
        return ASSAY_OK;
    /* The workspace gets the other poison, so that using it uninitialised does not look like an output left alone. */
    const int other = poison == GUARD_POISON_NAN ? GUARD_POISON_LARGE : GUARD_POISON_NAN;
    assay_status status = fill(guarded->device, &guarded->workspace, other, error);
    for (int i = 0; i < guarded->problem.output_count && status == ASSAY_OK; i++)
        status = fill(guarded->device, &guarded->outputs[i], poison, error);
    return status == ASSAY_OK ? assay_device_sync_stream(guarded->device, error) : status;
}

/* Overwrite [first, first + count) of an output with the `noise` in guarded->chunk, which holds that many elements. */
static assay_status spoil_spot(guarded_problem *guarded, const assay_tensor *output, int64_t first,
                               int64_t count, int64_t noise, assay_error *error)
{
    const int64_t size = (int64_t)assay_dtype_bytes(output->dtype);
    assay_status status = ASSAY_OK;
    for (int64_t done = 0; done < count && status == ASSAY_OK; done += noise) {
        const int64_t n = count - done < noise ? count - done : noise;
        status = assay_device_upload(guarded->device, (char *)output->data + (first + done) * size,
                                     guarded->chunk, n * size, error);
    }
    return status;
}

assay_status guarded_spoil(guarded_problem *guarded, uint64_t seed, assay_error *error)
{
    enum { MOST_SPOTS = 40, ELEMENTS_A_SPOT = 32, NOISE_CHUNKS = 64, SPOIL_STREAM = 8192 };
    float values[RANDOM_CHUNK];
    assay_status status = ASSAY_OK;
    for (int o = 0; o < guarded->problem.output_count && status == ASSAY_OK; o++) {
        const assay_tensor *output = &guarded->problem.outputs[o];
        const int64_t size = (int64_t)assay_dtype_bytes(output->dtype), count = assay_tensor_count(output);
        const int64_t lengths[] = {1, 5, 64, 1000, count / 8};
        for (int64_t i = 0; i < NOISE_CHUNKS; i++) {
            random_normal(seed, SPOIL_STREAM, (uint64_t)i, values);
            inputs_narrow(values, output->dtype, RANDOM_CHUNK, guarded->chunk + i * RANDOM_CHUNK * size);
        }
        /* Fewer in small outputs: where all is spoiled, nothing is left to be wrongly trusted. */
        const int64_t dense = (count + ELEMENTS_A_SPOT - 1) / ELEMENTS_A_SPOT;
        const int spots = dense < MOST_SPOTS ? (int)dense : MOST_SPOTS;
        for (int i = 0; i < spots && status == ASSAY_OK; i++) {
            /* Long spots are few: what lies between them is what a kernel may wrongly trust. */
            const int64_t wanted = i < 2 ? lengths[4] : lengths[i % 4];
            const int64_t length = wanted < 1 ? 1 : wanted < count / 8 + 1 ? wanted : count / 8 + 1;
            const int64_t first =
                (int64_t)(random_word_at(seed, SPOIL_STREAM + 1 + (uint64_t)o, (uint64_t)i) %
                          (uint64_t)(count - length + 1));
            status = spoil_spot(guarded, output, first, length, (int64_t)NOISE_CHUNKS * RANDOM_CHUNK, error);
        }
    }
    return status == ASSAY_OK ? assay_device_sync_stream(guarded->device, error) : status;
}

/* Check one zone of `bytes`; `rear` says on which side of the tensor it lies, for the distance in the reason. */
static assay_status check_zone(guarded_problem *guarded, const void *at, int64_t bytes, int rear,
                               const char *what, const char *name, char *reason, assay_error *error)
{
    if (bytes == 0)
        return ASSAY_OK;
    const assay_status status = assay_device_download(guarded->device, guarded->chunk, at, bytes, error);
    if (status != ASSAY_OK)
        return status;
    int64_t damaged = 0, nearest = -1;
    for (int64_t i = 0; i < bytes; i++) {
        if (guarded->chunk[i] == CANARY)
            continue;
        damaged++;
        if (nearest < 0 || !rear)
            nearest = rear ? i + 1 : bytes - i;
    }
    if (damaged == 0)
        return ASSAY_OK;
    snprintf(reason, GUARD_REASON_MAX,
             "out of bounds: wrote %lld bytes %s %s %s, the nearest %lld bytes away", (long long)damaged,
             rear ? "past the end of" : "before the start of", what, name, (long long)nearest);
    return ASSAY_ERR_CHECK;
}

static assay_status check_buffer(guarded_problem *guarded, const guarded_buffer *buffer, const char *what,
                                 const char *name, char *reason, assay_error *error)
{
    const assay_status status =
        check_zone(guarded, buffer->base, buffer->front, 0, what, name, reason, error);
    if (status != ASSAY_OK)
        return status;
    return check_zone(guarded, (char *)buffer->data + buffer->bytes, buffer->rear, 1, what, name, reason,
                      error);
}

assay_status guarded_check_fences(guarded_problem *guarded, char reason[GUARD_REASON_MAX], assay_error *error)
{
    assay_status status = check_buffer(guarded, &guarded->workspace, "the", "workspace", reason, error);
    for (int i = 0; i < guarded->problem.output_count && status == ASSAY_OK; i++)
        status = check_buffer(guarded, &guarded->outputs[i], "output", guarded->spec->outputs[i].name, reason,
                              error);
    return status;
}

/* Position of the first byte that differs; called only when two chunks are known to differ. */
static int64_t first_difference(const unsigned char *a, const unsigned char *b)
{
    int64_t i = 0;
    while (a[i] == b[i])
        i++;
    return i;
}

assay_status guarded_check_inputs(guarded_problem *guarded, const assay_problem *host, int every,
                                  char reason[GUARD_REASON_MAX], assay_error *error)
{
    for (int i = 0; i < guarded->problem.input_count; i++) {
        const assay_tensor *tensor = &guarded->problem.inputs[i];
        const float *from = host->inputs[i].data;
        const int64_t size = (int64_t)assay_dtype_bytes(tensor->dtype), step = GUARD_CHUNK_BYTES / size;
        const int64_t count = assay_tensor_count(tensor);
        for (int64_t first = 0; first < count; first += step) {
            const int64_t n = count - first < step ? count - first : step;
            if (first / step % every != 0 && first + step < count)
                continue;
            const assay_status status = assay_device_download(
                guarded->device, guarded->chunk, (char *)tensor->data + first * size, n * size, error);
            if (status != ASSAY_OK)
                return status;
            inputs_narrow(from + first, tensor->dtype, n, guarded->narrow);
            if (memcmp(guarded->chunk, guarded->narrow, (size_t)(n * size)) == 0)
                continue;
            snprintf(reason, GUARD_REASON_MAX, "the kernel modified its input %s, first at element %lld",
                     guarded->spec->inputs[i].name,
                     (long long)(first + first_difference(guarded->chunk, guarded->narrow) / size));
            return ASSAY_ERR_CHECK;
        }
    }
    return ASSAY_OK;
}
