/* The host threads that run blocks. They are started at the first launch that can use them and kept: starting a thread costs
 * more than many a launch. The launching thread is worker 0 and starts at once; the others join while blocks are left. */
#include "device/cpu/runtime/simt.h"
#include "../include/assay_simt/keywords.h"
#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MAX_WORKERS = 256,
    LAUNCH_CALL_BYTES = 32768 /* CUDA's parameters are fewer */
};

static struct {
    pthread_mutex_t launching; /* one launch at a time */
    pthread_mutex_t lock;
    pthread_cond_t work, idle;
    simt_job *job; /* open to be joined, or NULL */
    int wanted;    /* helpers that may still join the job */
    int running;   /* helpers in the job */
    int helpers;   /* started so far */
    int ready;     /* of these: have all that a thread needs */
} pool = {.launching = PTHREAD_MUTEX_INITIALIZER,
          .lock = PTHREAD_MUTEX_INITIALIZER,
          .work = PTHREAD_COND_INITIALIZER,
          .idle = PTHREAD_COND_INITIALIZER};

static int pool_size(int requested)
{
    cpu_set_t allowed;
    int cores = sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed)
                                                                    : (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (ASSAY_SIMT_STATIC_SHARED) /* shared arrays exist once in the process: only one block can run */
        return 1;
    if (requested > 0)
        cores = requested;
    return cores < 1 ? 1 : cores > MAX_WORKERS ? MAX_WORKERS : cores;
}

int assay_simt_worker_count(void)
{
    return pool_size(simt_options().workers);
}

static simt_worker *worker_create(void)
{
    simt_worker *w = calloc(1, sizeof *w);
    if (w)
        w->free_fibers = calloc(SIMT_MAX_THREADS + 1, sizeof *w->free_fibers);
    if (!w || !w->free_fibers) {
        fprintf(stderr, "assay-simt: error: out of memory for a worker\n");
        abort();
    }
    return w;
}

/* Kernels have the default floating-point environment, as on a card, whatever host code set. */
static void run_blocks(simt_worker *w, simt_job *job)
{
    fenv_t before;
    fegetenv(&before);
    fesetenv(FE_DFL_ENV);
    simt_worker_run(w, job);
    fesetenv(&before);
}

static void *helper_main(void *argument)
{
    simt_worker *w = argument;
    simt_faults_thread_install();
    pthread_mutex_lock(&pool.lock);
    pool.ready++;
    pthread_cond_signal(&pool.idle);
    for (;;) {
        while (!pool.job || pool.wanted == 0)
            pthread_cond_wait(&pool.work, &pool.lock);
        simt_job *job = pool.job;
        pool.wanted--;
        pool.running++;
        pthread_mutex_unlock(&pool.lock);
        run_blocks(w, job);
        pthread_mutex_lock(&pool.lock);
        if (--pool.running == 0)
            pthread_cond_signal(&pool.idle);
    }
    return NULL;
}

/* Signals that a program handles (Ctrl-C) must not land on a helper's fiber. */
static void start_helpers(int count)
{
    sigset_t all, before;
    sigfillset(&all);
    sigdelset(&all, SIGSEGV);
    sigdelset(&all, SIGBUS);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (pool.helpers < count) {
        pthread_t thread;
        simt_worker *w = worker_create();
        if (pthread_create(&thread, NULL, helper_main, w) != 0) {
            free(w->free_fibers);
            free(w);
            break; /* fewer workers give the same results */
        }
        pthread_detach(thread);
        pool.helpers++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void forget_helpers(void) /* a forked child has the launching thread only */
{
    pool.helpers = pool.ready = pool.running = pool.wanted = 0;
    pool.job = NULL;
    pthread_mutex_init(&pool.launching, NULL);
    pthread_mutex_init(&pool.lock, NULL);
    pthread_cond_init(&pool.work, NULL);
    pthread_cond_init(&pool.idle, NULL);
}

static void prepare_process(void)
{
    simt_faults_install();
    pthread_atfork(NULL, NULL, forget_helpers);
}

/* A launch under way; not on the host's stack, which is inaccessible meanwhile. */
static struct {
    simt_job job;
    _Alignas(64) char call[LAUNCH_CALL_BYTES];
    simt_worker *worker;
    int helpers;
} launch;

static void run_launch(void *unused)
{
    (void)unused;
    if (launch.helpers > 0) {
        pthread_mutex_lock(&pool.lock);
        start_helpers(launch.helpers);
        while (pool.ready < pool.helpers) /* what a new thread allocates belongs to this launch: host.c */
            pthread_cond_wait(&pool.idle, &pool.lock);
        pool.job = &launch.job;
        pool.wanted = launch.helpers;
        pthread_cond_broadcast(&pool.work);
        pthread_mutex_unlock(&pool.lock);
    }
    run_blocks(launch.worker, &launch.job);
    if (launch.helpers > 0) { /* no block is left: nobody may join any more, and those that did must finish */
        pthread_mutex_lock(&pool.lock);
        pool.job = NULL;
        while (pool.running)
            pthread_cond_wait(&pool.idle, &pool.lock);
        pthread_mutex_unlock(&pool.lock);
    }
}

void simt_pool_run(simt_job *job)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    static __thread simt_worker *mine;
    pthread_once(&once, prepare_process);
    simt_faults_thread_install();
    int helpers = assay_simt_worker_count() - 1;
    if ((uint64_t)helpers >= job->blocks)
        helpers = (int)job->blocks - 1;

    pthread_mutex_lock(&pool.launching);
    const size_t host_bytes = simt_host_bytes();
    if (!mine)
        mine = worker_create();
    const bool fits = job->call_bytes <= sizeof launch.call;
    launch.job = *job;
    launch.worker = mine;
    launch.helpers = helpers;
    if (fits && job->call_bytes > 0) { /* the empty kernel has no call */
        memcpy(launch.call, job->call, job->call_bytes);
        launch.job.call = launch.call;
    }
    simt_memory_launch(1);
    if (fits)
        simt_host_stack_leave(run_launch, NULL);
    else
        run_launch(NULL);
    simt_memory_launch(0);
    simt_host_bytes_left(host_bytes);
    pthread_mutex_unlock(&pool.launching);
}
