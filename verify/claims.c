/* See claims.h. */
#include "verify/claims.h"
#include "build_module/module_text.h"
#include "core/json_file.h"
#include <stdlib.h>
#include <string.h>

static int is_read(const char *mask, const char *name)
{
    for (size_t at = text_find_word(mask, 0, name); at != (size_t)-1;
         at = text_find_word(mask, at + 1, name)) {
        const size_t end = text_skip_space_back(mask, at);
        if (end > 0 && (mask[end - 1] == '.' || (end > 1 && mask[end - 1] == '>' && mask[end - 2] == '-')))
            return 1;
    }
    return 0;
}

uint64_t claims_read(const opspec *spec, const char *source)
{
    uint64_t read = 0;
    char *text = NULL;
    if (text_file_read(source, &text, NULL, NULL) != ASSAY_OK)
        return 0;
    char *mask = text_mask(text);
    for (int i = 0; mask && i < spec->param_count && i < 64; i++)
        if (is_read(mask, spec->params[i].value.name))
            read |= UINT64_C(1) << i;
    free(mask);
    free(text);
    return read;
}

static uint64_t set_by(const opspec *spec, const opspec_edge *edge)
{
    uint64_t set = 0;
    for (int p = 0; p < edge->param_count; p++)
        for (int i = 0; i < spec->param_count && i < 64; i++)
            if (strcmp(spec->params[i].value.name, edge->params[p].name) == 0)
                set |= UINT64_C(1) << i;
    return set;
}

int claims_edge(const opspec *spec, const opspec_edge *edge, uint64_t read)
{
    uint64_t own = set_by(spec, edge);
    for (int i = 0; i < spec->edge_count; i++)
        if (spec->edges[i].extra == 0)
            own &= ~set_by(spec, &spec->edges[i]);
    return edge->extra > 0 && edge->variants[0] == '\0' && own != 0 && (own & ~read) == 0;
}
