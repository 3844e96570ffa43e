/* What users ask of modules and functions. */
#include "device/ptx/program.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void function_free(ptx_function *f)
{
    free((char *)f->info.name);
    free(f->code);
    free(f->lines);
    free(f->lists);
    free(f->widths);
    free(f->constants);
    free(f->constant_widths);
    free(f->constant_data);
    free(f->calls_made);
    free(f->params);
    free(f);
}

void ptx_module_free(ptx_module *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->function_count; i++)
        function_free(m->functions[i]);
    for (size_t i = 0; i < m->global_count; i++)
        ptx_free(m->device, m->globals[i]->address, NULL);
    for (size_t h = 0; h < sizeof m->variables / sizeof *m->variables; h++)
        for (variable *v = m->variables[h], *next; v; v = next) {
            next = v->next;
            free(v->name);
            free(v);
        }
    for (size_t i = 0; i < m->file_count; i++)
        free(m->files[i]);
    free(m->files);
    free(m->functions);
    free(m->globals);
    free(m->name);
    free(m);
}

ptx_function *ptx_module_function(ptx_module *m, const char *name)
{
    for (size_t i = 0; i < m->function_count; i++)
        if (m->functions[i]->is_kernel && m->functions[i]->defined &&
            strcmp(m->functions[i]->info.name, name) == 0)
            return m->functions[i];
    return NULL;
}

ptx_function *ptx_module_function_at(ptx_module *m, size_t number)
{
    for (size_t i = 0; i < m->function_count; i++)
        if (m->functions[i]->is_kernel && m->functions[i]->defined && number-- == 0)
            return m->functions[i];
    return NULL;
}

int ptx_module_global_at(ptx_module *m, size_t number, const char **name, ptx_address *address,
                         uint64_t *bytes)
{
    if (number >= m->global_count)
        return 0;
    *name = m->globals[number]->name;
    *address = m->globals[number]->address;
    *bytes = m->globals[number]->bytes;
    return 1;
}

int ptx_module_global(ptx_module *m, const char *name, ptx_address *address, uint64_t *bytes)
{
    const char *found;
    for (size_t i = 0; ptx_module_global_at(m, i, &found, address, bytes); i++)
        if (strcmp(found, name) == 0)
            return 1;
    return 0;
}

const ptx_function_info *ptx_function_describe(const ptx_function *f)
{
    return &f->info;
}

ptx_module *ptx_function_module(const ptx_function *f)
{
    return f->module;
}

uint32_t ptx_function_blocks_per_sm(const ptx_function *f, uint32_t threads, uint32_t dynamic_shared)
{
    const ptx_limits *l = ptx_device_limits(f->module->device);
    const uint32_t shared = f->info.static_shared + dynamic_shared;
    if (threads == 0 || threads > l->threads_per_block || threads > f->info.max_threads ||
        shared > l->shared_per_block_optin)
        return 0;
    const uint32_t warps = (threads + 31) / 32;
    uint32_t blocks = l->threads_per_sm / 32 / warps;
    const uint32_t by_shared = l->shared_per_sm / (shared + l->shared_reserved);
    const uint32_t registers = (f->info.registers + 7) / 8 * 8;
    const uint32_t by_registers = registers ? l->registers_per_sm / (registers * 32 * warps) : blocks;
    if (by_shared < blocks)
        blocks = by_shared;
    if (by_registers < blocks)
        blocks = by_registers ? by_registers : 1; /* the estimate may be too high; ptxas would spill */
    return blocks < l->blocks_per_sm ? blocks : l->blocks_per_sm;
}

const char *program_file(const ptx_function *f, const insn *at, uint32_t *line)
{
    const size_t n = (size_t)(at - f->code);
    const source_line *s = n < f->count ? &f->lines[n] : NULL;
    if (s && s->line && s->file < f->module->file_count && f->module->files[s->file]) {
        *line = s->line;
        const char *path = f->module->files[s->file], *slash = strrchr(path, '/');
        return slash ? slash + 1 : path;
    }
    *line = s ? s->ptx_line : 0;
    return f->module->name;
}

void program_place(const ptx_function *f, const insn *at, char *out, size_t bytes)
{
    uint32_t line;
    const char *file = program_file(f, at, &line);
    snprintf(out, bytes, "%s:%u", file, line);
}
