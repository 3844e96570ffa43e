/* Inside expression_*.c only: tokens, the tree, and the memory of one evaluation. */
#ifndef ASSAY_TUNE_EXPRESSION_INTERNAL_H
#define ASSAY_TUNE_EXPRESSION_INTERNAL_H

#include "tune/space/expression.h"

enum {
    EXPRESSION_MAX_DEPTH = 64,    /* of brackets, calls, "not" and unary operators */
    EXPRESSION_MAX_HEIGHT = 1024, /* of the tree: "1 + 1 + ..." is one level of brackets and a high tree */
    EXPRESSION_MAX_NAMES = 64,
    EXPRESSION_MAX_LOCALS = 8, /* variables of comprehensions */
    EXPRESSION_MAX_STEPS = 2000000
};

typedef enum token_kind {
    TOKEN_END,
    TOKEN_NUMBER,
    TOKEN_TEXT,
    TOKEN_NAME, /* also keywords */
    TOKEN_LEFT,
    TOKEN_RIGHT,
    TOKEN_LEFT_SQUARE,
    TOKEN_RIGHT_SQUARE,
    TOKEN_COMMA,
    /* operators: the same values are a node's op */
    OP_ADD,
    OP_SUBTRACT,
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_FLOOR_DIVIDE,
    OP_MODULO,
    OP_POWER,
    OP_EQUAL,
    OP_NOT_EQUAL,
    OP_LESS,
    OP_LESS_EQUAL,
    OP_GREATER,
    OP_GREATER_EQUAL,
    OP_IN,
    OP_NOT_IN,
    OP_AND,
    OP_OR,
    OP_NOT
} token_kind;

typedef struct token {
    token_kind kind;
    const char *start; /* in the expression's text */
    int length, column;
    expression_value literal; /* of a number; a text is between its quotes */
} token;

/* The token at `at`, after blanks. ASSAY_ERR_INVALID names the column. */
assay_status expression_next_token(const char *text, const char *at, token *out, assay_error *error);
int token_is(const token *t, const char *word);

typedef enum node_kind {
    NODE_VALUE,
    NODE_NAME,          /* op: number of the name */
    NODE_LOCAL,         /* op: number of the comprehension's variable */
    NODE_UNARY,         /* one child */
    NODE_BINARY,        /* two children */
    NODE_LOGIC,         /* op: OP_AND or OP_OR; two children */
    NODE_COMPARE,       /* children: operands; each one's `link` is the operator before it */
    NODE_IF,            /* children: condition, then, else */
    NODE_CALL,          /* op: number of the function */
    NODE_LIST,          /* children: items */
    NODE_COMPREHENSION, /* op: variable; children: item, list, and a condition or none */
    NODE_INDEX          /* children: list, index */
} node_kind;

typedef struct node {
    node_kind kind;
    int op, link, column, height;
    int child, last,
        next; /* numbers of nodes: first and last child, next child of the same parent; -1: none */
    int child_count;
    expression_value literal;
} node;

typedef struct list_block {
    struct list_block *next;
    expression_value items[];
} list_block;

struct expression {
    char *text;
    char *texts; /* text literals, each ending in NUL */
    node *nodes;
    int node_count, node_capacity, root, local_count;
    uint64_t uses;
    list_block *blocks; /* lists of the last evaluation */
};

/* Functions that can be called, by number; -1 for no such name. */
int expression_find_function(const char *name, int length);
const char *expression_function_names(void);

#endif
