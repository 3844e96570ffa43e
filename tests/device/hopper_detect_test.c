/* What the CPU device finds wrong with the use of Hopper's instructions: one report for each mistake. */
#include "child.h"

#define WRONG_KERNELS(X)             \
    X(barrier_not_initialised)       \
    X(barrier_overwritten)           \
    X(barrier_not_fenced)            \
    X(one_arrival_too_many)          \
    X(bytes_never_come)              \
    X(wrong_parity)                  \
    X(named_barrier_counts)          \
    X(load_not_waited_for)           \
    X(load_misaligned)               \
    X(load_outside)                  \
    X(box_within_16_bytes)           \
    X(row_within_16_bytes)           \
    X(row_from_within_16_bytes)      \
    X(row_without_fence)             \
    X(row_not_waited_for)            \
    X(row_of_24_bytes)               \
    X(row_outside)                   \
    X(map_not_made)                  \
    X(store_without_fence)           \
    X(store_not_waited_for)          \
    X(product_without_fence)         \
    X(product_not_waited_for)        \
    X(product_of_different_operands) \
    X(product_amid_a_swizzle)        \
    X(product_outside)               \
    X(product_from_global)           \
    X(product_of_unfenced_stores)    \
    X(block_ended_too_early)         \
    X(no_such_block)
#define DECLARE(name) assay_status name##_run(const probe_args *, assay_stream);
WRONG_KERNELS(DECLARE)

enum { WITH_BARRIER = 8 * 128 + 8, OPERANDS = 2 * 64 * 64 * 2 };

static void barriers(void **state)
{
    expect_report(LAUNCH(barrier_not_initialised, 1, 32, WITH_BARRIER), "invalid mbarrier",
                  PARTS("mbarrier_arrive at hopper_wrong.cu", "not initialised"));
    expect_report(LAUNCH(barrier_overwritten, 1, 1, WITH_BARRIER), "invalid mbarrier", PARTS("overwritten"));
    expect_report(LAUNCH(barrier_not_fenced, 1, 1, WITH_BARRIER), "invalid mbarrier",
                  PARTS("tma_load_2d at hopper_wrong.cu", "initialisation was not fenced"));
    expect_report(LAUNCH(one_arrival_too_many, 1, 32, WITH_BARRIER), "invalid mbarrier",
                  PARTS("thread (1,0,0)", "mbarrier_arrive_expect at hopper_wrong.cu",
                        "one arrival more than the 1 of a phase"));
    expect_report(LAUNCH(named_barrier_counts, 1, 96, 0), "divergent barrier",
                  PARTS("thread (32,0,0)", "of barrier 1 for 96 threads, while others came for 64"));
}

static void deadlocks(void **state)
{
    expect_report(LAUNCH(bytes_never_come, 1, 32, WITH_BARRIER), "deadlock",
                  PARTS("32 of 32 wait", "waits in mbarrier_wait of parity 0 at hopper_wrong.cu"));
    expect_report(LAUNCH(wrong_parity, 1, 32, WITH_BARRIER), "deadlock",
                  PARTS("waits in mbarrier_wait of parity 1 at hopper_wrong.cu"));
}

static void copies(void **state)
{
    expect_report(LAUNCH(load_not_waited_for, 1, 32, WITH_BARRIER), "unfinished work",
                  PARTS("block (0,0,0) ended with a tma_load_2d under way"));
    expect_report(LAUNCH(load_misaligned, 1, 1, WITH_BARRIER), "misaligned access",
                  PARTS("tma_load_2d at hopper_wrong.cu", "multiple of 128"));
    expect_report(LAUNCH(box_within_16_bytes, 1, 1, WITH_BARRIER), "misaligned access",
                  PARTS("tma_load_2d at hopper_wrong.cu", "1 elements", "no multiple of 16 bytes"));
    expect_report(LAUNCH(row_within_16_bytes, 1, 1, WITH_BARRIER), "misaligned access",
                  PARTS("bulk_store at hopper_wrong.cu", "multiple of 16"));
    expect_report(LAUNCH(row_from_within_16_bytes, 1, 1, WITH_BARRIER), "misaligned access",
                  PARTS("bulk_store at hopper_wrong.cu", "multiple of 16"));
    expect_report(LAUNCH(row_without_fence, 1, 32, WITH_BARRIER), "missing fence",
                  PARTS("bulk_store at hopper_wrong.cu", "without fence_async_shared()"));
    expect_report(LAUNCH(row_not_waited_for, 1, 1, WITH_BARRIER), "unfinished work", PARTS("under way"));
    expect_report(LAUNCH(row_of_24_bytes, 1, 1, WITH_BARRIER), "misaligned access",
                  PARTS("bulk_store at hopper_wrong.cu", "of 24 bytes"));
    expect_report(LAUNCH(row_outside, 1, 1, WITH_BARRIER), "invalid shared address",
                  PARTS("a store of 32 bytes at offset 1024 of 1032 bytes"));
    expect_report(LAUNCH(load_outside, 1, 1, WITH_BARRIER), "invalid shared address",
                  PARTS("a box of 1024 bytes at offset 1024 of 1032 bytes"));
    expect_report(LAUNCH(map_not_made, 1, 1, WITH_BARRIER), "invalid tensor map",
                  PARTS("tma_load_2d at hopper_wrong.cu"));
    expect_report(
        LAUNCH(store_without_fence, 1, 32, WITH_BARRIER), "missing fence",
        PARTS("tma_store_2d at hopper_wrong.cu", "thread (0,0,0) wrote without fence_async_shared()"));
    expect_report(LAUNCH(store_not_waited_for, 1, 32, WITH_BARRIER), "unfinished work",
                  PARTS("a tma_store_2d under way"));
}

static void products(void **state)
{
    expect_report(LAUNCH(product_without_fence, 1, 128, OPERANDS), "missing fence",
                  PARTS("wgmma at hopper_wrong.cu", "without wgmma_fence()"));
    expect_report(LAUNCH(product_not_waited_for, 1, 128, OPERANDS), "unfinished work",
                  PARTS("a wgmma under way"));
    expect_report(LAUNCH(product_of_different_operands, 1, 128, OPERANDS), "mismatched wgmma",
                  PARTS("thread 77 of the warpgroup", "wgmma at hopper_wrong.cu"));
    expect_report(LAUNCH(product_amid_a_swizzle, 1, 128, OPERANDS), "invalid wgmma descriptor",
                  PARTS("wgmma at hopper_wrong.cu", "amid the 8 rows"));
    expect_report(LAUNCH(product_outside, 1, 128, OPERANDS), "invalid wgmma descriptor",
                  PARTS("ends past the end of dynamic shared memory"));
    expect_report(LAUNCH(product_from_global, 1, 128, OPERANDS), "invalid shared address",
                  PARTS("wgmma_descriptor at hopper_wrong.cu"));
    expect_report(LAUNCH(product_of_unfenced_stores, 1, 128, OPERANDS), "missing fence",
                  PARTS("wgmma at hopper_wrong.cu", "wrote without fence_async_shared()"));
}

static void clusters(void **state)
{
    expect_report(LAUNCH(block_ended_too_early, 2, 32, WITH_BARRIER), "invalid cluster access",
                  PARTS("block (1,0,0)", "block 0 of the cluster has ended"));
    expect_report(LAUNCH(no_such_block, 2, 32, WITH_BARRIER), "invalid cluster access",
                  PARTS("block 2 of a cluster of 2"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(barriers), cmocka_unit_test(deadlocks), cmocka_unit_test(copies),
        cmocka_unit_test(products), cmocka_unit_test(clusters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
