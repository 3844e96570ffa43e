/* Four variants from a provider: see generate.h. */
#include "optimize/generate.h"
#include "core/json_file.h"
#include "core/process.h"
#include "optimize/attempt.h"
#include "optimize/evidence.h"
#include "optimize/pages.h"
#include "optimize/prompt.h"
#include "outside/results_json.h"
#include "verify/fit_sizes.h"
#include <assay/device.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const struct {
    const char *name, *idea;
} variants[GENERATE_VARIANTS] = {
    {"v1_baseline", "the plain kernel: one thread an output element, nothing clever"},
    {"v2_tiling", "tiles in shared memory, so that data is read from memory once"},
    {"v3_coalesced", "neighbouring threads access neighbouring addresses, with vectors where it is aligned"},
    {"v4_optimized", "everything that makes it fast on this device"}};

typedef struct generator {
    const workspace *base;
    const workspace_op *op;
    const generate_options *options;
    outside_request request; /* the options', with `sizes` */
    char *sizes;             /* those asked for and the names of shrunk ones; NULL: all */
    json_t *state;           /* owned by the caller */
    char folder[PATH_MAX - 128];
    char device_name[128], slug[128];
    assay_device_info device;
} generator;

static void say(const generator *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(const generator *g, const char *format, ...)
{
    va_list arguments;
    if (!g->options->progress)
        return;
    va_start(arguments, format);
    vfprintf(g->options->progress, format, arguments);
    va_end(arguments);
    fflush(g->options->progress);
}

static assay_status save(const generator *g, assay_error *error)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/state.json", g->folder);
    return json_file_write(path, g->state, 0, error);
}

static assay_status open_work(const generator *g, outside *o, assay_error *error)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s/work", g->folder);
    assay_status status = outside_open(g->base, g->op->spec->name, folder, o, error);
    if (status != ASSAY_OK)
        return status;
    workspace_use_slug(o->ws, g->slug);
    status = fit_sizes_add(o->op, json_object_get(g->state, "shrunk"), error);
    if (status != ASSAY_OK)
        outside_close(o);
    return status;
}

static json_t *make_prompt(const generator *g, const outside *o, int v, const json_t *attempts,
                           const json_t *before)
{
    const size_t failed = json_array_size(attempts);
    json_t *prompt = json_pack("{s:i, s:s, s:o, s:s, s:s, s:o}", "schema", 1, "task", "generate", "op",
                               prompt_op(o, g->device_name), "variant", variants[v].name, "idea",
                               variants[v].idea, "answer", provider_answer_rules());
    json_object_set_new(
        prompt, "rule",
        json_string("write one .cu file that includes <assay/kernel.h> and arguments_header, and exports "
                    "OP_run(const OP_args *, assay_stream); or one with extern \"C\" void solve(...)"));
    json_object_set_new(prompt, "experience",
                        evidence_experience(g->options->experience, o->op->spec, &g->device, NULL));
    if (before)
        json_object_set(prompt, "variant_before", (json_t *)before);
    if (failed > 0) {
        json_t *repair = json_deep_copy(json_array_get(attempts, failed - 1));
        json_object_set_new(repair, "attempt", json_integer((json_int_t)failed));
        json_object_set_new(repair, "attempts_left", json_integer(GENERATE_ATTEMPTS - (json_int_t)failed));
        json_object_set_new(prompt, "repair", repair);
    }
    return prompt;
}

/* Who wrote it, from which prompt, when: before anything else in the file. A name of several lines would end the comment. */
static assay_status write_source(const char *path, const char *source, const char *by, const char *hash,
                                 assay_error *error)
{
    char *text = NULL, name[80], date[32];
    const time_t now = time(NULL);
    snprintf(name, sizeof name, "%.79s", by);
    for (char *c = name; *c; c++)
        if ((unsigned char)*c < ' ' || *c == '\\' || *c == '?')
            *c = ' ';
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    if (asprintf(&text, "// Generated. Provider: %s. Prompt: sha256 %s. Date: %s.\n%s", name, hash, date,
                 source) < 0)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    const assay_status status = text_file_write(path, text, strlen(text), error);
    free(text);
    return status;
}

