/* assay experience: what was tried on which kernel, and what came of it. */
#include "tune/experience/experience.h"
#include "cli/cli.h"
#include "cli/numbers.h"
#include "core/json_file.h"
#include "core/utf8.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct experience_arguments {
    cli_options common;
    const char *action, *db, *argument, *out;
    char words[1000];
    experience_filter filter;
    json_t *entry;
    int limit;
} experience_arguments;

enum {
    KEY_KIND = 0x500,
    KEY_BACKEND,
    KEY_CHIP,
    KEY_BOTTLENECK,
    KEY_OUTCOME,
    KEY_STRATEGY,
    KEY_EFFECT,
    KEY_CONDITIONS,
    KEY_PREDICTED,
    KEY_MEASURED,
    KEY_SOURCE
};

static const struct argp_option options_list[] = {
    {"db", 'D', "FILE", 0, "the log (default: $ASSAY_EXPERIENCE, else experience.db in the build folder)", 1},
    {"kind", KEY_KIND, "NAME", 0,
     "kernel: matmul, attention, convolution, row, reduction, elementwise, transpose, other", 2},
    {"backend", KEY_BACKEND, "NAME", 0, "cuda, triton or any", 2},
    {"chip", KEY_CHIP, "NAME", 0, "sm_90, sm_80 ... or any", 2},
    {"bottleneck", KEY_BOTTLENECK, "NAME", 0,
     "memory, latency, compute, shared_memory, registers, occupancy, launch, synchronization, imbalance", 2},
    {"outcome", KEY_OUTCOME, "NAME", 0, "success, failure or neutral", 2},
    {"out", 'O', "FILE", 0, "learned: write the page there instead of printing it", 1},
    {"limit", 'l', "N", 0, "recommend: strategies to show (default: 10; 0: all)", 2},
    {"strategy", KEY_STRATEGY, "TEXT", 0, "add: what was done, in one sentence", 3},
    {"effect", KEY_EFFECT, "RATIO", 0, "add: time before over time after, 1.25 for a quarter faster", 3},
    {"conditions", KEY_CONDITIONS, "TEXT", 0, "add: where it holds", 3},
    {"predicted", KEY_PREDICTED, "TEXT", 0, "add: what was expected", 3},
    {"measured", KEY_MEASURED, "TEXT", 0, "add: the figures", 3},
    {"source", KEY_SOURCE, "TEXT", 0, "add: where it is written down", 3},
    {0},
};

static void set(experience_arguments *a, const char *key, const char *text)
{
    json_object_set_new(a->entry, key, json_string(text));
}

static error_t parse_argument(experience_arguments *a, const char *argument, struct argp_state *state)
{
    static const char *const actions[] = {"add",   "recommend", "search", "list",
                                          "merge", "sync",      "stats",  "learned"};
    if (a->action == NULL) {
        for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
            if (strcmp(actions[i], argument) == 0)
                a->action = actions[i];
        if (a->out && (a->action == NULL || strcmp(a->action, "learned") != 0))
            argp_error(state, "--out: belongs to learned");
        if (a->action == NULL)
            argp_error(state,
                       "add, recommend, search, list, merge, sync, stats or learned is expected, not \"%s\"",
                       argument);
        return 0;
    }
    if (strcmp(a->action, "search") == 0) {
        if (strlen(a->words) + strlen(argument) + 2 > sizeof a->words)
            argp_error(state, "too many words");
        strcat(strcat(a->words, a->words[0] ? " " : ""), argument);
        return 0;
    }
    if ((strcmp(a->action, "merge") != 0 && strcmp(a->action, "sync") != 0) || a->argument)
        argp_error(state, "\"%s\" is one argument too many", argument);
    a->argument = argument;
    return 0;
}

