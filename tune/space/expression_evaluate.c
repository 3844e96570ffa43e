/* Evaluation of a parsed expression. The functions that can be called are in expression_functions.c. */
#include "tune/space/expression_functions.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void release_lists(expression *e)
{
    while (e->blocks) {
        list_block *next = e->blocks->next;
        free(e->blocks);
        e->blocks = next;
    }
}

static expression_value real_result(evaluator *v, const node *at, double real)
{
    return isfinite(real) ? value_real(real) : evaluation_fail(v, at, "the result is no finite number");
}

static expression_value integer_power(evaluator *v, const node *at, int64_t base, int64_t exponent)
{
    int64_t result = 1;
    if (exponent < 0)
        return base == 0 ? evaluation_fail(v, at, "division by zero")
                         : real_result(v, at, pow((double)base, (double)exponent));
    if (base == 0 || base == 1 || base == -1)
        return value_integer(exponent == 0 ? 1 : base == -1 && exponent % 2 == 0 ? 1 : base);
    for (int64_t i = 0; i < exponent; i++) /* at most 63 steps: |base| is 2 or more */
        if (__builtin_mul_overflow(result, base, &result))
            return evaluation_fail(v, at, "the result is beyond 64 bits");
    return value_integer(result);
}

/* // and % round towards minus infinity. */
static expression_value integer_division(evaluator *v, const node *at, int64_t a, int64_t b)
{
    if (b == 0)
        return evaluation_fail(v, at, "division by zero");
    if (at->op == OP_DIVIDE)
        return value_real((double)a / (double)b);
    if (b == -1)
        return at->op == OP_MODULO ? value_integer(0)
               : a == INT64_MIN    ? evaluation_fail(v, at, "the result is beyond 64 bits")
                                   : value_integer(-a);
    const int is_between = a % b != 0 && (a < 0) != (b < 0);
    return value_integer(at->op == OP_FLOOR_DIVIDE ? a / b - is_between : a % b + (is_between ? b : 0));
}

static expression_value integer_arithmetic(evaluator *v, const node *at, int64_t a, int64_t b)
{
    int64_t result = 0;
    int overflow = 0;
    switch (at->op) {
    case OP_ADD:
        overflow = __builtin_add_overflow(a, b, &result);
        break;
    case OP_SUBTRACT:
        overflow = __builtin_sub_overflow(a, b, &result);
        break;
    case OP_MULTIPLY:
        overflow = __builtin_mul_overflow(a, b, &result);
        break;
    case OP_POWER:
        return integer_power(v, at, a, b);
    default:
        return integer_division(v, at, a, b);
    }
    return overflow ? evaluation_fail(v, at, "the result is beyond 64 bits") : value_integer(result);
}

static expression_value real_arithmetic(evaluator *v, const node *at, double a, double b)
{
    if (b == 0 && (at->op == OP_DIVIDE || at->op == OP_FLOOR_DIVIDE || at->op == OP_MODULO))
        return evaluation_fail(v, at, "division by zero");
    switch (at->op) {
    case OP_ADD:
        return real_result(v, at, a + b);
    case OP_SUBTRACT:
        return real_result(v, at, a - b);
    case OP_MULTIPLY:
        return real_result(v, at, a * b);
    case OP_DIVIDE:
        return real_result(v, at, a / b);
    case OP_FLOOR_DIVIDE:
        return real_result(v, at, floor(a / b));
    case OP_MODULO:
        return real_result(v, at, a - b * floor(a / b));
    default:
        return real_result(v, at, pow(a, b));
    }
}

static expression_value arithmetic(evaluator *v, const node *at, const expression_value *a,
                                   const expression_value *b)
{
    if (v->failed)
        return value_integer(0);
    if (!value_is_number(a) || !value_is_number(b))
        return evaluation_fail(v, at, "numbers are expected on both sides of the operator");
    if (a->kind == VALUE_REAL || b->kind == VALUE_REAL)
        return real_arithmetic(v, at, value_number(a), value_number(b));
    return integer_arithmetic(v, at, a->integer, b->integer);
}

