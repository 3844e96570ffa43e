/* Filling in templates and writing them; see new.h. */
#include "cli/new.h"
#include "core/json_file.h"
#include "core/text_stream.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST_NAME = 40 }; /* of ASSAY_NAME_MAX, which also holds suffixes */

/* The word of a placeholder that starts at `at`, and the placeholder's length; NULL if none starts there. */
static const char *find_word(const char *at, const new_words *words, const char *upper, size_t *length)
{
    const struct {
        const char *placeholder, *word;
    } known[] = {
        {"{{NAME}}", words->name},
        {"{{UPPER}}", upper},
        {"{{VARIANT}}", words->variant},
        {"{{FIELDS}}\n", words->fields},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        *length = strlen(known[i].placeholder);
        if (strncmp(at, known[i].placeholder, *length) == 0)
            return known[i].word ? known[i].word : "";
    }
    return NULL;
}

char *new_fill(const char *template_text, const new_words *words)
{
    char upper[LONGEST_NAME + 1] = "";
    char *text = NULL;
    size_t bytes = 0, length;
    for (size_t i = 0; words->name[i] != '\0' && i < LONGEST_NAME; i++) {
        upper[i] = (char)toupper((unsigned char)words->name[i]);
        upper[i + 1] = '\0';
    }
    FILE *out = text_stream_open(&text, &bytes);
    if (out == NULL)
        return NULL;
    for (const char *at = template_text; *at != '\0';) {
        const char *word = find_word(at, words, upper, &length);
        if (word != NULL)
            fputs(word, out);
        else
            fputc(*at, out);
        at += word != NULL ? length : 1;
    }
    return text_stream_close(out, &text) ? text : NULL;
}

assay_status new_check_name(const char *what, const char *name, assay_error *error)
{
    int right = islower((unsigned char)name[0]) && strlen(name) <= LONGEST_NAME;
    for (const char *at = name; *at != '\0'; at++)
        right = right && (islower((unsigned char)*at) || isdigit((unsigned char)*at) || *at == '_');
    return right ? ASSAY_OK
                 : assay_error_set(error, ASSAY_ERR_INVALID,
                                   "%s \"%s\": lower-case letters, digits and underscores are allowed, "
                                   "beginning with a letter, up to %d of them",
                                   what, name, LONGEST_NAME);
}

assay_status new_write(new_file *files, int count, const cli_options *options, assay_error *error)
{
    const int dry_run = options->dry_run;
    json_t *list = json_array();
    assay_status status = ASSAY_OK;
    for (int i = 0; i < count && status == ASSAY_OK; i++) {
        if (files[i].text == NULL)
            status = assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
        else if (access(files[i].path, F_OK) == 0)
            status = assay_error_set(
                error, ASSAY_ERR_INVALID,
                "%s exists already; nothing was written (remove it, or choose another name)", files[i].path);
    }
    for (int i = 0; i < count; i++) {
        if (status == ASSAY_OK && !dry_run)
            status = text_file_write(files[i].path, files[i].text, strlen(files[i].text), error);
        if (status == ASSAY_OK)
            json_array_append_new(list, json_string(files[i].path));
        if (status == ASSAY_OK && !options->json)
            printf("%s %s\n", dry_run ? "would write" : "wrote", files[i].path);
        free(files[i].text);
        files[i].text = NULL;
    }
    if (status == ASSAY_OK && options->json)
        cli_print_json(json_pack("{s:O}", "files", list));
    json_decref(list);
    return status;
}
