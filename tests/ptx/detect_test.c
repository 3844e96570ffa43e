/* Wrong kernels: each must be reported, by its kind and with the place. The right forms beside them must not. */
#include "ptx_test.h"

#define SHARED                                                                                              \
    ".shared .align 16 .b8 s[1024];\n.reg .b32 %s, %o;\nmov.u32 %s, s; shl.b32 %o, %t, 2; add.u32 %s, %s, " \
    "%o;\n"

static void out_of_bounds(void **state)
{
    run_wrong(KERNEL("st.global.u32 [%mine+192], %t;"), 1, 32, 0, PTX_FOUND_OUT_OF_BOUNDS,
              "write of 4 bytes at byte 256 of 'data', which has 256 bytes");
    run_wrong(KERNEL("ld.global.u32 %r0, [%data+-4];"), 1, 32, 0, PTX_FOUND_OUT_OF_BOUNDS,
              "read of 4 bytes at byte -4 of 'data'");
    run_wrong(KERNEL("mov.u64 %l0, 1234567888; ld.global.u32 %r0, [%l0];"), 1, 32, 0, PTX_FOUND_HOST_MEMORY,
              "neither pinned nor managed");
    run_wrong(KERNEL(".shared .b32 x[4]; st.shared.u32 [x+16], %t;"), 1, 32, 0, PTX_FOUND_SHARED_BOUNDS,
              "byte 16 of shared memory, which has 16 bytes");
    run_wrong(KERNEL("st.global.u32 [%data+2], %t;"), 1, 1, 0, PTX_FOUND_MISALIGNED, "write of 4 bytes");
}

static void races(void **state)
{
    const char *unordered =
        KERNEL(SHARED "st.shared.u32 [%s], %t; xor.b32 %o, %o, 128; mov.u32 %r1, s; add.u32 %r1, %r1, %o;"
                      "ld.shared.u32 %r0, [%r1];");
    run_wrong(unordered, 1, 64, PTX_CHECK_RACES, PTX_FOUND_SHARED_RACE, "with nothing that orders them");
    const char *in_warp =
        KERNEL(SHARED "st.shared.u32 [%s], %t; xor.b32 %o, %o, 4; mov.u32 %r1, s; add.u32 %r1, %r1, %o;"
                      "ld.shared.u32 %r0, [%r1];");
    run_wrong(in_warp, 1, 32, PTX_CHECK_RACES, PTX_FOUND_SHARED_RACE, "with nothing that orders them");
    uint32_t words[64];
    run_right(
        KERNEL(
            SHARED
            "st.shared.u32 [%s], %t; bar.sync 0; xor.b32 %o, %o, 128; mov.u32 %r1, s; add.u32 %r1, %r1, %o;"
            "ld.shared.u32 %r0, [%r1]; st.global.u32 [%mine], %r0;"),
        1, 64, words, 64);
    assert_int_equal(words[0], 32);
    run_right(KERNEL(SHARED "st.shared.u32 [%s], %t; bar.warp.sync -1; xor.b32 %o, %o, 4; mov.u32 %r1, s; "
                            "add.u32 %r1, %r1, %o;"
                            "ld.shared.u32 %r0, [%r1]; st.global.u32 [%mine], %r0;"),
              1, 32, words, 64);
    /* Lanes of a warp that come to a barrier apart are ordered by it, too. */
    run_right(
        KERNEL(SHARED
               "setp.eq.u32 %p1, %t, 0; @%p1 bra ONE;\nbar.sync 0; ld.shared.u32 %r0, [s]; bra.uni STORE;\n"
               "ONE: st.shared.u32 [s], 5; bar.sync 0; mov.u32 %r0, 6;\nSTORE: st.global.u32 [%mine], %r0;"),
        1, 32, words, 32);
    assert_int_equal(words[31], 5);
    /* Lanes may have a byte each of a word, but not each other's. */
    run_right(KERNEL(SHARED "mov.u32 %r1, s; add.u32 %r1, %r1, %t; st.shared.u8 [%r1], %t; ld.shared.u8 %h0, "
                            "[%r1]; st.shared.u8 [%r1], %h0; ld.shared.u8 %r2, [%r1]; st.global.u32 [%mine], "
                            "%r2;"),
              1, 32, words, 32);
    assert_int_equal(words[5], 5);
    run_wrong(KERNEL(SHARED "mov.u32 %r1, s; add.u32 %r1, %r1, %t; st.shared.u8 [%r1], %t; bar.warp.sync -1; "
                            "xor.b32 %r2, %t, 1; mov.u32 %r3, s; add.u32 %r3, %r3, %r2; ld.shared.u8 %h0, "
                            "[%r3]; st.shared.u8 [%r1], %h0;"),
              1, 32, PTX_CHECK_RACES, PTX_FOUND_SHARED_RACE, "with nothing that orders them");
    /* Volatile accesses of one warp's lanes are no barrier. */
    run_wrong(KERNEL(SHARED
                     "st.volatile.shared.u32 [%s], %t; xor.b32 %o, %o, 4; mov.u32 %r1, s; add.u32 %r1, "
                     "%r1, %o; ld.volatile.shared.u32 %r0, [%r1];"),
              1, 32, PTX_CHECK_RACES, PTX_FOUND_SHARED_RACE, "with nothing that orders them");
    /* An mbarrier orders a producer and a consumer. */
    run_right(KERNEL(SHARED ".shared .align 8 .b64 m;\nsetp.eq.u32 %p0, %t, 0; @%p0 mbarrier.init.shared.b64 "
                            "[m], 32;\nbar.sync 0;\n"
                            "setp.ge.u32 %p1, %t, 32; @%p1 bra WAIT;\nst.shared.u32 [%s], %t; "
                            "mbarrier.arrive.shared.b64 %l0, [m]; bra.uni END;\n"
                            "WAIT: mbarrier.try_wait.parity.shared.b64 %p2, [m], 0; @!%p2 bra "
                            "WAIT;\nld.shared.u32 %r0, [%s+-128];"
                            "st.global.u32 [%mine], %r0;\nEND:"),
              1, 64, words, 64);
    assert_int_equal(words[40], 8);
}

