/* wgmma: the arithmetic of one warp's 16 of the 64 rows. */
#include "device/ptx/instructions.h"
#include "device/ptx/matrix_elements.h"
#include "device/ptx/tensor_sum.h"
#include <stdlib.h>

enum { MOST_K = 32, MOST_N = 256, ROWS = 16 };

typedef struct tile {
    f32 a[ROWS][MOST_K], b[MOST_K][MOST_N], d[ROWS][MOST_N];
    s32 id[ROWS][MOST_N];
    s16 ea[ROWS][MOST_K], eb[MOST_K][MOST_N];           /* exponents of a and b */
    s16 most_b[MOST_N / TENSOR_LANES], most_kb[MOST_K]; /* the largest ones of b: of columns, of a k */
} tile;

static _Thread_local tile *tiles;

/* A matrix descriptor, and where the 16-byte piece that holds row r (of M or N) and column k of an operand lies: "Matrix Descriptor
 * Format" and "Strides" of the PTX ISA, section wgmma. */
typedef struct descriptor {
    u64 start, leading, stride;
    int swizzle; /* log2 of row bytes / 16: 0, or 1 to 3 */
} descriptor;

static descriptor read_descriptor(u64 d)
{
    static const int modes[4] = {0, 3, 2, 1};
    return (descriptor){(d & 0x3fff) << 4, (d >> 16 & 0x3fff) << 4, (d >> 32 & 0x3fff) << 4, modes[d >> 62]};
}

static u64 piece(const descriptor *d, u32 r, u32 k, u32 bytes, bool transposed)
{
    u64 at;
    const u32 row = 16u << d->swizzle;
    if (!transposed) {
        if (!d->swizzle)
            return d->start + r / 8 * d->stride + k * bytes / 16 * d->leading + r % 8 * 16;
        at = d->start + r / 8 * d->stride + r % 8 * row + k * bytes;
    } else {
        const u32 width = row / bytes;
        if (!d->swizzle)
            return d->start + r / 8 * d->stride + k / 8 * d->leading + k % 8 * 16;
        at = d->start + r / width * d->leading + k / 8 * d->stride + k % 8 * row + r % width * bytes;
    }
    const u64 bits = at >> 7 & ((1u << d->swizzle) - 1);
    return at ^ bits << 4;
}

/* The pieces of an operand that are read, for the checks. False: a finding was recorded. */
static bool check_operand(async_op *op, u64 desc, u32 first, u32 rows, u32 bytes, bool transposed, bool is_b)
{
    const descriptor d = read_descriptor(desc);
    const u32 depth = op->at->reconverge, per = 16 / bytes;
    for (u32 r = 0; r < rows; r += transposed ? per : 1)
        for (u32 k = 0; k < depth; k += transposed ? 1 : per)
            if (!check_wgmma_read(op, piece(&d, first + r, k, bytes, transposed), is_b))
                return false;
    return true;
}

/* An operand in shared memory, or `rows` of it from `first` on, as values(row, k) with the strides of each. False: out of bounds. */
static bool read_operand(warp *w, u64 desc, u32 first, u32 rows, u32 depth, u32 type, bool transposed,
                         f32 *values, u32 row_stride, u32 k_stride)
{
    const descriptor d = read_descriptor(desc);
    const u32 bytes = type_bytes(type), per = 16 / bytes, step_r = transposed ? per : 1,
              step_k = transposed ? 1 : per, stride = transposed ? row_stride : k_stride;
    for (u32 r = 0; r < rows; r += step_r)
        for (u32 k = 0; k < depth; k += step_k) {
            const void *at = shared_pointer(w, piece(&d, first + r, k, bytes, transposed), 16);
            f32 v[16], *out = values + r * row_stride + k * k_stride;
            if (!at)
                return false;
            matrix_elements(at, per, type, v);
            if (stride == 1)
                memcpy(out, v, per * sizeof *v);
            else
                for (u32 j = 0; j < per; j++)
                    out[j * stride] = v[j];
        }
    return true;
}

static void negate(f32 *values, u32 rows, u32 columns, u32 stride)
{
    for (u32 r = 0; r < rows; r++)
        for (u32 c = 0; c < columns; c++)
            values[r * stride + c] = -values[r * stride + c];
}

/* A from four registers a lane. */
static void unpack_a(tile *t, const u32 *registers, u32 type)
{
    const u32 width = 16 / type_bytes(type);
    for (u32 v = 0; v < 4; v++) {
        f32 values[4 * LANES];
        matrix_elements(registers + v * LANES, 8 * width, type, values);
        for (u32 r = 0; r < 8; r++)
            memcpy(&t->a[r + (v & 1) * 8][(v >> 1) * width], values + r * width, width * sizeof *values);
    }
}

