/* Grammar of expressions: recursive descent from text to tree. Evaluates nothing. */
#include "tune/space/expression_internal.h"
#include <stdlib.h>
#include <string.h>

typedef struct parser {
    expression *e;
    token now;
    const char *const *names;
    int name_count, depth;
    char *texts_end;
    const char *locals[EXPRESSION_MAX_LOCALS]; /* variables in scope; NULL: out of scope again */
    int local_lengths[EXPRESSION_MAX_LOCALS];
    assay_error *error;
} parser;

enum { FAILED = -1 };

static int parse_expression(parser *p);
static int parse_unary(parser *p);

static int fail(parser *p, const char *what)
{
    assay_error_set(p->error, ASSAY_ERR_INVALID, "column %d: %s", p->now.column, what);
    return FAILED;
}

static int advance(parser *p)
{
    return expression_next_token(p->e->text, p->now.start + p->now.length, &p->now, p->error) == ASSAY_OK;
}

/* 1 and past it if the token is there. */
static int take(parser *p, token_kind kind)
{
    return p->now.kind == kind && advance(p);
}

static int add_node(parser *p, node_kind kind, int op, int column)
{
    expression *e = p->e;
    if (e->node_count == e->node_capacity) {
        const int capacity = e->node_capacity ? 2 * e->node_capacity : 32;
        node *grown = realloc(e->nodes, (size_t)capacity * sizeof *grown);
        if (grown == NULL) {
            assay_error_set(p->error, ASSAY_ERR_NO_MEMORY, "no memory for an expression");
            return FAILED;
        }
        e->nodes = grown;
        e->node_capacity = capacity;
    }
    e->nodes[e->node_count] =
        (node){.kind = kind, .op = op, .column = column, .height = 1, .child = -1, .next = -1};
    return e->node_count++;
}

/* Append `child` (or FAILED) to the children of `parent`; returns `parent` or FAILED. */
static int adopt(parser *p, int parent, int child)
{
    if (parent == FAILED || child == FAILED)
        return FAILED;
    node *nodes = p->e->nodes;
    int *end = &nodes[parent].child;
    if (nodes[parent].child_count > 0)
        end = &nodes[nodes[parent].last].next;
    *end = child;
    nodes[parent].last = child;
    nodes[parent].child_count++;
    if (nodes[child].height >= nodes[parent].height)
        nodes[parent].height = nodes[child].height + 1;
    if (nodes[parent].height > EXPRESSION_MAX_HEIGHT)
        return fail(p, "the expression has too many operators in a row");
    return parent;
}

static int make_binary(parser *p, node_kind kind, int op, int column, int left, int right)
{
    const int parent = add_node(p, kind, op, column);
    return adopt(p, adopt(p, parent, left), right);
}

/* Items up to `close`, which is taken; appended to `parent`. A comma before the end is allowed, as in Python. */
static int parse_items(parser *p, int parent, token_kind close)
{
    while (parent != FAILED && p->now.kind != close) {
        parent = adopt(p, parent, parse_expression(p));
        if (parent != FAILED && p->now.kind != close && !take(p, TOKEN_COMMA))
            return fail(p, close == TOKEN_RIGHT ? "a comma or \")\" is expected"
                                                : "a comma or \"]\" is expected");
    }
    return parent != FAILED && take(p, close) ? parent : FAILED;
}

static int parse_text(parser *p)
{
    const int n = add_node(p, NODE_VALUE, 0, p->now.column);
    if (n == FAILED)
        return FAILED;
    const size_t length = (size_t)p->now.length - 2;
    memcpy(p->texts_end, p->now.start + 1, length);
    p->texts_end[length] = '\0';
    p->e->nodes[n].literal = value_text(p->texts_end);
    p->texts_end += length + 1;
    return advance(p) ? n : FAILED;
}

static int parse_literal(parser *p, expression_value literal)
{
    const int n = add_node(p, NODE_VALUE, 0, p->now.column);
    if (n == FAILED)
        return FAILED;
    p->e->nodes[n].literal = literal;
    return advance(p) ? n : FAILED;
}

/* "for NAME in LIST [if CONDITION]" follows the item, which was passed over to learn of the variable. */
typedef struct comprehension {
    const char *name;
    int name_length, variable;
} comprehension;

