/* The log as a page for who writes kernels: see experience.h. */
#include "core/json_file.h"
#include "core/text_stream.h"
#include "tune/experience/experience.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_HELPED = 10, LINE = 109 };

static long long count_of(const json_t *row, const char *key)
{
    return (long long)json_integer_value(json_object_get(row, key));
}

/* An item of a list, in lines of at most LINE characters. Control characters of who wrote an entry do not get through. */
static void put_item(FILE *out, const char *text)
{
    int column = 2;
    fputs("-", out);
    for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
        const int length = (int)strcspn(text, " ");
        if (column + length > LINE) {
            fputs("\n ", out);
            column = 2;
        }
        fputc(' ', out);
        for (int i = 0; i < length; i++)
            fputc((unsigned char)text[i] < ' ' || text[i] == 0x7f ? '?' : text[i], out);
        column += length + 1;
        text += length;
    }
    fputc('\n', out);
}

/* Against what and on which chips, each named once: the evidence has many entries. */
static void put_places(FILE *out, const json_t *row)
{
    char seen[400] = ",";
    size_t i;
    json_t *e;
    json_array_foreach(json_object_get(row, "evidence"), i, e)
    {
        char place[96], item[100];
        snprintf(place, sizeof place, "%s on %s", json_get_text(e, "bottleneck", ""),
                 json_get_text(e, "chip", ""));
        snprintf(item, sizeof item, ",%s,", place);
        if (strstr(seen, item) || strlen(seen) + strlen(place) + 2 > sizeof seen)
            continue;
        fprintf(out, "%s%s", seen[1] ? ", " : " Against ", place);
        strcat(strcat(seen, place), ",");
    }
    fputs(seen[1] ? "." : "", out);
}

static void put_strategy(FILE *out, const json_t *row)
{
    const double effect = json_get_number(row, "effect", 0);
    const char *strategy = json_get_text(row, "strategy", "");
    const size_t length = strlen(strategy);
    char *text = NULL;
    size_t bytes = 0;
    FILE *item = text_stream_open(&text, &bytes);
    if (!item)
        return;
    fprintf(item, "%s%s Faster in %lld, the same in %lld, slower in %lld", strategy,
            length && strategy[length - 1] == '.' ? "" : ".", count_of(row, "successes"),
            count_of(row, "neutral"), count_of(row, "failures"));
    if (effect > 0)
        fprintf(item, "; %.2fx in the mean", effect);
    fputc('.', item);
    put_places(item, row);
    if (text_stream_close(item, &text))
        put_item(out, text);
    free(text);
}

static void put_rows(FILE *out, const json_t *rows, int helped)
{
    size_t i;
    json_t *row;
    int count = 0;
    json_array_foreach(rows, i, row)
    {
        if ((count_of(row, "successes") > 0) != helped || count == MOST_HELPED)
            continue;
        if (count++ == 0)
            fprintf(out, "\n### %s\n\n", helped ? "What helped" : "What did not");
        put_strategy(out, row);
    }
}

static int has_kind(const json_t *row, const char *kind)
{
    size_t i;
    json_t *e;
    json_array_foreach(json_object_get(row, "evidence"), i,
                       e) if (strcmp(json_get_text(e, "kind", ""), kind) == 0) return 1;
    return 0;
}

static void put_kind(FILE *out, const experience *x, const char *kind, long long entries)
{
    const experience_filter question = {.kind = kind};
    json_t *all = NULL, *own = json_array(), *row;
    size_t i;
    (void)experience_recommend(x, &question, 0, &all, NULL); /* every entry of x is in memory */
    json_array_foreach(all, i, row) if (has_kind(row, kind)) /* not of a related kind */
        json_array_append(own, row);
    fprintf(out, "\n## %s\n\n%lld entries.\n", kind, entries);
    put_rows(out, own, 1);
    put_rows(out, own, 0);
    json_decref(own);
    json_decref(all);
}

char *experience_learned(const experience *x)
{
    char *text = NULL;
    size_t bytes = 0;
    const char *kind;
    json_t *count, *stats = experience_stats(x);
    FILE *out = text_stream_open(&text, &bytes);
    if (!out) {
        json_decref(stats);
        return NULL;
    }
    fprintf(out,
            "# What was learned\n\nWritten by `assay experience learned` from %lld entries of the log: "
            "strategies by "
            "kind of kernel, best\nfirst. A factor is time before over time after; every entry is in `assay "
            "experience list`. Figures are of the\ncards named; measure again.\n",
            (long long)json_integer_value(json_object_get(stats, "entries")));
    json_object_foreach(json_object_get(stats, "by_kind"), kind, count)
        put_kind(out, x, kind, (long long)json_integer_value(count));
    json_decref(stats);
    return text_stream_close(out, &text) ? text : NULL;
}
