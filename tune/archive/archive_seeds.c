/* Where earlier runs say to begin: see archive_seeds.h. */
#include "tune/archive/archive_seeds.h"
#include <stdlib.h>
#include <string.h>

enum { OF_EACH_PROBLEM = 2 };

typedef struct found_seed {
    configuration configuration;
    int likeness, order;
} found_seed;

typedef struct seed_search {
    const archive_problem *problem;
    const space *space;
    found_seed *found;
    int count;
} seed_search;

static int likeness_of(const archive_problem *a, const archive_problem *b)
{
    return 4 * (strcmp(a->device, b->device) == 0) + 2 * (strcmp(a->dtype, b->dtype) == 0) +
           (strcmp(a->size, b->size) == 0);
}

static assay_status take(void *context, const archive_run *run, const archive_candidate *c,
                         assay_error *error)
{
    seed_search *x = context;
    configuration own;
    if (configuration_parse(x->space, c->values, &own, NULL) != ASSAY_OK ||
        !space_is_valid(x->space, &own, NULL))
        return ASSAY_OK; /* of a space with other values */
    found_seed *grown = realloc(x->found, (size_t)(x->count + 1) * sizeof *grown);
    if (grown == NULL)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for seeds");
    x->found = grown;
    grown[x->count] = (found_seed){own, likeness_of(&run->problem, x->problem), x->count};
    x->count++;
    return ASSAY_OK;
}

static int by_likeness(const void *a, const void *b)
{
    const found_seed *x = a, *y = b;
    return x->likeness != y->likeness ? y->likeness - x->likeness : x->order - y->order;
}

int archive_seeds(archive *a, const archive_problem *problem, const space *s, configuration *out, int most)
{
    seed_search x = {.problem = problem, .space = s};
    int count = 0;
    (void)archive_best(a, &(archive_filter){.op = problem->op, .variant = problem->variant}, OF_EACH_PROBLEM,
                       take, &x, NULL);
    if (x.count > 0) /* else there is no array */
        qsort(x.found, (size_t)x.count, sizeof *x.found, by_likeness);
    for (int i = 0; i < x.count && count < most; i++) {
        int is_known = 0;
        for (int k = 0; k < count; k++)
            is_known |= configuration_equals(&out[k], &x.found[i].configuration);
        if (!is_known)
            out[count++] = x.found[i].configuration;
    }
    free(x.found);
    return count;
}
