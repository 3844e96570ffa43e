/* The process of one card: see cards.h. */
#include "bench/environment/chosen_card.h"
#include "core/json_file.h"
#include "core/parallel_for.h"
#include "core/process.h"
#include "tune/evaluate/constraints.h"
#include "tune/executor/task_workspace.h"
#include "tune/tuner/card_messages.h"
#include "tune/tuner/tuner.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

int card_read(int fd, void *to, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        const ssize_t n = read(fd, (char *)to + done, bytes - done);
        if (n == 0 || (n < 0 && errno != EINTR))
            return 0;
        done += n > 0 ? (size_t)n : 0;
    }
    return 1;
}

/* A socket whose other end is gone ends the write and not the process; pipes have no such flag. */
int card_write(int fd, const void *from, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t n = send(fd, (const char *)from + done, bytes - done, MSG_NOSIGNAL);
        if (n < 0 && errno == ENOTSOCK)
            n = write(fd, (const char *)from + done, bytes - done);
        if (n < 0 && errno != EINTR)
            return 0;
        done += n > 0 ? (size_t)n : 0;
    }
    return 1;
}

/* A workspace of its own, since programs that are started find theirs by its path. Modules are those that the tuner compiled. */
static assay_status move_to(workspace *ws, int number, assay_error *error)
{
    char folder[4096], link[4200], modules[4200];
    snprintf(folder, sizeof folder, "%.3900s/devices/cards/%d", ws->path, number);
    snprintf(modules, sizeof modules, "%.4000s/configurations", ws->path);
    snprintf(link, sizeof link, "%.4000s/configurations", folder);
    assay_status status = make_folders(modules, error);
    if (status == ASSAY_OK)
        status = task_workspace_write(ws, folder, error);
    if (status == ASSAY_OK && symlink(modules, link) != 0 && errno != EEXIST)
        status = assay_error_set(error, ASSAY_ERR_IO, "%s: %s", link, strerror(errno));
    snprintf(ws->path, sizeof ws->path, "%s", folder);
    snprintf(ws->results_base, sizeof ws->results_base, "%.4000s/results", folder);
    snprintf(ws->logs, sizeof ws->logs, "%.4000s/logs", folder);
    return status;
}

void card_share_cores(int cards)
{
    const int share = parallel_for_threads() / cards;
    parallel_for_limit(share > 1 ? share : 1);
}

assay_status card_open(workspace *ws, int number, int is_first, assay_device_info *info, assay_error *error)
{
    assay_device *device = NULL;
    const int is_cuda = strcmp(ws->device, "cuda") == 0; /* any number is the CPU device */
    if (is_cuda && !chosen_card_use(number))
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "CUDA_VISIBLE_DEVICES names fewer devices");
    assay_status status = is_first ? ASSAY_OK : move_to(ws, number, error);
    if (status == ASSAY_OK)
        status = assay_device_open(ws->device, 0, &device, error);
    if (status == ASSAY_OK) {
        *info = *assay_device_get_info(device);
        workspace_use_slug(ws, info->slug);
    }
    assay_device_close(device);
    return status;
}

static assay_status answer(evaluator *e, const tune_subject *subject, const card_request *request,
                           tune_candidate *batch, assay_error *error)
{
    assay_status status = ASSAY_OK;
    for (int i = 0; i < request->count && status == ASSAY_OK; i++)
        status = tune_candidate_make(subject, &request->items[i], &batch[i], error);
    if (status == ASSAY_OK)
        status = evaluate_begin(e, batch, request->count, error);
    if (status == ASSAY_OK)
        status = evaluate_finish(e, batch, request->count, request->best_us, error);
    return status;
}

static int send_answer(int fd, assay_status status, const assay_error *error, evaluator_times spent,
                       const tune_candidate *batch, int count)
{
    card_reply reply = {.status = status, .spent = spent};
    snprintf(reply.message, sizeof reply.message, "%.399s", status == ASSAY_OK ? "" : error->message);
    int sent = card_write(fd, &reply, sizeof reply);
    for (int i = 0; i < count && sent; i++) {
        card_candidate c = {.candidate = batch[i],
                            .report_bytes = batch[i].report ? strlen(batch[i].report) + 1 : 0};
        c.candidate.report = NULL;
        sent = card_write(fd, &c, sizeof c) &&
               (c.report_bytes == 0 || card_write(fd, batch[i].report, c.report_bytes));
    }
    return sent;
}

static void serve(evaluator *e, const tune_subject *subject, int fd)
{
    static tune_candidate batch[EVALUATE_MOST];
    static card_request request;
    evaluator_times before = {.timing = 0};
    for (int there = 1; there && card_read(fd, &request, sizeof request);) {
        assay_error error = {0};
        memset(batch, 0, sizeof batch);
        const assay_status status = answer(e, subject, &request, batch, &error);
        const evaluator_times now = evaluator_spent(e),
                              spent = {.verifying = now.verifying - before.verifying,
                                       .timing = now.timing - before.timing};
        there = send_answer(fd, status, &error, spent, batch, request.count);
        before = now;
        for (int i = 0; i < request.count; i++)
            tune_candidate_release(&batch[i]);
    }
}

void card_serve(const card_subject *s, int number, int is_first, long parent, int fd)
{
    const tune_options *o = s->options;
    tune_subject subject = {
        .ws = s->ws, .op = s->op, .variant = o->variant, .dtype = o->dtype, .size = o->size};
    evaluate_options evaluate = o->evaluate;
    card_hello hello = {.status = ASSAY_OK};
    assay_error error = {0};
    space *all = NULL;
    evaluator *e = NULL;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != (pid_t)parent)
        _exit(0);
    evaluate.bench.device_ordinal = 0; /* of the one that is left visible */
    card_share_cores(s->cards);
    hello.status = card_open(s->ws, number, is_first, &subject.device, &error);
    if (hello.status == ASSAY_OK)
        hello.status = tune_space(s->ws, s->op, o->variant, o->dtype, o->size, &all, &error);
    subject.space = all;
    if (hello.status == ASSAY_OK)
        hello.status = evaluator_create(&subject, &evaluate, &e, &error);
    hello.device = subject.device;
    snprintf(hello.message, sizeof hello.message, "%.399s", error.message);
    if (card_write(fd, &hello, sizeof hello) && hello.status == ASSAY_OK)
        serve(e, &subject, fd);
    evaluator_free(e);
    space_free(all);
    _exit(0);
}
