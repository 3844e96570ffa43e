/* Each part of the identity is seen to differ, alone and by name, and counts for the questions it belongs
 * to. */
#include "tests/unit.h"
#include "example_result.h"
#include "results/identity.h"

#define CHANGE(part, statement)          \
    static void change_##part(result *r) \
    {                                    \
        statement;                       \
    }
CHANGE(op, snprintf(r->id.op, sizeof r->id.op, "gelu"))
CHANGE(name, snprintf(r->id.name, sizeof r->id.name, "v5"))
CHANGE(tunables, r->tunables[0].value = 128)
CHANGE(dtype, r->id.dtype = ASSAY_F16)
CHANGE(math, r->math_mode = "tf32")
CHANGE(size, snprintf(r->id.size, sizeof r->id.size, "medium"))
CHANGE(dims, r->problem.dims[0].value = 256)
CHANGE(params, r->problem.params[1].real = 0.25)
CHANGE(inputs, r->problem.distribution = "uniform")
CHANGE(kernel, r->hashes.kernel = "dd")
CHANGE(code, r->hashes.code = "ff")
CHANGE(reference, r->hashes.reference = "ee")
CHANGE(op_json, r->hashes.op_json = "")
CHANGE(compiler, r->toolchain.compiler = "nvcc 13.1")
CHANGE(flags, r->toolchain.flags = "-O2")
CHANGE(arch, r->toolchain.arch = "sm_80")
CHANGE(library, r->library_version = "3")
CHANGE(model, r->device.name = "NVIDIA H200")
CHANGE(card, r->device.uuid = "GPU-2")
CHANGE(driver, r->device.driver = "590")
CHANGE(host, r->host.name = "node8")
CHANGE(method, r->method.version++)
CHANGE(settings, r->method.sample_ms = 10)

static const struct {
    void (*change)(result *);
    identity_part part;
    const char *says;
} changes[] = {
    {change_op, IDENTITY_OP, "op softmax, now gelu"},
    {change_name, IDENTITY_NAME, "kernel variant v4_optimized, now variant v5"},
    {change_tunables, IDENTITY_TUNABLES, "tunables BLOCK=256 ROWS=4, now BLOCK=128 ROWS=4"},
    {change_dtype, IDENTITY_DTYPE, "dtype bf16, now f16"},
    {change_math, IDENTITY_MATH_MODE, "math mode ieee, now tf32"},
    {change_size, IDENTITY_SIZE, "size small, now medium"},
    {change_dims, IDENTITY_DIMS, "dimensions M=1024 N=256, now M=256 N=256"},
    {change_params, IDENTITY_PARAMS, "parameters dim=-1 alpha=0.5 causal=1 act=gelu, now dim=-1 alpha=0.25"},
    {change_inputs, IDENTITY_INPUTS, "input distribution normal, now uniform"},
    {change_kernel, IDENTITY_KERNEL, "kernel source aa110000, now dd"},
    {change_code, IDENTITY_CODE, "machine code dd440000, now ff"},
    {change_reference, IDENTITY_REFERENCE, "reference.c bb220000, now ee"},
    {change_op_json, IDENTITY_OP_JSON, "op.json cc330000, now unknown"},
    {change_compiler, IDENTITY_COMPILER, "compiler nvcc 13.0.88, host GNU 12.2.0, now nvcc 13.1"},
    {change_flags, IDENTITY_FLAGS, "compiler flags -O3 -lineinfo, now -O2"},
    {change_arch, IDENTITY_ARCH, "architecture sm_80 sm_90a, now sm_80"},
    {change_library, IDENTITY_LIBRARY, "library version unknown, now 3"},
    {change_model, IDENTITY_CARD_MODEL, "card NVIDIA H100 80GB HBM3, now NVIDIA H200"},
    {change_card, IDENTITY_CARD, "card UUID GPU-1, now GPU-2"},
    {change_driver, IDENTITY_DRIVER, "driver 580.1 runtime 13.0, now 590 runtime 13.0"},
    {change_host, IDENTITY_HOST, "host node7, 16 x Xeon, now node8, 16 x Xeon"},
    {change_method, IDENTITY_METHOD, "method version 1 cold.1 hot.1"},
    {change_settings, IDENTITY_SETTINGS, "settings of the method 10 repetitions of 9 ms"},
};

