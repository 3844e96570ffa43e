/* Names of ops: see op_names.h. */
#include "optimize/op_names.h"
#include "core/list.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* What some call an op that neither its own nor its torch name gives away. */
static const struct {
    const char *name, *op;
} aliases[] = {{"mm", "matmul"},
               {"gemm", "matmul"},
               {"bmm", "matmul"},
               {"attention", "mha"},
               {"sdpa", "mha"},
               {"multiheadattention", "mha"},
               {"scaleddotproductattention", "mha"},
               {"reducesum", "reduce_sum"},
               {"permute", "transpose"},
               {"conv", "conv2d"}};

/* Without the modules before it, in lower case, letters and digits only. */
static void simplify(const char *name, char *out, size_t bytes)
{
    const char *dot = strrchr(name, '.'), *colons = strrchr(name, ':');
    const char *from = colons && (!dot || colons > dot) ? colons : dot;
    size_t used = 0;
    for (from = from ? from + 1 : name; *from && *from != '(' && used + 1 < bytes; from++)
        if (isalnum((unsigned char)*from))
            out[used++] = (char)tolower((unsigned char)*from);
    out[used] = '\0';
}

/* The op of one name: an op's own, its torch name with or without the modules before it, the name of torch's class or another usual one
 * (mm, sdpa), in any case and with or without "_". NULL: none. */
static const workspace_op *op_names_find(const workspace *ws, const char *name)
{
    char wanted[128], there[128];
    const workspace_op *exact = workspace_find_op(ws, name);
    if (exact)
        return exact;
    simplify(name, wanted, sizeof wanted);
    for (int i = 0; i < ws->op_count && wanted[0]; i++) {
        simplify(ws->ops[i].spec->name, there, sizeof there);
        if (strcmp(there, wanted) == 0)
            return &ws->ops[i];
        simplify(ws->ops[i].spec->torch, there, sizeof there);
        if (strcmp(there, wanted) == 0)
            return &ws->ops[i];
    }
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (strcmp(aliases[i].name, wanted) == 0)
            return workspace_find_op(ws, aliases[i].op);
    return NULL;
}

assay_status op_names_resolve(const workspace *ws, const char *list, const workspace_op *ops[OP_NAMES_MOST],
                              int *count, assay_error *error)
{
    char name[160], there[600] = "";
    *count = 0;
    for (int i = 0; i < ws->op_count; i++)
        snprintf(there + strlen(there), sizeof there - strlen(there), "%s%s", i ? ", " : "",
                 ws->ops[i].spec->name);
    for (list_item item = {0}; list_next(list, &item);) {
        int known = 0;
        if (item.length == 0)
            continue;
        snprintf(name, sizeof name, "%.*s", item.length, item.text);
        const workspace_op *op = op_names_find(ws, name);
        if (!op)
            return assay_error_set(error, ASSAY_ERR_INVALID, "no op is called \"%s\"; there are: %s", name,
                                   there);
        for (int i = 0; i < *count; i++)
            known |= ops[i] == op;
        if (!known && *count < OP_NAMES_MOST)
            ops[(*count)++] = op;
    }
    return *count > 0 ? ASSAY_OK
                      : assay_error_set(error, ASSAY_ERR_INVALID, "no op is named; there are: %s", there);
}
