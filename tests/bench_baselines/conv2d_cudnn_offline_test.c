/* cuDNN itself takes the graphs of bench/baselines/conv2d_cudnn.h and has plans for them on an H100, in either layout. */
#if TEST_CHANNELS_LAST
#include "conv2d_cudnn_nhwc.c"
#else
#include "conv2d_cudnn.c"
#endif
#include "cudnn_offline.h"

static int list(cudnn_graph *g, int (*build)(cudnn_graph *, const conv2d_args *), const conv2d_args *args,
                cudnn_descriptor device, const char *name)
{
    g->device_properties = device;
    if (build(g, args))
        cudnn_list_plans(g);
    print_plans(name, g);
    const int count = g->plan_count;
    cudnn_graph_release(g);
    return count;
}

static void check(const conv2d_args *args)
{
    static cudnn_graph g;
    cudnn_descriptor device = describe_h100();
    const int fused = list(&g, conv_build_fused, args, device, "fused");
    const int plain = list(&g, conv_build_plain, args, device, "plain");
    const int bias = list(&g, conv_build_add_bias, args, device, "bias");
    assert_true(fused > 0 || (plain > 0 && bias > 0));
    cudnn.destroy_descriptor(device);
}

static void test_square(void **test_state)
{
    (void)test_state;
    const conv2d_args args = {.n = 8,
                              .c = 128,
                              .h = 32,
                              .w = 32,
                              .k = 128,
                              .r = 3,
                              .s = 3,
                              .p = 32,
                              .q = 32,
                              .stride = 1,
                              .stride_w = 1,
                              .padding = 1,
                              .padding_w = 1,
                              .dilation = 1,
                              .dilation_w = 1,
                              .groups = 1,
                              .channels_last = TEST_CHANNELS_LAST};
    check(&args);
}

static void test_stem(void **test_state)
{
    (void)test_state;
    const conv2d_args args = {.n = 32,
                              .c = 3,
                              .h = 224,
                              .w = 224,
                              .k = 64,
                              .r = 7,
                              .s = 7,
                              .p = 112,
                              .q = 112,
                              .stride = 2,
                              .stride_w = 2,
                              .padding = 3,
                              .padding_w = 3,
                              .dilation = 1,
                              .dilation_w = 1,
                              .groups = 1,
                              .channels_last = TEST_CHANNELS_LAST};
    check(&args);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_square), cmocka_unit_test(test_stem)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
