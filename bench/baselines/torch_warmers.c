/* Starting and ending the processes that compile for torch and Triton: see torch_warmers.h. */
#include "bench/baselines/torch_warmers.h"
#include "bench/timing/clock.h"
#include "core/json_file.h"
#include "core/output_folder.h"
#include "core/process.h"
#include "bench/baselines/torch_server.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Meant for hangs only: without others beside it preparing a norm's peers took up to 12 s on an H100's host. And a time for those that were told to end. */
static const double start_s = 60.0, call_s = 20.0, say_every_s = 10.0, stop_limit_s = 10.0;

int torch_warmers_default_jobs(void)
{
    cpu_set_t mine;
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    const int processors = sched_getaffinity(0, sizeof mine, &mine) == 0 ? CPU_COUNT(&mine) : (int)online;
    const int jobs = processors - 2;
    return jobs < 2 ? 0 : jobs < TORCH_WARMERS_MOST_JOBS ? jobs : TORCH_WARMERS_MOST_JOBS;
}

static void name_list(const torch_warmers *w, char *path, size_t path_bytes)
{
    snprintf(path, path_bytes, "%s/calls.json", w->folder);
}

static int write_list(const torch_warmers *w, const json_t *calls)
{
    char path[128];
    json_t *list = json_pack("{s:O}", "calls", calls);
    name_list(w, path, sizeof path);
    const int written = list && json_dump_file(list, path, 0) == 0;
    json_decref(list);
    return written;
}

/* A group of its own, so that Ctrl-C reaches the command alone, which then ends all of them. torch_warm.py sees to its parent's end itself,
 * but only from when it runs. */
static void become_leader(const torch_warmers *w, const char *python, const char *script, pid_t parent)
{
    char path[128], jobs[16];
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) /* it ended before the line above */
        _exit(127);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    const int file = open(w->log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file >= 0)
        dup2(file, STDERR_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    name_list(w, path, sizeof path);
    snprintf(jobs, sizeof jobs, "%d", w->jobs);
    execlp(python, python, script, "--compile-only", path, "--jobs", jobs, (char *)NULL);
    _exit(127);
}

void torch_warmers_begin(torch_warmers *w, const workspace *ws, const char *python, const json_t *calls,
                         int jobs)
{
    char script[4200], reason[256];
    if (w->pid > 0 || jobs < 1 || json_array_size(calls) < TORCH_WARMERS_LEAST_CALLS ||
        !torch_server_possible(ws, python, reason, sizeof reason))
        return;
    if (output_folder_prepare(ws->results, NULL) != ASSAY_OK)
        return; /* bench_run() will say so */
    *w = (torch_warmers){.calls = (int)json_array_size(calls), .jobs = jobs};
    snprintf(w->log, sizeof w->log, "%s/torch_warm.log", ws->results);
    snprintf(w->folder, sizeof w->folder, "/tmp/assay-torch-XXXXXX");
    if (!mkdtemp(w->folder)) {
        w->folder[0] = '\0';
        return;
    }
    python = torch_server_python(python);
    if (write_list(w, calls) && torch_server_script(ws, script, sizeof script)) {
        fflush(NULL);
        const pid_t parent = getpid();
        w->pid = fork();
        if (w->pid == 0)
            become_leader(w, python, script, parent);
        if (w->pid > 0)
            setpgid(w->pid, w->pid); /* by whoever comes first, so that the group is there to be ended */
    }
    if (w->pid <= 0)
        torch_warmers_stop(w);
}

typedef struct how_far {
    int done, failed, all;
} how_far;

static how_far read_progress(const torch_warmers *w)
{
    char path[128];
    how_far far = {.all = w->calls};
    snprintf(path, sizeof path, "%s/progress", w->folder);
    FILE *file = fopen(path, "r");
    if (file && fscanf(file, "%d %d %d", &far.done, &far.failed, &far.all) != 3)
        far = (how_far){.all = w->calls};
    if (file)
        fclose(file);
    return far;
}

static void say(FILE *out, const torch_warmers *w, const char *what)
{
    const how_far far = read_progress(w);
    if (!out)
        return;
    fprintf(out, "compiling for torch and Triton in %d processes: %d of %d calls%s\n", w->jobs, far.done,
            far.all, what);
    fflush(out);
}

/* 1 when the leader has ended; then there are no others, since it waits for them. */
static int has_ended(torch_warmers *w)
{
    const pid_t waited = waitpid(w->pid, NULL, WNOHANG);
    return waited == w->pid || (waited < 0 && errno == ECHILD);
}

void torch_warmers_finish(torch_warmers *w, double limit_s, FILE *progress)
{
    if (w->pid <= 0)
        return;
    const double start_ms = clock_now_ms();
    double said_ms = start_ms;
    int ended = 0, late = 0;
    if (limit_s <= 0.0)
        limit_s = start_s + call_s * ceil((double)w->calls / w->jobs);
    say(progress, w, "");
    while (!(ended = has_ended(w)) && !late && !process_interrupted()) {
        const double now_ms = clock_now_ms();
        late = now_ms - start_ms >= 1e3 * limit_s;
        if (now_ms - said_ms >= 1e3 * say_every_s) {
            say(progress, w, "");
            said_ms = now_ms;
        }
        clock_sleep_ms(50.0);
    }
    char text[4500];
    const how_far far = read_progress(w);
    snprintf(text, sizeof text, "; %d failed (%s)", far.failed, w->log);
    say(progress, w,
        late && !ended                             ? "; the others are compiled when they are measured"
        : far.failed > 0                           ? text
        : far.done + far.failed < far.all && ended ? "; their processes ended early"
                                                   : "");
    if (ended)
        w->pid = 0;
    torch_warmers_stop(w);
}

/* Told to end, the leader kills the others and waits until they are gone: only then is the GPU quiet. */
static void end_processes(torch_warmers *w)
{
    const double start_ms = clock_now_ms();
    kill(w->pid, SIGTERM);
    while (!has_ended(w)) {
        if (clock_now_ms() - start_ms > 1e3 * stop_limit_s) {
            kill(-w->pid, SIGKILL);
            waitpid(w->pid, NULL, 0);
            break;
        }
        clock_sleep_ms(20.0);
    }
}

void torch_warmers_stop(torch_warmers *w)
{
    if (w->pid > 0)
        end_processes(w);
    w->pid = 0;
    if (w->folder[0])
        torch_server_remove_folder(w->folder);
    w->folder[0] = '\0';
}
