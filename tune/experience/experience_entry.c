/* Entries of the experience log: keys, identifier, JSON lines. */
#include "tune/experience/experience_entry.h"
#include "core/json_file.h"
#include <math.h>
#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct entry_key {
    const char *name;
    int is_needed;
    const char *allowed; /* NULL: any text */
} entry_key;

static const entry_key keys[] = {
    {"kind", 1, " matmul attention convolution row reduction elementwise transpose other "},
    {"backend", 1, " cuda triton any "},
    {"chip", 1, NULL},
    {"bottleneck", 1,
     " memory latency compute shared_memory registers occupancy launch synchronization imbalance "},
    {"strategy", 1, NULL},
    {"outcome", 1, " success failure neutral "},
    {"effect", 0, NULL},
    {"conditions", 0, NULL},
    {"predicted", 0, NULL},
    {"measured", 0, NULL},
    {"source", 0, NULL},
    {"recorded", 0, NULL},
};
enum { KEY_COUNT = sizeof keys / sizeof *keys };

static const entry_key *find_key(const char *name)
{
    for (int i = 0; i < KEY_COUNT; i++)
        if (strcmp(keys[i].name, name) == 0)
            return &keys[i];
    return NULL;
}

static int is_in_list(const char *list, const char *word)
{
    const char *at = strchr(word, ' ') ? NULL : strstr(list, word);
    return at && word[0] && at[-1] == ' ' && at[strlen(word)] == ' ';
}

static assay_status check_text(const entry_key *key, const json_t *item, assay_error *error)
{
    const char *text = json_string_value(item);
    if (text == NULL || strlen(text) > EXPERIENCE_MAX_TEXT || (key->is_needed && text[0] == '\0'))
        return assay_error_set(error, ASSAY_ERR_INVALID, "\"%s\" must be a text of up to %d bytes", key->name,
                               EXPERIENCE_MAX_TEXT);
    if (key->allowed && !is_in_list(key->allowed, text))
        return assay_error_set(error, ASSAY_ERR_INVALID, "\"%s\" is \"%.60s\"; allowed:%s", key->name, text,
                               key->allowed);
    return ASSAY_OK;
}

assay_status experience_check(const json_t *entry, assay_error *error)
{
    const char *name;
    json_t *item;
    if (!json_is_object(entry))
        return assay_error_set(error, ASSAY_ERR_INVALID, "an entry must be a JSON object");
    for (int i = 0; i < KEY_COUNT; i++)
        if (keys[i].is_needed && !json_object_get(entry, keys[i].name))
            return assay_error_set(error, ASSAY_ERR_INVALID, "\"%s\" is missing", keys[i].name);
    json_object_foreach((json_t *)entry, name, item)
    {
        const entry_key *key = find_key(name);
        if (key == NULL)
            return assay_error_set(error, ASSAY_ERR_INVALID, "\"%.60s\" is no key of an entry", name);
        if (strcmp(name, "effect") == 0) {
            if (!json_is_number(item) || !(json_number_value(item) > 0) || !isfinite(json_number_value(item)))
                return assay_error_set(error, ASSAY_ERR_INVALID,
                                       "\"effect\" must be a number above 0: time before over time after");
            continue;
        }
        const assay_status status = check_text(key, item, error);
        if (status != ASSAY_OK)
            return status;
    }
    return ASSAY_OK;
}

int experience_allows(const char *name, const char *word, const char **allowed)
{
    const entry_key *key = find_key(name);
    *allowed = key && key->allowed ? key->allowed : "";
    return !key || !key->allowed || is_in_list(key->allowed, word);
}

/* Sorted keys and no blanks: the same content gives the same identifier however it was written. */
void experience_uid(const json_t *entry, char uid[EXPERIENCE_UID_BYTES])
{
    char *text = json_dumps(entry, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(9));
    uid[0] = '\0';
    if (text)
        SHA256Data((const uint8_t *)text, strlen(text), uid);
    free(text);
}

assay_status experience_parse_lines(const char *text, const char *where, json_t **out, assay_error *error)
{
    *out = json_array();
    for (int line = 1; *text; line++) {
        const size_t length = strcspn(text, "\n");
        json_error_t where_in_line;
        assay_error own = {0};
        if (strspn(text, " \t\r") < length) {
            json_t *entry = json_loadb(text, length, JSON_REJECT_DUPLICATES, &where_in_line);
            if (entry == NULL)
                assay_error_set(&own, ASSAY_ERR_FORMAT, "column %d: %s", where_in_line.column,
                                where_in_line.text);
            else if (json_is_object(entry))
                json_object_del(entry, "uid"); /* what `list --json` adds */
            if (entry == NULL || experience_check(entry, &own) != ASSAY_OK) {
                json_decref(entry);
                json_decref(*out);
                *out = NULL;
                return assay_error_set(error, ASSAY_ERR_FORMAT, "%s: line %d: %s", where, line, own.message);
            }
            json_array_append_new(*out, entry);
        }
        text += length + (text[length] == '\n');
    }
    return ASSAY_OK;
}

void experience_take(struct experience *x, const json_t *entries, const json_t *uids, int own_entries,
                     long *added, long *known)
{
    size_t index;
    json_t *entry;
    *added = *known = 0;
    json_array_foreach(entries, index, entry)
    {
        char uid[EXPERIENCE_UID_BYTES];
        const char *given = json_string_value(json_array_get(uids, index));
        if (given)
            snprintf(uid, sizeof uid, "%s", given);
        else
            experience_uid(entry, uid);
        if (json_object_get(x->by_uid, uid)) {
            ++*known;
            continue;
        }
        json_object_set(x->by_uid, uid, entry);
        if (own_entries)
            json_object_set_new(x->own, uid, json_true());
        ++*added;
    }
}
