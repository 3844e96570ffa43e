/* The table of tools: see tools.h. */
#include "mcp/tools.h"
#include "core/json_file.h"
#include "core/schema.h"
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILTERS                                                                                          \
    {"variant", "--variant", ARGUMENT_TEXT, 0, "only these variants, with commas; v4 means all v4_..."}, \
        {"dtype", "--dtype", ARGUMENT_TEXT, 0, "only these dtypes, with commas: f32, tf32, f16, bf16"},  \
    {                                                                                                    \
        "size", "--size", ARGUMENT_TEXT, 0, "only these sizes, with commas: small, medium, large, edge"  \
    }
#define KERNEL                                                              \
    {"source", "--source", ARGUMENT_SOURCE, 0,                              \
     "text of a .cu file from outside the tree, which is judged confined"}, \
    {                                                                       \
        "source_file", "--source", ARGUMENT_TEXT, 0, "the same as a path"   \
    }
#define OP                                                                                            \
    {                                                                                                 \
        "op", "--op", ARGUMENT_TEXT, 0, "only these ops, with commas; one op where a source is given" \
    }
#define END                                \
    {                                      \
        NULL, NULL, ARGUMENT_TEXT, 0, NULL \
    }

static const tool_argument list_arguments[] = {OP, FILTERS, END};
static const tool_argument verify_arguments[] = {
    OP,
    FILTERS,
    KERNEL,
    {"check", "--check", ARGUMENT_FLAG, 0,
     "watch every access on the CPU device: races, accesses out of bounds"},
    {"claim", "--claim", ARGUMENT_TEXT, 0, "extras of op.json that the kernel of source claims"},
    {"seed", "--seed", ARGUMENT_NUMBER, 0, "seed of the inputs; drawn where none is given"},
    {"time_limit", "--time-limit", ARGUMENT_NUMBER, 0, "seconds for a case"},
    END};
static const tool_argument bench_arguments[] = {
    OP,
    FILTERS,
    KERNEL,
    {"quick", "--quick", ARGUMENT_FLAG, 0, "three short repetitions: a look, not a result"},
    {"force", "--force", ARGUMENT_FLAG, 0, "measure again what is fresh"},
    {"baselines", "--baselines", ARGUMENT_TEXT, 0, "only these baselines, with commas; none for none"},
    {"modes", "--modes", ARGUMENT_TEXT, 0,
     "timing modes, with commas; an unknown one is answered by all there are"},
    {"repetitions", "--repetitions", ARGUMENT_NUMBER, 0, "of each case"},
    END};
static const tool_argument compare_arguments[] = {
    {"base", NULL, ARGUMENT_PLACE, 1, "result file, folder of results, or commit in the history"},
    {"new", NULL, ARGUMENT_PLACE, 1, "what is held against it"},
    OP,
    FILTERS,
    END};
static const tool_argument resources_arguments[] = {
    OP, FILTERS, {"check", "--check", ARGUMENT_FLAG, 0, "hold them against the budgets of op.json"}, END};
static const tool_argument targets_arguments[] = {
    OP, {"results", NULL, ARGUMENT_PLACE, 0, "folder of results; default: the build's"}, END};
static const tool_argument no_arguments[] = {END};
static const tool_argument profile_arguments[] = {
    {"op", "--op", ARGUMENT_TEXT, 1, "one op"},
    {"variant", "--variant", ARGUMENT_TEXT, 1, "its variants, with commas"},
    {"dtype", "--dtype", ARGUMENT_TEXT, 0, "only these dtypes"},
    {"size", "--size", ARGUMENT_TEXT, 0, "only these sizes"},
    END};
static const tool_argument experience_arguments[] = {
    {"kind", "--kind", ARGUMENT_TEXT, 0,
     "matmul, attention, convolution, row, reduction, elementwise, transpose, other"},
    {"chip", "--chip", ARGUMENT_TEXT, 0, "sm_90, sm_80 ..."},
    {"bottleneck", "--bottleneck", ARGUMENT_TEXT, 0, "memory, latency, compute, occupancy, launch ..."},
    END};

static const tool tools[] = {
    {"list", "list", "List the ops, variants, dtypes, sizes and cases of the build.", NULL, list_arguments},
    {"verify", "verify",
     "Judge kernels against a reference in double precision: the tree's, or one given as text or file. A "
     "verdict has a status and the reason of a failure. Slow for many cases: name op, dtype and size.",
     NULL, verify_arguments},
    {"bench", "bench",
     "Time kernels that passed, and the op's baselines; a kernel given as text or file is judged first. Name "
     "op, "
     "dtype and size: all cases take hours.",
     NULL, bench_arguments},
    {"compare", "compare",
     "Say which cases got slower, faster or stayed the same between two sets of results.", NULL,
     compare_arguments},
    {"resources", "resources", "Registers, spills and occupancy of compiled CUDA kernels.", NULL,
     resources_arguments},
    {"targets", "targets", "Hold the best kernels to a copy of the same bytes and to the best baselines.",
     NULL, targets_arguments},
    {"env", "env", "What was found on this machine, and what each lack costs.", NULL, no_arguments},
    {"profile", "profile", "Say why a kernel is as fast as it is.", NULL, profile_arguments},
    {"experience", "experience",
     "Strategies that helped such kernels before, best first, with their evidence.", "recommend",
     experience_arguments},
};
enum { TOOL_COUNT = sizeof tools / sizeof *tools };

const tool *tool_find(const mcp_options *options, const char *name)
{
    for (int i = 0; i < TOOL_COUNT; i++)
        if (strcmp(tools[i].name, name) == 0 && options->schema_of(tools[i].command))
            return &tools[i];
    return NULL;
}

