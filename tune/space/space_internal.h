/* Inside space_*.c and configuration.c only. */
#ifndef ASSAY_TUNE_SPACE_INTERNAL_H
#define ASSAY_TUNE_SPACE_INTERNAL_H

#include "tune/space/space.h"

enum { SPACE_MAX_STEPS = 1 << 21 }; /* of the enumeration of one group: half a second */

typedef struct constraint {
    char *text;
    expression *parsed;
    uint64_t uses; /* bit i: parameter i */
} constraint;

/* Parameters that constraints link, with their valid tuples in lexicographic order. */
typedef struct space_group {
    int count;
    int parameters[SPACE_MAX_PARAMETERS];
    int constraint_count;
    int constraints[SPACE_MAX_CONSTRAINTS];
    int levels
        [SPACE_MAX_CONSTRAINTS]; /* the place in `parameters` after which a constraint can be evaluated */
    int is_open;
    uint16_t *tuples; /* tuple_count times `count` indices; NULL if open */
    size_t tuple_count;
} space_group;

struct space {
    int parameter_count, constant_count, constraint_count, group_count, is_impossible;
    space_parameter parameters[SPACE_MAX_PARAMETERS];
    char constant_names[SPACE_MAX_CONSTANTS][ASSAY_NAME_MAX];
    double constants[SPACE_MAX_CONSTANTS];
    constraint constraints[SPACE_MAX_CONSTRAINTS];
    space_group groups[SPACE_MAX_PARAMETERS];
    expression_value *slots; /* of names: parameters, then constants; what expressions are evaluated over */
};

/* Group the parameters by constraints and enumerate each group. */
assay_status space_make_groups(space *s, assay_error *error);

/* One group of all parameters with these tuples. */
assay_status space_make_listed_group(space *s, const configuration *valid, size_t count, assay_error *error);

/* Put the value of a parameter where expressions find it. */
void space_set_slot(const space *s, int parameter, int index);
/* 1 if constraint number `i` holds over the slots. */
int space_holds(const space *s, int i);

/* The number of c's tuple in a group that is not open; -1 if it is not valid. */
long space_group_find(const space_group *g, const configuration *c);
void space_group_put(const space_group *g, size_t tuple, configuration *c);
/* Next tuple after c's in an open group, or the first; 0 past the end. */
int space_group_walk(const space *s, const space_group *g, int started, configuration *c);
/* Random descent in an open group: values near *wanted first (NULL: any). 0 if the budget of steps did not find one. */
int space_group_descend(const space *s, const space_group *g, uint64_t seed, const configuration *wanted,
                        configuration *c);

#endif
