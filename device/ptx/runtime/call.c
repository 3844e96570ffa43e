/* The lock around every call, errors as CUDA keeps them, and what is said on stderr. See runtime.h. */
#include "device/ptx/runtime/stream.h"
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Atomic int device_error;
static _Atomic uint64_t calls;
static __thread cudaError_t last_error;

static void make_lock(void)
{
    pthread_mutexattr_t
        recursive; /* a host function in a stream must not call in, but a print callback's printf may come here */
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&lock, &recursive);
    pthread_mutexattr_destroy(&recursive);
}

void rt_lock(void)
{
    pthread_once(&once, make_lock);
    pthread_mutex_lock(&lock);
}

bool rt_try_lock(void)
{
    pthread_once(&once, make_lock);
    return pthread_mutex_trylock(&lock) == 0;
}

void rt_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

uint64_t rt_calls(void)
{
    return atomic_load(&calls);
}

cudaError_t rt_begin(void)
{
    atomic_fetch_add(&calls, 1);
    rt_lock();
    const cudaError_t lost = rt_device_error();
    return lost == cudaSuccess ? cudaSuccess : rt_end(lost);
}

cudaError_t rt_end(cudaError_t error)
{
    if (error != cudaSuccess && error != cudaErrorNotReady)
        last_error = error;
    rt_unlock();
    return error;
}

void rt_lose_device(cudaError_t error)
{
    int none = cudaSuccess;
    atomic_compare_exchange_strong(&device_error, &none, (int)error);
}

cudaError_t rt_device_error(void)
{
    return (cudaError_t)atomic_load(&device_error);
}

/* Peek does not forget; get does, unless the device is lost. */
cudaError_t cudaPeekAtLastError(void)
{
    const cudaError_t lost = rt_device_error();
    return lost == cudaSuccess ? last_error : lost;
}

cudaError_t cudaGetLastError(void)
{
    const cudaError_t error = cudaPeekAtLastError();
    last_error = rt_device_error();
    return error;
}

/* ---- what is said ---- */

/* One write for each line, so that lines of several threads do not mix. */
static void say(const char *text)
{
    char line[8192];
    const int bytes = snprintf(line, sizeof line, "assay-ptx: %s\n", text);
    const size_t length = bytes < (int)sizeof line ? (size_t)bytes : sizeof line - 1;
    fflush(stdout);
    if (write(STDERR_FILENO, line, length) < 0)
        return; /* nobody listens */
}

void rt_say(const char *format, ...)
{
    char text[8000];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    say(text);
}

static char first_report[1024];

void rt_take_report(char *text, size_t bytes)
{
    snprintf(text, bytes, "%s", first_report);
    first_report[0] = '\0';
}

void rt_report(const char *text)
{
    const char *path = rt_get_options()->findings;
    say(text);
    if (!first_report[0])
        snprintf(first_report, sizeof first_report, "%.*s", (int)strcspn(text, "\n"), text);
    if (!path)
        return;
    const int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0)
        return;
    if (write(file, text, strlen(text)) < 0 || write(file, "\n", 1) < 0)
        say("the file of findings cannot be written");
    close(file);
}

cudaError_t rt_refuse(cudaError_t error, const char *format, ...)
{
    char text[2000];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    rt_say("%s (%s)", text, cudaGetErrorName(error));
    return error;
}

int rt_unsupported(const char *name)
{
    enum { MOST = 1024 };
    static const char *said[MOST];
    static size_t count;
    rt_lock();
    size_t i = 0;
    while (i < count && strcmp(said[i], name) != 0)
        i++;
    if (i == count && count < MOST) {
        said[count++] = name;
        rt_say("%s is not supported by this device (cudaErrorNotSupported)", name);
    }
    return (int)rt_end(cudaErrorNotSupported);
}