/* Look ahead from the opening bracket for " for NAME in " at its own depth. */
static int find_for(parser *p, comprehension *out)
{
    token t = p->now;
    int depth = 0;
    while (t.kind != TOKEN_END && depth >= 0) {
        if (t.kind == TOKEN_LEFT || t.kind == TOKEN_LEFT_SQUARE)
            depth++;
        if (t.kind == TOKEN_RIGHT || t.kind == TOKEN_RIGHT_SQUARE)
            depth--;
        if (depth == 0 && t.kind == TOKEN_COMMA)
            return 0;
        const int is_for = depth == 0 && token_is(&t, "for");
        if (expression_next_token(p->e->text, t.start + t.length, &t, NULL) != ASSAY_OK)
            return 0;
        if (is_for && t.kind == TOKEN_NAME) {
            *out = (comprehension){t.start, t.length, 0};
            return 1;
        }
    }
    return 0;
}

/* From the item on to the bracket, which is taken. The list is outside the variable's scope. */
static int parse_comprehension(parser *p, comprehension *c, int column, token_kind close)
{
    if (p->e->local_count == EXPRESSION_MAX_LOCALS)
        return fail(p, "too many comprehensions in one expression");
    c->variable = p->e->local_count++;
    p->locals[c->variable] = c->name;
    p->local_lengths[c->variable] = c->name_length;
    int n = adopt(p, add_node(p, NODE_COMPREHENSION, c->variable, column), parse_expression(p));
    if (n == FAILED)
        return FAILED;
    if (!token_is(&p->now, "for") || !advance(p) || p->now.kind != TOKEN_NAME || !advance(p))
        return fail(p, "\"for NAME in LIST\" is expected");
    if (!take(p, OP_IN))
        return fail(p, "\"in\" is expected");
    p->locals[c->variable] = NULL;
    n = adopt(p, n, parse_unary(p)); /* no "a if b else c": its "if" would be the comprehension's */
    p->locals[c->variable] = c->name;
    if (n != FAILED && token_is(&p->now, "if"))
        n = advance(p) ? adopt(p, n, parse_expression(p)) : FAILED;
    p->locals[c->variable] = NULL;
    if (n == FAILED)
        return FAILED;
    return take(p, close) ? n : fail(p, "the end of the comprehension is expected");
}

static int parse_list(parser *p)
{
    const int column = p->now.column;
    comprehension c;
    if (!take(p, TOKEN_LEFT_SQUARE))
        return FAILED;
    if (find_for(p, &c))
        return parse_comprehension(p, &c, column, TOKEN_RIGHT_SQUARE);
    return parse_items(p, add_node(p, NODE_LIST, 0, column), TOKEN_RIGHT_SQUARE);
}

/* (a), or a tuple, which is a list here: (a,) and (a, b). */
static int parse_parentheses(parser *p)
{
    const int column = p->now.column;
    if (!take(p, TOKEN_LEFT))
        return FAILED;
    if (p->now.kind == TOKEN_RIGHT)
        return parse_items(p, add_node(p, NODE_LIST, 0, column), TOKEN_RIGHT);
    const int first = parse_expression(p);
    if (first == FAILED)
        return FAILED;
    if (p->now.kind == TOKEN_RIGHT)
        return advance(p) ? first : FAILED;
    if (!take(p, TOKEN_COMMA))
        return fail(p, "\")\" is expected");
    return parse_items(p, adopt(p, add_node(p, NODE_LIST, 0, column), first), TOKEN_RIGHT);
}

static int parse_call(parser *p, int function, int column)
{
    comprehension c;
    const int call = add_node(p, NODE_CALL, function, column);
    if (call == FAILED || !take(p, TOKEN_LEFT))
        return FAILED;
    if (find_for(p, &c)) /* sum(x for x in list) */
        return adopt(p, call, parse_comprehension(p, &c, column, TOKEN_RIGHT));
    return parse_items(p, call, TOKEN_RIGHT);
}

