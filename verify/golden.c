/* Running golden cases; see golden.h. */
#include "verify/golden.h"
#include "verify/inputs.h"
#include "core/json_file.h"
#include "verify/npy.h"
#include "verify/expected_output.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Two correct float64 computations of one value differ by their order of summation: far less than this. */
#define REFERENCE_AGREEMENT 1e-12

static npy_type type_of(assay_dtype dtype)
{
    return dtype == ASSAY_F32 ? NPY_F4 : dtype == ASSAY_F16 ? NPY_F2 : NPY_U2;
}

/* Read a file that must hold `type` in the tensor's shape; the file's own shape may differ where files are shared
 * between cases, as long as it has as many elements. */
static assay_status read_array(const golden_set *set, const char *file, npy_type type,
                               const assay_tensor *tensor, npy_array *array, assay_error *error)
{
    char path[4400];
    snprintf(path, sizeof path, "%s/%s", set->directory, file);
    const assay_status status = npy_read(path, array, error);
    if (status != ASSAY_OK)
        return status;
    if (array->type != type || array->count != assay_tensor_count(tensor))
        return assay_error_set(error, ASSAY_ERR_FORMAT,
                               "%s: holds %lld elements of %s; the manifest needs %lld of %s", path,
                               (long long)array->count, npy_type_name(array->type),
                               (long long)assay_tensor_count(tensor), npy_type_name(type));
    return ASSAY_OK;
}

static assay_status read_inputs(const golden_set *set, const json_t *golden, const opspec *spec,
                                expected_output *t, assay_error *error)
{
    const json_t *inputs = json_object_get(golden, "inputs");
    assay_status status = ASSAY_OK;
    for (int i = 0; i < spec->input_count && status == ASSAY_OK; i++) {
        npy_array array = {0};
        const assay_tensor *tensor = &t->host.inputs[i];
        const char *file = json_get_text(json_object_get(inputs, spec->inputs[i].name), "file", "");
        status = read_array(set, file, type_of(t->host.dtype), tensor, &array, error);
        if (status == ASSAY_OK)
            inputs_widen(array.data, t->host.dtype, array.count, tensor->data);
        npy_release(&array);
    }
    return status;
}

/* Does our double reference say the same as `expected`? Relative to the value, its scale, and the largest value. */
static int reference_agrees(const expected_output *t, const double *expected, char *reason)
{
    const double *ref = t->host.outputs[0].data;
    const int64_t count = assay_tensor_count(&t->host.outputs[0]);
    double largest = 0;
    for (int64_t i = 0; i < count; i++)
        if (isfinite(expected[i]))
            largest = fmax(largest, fabs(expected[i]));
    for (int64_t i = 0; i < count; i++) {
        const double bound =
            REFERENCE_AGREEMENT * (largest + (t->scale && isfinite(t->scale[i]) ? t->scale[i] : 0));
        const int same = isnan(expected[i])   ? isnan(ref[i])
                         : isinf(expected[i]) ? ref[i] == expected[i]
                                              : fabs(ref[i] - expected[i]) <= bound;
        if (same)
            continue;
        char at[128];
        compare_format_index(&t->host.outputs[0], i, at, sizeof at);
        snprintf(reason, LAUNCH_REASON_MAX,
                 "the op's reference disagrees with the expected value at %s: %.17g, expected %.17g", at,
                 ref[i], expected[i]);
        return 0;
    }
    return 1;
}

static assay_status compare_torch(const golden_set *set, const json_t *golden, const check_subject *subject,
                                  const expected_output *t, const double *expected, golden_result *result,
                                  assay_error *error)
{
    const char *file = json_get_text(golden, "torch", NULL);
    npy_array array = {0};
    compare_result compared;
    char reason[COMPARE_REASON_MAX];
    result->torch_agrees = -1;
    if (!file)
        return ASSAY_OK;
    const assay_tensor *output = &t->host.outputs[0];
    const assay_status status = read_array(set, file, type_of(t->host.dtype), output, &array, error);
    if (status == ASSAY_OK) {
        compare_begin(&compared, t->host.dtype, &subject->tolerance, GUARD_POISON_NAN);
        compare_chunk(&compared, array.data, expected, ASSAY_F64, t->scale, array.count);
        result->torch_agrees = compare_end(&compared, output, assay_tensor_count(output),
                                           subject->spec->outputs[0].name, reason) == ASSAY_OK;
    }
    npy_release(&array);
    return status;
}

/* Run twice, with another poison the second time, and judge both against `expected`. */
static assay_status run_kernel(const check_subject *subject, const assay_problem *shapes, expected_output *t,
                               golden_result *result, assay_error *error)
{
    static const int poisons[] = {GUARD_POISON_NAN, GUARD_POISON_LARGE};
    guarded_problem guarded;
    assay_status status =
        guarded_open(subject->worker, subject->spec, shapes, GUARDED_ZONES, &guarded, error);
    if (status == ASSAY_OK)
        status = guarded_upload(&guarded, &t->host, error);
    for (int i = 0; i < 2 && status == ASSAY_OK; i++) {
        check_item item = {0};
        uint64_t hash;
        status = launch_kernel(subject, &guarded, &t->host, &(launch_mode){.poison = poisons[i]}, item.reason,
                               error);
        if (status == ASSAY_OK)
            status = check_outputs(subject, &guarded, &t->host, t->scale, poisons[i], &item, &hash, error);
        snprintf(result->reason, sizeof result->reason, "%s", item.reason);
        result->max_ulp = fmax(result->max_ulp, item.compared.max_ulp);
    }
    check_let_end(subject->worker);
    guarded_close(&guarded);
    return status;
}

static assay_status judge_loaded(const golden_set *set, const json_t *golden, const check_subject *subject,
                                 const assay_problem *shapes, expected_output *t, const double *expected,
                                 golden_result *result, assay_error *error)
{
    assay_status status = expected_output_compute(subject->impl, t, error);
    if (status == ASSAY_OK)
        status = compare_torch(set, golden, subject, t, expected, result, error);
    if (status != ASSAY_OK)
        return status;
    if (!reference_agrees(t, expected, result->reason))
        return ASSAY_OK;
    memcpy(t->host.outputs[0].data, expected,
           (size_t)assay_tensor_count(&t->host.outputs[0]) * sizeof *expected);
    status = run_kernel(subject, shapes, t, result, error);
    result->passed = status == ASSAY_OK;
    result->skipped = status == ASSAY_ERR_UNSUPPORTED && subject->contest;
    return status == ASSAY_ERR_CHECK || status == ASSAY_ERR_UNSUPPORTED ? ASSAY_OK : status;
}

assay_status golden_judge(const golden_set *set, const json_t *golden, const check_subject *subject,
                          golden_result *result, assay_error *error)
{
    assay_problem problem;
    expected_output t = {0};
    npy_array expected = {0};
    *result = (golden_result){.torch_agrees = -1};
    assay_status status = golden_problem(set, golden, subject->spec, subject->impl, &problem, error);
    if (status == ASSAY_OK)
        status = expected_output_open(subject->impl, &problem, &t, error);
    if (status == ASSAY_OK)
        status = read_inputs(set, golden, subject->spec, &t, error);
    if (status == ASSAY_OK)
        status = read_array(set, json_get_text(golden, "expected", ""), NPY_F8, &problem.outputs[0],
                            &expected, error);
    if (status == ASSAY_OK)
        status = judge_loaded(set, golden, subject, &problem, &t, expected.data, result, error);
    npy_release(&expected);
    expected_output_close(&t);
    return status;
}
