/* A workspace of one op and of kernels that are not the tree's; see outside.h. */
#include "outside/outside.h"
#include "build_module/compile.h"
#include "core/json_file.h"
#include "core/list.h"
#include "core/process.h"
#include "core/run_lock.h"
#include "resources/code_hash.h"
#include "resources/resources.h"
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <sha256.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

/* Paths of the base may be relative to it. */
assay_status outside_write_manifest(const workspace *base, const char *op, const char *op_folder,
                                    const char *reference, const char *folder, assay_error *error)
{
    char file[PATH_MAX + 16];
    json_t *out = json_copy(base->manifest);
    const struct {
        const char *key, *value;
        int own;
    } folders[] = {{"source", base->source, 0},   {"baselines", base->baselines, 0},
                   {"libexec", base->libexec, 0}, {"templates", base->templates, 0},
                   {"modules", "modules", 1},     {"results", "results", 1},
                   {"logs", "logs", 1},           {"plots", "plots", 1}};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s%s%s", folders[i].own ? folder : "", folders[i].own ? "/" : "",
                 folders[i].value);
        json_object_set_new(out, folders[i].key, json_string(path));
    }
    json_object_set_new(
        out, "ops",
        json_pack("[{s:s, s:s, s:s}]", "name", op, "directory", op_folder, "reference", reference));
    snprintf(file, sizeof file, "%.*s/modules", PATH_MAX - 1, folder);
    assay_status status = make_folders(file, error);
    snprintf(file, sizeof file, "%.*s/assay.json", PATH_MAX - 1, folder);
    if (status == ASSAY_OK)
        status = json_file_write(file, out, 0, error);
    json_decref(out);
    return status;
}

/* A file of the base under the same name here; what is missing there stays missing. */
static void link_file(const char *from, const char *to)
{
    unlink(to);
    if (access(from, R_OK) == 0)
        (void)!symlink(from, to);
}

/* Two benchmarks at once measure each other: one lock for the base and for what is beside it, where the base can be written to. */
static void share_bench_lock(const workspace *base, const char *folder)
{
    char at[PATH_MAX], from[PATH_MAX + 16], to[PATH_MAX + 16];
    if (!realpath(base->path, at) || access(at, W_OK) != 0)
        return;
    snprintf(from, sizeof from, "%s/.bench.lock", at);
    snprintf(to, sizeof to, "%s/.bench.lock", folder);
    unlink(to);
    (void)!symlink(from, to);
}

assay_status outside_open(const workspace *base, const char *op, const char *folder, outside *out,
                          assay_error *error)
{
    char path[PATH_MAX], file[PATH_MAX + 16];
    *out = (outside){.base = base};
    const workspace_op *found = workspace_find_op(base, op);
    if (!found)
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "unknown op \"%s\"; `assay list` shows what there is", op);
    assay_status status = make_folders(folder, error);
    if (status != ASSAY_OK)
        return status;
    if (!realpath(folder, path))
        return assay_error_set(error, ASSAY_ERR_IO, "cannot use the folder %s: %s", folder, strerror(errno));
    snprintf(file, sizeof file, "%s/.lock", path);
    status = run_lock_hold(file, error);
    if (status != ASSAY_OK)
        return status;
    share_bench_lock(base, path);
    status = outside_write_manifest(base, found->spec->name, found->spec->directory, found->reference, path,
                                    error);
    if (status == ASSAY_OK)
        status = workspace_open(path, &out->ws, error);
    if (status != ASSAY_OK)
        return status;
    out->op = &out->ws->ops[0];
    out->op->variant_count = 0; /* those of the tree are borrowed by name */
    if (base->results[0])
        workspace_use_slug(out->ws, strrchr(base->results, '/') + 1);
    return ASSAY_OK;
}

void outside_close(outside *o)
{
    workspace_close(o->ws);
    o->ws = NULL;
}

void outside_name(const workspace_op *op, const char *file, char out[ASSAY_NAME_MAX])
{
    const char *stem = file_base_name(file);
    char name[ASSAY_NAME_MAX - 8];
    int taken = 0;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(stem, "."), stem);
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c))
            *c = '_';
    for (int i = 0; i < op->variant_count; i++)
        taken |= strcmp(op->variants[i], name) == 0;
    snprintf(out, ASSAY_NAME_MAX, "%s%s", taken || !isalpha((unsigned char)name[0]) ? "mine_" : "", name);
}

static void add_name(outside *o, const char *name)
{
    const size_t used = strlen(o->variants);
    for (int i = 0; i < o->op->variant_count; i++)
        if (strcmp(o->op->variants[i], name) == 0)
            return;
    snprintf(o->op->variants[o->op->variant_count++], ASSAY_NAME_MAX, "%s", name);
    snprintf(o->variants + used, sizeof o->variants - used, "%s%s", used ? "," : "", name);
}

/* What this process has compiled: a version of a kernel is judged once and timed several times, and a compiler of GPU code takes longer
 * than either. Headers do not change meanwhile. */
typedef struct compiled {
    char record[4096], sha256[65];
} compiled;
enum { MOST_COMPILED = 64 };
static compiled made[MOST_COMPILED];
static int made_count;

