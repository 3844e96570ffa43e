/* cuDNN itself takes the attention graph of bench/baselines/mha_cudnn.c and has plans for it on an H100. */
#include "mha_cudnn.c"
#include "cudnn_offline.h"

static void check(const mha_args *args, const char *name)
{
    cudnn_descriptor device = describe_h100();
    static cudnn_graph g;
    g.device_properties = device;
    if (build_attention(&g, args))
        cudnn_list_plans(&g);
    const int offered = g.offered;
    print_plans(name, &g);
    cudnn_graph_release(&g);
    cudnn.destroy_descriptor(device);
    assert_true(offered > 0);
}

static void test_plain(void **test_state)
{
    (void)test_state;
    const mha_args args = {
        .batch = 2, .heads = 4, .group = 1, .queries = 256, .keys = 384, .dim = 64, .scale = 0.125};
    check(&args, "plain");
}

static void test_causal(void **test_state)
{
    (void)test_state;
    const mha_args args = {.batch = 1,
                           .heads = 16,
                           .group = 1,
                           .queries = 1024,
                           .keys = 1024,
                           .dim = 128,
                           .scale = 0.1,
                           .causal = 1};
    check(&args, "causal");
}

static void test_grouped_from_the_bottom_right(void **test_state)
{
    (void)test_state;
    const mha_args args = {.batch = 2,
                           .heads = 16,
                           .group = 4,
                           .queries = 512,
                           .keys = 1024,
                           .dim = 128,
                           .scale = 0.1,
                           .causal = 1,
                           .causal_shift = 512};
    check(&args, "grouped, bottom right");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plain), cmocka_unit_test(test_causal),
                                       cmocka_unit_test(test_grouped_from_the_bottom_right)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