static void find_exponents_of_b(tile *t, u32 n, u32 depth)
{
    s16 columns[MOST_N];
    for (u32 k = 0; k < depth; k++) {
        tensor_exponents(t->b[k], n, t->eb[k]);
        t->most_kb[k] = tensor_most(t->eb[k], n, 1);
        for (u32 c = 0; c < n; c++)
            columns[c] = k == 0 || t->eb[k][c] > columns[c] ? t->eb[k][c] : columns[c];
    }
    for (u32 c = 0; c < n; c += TENSOR_LANES)
        t->most_b[c / TENSOR_LANES] = tensor_most(columns + c, TENSOR_LANES, 1);
}

/* How many k there are up to the last one whose products are not all zero. */
static u32 used_depth(const tile *t, u32 depth)
{
    while (depth > 0 &&
           tensor_all_zero(tensor_most(&t->ea[0][depth - 1], ROWS, MOST_K), t->most_kb[depth - 1]))
        depth--;
    return depth;
}

INLINE void multiply_by(tile *t, u32 n, u32 depth, tensor_rule rule)
{
    for (u32 r = 0; r < ROWS; r++) {
        const s16 most_a = tensor_most(t->ea[r], depth, 1);
        for (u32 c = 0; c < n; c += TENSOR_LANES) {
            const tensor_factor x = {&t->b[0][c], &t->eb[0][c], MOST_N}, y = {t->a[r], t->ea[r], 1};
            if (rule.fraction == 23 && tensor_all_zero(most_a, t->most_b[c / TENSOR_LANES]))
                tensor_add_zero(&t->d[r][c]);
            else
                tensor_add(x, y, depth, rule, &t->d[r][c]);
        }
    }
}

/* Rules 1 and 2 of README.md. */
static void multiply(tile *t, u32 n, u32 depth, u32 factor, u32 result)
{
    for (u32 r = 0; r < ROWS; r++)
        tensor_exponents(t->a[r], depth, t->ea[r]);
    const u32 used = used_depth(t, depth);
    if (type_bytes(factor) == 1)
        multiply_by(t, n, 32, (tensor_rule){13, 13, result == TYPE_f16});
    else if (result == TYPE_f16)
        multiply_by(t, n, used, (tensor_rule){25, 23, true});
    else if (used == 16)
        multiply_by(t, n, 16, (tensor_rule){25, 23, false});
    else if (used == 8)
        multiply_by(t, n, 8, (tensor_rule){25, 23, false});
    else
        multiply_by(t, n, used, (tensor_rule){25, 23, false});
}

static void multiply_integers(tile *t, u32 n, u32 depth, bool saturate)
{
    for (u32 r = 0; r < ROWS; r++)
        for (u32 c = 0; c < n; c++) {
            s32 sum_of_products = 0;
            for (u32 k = 0; k < depth; k++)
                sum_of_products += (s32)t->a[r][k] * (s32)t->b[k][c];
            const s64 sum = (s64)t->id[r][c] + sum_of_products;
            t->id[r][c] = !saturate         ? (s32)sum
                          : sum > INT32_MAX ? INT32_MAX
                          : sum < INT32_MIN ? INT32_MIN
                                            : (s32)sum;
        }
}

/* Accumulators from registers to the tile, where they start from zero without `keep`. */
static void load_accumulators(async_op *op, tile *t, u32 n, bool keep)
{
    warp *w = op->warp;
    const operand *list = op->function->lists + op->at->list;
    const u32 bytes = op->at->type == TYPE_f16 ? 2 : 4;
    if (!keep) {
        for (u32 r = 0; r < ROWS; r++)
            memset(op->at->type == TYPE_s32 ? (void *)t->id[r] : (void *)t->d[r], 0, n * 4);
        return;
    }
    for (u32 v = 0; bytes == 2 && v < n / 4; v++)
        for (u32 l = 0; l < LANES; l++)
            halves_to_f32((const u16 *)&REG(u32, list[v])[l], 2,
                          &t->d[l / 4 + (v & 1) * 8][(v >> 1) * 8 + l % 4 * 2]);
    for (u32 v = 0; bytes == 4 && v < n / 2; v += 2) {
        const u32 r = (v >> 1 & 1) * 8, c = (v >> 2) * 8;
        fragment_to_rows(REG(u32, list[v]), REG(u32, list[v + 1]),
                         op->at->type == TYPE_s32 ? (u32 *)&t->id[r][c] : (u32 *)&t->d[r][c], MOST_N);
    }
}

