/* The op's C reference as a candidate: what the CPU device's kernels are set against. It computes in double on one
 * host thread, and is timed by the host clock; nothing of it runs on the device. */
#include "bench/run/candidate.h"
#include "bench/timing/clock.h"
#include "verify/inputs.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reference_candidate {
    problem_set *set;
    assay_problem problem; /* inputs widened to f32, outputs f64, host memory */
    char *evict;           /* written between cold samples; of twice the last-level cache */
    int64_t evict_bytes;
    double launch_us;
} reference_candidate;

static void evict_cache(reference_candidate *r)
{
    static char byte;
    if (r->evict)
        memset(r->evict, ++byte, (size_t)r->evict_bytes);
}

typedef struct reference_source {
    reference_candidate *candidate;
    int cold;
} reference_source;

static assay_status take(void *context, int count, double *us, assay_error *error)
{
    const reference_source *source = context;
    reference_candidate *r = source->candidate;
    for (int i = 0; i < count; i++) {
        if (source->cold)
            evict_cache(r);
        const int64_t start = clock_now_ns();
        const assay_status status = r->set->impl->reference(&r->problem, NULL);
        us[i] = (double)(clock_now_ns() - start) * 1e-3;
        if (status != ASSAY_OK)
            return assay_error_set(error, status, "the C reference failed: %s",
                                   assay_status_describe(status));
    }
    r->launch_us = us[count - 1];
    return ASSAY_OK;
}

static assay_status measure(candidate *self, timing_mode mode, const sample_plan *plan, sample_set *out,
                            assay_error *error)
{
    reference_source source = {.candidate = self->state,
                               .cold = mode == TIMING_COLD || mode == TIMING_COLD_READ};
    if (!source.cold && mode != TIMING_HOT)
        return assay_error_set(error, ASSAY_ERR_UNSUPPORTED, "the C reference is not timed %s",
                               timing_mode_name(mode));
    const sample_source samples = {.context = &source, .take = take, .max_batch = 8};
    out->launches_per_sample = 1;
    return sample_run(&samples, plan, out, error);
}

static double launch_us(candidate *self)
{
    return ((reference_candidate *)self->state)->launch_us;
}

static void release(candidate *self)
{
    reference_candidate *r = self->state;
    if (!r)
        return;
    for (int i = 0; i < r->problem.input_count; i++)
        free(r->problem.inputs[i].data);
    for (int i = 0; i < r->problem.output_count; i++)
        free(r->problem.outputs[i].data);
    free(r->evict);
    free(r);
    self->state = NULL;
}

static assay_status allocate(assay_tensor *tensor, assay_dtype dtype, assay_error *error)
{
    tensor->dtype = dtype;
    const int64_t bytes = tensor_bytes(tensor);
    tensor->data = calloc(1, bytes > 0 ? (size_t)bytes : 1);
    return tensor->data ? ASSAY_OK
                        : assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no host memory for %lld bytes",
                                          (long long)bytes);
}

static assay_status make_problem(reference_candidate *r, assay_error *error)
{
    r->problem = r->set->host;
    for (int i = 0; i < r->problem.input_count; i++)
        r->problem.inputs[i].data = NULL;
    assay_status status = ASSAY_OK;
    for (int i = 0; i < r->problem.input_count && status == ASSAY_OK; i++) {
        const assay_tensor *from = &r->set->host.inputs[i];
        status = allocate(&r->problem.inputs[i], ASSAY_F32, error);
        if (status == ASSAY_OK)
            inputs_widen(from->data, from->dtype, assay_tensor_count(from), r->problem.inputs[i].data);
    }
    for (int i = 0; i < r->problem.output_count && status == ASSAY_OK; i++)
        status = allocate(&r->problem.outputs[i], ASSAY_F64, error);
    return status;
}

assay_status candidate_make_reference(candidate *self, problem_set *set, assay_error *error)
{
    memset(self, 0, sizeof *self);
    snprintf(self->name, sizeof self->name, RESULT_BASELINE_PREFIX "reference");
    snprintf(self->math_mode, sizeof self->math_mode, "ieee");
    reference_candidate *r = calloc(1, sizeof *r);
    if (!r)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for a candidate");
    self->kind = RESULT_BASELINE;
    self->state = r;
    self->measure = measure;
    self->launch_us = launch_us;
    self->release = release;
    r->set = set;
    r->evict_bytes = 2 * assay_device_get_info(set->device)->l2_bytes;
    r->evict = r->evict_bytes > 0 ? malloc((size_t)r->evict_bytes) : NULL;
    return make_problem(r, error);
}
