/* Reading a reference's signature and description: see given_about.h. */
#include "outside/given_about.h"
#include "build_module/module_text.h"
#include "core/json_file.h"
#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const size_t none = (size_t)-1;

/* The line of an offset, from 1. */
static int given_line_of(const char *text, size_t at)
{
    int line = 1;
    for (size_t i = 0; i < at && text[i]; i++)
        line += text[i] == '\n';
    return line;
}

static const given_parameter *given_about_find(const given_about *g, const char *name)
{
    for (int i = 0; i < g->count; i++)
        if (strcmp(g->parameters[i].name, name) == 0)
            return &g->parameters[i];
    return NULL;
}

void given_about_release(given_about *g)
{
    json_decref(g->about);
    g->about = NULL;
}

/* ---- the signature ---- */

/* Does a word of the list stand in [begin, end)? Gives it back. */
static const char *find_type(const char *mask, size_t begin, size_t end, const char *const *words)
{
    for (; *words; words++)
        if (text_find_word(mask, begin, *words) < end)
            return *words;
    return NULL;
}

/* One parameter: "const float *A", "float B[]", "int N", "float alpha". */
static assay_status read_parameter(given_about *g, const char *mask, size_t begin, size_t end,
                                   assay_error *error)
{
    static const char *const reals[] = {"float", "double", NULL};
    static const char *const wholes[] = {"int",      "long",     "size_t",  "unsigned", "int32_t",
                                         "uint32_t", "uint64_t", "int64_t", "short",    NULL};
    given_parameter *p = &g->parameters[g->count];
    const char *bracket = memchr(mask + begin, '[', end - begin);
    const int line = given_line_of(mask, text_skip_space(mask, begin));
    const int is_tensor = bracket || memchr(mask + begin, '*', end - begin);
    size_t last = text_skip_space_back(mask, bracket ? (size_t)(bracket - mask) : end), first = last;
    while (first > begin && text_is_word(mask[first - 1]))
        first--;
    if (g->count == GIVEN_MOST_PARAMETERS)
        return given_fail(g->file, line, error, "%s() has more than %d parameters", g->entry,
                          GIVEN_MOST_PARAMETERS);
    if (last - first < 1 || last - first >= GIVEN_NAME)
        return given_fail(g->file, line, error,
                          "parameter %d of %s(): a name of up to %d characters is expected", g->count + 1,
                          g->entry, GIVEN_NAME - 1);
    *p = (given_parameter){.line = line};
    snprintf(p->name, sizeof p->name, "%.*s", (int)(last - first), mask + first);
    const char *real = find_type(mask, begin, first, reals), *whole = find_type(mask, begin, first, wholes);
    const char *type = is_tensor ? real : real ? real : whole;
    if (!type)
        return given_fail(g->file, line, error, "parameter \"%s\": %s", p->name,
                          is_tensor ? "elements of another type; allowed: float, double"
                                    : "another type; allowed: int, long, size_t and the like, float, double");
    snprintf(p->type, sizeof p->type, "%s", type);
    p->role = is_tensor ? (text_find_word(mask, begin, "const") < end ? GIVEN_INPUT : GIVEN_OUTPUT)
              : real    ? GIVEN_REAL
                        : GIVEN_WHOLE;
    g->count++;
    return ASSAY_OK;
}

static assay_status read_signature(given_about *g, const char *mask, assay_error *error)
{
    static const char *const names[] = {"reference", "solve"};
    size_t open = none, commas[GIVEN_MOST_PARAMETERS];
    for (int i = 0; i < 2 && open == none; i++) {
        open = text_find_function(mask, names[i]);
        snprintf(g->entry, sizeof g->entry, "%s", names[i]);
    }
    if (open == none)
        return given_fail(g->file, 0, error, "it defines neither void solve(...) nor void reference(...)");
    const size_t close = text_match(mask, open);
    g->line = given_line_of(mask, open);
    const int count = text_commas(mask, open + 1, close, commas, GIVEN_MOST_PARAMETERS);
    size_t begin = open + 1;
    assay_status status = ASSAY_OK;
    for (int i = 0; i <= count && i < GIVEN_MOST_PARAMETERS && status == ASSAY_OK; i++) {
        const size_t end = i < count ? commas[i] : close;
        status = read_parameter(g, mask, begin, end, error);
        begin = end + 1;
    }
    return status;
}

/* ---- the description in a file ---- */