static void test_each_part(void **state)
{
    const unsigned all = IDENTITY_BIT(IDENTITY_PARTS) - 1;
    assert_int_equal(sizeof changes / sizeof *changes, IDENTITY_PARTS);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        result *a = example_result(), *b = example_result();
        char words[800];
        assert_int_equal(result_differs(a, b, TIMING_MODES, all, ", now ", words, sizeof words), 0);
        assert_string_equal(words, "");
        changes[i].change(b);
        assert_int_equal(result_differs(a, b, TIMING_MODES, all, ", now ", words, sizeof words),
                         IDENTITY_BIT(changes[i].part));
        if (strncmp(words, changes[i].says, strlen(changes[i].says)) != 0)
            fail_msg("\"%s\", wanted \"%s\"", words, changes[i].says);
        assert_int_equal(
            result_differs(a, b, TIMING_MODES, all & ~IDENTITY_BIT(changes[i].part), ", now ", NULL, 0), 0);
        result_free(a);
        result_free(b);
    }
}

/* Which questions a changed part answers with no. */
static void test_questions(void **state)
{
    const unsigned not_fresh = IDENTITY_FRESH, table = IDENTITY_TABLE, compare = IDENTITY_COMPARE;
    assert_int_equal(not_fresh, (IDENTITY_BIT(IDENTITY_PARTS) - 1) & ~IDENTITY_BIT(IDENTITY_LIBRARY));
    assert_false(table & (IDENTITY_BIT(IDENTITY_NAME) | IDENTITY_BIT(IDENTITY_KERNEL) |
                          IDENTITY_BIT(IDENTITY_TUNABLES) | IDENTITY_BIT(IDENTITY_SETTINGS)));
    assert_true(table & IDENTITY_BIT(IDENTITY_REFERENCE) && table & IDENTITY_BIT(IDENTITY_HOST) &&
                table & IDENTITY_BIT(IDENTITY_CARD) && table & IDENTITY_BIT(IDENTITY_DIMS));
    assert_false(compare & (IDENTITY_BIT(IDENTITY_KERNEL) | IDENTITY_BIT(IDENTITY_COMPILER) |
                            IDENTITY_BIT(IDENTITY_SETTINGS)));
    assert_true(compare & IDENTITY_BIT(IDENTITY_METHOD) && compare & IDENTITY_BIT(IDENTITY_DIMS));
}

/* Of one mode only its own version and what bears on it. */
static void test_method_of_a_mode(void **state)
{
    const unsigned method = IDENTITY_BIT(IDENTITY_METHOD);
    result *a = example_result(), *b = example_result();
    b->times[TIMING_HOT].method_version++;
    assert_int_equal(result_differs(a, b, TIMING_COLD, method, "", NULL, 0), 0);
    assert_int_equal(result_differs(a, b, TIMING_HOT, method, "", NULL, 0), method);
    assert_int_equal(result_differs(a, b, TIMING_MODES, method, "", NULL, 0), method);
    b->times[TIMING_HOT].method_version--;
    snprintf(b->method.flush, sizeof b->method.flush, "read");
    assert_int_equal(result_differs(a, b, TIMING_COLD, method, "", NULL, 0), method);
    assert_int_equal(result_differs(a, b, TIMING_HOT, method, "", NULL, 0), 0);
    b->method.locked_mhz = 1200;
    assert_int_equal(result_differs(a, b, TIMING_HOT, method, "", NULL, 0), method);
    result_free(a);
    result_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_part), cmocka_unit_test(test_questions),
                                       cmocka_unit_test(test_method_of_a_mode)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
