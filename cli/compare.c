/* assay compare: which cases got slower between two files, folders or commits. */
#include "history/compare.h"
#include "core/utf8.h"
#include "history/compare_output.h"
#include "history/compare_repeat.h"
#include "cli/history_db.h"
#include "core/json_file.h"
#include "core/list.h"
#include "core/utf8.h"
#include "core/text_stream.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_OUTPUTS = 4 };

typedef struct compare_arguments {
    cli_options common;
    history_options history;
    compare_options options;
    const char *sides[2];
    int side_count, all, explain, repeat;
    const char *outputs[MOST_OUTPUTS]; /* by compare_format; NULL: not asked for, "-": standard output */
} compare_arguments;

enum {
    KEY_ALLOW = 0x400,
    KEY_REPEAT,
    KEY_ALL,
    KEY_EXPLAIN,
    KEY_BASELINES,
    KEY_ENVIRONMENT,
    KEY_EFFECT,
    KEY_MARKDOWN,
    KEY_JUNIT,
    KEY_TEXT
};

static const struct argp_option options_list[] = {
    {"modes", 'G', "LIST", 0, "timing modes to compare: cold (default), hot, burst, sustained, ...", 1},
    {"allow", KEY_ALLOW, "LIST", 0, "compare although these differ: card, driver, math, inputs, method", 1},
    {"repeat", KEY_REPEAT, NULL, 0,
     "measure cases that look slower once more with assay bench, if the build folder holds NEW's kernels, "
     "before they are called slower",
     1},
    {"minimum-effect", KEY_EFFECT, "X", 0, "percent of change that matters (default 1, and at least 0.1 us)",
     1},
    {"gate-environment", KEY_ENVIRONMENT, NULL, 0,
     "fail also where times rose with the same machine code, card, driver and method", 1},
    {"baselines", KEY_BASELINES, NULL, 0, "compare baselines too, not only variants", 1},
    {"all", KEY_ALL, NULL, 0, "list every case, not only what changed", 1},
    {"explain", KEY_EXPLAIN, NULL, 0,
     "the evidence below each line: tests, runs, corrections, load and clock", 1},
    {"markdown", KEY_MARKDOWN, "FILE", OPTION_ARG_OPTIONAL, "write Markdown, to FILE or standard output", 2},
    {"junit", KEY_JUNIT, "FILE", OPTION_ARG_OPTIONAL, "write JUnit XML", 2},
    {"json-file", KEY_TEXT, "FILE", 0, "write JSON to FILE; --json writes it to standard output", 2},
    {0},
};

static double percent(struct argp_state *state, const char *name, const char *text)
{
    char *end = NULL;
    const double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(value > 0) || !isfinite(value))
        argp_error(state, "--%s: a number above 0 is expected, not \"%s\"", name, text);
    return value * 0.01;
}

static unsigned parse_allow(struct argp_state *state, const char *text)
{
    static const struct {
        const char *word;
        identity_part part;
    } words[] = {{"card", IDENTITY_CARD_MODEL},
                 {"driver", IDENTITY_DRIVER},
                 {"math", IDENTITY_MATH_MODE},
                 {"inputs", IDENTITY_INPUTS},
                 {"method", IDENTITY_METHOD}};
    unsigned allow = 0;
    for (list_item item = {0}; list_next(text, &item);) {
        size_t i = 0;
        while (i < 5 && !list_item_is(&item, words[i].word))
            i++;
        if (i == 5)
            argp_error(state, "--allow: card, driver, math, inputs or method is expected, not \"%.*s\"",
                       item.length, item.text);
        else
            allow |= IDENTITY_BIT(words[i].part);
    }
    return allow;
}

static timing_modes parse_modes(struct argp_state *state, const char *text)
{
    timing_modes modes = 0;
    assay_error error = {0};
    if (timing_modes_parse(text, &modes, &error) != ASSAY_OK)
        argp_error(state, "--modes: %s", error.message);
    return modes;
}

