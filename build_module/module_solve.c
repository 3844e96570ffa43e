/* Recognising a contest's kernel file and writing its entry point; see module_solve.h. */
#include "build_module/module_solve.h"
#include "core/json_file.h"
#include "build_module/module_launch.h"
#include "build_module/module_text.h"
#include "core/text_stream.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PARAMETERS = 64 };
static const size_t none = (size_t)-1;

/* What of the CUDA runtime a file may name and still only launch: it then runs on the harness's stream, and waiting, which
 * contests ask for, is left to the harness. */
static const char *const launching[] = {
    "cudaDeviceSynchronize", "cudaStreamSynchronize", "cudaThreadSynchronize",
    "cudaGetLastError",      "cudaPeekAtLastError",   "cudaGetErrorString",
    "cudaGetErrorName",      "cudaError_t",           "cudaError",
    "cudaSuccess",           "cudaStream_t",          "cudaFuncSetAttribute",
    "cudaFuncSetCacheConfig"};

static int is_launching(const char *word, size_t length)
{
    for (size_t i = 0; i < sizeof launching / sizeof launching[0]; i++)
        if (strlen(launching[i]) == length && strncmp(launching[i], word, length) == 0)
            return 1;
    return strncmp(word, "cudaFuncAttribute", 17) == 0 || strncmp(word, "cudaFuncCache", 13) == 0;
}

/* Names of libraries that launch by themselves, on streams of their own choice. */
static int is_foreign(const char *word, size_t length)
{
    static const char *const prefixes[] = {"cublas", "cudnn",  "cusparse", "cusolver",
                                           "cufft",  "curand", "thrust",   "cub"};
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
        if (strncmp(word, prefixes[i], strlen(prefixes[i])) == 0)
            return 1;
    if (strncmp(word, "cuda", 4) == 0)
        return isupper((unsigned char)word[4]) && !is_launching(word, length);
    return length > 2 && strncmp(word, "cu", 2) == 0 && isupper((unsigned char)word[2]); /* the driver's */
}

/* Headers of the file's own may launch too, and are not translated. */
static int includes_own_header(const char *text, const char *mask)
{
    for (const char *at = mask; (at = strstr(at, "include")) != NULL; at += 7) {
        const size_t hash = text_skip_space_back(mask, (size_t)(at - mask));
        const size_t name = text_skip_space(text, (size_t)(at - mask) + 7);
        if (hash > 0 && mask[hash - 1] == '#' && text[name] == '"')
            return 1;
    }
    return 0;
}

static int may_synchronise(const char *text, const char *mask)
{
    for (size_t at = 0; mask[at] != '\0';) {
        size_t end = at;
        while (text_is_word(mask[end]))
            end++;
        if (end > at && strncmp(mask + at, "cu", 2) == 0 && is_foreign(mask + at, end - at))
            return 1;
        if (end > at && strncmp(mask + at, "thrust", 6) == 0)
            return 1;
        at = end > at ? end : at + 1;
    }
    return includes_own_header(text, mask);
}

/* The element type of a pointer parameter as a bit, 0 for what is no pointer or of another type. */
static unsigned dtype_of(const char *mask, size_t begin, size_t end)
{
    static const struct {
        const char *word;
        assay_dtype dtype;
    } types[] = {{"float", ASSAY_F32},
                 {"half", ASSAY_F16},
                 {"__half", ASSAY_F16},
                 {"__nv_bfloat16", ASSAY_BF16},
                 {"nv_bfloat16", ASSAY_BF16}};
    if (memchr(mask + begin, '*', end - begin) == NULL)
        return 0;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (text_find_word(mask, begin, types[i].word) < end)
            return 1u << types[i].dtype;
    return 0;
}

static void read_parameters(solve_source *source, size_t open)
{
    const size_t close = text_match(source->mask, open);
    size_t commas[MOST_PARAMETERS], begin = open + 1;
    int count = text_commas(source->mask, begin, close, commas, MOST_PARAMETERS);
    source->parameter_count = text_skip_space(source->mask, begin) == close ? 0 : count + 1;
    if (count > MOST_PARAMETERS)
        count = MOST_PARAMETERS;
    for (int i = 0; i <= count; i++) {
        const size_t end = i < count ? commas[i] : close;
        source->dtypes |= dtype_of(source->mask, begin, end);
        begin = end + 1;
    }
}

