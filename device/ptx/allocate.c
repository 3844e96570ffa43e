/* Places of registers in a warp's register file. A register is an array of 32 lanes; two share a place if they are never alive at the
 * same time (liveness over basic blocks, then a linear scan over intervals of code). Registers of different widths never share one:
 * lanes of a warp that parted may be at different instructions, and a place means the same bytes to all of them. */
#include "device/ptx/opcodes.h"
#include "device/ptx/program.h"
#include <stdlib.h>
#include <string.h>

enum { PLACE_BYTES = 64, CLASSES = 5 };

typedef struct allocation {
    ptx_function *f;
    const uint32_t *starts;
    uint32_t blocks, words;
    const uint32_t (*successors)[2];
    uint64_t *live_in, *used, *defined; /* bit sets of registers, one a block */
    uint32_t *first, *last;             /* the interval of each register */
    uint32_t *place;
} allocation;

static void touch(allocation *a, uint32_t r, uint32_t at)
{
    if (a->first[r] > at)
        a->first[r] = at;
    if (a->last[r] < at || a->last[r] == UINT32_MAX)
        a->last[r] = at;
}

static void use(allocation *a, uint32_t b, operand o, uint32_t at)
{
    if (o == NO_OPERAND || o & 1)
        return;
    const uint32_t r = o >> 1;
    const size_t word = (size_t)b * a->words + r / 64;
    if (!(a->defined[word] >> r % 64 & 1))
        a->used[word] |= 1ull << r % 64;
    touch(a, r, at);
}

static void define(allocation *a, uint32_t b, operand o, uint32_t at, bool guarded)
{
    if (o == NO_OPERAND || o & 1)
        return;
    if (guarded) /* lanes that are off keep what they had */
        use(a, b, o, at);
    else
        a->defined[(size_t)b * a->words + (o >> 1) / 64] |= 1ull << (o >> 1) % 64;
    touch(a, o >> 1, at);
}

static void visit(allocation *a, uint32_t b, uint32_t at)
{
    const insn *i = &a->f->code[at];
    const operand *list = a->f->lists + i->list;
    const operand uses[] = {i->guard, i->a, i->b, i->c};
    for (size_t k = 0; k < sizeof uses / sizeof *uses; k++)
        use(a, b, uses[k], at);
    for (uint32_t k = 0; k < i->uses; k++)
        use(a, b, list[i->defs + k], at);
    const bool guarded = i->guard != NO_OPERAND;
    define(a, b, i->d, at, guarded);
    define(a, b, i->d2, at, guarded);
    for (uint32_t k = 0; k < i->defs; k++)
        define(a, b, list[k], at, guarded);
}

static uint64_t live_out(const allocation *a, uint32_t b, uint32_t word)
{
    uint64_t out = 0;
    for (int k = 0; k < 2; k++)
        if (a->successors[b][k] < a->blocks)
            out |= a->live_in[(size_t)a->successors[b][k] * a->words + word];
    return out;
}

static void find_intervals(allocation *a)
{
    for (uint32_t b = 0; b < a->blocks; b++)
        for (uint32_t k = a->starts[b]; k < a->starts[b + 1]; k++)
            visit(a, b, k);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = a->blocks; b-- > 0;)
            for (uint32_t w = 0; w < a->words; w++) {
                const size_t at = (size_t)b * a->words + w;
                const uint64_t in = a->used[at] | (live_out(a, b, w) & ~a->defined[at]);
                changed |= in != a->live_in[at];
                a->live_in[at] = in;
            }
    }
    for (uint32_t b = 0; b < a->blocks; b++)
        for (uint32_t w = 0; w < a->words; w++) {
            for (uint64_t in = a->live_in[(size_t)b * a->words + w]; in; in &= in - 1)
                touch(a, w * 64 + (uint32_t)__builtin_ctzll(in), a->starts[b]);
            for (uint64_t out = live_out(a, b, w); out; out &= out - 1)
                touch(a, w * 64 + (uint32_t)__builtin_ctzll(out), a->starts[b + 1] - 1);
        }
}

static uint32_t class_of(uint32_t width)
{
    return width == 0 ? 0 : width <= 2 ? 1 : width == 4 ? 2 : width == 8 ? 3 : 4;
}

