/* What the CPU device finds wrong with kernels: each wrong kernel runs in a child process, which must end with SIGABRT after
 * one line on stderr that names what, where and who. */
#include "child.h"

#if defined(__SANITIZE_ADDRESS__)
#define UNDER_ASAN 1
#else
#define UNDER_ASAN 0
#endif

/* The report about a fault is written from a signal handler, on purpose (device/cpu/runtime/fault.c). */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "report_signal_unsafe=0";
}

#define WRONG_KERNELS(X)    \
    X(barrier_in_branches)  \
    X(barriers_on_one_line) \
    X(matrix_after_exit)    \
    X(exit_before_matrix)   \
    X(mask_without_self)    \
    X(different_operations) \
    X(different_masks)      \
    X(barrier_against_warp) \
    X(read_past_end)        \
    X(write_before_start)   \
    X(null_pointer)         \
    X(shared_overrun)       \
    X(shared_far_overrun)   \
    X(static_overrun)       \
    X(deep_recursion)       \
    X(misaligned_load)      \
    X(misaligned_copy)      \
    X(misaligned_rows)      \
    X(trapped)              \
    X(uninitialised_shared) \
    X(missing_barrier)      \
    X(mark)                 \
    X(wrong_stream)
#define DECLARE(name) assay_status name##_run(const probe_args *, assay_stream);
WRONG_KERNELS(DECLARE)

/* AddressSanitizer says more about an address than the device can, and ends the process itself; where
 * UndefinedBehaviorSanitizer watches too, it may see the same access first ("runtime error"). */
static void expect_asan_report(launch l)
{
    static char text[1 << 16];
    const int status = run_in_child(&l, text, sizeof text);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        fail_msg("%s: nothing was found", l.name);
    if (!strstr(text, "runtime error"))
        expect_text(l.name, text, "AddressSanitizer");
    expect_text(l.name, text, l.name); /* in the stack */
}

static void divergent_barriers(void **state)
{
    expect_report(LAUNCH(barrier_in_branches, 3, 64, 0), "divergent barrier",
                  PARTS(", block (", "thread (16,0,0): this thread is in __syncthreads at wrong.cu:13",
                        "while thread (0,0,0) is in __syncthreads at wrong.cu:9"));
    expect_report(LAUNCH(barriers_on_one_line, 1, 64, 0), "divergent barrier",
                  PARTS("another barrier of the same line"));
}

static void missing_lanes(void **state)
{
    expect_report(
        LAUNCH(exit_before_matrix, 1, 32, 0), "missing lane",
        PARTS("thread (31,0,0): this thread ended while lane 0 is in ldmatrix_x4 with mask 0xffffffff"));
    expect_report(LAUNCH(mask_without_self, 1, 32, 0), "missing lane",
                  PARTS("does not name the calling lane 0"));
}

static void mismatched_operations(void **state)
{
    expect_report(LAUNCH(different_operations, 1, 32, 0), "mismatched warp operation",
                  PARTS("this lane is in __shfl_sync", "while lane 0 is in __any_sync"));
    expect_report(LAUNCH(different_masks, 1, 32, 0), "mismatched warp operation",
                  PARTS("mask 0xfffffff0", "mask 0xffffffff"));
}

static void deadlocks(void **state)
{
    expect_report(LAUNCH(barrier_against_warp, 1, 32, 0), "deadlock",
                  PARTS("32 of 32 wait, 0 have ended", "thread (0,0,0) waits in __syncthreads at wrong.cu",
                        "thread (16,0,0) waits in __syncwarp at wrong.cu"));
}