/* Ask once and judge once. What failed is in `a`; *file_path gets the source's place, "" where none came. */
static assay_status try_once(generator *g, int v, json_t *attempts, const json_t *before, attempt *a,
                             char file_path[PATH_MAX], assay_error *error)
{
    char name[400];
    provider_describe(&g->options->provider, name, sizeof name);
    outside o;
    json_t *answer = NULL;
    char hash[65], path[PATH_MAX];
    const size_t number = json_array_size(attempts);
    assay_error failure = {0};
    *a = (attempt){.passed = 0};
    file_path[0] = '\0';
    assay_status status = open_work(g, &o, error);
    if (status != ASSAY_OK)
        return status;
    json_t *prompt = make_prompt(g, &o, v, attempts, before);
    snprintf(path, sizeof path, "%s/history/%s.%zu.prompt.json", g->folder, variants[v].name, number);
    status = json_file_write(path, prompt, 0, error);
    if (status == ASSAY_OK) {
        const assay_status asked = provider_ask(&g->options->provider, prompt, &answer, hash, &failure);
        if (asked == ASSAY_ERR_CHECK)
            attempt_fail(a, "provider", failure.message);
        else if (asked != ASSAY_OK)
            status = assay_error_set(error, asked, "%s", failure.message);
    }
    json_decref(prompt);
    if (status == ASSAY_OK && answer) {
        snprintf(file_path, PATH_MAX, "%s/history/%s.%zu.cu", g->folder, variants[v].name, number);
        status = write_source(file_path, json_get_text(answer, "source", ""),
                              json_get_text(answer, "provider", name), hash, error);
    }
    if (status == ASSAY_OK && answer)
        status = attempt_judge(&o, file_path, variants[v].name, &g->request, a, error);
    outside_close(&o);
    json_decref(answer);
    return status;
}

/* The source takes its place beside the other right ones. */
static assay_status keep(const generator *g, int v, const char *from, json_t *entry, assay_error *error)
{
    char path[PATH_MAX], *text = NULL;
    size_t bytes;
    snprintf(path, sizeof path, "%s/%s.cu", g->folder, variants[v].name);
    assay_status status = text_file_read(from, &text, &bytes, error);
    if (status == ASSAY_OK)
        status = text_file_write(path, text, bytes, error);
    if (status == ASSAY_OK)
        json_object_set_new(entry, "source", json_string(text));
    free(text);
    return status;
}

static assay_status make_variant(generator *g, int v, const json_t *before, assay_error *error)
{
    json_t *all = json_object_get(g->state, "variants"), *entry = json_object_get(all, variants[v].name);
    assay_status status = ASSAY_OK;
    if (!entry) {
        entry = json_pack("{s:s, s:[]}", "outcome", "", "attempts");
        json_object_set_new(all, variants[v].name, entry);
    }
    json_t *attempts = json_object_get(entry, "attempts");
    while (status == ASSAY_OK && !json_get_text(entry, "outcome", "")[0]) {
        attempt a;
        char file[PATH_MAX];
        if (process_interrupted())
            return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "interrupted; run it again to go on");
        status = try_once(g, v, attempts, before, &a, file, error);
        if (status == ASSAY_OK) {
            json_array_append_new(attempts, attempt_json(&a));
            say(g, "%s %s, attempt %zu: %s%s%.200s\n", g->op->spec->name, variants[v].name,
                json_array_size(attempts), a.error_class, a.passed ? "" : ": ",
                !a.passed && a.message ? a.message : "");
            if (a.passed)
                status = keep(g, v, file, entry, error);
            if (status == ASSAY_OK && a.passed)
                json_object_set_new(entry, "outcome", json_string("right"));
            else if (json_array_size(attempts) >= GENERATE_ATTEMPTS)
                json_object_set_new(entry, "outcome", json_string("skipped"));
            json_object_set(entry, "verdicts", a.verdicts ? a.verdicts : json_null());
        }
        if (status == ASSAY_OK)
            status = save(g, error);
        attempt_release(&a);
    }
    return status;
}

static assay_status time_right_ones(generator *g, assay_error *error)
{
    outside o;
    bench_summary summary = {0};
    assay_error failure = {0};
    assay_status status = open_work(g, &o, error);
    for (int v = 0; v < GENERATE_VARIANTS && status == ASSAY_OK; v++) {
        char path[PATH_MAX];
        const json_t *entry = json_object_get(json_object_get(g->state, "variants"), variants[v].name);
        snprintf(path, sizeof path, "%s/%s.cu", g->folder, variants[v].name);
        if (strcmp(json_get_text(entry, "outcome", ""), "right") == 0)
            status = outside_add(&o, path, variants[v].name, g->request.dtypes, error);
    }
    if (status == ASSAY_OK && o.module_count > 0) {
        /* The verdict is that of the file in its place, whose bytes were judged before under history/. */
        const assay_status timed = outside_bench(&o, &g->request, &g->options->bench, &summary, &failure);
        if (timed != ASSAY_OK && timed != ASSAY_ERR_CHECK)
            status = assay_error_set(error, timed, "%s", failure.message);
        else if (process_interrupted())
            status = assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "interrupted; run it again to go on");
    }
    if (status == ASSAY_OK && o.module_count > 0) {
        const case_filter filter = {
            .variants = o.variants, .dtypes = g->request.dtypes, .sizes = g->request.sizes};
        json_object_set_new(g->state, "results", results_json(o.ws->results, &filter));
    }
    if (o.ws)
        outside_close(&o);
    return status;
}

