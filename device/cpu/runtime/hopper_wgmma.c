/* wgmma: each thread notes its products; at the wait the last thread of the warpgroup to arrive computes them for all. Operands are
 * read and sums written then, the latest moment that hardware may choose.
 *
 * Layouts: PTX ISA, "Asynchronous warpgroup level matrix instructions", shared memory matrix layout and register fragments. Sums are
 * binary32 in the order of k; tensor cores truncate differently, so results agree to rounding only. */
#include "device/cpu/runtime/hopper.h"
#include <assay/dtype.h>
#include <stdlib.h>
#include <string.h>

/* For the inner loops, whose addresses open_operand() has judged: under the sanitizers they would take most of the time. */
#define UNCHECKED __attribute__((no_sanitize("address"), no_sanitize("undefined")))

/* Twice as wide where the processor can. AVX2 brings no fused multiply-add, so the bits are the same. */
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

enum { WARPGROUP = 128, M = HOPPER_WGMMA_M, K = HOPPER_WGMMA_K, MAX_N = HOPPER_WGMMA_MAX_N };
typedef float eight_floats __attribute__((vector_size(32), aligned(4), may_alias));

static hopper_products *my_products(simt_worker *w)
{
    hopper_thread *t = &simt_hopper_tracked(w)->threads[w->context->self.index];
    if (!t->products && !(t->products = calloc(1, sizeof *t->products)))
        simt_report(w, "out of memory", "no room for the products under way");
    return t->products;
}

uint32_t assay_simt_shared_offset(const void *shared, const char *file, int line)
{
    simt_worker *w = assay_simt_current.worker;
    const ptrdiff_t offset = (const char *)shared - (const char *)w->context->dynamic_shared;
    if (offset < 0 || (size_t)offset >= w->job->config.shared_bytes || offset % 16)
        simt_report(w, "invalid shared address",
                    "wgmma_descriptor at %s:%d of offset %td of %zu bytes of dynamic shared memory; operands "
                    "lie there, "
                    "aligned to 16 bytes",
                    simt_file_name(file), line, offset, w->job->config.shared_bytes);
    return (uint32_t)offset;
}

void assay_simt_wgmma_fence(void)
{
    my_products(assay_simt_current.worker)->fenced = true;
}

void assay_simt_wgmma_start(const assay_simt_wgmma *product, const char *file, int line)
{
    simt_worker *w = assay_simt_current.worker;
    hopper_products *q = my_products(w);
    if (!q->fenced)
        simt_report(w, "missing fence", "wgmma at %s:%d without wgmma_fence() since the last wgmma_wait()",
                    simt_file_name(file), line);
    if (q->count == HOPPER_MAX_PRODUCTS)
        simt_report(w, "invalid wgmma", "more than %d products under way at %s:%d", HOPPER_MAX_PRODUCTS,
                    simt_file_name(file), line);
    q->items[q->count++] = (hopper_product){*product, q->committed, line, file, __builtin_return_address(0)};
}

void assay_simt_wgmma_commit(void)
{
    my_products(assay_simt_current.worker)->committed++;
}

/* ---- operands ---- */

/* A product takes 32 bytes of k: 16 elements, or 8 of tf32. Offsets along k count 2-byte elements in either case. */
static uint32_t depth_of(int kind)
{
    return kind == ASSAY_SIMT_WGMMA_TF32 ? K / 2 : K;
}

/* The tensor core reads 19 of a tf32 operand's bits and ignores the rest. */
static float widen_tf32(uint32_t bits)
{
    return assay_bits_float(bits & 0xffffe000u);
}

static float widen(uint16_t bits, int kind)
{
    return kind == ASSAY_SIMT_WGMMA_BF16 ? assay_bf16_to_float(bits) : assay_f16_to_float(bits);
}

typedef struct operand {
    const unsigned char *shared;
    uint32_t start, leading, stride;
    bool transposed; /* rows of `width` bytes hold m or n; otherwise they hold k */
    bool cores;      /* no swizzle: 8 rows of 16 bytes side by side */
    uint32_t width;  /* of a swizzled row, bytes */
} operand;

__attribute__((cold, noreturn)) static void report_descriptor(simt_worker *w, const hopper_product *p,
                                                              uint64_t descriptor, const char *what)
{
    simt_report(w, "invalid wgmma descriptor", "0x%016llx in the wgmma at %s:%d: %s",
                (unsigned long long)descriptor, simt_file_name(p->file), p->line, what);
}

/* Byte offset from the operand's start of element (i, k), i along m or n, before the swizzle. */
static uint32_t offset_of(const operand *o, uint32_t i, uint32_t k)
{
    if (o->cores)
        return i / 8 * o->stride + k / 8 * o->leading +
               (o->transposed ? k % 8 * 16 + i % 8 * 2 : i % 8 * 16 + k % 8 * 2);
    const uint32_t across = o->width / 2;
    return o->transposed ? i / across * o->leading + k / 8 * o->stride + k % 8 * o->width + i % across * 2
                         : i / 8 * o->stride + i % 8 * 128 + k * 2;
}

