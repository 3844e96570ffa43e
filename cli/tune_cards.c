/* Tunings spread over local cards: see tune_cards.h. */
#include "cli/tune_cards.h"
#include "bench/environment/chosen_card.h"
#include "cli/tune_cluster.h"
#include "core/json_file.h"
#include "core/list.h"
#include "core/process.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_CARDS = 64, PAUSE_MS = 200 };

typedef struct card {
    int number;
    long pid; /* 0: free */
    cluster_task *task;
} card;

typedef struct card_list {
    card items[MOST_CARDS];
    int count;
} card_list;

assay_status tune_read_devices(const char *text, int *numbers, int most, int *count, assay_error *error)
{
    *count = 0;
    for (list_item item = {0}; list_next(text, &item);) {
        char *end;
        const long number = strtol(item.text, &end, 10);
        int known = 0;
        for (int i = 0; i < *count; i++)
            known |= numbers[i] == (int)number;
        if (item.length == 0 || end != item.text + item.length || number < 0 || number > 1024 || known ||
            *count == most)
            return assay_error_set(
                error, ASSAY_ERR_INVALID,
                "--devices: numbers of devices are expected, at most %d, each once, as in 0,1,2; not \"%s\"",
                most, text);
        numbers[(*count)++] = (int)number;
    }
    return *count > 0 ? ASSAY_OK : assay_error_set(error, ASSAY_ERR_INVALID, "--devices: no device is named");
}

static assay_status read_cards(const char *text, card_list *cards, assay_error *error)
{
    int numbers[MOST_CARDS];
    *cards = (card_list){.count = 0};
    const assay_status status = tune_read_devices(text, numbers, MOST_CARDS, &cards->count, error);
    for (int i = 0; i < cards->count && status == ASSAY_OK; i++)
        cards->items[i] = (card){.number = numbers[i]};
    return status;
}

/* In the child: it and what it starts see its card alone. */
static int choose_card(void *context)
{
    const card *c = context;
    return chosen_card_use(c->number) ? 0 : 19; /* ENODEV */
}

static assay_status start(const cluster *c, card *on, cluster_task *t, assay_error *error)
{
    const char *argv[CLUSTER_WORDS + 2] = {c->program};
    char log[PATH_MAX + 16];
    int number = 0;
    for (int i = 0; t->words[i]; i++)
        argv[i + 1] = t->words[i];
    cluster_forget(t, "status");
    const assay_status status = cluster_write_workspace(c, t, error);
    if (status != ASSAY_OK)
        return status;
    snprintf(log, sizeof log, "%.4000s/log.txt", t->folder);
    const int fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (fd < 0)
        return assay_error_set(error, ASSAY_ERR_IO, "%s: cannot be written", log);
    const process_plan plan = {
        .argv = argv, .input_fd = -1, .output_fd = fd, .prepare = choose_card, .context = on};
    on->pid = process_start(&plan, &number);
    close(fd);
    if (on->pid < 0) {
        on->pid = 0;
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "%s does not start on device %d: %s", c->program,
                               on->number, strerror(number));
    }
    on->task = t;
    t->state.phase = SLURM_RUNNING;
    if (!c->a->common.json)
        printf("%s: on device %d, log: %s\n", t->label, on->number, log);
    return ASSAY_OK;
}

/* 1 if the card's process has ended; its exit status is then in the task's folder. */
static int has_ended(card *on)
{
    char path[PATH_MAX + 16], text[16];
    int how = 0;
    if (on->pid == 0 || waitpid((pid_t)on->pid, &how, WNOHANG) != on->pid)
        return 0;
    cluster_task *t = on->task;
    *on = (card){.number = on->number};
    t->state.phase = SLURM_ENDED;
    snprintf(path, sizeof path, "%.4000s/status", t->folder);
    snprintf(text, sizeof text, "%d\n", WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how));
    (void)text_file_write(path, text, strlen(text), NULL); /* of a task without one the log says why */
    return 1;
}

static cluster_task *next_open(const cluster *c)
{
    for (int i = 0; i < c->count; i++)
        if (!cluster_is_done(&c->tasks[i]) && c->tasks[i].state.phase == SLURM_GONE)
            return &c->tasks[i];
    return NULL;
}

/* Until nothing is open and nothing runs. An interrupt is handed on, and what is in flight is waited for. */
static assay_status run_tasks(cluster *c, card_list *cards, assay_error *error)
{
    const struct timespec pause = {0, PAUSE_MS * 1000000L};
    assay_status status = ASSAY_OK;
    int handed_on = 0;
    for (int active = 1; active > 0; nanosleep(&pause, NULL)) {
        const int stops = status != ASSAY_OK || process_interrupted();
        active = 0;
        for (int i = 0; i < cards->count; i++) {
            card *on = &cards->items[i];
            if (on->pid && stops && !handed_on)
                kill((pid_t)-on->pid, SIGINT);
            cluster_task *was = on->task, *next;
            if (has_ended(on) && !process_interrupted())
                cluster_tell_end(c, was);
            if (!on->pid && !stops && status == ASSAY_OK && (next = next_open(c)) != NULL)
                status = start(c, on, next, error);
            active += on->pid != 0;
        }
        handed_on = stops;
        fflush(stdout);
    }
    return status;
}

/* The compilers of all processes together are as many as one process would start. */
static void share_compilers(cluster *c, int cards, char jobs[32])
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int chosen = 0;
    for (int i = 0; i < c->a->passed_count; i++)
        chosen |= strncmp(c->a->passed[i], "--jobs=", 7) == 0;
    if (chosen)
        return;
    snprintf(jobs, 32, "--jobs=%ld", cores > cards ? cores / cards : 1);
    for (int i = 0; i < c->count; i++)
        cluster_add_word(&c->tasks[i], jobs);
}

assay_status tune_on_cards(workspace *ws, tune_arguments *a, const tune_plan *plan, int *exit_status,
                           assay_error *error)
{
    cluster c = {.ws = ws, .a = a, .id = "local"};
    card_list cards;
    char jobs[32];
    int joined = 0;
    assay_status status = read_cards(a->devices, &cards, error);
    if (status == ASSAY_OK)
        status = cluster_make_tasks(&c, "devices", plan, error);
    if (status == ASSAY_OK && a->common.dry_run) {
        for (int i = 0; i < c.count; i++)
            printf("%s\n", c.tasks[i].label);
        free(c.tasks);
        return ASSAY_OK;
    }
    if (status == ASSAY_OK)
        status = cluster_open(&c, &joined, error);
    if (status == ASSAY_OK)
        status = cluster_forget_outcomes(&c, joined, error);
    if (status == ASSAY_OK)
        status = cluster_write_job(&c, 0, error);
    if (status == ASSAY_OK) {
        share_compilers(&c, cards.count, jobs);
        status = run_tasks(&c, &cards, error);
    }
    if (status == ASSAY_OK && process_interrupted()) {
        *exit_status = 130;
        fprintf(stderr, "assay tune: interrupted; the same command goes on\n");
    } else if (status == ASSAY_OK)
        status = cluster_end(&c, exit_status, error);
    free(c.tasks);
    return status;
}
