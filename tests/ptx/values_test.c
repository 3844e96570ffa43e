/* Instructions one by one: operands whose result is known from the definition in the PTX ISA. */
#include "ptx_test.h"

typedef struct expectation {
    const char *body; /* leaves the result in %r0 */
    uint32_t value;
} expectation;

static const expectation expectations[] = {
    /* integers */
    {"mov.u32 %r1, 7; add.s32 %r0, %r1, -9;", (uint32_t)-2},
    {"mov.u32 %r1, 0x80000000; add.sat.s32 %r0, %r1, -1;", 0x80000000u},
    {"mov.u32 %r1, -7; mov.u32 %r2, 2; div.s32 %r0, %r1, %r2;", (uint32_t)-3},
    {"mov.u32 %r1, -7; mov.u32 %r2, 2; rem.s32 %r0, %r1, %r2;", (uint32_t)-1},
    {"mov.u32 %r1, 0xffffffff; mul.hi.u32 %r0, %r1, %r1;", 0xfffffffeu},
    {"mov.u32 %r1, -1; mul.wide.s32 %l0, %r1, 5; cvt.u32.u64 %r0, %l0;", (uint32_t)-5},
    {"mov.u32 %r1, 1; shl.b32 %r0, %r1, 32;", 0},
    {"mov.u32 %r1, -8; shr.s32 %r0, %r1, 40;", 0xffffffffu},
    {"mov.u32 %r1, 0x12345678; bfe.u32 %r0, %r1, 8, 12;", 0x456},
    {"mov.u32 %r1, 0x00000f00; bfe.s32 %r0, %r1, 8, 4;", 0xffffffffu},
    {"mov.u32 %r1, 0xab; mov.u32 %r2, 0x12345678; bfi.b32 %r0, %r1, %r2, 8, 8;", 0x1234ab78},
    {"mov.u32 %r1, 0x33221100; mov.u32 %r2, 0x77665544; prmt.b32 %r0, %r1, %r2, 0x7531;", 0x77553311},
    {"mov.u32 %r1, 0xf0; mov.u32 %r2, 0xcc; lop3.b32 %r0, %r1, %r2, 0xaa, 0x96;", 0x96},
    {"mov.u32 %r1, 0xf0000001; popc.b32 %r0, %r1;", 5},
    {"mov.u32 %r1, 0x00010000; clz.b32 %r0, %r1;", 15},
    {"mov.u32 %r1, 6; brev.b32 %r0, %r1;", 0x60000000u},
    {"mov.u32 %r1, 0x00ff0000; bfind.u32 %r0, %r1;", 23},
    {"mov.u32 %r1, 0x80000001; shf.l.wrap.b32 %r0, %r1, %r1, 4;", 0x00000018},
    {"mov.u32 %r1, 0x01020304; mov.u32 %r2, 0x01010101; dp4a.u32.u32 %r0, %r1, %r2, 100;", 110},
    {"mov.u32 %r1, -5; {min.s32.relu %r0, %r1, 3;}", 0},
    {"mov.u32 %r1, 0x0102ff04; vabsdiff4.u32.u32.u32 %r0, %r1, 0x03010105, %r1;", 0x0201fe01},
    {"mov.u32 %r1, 0x0102ff04; vabsdiff4.u32.u32.u32.add %r0, %r1, 0x03010105, 10;", 268},
    {"mov.u32 %r1, 0x0005ffff; vabsdiff2.u32.u32.u32.add %r0, %r1, 0x00070001, 1;", 0xfffe + 2 + 1},
    {"mov.u32 %r1, 0xffffffff; add.cc.u32 %r2, %r1, 1; addc.u32 %r0, 5, 0;", 6},
    {"mov.u32 %r1, 0; sub.cc.u32 %r2, %r1, 1; subc.u32 %r0, 5, 0;", 4},
    {"mov.u32 %r1, 3; setp.lt.u32 %p0|%p1, %r1, 2; selp.u32 %r0, 10, 20, %p1;", 10},
    {"mov.u32 %r1, -3; abs.s32 %r2, %r1; neg.s32 %r0, %r2;", (uint32_t)-3},
    {"mov.b64 %l0, {1, 2}; mov.b64 {%r1, %r2}, %l0; shl.b32 %r1, %r1, 4; or.b32 %r0, %r1, %r2;", 0x12},
    /* floats */
    {"mov.f32 %f0, 0f3F800000; add.f32 %f1, %f0, 0f40000000; mov.b32 %r0, %f1;", 0x40400000},
    {"mov.f32 %f0, 0f3F800001; mov.f32 %f1, 0f33800000; add.rz.f32 %f2, %f0, %f1; mov.b32 %r0, %f2;",
     0x3f800001},
    {"mov.f32 %f0, 0f3F800001; mov.f32 %f1, 0f33800000; add.rp.f32 %f2, %f0, %f1; mov.b32 %r0, %f2;",
     0x3f800002},
    {"mov.f32 %f0, 0f00000001; add.ftz.f32 %f1, %f0, %f0; mov.b32 %r0, %f1;", 0},
    {"mov.f32 %f0, 0f40000000; mul.sat.f32 %f1, %f0, %f0; mov.b32 %r0, %f1;", 0x3f800000},
    {"mov.f32 %f0, 0f7FC00000; min.f32 %f1, %f0, 0f40000000; mov.b32 %r0, %f1;", 0x40000000},
    {"mov.f32 %f0, 0f80000000; max.f32 %f1, %f0, 0f00000000; mov.b32 %r0, %f1;", 0},
    {"mov.f32 %f0, 0f40400000; ex2.approx.f32 %f1, %f0; mov.b32 %r0, %f1;", 0x41000000},
    {"mov.f32 %f0, 0f40800000; rsqrt.approx.f32 %f1, %f0; mov.b32 %r0, %f1;", 0x3f000000},
    {"mov.f32 %f0, 0f7FC00000; setp.geu.f32 %p0, %f0, 0f00000000; selp.u32 %r0, 1, 0, %p0;", 1},
    {"mov.f64 %d0, 0d3FF0000000000000; fma.rn.f64 %d1, %d0, 0d4000000000000000, %d0; cvt.rn.f32.f64 %f0, "
     "%d1; mov.b32 %r0, %f0;",
     0x40400000},
    {"mov.b32 %r1, 0x3c004000; fma.rn.f16x2 %r0, %r1, %r1, %r1;", 0x40004600},
    {"mov.b32 %r1, 0x3f804000; add.rn.bf16x2 %r0, %r1, %r1;", 0x40004080},
    /* conversions */
    {"mov.f32 %f0, 0fC0200000; cvt.rni.s32.f32 %r0, %f0;", (uint32_t)-2},
    {"mov.f32 %f0, 0fC0200000; cvt.rmi.s32.f32 %r0, %f0;", (uint32_t)-3},
    {"mov.f32 %f0, 0f4F800000; cvt.rzi.s32.f32 %r0, %f0;", 0x7fffffff},
    {"mov.f32 %f0, 0f7FC00000; cvt.rzi.u32.f32 %r0, %f0;", 0},
    {"mov.u32 %r1, 300; cvt.sat.u8.u32 %r0, %r1;", 255},
    {"mov.u32 %r1, 0x1ff; cvt.s8.s32 %r2, %r1; mov.b32 %r0, %r2;", 0xffffffffu},
    {"mov.u32 %r1, 16777217; cvt.rp.f32.u32 %f0, %r1; mov.b32 %r0, %f0;", 0x4b800001},
    {"mov.f32 %f0, 0f3F801000; cvt.rn.f16.f32 %h0, %f0; cvt.u32.u16 %r0, %h0;", 0x3c00},
    {"mov.f32 %f0, 0f3F803000; cvt.rn.f16.f32 %h0, %f0; cvt.u32.u16 %r0, %h0;", 0x3c02},
    {"mov.f32 %f0, 0f33000000; cvt.rn.f16.f32 %h0, %f0; cvt.u32.u16 %r0, %h0;", 0},
    {"mov.f32 %f0, 0f3F808000; cvt.rn.bf16.f32 %h0, %f0; cvt.u32.u16 %r0, %h0;", 0x3f80},
    {"mov.f32 %f0, 0f3F800000; mov.f32 %f1, 0fC0000000; cvt.rn.bf16x2.f32 %r0, %f0, %f1;", 0x3f80c000},
    {"mov.f32 %f0, 0f3F801000; cvt.rna.tf32.f32 %r0, %f0;", 0x3f802000},
    {"mov.f32 %f0, 0f43E00000; mov.f32 %f1, 0f3F800000; cvt.rn.satfinite.e4m3x2.f32 %h0, %f0, %f1; "
     "cvt.u32.u16 %r0, %h0;",
     0x7e38},
    {"mov.b16 %h0, 0x3c38; cvt.rn.f16x2.e4m3x2 %r0, %h0;", 0x3e003c00},
    {"mov.u32 %r1, 1000; mov.u32 %r2, -1000; cvt.pack.sat.s8.s32.b32 %r0, %r1, %r2, 0;", 0x7f80},
};

