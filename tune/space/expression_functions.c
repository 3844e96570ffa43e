/* The functions that an expression can call. One table: name, least and most arguments, what it does. */
#include "tune/space/expression_functions.h"
#include <math.h>
#include <string.h>

typedef expression_value (*function_body)(evaluator *v, const node *at, const expression_value *arguments,
                                          int count);

/* The values of f(list), or of f(a, b, ...). */
static const expression_value *spread(const expression_value *arguments, int *count)
{
    if (*count != 1 || arguments[0].kind != VALUE_LIST)
        return arguments;
    *count = (int)arguments[0].count;
    return arguments[0].items;
}

static expression_value extreme(evaluator *v, const node *at, const expression_value *arguments, int count,
                                int sign)
{
    const expression_value *items = spread(arguments, &count);
    if (count == 0)
        return evaluation_fail(v, at, "min and max need a value");
    expression_value best = items[0];
    for (int i = 0; i < count; i++) {
        if (!value_is_number(&items[i]))
            return evaluation_fail(v, at, "min and max need numbers");
        const double difference = value_number(&items[i]) - value_number(&best);
        if (sign * difference > 0)
            best = items[i];
    }
    return best;
}

static expression_value call_min(evaluator *v, const node *at, const expression_value *arguments, int count)
{
    return extreme(v, at, arguments, count, -1);
}

static expression_value call_max(evaluator *v, const node *at, const expression_value *arguments, int count)
{
    return extreme(v, at, arguments, count, 1);
}

static expression_value call_abs(evaluator *v, const node *at, const expression_value *a, int count)
{
    (void)count;
    if (a->kind == VALUE_REAL)
        return value_real(fabs(a->real));
    if (!value_is_number(a) || a->integer == INT64_MIN)
        return evaluation_fail(v, at, "abs needs a number within 64 bits");
    return value_integer(a->integer < 0 ? -a->integer : a->integer);
}

/* Two positive-divisor integers, or a failure. */
static int are_integers(evaluator *v, const node *at, const expression_value *a)
{
    if (a[0].kind == VALUE_INTEGER && a[1].kind == VALUE_INTEGER && a[1].integer > 0)
        return 1;
    evaluation_fail(v, at, "two integers are needed, the second above 0");
    return 0;
}

static expression_value call_ceil_div(evaluator *v, const node *at, const expression_value *a, int count)
{
    (void)count;
    if (!are_integers(v, at, a))
        return value_integer(0);
    return value_integer(a[0].integer / a[1].integer + (a[0].integer % a[1].integer > 0));
}

static expression_value call_round_up(evaluator *v, const node *at, const expression_value *a, int count)
{
    const expression_value blocks = call_ceil_div(v, at, a, count);
    int64_t result = 0;
    if (v->failed || __builtin_mul_overflow(blocks.integer, a[1].integer, &result))
        return evaluation_fail(v, at, "the result is beyond 64 bits");
    return value_integer(result);
}

static expression_value call_int(evaluator *v, const node *at, const expression_value *a, int count)
{
    (void)count;
    if (a->kind == VALUE_INTEGER || a->kind == VALUE_BOOLEAN)
        return value_integer(a->integer);
    if (a->kind != VALUE_REAL || !(fabs(a->real) < 0x1p63))
        return evaluation_fail(v, at, "int needs a number within 64 bits");
    return value_integer((int64_t)a->real);
}

static expression_value call_float(evaluator *v, const node *at, const expression_value *a, int count)
{
    (void)count;
    return value_is_number(a) ? value_real(value_number(a)) : evaluation_fail(v, at, "float needs a number");
}

static expression_value call_log2(evaluator *v, const node *at, const expression_value *a, int count)
{
    (void)count;
    if (!value_is_number(a) || !(value_number(a) > 0))
        return evaluation_fail(v, at, "log2 needs a number above 0");
    return value_real(log2(value_number(a)));
}

static expression_value call_is_power_of_two(evaluator *v, const node *at, const expression_value *a,
                                             int count)
{
    (void)count;
    if (a->kind != VALUE_INTEGER)
        return evaluation_fail(v, at, "is_power_of_two needs an integer");
    return value_boolean(a->integer > 0 && (a->integer & (a->integer - 1)) == 0);
}

