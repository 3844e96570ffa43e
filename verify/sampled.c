/* Freivalds' check and sampled rows; the derivation of the threshold is in sampled.h. */
#include "verify/sampled.h"
#include "verify/expected_rows.h"
#include "verify/hash.h"
#include "verify/inputs.h"
#include "verify/random.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define HOEFFDING_FACTOR 8.9 /* sqrt(2 ln(2e17)) */
enum { SAMPLING_STREAM = 4096 };

double sampled_threshold(const opspec_tolerance *tolerance, assay_dtype dtype, int64_t n, double out_norm,
                         double magnitude)
{
    const double root = sqrt((double)n), relative = tolerance->rtol + compare_rounding_error(dtype),
                 absolute = tolerance->atol + (dtype == ASSAY_F16 ? 0x1p-25 : 0); /* subnormal results */
    const double norm =
        root * absolute + relative * out_norm + tolerance->stol * sqrt(2.0) * magnitude / root;
    return HOEFFDING_FACTOR * norm / (1.0 - relative);
}

static int by_value(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

int64_t sampled_pick_rows(int64_t row_count, int64_t most, uint64_t seed, int64_t *rows)
{
    const int64_t wanted = row_count < most ? row_count : most;
    for (int64_t i = 0; i < wanted; i++)
        rows[i] = i == 0   ? 0
                  : i == 1 ? row_count - 1
                           : (int64_t)(random_word_at(seed, SAMPLING_STREAM, (uint64_t)i) % row_count);
    qsort(rows, (size_t)wanted, sizeof *rows, by_value);
    int64_t kept = wanted > 0;
    for (int64_t i = 1; i < wanted; i++)
        if (rows[i] != rows[kept - 1])
            rows[kept++] = rows[i];
    return kept;
}

/* Bring output 0 to the host, widened to binary32, hashing its bits and counting those left poisoned. */
static assay_status download_widened(guarded_problem *guarded, float *to, int poison, int64_t *unwritten,
                                     uint64_t *hash, assay_error *error)
{
    const assay_tensor *tensor = &guarded->problem.outputs[0];
    const int64_t size = (int64_t)assay_dtype_bytes(tensor->dtype), step = GUARD_CHUNK_BYTES / size;
    const int64_t count = assay_tensor_count(tensor);
    const uint32_t pattern = 0x01010101u * (unsigned char)poison;
    *hash = 0;
    *unwritten = 0;
    for (int64_t first = 0; first < count; first += step) {
        const int64_t n = count - first < step ? count - first : step;
        const assay_status status = guarded_read_output(guarded, 0, first * size, n * size, error);
        if (status != ASSAY_OK)
            return status;
        *hash = bits_hash(*hash, guarded->chunk, (size_t)(n * size));
        for (int64_t i = 0; i < n; i++)
            *unwritten += size == 4 ? ((const uint32_t *)(void *)guarded->chunk)[i] == pattern
                                    : ((const uint16_t *)(void *)guarded->chunk)[i] == (uint16_t)pattern;
        inputs_widen(guarded->chunk, tensor->dtype, n, to + first);
    }
    return ASSAY_OK;
}

static double norm(const float *row, int64_t n)
{
    double sum[4] = {0};
    for (int64_t i = 0; i < n; i++)
        sum[i & 3] += (double)row[i] * (double)row[i];
    return sqrt((sum[0] + sum[1]) + (sum[2] + sum[3]));
}

static assay_status check_residuals(const check_subject *subject, expected_output *t, assay_dtype dtype,
                                    int64_t row_count, int64_t n, uint64_t seed, char *reason,
                                    assay_error *error)
{
    double *residual = malloc(2 * sizeof *residual * (size_t)(row_count + 1));
    if (!residual)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no host memory for %lld residuals",
                               (long long)row_count);
    double *magnitude = residual + row_count;
    assay_status status = subject->impl->residual(&t->host, seed, residual, magnitude);
    if (status != ASSAY_OK)
        assay_error_set(error, status, "the residual of %s failed: %s", subject->spec->name,
                        assay_status_describe(status));
    int64_t wrong = 0, first = -1;
    double first_threshold = 0;
    for (int64_t i = 0; i < row_count && status == ASSAY_OK; i++) {
        const double out_norm = norm((const float *)t->host.outputs[0].data + i * n, n);
        const double threshold = sampled_threshold(&subject->tolerance, dtype, n, out_norm, magnitude[i]);
        if (residual[i] <= threshold && isfinite(threshold))
            continue;
        if (wrong++ == 0) {
            first = i;
            first_threshold = threshold;
        }
    }
    if (wrong > 0) {
        snprintf(reason, LAUNCH_REASON_MAX,
                 "%lld of %lld rows of %s fail Freivalds' check, first row %lld: residual %.6g, at most %.6g "
                 "allowed",
                 (long long)wrong, (long long)row_count, subject->spec->outputs[0].name, (long long)first,
                 residual[first], first_threshold);
        status = ASSAY_ERR_CHECK;
    }
    free(residual);
    return status;
}

