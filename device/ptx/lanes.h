/* What handlers of instructions are written with: lanes of registers, and names that differ by the processor they are compiled for. */
#ifndef ASSAY_DEVICE_PTX_LANES_H
#define ASSAY_DEVICE_PTX_LANES_H

#include "device/ptx/exec.h"
#include "device/ptx/half.h"
#include "device/ptx/opcodes.h"

/* Files of handlers are compiled more than once, each time with another PTX_ISA (baseline, v3), which becomes part of their names. */
#ifndef PTX_ISA
#define PTX_ISA baseline
#endif
#define EXEC_PASTE(name, isa)  name##_##isa
#define EXEC_EXPAND(name, isa) EXEC_PASTE(name, isa)
#define EXEC(name)             EXEC_EXPAND(name, PTX_ISA)

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;
typedef float f32;
typedef double f64;

#define LANES 32
/* The 32 lanes of an operand. */
#define REG(T, o) ((T *)__builtin_assume_aligned(w->base[(o)&1] + ((o) & ~1u), 64))
/* A predicate: a bit a lane. */
#define PRED(o)        (*(u32 *)(w->base[(o)&1] + ((o) & ~1u)))
#define LIST(k)        (w->lists[i->list + (u32)(k)])
#define ON(mask, lane) ((mask) >> (lane)&1)
#define EACH(lane)     for (int lane = 0; lane < LANES; lane++)
/* Before a loop over lanes whose arrays are the same or do not overlap. Clang has no such hint that it does not also warn about. */
#ifdef __clang__
#define LANES_APART
#else
#define LANES_APART _Pragma("GCC ivdep")
#endif
/* Lanes that are on, one after the other. */
#define EACH_ON(lane, mask) \
    for (u32 rest_ = (mask), lane; rest_ && ((lane = (u32)__builtin_ctz(rest_)), 1); rest_ &= rest_ - 1)

#define SET_PRED(o, mask, value) (PRED(o) = (PRED(o) & ~(mask)) | ((value) & (mask)))
#define FIRST(mask)              ((u32)__builtin_ctz(mask))

/* One handler file offers its handlers by this: the handler of an instruction, or NULL if the instruction is not the file's. */
#define PICKS(P) P(alu) P(select) P(convert) P(memory) P(atomic) P(warp) P(matrix) P(wgmma)
#define P(name)  insn_run EXEC(pick_##name)(insn * i);
PICKS(P)
#undef P

#endif
