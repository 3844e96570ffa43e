/* Allocation, images, poison and zones around a problem's tensors; see guards.h. */
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

enum { IMAGE_ALIGNMENT = 4096 };

static int64_t tensor_bytes(const assay_tensor *tensor)
{
    return assay_tensor_count(tensor) * (int64_t)assay_dtype_bytes(tensor->dtype);
}

/* Zones around `bytes`. The CPU device puts inaccessible pages around each allocation: there the zones fill its pages up, and are less
 * than one in all. At the end of its pages a tensor keeps an alignment of 16. */
static guarded_buffer plan_buffer(const char *kind, guarded_form form, int number, int64_t bytes)
{
    const int64_t rounding = (16 - bytes % 16) % 16, page = 4096;
    guarded_buffer buffer = {.number = number, .bytes = bytes};
    if (form == GUARDED_EXACT)
        return buffer;
    const int on_cpu = strcmp(kind, "cpu") == 0;
    buffer.front = on_cpu ? (page - (bytes + rounding) % page) % page : GUARD_BYTES;
    buffer.rear = on_cpu ? rounding : rounding + GUARD_BYTES;
    return buffer;
}

static int64_t total(const guarded_buffer *buffer)
{
    return buffer->front + buffer->bytes + buffer->rear;
}

/* All buffers of a problem; images one behind the other. Returns the bytes of all images. */
static int64_t plan_buffers(const char *kind, guarded_form form, const assay_problem *shapes,
                            guarded_problem *guarded)
{
    int64_t at = 0;
    for (int i = 0; i < shapes->input_count; i++)
        guarded->inputs[i] = plan_buffer(kind, form, BUFFER_INPUT + i, tensor_bytes(&shapes->inputs[i]));
    for (int i = 0; i < shapes->output_count; i++)
        guarded->outputs[i] = plan_buffer(kind, form, BUFFER_OUTPUT + i, tensor_bytes(&shapes->outputs[i]));
    guarded->workspace = plan_buffer(kind, form, BUFFER_WORKSPACE, shapes->workspace_bytes);
    guarded_buffer *all[PROTOCOL_BUFFERS];
    int count = 0;
    for (int i = 0; i < shapes->input_count; i++)
        all[count++] = &guarded->inputs[i];
    for (int i = 0; i < shapes->output_count; i++)
        all[count++] = &guarded->outputs[i];
    all[count++] = &guarded->workspace;
    for (int i = 0; i < count; i++) {
        all[i]->image = at;
        at += (total(all[i]) + IMAGE_ALIGNMENT - 1) / IMAGE_ALIGNMENT * IMAGE_ALIGNMENT;
    }
    return at;
}

int64_t guarded_need_bytes(const char *device_kind, const assay_problem *shapes)
{
    guarded_problem plan = {0};
    plan_buffers(device_kind, GUARDED_ZONES, shapes, &plan);
    int64_t need = total(&plan.workspace);
    for (int i = 0; i < shapes->input_count; i++)
        need += total(&plan.inputs[i]);
    for (int i = 0; i < shapes->output_count; i++)
        need += total(&plan.outputs[i]);
    return need;
}

int64_t guarded_shared_bytes(const char *device_kind, const assay_problem *shapes)
{
    guarded_problem plan = {0};
    return plan_buffers(device_kind, GUARDED_ZONES, shapes, &plan);
}

/* ---- bytes to and from the worker ---- */

/* Where the judge writes bytes that put() sends, or finds those that get() brought: in the image, or in the window. */
static unsigned char *place(const guarded_problem *guarded, const guarded_buffer *buffer, int64_t at)
{
    unsigned char *shared = worker_shared(guarded->worker);
    return guarded->form == GUARDED_WINDOWED ? shared : shared + buffer->image + at;
}

static protocol_step step_of(const guarded_problem *guarded, step_kind kind, const guarded_buffer *buffer,
                             int64_t at, int64_t bytes)
{
    return (protocol_step){.kind = kind,
                           .buffer = buffer->number,
                           .offset = at,
                           .bytes = bytes,
                           .shared = guarded->form == GUARDED_WINDOWED ? 0 : buffer->image + at};
}

/* Send bytes [at, at + bytes) of a buffer, zones counted in. A window is needed again, so it is emptied at once. */
static assay_status put(guarded_problem *guarded, const guarded_buffer *buffer, int64_t at, int64_t bytes,
                        assay_error *error)
{
    if (bytes == 0)
        return ASSAY_OK;
    const assay_status status =
        worker_add(guarded->worker, step_of(guarded, STEP_UPLOAD, buffer, at, bytes), NULL, error);
    return status == ASSAY_OK && guarded->form == GUARDED_WINDOWED ? worker_flush(guarded->worker, error)
                                                                   : status;
}