#define BLOCK "mov.u32 %r9, %ctaid.x; setp.eq.u32 %p0, %r9, 0; setp.eq.u32 %p1, %t, 0;\n"
/* Block 0 writes word 0 and then raises the flag in word 1; the others wait for the flag and read. */
#define HAND_OVER(fence, raise)                                                                           \
    KERNEL(BLOCK "@!%p0 bra WAIT;\nst.global.u32 [%data], 7;" fence raise "bra.uni END;\n"                \
                 "WAIT: ld.volatile.global.u32 %r1, [%data+4]; setp.eq.u32 %p2, %r1, 0; @%p2 bra WAIT;\n" \
                 "ld.global.u32 %r2, [%data]; st.global.u32 [%data+8], %r2;\nEND:")

/* Blocks are ordered by what a fence and an atomic, or a release, hand over, and by nothing else. */
static void global_races(void **state)
{
    uint32_t words[64];
    run_wrong(KERNEL("st.global.u32 [%mine], %t;"), 2, 32, PTX_CHECK_RACES, PTX_FOUND_GLOBAL_RACE,
              "byte 0 of 'data', and a write by block (0,0,0), thread (0,0,0) at test.ptx");
    run_wrong(KERNEL(BLOCK "@%p0 ld.global.u32 %r0, [%mine]; @!%p0 st.global.u32 [%mine], %t;"), 2, 32,
              PTX_CHECK_RACES, PTX_FOUND_GLOBAL_RACE, "and a read by block (0,0,0)");
    /* Warps of one block, too; a barrier orders them. */
    const char *warps =
        KERNEL("shl.b32 %r1, %t, 2; xor.b32 %r1, %r1, 128; cvt.u64.u32 %l1, %r1; add.u64 %l1, "
               "%data, %l1; st.global.u32 [%mine], %t; ld.global.u32 %r0, [%l1];");
    run_wrong(warps, 1, 64, PTX_CHECK_RACES, PTX_FOUND_GLOBAL_RACE, "nothing that orders them");
    run_right(KERNEL("shl.b32 %r1, %t, 2; xor.b32 %r1, %r1, 128; cvt.u64.u32 %l1, %r1; add.u64 %l1, %data, "
                     "%l1; st.global.u32 [%mine], %t; bar.sync 0; ld.global.u32 %r0, [%l1];"),
              1, 64, words, 64);
    /* Bytes of one word are told apart; atomics do not race with each other. */
    run_right(KERNEL("mov.u32 %r9, %ctaid.x; cvt.u64.u32 %l1, %r9; add.u64 %l1, %l1, %data; cvt.u16.u32 %h0, "
                     "%r9; st.global.u8 [%l1], %h0; red.global.add.u32 [%data+4], 1;"),
              4, 1, words, 2);
    assert_int_equal(words[0], 0x03020100);
    assert_int_equal(words[1], 4);
    /* Volatile accesses do not race, but what one block adds may be lost to the other; two that write the same lose nothing. */
#define ADD(step)                                                                                           \
    KERNEL("mov.u32 %r3, %ctaid.x; add.u32 %r3, %r3, 1; ld.volatile.global.u32 %r1, [%data]; add.u32 %r2, " \
           "%r1, " step "; st.volatile.global.u32 [%data], %r2;")
    run_wrong(ADD("%r3"), 2, 1, PTX_CHECK_RACES, PTX_FOUND_GLOBAL_RACE,
              "an update of byte 0 of 'data' is lost");
    run_right(ADD("0"), 2, 1, words, 3);
    run_right(KERNEL("atom.global.add.u32 %r1, [%data], 1;"), 2, 1, words, 3);
    run_right(HAND_OVER("fence.acq_rel.gpu;", "st.volatile.global.u32 [%data+4], 1;"), 2, 1, words, 3);
    assert_int_equal(words[2], 7);
    run_right(HAND_OVER("", "st.release.gpu.global.u32 [%data+4], 1;"), 2, 1, words, 3);
    run_right(HAND_OVER("membar.gl;", "atom.global.exch.b32 %r3, [%data+4], 1;"), 2, 1, words, 3);
    run_wrong(HAND_OVER("", "st.volatile.global.u32 [%data+4], 1;"), 2, 1, PTX_CHECK_RACES,
              PTX_FOUND_GLOBAL_RACE, "byte 0 of 'data', and a write by block (0,0,0)");
    run_wrong(HAND_OVER("fence.acq_rel.cta;", "st.volatile.global.u32 [%data+4], 1;"), 2, 1, PTX_CHECK_RACES,
              PTX_FOUND_GLOBAL_RACE, "byte 0 of 'data'");
}

