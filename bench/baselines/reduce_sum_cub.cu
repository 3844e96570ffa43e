// Baseline of `reduce_sum`: CUB's reductions, the fastest of those that fit the shape, accumulating in float.
//
//   rows of contiguous elements (inner = 1)   DeviceSegmentedReduce over all rows (a block a row), or DeviceReduce row after
//                                             row where there are few
//   strided rows (inner > 1)                  DeviceSegmentedReduce over an iterator that walks a row: CUB has no reduction
//                                             along an outer dimension, so neighbouring threads read elements far apart
//
// Each form is tried with the element type's own pointer and with an iterator that converts to float; the fastest is kept
// (baseline_search.h), temporary storage is allocated once.
#include "bench/baselines/cub_common.cuh"
#include "bench/baselines/baseline_search.h"
#include "reduce_sum.h"
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>

BASELINE_DECLARE(reduce_sum);

enum form { SEGMENTED_PLAIN, SEGMENTED_FLOAT, EACH_ROW_PLAIN, EACH_ROW_FLOAT, STRIDED, FORMS };
enum { MOST_SINGLE_ROWS = 16 };

static const char *const form_names[FORMS] = {"DeviceSegmentedReduce", "DeviceSegmentedReduce of floats",
                                              "DeviceReduce", "DeviceReduce of floats",
                                              "DeviceSegmentedReduce of strided rows"};

static struct {
    void *storage;
    size_t storage_bytes;
    int64_t outer, length, inner;
    int chosen, ready;
} state;

struct widen {
    __host__ __device__ float operator()(scalar x) const { return assay::to_float(x); }
};

struct narrow {
    __host__ __device__ scalar operator()(float x) const { return assay::from_float<scalar>(x); }
};

struct row_begin {
    int64_t length;
    __host__ __device__ int64_t operator()(int64_t row) const { return row * length; }
};

// Element number i of all rows laid end to end.
struct strided_element {
    const scalar *x;
    int64_t length, inner;
    __host__ __device__ float operator()(int64_t i) const
    {
        const int64_t row = i / length;
        return assay::to_float(x[(row / inner * length + i % length) * inner + row % inner]);
    }
};

template <class Input>
static cudaError_t reduce_segments(const reduce_sum_args *args, Input input, void *storage, size_t &bytes,
                                   assay_stream stream)
{
    const auto out = thrust::make_transform_output_iterator(static_cast<scalar *>(args->out), narrow{});
    const auto begin =
        thrust::make_transform_iterator(thrust::make_counting_iterator(int64_t{0}), row_begin{args->length});
    return cub::DeviceSegmentedReduce::Reduce(storage, bytes, input, out, args->outer * args->inner, begin,
                                              begin + 1, float_sum{}, 0.0f, stream);
}

template <class Input>
static cudaError_t reduce_row(Input input, scalar *to, int64_t length, void *storage, size_t &bytes,
                              assay_stream stream)
{
    const auto out = thrust::make_transform_output_iterator(to, narrow{});
    if (length <= INT_MAX)
        return cub::DeviceReduce::Reduce(storage, bytes, input, out, static_cast<int>(length), float_sum{},
                                         0.0f, stream);
    return cub::DeviceReduce::Reduce(storage, bytes, input, out, length, float_sum{}, 0.0f, stream);
}

template <class Input>
static cudaError_t reduce_rows(const reduce_sum_args *args, Input input, void *storage, size_t &bytes,
                               assay_stream stream)
{
    cudaError_t code = cudaSuccess;
    for (int64_t row = 0; row < args->outer && code == cudaSuccess; row++)
        code = reduce_row(input + row * args->length, static_cast<scalar *>(args->out) + row, args->length,
                          storage, bytes, stream);
    return code;
}