static void bad_addresses(void **state)
{
    if (UNDER_ASAN) {
        expect_asan_report(LAUNCH(read_past_end, 4, 128, 0));
        expect_asan_report(LAUNCH(write_before_start, 2, 32, 0));
        return;
    }
    expect_report(
        LAUNCH(read_past_end, 4, 128, 0), "out-of-bounds global access",
        PARTS("block (1,0,0)", "thread (122,0,0)", ": ", "8 bytes past the end of a buffer of 1000 bytes"));
    expect_report(LAUNCH(write_before_start, 2, 32, 0), "out-of-bounds global access",
                  PARTS("thread (3,0,0)", "5096 bytes before the start of a buffer of 1000 bytes"));
    expect_report(LAUNCH(null_pointer, 2, 32, 0), "invalid memory access",
                  PARTS("thread (7,0,0)", "which is in no buffer"));
    expect_report(LAUNCH(deep_recursion, 1, 1, 0), "stack overflow", PARTS("thread (0,0,0)"));
}

static void shared_overruns(void **state)
{
    if (UNDER_ASAN) {
        expect_asan_report(LAUNCH(shared_overrun, 3, 33, 1024));
        expect_asan_report(LAUNCH(shared_overrun, 3, 33, 1000));
        expect_asan_report(LAUNCH(shared_far_overrun, 1, 32, 512));
        expect_asan_report(LAUNCH(static_overrun, 1, 32, 0));
        return;
    }
    /* 1024 bytes end at the guard: the fault names the thread. 1000 bytes leave 24 that only the check behind the block sees. */
    expect_report(LAUNCH(shared_overrun, 3, 33, 1024), "out-of-bounds shared access",
                  PARTS("thread (31,0,0)", "0 bytes past the end of 1024 bytes of dynamic shared memory"));
    expect_report(LAUNCH(shared_overrun, 3, 33, 1000), "out-of-bounds shared write",
                  PARTS("block (", "past the end of 1000 bytes of dynamic shared memory"));
    expect_report(LAUNCH(shared_far_overrun, 1, 32, 512), "out-of-bounds shared access",
                  PARTS("thread (1,0,0)", "4096 bytes past"));
}

static void misaligned_accesses(void **state)
{
    expect_report(LAUNCH(misaligned_load, 1, 32, 0), "misaligned access",
                  PARTS("thread (1,0,0)", "load_vec at wrong.cu", "not a multiple of 16 bytes"));
    expect_report(LAUNCH(misaligned_copy, 1, 32, 0), "misaligned access", PARTS("cp_async_16 at wrong.cu"));
    expect_report(LAUNCH(misaligned_rows, 1, 32, 0), "misaligned access",
                  PARTS("thread (1,0,0)", "ldmatrix_x4 at wrong.cu"));
}

static void traps(void **state)
{
    expect_report(LAUNCH(trapped, 3, 32, 0), "trap",
                  PARTS("block (1,0,0), thread (5,0,0): __trap at wrong.cu"));
}

static void poison_shows_uninitialised_shared_memory(void **state)
{
    fixture f;
    float data[64];
    fixture_open(&f, sizeof data);
    fixture_shape(&f, 1, 1, 1, 32, 1, 1, 128);
    for (int poison = 1; poison >= 0; poison--) {
        fixture_options(&f, 1, "forward", 0, poison);
        fixture_clear(&f);
        assert_int_equal(uninitialised_shared_run(&f.args, assay_device_stream(f.device)), ASSAY_OK);
        assert_int_equal(assay_device_download(f.device, data, f.args.data, sizeof data, NULL), ASSAY_OK);
        assert_true(data[4] == 1.0f && data[36] == 1.0f);
        if (poison)
            assert_true(data[5] != data[5]);
        if (poison && !UNDER_ASAN)
            assert_true(data[37] != data[37]);
    }
    fixture_close(&f);
}

static void order_shows_a_missing_barrier(void **state)
{
    static const char *const orders[] = {"forward", "reversed", "random"};
    fixture f;
    int data[64], wrong = 0;
    fixture_open(&f, sizeof data);
    fixture_shape(&f, 1, 1, 1, 64, 1, 1, sizeof data);
    for (int o = 0; o < 3; o++) {
        fixture_options(&f, 1, orders[o], 5, 1);
        fixture_clear(&f);
        assert_int_equal(missing_barrier_run(&f.args, assay_device_stream(f.device)), ASSAY_OK);
        assert_int_equal(assay_device_download(f.device, data, f.args.data, sizeof data, NULL), ASSAY_OK);
        int bad = 0;
        for (int i = 0; i < 64; i++)
            bad += data[i] != (i ? i : 64);
        wrong += bad > 1; /* thread 0 is wrong in every order but one */
    }
    assert_true(wrong >= 2);
    fixture_options(&f, 0, "forward", 0, 0);
    fixture_close(&f);
}