/* The last block to take a ticket sums what all have left, if the whole block has finished before its thread 0 takes the ticket. */
#define LAST_BLOCK(barrier)                                                                                 \
    KERNEL(BLOCK ".shared .b32 last;\nmad.lo.u32 %r1, %r9, 64, %t; add.u32 %r1, %r1, 4; mul.wide.u32 %l1, " \
                 "%r1, 4; add.u64 %l1, %l1, %data; st.global.u32 [%l1], 1;\n" barrier                       \
                 "@!%p1 bra ALL;\nmembar.gl; atom.global.add.u32 %r2, [%data], 1; st.shared.u32 [last], "   \
                 "%r2;\nALL: bar.sync 0; ld.shared.u32 %r2, [last]; setp.ne.u32 %p2, %r2, 2; @%p2 bra "     \
                 "END;\n@!%p1 bra END;\nmov.u32 %r4, 0; mov.u32 %r5, 0; add.u64 %l2, %data, 16;\n"          \
                 "SUM: ld.global.u32 %r3, [%l2]; add.u32 %r4, %r4, %r3; add.u64 %l2, %l2, 4; add.u32 %r5, " \
                 "%r5, 1; setp.lt.u32 %p3, %r5, 192; @%p3 bra SUM;\nst.global.u32 [%data+4], %r4;\nEND:")

