/* Jobs that compile side by side: see compile_pool.h. */
#include "tune/evaluate/compile_pool.h"
#include "bench/timing/clock.h"
#include "core/process.h"
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void make_one(const tuned_module *module, double limit_s, compiled_module *out)
{
    assay_error error = {0};
    const double start_ms = clock_now_ms();
    out->current = tuned_module_is_current(module);
    out->status = out->current ? ASSAY_OK : tuned_module_make(module, limit_s, &error);
    snprintf(out->message, sizeof out->message, "%.*s", (int)sizeof out->message - 1, error.message);
    out->seconds = (clock_now_ms() - start_ms) * 1e-3;
    out->done = !process_interrupted();
}

/* Modules are taken one by one, for some compile ten times as long as others. */
static void run_job(const tuned_module *modules, int count, double limit_s, compile_pool *pool, long parent)
{
    atomic_int *next = pool->shared;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != (pid_t)parent)
        _exit(0);
    for (int i; (i = atomic_fetch_add(next, 1)) < count && !process_interrupted();)
        make_one(&modules[i], limit_s, &pool->modules[i]);
    _exit(0);
}

assay_status compile_pool_begin(const tuned_module *modules, int count, int jobs, double limit_s,
                                compile_pool *pool, assay_error *error)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN), parent = getpid();
    const int wanted = jobs > 0 ? jobs : cores > 0 ? (int)cores : 1;
    *pool = (compile_pool){.count = count};
    pool->shared_bytes = 64 + (size_t)(count > 0 ? count : 1) * sizeof *pool->modules;
    pool->shared = mmap(NULL, pool->shared_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (pool->shared == MAP_FAILED) {
        pool->shared = NULL;
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    }
    pool->modules = (compiled_module *)((char *)pool->shared + 64);
    fflush(NULL);
    while (pool->jobs < wanted && pool->jobs < count && pool->jobs < COMPILE_POOL_JOBS) {
        const pid_t pid = fork();
        if (pid == 0)
            run_job(modules, count, limit_s, pool, parent);
        if (pid < 0 && pool->jobs == 0)
            return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "cannot start a process: %s",
                                   strerror(errno));
        if (pid < 0)
            break;
        pool->pids[pool->jobs++] = pid;
    }
    return ASSAY_OK;
}

/* All jobs have ended: what none of them made, though nobody interrupted them, was in the hands of one that was killed. */
static void say_killed(compile_pool *pool)
{
    for (int i = 0; i < pool->count && !process_interrupted(); i++) {
        compiled_module *m = &pool->modules[i];
        if (m->done)
            continue;
        *m = (compiled_module){.done = 1, .status = ASSAY_ERR_ENVIRONMENT};
        snprintf(m->message, sizeof m->message, "a compile job was killed");
    }
}

int compile_pool_is_done(compile_pool *pool)
{
    while (pool->jobs > 0 && waitpid((pid_t)pool->pids[pool->jobs - 1], NULL, WNOHANG) != 0)
        pool->jobs--;
    if (pool->jobs == 0)
        say_killed(pool);
    return pool->jobs == 0;
}

void compile_pool_wait(compile_pool *pool)
{
    for (int i = 0; i < pool->jobs; i++) {
        while (waitpid((pid_t)pool->pids[i], NULL, 0) < 0 && errno == EINTR)
            if (process_interrupted())
                kill((pid_t)pool->pids[i], SIGTERM);
        pool->pids[i] = 0;
    }
    pool->jobs = 0;
    say_killed(pool);
}

void compile_pool_release(compile_pool *pool)
{
    for (int i = 0; i < pool->jobs; i++)
        kill((pid_t)pool->pids[i], SIGTERM);
    compile_pool_wait(pool);
    if (pool->shared)
        munmap(pool->shared, pool->shared_bytes);
    *pool = (compile_pool){.count = 0};
}
