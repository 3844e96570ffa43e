/* The experience log: opening, adding, merging, listing. Ranking is in recommend.c. */
#include "tune/experience/experience.h"
#include "tune/experience/experience_entry.h"
#include "core/json_file.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* With the entries that come with Assay. */
static assay_status open_seeds(const char *path, experience **out, assay_error *error)
{
    json_t *entries = NULL;
    long added = 0, known = 0;
    experience *x = calloc(1, sizeof *x);
    *out = NULL;
    if (x == NULL || (path && (x->path = strdup(path)) == NULL)) {
        free(x);
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for the experience log");
    }
    x->by_uid = json_object();
    x->own = json_object();
    const assay_status status =
        experience_parse_lines(experience_seed_text, "tune/experience/seed.jsonl", &entries, error);
    if (status == ASSAY_OK)
        experience_take(x, entries, NULL, 0, &added, &known);
    json_decref(entries);
    *out = x;
    return status;
}

static assay_status close_failed(experience **x, assay_status status)
{
    if (status != ASSAY_OK) {
        experience_close(*x);
        *x = NULL;
    }
    return status;
}

assay_status experience_open(const char *path, experience **out, assay_error *error)
{
    json_t *entries = NULL, *uids = NULL;
    long added = 0, known = 0;
    assay_status status = open_seeds(path, out, error);
    if (status == ASSAY_OK && path && access(path, F_OK) == 0) {
        status = experience_file_read(path, &entries, &uids, error);
        if (status == ASSAY_OK)
            experience_take(*out, entries, uids, 1, &added, &known);
        json_decref(entries);
        json_decref(uids);
    }
    return close_failed(out, status);
}

assay_status experience_open_to_recommend(const char *path, experience **out, assay_error *error)
{
    assay_status status = open_seeds(path, out, error);
    experience *x = *out;
    if (status == ASSAY_OK && path && access(path, F_OK) == 0)
        status = experience_file_rows(path, &x->rows, &x->texts, &x->row_count, error);
    return close_failed(out, status);
}

void experience_close(experience *x)
{
    if (x == NULL)
        return;
    json_decref(x->by_uid);
    json_decref(x->own);
    free(x->rows);
    free(x->texts);
    free(x->path);
    free(x);
}

/* Those of `entries` that the log does not have. */
static json_t *new_ones(const experience *x, const json_t *entries)
{
    json_t *fresh = json_array(), *entry;
    size_t index;
    json_array_foreach(entries, index, entry)
    {
        char uid[EXPERIENCE_UID_BYTES];
        experience_uid(entry, uid);
        if (!json_object_get(x->by_uid, uid))
            json_array_append(fresh, entry);
    }
    return fresh;
}

static assay_status add_all(experience *x, const json_t *entries, long *added, long *known,
                            assay_error *error)
{
    json_t *fresh = new_ones(x, entries);
    assay_status status = ASSAY_OK;
    *added = *known = 0;
    if (x->path == NULL)
        status = assay_error_set(error, ASSAY_ERR_INVALID, "the experience log was opened without a file");
    else if (json_array_size(fresh) > 0)
        status = experience_file_add(x->path, fresh, error);
    if (status == ASSAY_OK)
        experience_take(x, entries, NULL, 1, added, known);
    json_decref(fresh);
    return status;
}

assay_status experience_add(experience *x, const json_t *entry, int *is_new, assay_error *error)
{
    long added = 0, known = 0;
    assay_status status = experience_check(entry, error);
    if (status != ASSAY_OK)
        return status;
    json_t *one = json_array();
    json_array_append(one, (json_t *)entry);
    status = add_all(x, one, &added, &known, error);
    json_decref(one);
    *is_new = added > 0;
    return status;
}

/* An SQLite file begins with its name. */
static assay_status read_any(const char *path, json_t **entries, assay_error *error)
{
    char *text = NULL;
    size_t bytes = 0;
    json_t *uids = NULL; /* those of a file from elsewhere are not relied on */
    assay_status status = text_file_read(path, &text, &bytes, error);
    if (status != ASSAY_OK)
        return status;
    status = strncmp(text, "SQLite format 3", 15) == 0 ? experience_file_read(path, entries, &uids, error)
                                                       : experience_parse_lines(text, path, entries, error);
    json_decref(uids);
    free(text);
    return status;
}

