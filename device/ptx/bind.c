/* Which handler executes an instruction on this processor. */
#include "device/ptx/exec.h"
#include "device/ptx/opcodes.h"
#include "device/ptx/texture.h"
#include <stdio.h>

#define FILES(P) P(alu) P(select) P(convert) P(memory) P(atomic) P(warp) P(matrix) P(wgmma)
#define P(name)  insn_run pick_##name##_baseline(insn *i);
FILES(P)
#undef P
#ifdef PTX_HAVE_V3
#define P(name) insn_run pick_##name##_v3(insn *i);
FILES(P)
#undef P
#endif

typedef insn_run (*picker)(insn *);

static const picker shared_pickers[] = {pick_control, pick_special, pick_barrier,      pick_mbarrier,
                                        pick_async,   pick_bulk,    pick_wgmma_groups, pick_texture};
static const picker baseline[] = {
#define P(name) pick_##name##_baseline,
    FILES(P)
#undef P
};
#ifdef PTX_HAVE_V3
static const picker v3[] = {
#define P(name) pick_##name##_v3,
    FILES(P)
#undef P
};
#endif

static insn_run pick(const picker *list, size_t n, insn *i)
{
    for (size_t k = 0; k < n; k++) {
        const insn_run run = list[k](i);
        if (run)
            return run;
    }
    return NULL;
}

static const picker *lane_pickers(void)
{
#ifdef PTX_HAVE_V3
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
        return v3;
#endif
    return baseline;
}

void exec_bind(ptx_function *f)
{
    const picker *lanes = lane_pickers();
    for (uint32_t k = 0; k < f->count; k++) {
        insn *i = &f->code[k];
        if (i->op == OP_BRA) { /* displacements */
            i->imm = (int64_t)i->target - k;
            if (i->reconverge != UINT32_MAX)
                i->reconverge -= k;
        }
        i->run = pick(shared_pickers, sizeof shared_pickers / sizeof *shared_pickers, i);
        if (!i->run)
            i->run = pick(lanes, sizeof baseline / sizeof *baseline, i);
        if (!i->run) { /* decoded, but no handler takes this form */
            char place[300];
            program_place(f, i, place, sizeof place);
            if (!f->unsupported[0])
                snprintf(f->unsupported, sizeof f->unsupported,
                         "an instruction without a handler (operation %u) at %s, PTX line %u", i->op, place,
                         f->lines[k].ptx_line);
            f->info.unsupported = f->unsupported;
            i->op = OP_UNSUPPORTED;
            i->run = pick_control(i);
        }
    }
}