static void a_wrong_stream_is_late(void **state)
{
    fixture f;
    int32_t data[32];
    fixture_open(&f, sizeof data);
    fixture_shape(&f, 1, 1, 1, 32, 1, 1, 0);
    f.args.variant = 7;
    fixture_clear(&f);
    assert_int_equal(wrong_stream_run(&f.args, assay_device_stream(f.device)), ASSAY_OK);
    assert_int_equal(assay_device_sync_stream(f.device, NULL), ASSAY_OK);
    assert_int_equal(assay_device_download(f.device, data, f.args.data, sizeof data, NULL), ASSAY_OK);
    assert_int_equal(data[0], 0);
    assert_int_equal(assay_device_sync_all(f.device, NULL), ASSAY_OK);
    assert_int_equal(assay_device_download(f.device, data, f.args.data, sizeof data, NULL), ASSAY_OK);
    assert_int_equal(data[31], 7);
    f.args.variant = 8;
    assert_int_equal(mark_run(&f.args, assay_device_stream(f.device)), ASSAY_OK);
    assert_int_equal(assay_device_peek(f.device, data, f.args.data, sizeof data, NULL), ASSAY_OK);
    assert_int_equal(data[31], 8);
    fixture_close(&f);
}

static void launches_that_cuda_refuses(void **state)
{
    static const struct {
        uint32_t grid[3], block[3];
        size_t shared_bytes;
        const char *reason;
    } bad[] = {
        {{1, 1, 1}, {1025, 1, 1}, 0, "1024 threads"},   {{1, 1, 1}, {64, 32, 1}, 0, "1024 threads"},
        {{1, 1, 1}, {1, 1, 65}, 0, "64 in z"},          {{0, 1, 1}, {32, 1, 1}, 0, "dimension is 0"},
        {{1, 1, 1}, {0, 1, 1}, 0, "dimension is 0"},    {{1, 65536, 1}, {1, 1, 1}, 0, "65535"},
        {{1, 1, 1}, {32, 1, 1}, 227 * 1024 + 1, "227"}, {{0x80000000u, 1, 1}, {32, 1, 1}, 0, "2^31"},
    };
    fixture f;
    fixture_open(&f, DATA_BYTES);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assay_error error = {0};
        fixture_shape(&f, bad[i].grid[0], bad[i].grid[1], bad[i].grid[2], bad[i].block[0], bad[i].block[1],
                      bad[i].block[2], bad[i].shared_bytes);
        assert_int_equal(mark_run(&f.args, assay_device_stream(f.device)), ASSAY_ERR_DEVICE);
        assert_int_equal(assay_device_sync_stream(f.device, &error), ASSAY_ERR_DEVICE);
        expect_text("mark", error.message, "launch of mark");
        expect_text("mark", error.message, bad[i].reason);
        assert_int_equal(assay_device_sync_stream(f.device, NULL), ASSAY_OK); /* reported once */
    }
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(divergent_barriers),
        cmocka_unit_test(missing_lanes),
        cmocka_unit_test(mismatched_operations),
        cmocka_unit_test(deadlocks),
        cmocka_unit_test(bad_addresses),
        cmocka_unit_test(shared_overruns),
        cmocka_unit_test(misaligned_accesses),
        cmocka_unit_test(traps),
        cmocka_unit_test(poison_shows_uninitialised_shared_memory),
        cmocka_unit_test(order_shows_a_missing_barrier),
        cmocka_unit_test(a_wrong_stream_is_late),
        cmocka_unit_test(launches_that_cuda_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
