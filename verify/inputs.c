/* Fills a problem's inputs chunk by chunk: draw, apply the pattern (patterns.h), round to the dtype. See inputs.h for the rules. */
#include "verify/inputs.h"
#include "core/parallel_for.h"
#include "verify/patterns.h"
#include "verify/random.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

void inputs_widen(const void *from, assay_dtype dtype, int64_t count, float *to)
{
    const uint16_t *halves = from;
    if (dtype == ASSAY_F32)
        memcpy(to, from, (size_t)count * sizeof *to);
    else if (dtype == ASSAY_F16)
        for (int64_t i = 0; i < count; i++)
            to[i] = assay_f16_to_float(halves[i]);
    else if (dtype == ASSAY_BF16)
        for (int64_t i = 0; i < count; i++)
            to[i] = assay_bf16_to_float(halves[i]);
    else
        for (int64_t i = 0; i < count; i++)
            to[i] = (float)((const double *)from)[i];
}

void inputs_narrow(const float *from, assay_dtype dtype, int64_t count, void *to)
{
    uint16_t *halves = to;
    if (dtype == ASSAY_F32)
        memcpy(to, from, (size_t)count * sizeof *from);
    else if (dtype == ASSAY_F16)
        for (int64_t i = 0; i < count; i++)
            halves[i] = assay_float_to_f16(from[i]);
    else if (dtype == ASSAY_BF16)
        for (int64_t i = 0; i < count; i++)
            halves[i] = assay_float_to_bf16(from[i]);
    else
        for (int64_t i = 0; i < count; i++)
            ((double *)to)[i] = (double)from[i];
}

/* Round to the dtype and store, in the dtype itself or widened again. */
static void store(const pattern_tensor *fill, int64_t first, int count, const float *values)
{
    char *to = (char *)fill->tensor->data + (size_t)first * assay_dtype_bytes(fill->tensor->dtype);
    uint16_t halves[RANDOM_CHUNK];
    if (fill->tensor->dtype == fill->dtype) {
        inputs_narrow(values, fill->dtype, count, to);
        return;
    }
    inputs_narrow(values, fill->dtype, count, halves);
    inputs_widen(halves, fill->dtype, count, (float *)to);
}

typedef struct fill_work {
    const pattern_tensor *fill;
    int uniform;
    pattern_fn apply;
} fill_work;

enum { FILL_PIECE = 64 * RANDOM_CHUNK };

/* An element depends on its number alone, so pieces are drawn by any thread. */
static void fill_piece(void *context, int64_t piece)
{
    const fill_work *work = context;
    const pattern_tensor *fill = work->fill;
    const int64_t end = fill->count < (piece + 1) * FILL_PIECE ? fill->count : (piece + 1) * FILL_PIECE;
    float values[RANDOM_CHUNK];
    uint32_t words[RANDOM_CHUNK];
    for (int64_t first = piece * FILL_PIECE; first < end; first += RANDOM_CHUNK) {
        const int64_t left = end - first;
        const int count = left < RANDOM_CHUNK ? (int)left : RANDOM_CHUNK;
        const uint64_t chunk = (uint64_t)first / RANDOM_CHUNK;
        if (work->uniform)
            random_uniform(fill->seed, (uint64_t)fill->index, chunk, values);
        else
            random_normal(fill->seed, (uint64_t)fill->index, chunk, values);
        if (work->apply) {
            random_words(fill->seed, (uint64_t)fill->index + PATTERN_STREAM, chunk, words);
            work->apply(fill, first, count, words, values);
        }
        store(fill, first, count, values);
    }
}

/* One tensor's values; `dtype`: what they are rounded to. */
static void fill_input(assay_problem *problem, int t, const opspec *spec, const assay_dtype *rounded,
                       uint64_t seed, pattern_fn apply)
{
    const assay_tensor *tensor = &problem->inputs[t];
    const pattern_tensor fill = {
        .tensor = tensor,
        .dtype = rounded ? *rounded : tensor->dtype,
        .index = t,
        .seed = seed,
        .count = assay_tensor_count(tensor),
        .row = tensor->rank > 0 ? tensor->shape[tensor->rank - 1] : 1,
    };
    fill_work work = {&fill, strcmp(spec->inputs[t].distribution, "uniform") == 0, apply};
    parallel_for((fill.count + FILL_PIECE - 1) / FILL_PIECE, fill_piece, &work);
}