/* op.json is read again because only here its "solve" is wanted; it was checked when the op was loaded. */
static assay_status find_form(const opspec *spec, solve_source *source, assay_error *error)
{
    char path[4200], counts[128] = "";
    json_t *json = NULL, *form;
    size_t index;
    snprintf(path, sizeof path, "%s/op.json", spec->directory);
    const assay_status status = json_file_read(path, &json, error);
    if (status != ASSAY_OK)
        return status;
    json_array_foreach(json_object_get(json, "solve"), index, form)
    {
        const size_t count = json_array_size(json_object_get(form, "arguments"));
        if (source->form == NULL && (int)count == source->parameter_count)
            source->form = json_incref(form);
        snprintf(counts + strlen(counts), sizeof counts - strlen(counts), "%s%zu", index ? " or " : "",
                 count);
    }
    json_decref(json);
    if (source->form != NULL)
        return ASSAY_OK;
    return assay_error_set(error, ASSAY_ERR_FORMAT,
                           counts[0]
                               ? "error: solve() has %d parameters; %s gives it %s (its key \"solve\")"
                               : "error: solve() has %d parameters, and %s has no key \"solve\" that says "
                                 "which%s",
                           source->parameter_count, path, counts);
}

assay_status solve_read(const opspec *spec, const char *path, int *found, solve_source *source,
                        assay_error *error)
{
    char entry[ASSAY_NAME_MAX + 8];
    *source = (solve_source){0};
    *found = 0;
    assay_status status = text_file_read(path, &source->text, NULL, error);
    if (status != ASSAY_OK)
        return status;
    source->mask = text_mask(source->text);
    if (source->mask == NULL)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    snprintf(entry, sizeof entry, "%s_run", spec->name);
    const size_t open = text_find_function(source->mask, "solve");
    if (open == none || text_find_word(source->mask, 0, entry) != none)
        return ASSAY_OK;
    *found = 1;
    read_parameters(source, open);
    source->synchronises = may_synchronise(source->text, source->mask);
    return find_form(spec, source, error);
}

void solve_release(solve_source *source)
{
    free(source->text);
    free(source->mask);
    json_decref(source->form);
    *source = (solve_source){0};
}

/* "count > 0" as  args->count > 0. opspec_load() checked its form, and the build that it begins with a member. */
static void put_conditions(FILE *out, const json_t *when)
{
    size_t index;
    json_t *condition;
    json_array_foreach((json_t *)when, index, condition) fprintf(
        out, "    if (!(args->%s))\n        return ASSAY_ERR_UNSUPPORTED;\n", json_string_value(condition));
}

static void put_entry_point(FILE *out, const opspec *spec, const solve_source *source)
{
    size_t index;
    json_t *argument;
    fprintf(out,
            "\nextern \"C\" ASSAY_EXPORT assay_status %s_run(const %s_args *args, assay_stream stream)\n{\n",
            spec->name, spec->name);
    put_conditions(out, json_object_get(source->form, "when"));
    fprintf(out, "    return ::assay_solve::call(stream, solve");
    json_array_foreach(json_object_get(source->form, "arguments"), index, argument)
        fprintf(out, ", args->%s", json_string_value(argument));
    fputs(");\n}\n", out);
}

assay_status solve_write(const opspec *spec, const solve_source *source, const char *path, int on_cpu,
                         const char *generated, assay_error *error)
{
    const launch_target target = on_cpu                 ? LAUNCH_ON_CPU
                                 : source->synchronises ? LAUNCH_AS_IS
                                                        : LAUNCH_ON_STREAM;
    char *translated = launch_translate(source->text, source->mask, target), *text = NULL;
    size_t bytes = 0;
    FILE *out = translated ? text_stream_open(&text, &bytes) : NULL;
    if (out == NULL) {
        free(translated);
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    }
    fprintf(out,
            "/* Generated from %s: its text with launches translated, and the entry point that calls its "
            "solve(). */\n",
            path);
    fprintf(out,
            "#define ASSAY_SOLVE_SYNCHRONISES %d\n#include <assay/solve.h>\n#include \"%s.h\"\n#line 1 "
            "\"%s\"\n%s",
            source->synchronises, spec->name, path, translated);
    fprintf(out, "\n#line 1 \"entry point of solve()\"");
    put_entry_point(out, spec, source);
    free(translated);
    assay_status status = text_stream_close(out, &text)
                              ? ASSAY_OK
                              : assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    if (status == ASSAY_OK)
        status = text_file_write(generated, text, bytes, error);
    free(text);
    return status;
}
