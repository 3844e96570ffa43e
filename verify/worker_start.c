/* The begin of a worker process, and what is known of it; see worker.h. */
#include "verify/worker_parts.h"
#include "core/process.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

assay_status worker_adopt(long pid, int socket, int output, double time_limit_s, worker **out,
                          assay_error *error)
{
    protocol_hello hello;
    *out = NULL;
    worker *w = calloc(1, sizeof *w);
    if (!w)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    w->pid = (pid_t)pid;
    w->socket = socket;
    w->output = output;
    w->memory = -1;
    w->limit_s = time_limit_s;
    assay_error lost = {0};
    assay_status status = worker_receive(w, &hello, sizeof hello, &lost);
    if (status == ASSAY_OK) {
        hello.message[sizeof hello.message - 1] = '\0';
        status = hello.magic == PROTOCOL_MAGIC ? (assay_status)hello.status : ASSAY_ERR_ENVIRONMENT;
        w->info = hello.info;
    }
    *out = w;
    if (status == ASSAY_OK)
        return ASSAY_OK;
    assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "%s", lost.message[0] ? lost.message : hello.message);
    worker_close(w);
    *out = NULL;
    return ASSAY_ERR_ENVIRONMENT;
}

/* `confine`: NULL: unconfined. */
static assay_status start(const worker_setup *setup, const confine_rules *confine, worker **out,
                          assay_error *error)
{
    int sockets[2] = {-1, -1}, output[2] = {-1, -1}, error_number = 0, words = 0;
    const char *argv[64];
    *out = NULL;
    while (setup->tool && setup->tool[words] && words < 60) {
        argv[words] = setup->tool[words];
        words++;
    }
    argv[words] = setup->program;
    argv[words + 1] = setup->device;
    argv[words + 2] = NULL;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0 || pipe2(output, O_CLOEXEC) != 0)
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "cannot make a socket: %s", strerror(errno));
    const process_plan plan = {.argv = argv, .input_fd = sockets[1], .output_fd = output[1]};
    unsigned measures = 0;
    const long pid = confine ? confine_start(&plan, confine, &measures, &error_number)
                             : process_start(&plan, &error_number);
    close(sockets[1]);
    close(output[1]);
    if (pid > 0) {
        const assay_status status = worker_adopt(pid, sockets[0], output[0], setup->time_limit_s, out, error);
        if (*out)
            (*out)->measures = measures;
        return status;
    }
    close(sockets[0]);
    close(output[0]);
    return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "%s could not be started: %s", argv[0],
                           strerror(error_number));
}

/* A GPU's driver may not start under all measures: fewer are tried in turn, and kept for the workers that follow. Those that hold stand in
 * the verdict. */
static assay_status start_on_gpu(const worker_setup *setup, worker **out, assay_error *error)
{
    static _Atomic int known;
    assay_status status = ASSAY_ERR_ENVIRONMENT;
    for (int i = known; i < CONFINE_GPU_STEPS && status == ASSAY_ERR_ENVIRONMENT; i++) {
        confine_rules rules = *setup->confine;
        rules.gpu = 1;
        rules.without = confine_gpu_steps[i];
        status = start(setup, &rules, out, error);
        if (status == ASSAY_OK)
            known = i;
    }
    return status;
}

assay_status worker_start(const worker_setup *setup, worker **out, assay_error *error)
{
    return setup->confine && strcmp(setup->device, "cuda") == 0 ? start_on_gpu(setup, out, error)
                                                                : start(setup, setup->confine, out, error);
}

void worker_begin(worker *w, double time_limit_s)
{
    worker_drain(w);
    w->said = 0;
    w->words[0] = '\0';
    w->limit_s = time_limit_s;
    w->waited_s = w->earlier_s = 0;
    w->what[0] = '\0';
}

void worker_begin_problem(worker *w)
{
    w->earlier_s += w->waited_s;
    w->waited_s = 0;
}

void worker_name_step(worker *w, const char *label, const char *name)
{
    snprintf(w->what, sizeof w->what, "%s%s%s", label ? label : "", label && label[0] ? ", " : "", name);
}

unsigned worker_measures(const worker *w)
{
    return w->measures;
}

const assay_device_info *worker_info(const worker *w)
{
    return &w->info;
}

unsigned char *worker_shared(const worker *w)
{
    return w->shared;
}

step_kind worker_failed_step(const worker *w)
{
    return w->failed_step;
}

assay_status worker_returned(const worker *w)
{
    const int32_t returned = w->answer.returned;
    return returned >= ASSAY_OK && returned <= ASSAY_ERR_CHECK ? (assay_status)returned : ASSAY_ERR_DEVICE;
}

int worker_took_order(worker *w)
{
    const int took = w->took_order != 0;
    w->took_order = 0;
    return took;
}

int64_t worker_value(const worker *w)
{
    return w->answer.value;
}

uint64_t worker_address(const worker *w, int buffer)
{
    return w->answer.address[buffer];
}

int worker_lost(const worker *w)
{
    return w->end != WORKER_RUNS;
}

worker_end worker_how_ended(const worker *w)
{
    return w->end;
}

const char *worker_reason(const worker *w)
{
    return w->reason;
}

double worker_waited_s(const worker *w)
{
    return w->earlier_s + w->waited_s;
}

const char *worker_output(const worker *w)
{
    return w->words;
}
