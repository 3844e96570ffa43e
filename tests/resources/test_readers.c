/* The readers behind resources_inspect: the compiler's report, PTX, a listing, a symbol. */
#include "tests/unit.h"
#include "resources/inspect.h"

static const char report[] =
    "v1.cu(3): warning #177-D: variable \"x\" was declared but never referenced\n"
    "ptxas info    : 0 bytes gmem\n"
    "ptxas info    : Compiling entry function '_Z4rowsILi4EEvPf' for 'sm_80'\n"
    "ptxas info    : Function properties for _Z4rowsILi4EEvPf\n"
    "    16 bytes stack frame, 24 bytes spill stores, 36 bytes spill loads\n"
    "ptxas info    : Used 63 registers, used 2 barriers, 1024 bytes smem, 384 bytes cmem[0], 8 bytes "
    "cmem[2]\n"
    "ptxas info    : Compile time = 18.173 ms\n"
    "ptxas info    : Function properties for _Z6helperv\n"
    "    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads\n"
    "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized due to "
    "something in function '_Z4rowsILi4EEvPf'\n"
    "ptxas info    : Compiling entry function '_Z4rowsILi4EEvPf' for 'sm_90a'\n"
    "ptxas info    : Function properties for _Z4rowsILi4EEvPf\n"
    "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    "ptxas info    : Used 40 registers\n";

static json_int_t number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_integer(value))
        fail_msg("\"%s\" is missing or no integer", key);
    return json_integer_value(value);
}

static json_t *member(const json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);
    if (value == NULL)
        fail_msg("\"%s\" is missing", key);
    return value;
}

static void reads_the_report(void **state)
{
    json_t *all = json_object();
    report_read(report, all);
    assert_int_equal(json_object_size(all), 2);
    const json_t *kernel = member(member(all, "sm_80"), "_Z4rowsILi4EEvPf");
    assert_int_equal(number(kernel, "registers"), 63);
    assert_int_equal(number(kernel, "barriers"), 2);
    assert_int_equal(number(kernel, "static_shared_bytes"), 1024);
    assert_int_equal(number(kernel, "constant_bytes"), 392);
    assert_int_equal(number(kernel, "stack_bytes"), 16);
    assert_int_equal(number(kernel, "spill_store_bytes"), 24);
    assert_int_equal(number(kernel, "spill_load_bytes"), 36);
    assert_true(json_is_true(member(kernel, "entry")));
    assert_null(json_object_get(kernel, "warnings")); /* that one is of the architecture that follows */
    kernel = member(member(all, "sm_90a"), "_Z4rowsILi4EEvPf");
    const char *warning = json_string_value(json_array_get(member(kernel, "warnings"), 0));
    assert_non_null(warning);
    assert_string_equal(warning, "(C7510) Potential Performance Loss: wgmma.mma_async instructions are "
                                 "serialized due to something");
    assert_int_equal(number(kernel, "registers"), 40);
    assert_int_equal(number(kernel, "static_shared_bytes"), 0);
    assert_int_equal(number(kernel, "spill_load_bytes"), 0);
    assert_null(json_object_get(kernel, "barriers")); /* older compilers do not say */
    json_decref(all);
}

/* With one architecture the advice is the first of all lines; without one there is nothing to say it of. */
static void advice_before_everything_counts(void **state)
{
    static const char text[] = "ptxas info    : (C7519) warpgroup.arrive is injected in function 'k'\n"
                               "ptxas info    : 0 bytes gmem\n"
                               "ptxas info    : Compiling entry function 'k' for 'sm_90a'\n";
    json_t *all = json_object();
    report_read(text, all);
    assert_int_equal(json_array_size(member(member(member(all, "sm_90a"), "k"), "warnings")), 1);
    json_decref(all);
}

static void tells_functions_from_kernels(void **state)
{
    json_t *all = json_object();
    report_read(report, all);
    const json_t *function = member(member(all, "sm_80"), "_Z6helperv");
    assert_true(json_is_false(member(function, "entry")));
    assert_int_equal(number(function, "spill_store_bytes"), 4);
    assert_null(json_object_get(function, "registers"));
    json_decref(all);
}

static void survives_other_text(void **state)
{
    static const char *const texts[] = {"",
                                        "\n\n",
                                        "ptxas info : Used registers\n",
                                        "    bytes stack frame, bytes spill stores\n",
                                        "ptxas info    : Compiling entry function 'x\n",
                                        "ptxas info    : Compiling entry function 'x' for\n",
                                        "ptxas info    : Function properties for y\n",
                                        "ptxas info    : (C7510) in function 'z'\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        json_t *all = json_object();
        report_read(texts[i], all);
        assert_int_equal(json_object_size(all), 0);
        json_decref(all);
    }
}

