/* The checked build: what it finds, that the same kernels without the mistake pass, and that it finds nothing in right ones
 * (device.kernels_checked runs all of kernels_test.c in it). */
#include "child.h"

#define CHECKED_KERNELS(X)  \
    X(race_without_barrier) \
    X(race_across_warps)    \
    X(race_of_writes)       \
    X(race_between_rounds)  \
    X(race_without_fence)   \
    X(race_beside_flag)     \
    X(race_behind_flag)     \
    X(race_with_atomic)     \
    X(race_with_async_copy) \
    X(read_unwritten)       \
    X(rows_unwritten)       \
    X(two_bytes_outside)    \
    X(before_the_start)     \
    X(one_past_shared)      \
    X(misaligned_float4)
#define DECLARE(name) assay_status name##_run(const probe_args *, assay_stream);
CHECKED_KERNELS(DECLARE)

static void expect_found(launch l, const char *what, const char *const *parts)
{
    static char text[8192];
    expect_report(l, what, parts);
    l.variant = 0;
    const int status = run_in_child(&l, text, sizeof text);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || text[0])
        fail_msg("%s: the right twin ended with wait status 0x%x: %s", l.name, (unsigned)status, text);
}

static void races(void **state)
{
    expect_found(LAUNCH(race_without_barrier, 1, 64, 0), "shared-memory race",
                 PARTS(", block (", "of static shared memory", "thread (", "unchecked.cu:17",
                       "unchecked.cu:17", "no barrier between"));
    expect_found(LAUNCH(race_across_warps, 1, 64, 256), "shared-memory race",
                 PARTS("of dynamic shared memory", "a write by thread (63,0,0)"));
    expect_found(LAUNCH(race_of_writes, 1, 64, 0), "shared-memory race", PARTS("a write by thread (0,0,0)"));
    expect_found(LAUNCH(race_between_rounds, 1, 64, 0), "shared-memory race", PARTS("unchecked.cu"));
    expect_found(LAUNCH(race_with_atomic, 1, 64, 0), "shared-memory race", PARTS("unchecked.cu"));
    expect_found(LAUNCH(race_with_async_copy, 1, 64, 0), "shared-memory race", PARTS("unchecked.cu"));
}

static void flags(void **state)
{
    expect_found(LAUNCH(race_without_fence, 1, 64, 0), "shared-memory race",
                 PARTS("a write by thread (31,0,0)", "unchecked.cu"));
    expect_found(LAUNCH(race_beside_flag, 1, 64, 0), "shared-memory race", PARTS("unchecked.cu"));
#if !defined(__clang__) /* which announces volatile accesses as plain ones */
    expect_found(LAUNCH(race_behind_flag, 1, 128, 0), "shared-memory race", PARTS("unchecked.cu"));
#endif
}

static void uninitialised_reads(void **state)
{
    expect_found(LAUNCH(read_unwritten, 1, 32, 128), "read of uninitialised shared memory",
                 PARTS("thread (5,0,0)", "byte 20 of dynamic shared memory", "unchecked.cu"));
    expect_found(LAUNCH(rows_unwritten, 1, 32, 0), "read of uninitialised shared memory",
                 PARTS("static shared memory"));
}

static void addresses_just_outside(void **state)
{
    expect_found(LAUNCH(two_bytes_outside, 1, 32, 0), "out-of-bounds global access",
                 PARTS("thread (3,0,0)", "read of 2 bytes at unchecked.cu",
                       "2 bytes past the end of a buffer of 1000 bytes"));
    expect_found(
        LAUNCH(before_the_start, 1, 32, 0), "out-of-bounds global access",
        PARTS("write of 4 bytes at unchecked.cu", "4 bytes before the start of a buffer of 1000 bytes"));
    expect_found(LAUNCH(one_past_shared, 1, 32, 128), "out-of-bounds shared access",
                 PARTS("thread (31,0,0)", "4 bytes past the end of dynamic shared memory of 128 bytes"));
}

static void misaligned_accesses(void **state)
{
#if defined(__clang__) && __clang_major__ < 16
    skip(); /* it announces no copies of whole structures */
#endif
    expect_found(LAUNCH(misaligned_float4, 1, 32, 0), "misaligned access",
                 PARTS("thread (1,0,0)", "unchecked.cu"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(races),
        cmocka_unit_test(flags),
        cmocka_unit_test(uninitialised_reads),
        cmocka_unit_test(addresses_just_outside),
        cmocka_unit_test(misaligned_accesses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