static void last_block(void **state)
{
    uint32_t words[200];
    run_right(LAST_BLOCK("bar.sync 0;"), 3, 64, words, 200);
    assert_int_equal(words[1], 192);
    setup s = setup_text(LAST_BLOCK(""), 200);
    ptx_report *r = launch(&s, 3, 64, PTX_CHECK_RACES);
    assert_int_equal(r->findings[0].kind, PTX_FOUND_GLOBAL_RACE);
    ptx_report_free(r);
    setup_end(&s);
}

static void uninitialised(void **state)
{
    uint32_t words[64];
    run_wrong(KERNEL(SHARED "ld.shared.u32 %r0, [%s]; mov.u32 %r1, %r0; add.u32 %r2, %r1, 1;"), 1, 32,
              PTX_CHECK_UNINIT, PTX_FOUND_UNINITIALISED,
              "which no thread of the block has written, is used at test.ptx");
    /* What is read ahead and not used is no fault, nor is a register that holds something else by then. */
    run_right(KERNEL(SHARED
                     "ld.shared.u32 %r0, [%s]; mov.u32 %r1, %r0; ld.shared.u32 %r2, [%s]; mov.u32 %r2, "
                     "%t; st.global.u32 [%mine], %r2;"),
              1, 32, words, 32);
    assert_int_equal(words[3], 3);
}

#define COPY "cvta.to.global.u64 %l0, %mine; cp.async.ca.shared.global [%s], [%l0], 4; "

static void missing_wait(void **state)
{
    const char *wrong =
        KERNEL(SHARED COPY "cp.async.commit_group; ld.shared.u32 %r0, [%s]; st.global.u32 [%mine], %r0;");
    run_wrong(wrong, 1, 32, PTX_CHECK_RACES, PTX_FOUND_MISSING_WAIT, "which the copy issued at test.ptx");
    /* Without checks the result is wrong: the copy has not happened. */
    setup s = setup_text(wrong, 32);
    ptx_report *r = launch(&s, 1, 32, 0);
    uint32_t words[32];
    assert_int_equal(r->status, PTX_OK);
    ptx_copy_out(s.device, words, s.data, sizeof words, NULL);
    assert_int_equal(words[3], UINT32_MAX);
    ptx_report_free(r);
    setup_end(&s);
    run_right(
        KERNEL(SHARED COPY
               "cp.async.commit_group; cp.async.wait_group 0; ld.shared.u32 %r0, [%s]; add.u32 %r0, %r0, 5;"
               "st.global.u32 [%mine], %r0;"),
        1, 32, words, 32);
    assert_int_equal(words[3], 5);
}

/* A bulk store of what threads wrote needs a fence between their proxy and the copy's. */
static void missing_fence(void **state)
{
    run_wrong(KERNEL(SHARED "st.shared.u32 [%s], %t; bar.sync 0; setp.eq.u32 %p0, %t, 0; mov.u32 %r1, s;"
                            "@%p0 cp.async.bulk.global.shared::cta.bulk_group [%data], [%r1], 128; @%p0 "
                            "cp.async.bulk.commit_group;"
                            "@%p0 cp.async.bulk.wait_group 0;"),
              1, 32, PTX_CHECK_RACES, PTX_FOUND_MISSING_FENCE, "no fence.proxy.async between");
    uint32_t words[32];
    run_right(KERNEL(SHARED "st.shared.u32 [%s], %t; fence.proxy.async.shared::cta; bar.sync 0; setp.eq.u32 "
                            "%p0, %t, 0; mov.u32 %r1, s;"
                            "@%p0 cp.async.bulk.global.shared::cta.bulk_group [%data], [%r1], 128; @%p0 "
                            "cp.async.bulk.commit_group;"
                            "@%p0 cp.async.bulk.wait_group 0;"),
              1, 32, words, 32);
    assert_int_equal(words[9], 9);
}