/* Find the bytes as last fetched; through the window they are fetched now. */
static assay_status get(guarded_problem *guarded, const guarded_buffer *buffer, int64_t at, int64_t bytes,
                        const unsigned char **bytes_at, assay_error *error)
{
    assay_status status = ASSAY_OK;
    *bytes_at = place(guarded, buffer, at);
    if (guarded->form != GUARDED_WINDOWED || bytes == 0)
        return ASSAY_OK;
    status = worker_add(guarded->worker, step_of(guarded, STEP_DOWNLOAD, buffer, at, bytes), NULL, error);
    return status == ASSAY_OK ? worker_flush(guarded->worker, error) : status;
}

static assay_status fetch(guarded_problem *guarded, const guarded_buffer *buffer, int64_t at, int64_t bytes,
                          assay_error *error)
{
    return bytes == 0
               ? ASSAY_OK
               : worker_add(guarded->worker, step_of(guarded, STEP_DOWNLOAD, buffer, at, bytes), NULL, error);
}

/* ---- opening ---- */

static assay_status allocate(guarded_problem *guarded, const guarded_buffer *buffer, assay_error *error)
{
    return worker_add(
        guarded->worker,
        (protocol_step){.kind = STEP_ALLOCATE, .buffer = buffer->number, .bytes = total(buffer)}, NULL,
        error);
}

static void *address_of(const guarded_problem *guarded, const guarded_buffer *buffer)
{
    return (void *)(uintptr_t)(worker_address(guarded->worker, buffer->number) + (uint64_t)buffer->front);
}

/* Tell the worker where the tensor of a buffer lies, and the problem. */
static assay_status place_tensor(guarded_problem *guarded, const guarded_buffer *buffer, int is_input,
                                 void **data, assay_error *error)
{
    *data = address_of(guarded, buffer);
    return worker_add(guarded->worker,
                      (protocol_step){.kind = STEP_TENSOR,
                                      .buffer = buffer->number,
                                      .offset = buffer->front,
                                      .bytes = buffer->bytes,
                                      .value = (uint64_t)is_input},
                      NULL, error);
}

static assay_status place_tensors(guarded_problem *guarded, assay_error *error)
{
    assay_problem *problem = &guarded->problem;
    assay_status status = place_tensor(guarded, &guarded->workspace, 0, &problem->workspace, error);
    for (int i = 0; i < problem->input_count && status == ASSAY_OK; i++)
        status = place_tensor(guarded, &guarded->inputs[i], 1, &problem->inputs[i].data, error);
    for (int i = 0; i < problem->output_count && status == ASSAY_OK; i++)
        status = place_tensor(guarded, &guarded->outputs[i], 0, &problem->outputs[i].data, error);
    return status;
}

static assay_status open_buffers(guarded_problem *guarded, assay_error *error)
{
    const assay_problem *problem = &guarded->problem;
    assay_status status = allocate(guarded, &guarded->workspace, error);
    for (int i = 0; i < problem->input_count && status == ASSAY_OK; i++)
        status = allocate(guarded, &guarded->inputs[i], error);
    for (int i = 0; i < problem->output_count && status == ASSAY_OK; i++)
        status = allocate(guarded, &guarded->outputs[i], error);
    if (status == ASSAY_OK)
        status = worker_flush(guarded->worker, error);
    return status == ASSAY_OK ? place_tensors(guarded, error) : status;
}

static int has_front(const guarded_buffer *buffers, int count)
{
    int any = 0;
    for (int i = 0; i < count; i++)
        any |= buffers[i].front > 0;
    return any;
}

int guarded_can_move(const guarded_problem *guarded)
{
    return guarded->form == GUARDED_ZONES &&
           (has_front(&guarded->workspace, 1) || has_front(guarded->inputs, guarded->problem.input_count) ||
            has_front(guarded->outputs, guarded->problem.output_count));
}

static void move_front(guarded_buffer *buffer)
{
    buffer->rear += buffer->front;
    buffer->front = 0;
}

