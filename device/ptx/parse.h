/* The reader: PTX text to modules. The state that its files share. */
#ifndef ASSAY_DEVICE_PTX_PARSE_H
#define ASSAY_DEVICE_PTX_PARSE_H

#include "device/ptx/lexer.h"
#include "device/ptx/program.h"

enum { MAX_OPERANDS = 8, MAX_PARTS = 24, MAX_ELEMENTS = 512, MAX_SCOPES = 64 };

/* Registers declared by one .reg item: %r<10> or a single name. */
typedef struct register_family {
    char *prefix;
    size_t length;
    uint32_t first, count;
    bool single;
} register_family;

typedef struct label {
    char *name;
    uint32_t scope, at;
} label;

/* A branch, or an entry of a branch table, whose label is not known yet. */
typedef struct label_use {
    char *name;
    uint32_t scope, insn, ptx_line;
} label_use;

typedef struct branch_table {
    char *name;
    char **labels;
    uint32_t count;
} branch_table;

typedef enum operand_kind {
    OPERAND_NONE,
    OPERAND_REGISTER,
    OPERAND_SPECIAL, /* imm: number of the special register */
    OPERAND_IMMEDIATE,
    OPERAND_ADDRESS, /* [register or symbol + offset], perhaps with coordinates: elements */
    OPERAND_VECTOR,  /* {...}: elements */
    OPERAND_SYMBOL,
    OPERAND_NAME, /* a label or a function */
    OPERAND_SINK  /* _ */
} operand_kind;

typedef struct parsed_operand {
    operand_kind kind;
    bool negated;         /* !%p */
    bool has_register;    /* an address by a register */
    uint32_t reg, second; /* numbers of virtual registers; second: behind "|", or UINT32_MAX */
    uint64_t imm;
    number_kind number;
    int64_t offset;
    variable *symbol;
    uint32_t first, count; /* elements */
    char *name;            /* of OPERAND_NAME; in the parser's storage */
} parsed_operand;

/* An instruction as text has it. */
typedef struct statement {
    char text[256]; /* the whole opcode */
    char storage[256];
    const char *parts[MAX_PARTS]; /* split at the dots; parts[0]: the mnemonic */
    bool used[MAX_PARTS];         /* who knew it marks it; what nobody knows is refused */
    uint32_t part_count;
    parsed_operand operands[MAX_OPERANDS];
    uint32_t operand_count;
    operand guard;
    bool guard_negated;
} statement;

typedef struct parser {
    lexer lex;
    ptx_module *module;
    ptx_function *function;
    const char *text_name;
    register_family *families;
    size_t family_count, family_capacity;
    variable *locals[256]; /* variables of the function, hash lists */
    label *labels;
    size_t label_count, label_capacity;
    label_use *label_uses;
    size_t label_use_count, label_use_capacity;
    branch_table *tables;
    size_t table_count;
    uint32_t scope, scope_count, *scope_parents, scope_capacity;
    uint32_t file, line; /* of .loc */
    parsed_operand elements[MAX_ELEMENTS];
    uint32_t element_count;
    char names[2 * WORD_MAX];
    size_t names_used;
    uint32_t constant_hash[4096];
    struct {
        char *name;
        ptx_function *function;
    } * aliases;
    size_t alias_count;
    ptx_error *error;
    bool failed;
} parser;

/* Record the first failure, with the line; returns false. */
bool parse_fail(parser *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* parse_variable.c */
variable *variable_find(parser *p, const char *name);
/* After the space's word: .align, type, name, [n], = {...}; several with commas; up to ';'. */
bool variable_parse(parser *p, ptx_space space, bool is_extern, bool local);
/* One variable's declaration: ".param .align 8 .b8 x[16]" without the space's word. */
variable *variable_declare(parser *p, ptx_space space, bool is_extern, bool local);
void variable_apply_relocations(parser *p);

/* parse_operand.c */
bool operand_parse(parser *p, parsed_operand *out);
bool special_find(const char *name, uint32_t *number, uint32_t *width);

/* parse_function.c */
bool function_parse(parser *p, bool kernel);
ptx_function *function_find(ptx_module *module, const char *name);

/* emit.c: instructions and their operands */
uint32_t register_new(parser *p, uint32_t width);
operand constant(parser *p, uint64_t value, uint32_t width);
insn *emit(parser *p, uint32_t op, const statement *s);
void list_add(parser *p, operand value);

/* decode.c */
bool decode(parser *p, statement *s);

/* Grow an array of `count` elements so that one more fits. */
#define GROW(array, count, capacity) \
    ((count) < (capacity) ||         \
     ((array) = realloc((array), ((capacity) = (capacity)*2 + 64) * sizeof *(array))) != NULL)

#endif
