/* Namespaces, limits and the order of all measures around a program; see confine.h. All of it but the namespaces is done by the child
 * between fork and exec, so nothing here or in confine_files.c and confine_calls.c may need a lock or a second thread. */
#include "core/confine_internal.h"
#include <errno.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_FILES = 256 };

static int limit(int which, rlim_t value)
{
    const struct rlimit r = {.rlim_cur = value, .rlim_max = value};
    return setrlimit(which, &r) == 0;
}

static int drop_privileges(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    const struct __user_cap_data_struct none[2] = {0};
    for (int i = 0; i < 64; i++)
        prctl(PR_CAPBSET_DROP, i, 0, 0, 0);
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && syscall(SYS_capset, &header, none) == 0;
}

/* What a program needs of the environment; the rest may hold secrets. In the child only. */
static void clear_environment(void)
{
    static const char *const kept[] = {
        "PATH=", "LD_LIBRARY_PATH=", "LANG=", "LC_",   "CUDA",       "NVIDIA",
        "ASAN_", "UBSAN_",           "TSAN_", "LSAN_", "ASSAY_SIMT", "ASSAY_PTX_"};
    char **to = environ;
    for (char **from = environ; from && *from; from++)
        for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
            if (strncmp(*from, kept[i], strlen(kept[i])) == 0) {
                *to++ = *from;
                break;
            }
    if (to)
        *to = NULL;
}

/* Of a search path the folders that the program may read: one that it may not could be found first, and not be started. */
static void keep_system_folders(const char *path, char *out, size_t out_bytes)
{
    static const char *const known[] = {"/usr/", "/bin", "/sbin", "/opt/", "/nix/"};
    size_t used = strlen(out);
    for (size_t length; *path; path += length + (path[length] == ':')) {
        int keep = 0;
        length = strcspn(path, ":");
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            keep |= strncmp(path, known[i], strlen(known[i])) == 0;
        if (keep && used + length + 2 < out_bytes)
            used += (size_t)snprintf(out + used, out_bytes - used, "%.*s:", (int)length, path);
    }
    snprintf(out + used, out_bytes - used, "/usr/bin:/bin");
}

/* That of a compiler. A cache of compilers would write where this one may not. */
static void set_compiler_environment(const char *temporary_folder)
{
    static char temporary[4200], home[4200], search[8192] = "PATH=", language[] = "LC_ALL=C",
                                             no_cache[] = "CCACHE_DISABLE=1";
    static char *all[] = {temporary, home, search, language, no_cache, NULL};
    const char *path = getenv("PATH");
    snprintf(temporary, sizeof temporary, "TMPDIR=%s", temporary_folder);
    snprintf(home, sizeof home, "HOME=%s", temporary_folder);
    keep_system_folders(path ? path : "", search, sizeof search);
    environ = all;
}

typedef struct child_context {
    const process_plan *plan;
    const confine_rules *rules;
    unsigned *measures; /* shared with the parent */
} child_context;

/* A /proc that shows the new process namespace, in mounts that nobody else sees; `own_memory`: and an empty /dev/shm. */
static void show_own_processes(int own_memory)
{
    const unsigned long plain = MS_NOSUID | MS_NODEV | MS_NOEXEC;
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
        return;
    (void)!mount("proc", "/proc", "proc", plain, NULL);
    if (own_memory)
        (void)!mount("tmpfs", "/dev/shm", "tmpfs", plain, "size=64m");
}

/* The first process of a process namespace cannot be ended by its own signals (abort() among them). So it only waits for the one that goes
 * on from here, and ends as that one did: with its status, or 128 and the signal's number; all that is left ends with it. */
static void leave_first_place(void)
{
    int status = 0;
    const pid_t child = fork();
    if (child == 0)
        return;
    if (child < 0)
        _exit(127);
    /* Whoever waits for the end of a pipe waits for the other process. close_range() is of Linux 5.9. */
    if (syscall(436, 0u, ~0u, 0u) != 0)
        for (int fd = 0; fd < 4096; fd++)
            close(fd);
    for (pid_t ended = 0; ended != child;)
        ended = wait(&status);
    _exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
}

/* Without root's rights a user namespace gives them, over the other new namespaces only. */
static unsigned leave_namespaces(void)
{
    unsigned measures = unshare(CLONE_NEWNET) == 0 ? CONFINE_NETWORK : 0;
    if (measures == 0 && unshare(CLONE_NEWUSER) == 0)
        measures = unshare(CLONE_NEWNET) == 0 ? CONFINE_NETWORK : 0;
    return measures | (unshare(CLONE_NEWIPC) == 0 ? CONFINE_IPC : 0);
}