static expression_value call_len(evaluator *v, const node *at, const expression_value *a, int count)
{
    (void)count;
    return a->kind == VALUE_LIST ? value_integer((int64_t)a->count)
                                 : evaluation_fail(v, at, "len needs a list");
}

static expression_value call_list(evaluator *v, const node *at, const expression_value *a, int count)
{
    (void)count;
    return a->kind == VALUE_LIST ? *a : evaluation_fail(v, at, "list needs a list");
}

static expression_value call_sum(evaluator *v, const node *at, const expression_value *arguments, int count)
{
    const expression_value *items = spread(arguments, &count);
    int64_t integer = 0;
    double real = 0;
    int is_real = 0;
    for (int i = 0; i < count; i++) {
        if (!value_is_number(&items[i]))
            return evaluation_fail(v, at, "sum needs numbers");
        is_real |= items[i].kind == VALUE_REAL;
        real += value_number(&items[i]);
        if (items[i].kind != VALUE_REAL && __builtin_add_overflow(integer, items[i].integer, &integer))
            return evaluation_fail(v, at, "the result is beyond 64 bits");
    }
    if (!is_real)
        return value_integer(integer);
    return isfinite(real) ? value_real(real) : evaluation_fail(v, at, "the result is no finite number");
}

static expression_value call_range(evaluator *v, const node *at, const expression_value *a, int count)
{
    for (int i = 0; i < count; i++)
        if (a[i].kind != VALUE_INTEGER || a[i].integer > INT32_MAX || a[i].integer < INT32_MIN)
            return evaluation_fail(v, at, "range needs integers of 32 bits");
    const int64_t begin = count > 1 ? a[0].integer : 0, end = count > 1 ? a[1].integer : a[0].integer;
    const int64_t step = count > 2 ? a[2].integer : 1;
    if (step == 0)
        return evaluation_fail(v, at, "the step of range is 0");
    const int64_t span = step > 0 ? end - begin : begin - end, size = step > 0 ? step : -step;
    const int64_t length = span > 0 ? (span + size - 1) / size : 0;
    expression_value *items = evaluation_list(v, at, (size_t)length);
    for (int64_t i = 0; items && i < length; i++)
        items[i] = value_integer(begin + i * step);
    return (expression_value){.kind = VALUE_LIST, .items = items, .count = items ? (size_t)length : 0};
}

typedef struct function {
    const char *name;
    int least, most;
    function_body body;
} function;

static const function functions[] = {
    {"min", 1, FUNCTION_MAX_ARGUMENTS, call_min},
    {"max", 1, FUNCTION_MAX_ARGUMENTS, call_max},
    {"abs", 1, 1, call_abs},
    {"ceil_div", 2, 2, call_ceil_div},
    {"round_up", 2, 2, call_round_up},
    {"int", 1, 1, call_int},
    {"float", 1, 1, call_float},
    {"log2", 1, 1, call_log2},
    {"is_power_of_two", 1, 1, call_is_power_of_two},
    {"len", 1, 1, call_len},
    {"list", 1, 1, call_list},
    {"sum", 1, FUNCTION_MAX_ARGUMENTS, call_sum},
    {"range", 1, 3, call_range},
};

int expression_find_function(const char *name, int length)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strlen(functions[i].name) == (size_t)length &&
            strncmp(functions[i].name, name, (size_t)length) == 0)
            return (int)i;
    return -1;
}

const char *expression_function_names(void)
{
    return "min max abs ceil_div round_up int float log2 is_power_of_two len list sum range";
}

expression_value evaluation_call(evaluator *v, const node *at, const expression_value *arguments, int count)
{
    const function *f = &functions[at->op];
    if (count < f->least || count > f->most)
        return evaluation_fail(v, at,
                               f->least == f->most && f->least == 1 ? "one argument is expected"
                                                                    : "too few or too many arguments");
    return f->body(v, at, arguments, count);
}
