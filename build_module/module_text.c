/* See module_text.h. */
#include "build_module/module_text.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const size_t none = (size_t)-1;

int text_is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* End (exclusive) of the raw string whose quote is at `quote`, R"delimiter( ... )delimiter". */
static size_t end_of_raw(const char *text, size_t quote)
{
    char closing[20];
    const size_t length = strcspn(text + quote + 1, "(");
    if (text[quote + 1 + length] == '\0' || length > 16)
        return quote + 1;
    closing[0] = ')';
    memcpy(closing + 1, text + quote + 1, length);
    closing[length + 1] = '"';
    closing[length + 2] = '\0';
    const char *end = strstr(text + quote, closing);
    return end ? (size_t)(end - text) + length + 2 : strlen(text);
}

/* End (exclusive) of a string or character literal that starts at `at`. */
static size_t end_of_literal(const char *text, size_t at)
{
    const char quote = text[at++];
    while (text[at] != '\0' && text[at] != quote && text[at] != '\n')
        at += text[at] == '\\' && text[at + 1] != '\0' ? 2 : 1;
    return text[at] == quote ? at + 1 : at;
}

/* End (exclusive) of what starts at `at` and is not code; `at` itself where code goes on. */
static size_t end_of_foreign(const char *text, size_t at)
{
    if (strncmp(text + at, "//", 2) == 0) {
        while (text[at] != '\0' && text[at] != '\n')
            at += text[at] == '\\' && text[at + 1] == '\n' ? 2 : 1;
        return at;
    }
    if (strncmp(text + at, "/*", 2) == 0) {
        const char *end = strstr(text + at + 2, "*/");
        return end ? (size_t)(end - text) + 2 : strlen(text);
    }
    if (text[at] == '"')
        return at > 0 && text[at - 1] == 'R' ? end_of_raw(text, at) : end_of_literal(text, at);
    /* Not the separator of 1'000'000. */
    if (text[at] == '\'' && !(at > 0 && isalnum((unsigned char)text[at - 1])))
        return end_of_literal(text, at);
    return at;
}

char *text_mask(const char *text)
{
    char *mask = strdup(text);
    for (size_t at = 0; mask != NULL && text[at] != '\0';) {
        const size_t end = end_of_foreign(text, at);
        for (size_t i = at; i < end; i++)
            if (mask[i] != '\n')
                mask[i] = ' ';
        at = end > at ? end : at + 1;
    }
    return mask;
}

int text_word_at(const char *mask, size_t at, const char *word)
{
    const size_t length = strlen(word);
    return strncmp(mask + at, word, length) == 0 && !text_is_word(mask[at + length]) &&
           (at == 0 || !text_is_word(mask[at - 1]));
}

size_t text_find_word(const char *mask, size_t from, const char *word)
{
    for (const char *at = mask + from; (at = strstr(at, word)) != NULL; at++)
        if (text_word_at(mask, (size_t)(at - mask), word))
            return (size_t)(at - mask);
    return none;
}

size_t text_skip_space(const char *mask, size_t at)
{
    while (isspace((unsigned char)mask[at]))
        at++;
    return at;
}

size_t text_skip_space_back(const char *mask, size_t at)
{
    while (at > 0 && isspace((unsigned char)mask[at - 1]))
        at--;
    return at;
}

size_t text_match(const char *mask, size_t open)
{
    int depth = 0;
    for (size_t at = open; mask[at] != '\0'; at++) {
        depth += strchr("([{", mask[at]) != NULL;
        depth -= strchr(")]}", mask[at]) != NULL;
        if (depth == 0)
            return at;
    }
    return none;
}

size_t text_match_back(const char *mask, size_t close)
{
    const int angle = mask[close] == '>';
    int depth = 0, inner = 0;
    for (size_t at = close + 1; at-- > 0;) {
        const char c = mask[at];
        if (angle) {
            inner += strchr(")]}", c) != NULL;
            inner -= strchr("([{", c) != NULL;
            if (inner < 0 || c == ';')
                return none;
            depth += inner == 0 && c == '>';
            depth -= inner == 0 && c == '<';
        } else {
            depth += strchr(")]}", c) != NULL;
            depth -= strchr("([{", c) != NULL;
        }
        if (depth == 0 && inner == 0)
            return at;
    }
    return none;
}

int text_commas(const char *mask, size_t begin, size_t end, size_t *commas, int most)
{
    int count = 0, depth = 0;
    for (size_t at = begin; at < end; at++) {
        depth += strchr("([{", mask[at]) != NULL;
        depth -= strchr(")]}", mask[at]) != NULL;
        if (mask[at] == ',' && depth == 0 && count++ < most)
            commas[count - 1] = at;
    }
    return count;
}

size_t text_find_function(const char *mask, const char *name)
{
    const size_t length = strlen(name);
    for (size_t at = 0; (at = text_find_word(mask, at, name)) != none; at += length) {
        const size_t open = text_skip_space(mask, at + length), before = text_skip_space_back(mask, at);
        const size_t close = mask[open] == '(' ? text_match(mask, open) : none;
        if (close != none && before >= 4 && text_word_at(mask, before - 4, "void") &&
            mask[text_skip_space(mask, close + 1)] == '{')
            return open;
    }
    return none;
}