static error_t parse_entry(experience_arguments *a, int key, const char *argument, struct argp_state *state)
{
    static const struct {
        int key;
        const char *name;
    } texts[] = {{KEY_STRATEGY, "strategy"},     {KEY_CONDITIONS, "conditions"},
                 {KEY_PREDICTED, "predicted"},   {KEY_MEASURED, "measured"},
                 {KEY_SOURCE, "source"},         {KEY_KIND, "kind"},
                 {KEY_BACKEND, "backend"},       {KEY_CHIP, "chip"},
                 {KEY_BOTTLENECK, "bottleneck"}, {KEY_OUTCOME, "outcome"}};
    char *end = NULL;
    if (key == KEY_EFFECT) {
        const double effect = strtod(argument, &end);
        if (*argument == '\0' || *end != '\0' || !(effect > 0 && effect < 1e6))
            argp_error(state, "--effect: a number above 0 is expected, not \"%s\"", argument);
        json_object_set_new(a->entry, "effect", json_real(effect));
        return 0;
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].key == key) {
            set(a, texts[i].name, argument);
            return 0;
        }
    return ARGP_ERR_UNKNOWN;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    experience_arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->child_inputs[1] = &a->common;
        return 0;
    case 'D':
        a->db = argument;
        return 0;
    case 'O':
        a->out = argument;
        return 0;
    case 'l':
        a->limit = (int)cli_parse_whole(state, "limit", argument, 0, 1000000);
        return 0;
    case KEY_KIND:
        a->filter.kind = argument;
        break;
    case KEY_BACKEND:
        a->filter.backend = argument;
        break;
    case KEY_CHIP:
        a->filter.chip = argument;
        break;
    case KEY_BOTTLENECK:
        a->filter.bottleneck = argument;
        break;
    case KEY_OUTCOME:
        a->filter.outcome = argument;
        break;
    case ARGP_KEY_ARG:
        return parse_argument(a, argument, state);
    case ARGP_KEY_END:
        if (a->out && (a->action == NULL || strcmp(a->action, "learned") != 0))
            argp_error(state, "--out: belongs to learned");
        if (a->action == NULL)
            argp_error(state, "add, recommend, search, list, merge, sync, stats or learned?");
        if ((strcmp(a->action, "merge") == 0 || strcmp(a->action, "sync") == 0) && a->argument == NULL)
            argp_error(state, "%s needs a file", a->action);
        return 0;
    default:
        break;
    }
    return argument ? parse_entry(a, key, argument, state) : ARGP_ERR_UNKNOWN;
}

/* The file that own entries go to. */
static assay_status log_path(const experience_arguments *a, char *out, size_t out_bytes, assay_error *error)
{
    const char *named = a->db ? a->db : getenv("ASSAY_EXPERIENCE");
    workspace *ws = NULL;
    if (named && named[0]) /* then no build folder is needed */
        return snprintf(out, out_bytes, "%s", named), ASSAY_OK;
    const assay_status status = workspace_open(a->common.build, &ws, error);
    if (status == ASSAY_OK)
        snprintf(out, out_bytes, "%s/experience.db", ws->path);
    workspace_close(ws);
    return status;
}

static void print_entry(const json_t *e, const char *indent)
{
    const double effect = json_get_number(e, "effect", 0);
    char gain[32] = "";
    if (effect > 0)
        snprintf(gain, sizeof gain, " %.2fx", effect);
    clean_printf(stdout, "%s%s%s  %s %s %s %s%s%s\n", indent, json_get_text(e, "outcome", ""), gain,
                 json_get_text(e, "kind", ""), json_get_text(e, "backend", ""), json_get_text(e, "chip", ""),
                 json_get_text(e, "bottleneck", ""), json_object_get(e, "strategy") ? ": " : "",
                 json_get_text(e, "strategy", ""));
    static const char *const keys[] = {"conditions", "predicted", "measured", "source"};
    for (size_t i = 0; i < 4; i++)
        if (json_get_text(e, keys[i], "")[0])
            clean_printf(stdout, "%s  %s: %s\n", indent, keys[i], json_get_text(e, keys[i], ""));
}

static void print_recommendation(size_t place, const json_t *row)
{
    size_t i;
    json_t *e;
    const double effect = json_get_number(row, "effect", 0);
    char gain[48] = "";
    if (effect > 0)
        snprintf(gain, sizeof gain, ", mean effect %.2fx", effect);
    clean_printf(stdout, "%zu. %s\n", place + 1, json_get_text(row, "strategy", ""));
    printf("   score %.2f: %lld successes, %lld failures, %lld neutral%s, similarity %.2f\n",
           json_get_number(row, "score", 0), (long long)json_integer_value(json_object_get(row, "successes")),
           (long long)json_integer_value(json_object_get(row, "failures")),
           (long long)json_integer_value(json_object_get(row, "neutral")), gain,
           json_get_number(row, "similarity", 0));
    json_array_foreach(json_object_get(row, "evidence"), i, e) print_entry(e, "     ");
}

static void print_counts(json_t *stats)
{
    const char *key, *name;
    json_t *item, *count;
    json_object_foreach(stats, key, item)
    {
        if (json_is_integer(item)) {
            printf("%s: %lld\n", key, (long long)json_integer_value(item));
            continue;
        }
        printf("%s:", key);
        json_object_foreach(item, name, count)
            clean_printf(stdout, " %s %lld", name, (long long)json_integer_value(count));
        putchar('\n');
    }
}

