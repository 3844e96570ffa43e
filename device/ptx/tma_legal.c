/* What a card takes for an illegal instruction in tensor copies, as recorded on an H200 (tests/ptx/truth). */
#include "device/ptx/exec.h"
#include "device/ptx/instructions.h"
#include "device/ptx/tensor_map.h"

/* Bits of reductions in the decoder's order: add, and, or, xor, exch, cas, min, max, inc, dec. */
enum { ADD = 1, BITWISE = 2 | 4 | 8, MIN_MAX = 64 | 128, INC_DEC = 256 | 512 };

/* Bitwise ones of signed integers were not tried. */
static const uint16_t reductions[TENSOR_TYPES] = {[TENSOR_U32] = ADD | BITWISE | MIN_MAX | INC_DEC,
                                                  [TENSOR_S32] = ADD | BITWISE | MIN_MAX,
                                                  [TENSOR_U64] = ADD | BITWISE | MIN_MAX,
                                                  [TENSOR_S64] = BITWISE | MIN_MAX,
                                                  [TENSOR_F16] = ADD | MIN_MAX,
                                                  [TENSOR_F32] = ADD,
                                                  [TENSOR_F64] = ADD,
                                                  [TENSOR_BF16] = ADD | MIN_MAX,
                                                  [TENSOR_F32_FTZ] = ADD,
                                                  [TENSOR_TF32] = ADD,
                                                  [TENSOR_TF32_FTZ] = ADD};

static bool map_legal(warp *w, const insn *i, const async_op *op, uint64_t map)
{
    const tensor_map *t = (const tensor_map *)op->map;
    const uint32_t lanes = 1u << op->lane;
    if (t->magic != TENSOR_MAP_MAGIC || map % 64)
        return found(w, i, lanes, PTX_FOUND_ILLEGAL, map,
                     "the tensor map at %#llx is no tensor map, or not aligned to 64 bytes",
                     (unsigned long long)map),
               false;
    if (t->rank != i->width || t->im2col != ((i->narrow & TMA_IM2COL) != 0))
        return found(w, i, lanes, PTX_FOUND_ILLEGAL, map,
                     "a copy of rank %u%s with a tensor map of rank %u%s", i->width,
                     i->narrow & TMA_IM2COL ? " im2col" : "", t->rank, t->im2col ? " im2col" : ""),
               false;
    return true;
}

/* Stores may begin beyond the end of a tensor, not before its beginning; of im2col, only maps with negative corners were tried. */
static bool store_legal(warp *w, const insn *i, const async_op *op, uint64_t map)
{
    const tensor_map *t = (const tensor_map *)op->map;
    const uint32_t lanes = 1u << op->lane;
    for (uint32_t d = 0; d < t->rank; d++)
        if (op->coordinates[d] < 0)
            return found(w, i, lanes, PTX_FOUND_ILLEGAL, map,
                         "a tensor store from coordinate %d of dimension %u, before the tensor's beginning",
                         op->coordinates[d], d),
                   false;
    for (uint32_t d = 0; t->im2col && d + 2 < t->rank; d++)
        if (t->lower[d] < 0)
            return found(w, i, lanes, PTX_FOUND_ILLEGAL, map,
                         "a tensor store by a map of im2col whose lower corner is %d", t->lower[d]),
                   false;
    if (op->reduction && !(reductions[t->data_type % TENSOR_TYPES] >> (op->reduction - 1) & 1))
        return found(w, i, lanes, PTX_FOUND_ILLEGAL, map,
                     "a reduction that tensors of data type %d (CUtensorMapDataType) do not have",
                     t->data_type),
               false;
    return true;
}

bool tensor_legal(warp *w, const insn *i, const async_op *op, uint64_t map)
{
    const tensor_map *t = (const tensor_map *)op->map;
    if (!map_legal(w, i, op, map))
        return false;
    const int64_t first = (int64_t)op->coordinates[0] * t->element_bytes;
    if (first % 16)
        return found(
                   w, i, 1u << op->lane, PTX_FOUND_ILLEGAL, map,
                   "a tensor copy from element %d of the innermost dimension, %lld bytes and not a multiple "
                   "of 16",
                   op->coordinates[0], (long long)first),
               false;
    return op->load || store_legal(w, i, op, map);
}
