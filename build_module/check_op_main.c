/* assay-check-op: is an op's folder what its op.json says? The build runs it before anything of the op. op.json is read as every command reads it
 * (core/opspec.h); beyond that, variants that op.json names must lie in the folder, and members that "solve" names must be in the op's
 * argument struct. The latter only a C compiler knows: this program writes the assertions that the build then compiles. */
#include "core/json_file.h"
#include "core/opspec.h"
#include "core/utf8.h"
#include "core/text_stream.h"
#include "core/memory.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] = "usage: assay-check-op FOLDER ASSERTIONS.c\n"
                            "Checks FOLDER/op.json and writes a C file whose compilation checks the rest.\n"
                            "Exit status: 0 done, 2 op.json is wrong, 3 a file cannot be read or written.\n";

static assay_status check_variant(const opspec *spec, const char *key, const char *variant,
                                  assay_error *error)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s.cu", spec->directory, variant);
    return access(path, F_OK) == 0
               ? ASSAY_OK
               : assay_error_set(error, ASSAY_ERR_INVALID,
                                 "%s/op.json: key \"%s.%s\" names no variant; allowed: names of the v*.cu in "
                                 "this folder",
                                 spec->directory, key, variant);
}

static assay_status check_variants(const opspec *spec, const json_t *root, assay_error *error)
{
    static const char *const keys[] = {"tunables", "constraints", "budgets", "variant_dtypes"};
    const char *variant;
    json_t *value;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        json_object_foreach(json_object_get(root, keys[i]), variant, value)
        {
            if (check_variant(spec, keys[i], variant, error) != ASSAY_OK)
                return ASSAY_ERR_INVALID;
        }
    }
    size_t index, inner;
    json_t *edge, *item;
    json_array_foreach(json_object_get(root, "edge_cases"), index, edge)
    {
        json_array_foreach(json_object_get(edge, "variants"), inner, item)
        {
            char key[64];
            snprintf(key, sizeof key, "edge_cases[%zu].variants", index);
            if (check_variant(spec, key, json_string_value(item), error) != ASSAY_OK)
                return ASSAY_ERR_INVALID;
        }
    }
    return ASSAY_OK;
}

/* The line directive makes the compiler's error name the file and key that `member` (a name, or a condition that begins with one) is from. */
static void put_assertion(FILE *out, const opspec *spec, size_t form, const char *key, const char *member)
{
    fputs("#line 1 \"", out);
    for (const char *c = spec->directory; *c != '\0'; c++)
        fprintf(out, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
    fprintf(out, "/op.json: key solve[%zu].%s\"\n", form, key);
    fprintf(out, "_Static_assert(sizeof(((%s_args *)0)->%.*s) > 0, \"\");\n", spec->name,
            (int)strcspn(member, " "), member);
}

static void put_assertions(FILE *out, const opspec *spec, const json_t *solve)
{
    static const char *const keys[] = {"arguments", "when"};
    size_t form, index;
    json_t *item, *entry;
    fprintf(out, "/* Written by assay-check-op from op.json of %s. */\ntypedef int op_json_is_checked;\n",
            spec->name);
    if (json_array_size(solve) > 0)
        fprintf(out, "#include \"%s.h\"\n", spec->name);
    json_array_foreach(solve, form, item)
    {
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
            json_array_foreach(json_object_get(item, keys[k]), index, entry)
                put_assertion(out, spec, form, keys[k], json_string_value(entry));
        }
    }
}

static assay_status write_assertions(const opspec *spec, const json_t *root, const char *path,
                                     assay_error *error)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = text_stream_open(&text, &bytes);
    if (out == NULL)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    put_assertions(out, spec, json_object_get(root, "solve"));
    assay_status status = text_stream_close(out, &text)
                              ? text_file_write(path, text, bytes, error)
                              : assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    free(text);
    return status;
}

int main(int argc, char **argv)
{
    memory_require_for_json();
    if (argc != 3) {
        fputs(usage, stderr);
        return ASSAY_EXIT_USAGE;
    }
    assay_error error = {0};
    opspec *spec = NULL;
    json_t *root = NULL;
    char file[PATH_MAX];
    snprintf(file, sizeof file, "%s/op.json", argv[1]);
    assay_status status = opspec_load(argv[1], &spec, &error);
    if (status == ASSAY_OK)
        status = json_file_read(file, &root, &error);
    if (status == ASSAY_OK)
        status = check_variants(spec, root, &error);
    if (status == ASSAY_OK)
        status = write_assertions(spec, root, argv[2], &error);
    json_decref(root);
    opspec_free(spec);
    if (status == ASSAY_OK)
        return ASSAY_EXIT_OK;
    clean_printf(stderr, "%s\n", error.message);
    return assay_status_exit(status);
}
