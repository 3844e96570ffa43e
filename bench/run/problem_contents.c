/* Turned inputs: see problem_contents.h. */
#include "bench/run/problem_contents.h"

static int64_t greatest_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Without a common divisor with `count`, so that `count` contents follow before one comes again; another one for each input, so that inputs
 * of one shape do not turn together; and near the golden section, so that neighbours differ by long ways. */
static int64_t find_stride(int64_t count, int input)
{
    int64_t stride = (int64_t)(0.6180339887498949 * (double)count) + 1 + 2 * input;
    while (greatest_divisor(stride, count) != 1)
        stride++;
    return stride;
}

int64_t problem_contents_turn(const problem_set *set, int input, int64_t contents)
{
    const int64_t count = assay_tensor_count(&set->host.inputs[input]);
    if (count < 2)
        return 0;
    return (int64_t)((__int128)contents * find_stride(count, input) % count);
}

/* The host's elements [from, from + count) go to element `to` on: out of the device's own copy of them if it has one. */
static assay_status move(problem_set *set, int slot, int input, int64_t to, int64_t from, int64_t count,
                         assay_error *error)
{
    const assay_tensor *host = &set->host.inputs[input];
    const int64_t size = (int64_t)assay_dtype_bytes(host->dtype);
    char *target = (char *)set->slots[slot].inputs[input].data + to * size;
    if (count == 0)
        return ASSAY_OK;
    return set->originals[input]
               ? assay_device_copy(set->device, target, (const char *)set->originals[input] + from * size,
                                   count * size, error)
               : assay_device_upload(set->device, target, (const char *)host->data + from * size,
                                     count * size, error);
}

assay_status problem_contents_set(problem_set *set, int slot, int64_t contents, assay_error *error)
{
    assay_status status = ASSAY_OK;
    if (set->contents[slot] == contents)
        return ASSAY_OK;
    set->contents[slot] = contents;
    for (int i = 0; i < set->host.input_count && status == ASSAY_OK; i++) {
        const int64_t count = assay_tensor_count(&set->host.inputs[i]),
                      turn = problem_contents_turn(set, i, contents);
        status = move(set, slot, i, 0, turn, count - turn, error);
        if (status == ASSAY_OK)
            status = move(set, slot, i, count - turn, 0, turn, error);
    }
    return status;
}
