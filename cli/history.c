/* assay history: what the history holds, as a list of its commits and cards. */
#include "cli/history_db.h"
#include "core/utf8.h"
#include <stdio.h>
#include <string.h>

typedef struct history_arguments {
    cli_options common;
    history_options history;
    json_t *commits, *cards;
} history_arguments;

static error_t parse(int key, char *argument, struct argp_state *state)
{
    history_arguments *a = state->input;
    (void)argument;
    if (key != ARGP_KEY_INIT)
        return ARGP_ERR_UNKNOWN;
    state->child_inputs[0] = state->child_inputs[1] = &a->common;
    state->child_inputs[2] = &a->history;
    return 0;
}

static json_t *time_json(int64_t time)
{
    char text[32];
    result_time_text(time, text);
    return text[0] ? json_string(text) : json_null();
}

static int add_revision(void *context, const history_revision *r)
{
    history_arguments *a = context;
    char subject[256];
    snprintf(subject, sizeof subject, "%s", r->subject);
    utf8_make_line(subject); /* git may hold any bytes */
    json_array_append_new(a->commits, json_pack("{s:s, s:o, s:s, s:o, s:o, s:I}", "commit", r->commit, "time",
                                                time_json(r->commit_time), "subject", subject, "first_run",
                                                time_json(r->first_run), "last_run", time_json(r->last_run),
                                                "results", (json_int_t)r->results));
    return 0;
}

static int add_card(void *context, const history_card *c)
{
    history_arguments *a = context;
    json_array_append_new(a->cards,
                          json_pack("{s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:I}", "slug", c->slug, "name",
                                    c->name, "uuid", c->uuid, "driver", c->driver, "runtime", c->runtime,
                                    "first_run", time_json(c->first_run), "last_run", time_json(c->last_run),
                                    "results", (json_int_t)c->results));
    return 0;
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "-";
}

static void print_lists(const history_arguments *a)
{
    size_t i;
    json_t *item;
    printf("%-14s %-20s %-20s %7s  %s\n", "commit", "committed", "last run", "results", "subject");
    json_array_foreach(a->commits, i, item) clean_printf(
        stdout, "%-14.12s %-20s %-20s %7lld  %s\n", text_of(item, "commit"), text_of(item, "time"),
        text_of(item, "last_run"), (long long)json_integer_value(json_object_get(item, "results")),
        text_of(item, "subject"));
    printf("\n%-28s %-42s %-12s %-8s %7s\n", "card", "uuid", "driver", "runtime", "results");
    json_array_foreach(a->cards, i, item)
        clean_printf(stdout, "%-28s %-42s %-12s %-8s %7lld\n", text_of(item, "slug"), text_of(item, "uuid"),
                     text_of(item, "driver"), text_of(item, "runtime"),
                     (long long)json_integer_value(json_object_get(item, "results")));
}

int command_history(int argc, char **argv)
{
    static const struct argp argp = {
        .parser = parse,
        .doc = "List the commits in the history, oldest first, with their results, and the cards. Filters "
               "apply to the "
               "commits' results.\v"
               "Exit status: 0 done, 2 wrong use or a file that is no history, 3 the history cannot be read.",
        .children = cli_history_children,
    };
    history_arguments a = {.commits = json_array(), .cards = json_array()};
    cli_parse(&argp, argc, argv, &a);
    history *h = NULL;
    assay_error error = {0};
    int exit_status = cli_open_history("history", &a.common, a.history.db, HISTORY_READ, &h);
    if (exit_status == ASSAY_EXIT_OK) {
        const history_filter *filter = cli_history_filter(&a.history, &a.common);
        if (history_each_revision(h, filter, add_revision, &a, &error) != ASSAY_OK ||
            history_each_card(h, add_card, &a, &error) != ASSAY_OK)
            exit_status = cli_fail("history", &error);
        else if (a.common.json)
            cli_print_json(json_pack("{s:O, s:O}", "commits", a.commits, "cards", a.cards));
        else
            print_lists(&a);
    }
    history_close(h);
    json_decref(a.commits);
    json_decref(a.cards);
    return exit_status;
}