static void values_are_right(void **state)
{
    for (size_t k = 0; k < sizeof expectations / sizeof *expectations; k++) {
        char full[4096];
        uint32_t words[32];
        const char *head = KERNEL("@");
        const char *mark = strchr(head, '@');
        snprintf(full, sizeof full, "%.*s%s\nst.global.u32 [%%mine], %%r0;%s", (int)(mark - head), head,
                 expectations[k].body, mark + 1);
        run_right(full, 1, 32, words, 32);
        for (int lane = 0; lane < 32; lane++)
            if (words[lane] != expectations[k].value)
                fail_msg("%s gives %#x in lane %d, expected %#x", expectations[k].body, words[lane], lane,
                         expectations[k].value);
    }
}

/* Lanes see each other's values; guards keep lanes out. */
static void warp_operations(void **state)
{
    uint32_t words[32];
    run_right(
        KERNEL("shfl.sync.down.b32 %r1|%p1, %t, 3, 31, -1; selp.u32 %r2, 100, 0, %p1; add.u32 %r0, %r1, %r2;"
               "st.global.u32 [%mine], %r0;"),
        1, 32, words, 32);
    for (uint32_t l = 0; l < 32; l++)
        assert_int_equal(words[l], l + 3 < 32 ? l + 103 : l);
    run_right(KERNEL("and.b32 %r1, %t, 3; match.any.sync.b32 %r0, %r1, -1; st.global.u32 [%mine], %r0;"), 1,
              32, words, 32);
    assert_int_equal(words[5], 0x22222222);
    run_right(
        KERNEL("redux.sync.max.s32 %r0, %t, -1; setp.lt.u32 %p1, %t, 8; @%p1 st.global.u32 [%mine], %r0;"), 1,
        32, words, 32);
    assert_int_equal(words[7], 31);
    assert_int_equal(words[8], 0);
    run_right(
        KERNEL("setp.gt.u32 %p1, %t, 20; vote.sync.ballot.b32 %r0, %p1, -1; st.global.u32 [%mine], %r0;"), 1,
        32, words, 32);
    assert_int_equal(words[0], 0xffe00000);
}