static int parse_name(parser *p)
{
    const token t = p->now;
    if (token_is(&t, "True") || token_is(&t, "true"))
        return parse_literal(p, value_boolean(1));
    if (token_is(&t, "False") || token_is(&t, "false"))
        return parse_literal(p, value_boolean(0));
    for (int i = p->e->local_count - 1; i >= 0; i--)
        if (p->locals[i] && p->local_lengths[i] == t.length &&
            strncmp(p->locals[i], t.start, (size_t)t.length) == 0)
            return advance(p) ? add_node(p, NODE_LOCAL, i, t.column) : FAILED;
    for (int i = 0; i < p->name_count; i++)
        if (token_is(&t, p->names[i])) {
            p->e->uses |= UINT64_C(1) << i;
            return advance(p) ? add_node(p, NODE_NAME, i, t.column) : FAILED;
        }
    const int function = expression_find_function(t.start, t.length);
    if (function >= 0 && t.start[t.length + (int)strspn(t.start + t.length, " \t")] == '(')
        return advance(p) ? parse_call(p, function, t.column) : FAILED;
    char known[200] = "";
    for (int i = 0; i < p->name_count && strlen(known) + strlen(p->names[i]) + 4 < sizeof known; i++)
        strcat(strcat(known, i ? ", " : ""), p->names[i]);
    assay_error_set(p->error, ASSAY_ERR_INVALID,
                    "column %d: \"%.*s\" is not known; there are: %s; functions: %s", t.column,
                    t.length < 60 ? t.length : 60, t.start, known[0] ? known : "(no names)",
                    expression_function_names());
    return FAILED;
}

static int parse_primary(parser *p)
{
    switch (p->now.kind) {
    case TOKEN_NUMBER:
        return parse_literal(p, p->now.literal);
    case TOKEN_TEXT:
        return parse_text(p);
    case TOKEN_NAME:
        return parse_name(p);
    case TOKEN_LEFT:
        return parse_parentheses(p);
    case TOKEN_LEFT_SQUARE:
        return parse_list(p);
    case TOKEN_END:
        return fail(p, "the expression ends where a value is expected");
    default:
        return fail(p, "a value is expected");
    }
}

static int parse_postfix(parser *p)
{
    int n = parse_primary(p);
    while (n != FAILED && p->now.kind == TOKEN_LEFT_SQUARE) {
        const int column = p->now.column;
        const int index = advance(p) ? parse_expression(p) : FAILED;
        n = make_binary(p, NODE_INDEX, 0, column, n, index);
        if (n != FAILED && !take(p, TOKEN_RIGHT_SQUARE))
            return fail(p, "\"]\" is expected");
    }
    return n;
}

/* ** binds closer than the sign before it and less than the one behind it: -2 ** -2 is -(2 ** (-2)). */
static int parse_power(parser *p)
{
    const int base = parse_postfix(p);
    const int column = p->now.column;
    if (base == FAILED || p->now.kind != OP_POWER)
        return base;
    return advance(p) ? make_binary(p, NODE_BINARY, OP_POWER, column, base, parse_unary(p)) : FAILED;
}

static int parse_unary(parser *p)
{
    const token_kind op = p->now.kind;
    const int column = p->now.column;
    const int is_word = op == OP_NOT && *p->now.start == 'n';
    if (++p->depth > EXPRESSION_MAX_DEPTH)
        return fail(p, "the expression is nested too deeply");
    int n;
    if (op == OP_ADD || op == OP_SUBTRACT || (op == OP_NOT && !is_word))
        n = advance(p) ? adopt(p, add_node(p, NODE_UNARY, op, column), parse_unary(p)) : FAILED;
    else
        n = parse_power(p);
    p->depth--;
    return n;
}

static int parse_product(parser *p)
{
    int left = parse_unary(p);
    while (left != FAILED && p->now.kind >= OP_MULTIPLY && p->now.kind <= OP_MODULO) {
        const token t = p->now;
        left = advance(p) ? make_binary(p, NODE_BINARY, (int)t.kind, t.column, left, parse_unary(p)) : FAILED;
    }
    return left;
}

static int parse_sum(parser *p)
{
    int left = parse_product(p);
    while (left != FAILED && (p->now.kind == OP_ADD || p->now.kind == OP_SUBTRACT)) {
        const token t = p->now;
        left =
            advance(p) ? make_binary(p, NODE_BINARY, (int)t.kind, t.column, left, parse_product(p)) : FAILED;
    }
    return left;
}

