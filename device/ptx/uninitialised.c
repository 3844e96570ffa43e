/* Reads of shared memory that nobody wrote. A read alone is no fault: loops that read one step ahead read what they never use. So it marks
 * the registers that it fills; moves pass the mark on, and who uses such a register otherwise is reported. Other instructions than loads
 * use what they read at once. */
#include "device/ptx/opcodes.h"
#include "device/ptx/register_bits.h"
#include <stdio.h>
#include <string.h>

static void report(warp *w, const insn *i, uint32_t lane, uint64_t offset, const char *how)
{
    found(w, i, 1u << lane, PTX_FOUND_UNINITIALISED, offset,
          "byte %lld of shared memory, which no thread of the block has written%s",
          (long long)offset - SHARED_START, how);
}

static inline bool all_written(const uint8_t *written, uint32_t bytes)
{
    uint32_t word, all = 0x01010101;
    if (bytes % sizeof word != 0)
        return memchr(written, 0, bytes) == NULL;
    for (uint32_t k = 0; k < bytes; k += sizeof word) {
        memcpy(&word, written + k, sizeof word);
        all &= word;
    }
    return all == 0x01010101;
}

void check_written(warp *w, const insn *i, uint32_t lane, uint64_t address, uint32_t bytes, bool write)
{
    block *b = shared_block(w, address);
    const uint64_t offset = address & ((1u << SHARED_RANK_SHIFT) - 1);
    if (write) {
        memset(b->written + offset, 1, bytes);
        return;
    }
    if (all_written(b->written + offset, bytes))
        return;
    const uint8_t *none = memchr(b->written + offset, 0, bytes);
    if (i->op != OP_LD) {
        report(w, i, lane, (uint64_t)(none - b->written), "");
        return;
    }
    for (uint32_t k = 0; k < i->defs; k++)
        register_bit_set(w->undefined, w->lists[i->list + k] / PLACE_BYTES, true);
    w->undefined_at = i;
    w->undefined_lane = lane;
    w->undefined_offset = (uint64_t)(none - b->written);
}

static bool is_move(const insn *i)
{
    return i->op == OP_MOV_16 || i->op == OP_MOV_32 || i->op == OP_MOV_64;
}

void check_undefined(warp *w, const insn *i)
{
    const bool reads = registers_touched(w, w->undefined, i, false);
    if (reads && !is_move(i)) {
        char place[300];
        const ptx_function *f = w->fragments[w->current].function;
        snprintf(place, sizeof place, ", is used");
        if (i >= f->code && i < f->code + f->count) {
            const int n = snprintf(place, sizeof place, ", is used at ");
            program_place(f, i, place + n, sizeof place - (size_t)n);
        }
        report(w, w->undefined_at, w->undefined_lane, w->undefined_offset, place);
        memset(w->undefined, 0, register_bit_words(w->launch->register_bytes) * sizeof *w->undefined);
        w->undefined_at = NULL;
        return;
    }
    if (!reads && !registers_touched(w, w->undefined, i, true))
        return;
    for (uint32_t k = 0; k < i->defs; k++)
        register_bit_set(w->undefined, w->lists[i->list + k] / PLACE_BYTES, reads);
    if (i->d != NO_OPERAND)
        register_bit_set(w->undefined, i->d / PLACE_BYTES, reads);
    if (i->d2 != NO_OPERAND)
        register_bit_set(w->undefined, i->d2 / PLACE_BYTES, reads);
}
