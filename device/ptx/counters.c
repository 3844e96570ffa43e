/* Counters: instructions by class and source line, sectors of global requests, wavefronts of shared ones. */
#include "device/ptx/counters.h"
#include "device/ptx/opcodes.h"
#include <stdlib.h>
#include <string.h>

static const uint8_t classes[OP_COUNT] = {
#define O(id, class) [OP_##id] = CLASS_##class,
    PTX_OPCODES(O)
#undef O
#define ALU1(id, class, ...) [OP_##id] = CLASS_##class,
#define ALU2(id, class, ...) [OP_##id] = CLASS_##class,
#define ALU3(id, class, ...) [OP_##id] = CLASS_##class,
#include "device/ptx/alu.def"
#undef ALU1
#undef ALU2
#undef ALU3
};

line_counter *counters_new(const ptx_module *m)
{
    size_t n = 1;
    for (size_t k = 0; k < m->function_count; k++)
        n += m->functions[k]->count;
    return calloc(n, sizeof(line_counter));
}

static line_counter *counter_of(line_counter *counters, const ptx_function *f, const insn *i)
{
    return counters + f->counters_start + (size_t)(i - f->code);
}

void count_instruction(line_counter *counters, const ptx_function *f, const insn *i, uint32_t mask,
                       uint32_t active)
{
    line_counter *c = counter_of(counters, f, i);
    c->executed++;
    c->lanes += (uint32_t)__builtin_popcount(mask);
    c->divergent += i->op == OP_BRA && mask && mask != active;
}

/* 32-byte sectors that a request touches, and the least that could hold its bytes. */
void count_global(warp *w, const insn *i, uint32_t mask, const uint64_t *addresses, uint32_t bytes)
{
    uint64_t sectors[32 * 5];
    uint32_t n = 0, lanes = 0;
    for (uint32_t lane = 0; lane < 32; lane++) {
        if (!(mask >> lane & 1))
            continue;
        lanes++;
        for (uint64_t s = addresses[lane] / 32; s <= (addresses[lane] + bytes - 1) / 32; s++) {
            uint32_t k = n;
            while (k > 0 && sectors[k - 1] != s)
                k--;
            if (k == 0 && n < 160)
                sectors[n++] = s;
        }
    }
    line_counter *c = counter_of(w->gang->counters, w->fragments[w->current].function, i);
    c->requests++;
    c->sectors += n;
    c->ideal += ((uint64_t)lanes * bytes + 31) / 32;
    c->bytes += (uint64_t)lanes * bytes;
}

/* Wavefronts: the most different words of one of 32 banks; wide accesses go a half or a quarter of the warp at a time. */
void count_shared(warp *w, const insn *i, uint32_t mask, const uint64_t *addresses, uint32_t bytes)
{
    const uint32_t group = bytes <= 4 ? 32 : bytes == 8 ? 16 : 8, words_each = (bytes + 3) / 4;
    line_counter *c = counter_of(w->gang->counters, w->fragments[w->current].function, i);
    for (uint32_t first = 0; first < 32; first += group) {
        uint64_t words[64];
        uint8_t banks[32] = {0};
        uint32_t n = 0, most = 0;
        for (uint32_t lane = first; lane < first + group; lane++) {
            if (!(mask >> lane & 1))
                continue;
            for (uint32_t k = 0; k < words_each && n < 64; k++) {
                const uint64_t word = addresses[lane] / 4 + k;
                uint32_t j = 0;
                while (j < n && words[j] != word)
                    j++;
                if (j < n)
                    continue;
                words[n++] = word;
                const uint32_t used = ++banks[word % 32];
                most = used > most ? used : most;
            }
        }
        c->wavefronts += most;
        c->shared_ideal += n > 0;
    }
    c->shared_requests++;
}

void count_async(warp *w, const insn *i, uint64_t bytes)
{
    counter_of(w->gang->counters, w->fragments[w->current].function, i)->async += bytes;
}

