/* Matrix instructions of a warp: ldmatrix, stmatrix, mma.sync, wmma, and texture fetches' neighbours are elsewhere. Layouts of fragments:
 * PTX ISA, "Matrix Fragments for mma". wmma leaves the layout open, and the one here is element e of lane l at e * 32 + l. */
#include "device/ptx/exec_address.h"
#include "device/ptx/instructions.h"
#include "device/ptx/matrix_elements.h"
#include "device/ptx/matrix_product.h"

/* ---- ldmatrix, stmatrix, movmatrix ---- */

static const insn *EXEC(run_ldmatrix)(warp *w, const insn *i, u32 m)
{
    u64 addresses[LANES], pointers[LANES];
    const bool load = i->sub == MATRIX_LOAD;
    const u32 rows = 8u * i->width, addressed = rows == 32 ? ~0u : (1u << rows) - 1;
    const insn *next;
    if (!members_present(w, i, m, ~0u, &next))
        return next;
    lane_addresses(w, i, i->a, i->imm, i->flags & FLAG_ADDRESS32, addresses);
    EACH_ON(l, addressed)
    {
        if (addresses[l] % 16)
            return found(w, i, 1u << l, PTX_FOUND_MISALIGNED, addresses[l],
                         "a matrix row at byte %lld of shared memory, not a multiple of 16",
                         (long long)addresses[l] - SHARED_START);
        char *p = lane_pointer(w, i, l, SPACE_SHARED, addresses[l], 16, !load);
        if (!p)
            return NULL;
        pointers[l] = (u64)p;
    }
    if (w->checks)
        check_shared(w, i, addressed, addresses, 16, load ? ACCESS_READ : ACCESS_WRITE);
    for (u32 v = 0; v < i->width; v++) {
        u32 *reg = REG(u32, LIST(v));
        EACH(l)
        {
            if (!i->narrow) {
                u32 *at = (u32 *)pointers[v * 8 + (u32)l / 4] + l % 4;
                if (load)
                    reg[l] = *at;
                else
                    *at = reg[l];
                continue;
            }
            u16 *low = (u16 *)pointers[v * 8 + (u32)(l % 4) * 2] + l / 4,
                *high = (u16 *)pointers[v * 8 + (u32)(l % 4) * 2 + 1] + l / 4;
            if (load) {
                reg[l] = *low | (u32)*high << 16;
            } else {
                *low = (u16)reg[l];
                *high = (u16)(reg[l] >> 16);
            }
        }
    }
    return i + 1;
}

static const insn *EXEC(run_movmatrix)(warp *w, const insn *i, u32 m)
{
    u16 matrix[8][8];
    const insn *next;
    if (!members_present(w, i, m, ~0u, &next))
        return next;
    const u32 *a = REG(u32, i->a);
    u32 *d = REG(u32, i->d);
    EACH(l)
    {
        matrix[l / 4][l % 4 * 2] = (u16)a[l];
        matrix[l / 4][l % 4 * 2 + 1] = (u16)(a[l] >> 16);
    }
    EACH(l) d[l] = matrix[l % 4 * 2][l / 4] | (u32)matrix[l % 4 * 2 + 1][l / 4] << 16;
    return i + 1;
}

/* ---- mma.sync ---- */

/* Where element `e` of register v of lane l lies, in A and in B: k = (l % 4) per + e of the row (or column) l / 4 of a piece of 8 rows and
 * 4 per columns. A of 16 rows has its pieces by columns. */
INLINE u32 factor_row(u32 v, u32 l, bool is_a, u32 halves)
{
    return l / 4 + (is_a && halves == 2 ? (v & 1) * 8 : 0);
}

INLINE u32 factor_depth(u32 v, u32 l, u32 e, u32 per, bool is_a, u32 halves)
{
    return (is_a && halves == 2 ? v >> 1 : v) * 4 * per + l % 4 * per + e;
}

