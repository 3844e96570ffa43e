/* assay new-variant: one more kernel file of an op, empty or as a copy of another. */
#include "core/json_file.h"
#include "cli/new.h"
#include "core/text_stream.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct new_variant_arguments {
    cli_options common;
    const char *op, *name, *from;
} new_variant_arguments;

static const struct argp_option options_list[] = {
    {"from", 'f', "VARIANT", 0, "begin with a copy of this variant instead of an empty kernel", 1},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    new_variant_arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->child_inputs[1] = &a->common;
        return 0;
    case 'f':
        a->from = argument;
        return 0;
    case ARGP_KEY_ARG:
        if (a->name != NULL)
            argp_error(state, "an op and a name are expected; \"%s\" is too many", argument);
        *(a->op == NULL ? &a->op : &a->name) = argument;
        return 0;
    case ARGP_KEY_END:
        if (a->name == NULL)
            argp_error(state, "an op and a name are expected, as in: assay new-variant softmax mine");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* The number of a variant's name, v5_mine, or v3b_mine between v3 and v4; 0 if it has none. */
static long number_of(const char *variant)
{
    char *end = NULL;
    const long number =
        variant[0] == 'v' && isdigit((unsigned char)variant[1]) ? strtol(variant + 1, &end, 10) : 0;
    if (end != NULL && islower((unsigned char)*end))
        end++;
    return end != NULL && *end == '_' && end[1] != '\0' ? number : 0;
}

/* `mine` becomes v5_mine where v4 is the highest there is, unless there is some vN_mine; v7_mine stays. */
static void choose_variant(const workspace_op *op, const char *name, char *out, size_t out_bytes)
{
    long highest = 0;
    snprintf(out, out_bytes, "%s", name);
    if (number_of(name) > 0)
        return;
    for (int i = 0; i < op->variant_count; i++) {
        const char *variant = op->variants[i], *rest = strchr(variant, '_');
        if (number_of(variant) > 0 && strcmp(rest + 1, name) == 0) {
            snprintf(out, out_bytes, "%s", variant); /* is refused, as it exists */
            return;
        }
        highest = number_of(variant) > highest ? number_of(variant) : highest;
    }
    snprintf(out, out_bytes, "v%ld_%s", highest + 1, name);
}

/* The members of the op's argument struct as comment lines, "" if the header is written in a way that is not understood. */
static char *read_fields(const workspace_op *op)
{
    char path[4300], begin[ASSAY_NAME_MAX + 32], *text = NULL, *fields = NULL;
    size_t bytes = 0;
    snprintf(path, sizeof path, "%s/%s.h", op->spec->directory, op->spec->name);
    snprintf(begin, sizeof begin, "typedef struct %s_args {\n", op->spec->name);
    FILE *out = text_stream_open(&fields, &bytes);
    if (out == NULL)
        return NULL;
    const char *at = text_file_read(path, &text, NULL, NULL) == ASSAY_OK ? strstr(text, begin) : NULL;
    for (at = at ? at + strlen(begin) : NULL; at != NULL && *at != '}' && *at != '\0';) {
        const int length = (int)strcspn(at, "\n");
        fprintf(out, "//%.*s\n", length, at);
        at += length + (at[length] == '\n');
    }
    free(text);
    return text_stream_close(out, &fields) ? fields : NULL;
}

/* A copy whose head says that it is one. */
static assay_status copy_variant(const workspace_op *op, const char *from, const char *variant, char **out,
                                 assay_error *error)
{
    char path[4300], *text = NULL;
    size_t bytes = 0;
    int known = 0;
    for (int i = 0; i < op->variant_count; i++)
        known |= strcmp(op->variants[i], from) == 0;
    if (!known)
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "--from: %s has no variant \"%s\"; \"assay list --op %s\" shows them",
                               op->spec->name, from, op->spec->name);
    snprintf(path, sizeof path, "%s/%s.cu", op->spec->directory, from);
    const assay_status status = text_file_read(path, &text, NULL, error);
    if (status != ASSAY_OK)
        return status;
    FILE *copy = text_stream_open(out, &bytes);
    if (copy != NULL) {
        fprintf(copy,
                "// %s, %s: FILL IN the idea in one line.\n//\n"
                "// FILL IN: what changes against %s, of which this is a copy; its own words follow.\n//\n%s",
                op->spec->name, variant, from, text);
    }
    free(text);
    return text_stream_close(copy, out) ? ASSAY_OK
                                        : assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
}

static assay_status run(const new_variant_arguments *a, const workspace *ws, assay_error *error)
{
    const workspace_op *op = workspace_find_op(ws, a->op);
    new_file file = {.text = NULL};
    char variant[2 * ASSAY_NAME_MAX];
    assay_status status = new_check_name("variant", a->name, error);
    if (status != ASSAY_OK)
        return status;
    if (op == NULL)
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "unknown op \"%s\"; \"assay list\" shows the ops there are", a->op);
    choose_variant(op, a->name, variant, sizeof variant);
    snprintf(file.path, sizeof file.path, "%s/%s.cu", op->spec->directory, variant);
    if (a->from != NULL) {
        status = copy_variant(op, a->from, variant, &file.text, error);
    } else {
        char *fields = read_fields(op);
        const new_words words = {.name = op->spec->name, .variant = variant, .fields = fields};
        file.text = new_fill(new_template_variant_cu, &words);
        free(fields);
    }
    if (status == ASSAY_OK)
        status = new_write(&file, 1, &a->common, error);
    if (status == ASSAY_OK && !a->common.dry_run && !a->common.json)
        printf("\nFill in what is marked:   grep -n 'FILL IN' %s\n"
               "Build and check%s:\n"
               "  cmake --build %s --target modules_%s -j2 && ctest --test-dir %s -R "
               "'correctness\\.%s\\.%s\\.' --output-on-failure\n",
               file.path, a->from ? "" : " (it fails until it is filled in)", ws->path, a->op, ws->path,
               a->op, variant);
    if (status == ASSAY_OK && !a->common.dry_run && !a->common.json && strcmp(ws->device, "cpu") == 0)
        printf("Races that no result shows:\n  %s/bin/assay verify %s --variant %s --check\n", ws->path,
               a->op, variant);
    return status;
}

int command_new_variant(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options_list,
        .parser = parse,
        .args_doc = "OP NAME",
        .doc =
            "Write one more kernel file into an op's folder; the next build finds it. It compiles, fails its "
            "correctness tests until it is filled in, and marks each place with FILL IN. A NAME without a "
            "number gets the next one: mine becomes v5_mine.\v"
            "Exit status: 0 written, 2 wrong use (a bad name, a file that is there), 3 not writable.",
        .children = cli_no_filter_children,
    };
    new_variant_arguments a = {0};
    assay_error error = {0};
    workspace *ws;
    cli_parse(&argp, argc, argv, &a);
    const int exit_status = cli_open("new-variant", &a.common, &ws);
    if (exit_status != ASSAY_EXIT_OK)
        return exit_status;
    const assay_status status = run(&a, ws, &error);
    workspace_close(ws);
    return status == ASSAY_OK ? ASSAY_EXIT_OK : cli_fail("new-variant", &error);
}