assay_status experience_merge(experience *x, const char *path, long *added, long *known, assay_error *error)
{
    json_t *entries = NULL;
    assay_status status = read_any(path, &entries, error);
    if (status == ASSAY_OK)
        status = add_all(x, entries, added, known, error);
    json_decref(entries);
    return status;
}

/* All own entries as JSON lines, in order. Malloc'ed by jansson. */
static char *own_lines(const experience *x, long *count)
{
    char *text = NULL;
    size_t bytes = 0;
    const char *uid;
    json_t *mark;
    FILE *out = open_memstream(&text, &bytes);
    *count = 0;
    if (out == NULL)
        return NULL;
    json_object_foreach(x->own, uid, mark)
    {
        json_dumpf(json_object_get(x->by_uid, uid), out, JSON_COMPACT);
        putc('\n', out);
        ++*count;
    }
    return fclose(out) == 0 ? text : NULL;
}

assay_status experience_sync(experience *x, const char *path, long *received, long *sent, assay_error *error)
{
    long known = 0, all = 0;
    *received = *sent = 0;
    assay_status status =
        access(path, F_OK) == 0 ? experience_merge(x, path, received, &known, error) : ASSAY_OK;
    if (status != ASSAY_OK)
        return status;
    char *text = own_lines(x, &all);
    if (text == NULL)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for the experience log");
    *sent = all - *received - known;
    status = text_file_write(path, text, strlen(text), error);
    free(text);
    return status;
}

static int matches_text(const char *wanted, const json_t *entry, const char *key)
{
    return wanted == NULL || wanted[0] == '\0' || strcmp(wanted, json_get_text(entry, key, "")) == 0;
}

static int has_words(const char *words, const json_t *entry)
{
    char *text = words && words[0] ? json_dumps(entry, JSON_COMPACT) : NULL,
         *copy = text ? strdup(words) : NULL, *rest = NULL;
    int found = 1;
    for (char *word = copy ? strtok_r(copy, " ", &rest) : NULL; word && found;
         word = strtok_r(NULL, " ", &rest))
        found = strcasestr(text, word) != NULL;
    free(copy);
    free(text);
    return found;
}

assay_status experience_check_filter(const experience_filter *f, assay_error *error)
{
    const char *const asked[][2] = {
        {"kind", f->kind}, {"backend", f->backend}, {"bottleneck", f->bottleneck}, {"outcome", f->outcome}};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        const char *word = asked[i][1], *allowed;
        if (word && word[0] && strcmp(word, "any") != 0 && !experience_allows(asked[i][0], word, &allowed))
            return assay_error_set(error, ASSAY_ERR_INVALID, "--%s: there is no \"%.60s\"; allowed:%s",
                                   asked[i][0], word, allowed);
    }
    return ASSAY_OK;
}

json_t *experience_list(const experience *x, const experience_filter *f)
{
    json_t *rows = json_array(), *entry;
    const char *uid;
    json_object_foreach(x->by_uid, uid, entry)
    {
        if (!matches_text(f->kind, entry, "kind") || !matches_text(f->backend, entry, "backend") ||
            !matches_text(f->chip, entry, "chip") || !matches_text(f->bottleneck, entry, "bottleneck") ||
            !matches_text(f->outcome, entry, "outcome") || !has_words(f->words, entry))
            continue;
        json_t *row = json_copy(entry);
        json_object_set_new(row, "uid", json_string(uid));
        json_array_append_new(rows, row);
    }
    return rows;
}

static void count_in(json_t *object, const char *key)
{
    json_object_set_new(object, key, json_integer(json_integer_value(json_object_get(object, key)) + 1));
}

json_t *experience_stats(const experience *x)
{
    static const char *const keys[] = {"kind", "bottleneck", "outcome", "chip", "backend"};
    json_t *stats = json_pack("{s:I, s:I}", "entries", (json_int_t)json_object_size(x->by_uid), "own",
                              (json_int_t)json_object_size(x->own));
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char name[32];
        const char *uid;
        json_t *entry, *counts = json_object();
        json_object_foreach(x->by_uid, uid, entry) count_in(counts, json_get_text(entry, keys[i], ""));
        snprintf(name, sizeof name, "by_%s", keys[i]);
        json_object_set_new(stats, name, counts);
    }
    return stats;
}