static void show(const experience_arguments *a, json_t *rows)
{
    size_t i;
    json_t *row;
    if (a->common.json) {
        cli_print_json(rows);
        return;
    }
    if (json_is_object(rows))
        print_counts(rows);
    json_array_foreach(rows, i, row)
    {
        if (json_object_get(row, "evidence"))
            print_recommendation(i, row);
        else
            print_entry(row, "");
    }
    json_decref(rows);
}

static assay_status add(experience_arguments *a, experience *x, assay_error *error)
{
    char day[16];
    const time_t now = time(NULL);
    int is_new = 0;
    if (!json_object_get(a->entry, "backend"))
        set(a, "backend", "cuda");
    if (!json_object_get(a->entry, "chip"))
        set(a, "chip", "any");
    strftime(day, sizeof day, "%Y-%m-%d", gmtime(&now));
    set(a, "recorded", day);
    const assay_status status = experience_add(x, a->entry, &is_new, error);
    if (status == ASSAY_OK)
        printf(a->common.json ? "{\"added\": %d}\n" : is_new ? "added\n" : "known already\n", is_new);
    return status;
}

/* For skills/kernel-opt/LEARNED.md, or anywhere. */
static assay_status write_learned(const experience_arguments *a, const experience *x, assay_error *error)
{
    char *text = experience_learned(x);
    assay_status status = ASSAY_OK;
    if (!text)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory for a page");
    if (a->out)
        status = text_file_write(a->out, text, strlen(text), error);
    if (a->common.json && status == ASSAY_OK)
        cli_print_json(json_pack("{s:s, s:s}", "file", a->out ? a->out : "", "page", text));
    else if (!a->out)
        fputs(text, stdout);
    free(text);
    return status;
}

static assay_status run(experience_arguments *a, experience *x, assay_error *error)
{
    long first = 0, second = 0;
    assay_status status = ASSAY_OK;
    a->filter.words = a->words;
    if (strcmp(a->action, "add") == 0)
        return add(a, x, error);
    if (strcmp(a->action, "learned") == 0)
        return write_learned(a, x, error);
    if (strcmp(a->action, "recommend") == 0) {
        json_t *rows = NULL;
        status = experience_recommend(x, &a->filter, a->limit, &rows, error);
        if (status == ASSAY_OK)
            show(a, rows);
    } else if (strcmp(a->action, "stats") == 0)
        show(a, experience_stats(x));
    else if (strcmp(a->action, "merge") == 0) {
        status = experience_merge(x, a->argument, &first, &second, error);
        if (status == ASSAY_OK)
            printf(a->common.json ? "{\"added\": %ld, \"known\": %ld}\n"
                                  : "%ld entries added, %ld were known\n",
                   first, second);
    } else if (strcmp(a->action, "sync") == 0) {
        status = experience_sync(x, a->argument, &first, &second, error);
        if (status == ASSAY_OK)
            printf(a->common.json ? "{\"received\": %ld, \"sent\": %ld}\n"
                                  : "%ld entries received, %ld sent\n",
                   first, second);
    } else {
        show(a, experience_list(x, &a->filter));
    }
    return status;
}

int command_experience(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options_list,
        .parser = parse,
        .args_doc = "recommend|list|stats|learned\nsearch WORD...\nadd\nmerge FILE\nsync FILE",
        .doc =
            "What was tried on which kind of kernel against which bottleneck, and what came of it. recommend "
            "ranks "
            "strategies by their evidence and shows it; learned is all of it as a page for who writes "
            "kernels; merge "
            "takes in another log; sync gives it ours, too.",
        .children = cli_no_filter_children};
    experience_arguments a = {.limit = 10, .entry = json_object()};
    assay_error error = {0};
    experience *x = NULL;
    char path[4200];
    cli_parse(&argp, argc, argv, &a);
    assay_status status =
        strcmp(a.action, "add") == 0 ? ASSAY_OK : experience_check_filter(&a.filter, &error);
    if (status == ASSAY_OK)
        status = log_path(&a, path, sizeof path, &error);
    if (status == ASSAY_OK)
        status = (strcmp(a.action, "recommend") == 0 ? experience_open_to_recommend
                                                     : experience_open)(path, &x, &error);
    if (status == ASSAY_OK)
        status = run(&a, x, &error);
    experience_close(x);
    json_decref(a.entry);
    return status == ASSAY_OK ? ASSAY_EXIT_OK : cli_fail("experience", &error);
}