/* Offset in shared memory of that element. */
static uint32_t place_of(const operand *o, uint32_t i, uint32_t k)
{
    const uint32_t at = o->start + offset_of(o, i, k);
    return o->cores ? at : at ^ ((at >> 7 & (o->width / 16 - 1)) << 4);
}

/* The checked build sees the bytes that are read, a row of 128 bytes or 16 k at a time. */
static void check_reads(const operand *o, uint32_t extent, const void *pc)
{
    for (uint32_t i = 0; i < extent; i += o->transposed ? 8 : 1)
        for (uint32_t k = 0; k < K; k += o->transposed ? 1 : 8)
            assay_simt_check_access(o->shared + place_of(o, i, k), 16, ASSAY_SIMT_READ, pc);
}

/* `extent`: rows or columns of the operand; the whole of it must lie in shared memory. */
static operand open_operand(simt_worker *w, const hopper_product *p, uint64_t descriptor, uint32_t extent,
                            bool transposed)
{
    const operand o = {w->context->dynamic_shared,
                       (uint32_t)(descriptor & 0x3fff) << 4,
                       (uint32_t)(descriptor >> 16 & 0x3fff) << 4,
                       (uint32_t)(descriptor >> 32 & 0x3fff) << 4,
                       transposed,
                       descriptor >> 62 == 0,
                       256u >> (descriptor >> 62)};
    if ((descriptor >> 62 > 1 && !transposed) || (descriptor >> 49 & 7) != 0)
        report_descriptor(
            w, p, descriptor,
            "the CPU device knows the 128-byte swizzle, with k across rows narrower ones too, and cores");
    if (!o.cores && o.transposed && (o.start >> 7 & (o.width / 16 - 1)) != 0)
        report_descriptor(w, p, descriptor, "it starts amid the 8 rows that are swizzled together");
    if (!o.cores && !o.transposed && (o.start & 127) + 32 > 128)
        report_descriptor(w, p, descriptor, "its 32 bytes of k cross the end of a row");
    const uint32_t last = offset_of(&o, extent - 1, K - 1) + 2;
    if (o.start + last > w->job->config.shared_bytes)
        report_descriptor(w, p, descriptor, "the operand ends past the end of dynamic shared memory");
    simt_hopper_check_fenced(w, (const char *)o.shared + (o.start & ~127u), last, "wgmma", p->file, p->line);
    if (w->job->checked)
        check_reads(&o, extent, p->pc);
    return o;
}

/* The 8 neighbours in memory from element (i, k) on: along m or n if transposed, else along k. Of tf32 they are 4. */
UNCHECKED static void chunk(const operand *o, uint32_t i, uint32_t k, int kind, float out[8])
{
    uint16_t bits[8];
    if (kind == ASSAY_SIMT_WGMMA_TF32) {
        uint32_t words[4];
        memcpy(words, o->shared + place_of(o, i, k), sizeof words);
        for (int e = 0; e < 4; e++)
            out[e] = widen_tf32(words[e]);
        return;
    }
    memcpy(bits, o->shared + place_of(o, i, k), sizeof bits);
    for (int e = 0; e < 8; e++)
        out[e] = widen(bits[e], kind);
}

UNCHECKED static void read_a(simt_worker *w, const hopper_product *const *products, float a[M][K])
{
    const hopper_product *p = products[0];
    if (!p->is.a_in_registers) {
        const operand o = open_operand(w, p, p->is.a, M, false);
        for (uint32_t row = 0; row < M; row++)
            for (uint32_t k = 0; k < K; k += 8)
                chunk(&o, row, k, p->is.kind, &a[row][k * depth_of(p->is.kind) / K]);
        return;
    }
    for (uint32_t t = 0; t < WARPGROUP; t++)
        for (uint32_t i = 0; i < 4; i++) {
            const uint32_t bits = products[t]->is.registers[i];
            float *row = a[t / 32 * 16 + t % 32 / 4 + 8 * (i & 1)], *to = &row[2 * (t % 4) + 8 * (i >> 1)];
            if (p->is.kind == ASSAY_SIMT_WGMMA_TF32) {
                row[t % 4 + 4 * (i >> 1)] = widen_tf32(bits);
                continue;
            }
            to[0] = widen((uint16_t)bits, p->is.kind);
            to[1] = widen((uint16_t)(bits >> 16), p->is.kind);
        }
}

