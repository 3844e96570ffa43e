/* Shapes divided over devices: see shape_work.h. */
#include "core/process.h"
#include "tune/tuner/card_messages.h"
#include "tune/tuner/shape_work.h"
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAUSE_MS = 100 };

typedef enum message_kind { CARD_OPENED, CARD_TOOK_SHAPE, CARD_ENDED } message_kind;

typedef struct card_message {
    message_kind kind;
    assay_status status;
    char message[400];
    assay_device_info device;
    int shape;
    double us[SHAPE_MOST_CONFIGURATIONS];
} card_message;

typedef struct shape_card {
    long pid;
    int fd, opened; /* fd -1: it has ended */
} shape_card;

typedef struct shape_cards {
    const shape_work *w;
    const int *numbers;
    shape_card items[TUNE_MOST_CARDS];
    assay_device_info *first;
    shape_taken taken;
    void *context;
} shape_cards;

/* ---- in a card's process ---- */

static assay_status send_shape(void *context, int shape, const double *us, assay_error *error)
{
    const shape_work *w = ((const shape_cards *)context)->w;
    const int fd = ((const shape_cards *)context)->items[0].fd;
    card_message m = {.kind = CARD_TOOK_SHAPE, .shape = shape};
    memcpy(m.us, us, (size_t)w->configuration_count * sizeof *us);
    return card_write(fd, &m, sizeof m)
               ? ASSAY_OK
               : assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "the tuner's process ended");
}

static void say_status(int fd, message_kind kind, assay_status status, const assay_error *error,
                       const assay_device_info *info)
{
    card_message m = {.kind = kind, .status = status, .device = *info};
    snprintf(m.message, sizeof m.message, "%.399s", error->message);
    (void)card_write(fd, &m, sizeof m);
}

static void serve(const shape_cards *all, int at, long parent, int fd) __attribute__((noreturn));
static void serve(const shape_cards *all, int at, long parent, int fd)
{
    tune_options options = *all->w->options;
    shape_work own = *all->w;
    shape_cards to = {.w = &own, .items = {{.fd = fd}}};
    assay_device_info info = {.sm_count = 0};
    assay_error error = {0};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != (pid_t)parent)
        _exit(0);
    options.evaluate.bench.device_ordinal = 0; /* of the one that is left visible */
    own.options = &options;
    card_share_cores(own.cards);
    assay_status status = card_open(own.ws, all->numbers[at], at == 0, &info, &error);
    say_status(fd, CARD_OPENED, status, &error, &info);
    if (status == ASSAY_OK) {
        status = shape_work_run(&own, at, own.cards, send_shape, &to, &error);
        say_status(fd, CARD_ENDED, status, &error, &info);
    }
    _exit(0);
}

/* ---- in the tuner's process ---- */

static assay_status start(shape_cards *all, int at, assay_error *error)
{
    int ends[2];
    const long parent = getpid();
    fflush(NULL);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "device %d: no connection to a process",
                               all->numbers[at]);
    const pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        for (int i = 0; i < at; i++)
            close(all->items[i].fd);
        serve(all, at, parent, ends[1]);
    }
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "device %d: no process could be started",
                               all->numbers[at]);
    }
    all->items[at] = (shape_card){.pid = pid, .fd = ends[0]};
    return ASSAY_OK;
}

static assay_status take_opened(shape_cards *all, int at, const card_message *m, assay_error *error)
{
    int others = 0;
    for (int i = 0; i < all->w->cards; i++)
        others += all->items[i].opened;
    all->items[at].opened = 1;
    if (others == 0)
        *all->first = m->device;
    return tune_cards_are_alike(all->first, &m->device)
               ? ASSAY_OK
               : assay_error_set(error, ASSAY_ERR_INVALID,
                                 "--devices: one is a %s and another a %s; one table takes cards of one kind",
                                 all->first->name, m->device.name);
}

/* A process that ends without a word was killed. */
static assay_status take_message(shape_cards *all, int at, assay_error *error)
{
    card_message m;
    shape_card *card = &all->items[at];
    const int there = card_read(card->fd, &m, sizeof m);
    if (there && m.kind == CARD_TOOK_SHAPE)
        return all->taken(all->context, m.shape, m.us, error);
    if (there && m.kind == CARD_OPENED && m.status == ASSAY_OK)
        return take_opened(all, at, &m, error);
    close(card->fd);
    card->fd = -1;
    if (there && m.status == ASSAY_OK)
        return ASSAY_OK;
    return process_interrupted()
               ? ASSAY_OK
               : assay_error_set(
                     error, there ? m.status : ASSAY_ERR_ENVIRONMENT, "device %d: %s", all->numbers[at],
                     there ? m.message : "its process was killed; the same command goes on where it was");
}

static int poll_cards(const shape_cards *all, struct pollfd *polled)
{
    int open = 0;
    for (int i = 0; i < all->w->cards; i++) {
        polled[i] = (struct pollfd){.fd = all->items[i].fd, .events = POLLIN};
        open += all->items[i].fd >= 0;
    }
    if (open > 0)
        poll(polled, (nfds_t)all->w->cards, PAUSE_MS);
    return open;
}

static void hand_on(const shape_cards *all, int signal_number)
{
    for (int i = 0; i < all->w->cards; i++)
        if (all->items[i].pid > 0 && all->items[i].fd >= 0)
            kill((pid_t)all->items[i].pid, signal_number);
}

/* After a failure of one card the others finish what is in flight. */
static assay_status gather(shape_cards *all, assay_error *error)
{
    struct pollfd polled[TUNE_MOST_CARDS];
    assay_status status = ASSAY_OK;
    for (int told = 0; poll_cards(all, polled) > 0;) {
        if (!told && (process_interrupted() || status != ASSAY_OK)) {
            hand_on(all, SIGINT);
            told = 1;
        }
        for (int i = 0; i < all->w->cards; i++) {
            if (all->items[i].fd < 0 || !polled[i].revents)
                continue;
            const assay_status own = take_message(all, i, status == ASSAY_OK ? error : NULL);
            status = status == ASSAY_OK ? own : status;
        }
    }
    return status;
}

assay_status shape_work_on_cards(const shape_work *w, const int *numbers, assay_device_info *info,
                                 shape_taken taken, void *context, assay_error *error)
{
    shape_cards all = {.w = w, .numbers = numbers, .first = info, .taken = taken, .context = context};
    assay_status status = ASSAY_OK;
    for (int i = 0; i < w->cards; i++)
        all.items[i] = (shape_card){.fd = -1};
    for (int i = 0; i < w->cards && status == ASSAY_OK; i++)
        status = start(&all, i, error);
    if (status == ASSAY_OK)
        status = gather(&all, error);
    else
        hand_on(&all, SIGKILL);
    for (int i = 0; i < w->cards; i++) {
        if (all.items[i].fd >= 0)
            close(all.items[i].fd);
        if (all.items[i].pid > 0)
            waitpid((pid_t)all.items[i].pid, NULL, 0);
    }
    return status;
}