/* The line of a key, for messages: the first that has it. */
static int line_of_key(const char *text, const char *key)
{
    char quoted[80];
    snprintf(quoted, sizeof quoted, "\"%s\"", key);
    const char *at = text ? strstr(text, quoted) : NULL;
    return at ? given_line_of(text, (size_t)(at - text)) : 0;
}

static assay_status read_file(given_about *g, const char *path, char **text, assay_error *error)
{
    json_t *given = NULL;
    const char *key;
    json_t *value;
    assay_status status = text_file_read(path, text, NULL, error);
    if (status == ASSAY_OK)
        status = json_file_read(path, &given, error);
    if (status != ASSAY_OK)
        return assay_error_set(error, ASSAY_ERR_INVALID, "%s",
                               error && error->message[0] ? error->message : path);
    json_object_foreach(given, key, value)
    {
        json_t *known = json_object_get(g->about, key);
        if (!known || (json_typeof(known) != json_typeof(value) &&
                       !(strcmp(key, "tolerance") == 0 && json_is_number(value)))) {
            status = given_fail(
                path, line_of_key(*text, key), error,
                known ? "key \"%s\": a value of another kind is expected (docs/outside.md)"
                      : "key \"%s\" is not known; allowed: shapes, sizes, values, uniform, outputs, "
                        "tolerance, flops, op",
                key);
            break;
        }
        if (json_is_number(value))
            json_object_set_new(g->about, key, json_pack("{s:O, s:O}", "atol", value, "rtol", value));
        else
            json_object_set(g->about, key, value);
    }
    json_decref(given);
    return status;
}

/* ---- what belongs together ---- */

/* Line of a name in the description: in a JSON file of the key, in comments of the first line with "assay:" that has the word. */
static int line_of_word(const char *text, int is_json, const char *word)
{
    if (is_json)
        return line_of_key(text, word);
    for (const char *at = text; (at = strstr(at, "assay:")) != NULL; at++) {
        const size_t length = strcspn(at, "\n");
        for (const char *w = at; (w = strstr(w, word)) != NULL && (size_t)(w - at) < length; w++)
            if (!text_is_word(w[-1]) && !text_is_word(w[strlen(word)]))
                return given_line_of(text, (size_t)(at - text));
    }
    return 0;
}

static int count_role(const given_about *g, given_role role, const given_parameter **last)
{
    int count = 0;
    for (int i = 0; i < g->count; i++)
        if (g->parameters[i].role == role) {
            count++;
            *last = &g->parameters[i];
        }
    return count;
}

/* One size and no shapes: all tensors have that many elements, and the sizes are a vector's. */
static void fill_vector(given_about *g)
{
    const given_parameter *n = NULL;
    json_t *shapes = json_object_get(g->about, "shapes"), *sizes = json_object_get(g->about, "sizes");
    if (count_role(g, GIVEN_WHOLE, &n) != 1)
        return;
    for (int i = 0; i < g->count; i++)
        if (g->parameters[i].role <= GIVEN_OUTPUT && !json_object_get(shapes, g->parameters[i].name))
            json_object_set_new(shapes, g->parameters[i].name, json_pack("[s]", n->name));
    if (json_object_size(sizes) > 0)
        return;
    static const struct {
        const char *name;
        int value;
    } vectors[] = {{"small", 1 << 16}, {"medium", 1 << 20}, {"large", 1 << 24}};
    for (size_t i = 0; i < 3; i++)
        json_object_set_new(sizes, vectors[i].name, json_pack("{s:i}", n->name, vectors[i].value));
}

/* An axis: a name, a number, or for outputs an expression of both. */
static int is_axis(const char *text)
{
    return text[0] &&
           strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-*/() ") ==
               strlen(text);
}

/* Axes of inputs are whole parameters or numbers; of outputs also expressions of them. */
static assay_status check_axes(const given_about *g, const given_parameter *p, const json_t *axes, int line,
                               assay_error *error)
{
    size_t i;
    json_t *entry;
    if (json_array_size(axes) > ASSAY_MAX_RANK)
        return given_fail(g->where, line, error, "%s has more than %d axes", p->name, ASSAY_MAX_RANK);
    json_array_foreach(axes, i, entry)
    {
        const char *axis = json_is_string(entry) ? json_string_value(entry) : "";
        const given_parameter *whole = given_about_find(g, axis);
        if ((whole && whole->role == GIVEN_WHOLE) || (axis[0] && strspn(axis, "0123456789") == strlen(axis)))
            continue;
        if (p->role == GIVEN_INPUT || !is_axis(axis))
            return given_fail(g->where, line, error,
                              "axis \"%.40s\" of %s: a whole parameter of %s() or a number%s is expected",
                              axis, p->name, g->entry,
                              p->role == GIVEN_OUTPUT ? ", or an expression of them," : "");
    }
    return ASSAY_OK;
}