static void add_class(ptx_line *to, const insn *i, uint64_t n)
{
    uint64_t *const counts[CLASS_COUNT] = {
        [CLASS_OTHER] = &to->other,           [CLASS_INTEGER] = &to->integer,
        [CLASS_FLOATING] = &to->floating,     [CLASS_SPECIAL] = &to->special,
        [CLASS_CONVERSION] = &to->conversion, [CLASS_CONTROL] = &to->control,
        [CLASS_MEMORY] = &to->memory,         [CLASS_TENSOR] = &to->tensor,
        [CLASS_BARRIER] = &to->barriers};
    *counts[classes[i->op]] += n;
}

static void add_counter(ptx_line *to, const insn *i, const line_counter *c)
{
    to->instructions += c->executed;
    to->lanes += c->lanes;
    add_class(to, i, c->executed);
    if (i->op == OP_BRA && i->guard != NO_OPERAND)
        to->branches += c->executed;
    to->divergent += c->divergent;
    if (i->op == OP_ATOM)
        to->atomics += c->executed;
    if (i->op == OP_MMA)
        to->tensor_flops +=
            c->executed * 2 * (i->target & 0xff) * (i->target >> 8 & 0xff) * (i->target >> 16);
    if (i->op == OP_WMMA_MMA)
        to->tensor_flops +=
            c->executed * 2 * (i->target & 0xff) * (i->target >> 8 & 0xff) * (i->target >> 16);
    if (i->op == OP_WGMMA) /* a quarter of the warpgroup's 64 rows */
        to->tensor_flops += c->executed * 2 * 16 * (i->target >> 8) * i->reconverge;
    to->global_requests += c->requests;
    to->global_sectors += c->sectors;
    to->global_ideal += c->ideal;
    to->global_bytes += c->bytes;
    to->shared_requests += c->shared_requests;
    to->shared_wavefronts += c->wavefronts;
    to->shared_ideal += c->shared_ideal;
    to->async_bytes += c->async + (i->op == OP_CP_ASYNC ? c->bytes : 0);
}

static int by_place(const void *a, const void *b)
{
    const ptx_line *x = a, *y = b;
    const int files = strcmp(x->file, y->file);
    return files ? files : (x->line > y->line) - (x->line < y->line);
}

/* As program_file(), with the folder: files of one name are files of their own. */
static const char *path_of(const ptx_function *f, const insn *i, uint32_t *line)
{
    const source_line *s = &f->lines[i - f->code];
    const char *name = program_file(f, i, line);
    return s->line && s->file < f->module->file_count && f->module->files[s->file] ? f->module->files[s->file]
                                                                                   : name;
}

bool counters_report(const ptx_module *m, line_counter *const *threads, uint32_t count, ptx_report *report)
{
    ptx_line *lines = NULL;
    size_t used = 0, capacity = 0;
    for (size_t k = 0; k < m->function_count; k++) {
        const ptx_function *f = m->functions[k];
        for (uint32_t n = 0; n < f->count; n++) {
            line_counter sum = {0};
            for (uint32_t t = 0; t < count; t++) {
                const uint64_t *from = (const uint64_t *)&threads[t][f->counters_start + n];
                for (size_t j = 0; j < sizeof sum / 8; j++)
                    ((uint64_t *)&sum)[j] += from[j];
            }
            if (!sum.executed || f->code[n].op == OP_JOIN)
                continue;
            uint32_t line;
            const char *file = path_of(f, &f->code[n], &line);
            size_t at = used;
            while (at > 0 && !(lines[at - 1].line == line && strcmp(lines[at - 1].file, file) == 0))
                at--;
            if (at == 0) {
                if (used == capacity) {
                    capacity = capacity * 2 + 64;
                    ptx_line *grown = realloc(lines, capacity * sizeof *lines);
                    if (!grown)
                        return free(lines), false;
                    lines = grown;
                }
                lines[used++] = (ptx_line){.file = file, .line = line};
                at = used;
            }
            add_counter(&lines[at - 1], &f->code[n], &sum);
            add_counter(&report->total, &f->code[n], &sum);
        }
    }
    if (used)
        qsort(lines, used, sizeof *lines, by_place);
    report->lines = lines;
    report->line_count = (uint32_t)used;
    return true;
}
