/* The cuDNN baselines of conv2d against a cuDNN of the test's own, in f32: strides, padding and dilation by direction, groups, the bias, the memory layout
 * of each and that it refuses the other, the choice of the engine, and cuDNN that is not there. */
#if TEST_CHANNELS_LAST
#include "conv2d_cudnn_nhwc.c"
#else
#include "conv2d_cudnn.c"
#endif
#include "fake_cuda.h"
#include "fake_cudnn.h"
#include <math.h>

enum { MOST = 4096 };

static float x[MOST], weight[MOST], bias[MOST], out[MOST], other_out[MOST];

static void set_output_size(conv2d_args *a)
{
    a->p = (a->h + 2 * a->padding - a->dilation * (a->r - 1) - 1) / a->stride + 1;
    a->q = (a->w + 2 * a->padding_w - a->dilation_w * (a->s - 1) - 1) / a->stride_w + 1;
}

static conv2d_args make_args(int64_t c, int64_t k, int64_t r, int64_t stride, int64_t padding,
                             int64_t dilation, int64_t groups)
{
    conv2d_args a = {.x = x,
                     .weight = weight,
                     .bias = bias,
                     .out = out,
                     .n = 2,
                     .c = c,
                     .h = 7,
                     .w = 6,
                     .k = k,
                     .r = r,
                     .s = r,
                     .stride = stride,
                     .padding = padding,
                     .dilation = dilation,
                     .groups = groups,
                     .channels_last = TEST_CHANNELS_LAST,
                     .stride_w = stride,
                     .padding_w = padding,
                     .dilation_w = dilation};
    set_output_size(&a);
    for (int i = 0; i < MOST; i++) { /* small integers: sums are exact */
        x[i] = (float)(i * 7 % 11 - 5);
        weight[i] = (float)(i * 5 % 13 - 6);
        bias[i] = (float)(i * 3 % 7 - 3);
        out[i] = NAN;
    }
    return a;
}

/* Offset of (outer, channel, row, column) in a tensor in this baseline's layout. */
static int64_t at(int64_t outer, int64_t channel, int64_t row, int64_t column, int64_t channels, int64_t rows,
                  int64_t columns)
{
    return TEST_CHANNELS_LAST ? ((outer * rows + row) * columns + column) * channels + channel
                              : ((outer * channels + channel) * rows + row) * columns + column;
}

static float expected(const conv2d_args *a, int64_t n, int64_t k, int64_t p, int64_t q)
{
    const int64_t per_group = a->c / a->groups, group = k / (a->k / a->groups);
    float sum = bias[k];
    for (int64_t c = 0; c < per_group; c++)
        for (int64_t r = 0; r < a->r; r++)
            for (int64_t s = 0; s < a->s; s++) {
                const int64_t h = p * a->stride - a->padding + r * a->dilation;
                const int64_t w = q * a->stride_w - a->padding_w + s * a->dilation_w;
                if (h >= 0 && h < a->h && w >= 0 && w < a->w)
                    sum += x[at(n, group * per_group + c, h, w, a->c, a->h, a->w)] *
                           weight[at(k, c, r, s, per_group, a->r, a->s)];
            }
    return sum;
}

static void check(const conv2d_args *a, const float *result)
{
    for (int64_t n = 0; n < a->n; n++)
        for (int64_t k = 0; k < a->k; k++)
            for (int64_t p = 0; p < a->p; p++)
                for (int64_t q = 0; q < a->q; q++)
                    assert_true(result[at(n, k, p, q, a->k, a->p, a->q)] == expected(a, n, k, p, q));
    assert_true(isnan(result[a->n * a->k * a->p * a->q]));
}

static void release_all(void)
{
    conv2d_release();
    assert_int_equal(fake.allocations, 0);
    assert_int_equal(*fake_cudnn_live, 0);
}

static void check_run(const conv2d_args *a)
{
    assert_int_equal(conv2d_prepare(a, NULL), ASSAY_OK);
    for (int j = 0; j < MOST; j++)
        out[j] = NAN; /* what prepare wrote does not count */
    assert_int_equal(conv2d_run(a, NULL), ASSAY_OK);
    check(a, out);
    release_all();
}

