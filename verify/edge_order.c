/* See edge_order.h. */
#include "verify/edge_order.h"
#include <stdlib.h>

typedef struct edge_work {
    int index, part; /* 0: ordinary contents, 1: special ones, 2: runs once */
    double work;
} edge_work;

static int compare_work(const void *left, const void *right)
{
    const edge_work *a = left, *b = right;
    if (a->part != b->part)
        return a->part - b->part;
    if (a->work != b->work)
        return a->work < b->work ? -1 : 1;
    return a->index - b->index;
}

void edge_order(const opspec *spec, const assay_op_impl *impl, assay_dtype dtype, const opspec_edge *cases,
                int count, int order[])
{
    edge_work items[OPSPEC_MAX_EDGES];
    for (int i = 0; i < count; i++) {
        assay_problem problem;
        const int is_built =
            opspec_build_problem(spec, impl, dtype, NULL, &cases[i], &problem, NULL) == ASSAY_OK;
        items[i] = (edge_work){.index = i,
                               .part = cases[i].once ? 2 : cases[i].special[0] != '\0',
                               .work = is_built ? impl->flops(&problem) + impl->bytes(&problem) : 0};
    }
    qsort(items, (size_t)count, sizeof items[0], compare_work);
    for (int i = 0; i < count; i++)
        order[i] = items[i].index;
}
