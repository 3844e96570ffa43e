/* The candidate that copies as much as an op moves: how many bytes that is, and that they are what is allocated and copied. */
#include "tests/unit.h"
#include "bench/run/candidate.h"

/* Linked with --wrap: the bytes of the device's buffers and copies, the least and the most of each since forget_bytes(). */
assay_status __real_assay_device_alloc(assay_device *device, int64_t bytes, void **pointer,
                                       assay_error *error);
assay_status __wrap_assay_device_alloc(assay_device *device, int64_t bytes, void **pointer,
                                       assay_error *error);
assay_status __real_assay_device_copy(assay_device *device, void *to, const void *from, int64_t bytes,
                                      assay_error *error);
assay_status __wrap_assay_device_copy(assay_device *device, void *to, const void *from, int64_t bytes,
                                      assay_error *error);
typedef struct bytes_seen {
    int64_t least, most;
    int count;
} bytes_seen;
static bytes_seen allocated, copied;

static void forget_bytes(void)
{
    allocated = copied = (bytes_seen){.least = INT64_MAX};
}

static void see_bytes(bytes_seen *seen, int64_t bytes)
{
    seen->least = bytes < seen->least ? bytes : seen->least;
    seen->most = bytes > seen->most ? bytes : seen->most;
    seen->count++;
}

assay_status __wrap_assay_device_alloc(assay_device *device, int64_t bytes, void **pointer,
                                       assay_error *error)
{
    see_bytes(&allocated, bytes);
    return __real_assay_device_alloc(device, bytes, pointer, error);
}

assay_status __wrap_assay_device_copy(assay_device *device, void *to, const void *from, int64_t bytes,
                                      assay_error *error)
{
    see_bytes(&copied, bytes);
    return __real_assay_device_copy(device, to, from, bytes, error);
}

static void copies_whole_steps(void **state)
{
    const struct {
        double op_bytes;
        int64_t copied;
    } rows[] = {{0.0, 0},
                {131584.0, 65792},                     /* small: as it is */
                {2.0 * (1048576 - 1), 1048576 - 1},    /* the last of them */
                {2.0 * 1048576, 1048576},              /* whole */
                {4198400.0, 2101248},                  /* 513 * 4096 from 2,099,200 */
                {2.0 * (2097152 + 1), 2097152 + 4096}, /* a byte more */
                {8396800.0, 4198400}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(candidate_copy_bytes(rows[i].op_bytes), rows[i].copied);
}

/* The copy that is timed is of those bytes. */
static void the_copy_is_of_whole_steps(void **state)
{
    assay_device *device = NULL;
    assert_int_equal(assay_device_open("cpu", 0, &device, NULL), ASSAY_OK);
    problem_set set = {.device = device, .slot_count = 2, .bytes = 4198400.0}; /* all that a copy looks at */
    const sample_plan plan = {.min_samples = 3, .max_samples = 3, .flush = "memset"};
    static const timing_mode modes[] = {TIMING_COLD, TIMING_HOT};
    candidate a;
    forget_bytes();
    assert_int_equal(candidate_make_copy(&a, &set, NULL), ASSAY_OK);
    assert_int_equal(allocated.count, 4);
    assert_int_equal(allocated.least, 2101248);
    for (int i = 0; i < 2; i++) {
        sample_set samples = {0};
        forget_bytes();
        assert_int_equal(a.measure(&a, modes[i], &plan, &samples, NULL), ASSAY_OK);
        assert_true(copied.count >= 3);
        assert_int_equal(copied.least, 2101248);
        assert_int_equal(copied.most, 2101248);
        sample_set_release(&samples);
    }
    a.release(&a);
    assay_device_close(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_whole_steps),
        cmocka_unit_test(the_copy_is_of_whole_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