/* ---- what tools/list says ---- */

static json_t *input_schema(const tool *t)
{
    static const char *const types[] = {"string", "integer", "boolean", "string", "string"};
    json_t *properties = json_object(), *required = json_array();
    for (const tool_argument *a = t->arguments; a->name; a++) {
        json_object_set_new(properties, a->name,
                            json_pack("{s:s, s:s}", "type", types[a->kind], "description", a->about));
        if (a->required)
            json_array_append_new(required, json_string(a->name));
    }
    return json_pack("{s:s, s:o, s:o, s:b}", "type", "object", "properties", properties, "required", required,
                     "additionalProperties", 0);
}

/* The command's own schema in an envelope that says how it ended. */
static json_t *output_schema(const mcp_options *options, const tool *t)
{
    json_t *own = json_loads(options->schema_of(t->command), 0, NULL);
    if (!own)
        return NULL;
    json_object_del(own, "$schema");
    return json_pack("{s:s, s:{s:{s:s, s:s}, s:{s:s}, s:{s:[o, {s:s}]}, s:{s:s}}, s:[s, s, s, s]}", "type",
                     "object", "properties", "exit_status", "type", "integer", "description",
                     "0 done, 1 a check failed, 2 wrong use, 3 something needed is missing, 77 skipped",
                     "status", "type", "string", "output", "anyOf", own, "type", "null", "messages", "type",
                     "string", "required", "exit_status", "status", "output", "messages");
}

json_t *tools_list(const mcp_options *options)
{
    json_t *list = json_array();
    for (int i = 0; i < TOOL_COUNT; i++) {
        if (!tool_find(options, tools[i].name))
            continue;
        json_t *item = json_pack("{s:s, s:s, s:o, s:o*}", "name", tools[i].name, "description",
                                 tools[i].about, "inputSchema", input_schema(&tools[i]), "outputSchema",
                                 output_schema(options, &tools[i]));
        json_array_append_new(list, item);
    }
    return list;
}

/* ---- from arguments to words ---- */

static void add_word(char *words[TOOL_MOST_WORDS], const char *word)
{
    int count = 0;
    while (words[count])
        count++;
    if (count + 1 < TOOL_MOST_WORDS)
        words[count] = strdup(word);
}

/* "--option=value" in one word: a value that begins with "-" stays a value. */
static void add_option(char *words[TOOL_MOST_WORDS], const char *option, const char *value)
{
    char *word = NULL;
    if (asprintf(&word, "%s=%s", option, value) < 0)
        return;
    add_word(words, word);
    free(word);
}

static assay_status write_source(const mcp_options *options, const char *text, char *path, assay_error *error)
{
    static int number;
    snprintf(path, PATH_MAX, "%s/kernel_%ld_%d.cu", options->scratch, (long)getpid(), ++number);
    return text_file_write(path, text, strlen(text), error);
}

static assay_status add_argument(const mcp_options *options, const tool_argument *a, const json_t *value,
                                 char *words[TOOL_MOST_WORDS], char *source_path, assay_error *error)
{
    char number[32];
    const char *text = json_string_value(value);
    if (a->kind == ARGUMENT_FLAG) {
        if (json_is_true(value))
            add_word(words, a->option);
        return ASSAY_OK;
    }
    if (a->kind == ARGUMENT_NUMBER) {
        snprintf(number, sizeof number, "%lld", (long long)json_integer_value(value));
        add_option(words, a->option, number);
        return ASSAY_OK;
    }
    if (a->kind == ARGUMENT_SOURCE) {
        const assay_status status = write_source(options, text, source_path, error);
        if (status == ASSAY_OK)
            add_option(words, a->option, source_path);
        return status;
    }
    if (a->kind == ARGUMENT_TEXT)
        add_option(words, a->option, text);
    else if (text[0] == '-' || text[0] == '\0')
        return assay_error_set(error, ASSAY_ERR_INVALID, "%s: a path or commit is expected, not \"%s\"",
                               a->name, text);
    else
        add_word(words, text);
    return ASSAY_OK;
}

assay_status tool_words(const mcp_options *options, const tool *t, const json_t *arguments,
                        char *words[TOOL_MOST_WORDS], char *source_path, assay_error *error)
{
    json_t *schema = input_schema(t), *none = json_object();
    const json_t *given = arguments && !json_is_null(arguments) ? arguments : none;
    assay_status status = schema_check(schema, given, t->name, error);
    memset(words, 0, TOOL_MOST_WORDS * sizeof *words);
    source_path[0] = '\0';
    if (status == ASSAY_OK && json_object_get(given, "source") && json_object_get(given, "source_file"))
        status = assay_error_set(error, ASSAY_ERR_INVALID, "source or source_file, not both");
    add_word(words, options->program);
    add_word(words, t->command);
    add_word(words, "--json");
    if (options->build)
        add_option(words, "--build", options->build);
    if (t->fixed)
        add_word(words, t->fixed);
    for (const tool_argument *a = t->arguments; a->name && status == ASSAY_OK; a++) {
        const json_t *value = json_object_get(given, a->name);
        if (value)
            status = add_argument(options, a, value, words, source_path, error);
    }
    json_decref(schema);
    json_decref(none);
    return status;
}

void tool_free_words(char *words[TOOL_MOST_WORDS])
{
    for (int i = 0; i < TOOL_MOST_WORDS; i++)
        free(words[i]);
    memset(words, 0, TOOL_MOST_WORDS * sizeof *words);
}
