/* An output that lies in memory, compared by several threads: in pieces of whole rows, whose results are put together. See compare.h. */
#include "core/parallel_for.h"
#include "verify/compare_parts.h"
#include <math.h>
#include <stdlib.h>

/* Elements; the pieces depend on the shape alone, and so do the statistics. A row is never divided: the classes count rows. */
enum { PIECE = 1 << 18, LONGEST_ROW = 16 * PIECE };

typedef struct pieces_work {
    const void *out;
    const double *ref, *scale;
    int64_t count, in_piece;
    compare_result *pieces;
} pieces_work;

static void compare_piece(void *context, int64_t piece)
{
    const pieces_work *w = context;
    compare_result *result = &w->pieces[piece];
    const int64_t first = piece * w->in_piece, left = w->count - first;
    compare_seek(result, first);
    compare_chunk(result, (const char *)w->out + (size_t)first * assay_dtype_bytes(result->dtype),
                  w->ref + first, ASSAY_F64, w->scale ? w->scale + first : NULL,
                  left < w->in_piece ? left : w->in_piece);
}

static void merge_mismatches(compare_result *into, const compare_result *piece)
{
    for (int64_t i = 0; i < COMPARE_MISMATCHES && i < piece->mismatches; i++)
        if (into->mismatches + i < COMPARE_MISMATCHES)
            into->first[into->mismatches + i] = piece->first[i];
    if (piece->worst_index >= 0 && (into->worst_index < 0 || piece->worst_ratio > into->worst_ratio)) {
        into->worst_index = piece->worst_index;
        into->worst_got = piece->worst_got;
        into->worst_expected = piece->worst_expected;
    }
    into->mismatches += piece->mismatches;
    into->unwritten += piece->unwritten;
    into->nonfinite += piece->nonfinite;
}

static void merge_roundings(compare_result *into, const compare_result *piece)
{
    compare_rounding *r = &into->rounding;
    compare_squares *s = &into->squares;
    r->elements += piece->rounding.elements;
    r->groups += piece->rounding.groups;
    for (int i = 0; i < 2; i++) {
        r->sum[i] += piece->rounding.sum[i];
        r->sum2[i] += piece->rounding.sum2[i];
    }
    for (size_t i = 0; i < sizeof r->seen / sizeof r->seen[0]; i++)
        r->seen[i] |= piece->rounding.seen[i];
    s->groups += piece->squares.groups;
    s->sum += piece->squares.sum;
    s->sum2 += piece->squares.sum2;
}

static void merge(compare_result *into, compare_result *piece)
{
    if (into->elements == 0)
        into->first_bits = piece->first_bits;
    into->all_equal &= piece->all_equal && piece->first_bits == into->first_bits;
    merge_mismatches(into, piece);
    merge_roundings(into, piece);
    compare_classes_merge(&into->classes, &piece->classes);
    into->elements += piece->elements;
    into->max_abs_error = fmax(into->max_abs_error, piece->max_abs_error);
    into->max_ulp = fmax(into->max_ulp, piece->max_ulp);
    into->worst_ratio = fmax(into->worst_ratio, piece->worst_ratio);
    into->sum_error2 += piece->sum_error2;
    into->sum_ref2 += piece->sum_ref2;
    into->sum_allowed2 += piece->sum_allowed2;
}

void compare_all(compare_result *result, const void *out, const double *ref, const double *scale,
                 const assay_tensor *shape)
{
    const int64_t count = assay_tensor_count(shape),
                  row = shape->rank > 0 ? shape->shape[shape->rank - 1] : 1;
    pieces_work w = {.out = out, .ref = ref, .scale = scale, .count = count};
    w.in_piece = row > 0 ? (PIECE + row - 1) / row * row : 1;
    const int64_t pieces = (count + w.in_piece - 1) / w.in_piece;
    if (pieces > 1 && row <= LONGEST_ROW)
        w.pieces = malloc((size_t)pieces * sizeof *w.pieces);
    if (!w.pieces) {
        compare_chunk(result, out, ref, ASSAY_F64, scale, count);
        return;
    }
    for (int64_t i = 0; i < pieces; i++)
        w.pieces[i] = *result; /* as begun */
    parallel_for(pieces, compare_piece, &w);
    for (int64_t i = 0; i < pieces; i++)
        merge(result, &w.pieces[i]);
    free(w.pieces);
}