/* By graphs, and by the older calls. */
static void test_directions(void **state)
{
    for (int older = 0; older < 2; older++) {
        conv2d_args a = make_args(3, 4, 3, 2, 0, 1, 1);
        a.stride_w = 1, a.padding_w = 2, a.dilation_w = 2;
        set_output_size(&a);
        fake_cudnn_algorithm_ms[CUDNN_ALGORITHM_IMPLICIT_GEMM] = older ? 0.0001f : 0.0f;
        check_run(&a);
    }
    fake_cudnn_algorithm_ms[CUDNN_ALGORITHM_IMPLICIT_GEMM] = 0.0f;
}

static void test_shapes(void **state)
{
    static const int64_t shapes[][7] = {{3, 4, 3, 1, 1, 1, 1}, {4, 2, 1, 1, 0, 1, 1}, {3, 5, 3, 2, 2, 1, 1},
                                        {2, 3, 3, 1, 2, 2, 1}, {4, 6, 3, 1, 1, 1, 2}, {4, 4, 2, 1, 0, 1, 4}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const int64_t *s = shapes[i];
        const conv2d_args a = make_args(s[0], s[1], s[2], s[3], s[4], s[5], s[6]);
        check_run(&a);
    }
}

static void test_other_buffers(void **state)
{
    const conv2d_args a = make_args(3, 4, 3, 1, 1, 1, 1);
    conv2d_args other = a;
    other.out = other_out;
    for (int i = 0; i < MOST; i++)
        other_out[i] = NAN;
    assert_int_equal(conv2d_prepare(&a, NULL), ASSAY_OK);
    assert_int_equal(conv2d_run(&other, NULL), ASSAY_OK);
    check(&other, other_out);
    release_all();
}

static void test_choice(void **state)
{
    const conv2d_args a = make_args(3, 4, 3, 1, 1, 1, 1);
    assert_int_equal(conv2d_prepare(&a, NULL), ASSAY_OK);
    assert_string_equal(conv2d_notes()->version, "cuDNN 9.1.99");
    assert_non_null(
        strstr(conv2d_notes()->choice,
               "engine 2, bias fused; fastest of 6 that ran (4 fused and 4 plain plans, 0 algorithms)"));
    assert_non_null(strstr(conv2d_notes()->choice, CONV_CHANNELS_LAST ? "channels last" : "NCHW"));
    release_all();
}

/* The baseline is the best of both: an algorithm of the calls before graphs where that is faster, whatever the shape. */
static void test_the_older_call_is_faster(void **state)
{
    static const int64_t shapes[][7] = {{3, 4, 3, 1, 1, 1, 1}, {3, 5, 3, 2, 2, 1, 1}, {4, 6, 3, 1, 1, 1, 2}};
    fake_cudnn_algorithm_ms[1] = 0.004f;
    fake_cudnn_algorithm_ms[CUDNN_ALGORITHM_WINOGRAD] = 0.0001f;
    for (size_t i = 0; i < 2 * (sizeof shapes / sizeof *shapes); i++) {
        const int64_t *s = shapes[i / 2];
        const conv2d_args a = make_args(s[0], s[1], s[2], s[3], s[4], s[5], s[6]);
        *fake_cudnn_no_bias_plan = (int)(i % 2); /* then the call that adds tensors adds it */
        assert_int_equal(conv2d_prepare(&a, NULL), ASSAY_OK);
        assert_non_null(strstr(conv2d_notes()->choice, "algorithm Winograd, bias by a second launch"));
        assert_non_null(strstr(conv2d_notes()->choice, "2 algorithms"));
        for (int j = 0; j < MOST; j++)
            out[j] = NAN;
        assert_int_equal(conv2d_run(&a, NULL), ASSAY_OK);
        check(&a, out);
        release_all();
    }
    *fake_cudnn_no_bias_plan = 0;
    memset(fake_cudnn_algorithm_ms, 0, CUDNN_ALGORITHMS * sizeof *fake_cudnn_algorithm_ms);
}