/* Stores and reductions that arrive on an mbarrier. */
static void asynchronous_stores(void **state)
{
    uint32_t words[32];
    run_right(
        KERNEL(
            ".shared .align 8 .b64 m; .shared .align 8 .b32 s[2]; mbarrier.init.shared.b64 [m], 1; mov.u32 "
            "%r1, s;"
            "mov.u32 %r2, m; st.shared.u32 [s], 7; mbarrier.arrive.expect_tx.shared.b64 _, [m], 12;"
            "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r1+4], 100, [%r2];"
            "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r1], 5, [%r2];"
            "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.max.s32 [%r1], -1, [%r2];"
            "WAIT: mbarrier.try_wait.parity.shared.b64 %p1, [m], 0; @!%p1 bra WAIT;"
            "ld.shared.v2.u32 {%r3, %r4}, [s]; st.global.v2.u32 [%data], {%r3, %r4};"),
        1, 1, words, 32);
    assert_int_equal(words[0], 12);
    assert_int_equal(words[1], 100);
}

/* A warp that copies and ends, and one that waits for the copies by the mbarrier they arrive on. */
static void copies_outlive_their_warp(void **state)
{
    uint32_t words[64];
    run_right(
        KERNEL(".shared .align 8 .b64 m; .shared .align 16 .b32 s[32]; setp.eq.u32 %p1, %t, 0; st.global.u32 "
               "[%mine], %t; @%p1 mbarrier.init.shared.b64 [m], 32;\nbar.sync 0; setp.ge.u32 %p2, %t, 32; "
               "shl.b32 %r2, %t, 2; mov.u32 %r1, s; add.u32 %r1, %r1, %r2; @%p2 bra WAIT;\n"
               "cp.async.ca.shared.global [%r1], [%mine], 4; cp.async.mbarrier.arrive.noinc.shared.b64 [m]; "
               "bra.uni END;\nWAIT: mbarrier.try_wait.parity.shared.b64 %p3, [m], 0; @!%p3 bra WAIT;\n"
               "ld.shared.u32 %r3, [%r1+-128]; st.global.u32 [%mine], %r3;\nEND:"),
        1, 64, words, 64);
    assert_int_equal(words[40], 8);
}

