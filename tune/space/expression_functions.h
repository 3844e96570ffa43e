/* Inside expression_*.c only: what evaluation and the functions share. */
#ifndef ASSAY_TUNE_EXPRESSION_FUNCTIONS_H
#define ASSAY_TUNE_EXPRESSION_FUNCTIONS_H

#include "tune/space/expression_internal.h"

enum { FUNCTION_MAX_ARGUMENTS = 32 };

typedef struct evaluator {
    expression *e;
    const expression_value *values;
    expression_value locals[EXPRESSION_MAX_LOCALS];
    long steps;
    size_t items; /* of all lists made */
    int failed;
    assay_error *error;
} evaluator;

/* Note the first failure; returns a value that no one reads. */
expression_value evaluation_fail(evaluator *v, const node *at, const char *what);
/* Memory for a list, the expression's until its next evaluation; NULL after a failure. */
expression_value *evaluation_list(evaluator *v, const node *at, size_t count);
int value_is_number(const expression_value *v);
/* Call function number at->op. */
expression_value evaluation_call(evaluator *v, const node *at, const expression_value *arguments, int count);

#endif