// With `storage` NULL only the size of the temporary storage is asked for, as everywhere in CUB.
static cudaError_t run_form(int form, const reduce_sum_args *args, void *storage, size_t &bytes,
                            assay_stream stream)
{
    const scalar *x = static_cast<const scalar *>(args->x);
    const auto floats = thrust::make_transform_iterator(x, widen{});
    switch (form) {
    case SEGMENTED_PLAIN:
        return reduce_segments(args, x, storage, bytes, stream);
    case SEGMENTED_FLOAT:
        return reduce_segments(args, floats, storage, bytes, stream);
    case EACH_ROW_PLAIN:
        return reduce_rows(args, x, storage, bytes, stream);
    case EACH_ROW_FLOAT:
        return reduce_rows(args, floats, storage, bytes, stream);
    default:
        return reduce_segments(args,
                               thrust::make_transform_iterator(thrust::make_counting_iterator(int64_t{0}),
                                                               strided_element{x, args->length, args->inner}),
                               storage, bytes, stream);
    }
}

static int fits(int form, const reduce_sum_args *args)
{
    if (args->inner > 1)
        return form == STRIDED;
    if (form == EACH_ROW_PLAIN || form == EACH_ROW_FLOAT)
        return args->outer <= MOST_SINGLE_ROWS;
    return form != STRIDED;
}

static int try_form(void *context, int form, assay_stream stream)
{
    const reduce_sum_args *args = static_cast<const reduce_sum_args *>(context);
    return fits(form, args) &&
           run_form(form, args, state.storage, state.storage_bytes, stream) == cudaSuccess;
}

static assay_status allocate_storage(const reduce_sum_args *args, assay_stream stream)
{
    for (int form = 0; form < FORMS; form++) {
        size_t bytes = 0;
        if (fits(form, args) && run_form(form, args, nullptr, bytes, stream) == cudaSuccess &&
            bytes > state.storage_bytes)
            state.storage_bytes = bytes;
    }
    if (state.storage_bytes == 0)
        state.storage_bytes = 1; // no storage at all would mean asking for its size
    return baseline_check_cuda(cudaMalloc(&state.storage, state.storage_bytes), "temporary storage");
}

extern "C" void reduce_sum_release(void)
{
    cudaFree(state.storage); // NULL is fine
    memset(&state, 0, sizeof state);
}

static int is_empty(const reduce_sum_args *args)
{
    return args->outer == 0 || args->length == 0 || args->inner == 0;
}

static assay_status choose(const reduce_sum_args *args, assay_stream stream)
{
    assay_status status = allocate_storage(args, stream);
    if (status != ASSAY_OK)
        return status;
    baseline_search search = {};
    reduce_sum_args copy = *args;
    search.enqueue = try_form;
    search.context = &copy;
    search.stream = stream;
    state.chosen = baseline_search_fastest(&search, FORMS);
    if (state.chosen < 0)
        return baseline_fail(ASSAY_ERR_DEVICE, "reductions", cudaGetErrorString(cudaGetLastError()));
    snprintf(baseline_notes.choice, sizeof baseline_notes.choice,
             "%s, fastest of %d; temporary storage %zu bytes", form_names[state.chosen], search.ran,
             state.storage_bytes);
    return ASSAY_OK;
}

extern "C" assay_status reduce_sum_prepare(const reduce_sum_args *args, assay_stream stream)
{
    reduce_sum_release();
    cub_start_notes("");
    state.outer = args->outer;
    state.length = args->length;
    state.inner = args->inner;
    if (args->row_padding != 0)
        return baseline_fail(ASSAY_ERR_UNSUPPORTED, "rows", "this baseline sums rows without padding");
    const assay_status status = is_empty(args) ? ASSAY_OK : choose(args, stream);
    state.ready = status == ASSAY_OK;
    return status;
}

extern "C" assay_status reduce_sum_run(const reduce_sum_args *args, assay_stream stream)
{
    if (!state.ready || args->outer != state.outer || args->length != state.length ||
        args->inner != state.inner)
        return baseline_fail(ASSAY_ERR_INVALID, "run", "not prepared for this shape");
    if (args->length == 0)
        return baseline_zero_output(args->out, args->outer, args->inner, stream);
    if (is_empty(args))
        return ASSAY_OK;
    return baseline_check_cuda(run_form(state.chosen, args, state.storage, state.storage_bytes, stream),
                               form_names[state.chosen]);
}
