/* A bit for each place of a warp's register file, by which instructions are held to what was noted of registers. A place has 64 bytes; a
 * register is known by its first one. */
#ifndef ASSAY_DEVICE_PTX_REGISTER_BITS_H
#define ASSAY_DEVICE_PTX_REGISTER_BITS_H

#include "device/ptx/exec.h"

enum { PLACE_BYTES = 64 };

/* 64-bit words of the bits for a register file of so many bytes. */
static inline size_t register_bit_words(uint32_t register_bytes)
{
    return register_bytes / PLACE_BYTES / 64 + 2;
}

static inline bool register_bit(const uint64_t *bits, operand o)
{
    if (o == NO_OPERAND || o & 1)
        return false;
    const uint32_t place = o / PLACE_BYTES;
    return bits[place / 64] >> place % 64 & 1;
}

static inline void register_bit_set(uint64_t *bits, uint32_t place, bool on)
{
    if (on)
        bits[place / 64] |= 1ull << place % 64;
    else
        bits[place / 64] &= ~(1ull << place % 64);
}

/* Whether the instruction writes, or reads, a register that is marked. */
static inline bool registers_touched(const warp *w, const uint64_t *bits, const insn *i, bool writes)
{
    const operand *list = w->lists + i->list;
    if (writes) {
        for (uint32_t k = 0; k < i->defs; k++)
            if (register_bit(bits, list[k]))
                return true;
        return register_bit(bits, i->d) || register_bit(bits, i->d2);
    }
    for (uint32_t k = 0; k < i->uses; k++)
        if (register_bit(bits, list[i->defs + k]))
            return true;
    return register_bit(bits, i->a) || register_bit(bits, i->b) || register_bit(bits, i->c);
}

#endif
