/* Opening a workspace: finding assay.json, resolving its paths, loading the ops it lists. */
#include "core/workspace.h"
#include "core/json_file.h"
#include "core/process.h"
#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Absolute form of a manifest path: itself, or relative to the manifest's folder. */
static void resolve_path(const workspace *ws, const char *path, char *out, size_t out_bytes)
{
    if (path[0] == '/' || path[0] == '\0')
        snprintf(out, out_bytes, "%s", path);
    else
        snprintf(out, out_bytes, "%s/%s", ws->path, path);
}

static assay_status need_folder(const workspace *ws, const char *key, char *out, size_t out_bytes,
                                assay_error *error)
{
    const char *path = json_get_text(ws->manifest, key, NULL);
    if (path == NULL)
        return assay_error_set(error, ASSAY_ERR_FORMAT,
                               "%s/assay.json: missing key \"%s\"; configure the build again", ws->path, key);
    resolve_path(ws, path, out, out_bytes);
    return ASSAY_OK;
}

static int has_manifest(const char *folder)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/assay.json", folder);
    return access(path, R_OK) == 0;
}

/* The folder given, named by the environment, above the executable, or the current one. */
static assay_status find_folder(const char *given, char *out, size_t out_bytes, assay_error *error)
{
    char candidate[PATH_MAX];
    const char *wanted = given ? given : getenv("ASSAY_BUILD");
    if (wanted != NULL && wanted[0] != '\0') {
        if (!has_manifest(wanted) || realpath(wanted, candidate) == NULL)
            return assay_error_set(
                error, ASSAY_ERR_INVALID,
                "%s: no assay.json there; give a configured build folder or an unpacked bundle", wanted);
        snprintf(out, out_bytes, "%s", candidate);
        return ASSAY_OK;
    }
    process_executable_folder(candidate, sizeof candidate);
    for (char *slash; candidate[0] != '\0'; *slash = '\0') {
        if (has_manifest(candidate)) {
            snprintf(out, out_bytes, "%s", candidate);
            return ASSAY_OK;
        }
        if ((slash = strrchr(candidate, '/')) == NULL)
            break;
    }
    if (has_manifest(".") && realpath(".", candidate) != NULL) {
        snprintf(out, out_bytes, "%s", candidate);
        return ASSAY_OK;
    }
    return assay_error_set(error, ASSAY_ERR_INVALID,
                           "no assay.json found; give the build folder with --build DIR");
}

static int is_variant_file(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return entry->d_name[0] == 'v' && dot != NULL && strcmp(dot, ".cu") == 0 &&
           dot - entry->d_name < ASSAY_NAME_MAX;
}

