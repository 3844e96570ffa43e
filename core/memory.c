/* See memory.h. */
#include "core/memory.h"
#include <assay/status.h>
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void memory_exhausted(void)
{
    static const char text[] = ": not enough memory\n";
    const char *name = program_invocation_short_name;
    (void)!write(STDERR_FILENO, name, strlen(name));
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    _exit(ASSAY_EXIT_ENVIRONMENT);
}

void *memory_need(size_t bytes)
{
    void *memory = malloc(bytes > 0 ? bytes : 1);
    if (memory == NULL)
        memory_exhausted();
    return memory;
}

void memory_require_for_json(void)
{
    json_set_alloc_funcs(memory_need, free);
}