UNCHECKED static void read_b(simt_worker *w, const hopper_product *p, float b[K][MAX_N])
{
    const operand o = open_operand(w, p, p->is.b, (uint32_t)p->is.n, p->is.transpose_b);
    if (o.transposed) {
        for (uint32_t k = 0; k < K; k++)
            for (uint32_t n = 0; n < (uint32_t)p->is.n; n += 8)
                chunk(&o, n, k, p->is.kind, &b[k][n]);
        return;
    }
    for (uint32_t n = 0; n < (uint32_t)p->is.n; n++)
        for (uint32_t k = 0; k < K; k += 8) {
            float along_k[8];
            const uint32_t depth = depth_of(p->is.kind);
            chunk(&o, n, k, p->is.kind, along_k);
            for (uint32_t e = 0; e < 8 * depth / K; e++)
                b[k * depth / K + e][n] = along_k[e];
        }
}

/* ---- sums ---- */

/* Move the warpgroup's sums between registers and `tile`. */
UNCHECKED static void move_sums(const hopper_product *const *products, float tile[M][MAX_N],
                                bool to_registers)
{
    const uint32_t n = (uint32_t)products[0]->is.n;
    for (uint32_t t = 0; t < WARPGROUP; t++) {
        float *d = products[t]->is.d;
        const uint32_t row = t / 32 * 16 + t % 32 / 4, column = 2 * (t % 4);
        for (uint32_t j = 0; j < n / 8; j++)
            for (uint32_t half = 0; half < 2; half++) {
                float *in_tile = &tile[row + 8 * half][8 * j + column], *in_registers = d + 4 * j + 2 * half;
                memcpy(to_registers ? in_registers : in_tile, to_registers ? in_tile : in_registers,
                       2 * sizeof *d);
            }
    }
}

/* Four rows by eight columns at a time, whose sums stay in registers over k. */
WIDE UNCHECKED static void multiply(const float a[M][K], const float b[K][MAX_N], float tile[M][MAX_N],
                                    uint32_t n, uint32_t depth)
{
    for (uint32_t row = 0; row < M; row += 4)
        for (uint32_t j = 0; j < n; j += 8) {
            eight_floats sum[4];
            for (uint32_t r = 0; r < 4; r++)
                sum[r] = *(const eight_floats *)&tile[row + r][j];
            for (uint32_t k = 0; k < depth; k++)
                for (uint32_t r = 0; r < 4; r++)
                    sum[r] += a[row + r][k] * *(const eight_floats *)&b[k][j];
            for (uint32_t r = 0; r < 4; r++)
                *(eight_floats *)&tile[row + r][j] = sum[r];
        }
}

typedef struct wait_post {
    hopper_products *products;
    uint32_t landing;
} wait_post;

static bool same_product(const assay_simt_wgmma *x, const assay_simt_wgmma *y)
{
    return x->a == y->a && x->b == y->b && x->kind == y->kind && x->n == y->n &&
           x->a_in_registers == y->a_in_registers && x->transpose_b == y->transpose_b &&
           x->accumulate == y->accumulate;
}

static void land(void *const *args, uint32_t count)
{
    simt_worker *w = assay_simt_current.worker;
    hopper_operands *o = &simt_hopper_tracked(w)->operands;
    const hopper_product *products[WARPGROUP], *before[WARPGROUP] = {NULL};
    const uint32_t landing = ((wait_post *)args[0])->landing;
    for (uint32_t i = 0; i < landing; i++) {
        for (uint32_t t = 0; t < count; t++) {
            const wait_post *post = args[t];
            products[t] = &post->products->items[i];
            if (post->landing != landing || !same_product(&products[t]->is, &products[0]->is))
                simt_report(
                    w, "mismatched wgmma",
                    "thread %u of the warpgroup gave other operands than thread 0 in the wgmma at %s:%d", t,
                    simt_file_name(products[0]->file), products[0]->line);
        }
        if (!before[0] || before[0]->is.d != products[0]->is.d || before[0]->is.n != products[0]->is.n) {
            if (before[0])
                move_sums(before, o->tile, true);
            if (products[0]->is.accumulate)
                move_sums(products, o->tile, false);
        }
        if (!products[0]->is.accumulate)
            memset(o->tile, 0, sizeof o->tile);
        read_a(w, products, o->a);
        read_b(w, products[0], o->b);
        multiply(o->a, o->b, o->tile, (uint32_t)products[0]->is.n, depth_of(products[0]->is.kind));
        memcpy(before, products, sizeof products);
    }
    if (before[0])
        move_sums(before, o->tile, true);
}

void assay_simt_wgmma_wait(uint32_t pending, const char *file, int line)
{
    simt_worker *w = assay_simt_current.worker;
    hopper_products *q = my_products(w);
    wait_post post = {q, 0};
    while (post.landing < q->count && q->items[post.landing].group + pending < q->committed)
        post.landing++;
    assay_simt_group_collective(WARPGROUP, &post, land, "wgmma_wait", file, line);
    q->count -= post.landing;
    memmove(q->items, q->items + post.landing, q->count * sizeof q->items[0]);
    q->fenced = false;
}