static int order(evaluator *v, const node *at, const expression_value *a, const expression_value *b)
{
    if (a->kind == VALUE_TEXT && b->kind == VALUE_TEXT)
        return strcmp(a->text, b->text);
    if (!value_is_number(a) || !value_is_number(b)) {
        evaluation_fail(v, at, "two numbers or two texts are expected around the comparison");
        return 0;
    }
    if (a->kind != VALUE_REAL && b->kind != VALUE_REAL)
        return (a->integer > b->integer) - (a->integer < b->integer);
    return (value_number(a) > value_number(b)) - (value_number(a) < value_number(b));
}

static int is_in(evaluator *v, const node *at, const expression_value *item, const expression_value *list)
{
    if (list->kind != VALUE_LIST) {
        evaluation_fail(v, at, "a list is expected after \"in\"");
        return 0;
    }
    for (size_t i = 0; i < list->count; i++)
        if (value_equals(item, &list->items[i]))
            return 1;
    return 0;
}

static int compare(evaluator *v, const node *at, int op, const expression_value *a, const expression_value *b)
{
    switch (op) {
    case OP_EQUAL:
        return value_equals(a, b);
    case OP_NOT_EQUAL:
        return !value_equals(a, b);
    case OP_IN:
        return is_in(v, at, a, b);
    case OP_NOT_IN:
        return !is_in(v, at, a, b);
    case OP_LESS:
        return order(v, at, a, b) < 0;
    case OP_LESS_EQUAL:
        return order(v, at, a, b) <= 0;
    case OP_GREATER:
        return order(v, at, a, b) > 0;
    default:
        return order(v, at, a, b) >= 0;
    }
}

static expression_value evaluate(evaluator *v, int number);

/* a < b <= c: every neighbouring pair, up to the first that does not hold. */
static expression_value evaluate_comparison(evaluator *v, const node *at)
{
    const node *nodes = v->e->nodes;
    expression_value left = evaluate(v, at->child);
    for (int n = nodes[at->child].next; n >= 0 && !v->failed; n = nodes[n].next) {
        const expression_value right = evaluate(v, n);
        if (v->failed || !compare(v, &nodes[n], nodes[n].link, &left, &right))
            return value_boolean(0);
        left = right;
    }
    return value_boolean(1);
}

static expression_value evaluate_unary(evaluator *v, const node *at)
{
    const expression_value a = evaluate(v, at->child);
    const expression_value zero = value_integer(0);
    const node subtraction = {.op = at->op, .column = at->column};
    if (at->op == OP_NOT)
        return value_boolean(!value_is_true(&a));
    if (a.kind == VALUE_REAL)
        return at->op == OP_SUBTRACT ? value_real(-a.real) : a;
    return arithmetic(v, &subtraction, &zero, &a);
}

static expression_value evaluate_logic(evaluator *v, const node *at)
{
    const expression_value left = evaluate(v, at->child);
    if (v->failed || value_is_true(&left) == (at->op == OP_OR))
        return value_boolean(at->op == OP_OR);
    const expression_value right = evaluate(v, v->e->nodes[at->child].next);
    return value_boolean(value_is_true(&right));
}

static expression_value evaluate_list(evaluator *v, const node *at)
{
    expression_value *items = evaluation_list(v, at, (size_t)at->child_count);
    size_t count = 0;
    for (int n = at->child; items && n >= 0; n = v->e->nodes[n].next)
        items[count++] = evaluate(v, n);
    return (expression_value){.kind = VALUE_LIST, .items = items, .count = count};
}