/* All but the namespaces that a process is started in. `program`: what it may start, or NULL. */
static unsigned restrict_all(const confine_rules *rules, const char *program, int own_processes)
{
    const unsigned without = rules->without;
    unsigned measures = own_processes ? CONFINE_PROCESSES : 0;
    measures |= leave_namespaces();
    if (limit(RLIMIT_CORE, 0) && limit(RLIMIT_NOFILE, MOST_FILES) && limit(RLIMIT_FSIZE, 1 << 26) &&
        (rules->cpu_s <= 0 || limit(RLIMIT_CPU, (rlim_t)rules->cpu_s + 1)))
        measures |= CONFINE_LIMITS;
    if (rules->memory_bytes > 0 && limit(RLIMIT_DATA, (rlim_t)rules->memory_bytes))
        measures |= CONFINE_MEMORY;
    measures |= drop_privileges() ? CONFINE_PRIVILEGES : 0;
    measures |= !(without & CONFINE_FILES) && confine_files(rules, program) ? CONFINE_FILES : 0;
    measures |= !(without & CONFINE_CALLS) && confine_calls(own_processes) ? CONFINE_CALLS : 0;
    measures |=
        !(without & CONFINE_ALONE) && !rules->starts_programs && confine_to_threads() ? CONFINE_ALONE : 0;
    return measures;
}

static int prepare(void *context)
{
    const child_context *c = context;
    const confine_rules *rules = c->rules;
    const int own_processes = (c->plan->namespaces & CLONE_NEWPID) != 0;
    if (rules->starts_programs && rules->writable)
        set_compiler_environment(rules->writable[0]);
    else
        clear_environment();
    if (own_processes) {
        leave_first_place();
        show_own_processes(rules->gpu);
    }
    *c->measures = restrict_all(rules, c->plan->argv[0], own_processes);
    return 0;
}

/* First the process namespace: where /proc cannot be mounted anew in it, cuInit() ends with error 304. */
const unsigned confine_gpu_steps[CONFINE_GPU_STEPS] = {
    0, CONFINE_PROCESSES, CONFINE_PROCESSES | CONFINE_ALONE,
    CONFINE_PROCESSES | CONFINE_ALONE | CONFINE_CALLS,
    CONFINE_PROCESSES | CONFINE_ALONE | CONFINE_CALLS | CONFINE_FILES};

unsigned confine_self(const confine_rules *rules)
{
    clear_environment();
    return restrict_all(rules, NULL, 0);
}

long confine_start(const process_plan *plan, const confine_rules *rules, unsigned *measures,
                   int *error_number)
{
    /* Without root's rights a user namespace gives them, over the other new namespaces only. */
    const int user = geteuid() == 0 ? 0 : CLONE_NEWUSER;
    const int wanted[] = {CLONE_NEWPID | CLONE_NEWNS | user, CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWUSER, 0};
    unsigned *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    long pid = -1;
    *measures = 0;
    *error_number = ENOMEM;
    if (shared == MAP_FAILED)
        return -1;
    const size_t count = sizeof wanted / sizeof *wanted,
                 first = rules->without & CONFINE_PROCESSES ? count - 1 : 0;
    for (size_t i = first; i < count && pid < 0; i++) {
        process_plan confined = *plan;
        child_context context = {.plan = &confined, .rules = rules, .measures = shared};
        confined.namespaces = wanted[i];
        confined.prepare = prepare;
        confined.context = &context;
        pid = process_start(&confined, error_number);
        if (pid < 0 && *error_number != EPERM && *error_number != EINVAL && *error_number != ENOSPC &&
            *error_number != ENOSYS)
            break;
    }
    *measures = pid > 0 ? *shared : 0;
    munmap(shared, sizeof *shared);
    return pid;
}

typedef struct start_context {
    const confine_rules *rules;
    unsigned *measures;
} start_context;

static long start_confined(const process_plan *plan, void *context, int *error_number)
{
    const start_context *c = context;
    return confine_start(plan, c->rules, c->measures, error_number);
}

void confine_run(const char *const *argv, const confine_rules *rules, double time_limit_s, unsigned *measures,
                 process_result *result)
{
    start_context context = {.rules = rules, .measures = measures};
    process_run_started(argv, time_limit_s, start_confined, &context, result);
    if (result->end == PROCESS_EXITED && (*measures & CONFINE_PROCESSES) && result->code > 128) {
        result->end = PROCESS_SIGNALED;
        result->code -= 128;
    }
}

unsigned confine_offers(void)
{
    static const char *const nothing[] = {"/bin/true", NULL};
    const process_plan plan = {.argv = nothing, .input_fd = -1, .output_fd = -1};
    const confine_rules rules = {.memory_bytes = INT64_C(1) << 30};
    unsigned measures;
    int error_number;
    const long pid = confine_start(&plan, &rules, &measures, &error_number);
    while (pid > 0 && waitpid((pid_t)pid, NULL, 0) < 0 && errno == EINTR)
        ;
    return measures;
}

static const char *const names[] = {
    "network namespace", "ipc namespace", "process namespace", "Landlock",        "seccomp",
    "no privileges",     "limits",        "memory limit",      "no new processes"};

json_t *confine_json(unsigned measures)
{
    json_t *list = json_array();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (measures >> i & 1u)
            json_array_append_new(list, json_string(names[i]));
    return list;
}

void confine_describe(unsigned measures, char *out, size_t out_bytes)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < sizeof names / sizeof *names && used < out_bytes; i++)
        if (measures >> i & 1u)
            used += (size_t)snprintf(out + used, out_bytes - used, "%s%s", used ? ", " : "", names[i]);
}