/* A wgmma of 64x8x16 by descriptors without swizzle: A in the first 2048 bytes, B behind. %s: the thread's own word of both. */
#define WGMMA(before, after) WGMMA_BEHIND("", before, after)
#define WGMMA_BEHIND(first, before, after)                                                                   \
    KERNEL(".shared .align 128 .b8 s[4096];\n.reg .b32 %s;\n" first                                          \
           "mov.u32 %s, s; shl.b32 %r9, %t, 2; add.u32 %s, "                                                 \
           "%s, %r9; st.shared.u32 [%s], 0; st.shared.u32 [%s+512], 0; st.shared.u32 [%s+1024], 0; "         \
           "st.shared.u32 [%s+1536], 0; st.shared.u32 [%s+2048], 0;\n" before                                \
           "mov.u32 %r8, s; shr.u32 %r8, %r8, 4; cvt.u64.u32 %l1, %r8; or.b64 %l1, %l1, 0x1000080000; "      \
           "add.u64 %l2, %l1, 128; mov.f32 %f0, 0f00000000; mov.f32 %f1, %f0; mov.f32 %f2, %f0; mov.f32 "    \
           "%f3, %f0; setp.eq.u32 %p0, %t, %t;\nwgmma.fence.sync.aligned;\n"                                 \
           "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f0,%f1,%f2,%f3}, %l1, %l2, %p0, 1, 1, 0, " \
           "0;\nwgmma.commit_group.sync.aligned;\n" after "st.global.f32 [%mine], %f0;")

/* wgmma reads what threads wrote through another proxy, and late. */
static void wgmma_sources(void **state)
{
    uint32_t words[128];
    run_right(WGMMA("fence.proxy.async; bar.sync 0;",
                    "wgmma.wait_group.sync.aligned 0; bar.sync 0; st.shared.u32 [%s], 1;"),
              1, 128, words, 128);
    /* A fifth warp, as a producer, is of no warpgroup; in one by itself a wgmma has three warps too few. */
    run_right(WGMMA_BEHIND("setp.ge.u32 %p0, %t, 128; @%p0 exit;", "fence.proxy.async; bar.sync 0;",
                           "wgmma.wait_group.sync.aligned 0;"),
              1, 160, words, 128);
    run_wrong(WGMMA("fence.proxy.async; bar.sync 0;", "wgmma.wait_group.sync.aligned 0;"), 1, 96, 0,
              PTX_FOUND_BARRIER, "not all lanes of a warpgroup");
    run_wrong(WGMMA("bar.sync 0;", "wgmma.wait_group.sync.aligned 0;"), 1, 128, PTX_CHECK_RACES,
              PTX_FOUND_MISSING_FENCE, "a wgmma reads byte 2048 of shared memory");
    run_wrong(WGMMA("fence.proxy.async;", "wgmma.wait_group.sync.aligned 0;"), 1, 128, PTX_CHECK_RACES,
              PTX_FOUND_SHARED_RACE, "with nothing that orders them");
    run_wrong(WGMMA("fence.proxy.async; bar.sync 0;",
                    "bar.sync 0; st.shared.u32 [%s], 1; wgmma.wait_group.sync.aligned 0;"),
              1, 128, PTX_CHECK_RACES, PTX_FOUND_SHARED_RACE, "a wgmma that may still read it");
}

/* Shared memory that a bulk copy still reads may not be written before its wait. */
static void late_copy(void **state)
{
    run_wrong(KERNEL(SHARED
                     "st.shared.u32 [%s], %t; fence.proxy.async.shared::cta; bar.sync 0; setp.eq.u32 "
                     "%p0, %t, 0; mov.u32 %r1, s; @!%p0 bra END;\n"
                     "cp.async.bulk.global.shared::cta.bulk_group [%data], [%r1], 128; "
                     "cp.async.bulk.commit_group; st.shared.u32 [%s], 5; cp.async.bulk.wait_group.read "
                     "0;\nEND:"),
              1, 32, PTX_CHECK_RACES, PTX_FOUND_SHARED_RACE, "a copy that may still read it");
}

