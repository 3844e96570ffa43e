/* Where the tensors of a problem and their zones lie, in the worker and in the images: see guards.h. guards_fill.c and guards_check.c go on. */
#include "verify/guards_parts.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
        at += (guard_total(all[i]) + IMAGE_ALIGNMENT - 1) / IMAGE_ALIGNMENT * IMAGE_ALIGNMENT;
    }
    return at;
}

int64_t guarded_need_bytes(const char *device_kind, const assay_problem *shapes)
{
    guarded_problem plan = {0};
    plan_buffers(device_kind, GUARDED_ZONES, shapes, &plan);
    int64_t need = guard_total(&plan.workspace);
    for (int i = 0; i < shapes->input_count; i++)
        need += guard_total(&plan.inputs[i]);
    for (int i = 0; i < shapes->output_count; i++)
        need += guard_total(&plan.outputs[i]);
    return need;
}

int64_t guarded_shared_bytes(const char *device_kind, const assay_problem *shapes)
{
    guarded_problem plan = {0};
    return plan_buffers(device_kind, GUARDED_ZONES, shapes, &plan);
}

static assay_status allocate(guarded_problem *guarded, const guarded_buffer *buffer, assay_error *error)
{
    return worker_add(
        guarded->worker,
        (protocol_step){.kind = STEP_ALLOCATE, .buffer = buffer->number, .bytes = guard_total(buffer)}, NULL,
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
