/* assay schema: what a command prints with --json, as a JSON schema, and whether a document is so. */
#include "cli/cli.h"
#include "cli/schema_texts.h"
#include "core/schema.h"
#include <stdio.h>
#include <string.h>

typedef struct schema_arguments {
    cli_options common;
    const char *command, *check;
} schema_arguments;

static const struct argp_option options_list[] = {
    {"check", 'c', "FILE", 0, "hold this document against the command's schema; - is standard input", 1},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    schema_arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->common;
        return 0;
    case 'c':
        a->check = argument;
        return 0;
    case ARGP_KEY_ARG:
        if (a->command != NULL)
            argp_error(state, "one command is expected, not \"%s\" and \"%s\"", a->command, argument);
        a->command = argument;
        return 0;
    case ARGP_KEY_END:
        if (a->check && !a->command)
            argp_error(state, "--check: of which command?");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int list_commands(int json)
{
    json_t *list = json_array();
    for (const schema_text *s = schema_texts; s->command; s++) {
        json_array_append_new(list, json_string(s->command));
        if (!json)
            printf("%s\n", s->command);
    }
    if (json)
        cli_print_json(json_pack("{s:O}", "commands", list));
    json_decref(list);
    return ASSAY_EXIT_OK;
}

static assay_status check(const char *schema_json, const char *path, assay_error *error)
{
    const char *file = strcmp(path, "-") == 0 ? "/dev/stdin" : path;
    json_error_t why;
    json_t *schema = json_loads(schema_json, 0, NULL), *value = json_load_file(file, 0, &why);
    assay_status status = ASSAY_OK;
    if (!value)
        status = assay_error_set(error, ASSAY_ERR_FORMAT, "%s: line %d, column %d: %s", file, why.line,
                                 why.column, why.text);
    else if (schema_check(schema, value, file, error) != ASSAY_OK)
        status = ASSAY_ERR_CHECK;
    json_decref(schema);
    json_decref(value);
    return status;
}

int command_schema(int argc, char **argv)
{
    static const struct argp_child children[] = {{&cli_common_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        .options = options_list,
        .parser = parse,
        .args_doc = "[COMMAND]",
        .doc = "Print the JSON schema of what a command prints with --json, or the commands that have one.\v"
               "Exit status: 0 done, 1 the document of --check is not so, 2 wrong use.",
        .children = children,
    };
    schema_arguments a = {0};
    assay_error error = {0};
    cli_parse(&argp, argc, argv, &a);
    if (!a.command)
        return list_commands(a.common.json);
    const schema_text *s = schema_texts;
    while (s->command && strcmp(s->command, a.command) != 0)
        s++;
    if (!s->command)
        assay_error_set(&error, ASSAY_ERR_INVALID,
                        "no command \"%s\" has a schema; `assay schema` lists those that have", a.command);
    else if (a.check && (error.status = check(s->text, a.check, &error)) == ASSAY_ERR_CHECK) {
        fprintf(stderr, "assay schema: %s\n", error.message);
        return ASSAY_EXIT_CHECK;
    } else if (!a.check)
        fputs(s->text, stdout);
    return error.status == ASSAY_OK ? ASSAY_EXIT_OK : cli_fail("schema", &error);
}