/* Two rows of 12 bytes, 16 apart, behind their map: the box stores 16 bytes of each, whose innermost coordinate is %r1. */
#define STORE_BOX(coordinate)                                                                              \
    KERNEL(".shared .align 128 .b8 box[128]; mov.u32 %r0, box; st.shared.v4.b32 [%r0], {1, 2, 3, 4};"      \
           "st.shared.v4.b32 [%r0+16], {5, 6, 7, 8}; fence.proxy.async; mov.u32 %r1, " coordinate          \
           "; mov.u32 %r2, 0; cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%data, {%r1, %r2}], " \
           "[%r0]; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;")

static void store_box(const char *text, uint32_t *words, ptx_report **report)
{
    _Alignas(64) unsigned char bytes[128];
    setup s = setup_text(text, 64);
    const ptx_tensor_map map = {.data_type = 2,
                                .rank = 2,
                                .address = s.data + 128,
                                .dims = {3, 2},
                                .strides = {16},
                                .box = {4, 2},
                                .element_strides = {1, 1}};
    assert_int_equal(ptx_tensor_map_encode(&map, bytes, NULL), PTX_OK);
    assert_int_equal(ptx_copy_in(s.device, s.data, bytes, sizeof bytes, NULL), PTX_OK);
    *report = launch(&s, 1, 1, PTX_CHECK_ALL);
    assert_int_equal(ptx_copy_out(s.device, words, s.data + 128, 32, NULL), PTX_OK);
    setup_end(&s);
}

/* As the card: the innermost coordinate is of 16 bytes, and stores write 16 bytes at the end of a row too. */
static void tensor_copies(void **state)
{
    static const uint32_t all[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    uint32_t words[8];
    ptx_report *r;
    store_box(STORE_BOX("0"), words, &r);
    assert_int_equal(r->status, PTX_OK);
    assert_memory_equal(words, all, sizeof all);
    assert_int_equal(r->total.async_bytes, sizeof all);
    ptx_report_free(r);
    store_box(STORE_BOX("-1"), words, &r);
    assert_int_equal(r->findings[0].kind, PTX_FOUND_ILLEGAL);
    assert_non_null(strstr(r->text, "-4 bytes and not a multiple of 16"));
    ptx_report_free(r);
}

static void deadlock(void **state)
{
    run_wrong(
        KERNEL("setp.lt.u32 %p0, %t, 32; @%p0 bra A;\nbar.sync 2, 64; bra.uni E;\nA: bar.sync 1, 64;\nE:"), 1,
        64, 0, PTX_FOUND_DEADLOCK, "warp 0 lanes ffffffff waits at barrier 1 (32 threads arrived)");
    run_wrong(KERNEL(".shared .align 8 .b64 m;\nsetp.eq.u32 %p0, %t, 0; @%p0 mbarrier.init.shared.b64 [m], "
                     "2;\nbar.sync 0;\n"
                     "mbarrier.arrive.shared.b64 %l0, [m];\nW: mbarrier.try_wait.parity.shared.b64 %p2, [m], "
                     "0; @!%p2 bra W;"),
              1, 1, 0, PTX_FOUND_DEADLOCK, "waits on the mbarrier");
    run_wrong(KERNEL(".shared .align 8 .b64 m;\nmbarrier.arrive.shared.b64 %l0, [m];"), 1, 1, 0,
              PTX_FOUND_BARRIER, "is not initialised");
    run_wrong(KERNEL("trap;"), 1, 1, 0, PTX_FOUND_TRAP, "the kernel stops itself");
}

static void timeout(void **state)
{
    setup s =
        setup_text(KERNEL("L: ld.volatile.global.u32 %r0, [%data]; setp.eq.u32 %p0, %r0, 0; @%p0 bra L;"), 4);
    const ptx_launch l = {.function = ptx_module_function(s.module, "k"),
                          .grid = {1, 1, 1},
                          .block = {1, 1, 1},
                          .params = &s.data,
                          .threads = 1,
                          .limit_instructions = 100000};
    ptx_report *r;
    assert_int_equal(ptx_launch_run(&l, &r), PTX_TIMEOUT);
    assert_non_null(strstr(r->text, "timeout in kernel k"));
    ptx_report_free(r);
    setup_end(&s);
}

/* What is not known is refused with its line, and only where it is needed. */
static void unknown(void **state)
{
    setup s = setup_text(KERNEL("frobnicate.u32 %r0, %t;"), 4);
    const ptx_function_info *f = ptx_function_describe(ptx_module_function(s.module, "k"));
    assert_non_null(f->unsupported);
    assert_non_null(strstr(f->unsupported, "'frobnicate.u32'"));
    ptx_report *r = launch(&s, 1, 1, 0);
    assert_int_equal(r->status, PTX_UNSUPPORTED);
    ptx_report_free(r);
    setup_end(&s);
    s = setup_text(KERNEL("add.u32.sideways %r0, %t, 1;"), 4);
    r = launch(&s, 1, 1, 0);
    assert_int_equal(r->status, PTX_UNSUPPORTED);
    assert_non_null(strstr(r->text, "sideways"));
    ptx_report_free(r);
    setup_end(&s);
}

static void bad_text(void **state)
{
    static const struct {
        const char *text, *says;
    } texts[] = {{HEADER ".entry k()\n{\nbra NOWHERE;\n}\n", "label 'NOWHERE' of line 6 is not known"},
                 {HEADER ".entry k()\n{\nadd.u32 %r0, %r1\n}\n", "test.ptx:7: expected ';'"},
                 {HEADER ".entry k()\n{\n.reg .b32 %r<2>;\n", "the text ends within function 'k'"},
                 {HEADER "nonsense\n", "unexpected text 'nonsense'"}};
    ptx_device *device;
    assert_int_equal(ptx_device_open(NULL, &device, NULL), PTX_OK);
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        ptx_module *m;
        ptx_error error = {0};
        assert_int_equal(
            ptx_module_load(device, texts[k].text, strlen(texts[k].text), "test.ptx", &m, &error),
            PTX_BAD_TEXT);
        if (!strstr(error.text, texts[k].says))
            fail_msg("expected '%s', got '%s'", texts[k].says, error.text);
    }
    ptx_device_close(device);
}