assay_status guarded_move_to_start(guarded_problem *guarded, assay_error *error)
{
    move_front(&guarded->workspace);
    for (int i = 0; i < guarded->problem.input_count; i++)
        move_front(&guarded->inputs[i]);
    for (int i = 0; i < guarded->problem.output_count; i++)
        move_front(&guarded->outputs[i]);
    return place_tensors(guarded, error);
}

assay_status guarded_open(worker *w, const opspec *spec, const assay_problem *shapes, guarded_form form,
                          guarded_problem *guarded, assay_error *error)
{
    *guarded = (guarded_problem){.worker = w, .spec = spec, .problem = *shapes, .form = form};
    const int64_t images = plan_buffers(worker_info(w)->kind, form, shapes, guarded);
    guarded->chunk = malloc(GUARD_CHUNK_BYTES);
    guarded->narrow = malloc(GUARD_CHUNK_BYTES);
    if (!guarded->chunk || !guarded->narrow)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no host memory for %d bytes",
                               2 * GUARD_CHUNK_BYTES);
    const assay_status status = worker_share(w, form == GUARDED_WINDOWED ? GUARD_CHUNK_BYTES : images, error);
    return status == ASSAY_OK ? open_buffers(guarded, error) : status;
}

void guarded_close(guarded_problem *guarded)
{
    if (guarded->worker && !worker_lost(guarded->worker) &&
        worker_add(guarded->worker, (protocol_step){.kind = STEP_FREE}, NULL, NULL) == ASSAY_OK)
        (void)worker_flush(guarded->worker, NULL);
    free(guarded->chunk);
    free(guarded->narrow);
    *guarded = (guarded_problem){0};
}

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
    write_input_zone(place(guarded, buffer, 0), buffer->front);
    assay_status status = put(guarded, buffer, 0, buffer->front, error);
    write_input_zone(place(guarded, buffer, rear), buffer->rear);
    return status == ASSAY_OK ? put(guarded, buffer, rear, buffer->rear, error) : status;
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
        inputs_narrow(from + first, tensor->dtype, n, place(guarded, buffer, at));
        status = put(guarded, buffer, at, n * size, error);
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
    protocol_step step = step_of(guarded, STEP_FILL, buffer, at, bytes);
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
    memcpy(place(guarded, buffer, buffer->front + at), guarded->chunk, (size_t)bytes);
    return put(guarded, buffer, buffer->front + at, bytes, error);
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
        const int64_t lengths[] = {1, 5, 64, 1000, count / 8};
        for (int64_t i = 0; i < NOISE_CHUNKS; i++) {
            random_normal(seed, CORRUPT_STREAM, (uint64_t)i, values);
            inputs_narrow(values, output->dtype, RANDOM_CHUNK, guarded->chunk + i * RANDOM_CHUNK * size);
        }
        /* Fewer in small outputs: where all is overwritten, nothing is left to be wrongly trusted. */
        const int64_t dense = (count + ELEMENTS_A_SPOT - 1) / ELEMENTS_A_SPOT;
        const int spots = dense < MOST_SPOTS ? (int)dense : MOST_SPOTS;
        for (int i = 0; i < spots && status == ASSAY_OK; i++) {
            /* Long spots are few: what lies between them is what a kernel may wrongly trust. */
            const int64_t wanted = i < 2 ? lengths[4] : lengths[i % 4];
            const int64_t length = wanted < 1 ? 1 : wanted < count / 8 + 1 ? wanted : count / 8 + 1;
            const int64_t first =
                (int64_t)(random_word_at(seed, CORRUPT_STREAM + 1 + (uint64_t)o, (uint64_t)i) %
                          (uint64_t)(count - length + 1));
            status = corrupt_spot(guarded, o, first, length, (int64_t)NOISE_CHUNKS * RANDOM_CHUNK, error);
        }
    }
    return status == ASSAY_OK && !guarded->worker ? assay_device_sync_stream(guarded->device, error) : status;
}

/* ---- what came back ---- */

assay_status guarded_fetch(guarded_problem *guarded, int unread, assay_error *error)
{
    assay_status status = ASSAY_OK;
    if (guarded->form == GUARDED_WINDOWED)
        return ASSAY_OK;
    for (int i = 0; i < guarded->problem.input_count && status == ASSAY_OK; i++)
        status = fetch(guarded, &guarded->inputs[i], 0, total(&guarded->inputs[i]), error);
    for (int i = 0; i < guarded->problem.output_count && status == ASSAY_OK && !unread; i++)
        status = fetch(guarded, &guarded->outputs[i], 0, total(&guarded->outputs[i]), error);
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
    return status;
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