static const char ptx[] =
    ".version 9.0\n.target sm_90a\n"
    ".extern .shared .align 1024 .b8 smem[];\n"
    ".shared .align 16 .b8 fixed[512];\n"
    ".visible .entry _Z1av(\n\t.param .u64 .ptr _Z1av_param_0\n)\n.maxntid 128, 3, 1\n.minnctapersm 2\n{\n"
    "\tmov.u32 %r1, fixed;\n\t{ // inner\n\tmov.u32 %r2, smem_other;\n\t}\n}\n"
    ".entry _Z1bv()\n.reqntid 384\n.explicitcluster\n.reqnctapercluster 2, 1, 1\n{\n\tmov.u32 %r1, "
    "smem;\n\tret;\n}\n"
    ".entry _Z1cv()\n{\n\tret;\n}\n";

static void reads_launch_directives(void **state)
{
    json_t *kernels = json_object();
    ptx_read(ptx, kernels);
    assert_int_equal(json_object_size(kernels), 3);
    const json_t *kernel = member(kernels, "_Z1av");
    assert_int_equal(number(kernel, "max_threads"), 384);
    assert_int_equal(number(kernel, "min_blocks"), 2);
    assert_null(json_object_get(kernel, "required_threads"));
    assert_true(json_is_false(member(kernel, "dynamic_shared"))); /* smem_other is not smem */
    kernel = member(kernels, "_Z1bv");
    assert_int_equal(number(kernel, "required_threads"), 384);
    assert_int_equal(number(kernel, "cluster_blocks"), 2);
    assert_true(json_is_true(member(kernel, "dynamic_shared")));
    kernel = member(kernels, "_Z1cv");
    assert_null(json_object_get(kernel, "max_threads"));
    assert_true(json_is_false(member(kernel, "dynamic_shared")));
    json_decref(kernels);
}

static void a_function_that_uses_dynamic_memory_counts_for_all(void **state)
{
    json_t *kernels = json_object();
    ptx_read(".extern .shared .align 4 .b8 pool[];\n.func helper()\n{\n mov.u32 %r1, pool;\n}\n"
             ".entry k()\n{\n call helper;\n}\n",
             kernels);
    assert_true(json_is_true(member(member(kernels, "k"), "dynamic_shared")));
    json_decref(kernels);
}

static void survives_cut_ptx(void **state)
{
    for (size_t length = 0; length < sizeof ptx; length++) {
        char *cut = strndup(ptx, length);
        json_t *kernels = json_object();
        ptx_read(cut, kernels);
        assert_true(json_object_size(kernels) <= 3);
        json_decref(kernels);
        free(cut);
    }
}

static const char listing[] =
    "\t.target\tsm_90a\n"
    "//--------------------- .text._Z1kv --------------------------\n"
    "\t.section\t.text._Z1kv,\"ax\",@progbits\n"
    ".text._Z1kv:\n"
    "        /*0000*/                   LDC R1, c[0x0][0x28] ;\n"
    "        /*0010*/                   LDG.E.128.CONSTANT R4, desc[UR8][R2.64] ;\n"
    "        /*0020*/              @!P0 LDG.E.U16 R0, desc[UR8][R2.64] ;\n"
    "        /*0030*/                   LDG.E R0, desc[UR8][R2.64] ;\n"
    "        /*0040*/               @P1 STG.E.64 desc[UR8][R2.64], R4 ;\n"
    "        /*0050*/                   LDSM.16.M88.4 R4, [R2] ;\n"
    "        /*0060*/                   STS.128 [R2], R4 ;\n"
    "        /*0070*/                   LDL.LU R7, [R1+0x4] ;\n"
    "        /*0080*/                   STL [R1+0x4], R7 ;\n"
    "        /*0090*/                   FFMA R0, R1, R2, R3 ;\n"
    "        /*00a0*/                   HFMA2.MMA R7, -RZ, RZ, 0, 5.9e-08 ;\n"
    "        /*00b0*/                   HGMMA.64x256x16.F32.BF16 R24, gdesc[UR4], R24, gsb0 ;\n"
    "        /*00c0*/                   HMMA.16816.F32.BF16 R4, R8, R10, R4 ;\n"
    "        /*00d0*/                   MUFU.EX2 R0, R0 ;\n"
    "        /*00e0*/                   BAR.SYNC.DEFER_BLOCKING 0x0 ;\n"
    "        /*00f0*/                   UTMALDG.2D [UR8], [UR4] ;\n"
    "        /*0100*/                   LDGSTS.E.BYPASS.128 [R0], desc[UR4][R2.64] ;\n"
    "        /*0110*/                   NEWOP.X R0, R1 ;\n"
    ".L_x_1:\n"
    "        /*0120*/                   EXIT ;\n"
    "        /*0130*/                   NOP;\n"
    "//--------------------- .nv.shared._Z1kv --------------------------\n"
    "        /*0000*/                   FFMA R0, R1, R2, R3 ;\n";