/* Integers and doubles. */
static void load_exact(warp *w, const operand *list, u32 registers, u32 type, bool is_a, u32 halves,
                       product *p)
{
    const bool doubles = arithmetic_of(type) == DOUBLES;
    const u32 per = doubles ? 1 : 32 / element_bits(type);
    for (u32 v = 0; v < registers; v++)
        for (u32 l = 0; l < LANES; l++)
            for (u32 e = 0; e < per; e++) {
                const u32 r = factor_row(v, l, is_a, halves), k = factor_depth(v, l, e, per, is_a, halves);
                if (doubles)
                    *(is_a ? &p->da[r][k] : &p->db[k][r]) = REG(f64, list[v])[l];
                else
                    *(is_a ? &p->ia[r][k] : &p->ib[k][r]) = integer_element(REG(u32, list[v])[l], e, type);
            }
}

/* Floats: a row of a piece is 4 `per` elements that lie one behind the other. Of fp8, elements whose k mod 4 is 2 or 3 come behind all
 * others: the card adds them up by themselves. */
static void load_floats(warp *w, const operand *list, u32 registers, u32 type, bool is_a, u32 halves,
                        u32 depth, product *p)
{
    const u32 per = 32 / element_bits(type), width = 4 * per;
    for (u32 v = 0; v < registers; v++) {
        f32 values[4 * LANES], *row = values;
        const u32 r0 = factor_row(v, 0, is_a, halves), k0 = factor_depth(v, 0, 0, per, is_a, halves);
        matrix_elements(REG(u32, list[v]), LANES * per, type, values);
        if (per < 4 && !is_a) {
            for (u32 r = 0; r < 8; r += 4)
                for (u32 j = 0; j < width; j += 4)
                    transpose_4x4(row + r * width + j, width, &p->b[k0 + j][r0 + r], MOST_N);
            continue;
        }
        for (u32 r = r0; r < r0 + 8; r++, row += width)
            if (per == 4)
                for (u32 j = 0; j < width; j++) {
                    const u32 k = (k0 + j) / 4 * 2 + j % 2 + (j % 4 >= 2 ? depth / 2 : 0);
                    *(is_a ? &p->a[r][k] : &p->b[k][r]) = row[j];
                }
            else
                for (u32 j = 0; j < width; j += 4)
                    memcpy(&p->a[r][k0 + j], row + j, 4 * sizeof *row);
    }
}

static void load_factor(warp *w, const operand *list, u32 registers, u32 type, bool is_a, u32 halves,
                        u32 depth, product *p)
{
    if (arithmetic_of(type) == FLOATS)
        load_floats(w, list, registers, type, is_a, halves, depth, p);
    else
        load_exact(w, list, registers, type, is_a, halves, p);
}

static void load_sum(warp *w, const operand *list, u32 registers, u32 type, product *p)
{
    const bool whole = type != TYPE_f16 && type != TYPE_f64;
    for (u32 v = 0; whole && v < registers; v += 2)
        fragment_to_rows(REG(u32, list[v]), REG(u32, list[v + 1]),
                         type == TYPE_s32 ? (u32 *)p->id[v / 2 * 8] : (u32 *)p->d[v / 2 * 8], MOST_N);
    for (u32 v = 0; !whole && v < registers; v++) {
        const u32 r0 = type == TYPE_f16 ? v * 8 : (v >> 1) * 8, c0 = v & 1;
        for (u32 l = 0; l < LANES; l++)
            if (type == TYPE_f16)
                halves_to_f32((const u16 *)&REG(u32, list[v])[l], 2, &p->d[l / 4 + r0][l % 4 * 2]);
            else
                p->dd[l / 4 + r0][l % 4 * 2 + c0] = REG(f64, list[v])[l];
    }
}

static void store_sum(warp *w, const operand *list, u32 registers, u32 type, const product *p)
{
    const bool whole = type != TYPE_f16 && type != TYPE_f64;
    for (u32 v = 0; whole && v < registers; v += 2)
        rows_to_fragment(type == TYPE_s32 ? (const u32 *)p->id[v / 2 * 8] : (const u32 *)p->d[v / 2 * 8],
                         MOST_N, REG(u32, list[v]), REG(u32, list[v + 1]));
    for (u32 v = 0; !whole && v < registers; v++) {
        const u32 r0 = type == TYPE_f16 ? v * 8 : (v >> 1) * 8, c0 = v & 1;
        for (u32 l = 0; l < LANES; l++) {
            const f32 *d = &p->d[l / 4 + r0][l % 4 * 2];
            if (type == TYPE_f16)
                REG(u32, list[v])[l] = f32_to_half(d[0]) | (u32)f32_to_half(d[1]) << 16;
            else
                REG(f64, list[v])[l] = p->dd[l / 4 + r0][l % 4 * 2 + c0];
        }
    }
}