static compiled *find_compiled(const char *record)
{
    for (int i = 0; i < made_count; i++)
        if (strcmp(made[i].record, record) == 0)
            return &made[i];
    return NULL;
}

static int is_compiled(const char *record, const char *sha256, module_record *out)
{
    const compiled *c = find_compiled(record);
    return c && sha256[0] && strcmp(c->sha256, sha256) == 0 &&
           module_record_read(record, out, NULL) == ASSAY_OK;
}

static void note_compiled(const char *record, const char *sha256)
{
    compiled *c = find_compiled(record);
    if (!c && made_count < MOST_COMPILED)
        c = &made[made_count++];
    if (!c)
        return;
    snprintf(c->record, sizeof c->record, "%s", record);
    snprintf(c->sha256, sizeof c->sha256, "%s", sha256);
}

/* "" where the file cannot be read. The path belongs to it: it stands in messages and in the record. */
static void hash_source(const char *file, char out[65])
{
    char *text = NULL;
    size_t bytes;
    SHA2_CTX context;
    out[0] = '\0';
    if (text_file_read(file, &text, &bytes, NULL) != ASSAY_OK)
        return;
    SHA256Init(&context);
    SHA256Update(&context, (const uint8_t *)file, strlen(file) + 1);
    SHA256Update(&context, (const uint8_t *)text, bytes);
    SHA256End(&context, out);
    free(text);
}

static assay_status compile_one(outside *o, const char *file, const char *name, assay_dtype dtype, int *added,
                                assay_error *error)
{
    outside_module *module = &o->modules[o->module_count];
    module_record record;
    snprintf(module->variant, sizeof module->variant, "%s", name);
    snprintf(module->record, sizeof module->record, "%.3900s/%s.%s.%s.json", o->ws->modules,
             o->op->spec->name, name, assay_dtype_name(dtype));
    const module_request request = {.op = o->op,
                                    .source = file,
                                    .variant = name,
                                    .dtype = dtype,
                                    .record = module->record,
                                    .is_outside = 1,
                                    .inspect = resources_inspect,
                                    .code_hash = code_hash};
    char sha256[65];
    hash_source(file, sha256);
    if (!is_compiled(module->record, sha256, &record)) {
        const assay_status status = module_compile(o->ws, &request, &record, error);
        if (status != ASSAY_OK)
            return status;
        note_compiled(module->record, sha256);
    }
    module->compiles = strcmp(record.status, "ok") == 0;
    if (strcmp(record.status, "skipped") != 0) { /* a contest's kernel is for one dtype */
        o->module_count++;
        ++*added;
    }
    module_record_release(&record);
    return ASSAY_OK;
}

assay_status outside_add(outside *o, const char *file, const char *name, const char *dtypes,
                         assay_error *error)
{
    char path[PATH_MAX];
    const opspec *spec = o->op->spec;
    assay_status status = ASSAY_OK;
    int added = 0;
    if (!realpath(file, path) || access(path, R_OK) != 0)
        return assay_error_set(error, ASSAY_ERR_INVALID, "cannot read kernel file %s: %s", file,
                               strerror(errno));
    if (o->op->variant_count == OUTSIDE_MOST_KERNELS)
        return assay_error_set(error, ASSAY_ERR_INVALID, "at most %d kernels fit one run",
                               OUTSIDE_MOST_KERNELS);
    for (int i = 0; i < spec->dtype_count && status == ASSAY_OK; i++) {
        if (!list_selects(dtypes, assay_dtype_name(spec->dtypes[i])))
            continue;
        if (process_interrupted())
            return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "interrupted while compiling");
        status = compile_one(o, path, name, spec->dtypes[i], &added, error);
    }
    if (status != ASSAY_OK)
        return status;
    if (added == 0)
        return assay_error_set(error, ASSAY_ERR_INVALID, "%s: it is for none of the dtypes asked for", file);
    add_name(o, name);
    return ASSAY_OK;
}

assay_status outside_borrow(outside *o, const char *variants, assay_error *error)
{
    assay_case *cases = NULL;
    int count = 0;
    char from[4400], to[4400];
    const case_filter filter = {.ops = o->op->spec->name, .variants = variants};
    assay_status status = make_folders(o->ws->results, error);
    if (status == ASSAY_OK)
        status = workspace_list_cases(o->base, &filter, 1, &cases, &count, error);
    snprintf(to, sizeof to, "%s/verify", o->ws->results);
    if (status == ASSAY_OK)
        status = make_folders(to, error);
    for (int i = 0; i < count && status == ASSAY_OK; i++) {
        add_name(o, cases[i].variant);
        case_module_path(o->base, &cases[i], from, sizeof from);
        case_module_path(o->ws, &cases[i], to, sizeof to);
        link_file(from, to);
        strcpy(strrchr(from, '.'), ".so"); /* a record names its library beside it */
        strcpy(strrchr(to, '.'), ".so");
        link_file(from, to);
        case_verdict_path(o->base, &cases[i], from, sizeof from);
        case_verdict_path(o->ws, &cases[i], to, sizeof to);
        link_file(from, to);
    }
    free(cases);
    return status;
}