static json_int_t within(const json_t *mix, const char *class, const char *key)
{
    return number(member(mix, class), key);
}

static void counts_instructions(void **state)
{
    json_t *kernels = json_object();
    FILE *file = fmemopen((void *)listing, sizeof listing - 1, "r");
    assert_non_null(file);
    listing_read(file, kernels);
    fclose(file);
    const json_t *mix = member(member(kernels, "_Z1kv"), "instructions");
    assert_int_equal(number(mix, "total"), 19); /* neither the NOP nor what stands in another section */
    assert_int_equal(within(mix, "global_load", "128"), 1);
    assert_int_equal(within(mix, "global_load", "32"), 1);
    assert_int_equal(within(mix, "global_load", "16"), 1);
    assert_int_equal(within(mix, "global_store", "64"), 1);
    assert_int_equal(within(mix, "shared_load", "128"), 1); /* four matrices */
    assert_int_equal(within(mix, "shared_store", "128"), 1);
    assert_int_equal(within(mix, "local_load", "32"), 1);
    assert_int_equal(within(mix, "local_store", "32"), 1);
    assert_int_equal(within(mix, "async_copy", "128"), 1);
    assert_int_equal(number(mix, "fma"), 2);
    assert_int_equal(within(mix, "tensor", "HGMMA"), 1);
    assert_int_equal(within(mix, "tensor", "HMMA"), 1);
    assert_int_equal(number(mix, "mufu"), 1);
    assert_int_equal(number(mix, "barrier"), 1);
    assert_int_equal(number(mix, "bulk_copy"), 1);
    assert_int_equal(number(mix, "branch"), 1);
    assert_int_equal(within(mix, "other", "NEWOP"), 1);
    json_decref(kernels);
}

static void every_class_sums_to_the_total(void **state)
{
    json_t *kernels = json_object(), *value, *inner;
    const char *class, *key;
    FILE *file = fmemopen((void *)listing, sizeof listing - 1, "r");
    listing_read(file, kernels);
    fclose(file);
    json_int_t sum = 0;
    json_t *mix = member(member(kernels, "_Z1kv"), "instructions");
    json_object_foreach(mix, class, value)
    {
        if (strcmp(class, "total") != 0)
            sum += json_integer_value(value);
        json_object_foreach(value, key, inner) sum += json_integer_value(inner);
    }
    assert_int_equal(sum, number(mix, "total"));
    json_decref(kernels);
}

static void names_kernels_as_the_source_does(void **state)
{
    static const char *const pairs[][2] = {
        {"_Z6add_v1PK13__nv_bfloat16S1_PS_lf", "add_v1"},
        {"_Z12softmax_rowsILi4ELi0ELb0EEvPK13__nv_bfloat16PS0_ll", "softmax_rows<4, 0, false>"},
        {"_ZN5assay6detail17hopper_code_probeILi0EEEvPi", "assay::detail::hopper_code_probe<0>"},
        {"_ZN12_GLOBAL__N_14copyEPf", "(anonymous namespace)::copy"},
        {"plain_c_name", "plain_c_name"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char *name = symbol_name(pairs[i][0]);
        assert_string_equal(name, pairs[i][1]);
        free(name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_the_report),
        cmocka_unit_test(advice_before_everything_counts),
        cmocka_unit_test(tells_functions_from_kernels),
        cmocka_unit_test(survives_other_text),
        cmocka_unit_test(reads_launch_directives),
        cmocka_unit_test(a_function_that_uses_dynamic_memory_counts_for_all),
        cmocka_unit_test(survives_cut_ptx),
        cmocka_unit_test(counts_instructions),
        cmocka_unit_test(every_class_sums_to_the_total),
        cmocka_unit_test(names_kernels_as_the_source_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
