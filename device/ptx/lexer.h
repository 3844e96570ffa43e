/* Words, numbers and punctuation of PTX text. */
#ifndef ASSAY_DEVICE_PTX_LEXER_H
#define ASSAY_DEVICE_PTX_LEXER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WORD_MAX = 32768 }; /* names of C++ templates are long */

typedef struct lexer {
    const char *at, *end;
    uint32_t line;
} lexer;

/* Pass blanks and comments; false at the end of the text. */
bool lex_skip(lexer *l);
/* The next character that is no blank, not taken; 0 at the end. */
char lex_peek(lexer *l);
/* Take this character if it is next. */
bool lex_take(lexer *l, char c);
/* Take a word: letters, digits, _ $ % . and "::". Its length, 0 where none is next; longer words are cut. */
size_t lex_word(lexer *l, char *word, size_t bytes);
/* The same for a statement's first word: a directive ends before its type, ".reg.b32". */
size_t lex_statement(lexer *l, char *word, size_t bytes);
/* Take "..." without its quotes. */
bool lex_string(lexer *l, char *text, size_t bytes);

/* What a number's bits mean. */
typedef enum number_kind { NUMBER_INTEGER, NUMBER_F32, NUMBER_F64 } number_kind;
/* Take a number: decimal, 0x, 0b, octal, 0f, 0d, decimal fraction; a sign before it. */
bool lex_number(lexer *l, uint64_t *bits, number_kind *kind);
/* Pass everything up to and with this character. */
void lex_past(lexer *l, char c);

#endif
