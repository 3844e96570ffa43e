/* The loop and the methods: see mcp.h. */
#include "core/json_file.h"
#include "core/piped.h"
#include "core/utf8.h"
#include "mcp/messages.h"
#include "mcp/tools.h"
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_WAITING = 64, TICK_MS = 20, PATIENCE_TICKS = 100 };

/* A tools/call that runs or waits. */
typedef struct call {
    json_t *id;
    char *words[TOOL_MOST_WORDS];
    char source_path[PATH_MAX];
    int cancelled;
} call;

typedef struct server {
    const mcp_options *options;
    rpc_reader reader;
    int initialized;
    call *calls[MOST_WAITING]; /* the first one runs */
    int call_count, running, ticks_since_cancelled;
    piped command;
} server;

static const char *const versions[] = {"2025-06-18", "2025-03-26", "2024-11-05"};

static void free_call(call *c)
{
    json_decref(c->id);
    tool_free_words(c->words);
    if (c->source_path[0])
        unlink(c->source_path);
    free(c);
}

static void drop_call(server *s, int index)
{
    free_call(s->calls[index]);
    memmove(&s->calls[index], &s->calls[index + 1], (size_t)(--s->call_count - index) * sizeof *s->calls);
}

/* ---- what a command's end becomes ---- */

static const char *status_word(const process_result *ended)
{
    if (ended->end != PROCESS_EXITED)
        return "crashed";
    switch (ended->code) {
    case ASSAY_EXIT_OK:
        return "done";
    case ASSAY_EXIT_CHECK:
        return "a check failed";
    case ASSAY_EXIT_USAGE:
        return "wrong use";
    case ASSAY_EXIT_SKIPPED:
        return "skipped";
    default:
        return ended->code == 130 ? "interrupted" : "something needed is missing";
    }
}

/* `output` is taken over. */
static json_t *make_result(int exit_status, const char *status, json_t *output, const char *messages)
{
    char *said = strdup(messages ? messages : "");
    if (said)
        utf8_repair(said);
    json_t *structured = json_pack("{s:i, s:s, s:o, s:s}", "exit_status", exit_status, "status", status,
                                   "output", output ? output : json_null(), "messages", said ? said : "");
    free(said);
    char *text = json_dumps(structured, JSON_COMPACT | JSON_REAL_PRECISION(15));
    /* A kernel that fails is an answer, not an error of the tool. */
    const int failed =
        exit_status != ASSAY_EXIT_OK && exit_status != ASSAY_EXIT_CHECK && exit_status != ASSAY_EXIT_SKIPPED;
    json_t *result = json_pack("{s:[{s:s, s:s}], s:o, s:b}", "content", "type", "text", "text",
                               text ? text : status, "structuredContent", structured, "isError", failed);
    free(text);
    return result;
}

static assay_status end_call(server *s, const process_result *ended, assay_error *error)
{
    call *c = s->calls[0];
    assay_status status = ASSAY_OK;
    json_t *output = json_loads(s->command.output, 0, NULL);
    char how[160];
    const char *messages = s->command.messages;
    process_describe(ended, how, sizeof how);
    if (ended->end != PROCESS_EXITED && !messages[0])
        messages = how;
    if (!c->cancelled) /* who cancels expects no answer */
        status = rpc_answer(s->options->output_fd, c->id,
                            make_result(ended->end == PROCESS_EXITED ? ended->code : ASSAY_EXIT_ENVIRONMENT,
                                        status_word(ended), output, messages),
                            error);
    else
        json_decref(output);
    piped_release(&s->command);
    s->running = 0;
    drop_call(s, 0);
    return status;
}

/* ---- methods ---- */

static assay_status initialize(server *s, const json_t *id, const json_t *params, assay_error *error)
{
    const char *version = versions[0], *wanted = json_get_text(params, "protocolVersion", "");
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        if (strcmp(versions[i], wanted) == 0)
            version = versions[i];
    s->initialized = 1;
    return rpc_answer(
        s->options->output_fd, id,
        json_pack("{s:s, s:{s:{s:b}}, s:{s:s, s:s}, s:s}", "protocolVersion", version, "capabilities",
                  "tools", "listChanged", 0, "serverInfo", "name", "assay", "version", s->options->version,
                  "instructions",
                  "Verifies and times GPU kernels. Begin with list; judge a kernel with verify; time it with "
                  "bench only when it passes. Verdicts and times come from Assay's own runs alone."),
        error);
}

static assay_status call_tool(server *s, const json_t *id, const json_t *params, assay_error *error)
{
    assay_error why = {0};
    const int out = s->options->output_fd;
    const char *name = json_string_value(json_object_get(params, "name"));
    const tool *t = name ? tool_find(s->options, name) : NULL;
    char message[200];
    if (!t) {
        snprintf(message, sizeof message, "unknown tool: %.100s", name ? name : "no name was given");
        return rpc_refuse(out, id, RPC_INVALID_PARAMS, message, error);
    }
    if (s->call_count == MOST_WAITING)
        return rpc_refuse(out, id, RPC_INTERNAL_ERROR, "too many calls are waiting", error);
    call *c = calloc(1, sizeof *c);
    if (!c)
        return rpc_refuse(out, id, RPC_INTERNAL_ERROR, "not enough memory", error);
    const json_t *arguments = json_object_get(params, "arguments");
    if (tool_words(s->options, t, arguments, c->words, c->source_path, &why) != ASSAY_OK) {
        free_call(c);
        return rpc_answer(out, id, make_result(ASSAY_EXIT_USAGE, "wrong use", NULL, why.message), error);
    }
    c->id = json_deep_copy(id);
    s->calls[s->call_count++] = c;
    return ASSAY_OK;
}

