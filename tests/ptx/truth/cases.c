/* From the rows of cases.def to cases: patterns are expanded, operands and results get their kinds. */
#include "truth.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct row {
    const char *pattern, *in, *out, *compare, *body;
    int rows;
} row;

static const row rows[] = {
#define ROW(pattern, in, out, compare, count)        {pattern, in, out, compare, NULL, count},
#define BODY(pattern, in, out, compare, count, body) {pattern, in, out, compare, body, count},
#include "cases.def"
#undef ROW
#undef BODY
};

/* The instruction with a result and so many operands. */
static const char *const direct[] = {"$ %d0;", "$ %d0, %a0;", "$ %d0, %a0, %a1;", "$ %d0, %a0, %a1, %a2;",
                                     "$ %d0, %a0, %a1, %a2, %a3;"};

typedef struct list {
    truth_case *cases;
    size_t count, room;
} list;

static _Noreturn void wrong(const char *name, const char *what)
{
    fprintf(stderr, "cases.def: %s: %s\n", name, what);
    exit(2);
}

/* The kind that `word` means in the instruction `name`: T its last type, D the one before that, W a type of twice T's width. */
static const truth_kind *kind_of(const char *name, const char *word)
{
    char copy[NAME_BYTES], *rest = copy, *part;
    const char *last = "", *before = "";
    snprintf(copy, sizeof copy, "%s", name);
    copy[strcspn(copy, "@")] = 0;
    while ((part = strsep(&rest, ".")))
        if (truth_kind_find(part)) {
            before = last;
            last = part;
        }
    if (strcmp(word, "T") == 0)
        return truth_kind_find(last);
    if (strcmp(word, "D") == 0)
        return truth_kind_find(before);
    if (strcmp(word, "W") != 0)
        return truth_kind_find(word);
    char wide[16];
    snprintf(wide, sizeof wide, "%c%d", last[0], 2 * atoi(last + 1));
    return truth_kind_find(wide);
}

/* "4*f32 T": four operands of f32 and one of the instruction's type. */
static int kinds_of(const char *name, const char *words, const truth_kind **kinds, int most)
{
    char copy[128], *rest = copy, *word;
    int n = 0;
    snprintf(copy, sizeof copy, "%s", words);
    while ((word = strsep(&rest, " "))) {
        char *star = strchr(word, '*');
        const truth_kind *kind = kind_of(name, star ? star + 1 : word);
        if (!*word)
            continue;
        if (!kind)
            wrong(name, word);
        for (int i = star ? atoi(word) : 1; i > 0; i--) {
            if (n == most)
                wrong(name, "too many operands");
            kinds[n++] = kind;
        }
    }
    return n;
}

static void add(list *l, const row *r, const char *name)
{
    if (l->count == l->room) {
        l->room = l->room ? 2 * l->room : 1024;
        l->cases = realloc(l->cases, l->room * sizeof *l->cases);
        if (!l->cases)
            abort();
    }
    truth_case *c = &l->cases[l->count++];
    memset(c, 0, sizeof *c);
    snprintf(c->name, sizeof c->name, "%s", name);
    c->ins = kinds_of(name, r->in, c->in, MOST_OPERANDS);
    c->outs = kinds_of(name, r->out, c->out, MOST_RESULTS);
    c->rows = (r->rows + BLOCK - 1) / BLOCK * BLOCK;
    c->compare = r->compare;
    c->body = r->body ? r->body : direct[c->ins];
}

/* Expand the first {a,b,...} of the pattern with each of its words; an empty word leaves out what stands there. */
static void expand(list *l, const row *r, const char *pattern)
{
    const char *open = strchr(pattern, '{');
    if (!open) {
        add(l, r, pattern);
        return;
    }
    const char *close = strchr(open, '}');
    if (!close)
        wrong(pattern, "a { without its }");
    for (const char *word = open + 1; word <= close;) {
        const size_t length = strcspn(word, ",}");
        char next[NAME_BYTES * 4];
        snprintf(next, sizeof next, "%.*s%.*s%s", (int)(open - pattern), pattern, (int)length, word,
                 close + 1);
        expand(l, r, next);
        word += length + 1;
    }
}

truth_case *truth_cases(size_t *count)
{
    list l = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expand(&l, &rows[i], rows[i].pattern);
    *count = l.count;
    return l.cases;
}
