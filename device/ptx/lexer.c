/* Words, numbers and punctuation of PTX text. */
#include "device/ptx/lexer.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

bool lex_skip(lexer *l)
{
    while (l->at < l->end && *l->at) {
        const char c = *l->at;
        if (c == '\n') {
            l->line++;
            l->at++;
        } else if (c == ' ' || c == '\t' || c == '\r') {
            l->at++;
        } else if (c == '/' && l->at + 1 < l->end && l->at[1] == '/') {
            while (l->at < l->end && *l->at != '\n')
                l->at++;
        } else if (c == '/' && l->at + 1 < l->end && l->at[1] == '*') {
            for (l->at += 2; l->at + 1 < l->end && !(l->at[0] == '*' && l->at[1] == '/'); l->at++)
                l->line += *l->at == '\n';
            l->at = l->at + 2 < l->end ? l->at + 2 : l->end;
        } else {
            return true;
        }
    }
    return false;
}

char lex_peek(lexer *l)
{
    return lex_skip(l) ? *l->at : 0;
}

bool lex_take(lexer *l, char c)
{
    if (lex_peek(l) != c)
        return false;
    l->at++;
    return true;
}

static bool word_character(const lexer *l)
{
    const char c = *l->at;
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%' || c == '.';
}

size_t lex_word(lexer *l, char *word, size_t bytes)
{
    size_t n = 0;
    if (lex_skip(l)) {
        while (l->at < l->end) {
            const bool colons = *l->at == ':' && l->at + 2 < l->end && l->at[1] == ':';
            if (!colons && !word_character(l))
                break;
            for (int i = 0; i < (colons ? 2 : 1); i++, l->at++)
                if (n + 1 < bytes)
                    word[n++] = *l->at;
        }
    }
    word[n] = 0;
    return n;
}

size_t lex_statement(lexer *l, char *word, size_t bytes)
{
    const size_t n = lex_word(l, word, bytes);
    char *next = word[0] == '.' ? strchr(word + 1, '.') : NULL;
    if (!next)
        return n;
    l->at -= strlen(next);
    *next = 0;
    return (size_t)(next - word);
}

bool lex_string(lexer *l, char *text, size_t bytes)
{
    size_t n = 0;
    if (!lex_take(l, '"'))
        return false;
    for (; l->at < l->end && *l->at != '"'; l->at++)
        if (n + 1 < bytes)
            text[n++] = *l->at;
    text[n] = 0;
    l->at += l->at < l->end;
    return true;
}

/* 0f3F800000 and 0d3FF0000000000000 */
static bool hex_float(lexer *l, uint64_t *bits, number_kind *kind)
{
    if (l->end - l->at < 10 || l->at[0] != '0')
        return false;
    const bool f32 = l->at[1] == 'f' || l->at[1] == 'F', f64 = l->at[1] == 'd' || l->at[1] == 'D';
    if (!f32 && !f64)
        return false;
    const int digits = f32 ? 8 : 16;
    char text[17] = {0};
    memcpy(text, l->at + 2, (size_t)(l->end - l->at - 2 < digits ? l->end - l->at - 2 : digits));
    *bits = strtoull(text, NULL, 16);
    *kind = f32 ? NUMBER_F32 : NUMBER_F64;
    l->at += 2 + digits;
    return true;
}

bool lex_number(lexer *l, uint64_t *bits, number_kind *kind)
{
    if (!lex_skip(l))
        return false;
    const bool negative = *l->at == '-';
    l->at += negative || *l->at == '+';
    if (l->at >= l->end || !isdigit((unsigned char)*l->at))
        return false;
    *kind = NUMBER_INTEGER;
    if (hex_float(l, bits, kind)) {
        if (negative)
            *bits ^= *kind == NUMBER_F32 ? 1ull << 31 : 1ull << 63;
        return true;
    }
    char *end;
    if (l->at[0] == '0' && (l->at[1] == 'b' || l->at[1] == 'B')) {
        *bits = strtoull(l->at + 2, &end, 2);
    } else {
        *bits = strtoull(l->at, &end, 0);
        if (*end == '.' && isdigit((unsigned char)end[1])) {
            const double value = strtod(l->at, &end);
            memcpy(bits, &value, sizeof value);
            *kind = NUMBER_F64;
        }
    }
    l->at = end + (*end == 'U');
    if (negative)
        *bits = *kind == NUMBER_F64 ? *bits ^ 1ull << 63 : 0 - *bits;
    return true;
}

void lex_past(lexer *l, char c)
{
    while (l->at < l->end && *l->at && *l->at != c)
        l->line += *l->at++ == '\n';
    l->at += l->at < l->end;
}