typedef struct mma_shape {
    u32 m, n, k, a, b, c, d; /* a to d: registers */
} mma_shape;

static mma_shape shape_of(const insn *i)
{
    mma_shape s = {i->target & 0xff, i->target >> 8 & 0xff, i->target >> 16, 0, 0, 0, 0};
    const u32 per = arithmetic_of(i->from) == DOUBLES ? 1 : 32 / element_bits(i->from);
    s.a = s.m * s.k / 32 / per;
    s.b = s.n * s.k / 32 / per;
    s.c = s.m * s.n / 32 / (i->width == TYPE_f16 ? 2 : 1);
    s.d = s.m * s.n / 32 / (i->type == TYPE_f16 ? 2 : 1);
    return s;
}

static const insn *EXEC(run_mma)(warp *w, const insn *i, u32 m)
{
    const insn *next;
    if (!members_present(w, i, m, ~0u, &next))
        return next;
    product *p = EXEC(thread_product)();
    const mma_shape s = shape_of(i);
    const operand *list = w->lists + i->list, *a = list + s.d, *b = a + s.a, *c = b + s.b;
    load_factor(w, a, s.a, i->from, true, s.m / 8, s.k, p);
    load_factor(w, b, s.b, i->sub, false, 1, s.k, p);
    load_sum(w, c, s.c, i->width, p);
    EXEC(multiply_matrices)(p, s.m, s.n, s.k, i->from, i->type, i->flags & FLAG_SATURATE);
    store_sum(w, list, s.d, i->type, p);
    return i + 1;
}

/* ---- wmma ---- */

/* Rows and columns of a fragment's matrix. */
static void wmma_extent(const insn *i, u32 which, u32 *rows, u32 *columns)
{
    const u32 m = i->target & 0xff, n = i->target >> 8 & 0xff, k = i->target >> 16;
    *rows = which == WMMA_B ? k : m;
    *columns = which == WMMA_A ? k : n;
}

static const insn *EXEC(run_wmma_memory)(warp *w, const insn *i, u32 m)
{
    const insn *next;
    if (!members_present(w, i, m, ~0u, &next))
        return next;
    u64 addresses[LANES], touched[LANES];
    lane_addresses(w, i, i->a, i->imm, i->flags & FLAG_ADDRESS32, addresses);
    const bool load = i->op == OP_WMMA_LOAD;
    const u32 bytes = type_bytes(i->type), word = type_bytes(i->type) == 8 ? 8 : 4, per = word / bytes;
    const u32 registers = load ? i->defs : i->uses;
    u32 rows, columns;
    wmma_extent(i, i->sub, &rows, &columns);
    const u32 total = rows * columns;
    const u64 stride = REG(u32, i->b)[0];
    for (u32 v = 0; v < registers; v++)
        for (u32 e = 0; e < per; e++) {
            for (u32 l = 0; l < LANES; l++) {
                const u32 at = ((v * per + e) * LANES + l) % total, r = at / columns, c = at % columns;
                touched[l] =
                    addresses[0] + (i->flags & WMMA_COLUMNS ? c * stride + r : r * stride + c) * bytes;
                char *memory = lane_pointer(w, i, l, i->space, touched[l], bytes, !load);
                if (!memory)
                    return NULL;
                char *reg = REG(char, LIST(v)) + l * word + e * bytes;
                if (load)
                    memcpy(reg, memory, bytes);
                else
                    memcpy(memory, reg, bytes);
            }
            if (w->checks)
                check_access(w, i, ~0u, touched, bytes, load ? ACCESS_READ : ACCESS_WRITE);
        }
    return i + 1;
}