static assay_status check_tensors(given_about *g, const char *text, int is_json, assay_error *error)
{
    json_t *shapes = json_object_get(g->about, "shapes"), *value;
    const given_parameter *p = NULL;
    const char *name;
    size_t i;
    json_array_foreach(json_object_get(g->about, "outputs"), i, value)
    {
        p = given_about_find(g, json_is_string(value) ? json_string_value(value) : "");
        if (!p || p->role > GIVEN_OUTPUT)
            return given_fail(g->where, line_of_word(text, is_json, "outputs"), error,
                              "outputs: %s() has no tensor of that name", g->entry);
        g->parameters[p - g->parameters].role = GIVEN_OUTPUT;
    }
    json_object_foreach(shapes, name, value)
    {
        const int line = line_of_word(text, is_json, name);
        p = given_about_find(g, name);
        if (!p || p->role > GIVEN_OUTPUT)
            return given_fail(g->where, line, error, "%s() has no tensor \"%.40s\"", g->entry, name);
        const assay_status status = check_axes(g, p, value, line, error);
        if (status != ASSAY_OK)
            return status;
    }
    for (int n = 0; n < g->count; n++)
        if (g->parameters[n].role <= GIVEN_OUTPUT && !json_object_get(shapes, g->parameters[n].name))
            return given_fail(g->file, g->parameters[n].line, error,
                              "the shape of \"%s\" is not known; say it as in: // assay: %s[M,N]",
                              g->parameters[n].name, g->parameters[n].name);
    if (count_role(g, GIVEN_INPUT, &p) == 0 || count_role(g, GIVEN_OUTPUT, &p) == 0)
        return given_fail(g->file, g->line, error,
                          "%s() needs an input (const float *) and an output (float *) at least", g->entry);
    return ASSAY_OK;
}

static assay_status check_sizes(const given_about *g, const char *text, int is_json, assay_error *error)
{
    const char *name, *dim;
    json_t *size, *value;
    if (json_object_size(json_object_get(g->about, "sizes")) == 0)
        return given_fail(g->where, 0, error,
                          "no size is given; say it as in: // assay: large M=1024 N=1024");
    json_object_foreach(json_object_get(g->about, "sizes"), name, size)
    {
        const int line = line_of_word(text, is_json, name);
        for (int i = 0; i < g->count; i++)
            if (g->parameters[i].role == GIVEN_WHOLE && !json_object_get(size, g->parameters[i].name))
                return given_fail(g->where, line, error, "size \"%s\" has no value for %s", name,
                                  g->parameters[i].name);
        json_object_foreach(size, dim, value)
        {
            const given_parameter *p = given_about_find(g, dim);
            if (!p || p->role != GIVEN_WHOLE || !json_is_integer(value) || json_integer_value(value) < 1)
                return given_fail(
                    g->where, line, error,
                    "size \"%s\": %.40s: whole numbers above 0 for whole parameters of %s() are expected",
                    name, dim, g->entry);
        }
    }
    return ASSAY_OK;
}

assay_status given_about_read(const char *reference, const char *json_file, given_about *out,
                              assay_error *error)
{
    char *text = NULL, *json_text = NULL, *mask = NULL;
    *out =
        (given_about){.about = json_pack("{s:{}, s:{}, s:{}, s:[], s:[], s:{}, s:s, s:{}}", "shapes", "sizes",
                                         "values", "uniform", "outputs", "tolerance", "flops", "", "op")};
    if (!realpath(reference, out->file))
        return assay_error_set(error, ASSAY_ERR_INVALID, "cannot read the reference %s", reference);
    assay_status status = text_file_read(out->file, &text, NULL, error);
    if (status == ASSAY_OK && !(mask = text_mask(text)))
        status = assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    out->where = json_file ? json_file : out->file;
    if (status == ASSAY_OK)
        status = read_signature(out, mask, error);
    if (status == ASSAY_OK)
        status =
            json_file ? read_file(out, json_file, &json_text, error) : given_read_comments(out, text, error);
    if (status == ASSAY_OK) {
        fill_vector(out);
        status = check_tensors(out, json_file ? json_text : text, json_file != NULL, error);
    }
    if (status == ASSAY_OK)
        status = check_sizes(out, json_file ? json_text : text, json_file != NULL, error);
    free(json_text);
    free(mask);
    free(text);
    return status;
}