/* Branches that part lanes, a loop of different lengths, a jump table, and lanes that meet again. */
static void control_flow(void **state)
{
    uint32_t words[32];
    run_right(
        KERNEL(
            "mov.u32 %r0, 0; mov.u32 %r1, %t;\nLOOP: setp.eq.u32 %p1, %r1, 0; @%p1 bra DONE; add.u32 %r0, "
            "%r0, %r1;"
            "sub.u32 %r1, %r1, 1; bra LOOP;\nDONE: activemask.b32 %r2; setp.ne.u32 %p2, %r2, -1; @%p2 trap;"
            "st.global.u32 [%mine], %r0;"),
        1, 32, words, 32);
    for (uint32_t l = 0; l < 32; l++)
        assert_int_equal(words[l], l * (l + 1) / 2);
    run_right(
        KERNEL("T: .branchtargets A, B, C;\nrem.u32 %r1, %t, 3; brx.idx %r1, T;\nA: mov.u32 %r0, 10; bra E;\n"
               "B: mov.u32 %r0, 20; bra E;\nC: mov.u32 %r0, 30;\nE: st.global.u32 [%mine], %r0;"),
        1, 32, words, 32);
    assert_int_equal(words[4], 20);
    assert_int_equal(words[5], 30);
}

/* One lane spins on what another lane of its warp does only after the branch: lanes advance on their own. */
static void lanes_advance_alone(void **state)
{
    uint32_t words[32];
    run_right(
        KERNEL(
            "setp.eq.u32 %p1, %t, 0; @!%p1 bra SPIN;\nst.volatile.global.u32 [%data+64], 1;\nbra.uni END;\n"
            "SPIN: ld.volatile.global.u32 %r1, [%data+64]; setp.eq.u32 %p2, %r1, 0; @%p2 bra SPIN;\n"
            "END: st.global.u32 [%mine], %t;"),
        1, 2, words, 32);
    assert_int_equal(words[1], 1);
    run_right(KERNEL("LOCK: atom.global.cas.b32 %r1, [%data], 0, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra LOCK;\n"
                     "ld.volatile.global.u32 %r2, [%data+4]; add.u32 %r2, %r2, 1; st.volatile.global.u32 "
                     "[%data+4], %r2;\n"
                     "membar.gl; atom.global.exch.b32 %r3, [%data], 0;"),
              1, 32, words, 32);
    assert_int_equal(words[1], 32);
}

static void calls(void **state)
{
    uint32_t words[32];
    /* A pointer of 32 bits to a parameter, as Triton makes them. */
    run_right(KERNEL("mov.b32 %r1, data; cvt.u64.u32 %l0, %r1; cvta.param.u64 %l0, %l0; ld.u64 %l1, [%l0]; "
                     "st.global.u32 [%l1], 9;"),
              1, 1, words, 1);
    assert_int_equal(words[0], 9);
    run_right(HEADER
              ".func (.param .b32 out) twice(.param .b32 in)\n{\n.reg .b32 %r<4>; .reg .pred "
              "%p;\nld.param.u32 %r0, [in];\n"
              "setp.gt.u32 %p, %r0, 20; @%p bra BIG;\nadd.u32 %r1, %r0, %r0; st.param.b32 [out], %r1; ret;\n"
              "BIG: st.param.b32 [out], 7; ret;\n}\n"
              ".visible .entry k(.param .u64 data)\n{\n.reg .b64 %l<4>; .reg .b32 %r<4>;\nld.param.u64 %l0, "
              "[data];\n"
              "mov.u32 %r0, %tid.x; mad.wide.u32 %l1, %r0, 4, %l0;\n{ .param .b32 a; .param .b32 b; "
              "st.param.b32 [a], %r0;\n"
              "call.uni (b), twice, (a); ld.param.b32 %r1, [b]; }\nst.global.u32 [%l1], %r1; ret;\n}\n",
              1, 32, words, 32);
    assert_int_equal(words[20], 40);
    assert_int_equal(words[21], 7);
}

