/* Which cases a correctness run judges, and which of them one worker may judge together. */
#ifndef ASSAY_VERIFY_PLAN_H
#define ASSAY_VERIFY_PLAN_H

#include "verify/options.h"

/* A case and, for a kernel from outside the tree, its module's record. */
typedef struct planned_case {
    assay_case c;
    const char *module;
} planned_case;

/* The cases that filter and options ask for, in workspace_list_cases' order; module after module for those of options->modules. None is
 * an error, unless only unjudged ones are wanted. *plan is malloc'ed, also on failure. */
assay_status verify_plan_make(const workspace *ws, const case_filter *filter, const verify_options *options,
                              planned_case **plan, int *count, assay_error *error);

/* How many cases from number `first` on are of one op, dtype and size; at least 1, at most `most`. */
int verify_plan_group(const planned_case *plan, int count, int first, int most);

#endif