static void limits(void **state)
{
    setup s = setup_text(KERNEL(""), 4);
    ptx_report *r = launch(&s, 1, 1025, 0);
    assert_int_equal(r->status, PTX_REFUSED);
    ptx_report_free(r);
    const ptx_launch l = {.function = ptx_module_function(s.module, "k"),
                          .grid = {1, 1, 1},
                          .block = {32, 1, 1},
                          .params = &s.data,
                          .dynamic_shared = 60000};
    assert_int_equal(ptx_launch_run(&l, &r), PTX_REFUSED);
    assert_non_null(strstr(r->text, "49152 are allowed"));
    ptx_report_free(r);
    setup_end(&s);
    s = setup_text(KERNEL(".shared .b8 large[49160]; st.shared.u32 [large], %t;"), 4);
    r = launch(&s, 1, 32, 0);
    assert_int_equal(r->status, PTX_REFUSED);
    assert_non_null(strstr(r->text, "49160 bytes of static shared memory"));
    ptx_report_free(r);
    setup_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(out_of_bounds), cmocka_unit_test(races),         cmocka_unit_test(global_races),
        cmocka_unit_test(last_block),    cmocka_unit_test(wgmma_sources), cmocka_unit_test(late_copy),
        cmocka_unit_test(uninitialised), cmocka_unit_test(missing_wait),  cmocka_unit_test(missing_fence),
        cmocka_unit_test(deadlock),      cmocka_unit_test(timeout),       cmocka_unit_test(unknown),
        cmocka_unit_test(bad_text),      cmocka_unit_test(limits),        cmocka_unit_test(tensor_copies)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
