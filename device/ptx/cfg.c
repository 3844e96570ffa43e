/* Control flow: basic blocks, and where lanes that part at a branch meet again, which is the immediate post-dominator of its block
 * (K. Cooper, T. Harvey, K. Kennedy, "A Simple, Fast Dominance Algorithm", 2001, on the reversed graph). */
#include "device/ptx/opcodes.h"
#include "device/ptx/program.h"
#include <stdlib.h>
#include <string.h>

typedef struct graph {
    ptx_function *f;
    uint32_t blocks;
    uint32_t *starts;          /* of each block, and the end */
    uint32_t *block_of;        /* of each instruction */
    uint32_t (*successors)[2]; /* UINT32_MAX: none; `blocks`: the exit */
    uint32_t *post_dominator;
} graph;

static bool ends_block(const insn *i)
{
    return i->op == OP_BRA || i->op == OP_EXIT || i->op == OP_RET || i->op == OP_TRAP;
}

static void find_blocks(graph *g)
{
    ptx_function *f = g->f;
    uint8_t *leads = calloc(f->count + 1, 1);
    leads[0] = 1;
    for (uint32_t k = 0; k < f->count; k++) {
        if (f->code[k].op == OP_BRA)
            leads[f->code[k].target] = 1;
        if (ends_block(&f->code[k]))
            leads[k + 1] = 1;
    }
    g->starts = malloc((f->count + 2) * sizeof *g->starts);
    g->block_of = malloc((f->count + 1) * sizeof *g->block_of);
    for (uint32_t k = 0; k < f->count; k++) {
        if (leads[k])
            g->starts[g->blocks++] = k;
        g->block_of[k] = g->blocks - 1;
    }
    g->starts[g->blocks] = f->count;
    free(leads);
}

static void find_successors(graph *g)
{
    g->successors = malloc(g->blocks * sizeof *g->successors);
    for (uint32_t b = 0; b < g->blocks; b++) {
        const insn *last = &g->f->code[g->starts[b + 1] - 1];
        uint32_t *to = g->successors[b];
        const uint32_t next = b + 1; /* the exit behind the last block */
        to[0] = next;
        to[1] = UINT32_MAX;
        if (last->op == OP_BRA) {
            to[0] = g->block_of[last->target];
            to[1] = last->guard == NO_OPERAND ? UINT32_MAX : next;
        } else if (ends_block(last)) {
            to[0] = g->blocks;
            to[1] = last->guard == NO_OPERAND ? UINT32_MAX : next;
        }
    }
}

/* Post-order of the reversed graph from the exit: `order` of the blocks, `number` of each. */
static uint32_t reversed_order(const graph *g, uint32_t *order, uint32_t *number)
{
    const uint32_t n = g->blocks + 1;
    uint32_t *head = malloc(n * sizeof *head), *next = malloc(2 * n * sizeof *next),
             *from = malloc(2 * n * sizeof *from);
    uint32_t *stack = malloc(n * sizeof *stack), *edge = malloc(n * sizeof *edge);
    uint8_t *seen = calloc(n, 1);
    uint32_t edges = 0, depth = 0, count = 0;
    memset(head, 0xff, n * sizeof *head);
    for (uint32_t b = 0; b < g->blocks; b++)
        for (int k = 0; k < 2; k++)
            if (g->successors[b][k] != UINT32_MAX) {
                from[edges] = b;
                next[edges] = head[g->successors[b][k]];
                head[g->successors[b][k]] = edges++;
            }
    stack[depth] = g->blocks;
    edge[depth++] = head[g->blocks];
    seen[g->blocks] = 1;
    while (depth) {
        const uint32_t e = edge[depth - 1];
        if (e == UINT32_MAX) {
            number[stack[depth - 1]] = count;
            order[count++] = stack[--depth];
            continue;
        }
        edge[depth - 1] = next[e];
        if (seen[from[e]])
            continue;
        seen[from[e]] = 1;
        stack[depth] = from[e];
        edge[depth++] = head[from[e]];
    }
    free(head);
    free(next);
    free(from);
    free(stack);
    free(edge);
    free(seen);
    return count;
}