static assay_status refuse_pattern(const char *special, assay_error *error)
{
    char known[1024] = "";
    const char *name;
    for (int p = 0; (name = pattern_name(p)); p++)
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", p > 0 ? ", " : "", name);
    return assay_error_set(error, ASSAY_ERR_INVALID, "unknown special pattern \"%s\"; known: %s", special,
                           known);
}

/* `kept`: the number of an input with another seed, that of `kept_seed`; or -1. */
static assay_status fill_inputs(assay_problem *problem, const opspec *spec, const assay_dtype *rounded,
                                uint64_t seed, int kept, uint64_t kept_seed, const char *special,
                                assay_error *error)
{
    pattern_fn apply = NULL;
    if (special && special[0] && !pattern_find(special, &apply))
        return refuse_pattern(special, error);
    for (int t = 0; t < problem->input_count; t++)
        fill_input(problem, t, spec, rounded, t == kept ? kept_seed : seed, apply);
    return ASSAY_OK;
}

assay_status inputs_fill(assay_problem *problem, const opspec *spec, uint64_t seed, const char *special,
                         assay_error *error)
{
    return fill_inputs(problem, spec, NULL, seed, -1, 0, special, error);
}

assay_status inputs_fill_widened(assay_problem *problem, const opspec *spec, assay_dtype dtype, uint64_t seed,
                                 const char *special, assay_error *error)
{
    const assay_dtype rounded = assay_dtype_storage(dtype);
    return fill_inputs(problem, spec, &rounded, seed, -1, 0, special, error);
}

int inputs_kept(const assay_problem *problem, uint64_t seed)
{
    enum { KEPT_STREAM = 16383 };
    uint64_t elements = 0;
    for (int t = 0; t < problem->input_count; t++)
        elements += (uint64_t)assay_tensor_count(&problem->inputs[t]);
    return problem->input_count < 2
               ? -1
               : (int)(random_word_at(seed, KEPT_STREAM, elements) % (uint32_t)problem->input_count);
}

assay_status inputs_fill_others(assay_problem *problem, const opspec *spec, assay_dtype dtype, uint64_t seed,
                                const char *special, assay_error *error)
{
    const assay_dtype rounded = assay_dtype_storage(dtype);
    return fill_inputs(problem, spec, &rounded, seed + 1, inputs_kept(problem, seed), seed, special, error);
}

/* A position below `count`. */
static int64_t random_position(uint64_t seed, uint64_t stream, uint64_t index, int64_t count)
{
    const uint64_t high = random_word_at(seed, stream, 2 * index),
                   low = random_word_at(seed, stream, 2 * index + 1);
    return (int64_t)((high << 32 | low) % (uint64_t)count);
}

void inputs_change_few(assay_problem *problem, uint64_t seed)
{
    enum { CHANGE_STREAM = 16384, MOST_TRIES = 16 };
    for (int t = 0; t < problem->input_count; t++) {
        const assay_tensor *tensor = &problem->inputs[t];
        const int64_t count = assay_tensor_count(tensor),
                      row = tensor->rank > 0 ? tensor->shape[tensor->rank - 1] : 1;
        const uint64_t stream = CHANGE_STREAM + (uint64_t)t;
        float *values = tensor->data;
        for (uint64_t i = 0; count > 1 && i < INPUTS_CHANGED; i++) {
            const int64_t to = random_position(seed, stream, i * (MOST_TRIES + 1), i == 0 ? row : count);
            for (uint64_t k = 1; k <= MOST_TRIES; k++) { /* one of another value, if there is one */
                const int64_t from = random_position(seed, stream, i * (MOST_TRIES + 1) + k, count);
                if (values[from] == values[to] || (isnan(values[from]) && isnan(values[to])))
                    continue;
                values[to] = values[from];
                break;
            }
        }
    }
}