/* Compare rows of output 0 with their reference, one after the other in `ref` and `scale`. */
static assay_status compare_rows(const check_subject *subject, guarded_problem *guarded, const int64_t *rows,
                                 int64_t count, int64_t n, const double *ref, const double *scale,
                                 compare_result *result, char *reason, assay_error *error)
{
    const assay_tensor *tensor = &guarded->problem.outputs[0];
    const int64_t size = (int64_t)assay_dtype_bytes(tensor->dtype), step = GUARD_CHUNK_BYTES / size;
    for (int64_t r = 0; r < count; r++) {
        for (int64_t first = 0; first < n; first += step) {
            const int64_t part = n - first < step ? n - first : step, at = rows[r] * n + first;
            const assay_status status = guarded_read_output(guarded, 0, at * size, part * size, error);
            if (status != ASSAY_OK)
                return status;
            compare_seek(result, at);
            compare_chunk(result, guarded->chunk, ref + r * n + first, ASSAY_F64,
                          scale ? scale + r * n + first : NULL, part);
        }
    }
    char compared[COMPARE_REASON_MAX];
    const assay_status status =
        compare_end(result, tensor, count * n, subject->spec->outputs[0].name, compared);
    if (status == ASSAY_ERR_CHECK)
        snprintf(reason, LAUNCH_REASON_MAX, "sampled rows: %.490s", compared);
    return status;
}

static assay_status compute_rows(const assay_op_impl *impl, const assay_problem *host, const int64_t *rows,
                                 int64_t count, double *ref, double *scale, assay_error *error)
{
    const assay_status status = expected_rows_share(impl, host, rows, count, ref, scale);
    return status == ASSAY_OK ? ASSAY_OK
                              : assay_error_set(error, status, "the reference of %s failed: %s", impl->name,
                                                assay_status_describe(status));
}

static int64_t row_length(const assay_problem *problem)
{
    const assay_tensor *tensor = &problem->outputs[0];
    return tensor->rank > 0 ? tensor->shape[tensor->rank - 1] : 1;
}

assay_status sampled_compare_rows(const check_subject *subject, guarded_problem *guarded,
                                  const assay_problem *host, const int64_t *rows, int64_t count,
                                  compare_result *result, char reason[LAUNCH_REASON_MAX], assay_error *error)
{
    const int64_t n = row_length(host);
    double *ref = malloc(2 * sizeof *ref * (size_t)(count * n + 1));
    if (!ref)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no host memory for %lld reference rows",
                               (long long)count);
    double *scale = subject->impl->has_scale ? ref + count * n : NULL;
    assay_status status = compute_rows(subject->impl, host, rows, count, ref, scale, error);
    if (status == ASSAY_OK)
        status = compare_rows(subject, guarded, rows, count, n, ref, scale, result, reason, error);
    free(ref);
    return status;
}

/* The rows that a seed picks of a problem's output 0; their values lie in t->row_values, their scales at *scale. */
static int64_t pick_rows(const assay_op_impl *impl, const expected_output *t, uint64_t seed,
                         int64_t rows[EXPECTED_MOST_ROWS], double **scale)
{
    const int64_t n = row_length(&t->host);
    *scale = impl->has_scale ? t->row_values + t->most_rows * n : NULL;
    return sampled_pick_rows(n > 0 ? assay_tensor_count(&t->host.outputs[0]) / n : 0, t->most_rows, seed,
                             rows);
}

assay_status sampled_know_rows(const assay_op_impl *impl, expected_output *t, uint64_t seed,
                               assay_error *error)
{
    int64_t rows[EXPECTED_MOST_ROWS];
    double *scale;
    if (t->rows_known && t->row_seed == seed)
        return ASSAY_OK;
    const int64_t count = pick_rows(impl, t, seed, rows, &scale);
    const assay_status status = compute_rows(impl, &t->host, rows, count, t->row_values, scale, error);
    t->rows_known = status == ASSAY_OK;
    t->row_seed = seed;
    return status;
}

static assay_status check_rows(const check_subject *subject, guarded_problem *guarded, expected_output *t,
                               uint64_t seed, compare_result *result, char *reason, assay_error *error)
{
    int64_t rows[EXPECTED_MOST_ROWS];
    double *scale;
    const assay_status status = sampled_know_rows(subject->impl, t, seed, error);
    if (status != ASSAY_OK)
        return status;
    const int64_t count = pick_rows(subject->impl, t, seed, rows, &scale);
    return compare_rows(subject, guarded, rows, count, row_length(&t->host), t->row_values, scale, result,
                        reason, error);
}

assay_status sampled_check(const check_subject *subject, guarded_problem *guarded, expected_output *t,
                           uint64_t seed, int poison, compare_result *result, uint64_t *hash,
                           char reason[LAUNCH_REASON_MAX], assay_error *error)
{
    const assay_tensor *tensor = &guarded->problem.outputs[0];
    const int64_t n = tensor->rank > 0 ? tensor->shape[tensor->rank - 1] : 1;
    const int64_t count = assay_tensor_count(tensor), row_count = n > 0 ? count / n : 0;
    int64_t unwritten;
    compare_begin(result, tensor->dtype, &subject->tolerance, poison);
    compare_shape(result, tensor);
    if (row_count == 0)
        return ASSAY_OK; /* nothing to compare: an empty output */
    assay_status status = download_widened(guarded, t->host.outputs[0].data, poison, &unwritten, hash, error);
    if (status == ASSAY_OK)
        status = check_rows(subject, guarded, t, seed, result, reason, error);
    if (status == ASSAY_OK)
        status = check_residuals(subject, t, tensor->dtype, row_count, n, seed, reason, error);
    if (status == ASSAY_ERR_CHECK && unwritten > 0) {
        result->unwritten = unwritten;
        snprintf(reason, LAUNCH_REASON_MAX,
                 "%lld of %lld elements of %s were never written (they hold the poison pattern)",
                 (long long)unwritten, (long long)count, subject->spec->outputs[0].name);
    }
    return status;
}
