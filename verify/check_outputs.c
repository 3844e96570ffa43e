/* Bringing the outputs of a run to this process and comparing them: check_outputs() of check.h. */
#include "verify/check.h"
#include "verify/hash.h"
#include <stdlib.h>
#include <string.h>

/* Take over the result of one output: the first failed one stays, else the worst ratio. */
static void keep_worst(check_item *item, int output, const assay_tensor *shape, const compare_result *result)
{
    item->elements += result->elements;
    if (output > 0 && result->mismatches == 0 && result->worst_ratio <= item->compared.worst_ratio)
        return;
    item->output = output;
    item->shape = *shape;
    item->compared = *result;
}

/* Bring an output to this process, hashing its bits, and compare it: as a whole where there is room for it. */
static assay_status compare_output(const check_subject *subject, guarded_problem *guarded, int o,
                                   const double *ref, const double *scale, int poison, compare_result *result,
                                   char *reason, uint64_t *hash, assay_error *error)
{
    const assay_tensor *tensor = &guarded->problem.outputs[o];
    const int64_t size = (int64_t)assay_dtype_bytes(tensor->dtype), step = GUARD_CHUNK_BYTES / size;
    const int64_t count = assay_tensor_count(tensor);
    unsigned char *own = guarded->read[o] ? NULL : malloc((size_t)(count * size) + 1),
                  *whole = guarded->read[o] ? guarded->read[o] : own;
    assay_status status = ASSAY_OK;
    compare_begin(result, tensor->dtype, &subject->tolerance, poison);
    compare_shape(result, tensor);
    for (int64_t first = 0; first < count && status == ASSAY_OK; first += step) {
        const int64_t n = count - first < step ? count - first : step;
        status = guarded_read_output(guarded, o, first * size, n * size, error);
        if (status != ASSAY_OK)
            break;
        *hash = bits_hash(*hash, guarded->chunk, (size_t)(n * size));
        if (own)
            memcpy(own + first * size, guarded->chunk, (size_t)(n * size));
        else if (!whole)
            compare_chunk(result, guarded->chunk, ref + first, ASSAY_F64, scale ? scale + first : NULL, n);
    }
    if (status == ASSAY_OK && whole)
        compare_all(result, whole, ref, scale, tensor);
    free(own);
    return status == ASSAY_OK ? compare_end(result, tensor, count, subject->spec->outputs[o].name, reason)
                              : status;
}

assay_status check_outputs(const check_subject *subject, guarded_problem *guarded,
                           const assay_problem *references, const double *scale, int poison, check_item *item,
                           uint64_t *hash, assay_error *error)
{
    *hash = 0;
    for (int o = 0; o < references->output_count; o++) {
        compare_result result;
        const assay_status status =
            compare_output(subject, guarded, o, references->outputs[o].data, o == 0 ? scale : NULL, poison,
                           &result, item->reason, hash, error);
        if (status != ASSAY_OK && status != ASSAY_ERR_CHECK)
            return status;
        keep_worst(item, o, &guarded->problem.outputs[o], &result);
        if (status != ASSAY_OK)
            return status;
    }
    return ASSAY_OK;
}