static void find_post_dominators(graph *g)
{
    const uint32_t n = g->blocks + 1;
    uint32_t *order = malloc(n * sizeof *order), *number = calloc(n, sizeof *number);
    uint32_t *is = g->post_dominator = malloc(n * sizeof *is);
    const uint32_t count = reversed_order(g, order, number);
    memset(is, 0xff, n * sizeof *is);
    is[g->blocks] = g->blocks;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = count - 1; k-- > 0;) {
            const uint32_t b = order[k];
            uint32_t found = UINT32_MAX;
            for (int j = 0; j < 2; j++) {
                const uint32_t s = g->successors[b][j];
                if (s == UINT32_MAX || is[s] == UINT32_MAX)
                    continue;
                uint32_t x = s, y = found;
                if (found != UINT32_MAX)
                    while (x != y) {
                        while (number[x] < number[y])
                            x = is[x];
                        while (number[y] < number[x])
                            y = is[y];
                    }
                found = x;
            }
            if (found != is[b]) {
                is[b] = found;
                changed = true;
            }
        }
    }
    free(order);
    free(number);
}

/* Put a JOIN in front of every block where lanes meet, and renumber. */
static bool place_joins(graph *g)
{
    ptx_function *f = g->f;
    uint8_t *joins = calloc(g->blocks + 1, 1);
    uint32_t extra = 0;
    for (uint32_t b = 0; b < g->blocks; b++) {
        const insn *last = &f->code[g->starts[b + 1] - 1];
        const uint32_t meet = g->post_dominator[b];
        if (last->op == OP_BRA && last->guard != NO_OPERAND && meet < g->blocks && !joins[meet]) {
            joins[meet] = 1;
            extra++;
        }
    }
    insn *code = malloc((f->count + extra) * sizeof *code);
    source_line *lines = malloc((f->count + extra) * sizeof *lines);
    uint32_t *starts = malloc((g->blocks + 1) * sizeof *starts), at = 0;
    if (!code || !lines || !starts)
        return false;
    for (uint32_t b = 0; b < g->blocks; b++) {
        starts[b] = at;
        if (joins[b]) {
            memset(&code[at], 0, sizeof code[at]);
            code[at].op = OP_JOIN;
            code[at].guard = code[at].d = code[at].d2 = code[at].a = code[at].b = code[at].c = NO_OPERAND;
            lines[at++] = f->lines[g->starts[b]];
        }
        for (uint32_t k = g->starts[b]; k < g->starts[b + 1]; k++) {
            code[at] = f->code[k];
            if (code[at].op == OP_BRA) {
                code[at].target = g->block_of[code[at].target];
                const uint32_t meet = g->post_dominator[b];
                code[at].reconverge = code[at].guard != NO_OPERAND && meet < g->blocks ? meet : UINT32_MAX;
            }
            lines[at++] = f->lines[k];
        }
    }
    starts[g->blocks] = at;
    for (uint32_t k = 0; k < at; k++)
        if (code[k].op == OP_BRA) {
            code[k].target = starts[code[k].target];
            if (code[k].reconverge != UINT32_MAX)
                code[k].reconverge = starts[code[k].reconverge];
        }
    free(f->code);
    free(f->lines);
    free(joins);
    f->code = code;
    f->lines = lines;
    f->count = f->capacity = at;
    memcpy(g->starts, starts, (g->blocks + 1) * sizeof *starts);
    free(starts);
    return true;
}

ptx_status cfg_build(ptx_function *f, ptx_error *error)
{
    graph g = {.f = f};
    find_blocks(&g);
    find_successors(&g);
    find_post_dominators(&g);
    ptx_status status = PTX_OK;
    if (!place_joins(&g))
        status = ptx_fail(error, PTX_NO_MEMORY, "function '%s': out of memory", f->info.name);
    else
        status = allocate_registers(f, g.starts, g.blocks, (const uint32_t(*)[2])g.successors, error);
    free(g.starts);
    free(g.block_of);
    free(g.successors);
    free(g.post_dominator);
    return status;
}