/* An algorithm that is fastest and not accurate is no candidate, whether it is known to transform its operands or not. */
static void test_an_inaccurate_algorithm_is_left_out(void **state)
{
    static const int algorithms[] = {CUDNN_ALGORITHM_FFT, CUDNN_ALGORITHM_IMPLICIT_GEMM + 1};
    const conv2d_args a = make_args(3, 4, 3, 1, 1, 1, 1);
    fake_cudnn_algorithm_ms[CUDNN_ALGORITHM_IMPLICIT_GEMM] = 1.0f;
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++) {
        fake_cudnn_algorithm_ms[algorithms[i]] = -0.0001f;
        assert_int_equal(conv2d_prepare(&a, NULL), ASSAY_OK);
        assert_non_null(strstr(conv2d_notes()->choice, "engine 2, bias fused; fastest of 7 that ran"));
        assert_int_equal(conv2d_run(&a, NULL), ASSAY_OK);
        check(&a, out);
        release_all();
        fake_cudnn_algorithm_ms[algorithms[i]] = 0.0f;
    }
    fake_cudnn_algorithm_ms[CUDNN_ALGORITHM_IMPLICIT_GEMM] = 0.0f;
}

/* A few wrong elements do not show in a norm. */
static void test_agreement_looks_at_every_element(void **state)
{
    enum { COUNT = 1 << 16 };
    static float expected[COUNT], got[COUNT];
    for (int i = 0; i < COUNT; i++)
        got[i] = expected[i] = i % 2 ? 1.0f : -1.0f;
    assert_true(agreement_holds(expected, got, COUNT));
    got[77] += 2e-5f; /* relative Frobenius error 8e-8, a fiftieth of the bound */
    assert_false(agreement_holds(expected, got, COUNT));
    got[77] = expected[77] + 1e-5f;
    assert_true(agreement_holds(expected, got, COUNT));
    got[77] = NAN;
    assert_false(agreement_holds(expected, got, COUNT));
}

static void test_another_shape_is_refused(void **state)
{
    const conv2d_args a = make_args(3, 4, 3, 1, 1, 1, 1), b = make_args(3, 4, 3, 1, 0, 1, 1);
    assert_int_equal(conv2d_run(&a, NULL), ASSAY_ERR_INVALID);
    assert_int_equal(conv2d_prepare(&a, NULL), ASSAY_OK);
    assert_int_equal(conv2d_run(&b, NULL), ASSAY_ERR_INVALID);
    release_all();
}

static void test_the_other_layout_is_refused(void **state)
{
    conv2d_args a = make_args(3, 4, 3, 1, 1, 1, 1);
    a.channels_last = !TEST_CHANNELS_LAST;
    assert_int_equal(conv2d_prepare(&a, NULL), ASSAY_ERR_UNSUPPORTED);
    assert_non_null(strstr(conv2d_notes()->reason, TEST_CHANNELS_LAST
                                                       ? "these tensors have them first; see cudnn"
                                                       : "these tensors have them last; see cudnn_nhwc"));
    assert_int_equal(conv2d_run(&a, NULL), ASSAY_ERR_INVALID);
    assert_true(isnan(out[0]));
    release_all();
}

static void test_empty(void **state)
{
    conv2d_args a = make_args(3, 4, 3, 1, 1, 1, 1);
    a.n = 0;
    assert_int_equal(conv2d_prepare(&a, NULL), ASSAY_OK);
    assert_int_equal(conv2d_run(&a, NULL), ASSAY_OK);
    assert_true(isnan(out[0]));
    release_all();
}

static void test_no_cudnn(void **state)
{
    const conv2d_args a = make_args(3, 4, 3, 1, 1, 1, 1);
    forget_cudnn();
    setenv("ASSAY_CUDNN", "/nonexistent", 1);
    assert_int_equal(conv2d_prepare(&a, NULL), ASSAY_ERR_ENVIRONMENT);
    assert_non_null(strstr(conv2d_notes()->reason, "libcudnn.so.9: not found; set ASSAY_CUDNN"));
    assert_int_equal(fake.allocations, 0);
    assert_int_equal(use_fake_cudnn(NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_directions),
        cmocka_unit_test(test_other_buffers),
        cmocka_unit_test(test_choice),
        cmocka_unit_test(test_the_older_call_is_faster),
        cmocka_unit_test(test_an_inaccurate_algorithm_is_left_out),
        cmocka_unit_test(test_agreement_looks_at_every_element),
        cmocka_unit_test(test_another_shape_is_refused),
        cmocka_unit_test(test_the_other_layout_is_refused),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_no_cudnn),
    };
    return cmocka_run_group_tests(tests, use_fake_cudnn, NULL);
}