/* Counters are exact: 32 lanes that read words 128 bytes apart touch 32 sectors where 4 would do. */
static void counters(void **state)
{
    setup s = setup_text(KERNEL(".reg.b32 %unused; mad.wide.u32 %l0, %t, 128, %data; ld.global.u32 %r0, "
                                "[%l0]; st.global.u32 [%mine], %r0;"),
                         1024);
    ptx_report *r = launch(&s, 1, 32, PTX_CHECK_COUNTERS);
    assert_int_equal(r->status, PTX_OK);
    assert_int_equal(r->total.global_requests, 2);
    assert_int_equal(r->total.global_sectors, 32 + 4);
    assert_int_equal(r->total.global_ideal, 4 + 4);
    assert_int_equal(r->total.memory, 3); /* with the load of the parameter */
    ptx_report_free(r);
    setup_end(&s);
}

/* Blocks on two threads add ones to one box of the type that flushes subnormal numbers: no sum is lost. */
static void reductions_are_atomic(void **state)
{
    enum { BLOCKS = 4, TIMES = 2000, COUNT = 256 };
    _Alignas(64) unsigned char bytes[128];
    float sum[COUNT];
    setup s = setup_text(
        KERNEL(
            ".shared .align 128 .b8 box[1024]; mov.u32 %r0, box; mov.b32 %r2, 0f3F800000; "
            "mov.u32 %r1, 0; F: add.u32 %r4, %r0, %r1; st.shared.b32 [%r4], %r2; add.u32 %r1, %r1, 4;"
            "setp.lt.u32 %p0, %r1, 1024; @%p0 bra F; fence.proxy.async; mov.u32 %r1, 0; mov.u32 %r3, 0;"
            "L: cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group [%data, {%r1}], [%r0];"
            "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; add.u32 %r3, %r3, 1;"
            "setp.lt.u32 %p0, %r3, 2000; @%p0 bra L;"),
        32 + COUNT);
    const ptx_tensor_map map = {.data_type = 10, /* float32, flushed */
                                .rank = 1,
                                .address = s.data + 128,
                                .dims = {COUNT},
                                .box = {COUNT},
                                .element_strides = {1}};
    assert_int_equal(ptx_tensor_map_encode(&map, bytes, NULL), PTX_OK);
    assert_int_equal(ptx_copy_in(s.device, s.data, bytes, sizeof bytes, NULL), PTX_OK);
    const ptx_launch l = {.function = ptx_module_function(s.module, "k"),
                          .grid = {BLOCKS, 1, 1},
                          .block = {1, 1, 1},
                          .params = &s.data,
                          .threads = 2,
                          .limit_seconds = 20};
    ptx_report *r;
    if (ptx_launch_run(&l, &r) != PTX_OK)
        fail_msg("%s", r->text);
    ptx_report_free(r);
    assert_int_equal(ptx_copy_out(s.device, sum, s.data + 128, sizeof sum, NULL), PTX_OK);
    for (int k = 0; k < COUNT; k++)
        assert_float_equal(sum[k], BLOCKS * TIMES, 0);
    setup_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values_are_right),
                                       cmocka_unit_test(warp_operations),
                                       cmocka_unit_test(asynchronous_stores),
                                       cmocka_unit_test(copies_outlive_their_warp),
                                       cmocka_unit_test(control_flow),
                                       cmocka_unit_test(lanes_advance_alone),
                                       cmocka_unit_test(calls),
                                       cmocka_unit_test(reductions_are_atomic),
                                       cmocka_unit_test(counters)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
