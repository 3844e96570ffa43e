/* Making an op of a reference file: see given_op.h. */
#include "outside/given_op.h"
#include "build_module/compile.h"
#include "build_module/module_text.h"
#include "core/json_file.h"
#include "core/process.h"
#include "core/run_lock.h"
#include "outside/given_about.h"
#include "outside/outside.h"
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COMPILE_LIMIT_S = 120 };

int given_op_is_file(const char *word)
{
    const size_t length = word ? strlen(word) : 0;
    return length > 2 && strcmp(word + length - 2, ".c") == 0;
}

/* The reference's stem as a name of C; a name that the base has gets another, so that messages cannot be mistaken. */
static void name_op(const workspace *base, const char *reference, char out[ASSAY_NAME_MAX])
{
    const char *stem = file_base_name(reference);
    char name[ASSAY_NAME_MAX - 16];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(stem, "."), stem);
    for (char *c = name; *c; c++)
        *c = isalnum((unsigned char)*c) ? (char)tolower((unsigned char)*c) : '_';
    snprintf(out, ASSAY_NAME_MAX, "%s%s", isalpha((unsigned char)name[0]) ? "" : "op_", name);
    if (workspace_find_op(base, out))
        snprintf(out, ASSAY_NAME_MAX, "given_%s", name);
}

/* The first lines of what a compiler says that name an error, in one. */
static void find_error(const char *text, char *out, size_t bytes)
{
    const char *at = text ? strstr(text, "error:") : NULL;
    while (at && at > text && at[-1] != '\n')
        at--;
    if (!at)
        at = text ? text : "";
    snprintf(out, bytes, "%.*s", (int)strcspn(at, "\n"), at);
}

/* The sources that lie beside the harness: <assay/op.h> is in one of the toolchain's folders. */
static int collect_words(const workspace *base, const char *folder, const char *library, const char *depfile,
                         const char **words, int most, char source[PATH_MAX + 16],
                         char include[PATH_MAX + 16])
{
    size_t i;
    json_t *path;
    const char *compiler = getenv("CC");
    int count = 0;
    snprintf(source, PATH_MAX + 16, "%s/reference.c", folder);
    snprintf(include, PATH_MAX + 16, "-I%s", folder);
    const char *const fixed[] = {compiler && compiler[0] ? compiler : "cc",
                                 "-std=gnu11",
                                 "-O3",
                                 "-ffp-contract=off",
                                 "-w",
                                 "-fPIC",
                                 "-shared",
                                 "-Werror=implicit-function-declaration",
                                 include};
    for (size_t f = 0; f < sizeof fixed / sizeof *fixed; f++)
        words[count++] = fixed[f];
    json_array_foreach(json_object_get(json_object_get(base->manifest, "toolchain"), "include"), i, path)
    {
        if (count + 10 < most) {
            words[count++] = "-I";
            words[count++] = json_string_value(path);
        }
    }
    const char *const last[] = {"-MMD", "-MF", depfile, "-o", library, source, "-lm", NULL};
    for (size_t l = 0; l < sizeof last / sizeof *last; l++)
        words[count++] = last[l];
    return count;
}

static assay_status compile_reference(const workspace *base, const char *folder, const char *name,
                                      const char *file, assay_error *error)
{
    enum { MOST = 64 };
    const char *words[MOST];
    char library[PATH_MAX + 80], made[PATH_MAX + 96], depfile[PATH_MAX + 80], hash[PATH_MAX + 80],
        source[PATH_MAX + 16], include[PATH_MAX + 16], said[600];
    process_result ended;
    snprintf(library, sizeof library, "%s/%s.so", folder, name);
    snprintf(made, sizeof made, "%s/%s.so.new", folder, name);
    snprintf(depfile, sizeof depfile, "%s/%s.d", folder, name);
    snprintf(hash, sizeof hash, "%s/%s.sha256", folder, name);
    collect_words(base, folder, made, depfile, words, MOST, source, include);
    process_run(words, COMPILE_LIMIT_S, 1, &ended);
    find_error(ended.output, said, sizeof said);
    assay_status status = ASSAY_OK;
    if (ended.end == PROCESS_NOT_STARTED || (ended.end == PROCESS_EXITED && ended.code == 127))
        status =
            assay_error_set(error, ASSAY_ERR_ENVIRONMENT,
                            "there is no C compiler \"%s\" to compile %s with; install one, or name it in CC",
                            words[0], file);
    else if (ended.end != PROCESS_EXITED || ended.code != 0)
        status = assay_error_set(error, ASSAY_ERR_INVALID, "%s does not compile: %s", file, said);
    process_result_release(&ended);
    if (status == ASSAY_OK)
        status = compile_hash_listed(depfile, hash, error);
    if (status == ASSAY_OK && rename(made, library) != 0)
        status = assay_error_set(error, ASSAY_ERR_IO, "cannot write %s: %s", library, strerror(errno));
    if (status != ASSAY_OK)
        unlink(made);
    return status;
}