static expression_value evaluate_comprehension(evaluator *v, const node *at)
{
    const node *nodes = v->e->nodes;
    const int item = at->child, list_node = nodes[item].next, condition = nodes[list_node].next;
    const expression_value list = evaluate(v, list_node);
    if (v->failed)
        return value_integer(0);
    if (list.kind != VALUE_LIST)
        return evaluation_fail(v, &nodes[list_node], "a list is expected after \"in\"");
    expression_value *items = evaluation_list(v, at, list.count);
    size_t count = 0;
    for (size_t i = 0; items && i < list.count && !v->failed; i++) {
        v->locals[at->op] = list.items[i];
        const expression_value chosen = condition >= 0 ? evaluate(v, condition) : value_boolean(1);
        if (value_is_true(&chosen))
            items[count++] = evaluate(v, item);
    }
    return (expression_value){.kind = VALUE_LIST, .items = items, .count = count};
}

static expression_value evaluate_index(evaluator *v, const node *at)
{
    const expression_value list = evaluate(v, at->child);
    const expression_value index = evaluate(v, v->e->nodes[at->child].next);
    if (v->failed)
        return value_integer(0);
    if (list.kind != VALUE_LIST || index.kind != VALUE_INTEGER)
        return evaluation_fail(v, at, "a list and an integer are expected: list[0]");
    const int64_t i = index.integer < 0 ? index.integer + (int64_t)list.count : index.integer;
    return i < 0 || i >= (int64_t)list.count ? evaluation_fail(v, at, "the index is outside the list")
                                             : list.items[i];
}

static expression_value evaluate_call(evaluator *v, const node *at)
{
    expression_value arguments[FUNCTION_MAX_ARGUMENTS];
    int count = 0;
    if (at->child_count > FUNCTION_MAX_ARGUMENTS)
        return evaluation_fail(v, at, "too many arguments");
    for (int n = at->child; n >= 0; n = v->e->nodes[n].next)
        arguments[count++] = evaluate(v, n);
    return v->failed ? value_integer(0) : evaluation_call(v, at, arguments, count);
}

static expression_value evaluate(evaluator *v, int number)
{
    const node *at = &v->e->nodes[number];
    if (v->failed)
        return value_integer(0);
    if (++v->steps > EXPRESSION_MAX_STEPS)
        return evaluation_fail(v, at, "the expression takes too long");
    switch (at->kind) {
    case NODE_VALUE:
        return at->literal;
    case NODE_NAME:
        return v->values[at->op];
    case NODE_LOCAL:
        return v->locals[at->op];
    case NODE_UNARY:
        return evaluate_unary(v, at);
    case NODE_BINARY: {
        const expression_value left = evaluate(v, at->child);
        const expression_value right = evaluate(v, v->e->nodes[at->child].next);
        return arithmetic(v, at, &left, &right);
    }
    case NODE_LOGIC:
        return evaluate_logic(v, at);
    case NODE_COMPARE:
        return evaluate_comparison(v, at);
    case NODE_IF: {
        const expression_value condition = evaluate(v, at->child);
        const int then_node = v->e->nodes[at->child].next;
        return evaluate(v, value_is_true(&condition) ? then_node : v->e->nodes[then_node].next);
    }
    case NODE_CALL:
        return evaluate_call(v, at);
    case NODE_LIST:
        return evaluate_list(v, at);
    case NODE_COMPREHENSION:
        return evaluate_comprehension(v, at);
    case NODE_INDEX:
        return evaluate_index(v, at);
    }
    return value_integer(0);
}

assay_status expression_evaluate(expression *e, const expression_value *values, expression_value *out,
                                 assay_error *error)
{
    evaluator v = {.e = e, .values = values, .error = error};
    release_lists(e);
    *out = evaluate(&v, e->root);
    return v.failed ? ASSAY_ERR_INVALID : ASSAY_OK;
}

void expression_free(expression *e)
{
    if (e == NULL)
        return;
    release_lists(e);
    free(e->nodes);
    free(e->texts);
    free(e->text);
    free(e);
}

uint64_t expression_uses(const expression *e)
{
    return e->uses;
}
