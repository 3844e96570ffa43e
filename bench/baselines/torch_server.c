/* The Python process that measures torch baselines: see torch_server.h. */
#include "bench/baselines/torch_server.h"
#include "bench/timing/clock.h"
#include "core/json_file.h"
#include "core/process.h"
#include "bench/baselines/remote.h"
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Importing torch from a cold disk takes its time; a server that is not there after two minutes will not
 * come. */
static const double start_limit_s = 120.0, stop_limit_s = 5.0;

/* The path of torch_baseline.py in `path`, or NULL where it is not there. */
static const char *torch_server_script(const workspace *ws, char *path, size_t path_bytes)
{
    snprintf(path, path_bytes, "%s/bench/baselines/torch/torch_baseline.py", ws->source);
    if (ws->source[0] && access(path, R_OK) == 0)
        return path;
    snprintf(path, path_bytes, "%s/torch_baseline.py", ws->libexec);
    return access(path, R_OK) == 0 ? path : NULL;
}

/* The Python to use: `python`, else $ASSAY_PYTHON, else python3. */
static const char *torch_server_python(const char *python)
{
    const char *wanted = python ? python : getenv("ASSAY_PYTHON");
    return wanted && wanted[0] ? wanted : "python3";
}

int torch_server_possible(const workspace *ws, const char *python, char *reason, size_t reason_bytes)
{
    static const char question[] =
        "import importlib.util, sys; sys.exit(importlib.util.find_spec('torch') is None)";
    char path[4200];
    python = torch_server_python(python);
    const char *const argv[] = {python, "-c", question, NULL};
    process_result result;
    if (!torch_server_script(ws, path, sizeof path)) {
        snprintf(reason, reason_bytes, "torch_baseline.py is missing");
        return 0;
    }
    process_run(argv, 60.0, 1, &result);
    const int found = result.end == PROCESS_EXITED && result.code == 0;
    const int started = result.end != PROCESS_NOT_STARTED;
    process_result_release(&result);
    if (!found)
        snprintf(reason, reason_bytes,
                 started ? "%.100s here has no torch (set ASSAY_PYTHON to one that has)"
                         : "%.100s is not there",
                 python);
    return found;
}

static int exists_socket(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISSOCK(info.st_mode);
}

/* 1 when the server listens; 0 when it ended or took too long. */
static int wait_until_listening(torch_server *server)
{
    const double start_ms = clock_now_ms();
    while (clock_now_ms() - start_ms < 1e3 * start_limit_s && !process_interrupted()) {
        int status;
        if (exists_socket(server->socket))
            return 1;
        if (waitpid(server->pid, &status, WNOHANG) == server->pid) {
            server->pid = 0;
            snprintf(server->reason, sizeof server->reason,
                     "torch_baseline.py ended while starting (status %d)",
                     WIFEXITED(status) ? WEXITSTATUS(status) : -1);
            return 0;
        }
        clock_sleep_ms(50.0);
    }
    snprintf(server->reason, sizeof server->reason, "torch_baseline.py did not start within %.0f s",
             start_limit_s);
    return 0;
}

/* Own group, so that Ctrl-C goes to the supervisor alone, which then stops the server. torch_baseline.py sees to its parent's end itself, but only
 * from when it listens, which importing torch and warming its compiler delay. */
static void become_server(const torch_server *server, const char *log, const char *python, const char *script,
                          int warm, pid_t parent)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) /* it ended before the line above */
        _exit(127);
    signal(SIGTERM, SIG_DFL);
    const int file = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file >= 0)
        dup2(file, STDERR_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO); /* what is printed to stdout belongs to the command */
    execlp(python, python, script, "--socket", server->socket, warm ? "--warm" : (char *)NULL, (char *)NULL);
    _exit(127);
}

/* torch's compiler talks a lot; its words are kept beside the results, for the case that a baseline is missing. */
static int launch(torch_server *server, const workspace *ws, const char *python, const char *script, int warm)
{
    char log[4300];
    snprintf(log, sizeof log, "%s/torch_baseline.log", ws->results);
    (void)make_folders(ws->results, NULL); /* judging may come first, which writes elsewhere */
    fflush(NULL);
    const pid_t parent = getpid();
    server->pid = fork();
    if (server->pid == 0)
        become_server(server, log, python, script, warm, parent);
    if (server->pid > 0)
        return 1;
    server->pid = 0;
    snprintf(server->reason, sizeof server->reason, "cannot start %.100s: %s", python, strerror(errno));
    return 0;
}

void torch_server_begin(torch_server *server, const workspace *ws, const char *python, int warm)
{
    char script[4200];
    if (server->begun)
        return;
    server->begun = 1;
    if (!torch_server_possible(ws, python, server->reason, sizeof server->reason))
        return;
    snprintf(server->folder, sizeof server->folder, "/tmp/assay-torch-XXXXXX");
    if (!mkdtemp(server->folder)) {
        snprintf(server->reason, sizeof server->reason, "no folder for a socket: %s", strerror(errno));
        server->folder[0] = '\0';
        return;
    }
    snprintf(server->socket, sizeof server->socket, "%s/socket", server->folder);
    launch(server, ws, torch_server_python(python), torch_server_script(ws, script, sizeof script), warm);
}

const char *torch_server_start(torch_server *server, const workspace *ws, const char *python)
{
    if (server->tried)
        return server->socket[0] ? server->socket : NULL;
    server->tried = 1;
    torch_server_begin(server, ws, python, 0);
    if (server->pid > 0 && wait_until_listening(server))
        return server->socket;
    char reason[sizeof server->reason];
    memcpy(reason, server->reason, sizeof reason);
    torch_server_stop(server);
    memcpy(server->reason, reason, sizeof reason);
    return NULL;
}

/* Ask it to quit; after some seconds, end it. One that does not listen yet cannot be asked. */
static void end_process(torch_server *server)
{
    remote *connection = NULL;
    json_t *answer = NULL;
    if (!exists_socket(server->socket))
        kill(-server->pid, SIGKILL);
    else if (remote_connect(server->socket, &connection, NULL) == ASSAY_OK) {
        (void)remote_call(connection, json_pack("{s:s}", "cmd", "quit"), stop_limit_s, &answer, NULL);
        json_decref(answer);
        remote_close(connection);
    }
    const double start_ms = clock_now_ms();
    while (waitpid(server->pid, NULL, WNOHANG) == 0) {
        if (clock_now_ms() - start_ms > 1e3 * stop_limit_s) {
            kill(-server->pid, SIGKILL);
            waitpid(server->pid, NULL, 0);
            break;
        }
        clock_sleep_ms(20.0);
    }
    server->pid = 0;
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *walk)
{
    (void)info;
    (void)type;
    (void)walk;
    (void)remove(path);
    return 0;
}

/* With what a worker that was killed left in it, and what torch's compiler wrote. */
static void remove_folder(const char *folder)
{
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

void torch_server_stop(torch_server *server)
{
    if (server->pid > 0)
        end_process(server);
    if (server->socket[0])
        unlink(server->socket);
    if (server->folder[0])
        remove_folder(server->folder);
    server->socket[0] = server->folder[0] = '\0';
}