/* Those of this op, once for the whole run: a run that goes on has its sizes from where it began. */
static assay_status take_shrunk(generator *g, assay_error *error)
{
    json_t *own = json_object_get(g->state, "shrunk"), *one;
    size_t i;
    if (!own) {
        own = json_array();
        json_array_foreach((json_t *)g->options->shrunk, i,
                           one) if (strcmp(json_get_text(one, "op", ""), g->op->spec->name) == 0)
            json_array_append(own, one);
        json_object_set_new(g->state, "shrunk", own);
    }
    const char *asked = g->options->request.sizes;
    g->request = g->options->request;
    g->request.sizes = g->sizes = fit_sizes_list(g->base, g->op->spec->name, asked, own);
    return (asked || json_array_size(own) > 0) && !g->sizes
               ? assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory")
               : ASSAY_OK;
}

static assay_status load(generator *g, assay_error *error)
{
    char path[PATH_MAX], name[400];
    snprintf(path, sizeof path, "%s/state.json", g->folder);
    provider_describe(&g->options->provider, name, sizeof name);
    if (access(path, F_OK) != 0) {
        g->state = json_pack("{s:i, s:s, s:s, s:s, s:{}}", "schema", 1, "op", g->op->spec->name, "provider",
                             name, "device", g->device_name, "variants");
        return ASSAY_OK;
    }
    const assay_status status = json_file_read(path, &g->state, error);
    if (status == ASSAY_OK && strcmp(json_get_text(g->state, "device", ""), g->device_name) != 0)
        return assay_error_set(error, ASSAY_ERR_INVALID, "%s is of another device (%s); give another --out",
                               path, json_get_text(g->state, "device", ""));
    return status;
}

static assay_status describe_device(generator *g, assay_error *error)
{
    assay_device *device = NULL;
    const assay_status status =
        assay_device_open(g->base->device, g->options->bench.device_ordinal, &device, error);
    if (status != ASSAY_OK)
        return status;
    g->device = *assay_device_get_info(device);
    snprintf(g->device_name, sizeof g->device_name, "%s", assay_device_get_info(device)->name);
    snprintf(g->slug, sizeof g->slug, "%s", assay_device_get_info(device)->slug);
    assay_device_close(device);
    return ASSAY_OK;
}

assay_status generate_op(const workspace *base, const workspace_op *op, const generate_options *options,
                         json_t **state, assay_error *error)
{
    generator *g = calloc(1, sizeof *g);
    char folder[PATH_MAX], history[PATH_MAX + 16];
    *state = NULL;
    if (!g)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    *g = (generator){.base = base, .op = op, .options = options};
    snprintf(folder, sizeof folder, "%.3900s/%s", options->out, op->spec->name);
    snprintf(history, sizeof history, "%s/history", folder);
    assay_status status = make_folders(history, error);
    if (status == ASSAY_OK && !realpath(folder, history))
        status = assay_error_set(error, ASSAY_ERR_IO, "cannot use the folder %s", folder);
    snprintf(g->folder, sizeof g->folder, "%.3900s", history);
    if (status == ASSAY_OK)
        status = describe_device(g, error);
    if (status == ASSAY_OK)
        status = load(g, error);
    if (status == ASSAY_OK)
        status = take_shrunk(g, error);
    const json_t *before = NULL;
    for (int v = 0; v < GENERATE_VARIANTS && status == ASSAY_OK; v++) {
        const json_t *entry;
        status = make_variant(g, v, before, error);
        entry = json_object_get(json_object_get(g->state, "variants"), variants[v].name);
        before = json_object_get(entry, "source") ? json_object_get(entry, "source") : before;
    }
    if (status == ASSAY_OK && !json_object_get(g->state, "results"))
        status = time_right_ones(g, error);
    if (status == ASSAY_OK)
        status = save(g, error);
    if (status == ASSAY_OK)
        status = page_generate_log(g->folder, op->spec, g->state, error);
    *state = g->state;
    free(g->sizes);
    free(g);
    return status;
}