/* The comparison operator at this place, taken; TOKEN_END for none. */
static token_kind take_comparison(parser *p)
{
    const token_kind kind = p->now.kind;
    if ((kind >= OP_EQUAL && kind <= OP_GREATER_EQUAL) || kind == OP_IN)
        return advance(p) ? kind : TOKEN_END;
    if (kind == OP_NOT && *p->now.start == 'n') {
        token after;
        if (expression_next_token(p->e->text, p->now.start + p->now.length, &after, NULL) == ASSAY_OK &&
            after.kind == OP_IN && advance(p) && advance(p))
            return OP_NOT_IN;
    }
    return TOKEN_END;
}

static int parse_comparison(parser *p)
{
    const int column = p->now.column;
    const int first = parse_sum(p);
    if (first == FAILED)
        return FAILED;
    token_kind op = take_comparison(p);
    if (op == TOKEN_END)
        return first;
    int n = adopt(p, add_node(p, NODE_COMPARE, 0, column), first);
    while (n != FAILED && op != TOKEN_END) {
        const int operand = parse_sum(p);
        n = adopt(p, n, operand);
        if (n != FAILED) {
            p->e->nodes[operand].link = (int)op;
            op = take_comparison(p);
        }
    }
    return n;
}

static int parse_not(parser *p)
{
    if (p->now.kind != OP_NOT || *p->now.start != 'n')
        return parse_comparison(p);
    const int column = p->now.column;
    if (++p->depth > EXPRESSION_MAX_DEPTH)
        return fail(p, "the expression is nested too deeply");
    const int n = advance(p) ? adopt(p, add_node(p, NODE_UNARY, OP_NOT, column), parse_not(p)) : FAILED;
    p->depth--;
    return n;
}

static int parse_and(parser *p)
{
    int left = parse_not(p);
    while (left != FAILED && p->now.kind == OP_AND) {
        const int column = p->now.column;
        left = advance(p) ? make_binary(p, NODE_LOGIC, OP_AND, column, left, parse_not(p)) : FAILED;
    }
    return left;
}

static int parse_or(parser *p)
{
    int left = parse_and(p);
    while (left != FAILED && p->now.kind == OP_OR) {
        const int column = p->now.column;
        left = advance(p) ? make_binary(p, NODE_LOGIC, OP_OR, column, left, parse_and(p)) : FAILED;
    }
    return left;
}

static int parse_expression(parser *p)
{
    if (++p->depth > EXPRESSION_MAX_DEPTH)
        return fail(p, "the expression is nested too deeply");
    int n = parse_or(p);
    if (n != FAILED && token_is(&p->now, "if")) {
        const int column = p->now.column;
        const int condition = advance(p) ? parse_or(p) : FAILED;
        if (condition == FAILED)
            return FAILED;
        if (!token_is(&p->now, "else") || !advance(p))
            return fail(p, "\"else\" is expected");
        n = make_binary(p, NODE_IF, 0, column, condition, n);
        n = adopt(p, n, parse_expression(p));
    }
    p->depth--;
    return n;
}

assay_status expression_parse(const char *text, const char *const *names, int name_count, expression **out,
                              assay_error *error)
{
    assay_error own = {0};
    *out = NULL;
    if (strlen(text) > EXPRESSION_MAX_TEXT)
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "column %d: the expression is longer than %d characters",
                               EXPRESSION_MAX_TEXT + 1, EXPRESSION_MAX_TEXT);
    if (name_count > EXPRESSION_MAX_NAMES)
        return assay_error_set(error, ASSAY_ERR_INVALID, "an expression may have %d names, not %d",
                               EXPRESSION_MAX_NAMES, name_count);
    expression *e = calloc(1, sizeof *e);
    if (e != NULL) {
        e->text = strdup(text);
        e->texts = malloc(strlen(text) + 1);
    }
    if (e == NULL || e->text == NULL || e->texts == NULL) {
        expression_free(e);
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for an expression");
    }
    parser p = {.e = e, .names = names, .name_count = name_count, .texts_end = e->texts, .error = &own};
    p.now = (token){.start = e->text, .column = 1};
    e->root = advance(&p) ? parse_expression(&p) : FAILED;
    if (e->root != FAILED && p.now.kind != TOKEN_END)
        e->root = fail(&p, "an operator or the end is expected");
    if (e->root == FAILED) {
        expression_free(e);
        return assay_error_set(error, own.status == ASSAY_OK ? ASSAY_ERR_INVALID : own.status, "%s",
                               own.status == ASSAY_OK ? "column 1: not an expression" : own.message);
    }
    *out = e;
    return ASSAY_OK;
}
