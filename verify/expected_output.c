/* Allocation and computation of the double reference. */
#include "verify/expected_output.h"
#include "verify/expected_rows.h"
#include <stdlib.h>

/* Whether a problem of these shapes is checked by Freivalds' method and sampled rows. */
static int expected_output_is_sampled(const assay_op_impl *impl, const assay_problem *shapes)
{
    return impl->residual && impl->reference_rows && shapes->output_count == 1 &&
           impl->flops(shapes) > EXPECTED_SAMPLED_FLOPS;
}

static int64_t row_length(const assay_problem *shapes)
{
    const assay_tensor *output = &shapes->outputs[0];
    return output->rank > 0 ? output->shape[output->rank - 1] : 1;
}

/* How many rows of the reference EXPECTED_ROWS_FLOPS pay for. */
static int64_t affordable_rows(const assay_op_impl *impl, const assay_problem *shapes)
{
    const int64_t n = row_length(shapes), count = n > 0 ? assay_tensor_count(&shapes->outputs[0]) / n : 0;
    const double rows = count > 0 ? EXPECTED_ROWS_FLOPS * (double)count / impl->flops(shapes) : 0;
    return rows < EXPECTED_FEWEST_ROWS ? EXPECTED_FEWEST_ROWS
           : rows > EXPECTED_MOST_ROWS ? EXPECTED_MOST_ROWS
                                       : (int64_t)rows;
}

static int64_t row_bytes(const assay_op_impl *impl, const assay_problem *shapes)
{
    return 2 * affordable_rows(impl, shapes) * row_length(shapes) * (int64_t)sizeof(double);
}

int64_t expected_output_need_bytes(const assay_op_impl *impl, const assay_problem *shapes)
{
    const int sampled = expected_output_is_sampled(impl, shapes);
    int64_t need = 0;
    for (int i = 0; i < shapes->input_count; i++)
        need += assay_tensor_count(&shapes->inputs[i]) * 4;
    for (int i = 0; i < shapes->output_count; i++)
        need += assay_tensor_count(&shapes->outputs[i]) * (sampled ? 4 : 8);
    if (sampled)
        need += row_bytes(impl, shapes);
    if (impl->has_scale && !sampled)
        need += assay_tensor_count(&shapes->outputs[0]) * 8;
    return need;
}

static assay_status allocate(assay_tensor *tensor, assay_dtype dtype, assay_error *error)
{
    const size_t bytes = (size_t)assay_tensor_count(tensor) * assay_dtype_bytes(dtype);
    tensor->dtype = dtype;
    tensor->data = malloc(bytes + 1); /* never NULL for an empty tensor */
    return tensor->data ? ASSAY_OK
                        : assay_error_set(error, ASSAY_ERR_NO_MEMORY,
                                          "no host memory for %zu bytes of a tensor", bytes);
}

assay_status expected_output_open(const assay_op_impl *impl, const assay_problem *shapes, expected_output *t,
                                  assay_error *error)
{
    *t = (expected_output){.host = *shapes, .sampled = expected_output_is_sampled(impl, shapes)};
    assay_problem *host = &t->host;
    assay_status status = ASSAY_OK;
    host->workspace = NULL;
    for (int i = 0; i < ASSAY_MAX_TENSORS; i++)
        host->inputs[i].data = host->outputs[i].data = NULL;
    for (int i = 0; i < host->input_count && status == ASSAY_OK; i++)
        status = allocate(&host->inputs[i], ASSAY_F32, error);
    for (int i = 0; i < host->output_count && status == ASSAY_OK; i++)
        status = allocate(&host->outputs[i], t->sampled ? ASSAY_F32 : ASSAY_F64, error);
    if (status == ASSAY_OK && impl->has_scale && !t->sampled) {
        const size_t bytes = (size_t)assay_tensor_count(&host->outputs[0]) * sizeof(double);
        t->scale = malloc(bytes + 1);
        if (!t->scale)
            status =
                assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no host memory for %zu bytes of scales", bytes);
    }
    if (status == ASSAY_OK && t->sampled) {
        t->most_rows = affordable_rows(impl, shapes);
        t->row_bytes = row_bytes(impl, shapes);
        t->row_values = calloc(1, (size_t)t->row_bytes + 1);
        if (!t->row_values)
            status =
                assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no host memory for %lld bytes of sampled rows",
                                (long long)t->row_bytes);
    }
    return status;
}

void expected_output_close(expected_output *t)
{
    for (int i = 0; i < ASSAY_MAX_TENSORS; i++) {
        free(t->host.inputs[i].data);
        free(t->host.outputs[i].data);
    }
    free(t->scale);
    free(t->row_values);
    *t = (expected_output){0};
}

assay_status expected_output_compute(const assay_op_impl *impl, expected_output *t, assay_error *error)
{
    assay_status status;
    if (!expected_rows_compute(impl, &t->host, t->scale, &status))
        status = impl->reference(&t->host, t->scale);
    if (status == ASSAY_OK)
        return ASSAY_OK;
    if (status == ASSAY_ERR_UNSUPPORTED) /* not the same as a kernel that refuses a problem */
        return assay_error_set(
            error, ASSAY_ERR_INVALID,
            "the reference of %s is not written yet: fill in reference() of its reference.c", impl->name);
    return assay_error_set(error, status == ASSAY_ERR_CHECK ? ASSAY_ERR_INVALID : status,
                           "the reference of %s failed: %s", impl->name, assay_status_describe(status));
}
