/* Tokens of an expression. Knows no grammar. */
#include "tune/space/expression_internal.h"
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct spelling {
    const char *text;
    token_kind kind;
} spelling;

/* Longer ones first: "**" before "*". */
static const spelling symbols[] = {
    {"**", OP_POWER},      {"//", OP_FLOOR_DIVIDE},  {"==", OP_EQUAL},         {"!=", OP_NOT_EQUAL},
    {"<=", OP_LESS_EQUAL}, {">=", OP_GREATER_EQUAL}, {"&&", OP_AND},           {"||", OP_OR},
    {"+", OP_ADD},         {"-", OP_SUBTRACT},       {"*", OP_MULTIPLY},       {"/", OP_DIVIDE},
    {"%", OP_MODULO},      {"<", OP_LESS},           {">", OP_GREATER},        {"!", OP_NOT},
    {"(", TOKEN_LEFT},     {")", TOKEN_RIGHT},       {"[", TOKEN_LEFT_SQUARE}, {"]", TOKEN_RIGHT_SQUARE},
    {",", TOKEN_COMMA},
};

int token_is(const token *t, const char *word)
{
    return t->kind == TOKEN_NAME && (size_t)t->length == strlen(word) &&
           strncmp(t->start, word, (size_t)t->length) == 0;
}

static int is_name_character(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static assay_status read_integer(token *out, int base, assay_error *error)
{
    errno = 0;
    char digits[80];
    if (out->length >= (int)sizeof digits)
        errno = ERANGE;
    else {
        memcpy(digits, out->start, (size_t)out->length);
        digits[out->length] = '\0';
        out->literal = value_integer(strtoll(digits, NULL, base));
    }
    return errno == 0 ? ASSAY_OK
                      : assay_error_set(error, ASSAY_ERR_INVALID, "column %d: the integer is beyond 64 bits",
                                        out->column);
}

static assay_status read_real(token *out, assay_error *error)
{
    char digits[400];
    if (out->length < (int)sizeof digits) {
        memcpy(digits, out->start, (size_t)out->length);
        digits[out->length] = '\0';
        out->literal = value_real(strtod(digits, NULL));
        if (isfinite(out->literal.real))
            return ASSAY_OK;
    }
    return assay_error_set(error, ASSAY_ERR_INVALID, "column %d: the number is too large", out->column);
}

/* Where the digits of a decimal number end; *is_real if it has a point or an exponent. */
static const char *skip_decimal(const char *at, int *is_real)
{
    *is_real = 0;
    while (isdigit((unsigned char)*at))
        at++;
    if (*at == '.') {
        *is_real = 1;
        for (at++; isdigit((unsigned char)*at);)
            at++;
    }
    if (*at == 'e' || *at == 'E') {
        const char *digits = at + 1 + (at[1] == '+' || at[1] == '-');
        if (isdigit((unsigned char)*digits)) {
            *is_real = 1;
            for (at = digits; isdigit((unsigned char)*at);)
                at++;
        }
    }
    return at;
}

static assay_status read_number(const char *at, token *out, assay_error *error)
{
    int is_real = 0;
    const int is_hexadecimal = at[0] == '0' && (at[1] == 'x' || at[1] == 'X');
    const char *end = is_hexadecimal ? at + 2 : skip_decimal(at, &is_real);
    while (is_hexadecimal && isxdigit((unsigned char)*end))
        end++;
    out->kind = TOKEN_NUMBER;
    out->length = (int)(end - at);
    if ((is_hexadecimal && out->length == 2) || is_name_character(*end))
        return assay_error_set(error, ASSAY_ERR_INVALID, "column %d: this is no number", out->column);
    return is_real ? read_real(out, error) : read_integer(out, is_hexadecimal ? 16 : 10, error);
}

static assay_status read_text(const char *at, token *out, assay_error *error)
{
    const char *end = strchr(at + 1, *at);
    if (end == NULL)
        return assay_error_set(error, ASSAY_ERR_INVALID, "column %d: the text has no closing quote",
                               out->column);
    if (memchr(at, '\\', (size_t)(end - at)))
        return assay_error_set(error, ASSAY_ERR_INVALID, "column %d: a text may have no backslash",
                               out->column);
    out->kind = TOKEN_TEXT;
    out->length = (int)(end - at) + 1;
    return ASSAY_OK;
}

static assay_status read_symbol(const char *at, token *out, assay_error *error)
{
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        const size_t length = strlen(symbols[i].text);
        if (strncmp(at, symbols[i].text, length) == 0) {
            out->kind = symbols[i].kind;
            out->length = (int)length;
            return ASSAY_OK;
        }
    }
    if (*at == '=')
        return assay_error_set(error, ASSAY_ERR_INVALID, "column %d: \"=\" compares nothing; use \"==\"",
                               out->column);
    if (isprint((unsigned char)*at))
        return assay_error_set(error, ASSAY_ERR_INVALID, "column %d: \"%c\" is not part of the language",
                               out->column, *at);
    return assay_error_set(error, ASSAY_ERR_INVALID, "column %d: a byte 0x%02x is not part of the language",
                           out->column, (unsigned char)*at);
}

assay_status expression_next_token(const char *text, const char *at, token *out, assay_error *error)
{
    while (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')
        at++;
    *out = (token){.kind = TOKEN_END, .start = at, .column = (int)(at - text) + 1};
    if (*at == '\0')
        return ASSAY_OK;
    if (isdigit((unsigned char)*at) || (*at == '.' && isdigit((unsigned char)at[1])))
        return read_number(at, out, error);
    if (*at == '"' || *at == '\'')
        return read_text(at, out, error);
    if (!is_name_character(*at))
        return read_symbol(at, out, error);
    out->kind = TOKEN_NAME;
    while (is_name_character(at[out->length]))
        out->length++;
    static const spelling words[] = {{"and", OP_AND}, {"or", OP_OR}, {"not", OP_NOT}, {"in", OP_IN}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (token_is(out, words[i].text)) {
            out->kind = words[i].kind;
            break;
        }
    return ASSAY_OK;
}
