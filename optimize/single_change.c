/* Counting changes between two sources: see single_change.h. */
#include "optimize/single_change.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- sources without what is no code ---- */

/* Comments become one blank, and runs of blanks too; line ends stay. malloc'ed. */
static char *strip(const char *source)
{
    char *out = malloc(strlen(source) + 2), *to = out;
    if (!out)
        return NULL;
    for (const char *at = source; *at;) {
        if (at[0] == '/' && at[1] == '/') {
            at += strcspn(at, "\n");
        } else if (at[0] == '/' && at[1] == '*') {
            const char *end = strstr(at + 2, "*/");
            at = end ? end + 2 : at + strlen(at);
            *to++ = ' ';
        } else if (*at == ' ' || *at == '\t' || *at == '\r') {
            at++;
            if (to > out && to[-1] != ' ' && to[-1] != '\n')
                *to++ = ' ';
        } else {
            if (*at == '\n' && to > out && to[-1] == ' ')
                to--;
            if (*at != '\n' || (to > out && to[-1] != '\n'))
                *to++ = *at;
            at++;
        }
    }
    *to = '\0';
    return out;
}

/* ---- tunables ---- */

/* Is a tunable defined at the beginning of this line? Then where its value stands. */
static const char *tunable_at(const char *line, char name[64], long long *value, int *digits)
{
    char type[16];
    int used = 0;
    *digits = 0;
    while (*line == ' ' || *line == '\t')
        line++;
    if (strncmp(line, "static ", 7) == 0)
        line += 7;
    const int found =
        sscanf(line, "#define %63[A-Za-z0-9_] %n%lld", name, &used, value) == 2 ||
        sscanf(line, "constexpr %15[a-z0-9_] %63[A-Za-z0-9_] = %n%lld", type, name, &used, value) == 3 ||
        sscanf(line, "const %15[a-z0-9_] %63[A-Za-z0-9_] = %n%lld", type, name, &used, value) == 3;
    if (!found)
        return NULL;
    *digits = (line[used] == '-') + (int)strspn(line + used + (line[used] == '-'), "0123456789");
    const char after = line[used + *digits];
    return after == '\0' || isspace((unsigned char)after) || after == ';' ? line + used : NULL;
}

static const char *next_line(const char *at)
{
    const char *end = strchr(at, '\n');
    return end ? end + 1 : NULL;
}

json_t *single_change_tunables(const char *source)
{
    json_t *out = json_object();
    char name[64];
    long long value;
    int digits;
    char *code = strip(source);
    for (const char *line = code; line; line = next_line(line))
        if (tunable_at(line, name, &value, &digits))
            json_object_set_new(out, name, json_integer(value));
    free(code);
    return out;
}

char *single_change_set(const char *source, const char *wanted, long long value)
{
    char name[64], *out = NULL;
    long long old;
    int digits;
    for (const char *line = source; line; line = next_line(line)) {
        const char *at = tunable_at(line, name, &old, &digits);
        if (!at || strcmp(name, wanted) != 0)
            continue;
        return asprintf(&out, "%.*s%lld%s", (int)(at - source), source, value, at + digits) < 0 ? NULL : out;
    }
    return NULL;
}

/* The code with each tunable's value replaced by "?", so that only the rest is compared. In place: values only get shorter. */
static void hide_tunables(char *code)
{
    char name[64];
    long long value;
    int digits;
    for (char *line = code; line; line = (char *)next_line(line)) {
        char *at = (char *)tunable_at(line, name, &value, &digits);
        if (!at)
            continue;
        *at = '?';
        memmove(at + 1, at + digits, strlen(at + digits) + 1);
    }
}

/* ---- techniques ---- */

typedef struct technique {
    const char *name;
    const char *signs[14]; /* words whose number in the code tells whether it is used; NULL ends them */
} technique;

static const technique techniques[] = {
    {"shared memory", {"__shared__", NULL}},
    {"vector accesses",
     {"float2", "float4", "int4", "uint4", "longlong2", "half2", "bfloat162", "load_vector", "store_vector",
      NULL}},
    {"unrolling", {"#pragma unroll", NULL}},
    {"warp collectives", {"__shfl", "__ballot", "__reduce_", "__any_sync", "__all_sync", NULL}},
    {"tensor cores", {"mma_sync", "mma.sync", "wgmma", "wmma", "ldmatrix", NULL}},
    {"asynchronous copies", {"cp_async", "cp.async", "memcpy_async", "tma_", "mbarrier", NULL}},
    {"launch bounds", {"__launch_bounds__", NULL}},
    {"read-only loads", {"__ldg", "__ldcs", "__ldlu", "__restrict__", NULL}},
};
enum { TECHNIQUES = sizeof techniques / sizeof *techniques };

static int count_words(const char *code, const char *const *signs)
{
    int count = 0;
    for (; *signs; signs++)
        for (const char *at = code; (at = strstr(at, *signs)) != NULL; at += strlen(*signs))
            count++;
    return count;
}

static void add_techniques(const char *before, const char *after, json_t *changes)
{
    for (int i = 0; i < TECHNIQUES; i++)
        if (count_words(before, techniques[i].signs) != count_words(after, techniques[i].signs))
            json_array_append_new(changes, json_string(techniques[i].name));
}

/* Values that changed; a tunable that came or went belongs to the code around it. */
static void add_tunables(const char *before, const char *after, json_t *changes)
{
    json_t *old = single_change_tunables(before), *now = single_change_tunables(after), *value;
    const char *name;
    json_object_foreach(old, name, value)
    {
        const json_t *other = json_object_get(now, name);
        if (other && !json_equal(other, value))
            json_array_append_new(changes,
                                  json_sprintf("%s %lld -> %lld", name, (long long)json_integer_value(value),
                                               (long long)json_integer_value(other)));
    }
    json_decref(old);
    json_decref(now);
}

assay_status single_change_check(const char *before, const char *after, json_t **out, assay_error *error)
{
    json_t *changes = json_array();
    char *old = strip(before), *now = strip(after), names[400] = "";
    assay_status status = ASSAY_OK;
    if (!old || !now)
        status = assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    if (status == ASSAY_OK) {
        add_tunables(before, after, changes);
        hide_tunables(old);
        hide_tunables(now);
        const size_t tunables = json_array_size(changes);
        add_techniques(old, now, changes);
        if (json_array_size(changes) == tunables && strcmp(old, now) != 0) /* beside a value, too */
            json_array_append_new(changes, json_string("a rewrite"));
    }
    const size_t count = json_array_size(changes);
    for (size_t i = 0; i < count; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "",
                 json_string_value(json_array_get(changes, i)));
    if (status == ASSAY_OK && count == 0)
        status = assay_error_set(error, ASSAY_ERR_CHECK,
                                 "nothing was changed: the code is that of the version before");
    else if (status == ASSAY_OK && count > 1)
        status = assay_error_set(error, ASSAY_ERR_CHECK,
                                 "%zu changes at once (%s); a version makes exactly one", count, names);
    free(old);
    free(now);
    if (out)
        *out = json_incref(changes);
    json_decref(changes);
    return status;
}