char *outside_compiler_message(const outside *o, const char *name)
{
    for (int i = 0; i < o->module_count; i++) {
        module_record record;
        if (o->modules[i].compiles || strcmp(o->modules[i].variant, name) != 0 ||
            module_record_read(o->modules[i].record, &record, NULL) != ASSAY_OK)
            continue;
        char *text = strdup(record.log);
        module_record_release(&record);
        return text;
    }
    return NULL;
}

/* A seed that a kernel cannot know: short, for it is typed again. */
static uint64_t draw_seed(void)
{
    uint32_t word = 0;
    if (getrandom(&word, sizeof word, 0) != (ssize_t)sizeof word)
        word = (uint32_t)time(NULL);
    return word % 1000000000u + 1;
}

/* Verdicts of kernels from outside lie apart in a build; here they are the ones that bench asks for. */
static assay_status keep_verdicts(const outside *o, const verify_summary *summary, assay_error *error)
{
    assay_status status = ASSAY_OK;
    char from[4800], to[4800];
    size_t i;
    const json_t *item;
    json_array_foreach(summary->cases, i, item)
    {
        char *text = NULL;
        size_t bytes;
        snprintf(from, sizeof from, "%s/outside/verify/%s.json", o->ws->results,
                 json_get_text(item, "name", ""));
        snprintf(to, sizeof to, "%s/verify/%s.json", o->ws->results, json_get_text(item, "name", ""));
        if (status == ASSAY_OK && access(from, R_OK) == 0)
            status = text_file_read(from, &text, &bytes, error);
        if (status == ASSAY_OK && text)
            status = text_file_write(to, text, bytes, error);
        free(text);
    }
    return status;
}

/* Right at one size is not right: the edge cases belong to every answer. */
static const char *with_edge(const char *sizes, char *out, size_t bytes)
{
    if (!sizes || !sizes[0] || list_has(sizes, "edge"))
        return sizes;
    snprintf(out, bytes, "%s,edge", sizes);
    return out;
}

assay_status outside_verify(outside *o, const outside_request *request, verify_summary *summary,
                            assay_error *error)
{
    const char *records[OUTSIDE_MOST_MODULES];
    char sizes[1024];
    const case_filter filter = {.ops = o->op->spec->name,
                                .dtypes = request->dtypes,
                                .sizes = with_edge(request->sizes, sizes, sizeof sizes)};
    for (int i = 0; i < o->module_count; i++)
        records[i] = o->modules[i].record;
    const verify_options options = {.modules = records,
                                    .module_count = o->module_count,
                                    .confined = 1,
                                    .quiet = request->quiet,
                                    .claims = request->claims,
                                    .time_limit_s = request->time_limit_s,
                                    .seed = request->seed ? request->seed : draw_seed()};
    const assay_status status = verify_run(o->ws, &filter, &options, summary, error);
    return status == ASSAY_OK ? keep_verdicts(o, summary, error) : status;
}

/* Variants of the tree that the build has not judged yet. */
static assay_status judge_borrowed(outside *o, const outside_request *request, assay_error *error)
{
    char sizes[1024], names[1024] = "";
    verify_summary summary = {0};
    for (int i = 0; i < o->op->variant_count; i++) {
        int is_outside = 0;
        for (int m = 0; m < o->module_count; m++)
            is_outside |= strcmp(o->modules[m].variant, o->op->variants[i]) == 0;
        if (!is_outside)
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", names[0] ? "," : "",
                     o->op->variants[i]);
    }
    if (!names[0])
        return ASSAY_OK;
    const case_filter filter = {.variants = names,
                                .dtypes = request->dtypes,
                                .sizes = with_edge(request->sizes, sizes, sizeof sizes)};
    const verify_options options = {.unjudged_only = 1, .quiet = 1};
    const assay_status status = verify_run(o->ws, &filter, &options, &summary, error);
    verify_summary_release(&summary);
    return status;
}

assay_status outside_bench(outside *o, const outside_request *request, const bench_options *options,
                           bench_summary *summary, assay_error *error)
{
    char from[4400], to[4400];
    const case_filter filter = {.variants = o->variants, .dtypes = request->dtypes, .sizes = request->sizes};
    bench_options own = *options;
    own.confined = 1;
    assay_status status = judge_borrowed(o, request, error);
    if (status != ASSAY_OK)
        return status;
    snprintf(from, sizeof from, "%s/ceilings.json", o->base->results); /* the card's, measured once */
    snprintf(to, sizeof to, "%s/ceilings.json", o->ws->results);
    link_file(from, to);
    return bench_run(o->ws, &filter, &own, summary, error);
}

json_t *outside_confinement(const outside *o)
{
    char path[4400];
    json_t *document = NULL;
    snprintf(path, sizeof path, "%s/confinement.json", o->ws->results);
    if (json_file_read(path, &document, NULL) != ASSAY_OK)
        return NULL;
    json_t *list = json_incref(json_object_get(document, "confinement"));
    json_decref(document);
    return list;
}
