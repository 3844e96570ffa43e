/* See kernel_table.h. */
#include "device/ptx/runtime/kernel_table.h"
#include <stdint.h>
#include <stdlib.h>

typedef struct table_entry {
    const void *handle;
    rt_kernel *kernel;
} table_entry;
static table_entry *table;
static size_t table_size, table_used;

static size_t slot_of(const void *handle)
{
    size_t slot = ((uintptr_t)handle >> 3) * 0x9e3779b97f4a7c15u % table_size;
    while (table[slot].handle && table[slot].handle != handle)
        slot = (slot + 1) % table_size;
    return slot;
}

static bool grow_table(void)
{
    const size_t size = table_size ? table_size * 2 : 1024, before = table_size;
    table_entry *old = table, *bigger = calloc(size, sizeof *bigger);
    if (!bigger)
        return false;
    table = bigger;
    table_size = size;
    for (size_t i = 0; i < before; i++)
        if (old[i].handle)
            table[slot_of(old[i].handle)] = old[i];
    free(old);
    return true;
}

void kernel_table_enter(const void *handle, rt_kernel *kernel)
{
    if (2 * (table_used + 1) > table_size && !grow_table())
        return;
    const size_t slot = slot_of(handle);
    table_used += table[slot].handle == NULL;
    table[slot].handle = handle;
    table[slot].kernel = kernel;
}

rt_kernel *kernel_table_find(const void *handle)
{
    const size_t slot = table_size && handle ? slot_of(handle) : 0;
    return table_size && handle && table[slot].handle ? table[slot].kernel : NULL;
}

void kernel_table_forget(const void *handle, const rt_kernel *kernel)
{
    if (kernel_table_find(handle) == kernel)
        table[slot_of(handle)].kernel = NULL;
}