/* What a contest's kernel takes; one with an entry of Assay's is for all dtypes. */
static unsigned find_dtypes(const char *text)
{
    static const struct {
        const char *word;
        assay_dtype dtype;
    } types[] = {{"float", ASSAY_F32},
                 {"half", ASSAY_F16},
                 {"__half", ASSAY_F16},
                 {"__nv_bfloat16", ASSAY_BF16},
                 {"nv_bfloat16", ASSAY_BF16}};
    const size_t none = (size_t)-1;
    unsigned found = 0;
    char *mask = text_mask(text);
    const size_t open = mask ? text_find_function(mask, "solve") : none,
                 close = open != none ? text_match(mask, open) : none;
    for (size_t i = 0; i < sizeof types / sizeof *types && close != none; i++)
        if (text_find_word(mask, open, types[i].word) < close)
            found |= 1u << types[i].dtype;
    free(mask);
    const unsigned all = 1u << ASSAY_F32 | 1u << ASSAY_F16 | 1u << ASSAY_BF16;
    /* A kernel of 16-bit elements has its real numbers as float, too. */
    if (found & (all ^ 1u << ASSAY_F32))
        found &= all ^ 1u << ASSAY_F32;
    return found ? found : all;
}

static assay_status copy_kernel(const char *kernel, const char *folder, unsigned *dtypes, assay_error *error)
{
    char path[PATH_MAX + 96], *text = NULL;
    size_t bytes = 0;
    if (text_file_read(kernel, &text, &bytes, NULL) != ASSAY_OK)
        return assay_error_set(error, ASSAY_ERR_INVALID, "cannot read kernel file %s", kernel);
    *dtypes = find_dtypes(text);
    snprintf(path, sizeof path, "%s/v0_given.cu", folder);
    const assay_status status = text_file_write(path, text, bytes, error);
    free(text);
    return status;
}

/* The card is known, and so are its ceilings. */
static assay_status use_card(const workspace *base, workspace *made, assay_error *error)
{
    char from[4400], to[4400];
    workspace_use_slug(made, strrchr(base->results, '/') + 1);
    snprintf(from, sizeof from, "%.4200s/ceilings.json", base->results);
    snprintf(to, sizeof to, "%.4200s/ceilings.json", made->results);
    const assay_status status = make_folders(made->results, error);
    unlink(to);
    if (status == ASSAY_OK && access(from, R_OK) == 0 && symlink(from, to) != 0)
        return assay_error_set(error, ASSAY_ERR_IO, "cannot link %s: %s", to, strerror(errno));
    return status;
}

assay_status given_op_open(const workspace *base, const given_op_request *request, workspace **out,
                           assay_error *error)
{
    char folder[PATH_MAX], op_folder[PATH_MAX + 80], library[PATH_MAX + 80], name[ASSAY_NAME_MAX];
    given_about about;
    *out = NULL;
    name_op(base, request->reference, name);
    snprintf(op_folder, sizeof op_folder, "%.4000s/%s", request->folder, name);
    assay_status status = given_about_read(request->reference, request->about, &about, error);
    if (status == ASSAY_OK)
        status = make_folders(op_folder, error);
    if (status == ASSAY_OK && !realpath(request->folder, folder))
        status = assay_error_set(error, ASSAY_ERR_IO, "cannot use the folder %s: %s", request->folder,
                                 strerror(errno));
    snprintf(library, sizeof library, "%.4000s/.lock", request->folder);
    if (status == ASSAY_OK) /* another kernel of a reference of that name may be judged at the same time */
        status = run_lock_hold(library, error);
    if (status == ASSAY_OK) {
        snprintf(op_folder, sizeof op_folder, "%.4000s/%s", folder, name);
        snprintf(library, sizeof library, "%s/%s.so", op_folder, name);
        status = copy_kernel(request->kernel, op_folder, &about.dtypes, error);
    }
    if (status == ASSAY_OK)
        status = given_about_write(&about, name, op_folder, error);
    if (status == ASSAY_OK)
        status = compile_reference(base, op_folder, name, about.file, error);
    if (status == ASSAY_OK)
        status = outside_write_manifest(base, name, op_folder, library, folder, error);
    if (status == ASSAY_OK)
        status = workspace_open(folder, out, error);
    if (status == ASSAY_OK && base->results[0])
        status = use_card(base, *out, error);
    given_about_release(&about);
    return status;
}
