/* Opening the history and parsing its filters: see history_db.h. */
#include "cli/history_db.h"
#include "core/process.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct argp_option db_options[] = {
    {"db", 'D', "FILE", 0,
     "the history (default: $ASSAY_HISTORY, else history.db in the build folder, else here)", 80},
    {0},
};

enum { KEY_STATUS = 0x200, KEY_SINCE, KEY_UNTIL, KEY_CLEAN, KEY_LATEST, KEY_KIND };

static const struct argp_option filter_options[] = {
    {"card", 'c', "LIST", 0, "only these cards, by slug or UUID", 81},
    {"commit", 'C', "LIST", 0, "only these commits; the beginning of a hash is enough", 81},
    {"modes", 'G', "LIST", 0, "only these timing modes: cold, hot, burst, sustained ...", 81},
    {"kind", KEY_KIND, "LIST", 0, "only variant, baseline or \"unranked baseline\"", 81},
    {"status", KEY_STATUS, "LIST", 0, "only these statuses: ok, unstable, not timed, unavailable", 81},
    {"since", KEY_SINCE, "TIME", 0, "only runs since then: 2026-01-31, 2026-01-31T12:00:00Z, 30d or 12h ago",
     81},
    {"until", KEY_UNTIL, "TIME", 0, "only runs until then", 81},
    {"clean", KEY_CLEAN, NULL, 0, "leave out results of trees with uncommitted changes", 81},
    {"latest", KEY_LATEST, NULL, 0, "only the last result of a case, card, commit and method of measuring",
     81},
    {0},
};

/* "2026-01-31", "2026-01-31T12:00:00Z" or "30d", "12h" (so long ago) as Unix seconds; 0 if it is none of
 * these. */
static int64_t cli_parse_time(const char *text)
{
    char whole[64];
    char *end = NULL;
    const long count = strtol(text, &end, 10);
    if (count >= 0 && count < INT_MAX && end != text && (*end == 'd' || *end == 'h') && end[1] == '\0')
        return (int64_t)time(NULL) - count * (*end == 'd' ? 86400 : 3600);
    if (strlen(text) == 10) {
        snprintf(whole, sizeof whole, "%sT00:00:00Z", text);
        return result_time_parse(whole);
    }
    return result_time_parse(text);
}

static int64_t time_argument(struct argp_state *state, const char *name, const char *text)
{
    const int64_t time = cli_parse_time(text);
    if (time == 0)
        argp_error(state, "--%s: 2026-01-31, 2026-01-31T12:00:00Z, 30d or 12h is expected, not \"%s\"", name,
                   text);
    return time;
}

static timing_modes modes_argument(struct argp_state *state, const char *text)
{
    timing_modes modes = 0;
    assay_error error = {0};
    if (timing_modes_parse(text, &modes, &error) != ASSAY_OK)
        argp_error(state, "--modes: %s", error.message);
    return modes;
}

static error_t parse_db(int key, char *argument, struct argp_state *state)
{
    history_options *options = state->input;
    if (key != 'D')
        return ARGP_ERR_UNKNOWN;
    options->db = argument;
    return 0;
}

static error_t parse_filter(int key, char *argument, struct argp_state *state)
{
    history_options *options = state->input;
    history_filter *filter = &options->filter;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = options;
        return 0;
    case 'c':
        filter->cards = argument;
        return 0;
    case 'C':
        filter->commits = argument;
        return 0;
    case 'G':
        filter->modes = modes_argument(state, argument);
        return 0;
    case KEY_KIND:
        filter->kinds = argument;
        return 0;
    case KEY_STATUS:
        filter->statuses = argument;
        return 0;
    case KEY_SINCE:
        filter->since = time_argument(state, "since", argument);
        return 0;
    case KEY_UNTIL: /* a day is meant to its end */
        filter->until = time_argument(state, "until", argument) + (strlen(argument) == 10 ? 86399 : 0);
        return 0;
    case KEY_CLEAN:
        filter->clean_only = 1;
        return 0;
    case KEY_LATEST:
        filter->latest_only = 1;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp cli_db_argp = {.options = db_options, .parser = parse_db};
static const struct argp_child db_child[] = {{&cli_db_argp, 0, NULL, 0}, {0}};
static const struct argp filter_argp = {
    .options = filter_options, .parser = parse_filter, .children = db_child};

const struct argp_child cli_history_children[] = {
    {&cli_common_argp, 0, NULL, 0}, {&cli_filter_argp, 0, NULL, 0}, {&filter_argp, 0, NULL, 0}, {0}};

const history_filter *cli_history_filter(history_options *options, const cli_options *common)
{
    history_filter *filter = &options->filter;
    filter->ops = common->filter.ops, filter->variants = common->filter.variants;
    filter->dtypes = common->filter.dtypes, filter->sizes = common->filter.sizes;
    return filter;
}

assay_status cli_history_path(const cli_options *common, const char *db, char *out, size_t out_bytes,
                              assay_error *error)
{
    const char *named = db ? db : getenv("ASSAY_HISTORY");
    workspace *ws = NULL;
    if (named && named[0] != '\0')
        return snprintf(out, out_bytes, "%s", named), ASSAY_OK;
    const assay_status status = workspace_open(common->build, &ws, common->build ? error : NULL);
    snprintf(out, out_bytes, "%s%shistory.db", ws ? ws->path : "", ws ? "/" : "");
    workspace_close(ws);
    return common->build ? status : ASSAY_OK;
}

int cli_open_history(const char *command, const cli_options *common, const char *db, history_mode mode,
                     history **h)
{
    char path[4200];
    assay_error error = {0};
    if (cli_history_path(common, db, path, sizeof path, &error) != ASSAY_OK ||
        history_open(path, mode, h, &error) != ASSAY_OK)
        return cli_fail(command, &error);
    return ASSAY_EXIT_OK;
}

void cli_resolve_commit(const cli_options *common, const char *name, char commit[64])
{
    workspace *ws = NULL;
    char revision[256];
    process_result end;
    snprintf(commit, 64, "%s", name);
    if (workspace_open(common->build, &ws, NULL) != ASSAY_OK)
        ws = NULL;
    snprintf(revision, sizeof revision, "%s^{commit}", name);
    process_run((const char *const[]){"git", "-C", ws && ws->source[0] ? ws->source : ".", "rev-parse",
                                      "--verify", "--quiet", "--end-of-options", revision, NULL},
                20, 1, &end);
    if (end.end == PROCESS_EXITED && end.code == 0 && end.output)
        snprintf(commit, 64, "%.*s", (int)strcspn(end.output, "\n"), end.output);
    process_result_release(&end);
    workspace_close(ws);
}