/* Two formats in one stream are neither. */
static void check_outputs(const compare_arguments *a, struct argp_state *state)
{
    int to_stdout = a->common.json;
    for (int f = 0; f < MOST_OUTPUTS; f++) {
        if (a->outputs[f] && a->outputs[f][0] == '\0')
            argp_error(state, "the name of a file to write is empty");
        to_stdout += a->outputs[f] && strcmp(a->outputs[f], "-") == 0;
    }
    if (to_stdout > 1)
        argp_error(
            state,
            "--json, --markdown and --junit: only one can go to standard output; give the others a FILE");
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    compare_arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->child_inputs[1] = &a->common;
        state->child_inputs[2] = &a->history;
        return 0;
    case 'G':
        a->options.modes = parse_modes(state, argument);
        return 0;
    case KEY_ALLOW:
        a->options.allow |= parse_allow(state, argument);
        return 0;
    case KEY_REPEAT:
        a->repeat = 1;
        return 0;
    case KEY_EFFECT:
        a->options.minimum_effect = percent(state, "minimum-effect", argument);
        return 0;
    case KEY_BASELINES:
        a->options.with_baselines = 1;
        return 0;
    case KEY_ENVIRONMENT:
        a->options.gate_environment = 1;
        return 0;
    case KEY_EXPLAIN:
        a->explain = 1;
        return 0;
    case KEY_ALL:
        a->all = 1;
        return 0;
    case KEY_MARKDOWN:
        a->outputs[COMPARE_MARKDOWN] = argument ? argument : "-";
        return 0;
    case KEY_JUNIT:
        a->outputs[COMPARE_JUNIT] = argument ? argument : "-";
        return 0;
    case KEY_TEXT:
        a->outputs[COMPARE_JSON] = argument;
        return 0;
    case ARGP_KEY_ARG:
        if (argument[0] == '\0')
            argp_error(state, "a side is a file, a folder or a commit, not an empty name");
        if (a->side_count == 2)
            argp_error(state, "two sides are expected, and \"%s\" is a third", argument);
        a->sides[a->side_count++] = argument;
        return 0;
    case ARGP_KEY_END:
        if (a->side_count < 2)
            argp_error(state, "BASE and NEW are expected: each a result file, a folder of results, or a "
                              "commit of the history");
        check_outputs(a, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* A path if there is one of that name, else a commit: names of branches and tags through git. */
static assay_status load_side(const compare_arguments *a, const char *side, result_set *set,
                              assay_error *error)
{
    char path[4200], commit[64];
    history *h = NULL;
    if (access(side, F_OK) == 0)
        return result_set_load_path(side, set, stderr, error);
    assay_status status = cli_history_path(&a->common, a->history.db, path, sizeof path, error);
    if (status == ASSAY_OK && access(path, F_OK) != 0)
        return assay_error_set(
            error, ASSAY_ERR_INVALID,
            "%s: no such file or folder, and there is no history %s to look for a commit in", side, path);
    if (status == ASSAY_OK)
        status = history_open(path, HISTORY_READ, &h, error);
    if (status == ASSAY_OK) {
        cli_resolve_commit(&a->common, side, commit);
        status = result_set_load_commit(h, commit, set, error);
    }
    history_close(h);
    return status;
}

static assay_status write_output(const compare_arguments *a, const compare_report *report,
                                 compare_format format, assay_error *error)
{
    const char *path = a->outputs[format];
    char *text = NULL;
    size_t bytes = 0;
    if (strcmp(path, "-") == 0) {
        compare_write(report, format, a->all, 0, stdout);
        return ASSAY_OK;
    }
    FILE *memory = text_stream_open(&text, &bytes);
    if (!memory)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for %s", path);
    compare_write(report, format, a->all, 0, memory);
    if (!text_stream_close(memory, &text))
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for %s", path);
    const assay_status status = text_file_write(path, text, bytes, error);
    free(text);
    return status;
}

/* Text goes to standard output unless another format does. */
static assay_status write_outputs(const compare_arguments *a, const compare_report *report,
                                  assay_error *error)
{
    assay_status status = ASSAY_OK;
    int to_stdout = a->common.json;
    for (int f = 0; f < MOST_OUTPUTS; f++)
        to_stdout |= a->outputs[f] && strcmp(a->outputs[f], "-") == 0;
    if (!to_stdout)
        compare_write(report, COMPARE_TEXT, a->all, a->explain, stdout);
    if (a->common.json)
        compare_write(report, COMPARE_JSON, a->all, 0, stdout);
    for (int f = 0; status == ASSAY_OK && f < MOST_OUTPUTS; f++)
        if (a->outputs[f])
            status = write_output(a, report, (compare_format)f, error);
    return status;
}

static void name_suspicious(const compare_report *report)
{
    for (int i = 0; i < report->count; i++) {
        const compare_case *c = &report->cases[i];
        if (compare_is_suspicious(c))
            fprintf(stderr, "would repeat %s.%s.%s.%s %s\n", c->id.op, c->id.name,
                    assay_dtype_name(c->id.dtype), c->id.size, timing_mode_name(c->mode));
    }
}

static assay_status repeat(const compare_arguments *a, const result_set *base, const result_set *changed,
                           compare_report *report, assay_error *error)
{
    workspace *ws = NULL;
    result_set repeats = {0};
    int cases = 0;
    if (a->common.dry_run)
        name_suspicious(report);
    if (a->common.dry_run)
        return ASSAY_OK;
    assay_error missing = {0};
    assay_status status = workspace_open(a->common.build, &ws, &missing);
    if (status != ASSAY_OK && !a->common.build) { /* none was named, and none is there */
        fprintf(stderr, "not repeated: %s\n", missing.message);
        return ASSAY_OK;
    }
    if (status != ASSAY_OK)
        return assay_error_set(error, status, "%s", missing.message);
    status = repeat_suspicious(ws, report, changed, stderr, &repeats, &cases, error);
    if (status == ASSAY_OK && cases > 0)
        status = compare_confirm(base, changed, &repeats, &a->options, report, error);
    result_set_release(&repeats);
    workspace_close(ws);
    return status;
}

static assay_status run(compare_arguments *a, compare_report *report, assay_error *error)
{
    result_set base = {0}, changed = {0};
    a->options.ops = a->common.filter.ops, a->options.variants = a->common.filter.variants;
    a->options.dtypes = a->common.filter.dtypes, a->options.sizes = a->common.filter.sizes;
    assay_status status = load_side(a, a->sides[0], &base, error);
    if (status == ASSAY_OK)
        status = load_side(a, a->sides[1], &changed, error);
    if (status == ASSAY_OK)
        status = compare_sets(&base, &changed, &a->options, report, error);
    if (status == ASSAY_OK && a->repeat)
        status = repeat(a, &base, &changed, report, error);
    if (status == ASSAY_OK || report->count > 0) {
        assay_error write_failure = {0};
        const assay_status written = write_outputs(a, report, &write_failure);
        if (status == ASSAY_OK && written != ASSAY_OK)
            status = assay_error_set(error, written, "%s", write_failure.message);
    }
    result_set_release(&base);
    result_set_release(&changed);
    return status;
}

int command_compare(int argc, char **argv)
{
    static const struct argp_child children[] = {
        {&cli_common_argp, 0, NULL, 0}, {&cli_filter_argp, 0, NULL, 0}, {&cli_db_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        .options = options_list,
        .parser = parse,
        .args_doc = "BASE NEW",
        .doc =
            "Say which cases got slower, faster, are the same, cannot be told apart, or moved with the "
            "machine. "
            "BASE and NEW are result files, folders of results, or commits in the history. "
            "docs/comparison.md has the rules.\v"
            "Exit status: 0 nothing is slower by a change of its code, 1 a confirmed slowdown, 2 wrong use "
            "or "
            "nothing can be compared, 3 something needed is missing. Times of the CPU device fail nothing.",
        .children = children,
    };
    compare_arguments a = {0};
    cli_parse(&argp, argc, argv, &a);
    compare_report report = {0};
    assay_error error = {0};
    const assay_status status = run(&a, &report, &error);
    const int exit_status = status != ASSAY_OK  ? cli_fail("compare", &error)
                            : report.failed > 0 ? ASSAY_EXIT_CHECK
                                                : ASSAY_EXIT_OK;
    compare_report_release(&report);
    return exit_status;
}