static void store_accumulators(async_op *op, const tile *t, u32 n)
{
    warp *w = op->warp;
    const operand *list = op->function->lists + op->at->list;
    const u32 bytes = op->at->type == TYPE_f16 ? 2 : 4;
    for (u32 v = 0; bytes == 2 && v < n / 4; v++)
        for (u32 l = 0; l < LANES; l++) {
            const f32 *d = &t->d[l / 4 + (v & 1) * 8][(v >> 1) * 8 + l % 4 * 2];
            REG(u32, list[v])[l] = f32_to_half(d[0]) | (u32)f32_to_half(d[1]) << 16;
        }
    for (u32 v = 0; bytes == 4 && v < n / 2; v += 2) {
        const u32 r = (v >> 1 & 1) * 8, c = (v >> 2) * 8;
        rows_to_fragment(op->at->type == TYPE_s32 ? (const u32 *)&t->id[r][c] : (const u32 *)&t->d[r][c],
                         MOST_N, REG(u32, list[v]), REG(u32, list[v + 1]));
    }
}

static void EXEC(compute)(async_op *op, bool same_b)
{
    const insn *i = op->at;
    warp *w = op->warp;
    if (!tiles && !(tiles = aligned_alloc(64, (sizeof *tiles + 63) / 64 * 64)))
        abort();
    tile *t = tiles;
    const u32 n = i->target >> 8, depth = i->reconverge;
    bool good = same_b || read_operand(w, op->desc_b, 0, n, depth, i->sub, i->flags & WGMMA_TRANS_B, t->b[0],
                                       1, MOST_N);
    if (!same_b && i->flags & WGMMA_NEGATE_B)
        negate(t->b[0], depth, n, MOST_N);
    if (!same_b)
        find_exponents_of_b(t, n, depth);
    if (i->flags & WGMMA_A_REGISTERS)
        unpack_a(t, op->data, i->from);
    else
        good = good && read_operand(w, op->desc_a, w->number % 4 * ROWS, ROWS, depth, i->from,
                                    i->flags & WGMMA_TRANS_A, t->a[0], MOST_K, 1);
    if (i->flags & WGMMA_NEGATE_A)
        negate(t->a[0], ROWS, depth, MOST_K);
    if (!good) {
        found(w, i, ~0u, PTX_FOUND_SHARED_BOUNDS, 0,
              "a wgmma whose descriptors reach outside of shared memory");
        return;
    }
    load_accumulators(op, t, n, op->scale);
    if (i->type == TYPE_s32)
        multiply_integers(t, n, depth, i->flags & FLAG_SATURATE);
    else
        multiply(t, n, depth, i->from, i->type);
    store_accumulators(op, t, n);
}

static bool check_sources(async_op *op)
{
    const insn *i = op->at;
    return check_operand(op, op->desc_b, 0, i->target >> 8, type_bytes(i->sub), i->flags & WGMMA_TRANS_B,
                         true) &&
           (i->flags & WGMMA_A_REGISTERS ||
            check_operand(op, op->desc_a, op->warp->number % 4 * ROWS, ROWS, type_bytes(i->from),
                          i->flags & WGMMA_TRANS_A, false));
}

static const insn *EXEC(run_wgmma)(warp *w, const insn *i, u32 m)
{
    const uint32_t group_end = w->number / 4 * 4 + 4; /* other warps of the block need not come in fours */
    if (m != ~0u || group_end > w->block->warp_count)
        return found(w, i, m, PTX_FOUND_BARRIER, 0,
                     "a wgmma that not all lanes of a warpgroup execute (lanes %08x)", m);
    async_op *op = async_new(w, i, ASYNC_WGMMA, m);
    if (!(op->data = malloc(512 + i->defs * 128u)))
        abort();
    op->desc_a = i->a == NO_OPERAND ? 0 : REG(u64, i->a)[0];
    op->desc_b = REG(u64, i->b)[0];
    op->scale = ((PRED(i->c) & 1) != 0) != ((i->flags & WGMMA_NOT_SCALE) != 0);
    op->compute = EXEC(compute);
    if (i->flags & WGMMA_A_REGISTERS)
        for (u32 k = 0; k < 4; k++)
            memcpy((char *)op->data + k * 128, REG(u32, LIST(2u * i->defs + k)), 128);
    if (w->race && !check_sources(op)) {
        free(op->data);
        async_release(w->gang, op);
        return NULL;
    }
    wgmma_note(w, op);
    return i + 1;
}

insn_run EXEC(pick_wgmma)(insn *i)
{
    if (i->op != OP_WGMMA)
        return NULL;
    const u32 n = i->target >> 8, registers = i->type == TYPE_f16 ? n / 4 : n / 2;
    const bool known =
        type_bytes(i->from) * i->reconverge == 32 && i->defs == registers && n % 8 == 0 && n <= MOST_N;
    return known ? EXEC(run_wgmma) : NULL;
}
