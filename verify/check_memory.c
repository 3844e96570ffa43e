/* What a problem needs of memory: see check_memory.h. */
#include "verify/check_memory.h"
#include "verify/expected_output.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int64_t check_free_bytes(worker *w)
{
    const assay_status status = worker_add(w, (protocol_step){.kind = STEP_FREE_BYTES}, NULL, NULL);
    return status == ASSAY_OK && worker_flush(w, NULL) == ASSAY_OK ? worker_value(w) : -1;
}

static int64_t output_bytes(const assay_problem *shapes, int output)
{
    const assay_tensor *tensor = &shapes->outputs[output];
    return assay_tensor_count(tensor) * (int64_t)assay_dtype_bytes(tensor->dtype);
}

/* Without a GPU host copies come from the same memory. */
int64_t check_need_bytes(const check_subject *subject, const assay_problem *shapes)
{
    const char *kind = worker_info(subject->worker)->kind;
    int64_t need = guarded_need_bytes(kind, shapes);
    if (strcmp(kind, "cuda") == 0)
        return need;
    for (int o = 0; o < shapes->output_count; o++)
        need += output_bytes(shapes, o);
    return need + guarded_shared_bytes(kind, shapes) + expected_output_need_bytes(subject->impl, shapes);
}

int check_fits(const check_subject *subject, const assay_problem *shapes, char *reason, size_t reason_bytes)
{
    const int64_t need = check_need_bytes(subject, shapes), have = check_free_bytes(subject->worker);
    if (have < 0 || need <= have)
        return 1; /* not known counts as enough: an allocation that fails is reported too */
    snprintf(reason, reason_bytes, "not enough memory: needs %.0f MiB, the device has %.0f MiB free",
             (double)need / 1048576, (double)have / 1048576);
    return 0;
}

void check_open_read(guarded_problem *guarded)
{
    for (int o = 0; o < guarded->problem.output_count; o++)
        guarded->read[o] = malloc((size_t)output_bytes(&guarded->problem, o) + 1);
}

void check_close_read(guarded_problem *guarded)
{
    for (int o = 0; o < ASSAY_MAX_TENSORS; o++)
        free(guarded->read[o]);
}