static void add_variants(workspace_op *op, const char *folder, int *found)
{
    struct dirent **entries;
    const int count = scandir(folder, &entries, is_variant_file, alphasort);
    for (int i = 0; i < count; i++) {
        if (op->variant_count < WORKSPACE_MAX_VARIANTS) {
            char *name = op->variants[op->variant_count++];
            snprintf(name, ASSAY_NAME_MAX, "%.*s", (int)(strlen(entries[i]->d_name) - 3), entries[i]->d_name);
        }
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    *found += count > 0 ? count : 0;
}

static int compare_names(const void *x, const void *y)
{
    return strcmp(x, y);
}

static assay_status find_variants(workspace_op *op, assay_error *error)
{
    int count = 0;
    add_variants(op, op->spec->directory, &count);
    if (op->generated[0]) {
        add_variants(op, op->generated, &count);
        qsort(op->variants, (size_t)op->variant_count, sizeof op->variants[0], compare_names);
    }
    if (count > WORKSPACE_MAX_VARIANTS)
        return assay_error_set(error, ASSAY_ERR_INVALID, "%s: %d variants; allowed: up to %d",
                               op->spec->directory, count, WORKSPACE_MAX_VARIANTS);
    return count > 0 ? ASSAY_OK
                     : assay_error_set(error, ASSAY_ERR_INVALID, "%s: no v*.cu there", op->spec->directory);
}

void workspace_variant_source(const workspace_op *op, const char *variant, char *path, size_t path_bytes)
{
    snprintf(path, path_bytes, "%s/%s.cu", op->spec->directory, variant);
    if (op->generated[0] && access(path, F_OK) != 0)
        snprintf(path, path_bytes, "%s/%s.cu", op->generated, variant);
}

static assay_status load_ops(workspace *ws, assay_error *error)
{
    const json_t *list = json_object_get(ws->manifest, "ops");
    size_t index;
    json_t *item;
    if (json_array_size(list) == 0)
        return assay_error_set(error, ASSAY_ERR_FORMAT,
                               "%s/assay.json: no ops; is there an op.json under ops/?", ws->path);
    ws->ops = calloc(json_array_size(list), sizeof *ws->ops);
    if (ws->ops == NULL)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    json_array_foreach(list, index, item)
    {
        workspace_op *op = &ws->ops[index];
        char directory[PATH_MAX];
        resolve_path(ws, json_get_text(item, "directory", ""), directory, sizeof directory);
        resolve_path(ws, json_get_text(item, "reference", ""), op->reference, sizeof op->reference);
        if (json_get_text(item, "generated", NULL))
            resolve_path(ws, json_get_text(item, "generated", ""), op->generated, sizeof op->generated);
        if (access(directory, F_OK) != 0)
            return assay_error_set(
                error, ASSAY_ERR_INVALID,
                "the folder %s of an op that was configured is gone; configure again: cmake %s", directory,
                ws->path);
        assay_status status = opspec_load(directory, &op->spec, error);
        if (status != ASSAY_OK)
            return status;
        ws->op_count = (int)index + 1;
        if ((status = find_variants(op, error)) != ASSAY_OK)
            return status;
    }
    return ASSAY_OK;
}

static assay_status load(workspace *ws, assay_error *error)
{
    char file[PATH_MAX + 16];
    snprintf(file, sizeof file, "%s/assay.json", ws->path);
    assay_status status = json_file_read(file, &ws->manifest, error);
    if (status != ASSAY_OK)
        return status;
    if (json_get_number(ws->manifest, "schema", 0) != 1)
        return assay_error_set(error, ASSAY_ERR_FORMAT,
                               "%s: schema is not 1; configure the build again with this version", file);
    snprintf(ws->device, sizeof ws->device, "%s", json_get_text(ws->manifest, "device", ""));
    if (strcmp(ws->device, "cpu") != 0 && strcmp(ws->device, "cuda") != 0 && strcmp(ws->device, "ptx") != 0)
        return assay_error_set(error, ASSAY_ERR_FORMAT,
                               "%s: key \"device\" is \"%s\"; allowed: cpu, cuda, ptx", file, ws->device);
    const struct {
        const char *key;
        char *out;
    } folders[] = {
        {"source", ws->source},   {"modules", ws->modules},      {"baselines", ws->baselines},
        {"libexec", ws->libexec}, {"results", ws->results_base}, {"logs", ws->logs},
        {"plots", ws->plots},     {"templates", ws->templates},
    };
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        if ((status = need_folder(ws, folders[i].key, folders[i].out, sizeof ws->source, error)) != ASSAY_OK)
            return status;
    return load_ops(ws, error);
}

assay_status workspace_open(const char *path, workspace **out, assay_error *error)
{
    workspace *ws = calloc(1, sizeof *ws);
    if (ws == NULL)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    assay_status status = find_folder(path, ws->path, sizeof ws->path, error);
    if (status == ASSAY_OK)
        status = load(ws, error);
    if (status == ASSAY_OK)
        *out = ws;
    else
        workspace_close(ws);
    return status;
}

int workspace_is_there(const char *path)
{
    char folder[PATH_MAX];
    return find_folder(path, folder, sizeof folder, NULL) == ASSAY_OK;
}

void workspace_close(workspace *ws)
{
    if (ws == NULL)
        return;
    for (int i = 0; i < ws->op_count; i++)
        opspec_free(ws->ops[i].spec);
    free(ws->ops);
    json_decref(ws->manifest);
    free(ws);
}

void workspace_use_slug(workspace *ws, const char *slug)
{
    snprintf(ws->results, sizeof ws->results, "%.3900s/%.128s", ws->results_base, slug);
}

const workspace_op *workspace_find_op(const workspace *ws, const char *name)
{
    for (int i = 0; i < ws->op_count; i++)
        if (strcmp(ws->ops[i].spec->name, name) == 0)
            return &ws->ops[i];
    return NULL;
}

static int ask_git(const char *source, const char *const *words, char *out, size_t out_bytes)
{
    /* Without locks: one that is killed with this process would leave its own behind, and the user's next commit would fail. */
    const char *argv[12] = {"git", "--no-optional-locks", "-C", source};
    for (int i = 0; words[i] != NULL && i < 7; i++)
        argv[4 + i] = words[i];
    process_result result;
    process_run(argv, 20, 1, &result);
    const int ok = result.end == PROCESS_EXITED && result.code == 0;
    snprintf(out, out_bytes, "%.*s", ok ? (int)strcspn(result.output, "\n") : 0,
             result.output ? result.output : "");
    process_result_release(&result);
    return ok;
}

void workspace_commit(const workspace *ws, char commit[64], int *dirty)
{
    char line[256];
    const json_t *recorded = json_object_get(ws->manifest, "git");
    if (ws->source[0] != '\0' &&
        ask_git(ws->source, (const char *const[]){"rev-parse", "HEAD", NULL}, line, sizeof line)) {
        snprintf(commit, 64, "%.63s", line);
        /* Not known to be clean is dirty. */
        *dirty =
            !ask_git(ws->source, (const char *const[]){"status", "--porcelain", NULL}, line, sizeof line) ||
            line[0] != '\0';
        return;
    }
    snprintf(commit, 64, "%.63s", json_get_text(recorded, "commit", "unknown"));
    *dirty = json_get_int(recorded, "dirty", 0);
}

assay_status workspace_load_impl(const workspace_op *op, const assay_op_impl **out, assay_error *error)
{
    void *library = dlopen(op->reference, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL && access(op->reference, F_OK) != 0)
        return assay_error_set(
            error, ASSAY_ERR_ENVIRONMENT,
            "the reference of %s is not built: there is no %s; build the target modules_%s", op->spec->name,
            op->reference, op->spec->name);
    if (library == NULL)
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "cannot load the reference of %s: %s",
                               op->spec->name, dlerror());
    const assay_op_impl *(*get)(void);
    *(void **)&get = dlsym(library, "assay_op_get");
    const assay_op_impl *impl = get ? get() : NULL;
    if (impl == NULL || impl->abi != ASSAY_OP_ABI)
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "%s: assay_op_get() is missing or of another version; build again",
                               op->reference);
    if (strcmp(impl->name, op->spec->name) != 0 || !impl->infer || !impl->bind || !impl->reference ||
        !impl->flops || !impl->bytes)
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "%s: its op table is named \"%s\" or lacks a required function (infer, bind, "
                               "reference, flops, bytes)",
                               op->reference, impl->name);
    *out = impl;
    return ASSAY_OK;
}
