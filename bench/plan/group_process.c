/* The conversation with a process that measures plans: see group_process.h. */
#include "bench/plan/group_process.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { TICK_MS = 20 };
#define END_LIMIT_S 20.0 /* of a process that has no more to do: it releases the device */

static int start(group_process *g, const char *const *argv)
{
    if (g->runs)
        return 1;
    g->runs = piped_start(argv, NULL, &g->piped, NULL) == ASSAY_OK;
    g->piped.talks = 1;
    if (!g->runs)
        piped_release(&g->piped);
    return g->runs;
}

/* The exit status for the plan; -1: not yet. */
static int receive_answer(group_process *g)
{
    char line[300] = "";
    const ssize_t got = recv(g->piped.in, line, sizeof line - 1, MSG_DONTWAIT);
    if (got < 2 || line[got - 1] != '\n')
        return -1;
    const size_t digits = strspn(line, "0123456789");
    group_phases_add(line + digits, g->phases_s);
    return atoi(line);
}

/* Until there is an answer or an end. 1: the process has ended. */
static int wait_for_answer(group_process *g, double time_limit_s, process_result *result, int *code)
{
    const double start_s = process_clock_s();
    process_end stopped = PROCESS_EXITED;
    int ended = 0;
    while (!ended && *code < 0) {
        ended = piped_step(&g->piped, TICK_MS, result);
        if (!ended)
            *code = receive_answer(g);
        if (stopped == PROCESS_EXITED && process_interrupted())
            stopped = PROCESS_INTERRUPTED;
        else if (stopped == PROCESS_EXITED && time_limit_s > 0 && process_clock_s() - start_s > time_limit_s)
            stopped = PROCESS_TIMED_OUT;
        if (stopped != PROCESS_EXITED && !ended)
            piped_stop(&g->piped, 1);
    }
    if (!ended)
        ended = piped_step(&g->piped, 0, result); /* what it printed before it answered */
    if (stopped != PROCESS_EXITED)
        result->end = stopped;
    result->seconds = process_clock_s() - start_s;
    return ended;
}

/* What it wrote since then: standard output and behind it the messages, whose last line says why something failed. */
static char *take_output(const piped *p, size_t output_from, size_t messages_from)
{
    char *text = malloc(p->output_bytes - output_from + p->message_bytes - messages_from + 1);
    if (text)
        sprintf(text, "%s%s", p->output + output_from, p->messages + messages_from);
    return text;
}

int group_process_run(group_process *g, const char *const *argv, const char *path, double time_limit_s,
                      process_result *result)
{
    if (!start(g, argv))
        return 0;
    *result = (process_result){.end = PROCESS_EXITED};
    const size_t output_from = g->piped.output_bytes, messages_from = g->piped.message_bytes;
    char line[4400];
    int code = -1;
    const int bytes = snprintf(line, sizeof line, "%s\n", path);
    (void)!send(g->piped.in, line, (size_t)bytes, MSG_NOSIGNAL); /* one that has ended is found out below */
    const int ended = wait_for_answer(g, time_limit_s, result, &code);
    if (code >= 0 && !ended) {
        result->end = PROCESS_EXITED;
        result->code = code;
    }
    result->output = take_output(&g->piped, output_from, messages_from);
    if (ended)
        piped_release(&g->piped);
    g->runs = !ended;
    return 1;
}

void group_process_end(group_process *g)
{
    process_result result;
    if (!g->runs)
        return;
    shutdown(g->piped.in, SHUT_WR);
    piped_finish(&g->piped, process_clock_s() - g->piped.start_s + END_LIMIT_S, &result);
    piped_release(&g->piped);
    g->runs = 0;
}