/* Visit the elements of a fragment: body(row, column, register word, element of the word). */
#define FRAGMENT_EACH(registers, per, rows, columns, body)                                               \
    for (u32 v = 0; v < (registers); v++)                                                                \
        for (u32 e = 0; e < (per); e++)                                                                  \
            for (u32 l = 0; l < LANES; l++) {                                                            \
                const u32 at = ((v * (per) + e) * LANES + l) % ((rows) * (columns)), r = at / (columns), \
                          c = at % (columns);                                                            \
                body;                                                                                    \
            }

static const insn *EXEC(run_wmma)(warp *w, const insn *i, u32 mask)
{
    const insn *next;
    if (!members_present(w, i, mask, ~0u, &next))
        return next;
    product *p = EXEC(thread_product)();
    const u32 m = i->target & 0xff, n = i->target >> 8 & 0xff, k = i->target >> 16;
    const arithmetic kind = arithmetic_of(i->from);
    const u32 per = kind == DOUBLES ? 1 : 32 / element_bits(i->from);
    const u32 na = i->narrow, nc = m * n / LANES / (i->width == TYPE_f16 ? 2 : 1), nb = i->uses - na - nc;
    const operand *d = w->lists + i->list, *a = d + i->defs, *b = a + na, *cc = b + nb;
    FRAGMENT_EACH(na, per, m, k, {
        if (kind == DOUBLES)
            p->da[r][c] = REG(f64, a[v])[l];
        else if (kind == INTEGERS)
            p->ia[r][c] = integer_element(REG(u32, a[v])[l], e, i->from);
        else
            p->a[r][c] = float_element(REG(u32, a[v])[l], e, i->from);
    })
    FRAGMENT_EACH(nb, per, k, n, {
        if (kind == DOUBLES)
            p->db[r][c] = REG(f64, b[v])[l];
        else if (kind == INTEGERS)
            p->ib[r][c] = integer_element(REG(u32, b[v])[l], e, i->sub);
        else
            p->b[r][c] = float_element(REG(u32, b[v])[l], e, i->sub);
    })
    const u32 per_c = i->width == TYPE_f16 ? 2 : 1, per_d = i->type == TYPE_f16 ? 2 : 1;
    FRAGMENT_EACH(nc, per_c, m, n, {
        if (kind == DOUBLES)
            p->dd[r][c] = REG(f64, cc[v])[l];
        else if (kind == INTEGERS)
            p->id[r][c] = REG(s32, cc[v])[l];
        else
            p->d[r][c] = float_element(REG(u32, cc[v])[l], e, i->width);
    })
    EXEC(multiply_matrices)(p, m, n, k, i->from, i->type, i->flags & FLAG_SATURATE);
    FRAGMENT_EACH(i->defs, per_d, m, n, {
        if (kind == DOUBLES)
            REG(f64, d[v])[l] = p->dd[r][c];
        else if (kind == INTEGERS)
            REG(s32, d[v])[l] = p->id[r][c];
        else if (per_d == 2)
            REG(u16, d[v])[2 * l + e] = f32_to_half(p->d[r][c]);
        else
            REG(f32, d[v])[l] = p->d[r][c];
    })
    return i + 1;
}

static bool known_mma(const insn *i)
{
    const mma_shape s = shape_of(i);
    const bool counts = i->defs == s.d && i->uses == s.a + s.b + s.c;
    return counts && (s.m == 8 || s.m == 16) && s.n == 8 && s.k <= MOST_K && s.a >= 1 && s.b >= 1 &&
           i->from != TYPE_b1;
}

insn_run EXEC(pick_matrix)(insn *i)
{
    switch (i->op) {
    case OP_LDMATRIX:
        return i->sub == MATRIX_MOVE ? EXEC(run_movmatrix) : EXEC(run_ldmatrix);
    case OP_STMATRIX:
        return EXEC(run_ldmatrix);
    case OP_MMA:
        return known_mma(i) ? EXEC(run_mma) : NULL;
    case OP_WMMA_LOAD:
    case OP_WMMA_STORE:
        return EXEC(run_wmma_memory);
    case OP_WMMA_MMA:
        return EXEC(run_wmma);
    default:
        return NULL;
    }
}
