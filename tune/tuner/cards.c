/* Processes that evaluate beside each other, one a card: see cards.h. */
#include "tune/tuner/cards.h"
#include "tune/tuner/card_messages.h"
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- which cards there are ---- */

int tune_cards_are_alike(const assay_device_info *a, const assay_device_info *b)
{
    return strcmp(a->name, b->name) == 0 && a->sm_count == b->sm_count && a->memory_bytes == b->memory_bytes;
}

/* In a child, since a process that has asked CUDA may not be forked. */
static void find_alike(const char *kind, int fd)
{
    assay_device_info first = {.sm_count = 0};
    for (int i = 0; i < TUNE_MOST_CARDS; i++) {
        assay_device *device = NULL;
        if (assay_device_open(kind, i, &device, NULL) != ASSAY_OK)
            break;
        const assay_device_info *info = assay_device_get_info(device);
        if (i == 0)
            first = *info;
        if (tune_cards_are_alike(info, &first) && !card_write(fd, &i, sizeof i))
            break;
        assay_device_close(device);
    }
    _exit(0);
}

int tune_cards_alike(const char *kind, int numbers[TUNE_MOST_CARDS])
{
    int ends[2], count = 0;
    fflush(NULL);
    if (pipe(ends) != 0)
        return 0;
    const pid_t pid = fork();
    if (pid == 0)
        find_alike(kind, ends[1]);
    close(ends[1]);
    while (pid > 0 && count < TUNE_MOST_CARDS && card_read(ends[0], &numbers[count], sizeof *numbers))
        count++;
    close(ends[0]);
    if (pid > 0)
        waitpid(pid, NULL, 0);
    return count;
}

/* ---- starting and stopping ---- */

static assay_status start(const card_subject *subject, tune_cards *cards, int at, assay_error *error)
{
    int ends[2];
    tune_card *card = &cards->items[at];
    fflush(NULL);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "device %d: no connection to a process",
                               card->number);
    const long parent = getpid();
    const pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        for (int i = 0; i < at; i++)
            close(cards->items[i].fd);
        card_serve(subject, card->number, at == 0, parent, ends[1]);
    }
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "device %d: no process could be started",
                               card->number);
    }
    card->pid = pid;
    card->fd = ends[0];
    return ASSAY_OK;
}

/* What a process says of its card when it is ready. */
static assay_status greet(tune_card *card, assay_device_info *info, assay_error *error)
{
    card_hello hello;
    if (!card_read(card->fd, &hello, sizeof hello))
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "device %d: its process ended", card->number);
    *info = hello.device;
    snprintf(card->name, sizeof card->name, "%s", hello.device.name);
    snprintf(card->uuid, sizeof card->uuid, "%s", hello.device.uuid);
    return hello.status == ASSAY_OK
               ? ASSAY_OK
               : assay_error_set(error, hello.status, "device %d: %s", card->number, hello.message);
}

assay_status tune_cards_start(workspace *ws, const workspace_op *op, const tune_options *options,
                              const int *numbers, int count, tune_cards *out, assay_error *error)
{
    const card_subject subject = {ws, op, options, count};
    assay_device_info first, info;
    assay_status status = ASSAY_OK;
    *out = (tune_cards){.count = 0};
    for (int i = 0; i < count && i < TUNE_MOST_CARDS && status == ASSAY_OK; i++) {
        out->items[out->count] =
            (tune_card){.number = numbers[i], .fd = -1, .default_us = NAN, .factor = NAN};
        status = start(&subject, out, out->count, error);
        out->count += status == ASSAY_OK;
    }
    for (int i = 0; i < out->count && status == ASSAY_OK; i++) {
        status = greet(&out->items[i], i == 0 ? &first : &info, error);
        if (status == ASSAY_OK && i > 0 && !tune_cards_are_alike(&info, &first))
            status =
                assay_error_set(error, ASSAY_ERR_INVALID,
                                "--devices: device %d is a %s and device %d a %s; one tuning takes cards "
                                "of one kind",
                                out->items[i].number, info.name, out->items[0].number, first.name);
    }
    return status;
}

void tune_cards_stop(tune_cards *cards)
{
    for (int i = 0; i < cards->count; i++) {
        tune_card *card = &cards->items[i];
        if (card->fd >= 0)
            close(card->fd); /* its process ends when it reads that */
        if (card->pid > 0 && card->phase != CARD_FREE)
            kill((pid_t)card->pid, SIGKILL);
        if (card->pid > 0)
            waitpid((pid_t)card->pid, NULL, 0);
        card->pid = 0;
        card->fd = -1;
    }
}

void tune_cards_interrupt(const tune_cards *cards)
{
    for (int i = 0; i < cards->count; i++)
        if (cards->items[i].pid > 0)
            kill((pid_t)cards->items[i].pid, SIGINT);
}

/* ---- work ---- */

assay_status tune_card_send(tune_card *card, const tune_candidate *batch, int count,
                            const tune_candidate *beside, double best_us, assay_error *error)
{
    card_request request = {.best_us = best_us};
    for (int i = 0; i < count; i++)
        if (!batch[i].done)
            request.items[request.count++] = batch[i].configuration;
    if (beside)
        request.items[request.count++] = beside->configuration;
    card->phase = CARD_BUSY;
    return card_write(card->fd, &request, sizeof request)
               ? ASSAY_OK
               : assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "device %d: its process ended", card->number);
}

int tune_cards_wait(const tune_cards *cards, int wait_ms)
{
    struct pollfd polled[TUNE_MOST_CARDS];
    for (int i = 0; i < cards->count; i++)
        polled[i] = (struct pollfd){.fd = cards->items[i].phase == CARD_BUSY ? cards->items[i].fd : -1,
                                    .events = POLLIN};
    if (poll(polled, (nfds_t)cards->count, wait_ms) <= 0)
        return -1;
    for (int i = 0; i < cards->count; i++)
        if (polled[i].revents)
            return i;
    return -1;
}

/* What the compiler took is known here and not there. */
static assay_status receive_one(tune_card *card, tune_candidate *c, assay_error *error)
{
    card_candidate answer;
    if (!card_read(card->fd, &answer, sizeof answer))
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "device %d: its process ended", card->number);
    char *report = answer.report_bytes ? malloc(answer.report_bytes) : NULL;
    if (answer.report_bytes && (!report || !card_read(card->fd, report, answer.report_bytes))) {
        free(report);
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "device %d: its process ended", card->number);
    }
    const double compile_s = c->compile_s;
    free(c->report);
    *c = answer.candidate;
    c->report = report;
    c->compile_s = compile_s;
    card->evaluations += c->done;
    return ASSAY_OK;
}

assay_status tune_card_receive(tune_cards *cards, tune_card *card, tune_candidate *batch, int count,
                               tune_candidate *beside, assay_error *error)
{
    card_reply reply;
    card->phase = CARD_FREE;
    if (!card_read(card->fd, &reply, sizeof reply))
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "device %d: its process ended", card->number);
    cards->spent.verifying += reply.spent.verifying;
    cards->spent.timing += reply.spent.timing;
    for (int i = 0; i < count; i++) {
        if (batch[i].done)
            continue;
        const assay_status status = receive_one(card, &batch[i], error);
        if (status != ASSAY_OK)
            return status;
    }
    const assay_status last = beside ? receive_one(card, beside, error) : ASSAY_OK;
    if (last != ASSAY_OK)
        return last;
    return reply.status == ASSAY_OK
               ? ASSAY_OK
               : assay_error_set(error, reply.status, "device %d: %s", card->number, reply.message);
}
