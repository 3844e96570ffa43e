/* One problem on a device in several copies: see problem_set.h. */
#include "bench/run/problem_set.h"
#include "verify/inputs.h"
#include <stdlib.h>
#include <string.h>

int64_t tensor_bytes(const assay_tensor *tensor)
{
    return assay_tensor_count(tensor) * (int64_t)assay_dtype_bytes(tensor->dtype);
}

static int64_t one_slot_bytes(const assay_problem *problem)
{
    int64_t bytes = problem->workspace_bytes;
    for (int i = 0; i < problem->input_count; i++)
        bytes += tensor_bytes(&problem->inputs[i]);
    for (int i = 0; i < problem->output_count; i++)
        bytes += tensor_bytes(&problem->outputs[i]);
    return bytes;
}

static assay_status fill_host(problem_set *set, assay_error *error)
{
    for (int i = 0; i < set->host.input_count; i++) {
        assay_tensor *input = &set->host.inputs[i];
        const int64_t bytes = tensor_bytes(input);
        input->data = malloc(bytes > 0 ? (size_t)bytes : 1);
        if (!input->data)
            return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no host memory for %lld bytes of input %s",
                                   (long long)bytes, set->spec->inputs[i].name);
    }
    return inputs_fill(&set->host, set->spec, set->seed, NULL, error);
}

static assay_status choose_slots(problem_set *set, int64_t least_total_bytes, assay_error *error)
{
    /* Room for the copy candidate (as much again), flush buffers, the libraries' workspaces and torch's tensors. */
    const double share = 0.4;
    int64_t available = 0;
    const assay_status status = assay_device_free_bytes(set->device, &available, error);
    if (status != ASSAY_OK)
        return status;
    set->slot_bytes = one_slot_bytes(&set->host);
    if (set->slot_bytes > available)
        return assay_error_set(error, ASSAY_ERR_UNSUPPORTED, "need %.2f GB, have %.2f GB",
                               (double)set->slot_bytes * 1e-9, (double)available * 1e-9);
    const int64_t each = set->slot_bytes > 0 ? set->slot_bytes : 1;
    int64_t count = least_total_bytes > 0 ? least_total_bytes / each + 2 : 1;
    const int64_t fitting = (int64_t)(share * (double)available) / each;
    count = count < fitting ? count : fitting;
    count = count < PROBLEM_MOST_SLOTS ? count : PROBLEM_MOST_SLOTS;
    set->slot_count = count > 1 ? (int)count : 1;
    return ASSAY_OK;
}

/* From the host for the first slot, which the others and the originals are copied from: many times as fast. */
static assay_status fill_input(problem_set *set, int input, void *to, assay_error *error)
{
    const int64_t bytes = tensor_bytes(&set->host.inputs[input]);
    const void *first = set->slots[0].inputs[input].data;
    return to == first ? assay_device_upload(set->device, to, set->host.inputs[input].data, bytes, error)
                       : assay_device_copy(set->device, to, first, bytes, error);
}

static assay_status make_slot(problem_set *set, int index, assay_error *error)
{
    assay_problem *slot = &set->slots[index];
    *slot = set->host;
    slot->workspace = NULL;
    for (int i = 0; i < slot->input_count; i++)
        slot->inputs[i].data = NULL;
    assay_status status = ASSAY_OK;
    for (int i = 0; i < slot->input_count && status == ASSAY_OK; i++) {
        assay_tensor *input = &slot->inputs[i];
        status = assay_device_alloc(set->device, tensor_bytes(input), &input->data, error);
        if (status == ASSAY_OK)
            status = fill_input(set, i, input->data, error);
    }
    for (int i = 0; i < slot->output_count && status == ASSAY_OK; i++)
        status =
            assay_device_alloc(set->device, tensor_bytes(&slot->outputs[i]), &slot->outputs[i].data, error);
    if (status == ASSAY_OK && slot->workspace_bytes > 0)
        status = assay_device_alloc(set->device, slot->workspace_bytes, &slot->workspace, error);
    if (status != ASSAY_OK)
        return status;
    set->args[index] = calloc(1, set->impl->args_bytes);
    if (!set->args[index])
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for an argument struct");
    status = set->impl->bind(slot, set->args[index]);
    return status == ASSAY_OK
               ? status
               : assay_error_set(error, status, "%s: binding the arguments failed", set->spec->name);
}

