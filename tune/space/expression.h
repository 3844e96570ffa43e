/* Expressions over named values: constraints of a search space, and value lists.
 *
 * The language is a subset of Python's, because public spaces (T1 files) are written in it; nothing is ever run.
 *   literals    12  0x10  1.5e3  "text"  'text'  True  False  true  false  [1, 2, 4]  (1, 2)
 *   arithmetic  + - * / // % **         / gives a real; // and % round towards minus infinity, as in Python
 *   comparison  == != < <= > >=  in  not in          a chain "32 <= x <= 1024" means both
 *   logic       and or not  && || !   "a if c else b"     the right side is not evaluated where the left decides
 *   calls       min max abs ceil_div int float round_up len sum range list is_power_of_two log2
 *   lists       [16 * i for i in range(1, 5) if i != 3]; x[0]
 * Integers have 64 bits and never wrap: an overflow, a division by zero and a wrong type are errors with the
 * column. Depth (64) and length (EXPRESSION_MAX_TEXT) are bounded, and so is the work of one evaluation. */
#ifndef ASSAY_TUNE_EXPRESSION_H
#define ASSAY_TUNE_EXPRESSION_H

#include <assay/status.h>
#include <stddef.h>
#include <stdint.h>

enum { EXPRESSION_MAX_TEXT = 8192, EXPRESSION_MAX_LIST = 65536 };

typedef enum value_kind { VALUE_INTEGER, VALUE_REAL, VALUE_BOOLEAN, VALUE_TEXT, VALUE_LIST } value_kind;

/* A value. Text and list are borrowed from the expression or from the caller's values, and valid as long as
 * both are and the next evaluation of that expression has not begun. */
typedef struct expression_value {
    value_kind kind;
    int64_t integer; /* also a boolean's 0 or 1 */
    double real;
    const char *text;
    const struct expression_value *items; /* of a list */
    size_t count;
} expression_value;

static inline expression_value value_integer(int64_t integer)
{
    return (expression_value){.kind = VALUE_INTEGER, .integer = integer};
}
static inline expression_value value_real(double real)
{
    return (expression_value){.kind = VALUE_REAL, .real = real};
}
static inline expression_value value_boolean(int is_true)
{
    return (expression_value){.kind = VALUE_BOOLEAN, .integer = is_true != 0};
}
static inline expression_value value_text(const char *text)
{
    return (expression_value){.kind = VALUE_TEXT, .text = text};
}

/* The value as a number (booleans are 0 and 1); 0 for texts and lists, which are none. */
double value_number(const expression_value *v);
/* 1 if equal by the language's ==: 1 == 1.0 and True == 1, a text equals a text only. */
int value_equals(const expression_value *a, const expression_value *b);
/* Shortest text that reads back as the same value: 128, 0.5, True, relu. Returns the length as snprintf. */
int value_format(const expression_value *v, char *out, size_t out_bytes);
/* Python's idea of truth: not 0, not "", not []. */
int value_is_true(const expression_value *v);

typedef struct expression expression;

/* Parse `text`, whose names must be among names[0 ... name_count - 1] (name_count at most 64). A name that is
 * none of them and no function is an error. *out is malloc'ed; free it with expression_free.
 * ASSAY_ERR_INVALID: "column 7: ...", and what is allowed there. */
assay_status expression_parse(const char *text, const char *const *names, int name_count, expression **out,
                              assay_error *error);
void expression_free(expression *e);

/* Bit i is set if names[i] occurs. */
uint64_t expression_uses(const expression *e);

/* Evaluate over values[i] for names[i]. ASSAY_ERR_INVALID: "column 7: division by zero". Not thread-safe on one
 * expression: it owns the memory of lists. */
assay_status expression_evaluate(expression *e, const expression_value *values, expression_value *out,
                                 assay_error *error);

#endif