/* Returns the bytes of the register file, or 0 without memory. Counts the most 32-bit values alive at once. */
static uint32_t scan(allocation *a, uint32_t *most_alive)
{
    static const uint32_t places[CLASSES] = {1, 1, 2, 4, 8}, values[CLASSES] = {0, 1, 1, 2, 4};
    ptx_function *f = a->f;
    const uint32_t n = f->register_count;
    uint32_t *start_head = malloc((f->count + 1) * 4), *end_head = malloc((f->count + 1) * 4);
    uint32_t *start_next = malloc((n + 1) * 4), *end_next = malloc((n + 1) * 4), *idle[CLASSES],
             idle_count[CLASSES] = {0};
    memset(start_head, 0xff, (f->count + 1) * 4);
    memset(end_head, 0xff, (f->count + 1) * 4);
    for (uint32_t c = 0; c < CLASSES; c++)
        idle[c] = malloc((n + 1) * 4);
    for (uint32_t r = 0; r < n; r++) {
        a->place[r] = 0;
        if (a->first[r] == UINT32_MAX)
            continue;
        start_next[r] = start_head[a->first[r]];
        start_head[a->first[r]] = r;
        end_next[r] = end_head[a->last[r]];
        end_head[a->last[r]] = r;
    }
    uint32_t top = 0, alive = 0;
    for (uint32_t k = 0; k < f->count; k++) {
        for (uint32_t r = start_head[k]; r != UINT32_MAX; r = start_next[r]) {
            const uint32_t c = class_of(f->widths[r]);
            alive += values[c];
            if (idle_count[c]) {
                a->place[r] = idle[c][--idle_count[c]];
            } else {
                a->place[r] = top;
                top += places[c];
            }
        }
        *most_alive = alive > *most_alive ? alive : *most_alive;
        for (uint32_t r = end_head[k]; r != UINT32_MAX; r = end_next[r]) {
            const uint32_t c = class_of(f->widths[r]);
            alive -= values[c];
            idle[c][idle_count[c]++] = a->place[r];
        }
    }
    free(start_head);
    free(end_head);
    free(start_next);
    free(end_next);
    for (uint32_t c = 0; c < CLASSES; c++)
        free(idle[c]);
    return top * PLACE_BYTES;
}

/* Constants as arrays of lanes, like registers. */
static uint32_t *lay_out_constants(ptx_function *f)
{
    uint32_t *offsets = malloc((f->constant_count + 1) * sizeof *offsets), bytes = 0;
    for (uint32_t k = 0; k < f->constant_count; k++) {
        const uint32_t width = f->constant_widths[k];
        offsets[k] = bytes;
        bytes += width <= 2 ? 64 : width * 32;
    }
    f->constant_data = aligned_alloc(64, bytes + 64);
    for (uint32_t k = 0; k < f->constant_count; k++) {
        const uint32_t width = f->constant_widths[k] == 0  ? 4
                               : f->constant_widths[k] < 2 ? 2
                                                           : f->constant_widths[k];
        char *at = f->constant_data + offsets[k];
        for (uint32_t lane = 0; lane < (f->constant_widths[k] ? 32u : 1u); lane++)
            memcpy(at + lane * width, &f->constants[k], width > 8 ? 8 : width);
    }
    return offsets;
}

static void rewrite(const allocation *a, const uint32_t *constants, operand *o)
{
    if (*o != NO_OPERAND)
        *o = *o & 1 ? constants[*o >> 1] | 1 : a->f->frame_start + a->place[*o >> 1] * PLACE_BYTES;
}

static void rewrite_all(const allocation *a, const uint32_t *constants)
{
    ptx_function *f = a->f;
    for (uint32_t k = 0; k < f->count; k++) {
        insn *i = &f->code[k];
        operand *const fields[] = {&i->guard, &i->d, &i->d2, &i->a, &i->b, &i->c};
        for (size_t j = 0; j < sizeof fields / sizeof *fields; j++)
            rewrite(a, constants, fields[j]);
    }
    for (uint32_t k = 0; k < f->list_count; k++)
        rewrite(a, constants, &f->lists[k]);
    for (uint32_t k = 0; k < f->call_count; k++)
        rewrite(a, constants, &f->calls_made[k].pointer);
}

ptx_status allocate_registers(ptx_function *f, const uint32_t *starts, uint32_t blocks,
                              const uint32_t (*successors)[2], ptx_error *error)
{
    allocation a = {.f = f,
                    .starts = starts,
                    .blocks = blocks,
                    .words = (f->register_count + 63) / 64,
                    .successors = successors};
    const size_t set = (size_t)a.words * blocks * 8 + 8, n = (f->register_count + 1) * sizeof(uint32_t);
    a.live_in = calloc(1, set);
    a.used = calloc(1, set);
    a.defined = calloc(1, set);
    a.first = malloc(n);
    a.last = malloc(n);
    a.place = malloc(n);
    if (!a.live_in || !a.used || !a.defined || !a.first || !a.last || !a.place)
        return ptx_fail(error, PTX_NO_MEMORY, "function '%s': out of memory", f->info.name);
    memset(a.first, 0xff, n);
    memset(a.last, 0xff, n);
    find_intervals(&a);
    f->frame_start = f->is_kernel ? (f->calls ? f->module->frames : 0) : f->module->frames;
    uint32_t alive = 0;
    const uint32_t bytes = scan(&a, &alive);
    f->register_bytes = f->frame_start + bytes;
    if (!f->is_kernel)
        f->module->frames = f->register_bytes;
    f->info.registers = alive + 8 < 255 ? alive + 8 : 255;
    f->info.register_file_bytes = f->register_bytes;
    uint32_t *constants = lay_out_constants(f);
    rewrite_all(&a, constants);
    free(constants);
    free(a.live_in);
    free(a.used);
    free(a.defined);
    free(a.first);
    free(a.last);
    free(a.place);
    free(f->widths);
    free(f->constants);
    free(f->constant_widths);
    f->widths = NULL;
    f->constants = NULL;
    f->constant_widths = NULL;
    return PTX_OK;
}