static assay_status make_slots(problem_set *set, assay_error *error)
{
    assay_status status = ASSAY_OK;
    set->slots = calloc((size_t)set->slot_count, sizeof *set->slots);
    set->contents = calloc((size_t)set->slot_count, sizeof *set->contents);
    set->args = calloc((size_t)set->slot_count, sizeof *set->args);
    if (!set->slots || !set->args || !set->contents)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for %d slots", set->slot_count);
    for (int i = 0; i < set->slot_count && status == ASSAY_OK; i++)
        status = make_slot(set, i, error);
    return status;
}

/* A copy of the inputs to change slots from. Without room for it they are changed from the host: slower, and no time that is measured. */
static assay_status make_originals(problem_set *set, assay_error *error)
{
    assay_status status = ASSAY_OK;
    for (int i = 0; i < set->host.input_count && status == ASSAY_OK; i++) {
        const int64_t bytes = tensor_bytes(&set->host.inputs[i]);
        if (assay_device_alloc(set->device, bytes, &set->originals[i], NULL) != ASSAY_OK) {
            set->originals[i] = NULL;
            continue;
        }
        status = fill_input(set, i, set->originals[i], error);
    }
    return status;
}

assay_status problem_set_create(assay_device *device, const opspec *spec, const assay_op_impl *impl,
                                assay_dtype dtype, const opspec_dims *dims, uint64_t seed,
                                int64_t least_total_bytes, problem_set **out, assay_error *error)
{
    problem_set *set = calloc(1, sizeof *set);
    if (!set)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for a problem");
    set->spec = spec;
    set->impl = impl;
    set->device = device;
    set->seed = seed;
    assay_status status = opspec_build_problem(spec, impl, dtype, dims, NULL, &set->host, error);
    if (status == ASSAY_OK) {
        set->host.workspace_bytes = impl->workspace_bytes ? impl->workspace_bytes(&set->host) : 0;
        set->flops = impl->flops(&set->host);
        set->bytes = impl->bytes(&set->host);
        /* Before anything is allocated or filled: the answer may be that it is far too large. */
        status = choose_slots(set, least_total_bytes, error);
        if (status == ASSAY_OK)
            status = fill_host(set, error);
    }
    if (status == ASSAY_OK)
        status = make_slots(set, error);
    if (status == ASSAY_OK)
        status = make_originals(set, error);
    if (status == ASSAY_OK) /* copies are only queued */
        status = assay_device_sync_stream(device, error);
    if (status != ASSAY_OK) {
        problem_set_release(set);
        return status;
    }
    *out = set;
    return ASSAY_OK;
}

static void release_slot(problem_set *set, assay_problem *slot)
{
    for (int i = 0; i < slot->input_count; i++)
        if (slot->inputs[i].data)
            assay_device_free(set->device, slot->inputs[i].data);
    for (int i = 0; i < slot->output_count; i++)
        if (slot->outputs[i].data)
            assay_device_free(set->device, slot->outputs[i].data);
    if (slot->workspace)
        assay_device_free(set->device, slot->workspace);
}

void problem_set_release(problem_set *set)
{
    if (!set)
        return;
    for (int i = 0; set->slots && i < set->slot_count; i++)
        release_slot(set, &set->slots[i]);
    for (int i = 0; set->args && i < set->slot_count; i++)
        free(set->args[i]);
    for (int i = 0; i < set->host.input_count; i++) {
        if (set->originals[i])
            assay_device_free(set->device, set->originals[i]);
        free(set->host.inputs[i].data);
    }
    free(set->contents);
    free(set->slots);
    free(set->args);
    free(set);
}

assay_status problem_set_poison(problem_set *set, assay_error *error)
{
    assay_status status = ASSAY_OK;
    for (int i = 0; i < set->slot_count && status == ASSAY_OK; i++)
        for (int o = 0; o < set->host.output_count && status == ASSAY_OK; o++) {
            const assay_tensor *output = &set->slots[i].outputs[o];
            status =
                assay_device_fill(set->device, output->data, PROBLEM_POISON, tensor_bytes(output), error);
        }
    return status;
}