/* What waits is dropped, what runs is asked to end; both are answered by nothing. */
static void cancel(server *s, const json_t *params)
{
    const json_t *id = json_object_get(params, "requestId");
    for (int i = 0; id && i < s->call_count; i++) {
        if (!json_equal(s->calls[i]->id, id))
            continue;
        if (i > 0 || !s->running) {
            drop_call(s, i);
            return;
        }
        s->calls[0]->cancelled = 1;
        s->ticks_since_cancelled = 0;
        piped_stop(&s->command, 0);
        return;
    }
}

static assay_status answer_request(server *s, const char *method, const json_t *id, const json_t *params,
                                   assay_error *error)
{
    const int out = s->options->output_fd;
    char message[160];
    if (strcmp(method, "initialize") == 0)
        return initialize(s, id, params, error);
    if (strcmp(method, "ping") == 0)
        return rpc_answer(out, id, json_object(), error);
    if (!s->initialized)
        return rpc_refuse(out, id, RPC_INVALID_REQUEST, "the first request must be initialize", error);
    if (strcmp(method, "tools/list") == 0)
        return rpc_answer(out, id, json_pack("{s:o}", "tools", tools_list(s->options)), error);
    if (strcmp(method, "tools/call") == 0)
        return call_tool(s, id, params, error);
    snprintf(message, sizeof message, "unknown method: %.100s", method);
    return rpc_refuse(out, id, RPC_METHOD_NOT_FOUND, message, error);
}

static assay_status take_message(server *s, const char *line, assay_error *error)
{
    json_error_t why;
    char message[256];
    json_t *request = json_loads(line, JSON_REJECT_DUPLICATES, &why);
    assay_status status = ASSAY_OK;
    if (!request) {
        json_t *found = rpc_find_id(line);
        snprintf(message, sizeof message, "no JSON: %.200s", why.text);
        status = rpc_refuse(s->options->output_fd, found, RPC_PARSE_ERROR, message, error);
        json_decref(found);
        return status;
    }
    const json_t *id = json_object_get(request, "id"), *params = json_object_get(request, "params");
    const char *method = json_string_value(json_object_get(request, "method"));
    const int is_answer = json_object_get(request, "result") || json_object_get(request, "error");
    if (is_answer) {
        /* This server asks nothing, so no answer is of interest. */
    } else if (strcmp(json_get_text(request, "jsonrpc", ""), "2.0") != 0 || !method ||
               (id && !json_is_string(id) && !json_is_integer(id))) {
        status = rpc_refuse(s->options->output_fd, json_is_string(id) || json_is_integer(id) ? id : NULL,
                            RPC_INVALID_REQUEST, "a request of JSON-RPC 2.0 is expected", error);
    } else if (id) {
        status = answer_request(s, method, id, params, error);
    } else if (strcmp(method, "notifications/cancelled") == 0) {
        cancel(s, params);
    }
    json_decref(request);
    return status;
}

/* ---- the loop ---- */

static assay_status take_messages(server *s, assay_error *error)
{
    assay_status status = ASSAY_OK;
    int too_long;
    char *line;
    while (status == ASSAY_OK && (line = rpc_next_line(&s->reader, &too_long)) != NULL) {
        if (too_long)
            status = rpc_refuse(s->options->output_fd, NULL, RPC_INVALID_REQUEST, "a message may have 16 MiB",
                                error);
        else if (line[strspn(line, " \t\r")] != '\0')
            status = take_message(s, line, error);
        free(line);
    }
    return status;
}

/* Start the next call where none runs, or listen to the one that does. */
static assay_status go_on(server *s, assay_error *error)
{
    process_result ended;
    assay_error why = {0};
    if (!s->running && s->call_count > 0) {
        if (piped_start((const char *const *)s->calls[0]->words, NULL, &s->command, &why) != ASSAY_OK) {
            const assay_status status = rpc_answer(
                s->options->output_fd, s->calls[0]->id,
                make_result(ASSAY_EXIT_ENVIRONMENT, "something needed is missing", NULL, why.message), error);
            piped_release(&s->command);
            drop_call(s, 0);
            return status;
        }
        s->running = 1;
    }
    if (!s->running)
        return ASSAY_OK;
    if (s->calls[0]->cancelled && ++s->ticks_since_cancelled > PATIENCE_TICKS)
        piped_stop(&s->command, 1);
    return piped_step(&s->command, 0, &ended) ? end_call(s, &ended, error) : ASSAY_OK;
}

assay_status mcp_serve(const mcp_options *options, assay_error *error)
{
    server s = {.options = options, .reader = {.fd = options->input_fd}};
    assay_status status = make_folders(options->scratch, error);
    while (status == ASSAY_OK && !process_interrupted() && (!s.reader.ended || s.call_count > 0)) {
        struct pollfd watched = {.fd = s.reader.ended ? -1 : options->input_fd, .events = POLLIN};
        if (poll(&watched, 1, s.call_count > 0 ? TICK_MS : 500) > 0)
            rpc_read(&s.reader);
        status = take_messages(&s, error);
        if (status == ASSAY_OK)
            status = go_on(&s, error);
    }
    if (s.running)
        piped_release(&s.command);
    while (s.call_count > 0)
        drop_call(&s, 0);
    rpc_release(&s.reader);
    return status;
}
