/* A library for LD_PRELOAD that lets calls of one program fail, for sweep.py. By environment variables:
 *   ASSAY_FAULT_PROGRAM  the program's name; others are left alone
 *   ASSAY_FAULT_CALL     alloc, write, open, rename, fsync, fork, dlopen, thread, pipe, read or device: kinds of calls that are counted
 *                        together. `device`: the CPU device answers with an error, as a GPU that fell off its bus
 *   ASSAY_FAULT_AT       the number of the call that fails, from 1 on; 0: none
 *   ASSAY_FAULT_ON       1: those behind it fail as well, as on a full disk
 *   ASSAY_FAULT_KILL     1: the process ends there, as by kill -9; 2: it stops there for a debugger
 *   ASSAY_FAULT_COUNTS   a file that holds the numbers of calls of each kind, 8 bytes each, also if the program is killed
 *   ASSAY_FAULT_CLOCK    seconds that the clock of the day jumps by at every second reading */
#define _GNU_SOURCE
#include "device/cpu/runtime/control.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum kind { ALLOC, WRITE, OPEN, RENAME, FSYNC, FORK, DLOPEN, THREAD, PIPE, READ, DEVICE, KINDS };
static const char *const names[KINDS] = {"alloc",  "write",  "open", "rename", "fsync", "fork",
                                         "dlopen", "thread", "pipe", "read",   "device"};

static struct {
    _Atomic long own[KINDS], *counts; /* `counts` lies in the file, if there is one */
    int active, on, kills, kind;
    long at, clock_jump;
    _Atomic long clock_readings;
} fault = {.kind = -1};

static long number(const char *name)
{
    const char *text = getenv(name);
    return text ? atol(text) : 0;
}

static _Atomic long *map_counts(const char *path)
{
    const int file = path ? open(path, O_RDWR | O_CREAT, 0600) : -1;
    if (file < 0 || ftruncate(file, sizeof fault.own) != 0)
        return fault.own;
    void *mapped = mmap(NULL, sizeof fault.own, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    return mapped == MAP_FAILED ? fault.own : mapped;
}

/* Before main(), so that what the loader and libraries do until then is neither counted nor failed. */
__attribute__((constructor)) static void begin(void)
{
    const char *program = getenv("ASSAY_FAULT_PROGRAM"), *call = getenv("ASSAY_FAULT_CALL");
    if (!program || strcmp(program, program_invocation_short_name) != 0)
        return;
    for (int i = 0; call && i < KINDS; i++)
        if (strcmp(call, names[i]) == 0)
            fault.kind = i;
    fault.at = number("ASSAY_FAULT_AT");
    fault.on = (int)number("ASSAY_FAULT_ON");
    fault.kills = (int)number("ASSAY_FAULT_KILL");
    fault.clock_jump = number("ASSAY_FAULT_CLOCK");
    fault.counts = map_counts(getenv("ASSAY_FAULT_COUNTS"));
    fault.active = 1;
}

static int fails(enum kind kind)
{
    if (!fault.active)
        return 0;
    const long now = ++fault.counts[kind];
    if ((int)kind != fault.kind || fault.at == 0 || (now != fault.at && !(fault.on && now > fault.at)))
        return 0;
    if (fault.kills)
        raise(fault.kills == 2 ? SIGTRAP : SIGKILL);
    return 1;
}

/* The next definition of a function, found once. */
#define NEXT(name)                 \
    static __typeof__(&name) next; \
    if (!next)                     \
    *(void **)&next = dlsym(RTLD_NEXT, #name)
#define FAIL(kind, number, value) \
    if (fails(kind)) {            \
        errno = number;           \
        return value;             \
    }

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *old, size_t bytes);

void *malloc(size_t bytes)
{
    FAIL(ALLOC, ENOMEM, NULL)
    return __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    FAIL(ALLOC, ENOMEM, NULL)
    return __libc_calloc(count, bytes);
}

void *realloc(void *old, size_t bytes)
{
    FAIL(ALLOC, ENOMEM, NULL)
    return __libc_realloc(old, bytes);
}

size_t fwrite(const void *from, size_t bytes, size_t count, FILE *to)
{
    NEXT(fwrite);
    if (to != stderr)
        FAIL(WRITE, ENOSPC, 0)
    return next(from, bytes, count, to);
}

int fflush(FILE *file)
{
    NEXT(fflush);
    if (file && file != stderr && file != stdout)
        FAIL(WRITE, ENOSPC, EOF)
    return next(file);
}

ssize_t write(int file, const void *from, size_t bytes)
{
    NEXT(write);
    if (file != STDERR_FILENO)
        FAIL(WRITE, ENOSPC, -1)
    return next(file, from, bytes);
}

ssize_t pwrite(int file, const void *from, size_t bytes, off_t at)
{
    NEXT(pwrite);
    FAIL(WRITE, ENOSPC, -1)
    return next(file, from, bytes, at);
}

ssize_t pwrite64(int file, const void *from, size_t bytes, off_t at)
{
    NEXT(pwrite64);
    FAIL(WRITE, ENOSPC, -1)
    return next(file, from, bytes, at);
}

int ftruncate(int file, off_t bytes)
{
    NEXT(ftruncate);
    FAIL(WRITE, ENOSPC, -1)
    return next(file, bytes);
}

size_t fread(void *to, size_t bytes, size_t count, FILE *from)
{
    NEXT(fread);
    if (fails(READ)) { /* a folder in the file's place: reading it is an error, and the stream knows */
        const int folder = open("/", O_RDONLY | O_DIRECTORY);
        dup2(folder, fileno(from));
        close(folder);
    }
    return next(to, bytes, count, from);
}

FILE *fopen(const char *path, const char *mode)
{
    NEXT(fopen);
    FAIL(OPEN, EMFILE, NULL)
    return next(path, mode);
}

int open(const char *path, int flags, ...)
{
    NEXT(open);
    va_list more;
    va_start(more, flags);
    const mode_t mode = (flags & O_CREAT) ? va_arg(more, mode_t) : 0;
    va_end(more);
    FAIL(OPEN, EACCES, -1)
    return next(path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    NEXT(open64);
    va_list more;
    va_start(more, flags);
    const mode_t mode = (flags & O_CREAT) ? va_arg(more, mode_t) : 0;
    va_end(more);
    FAIL(OPEN, EACCES, -1)
    return next(path, flags, mode);
}

int mkdir(const char *path, mode_t mode)
{
    NEXT(mkdir);
    FAIL(OPEN, EACCES, -1)
    return next(path, mode);
}

int rename(const char *from, const char *to)
{
    NEXT(rename);
    FAIL(RENAME, EACCES, -1)
    return next(from, to);
}

int fsync(int file)
{
    NEXT(fsync);
    FAIL(FSYNC, EIO, -1)
    return next(file);
}

int fdatasync(int file)
{
    NEXT(fdatasync);
    FAIL(FSYNC, EIO, -1)
    return next(file);
}

pid_t fork(void)
{
    NEXT(fork);
    FAIL(FORK, EAGAIN, -1)
    return next();
}

void *dlopen(const char *path, int flags)
{
    NEXT(dlopen);
    if (fails(DLOPEN)) {
        next("/nonexistent/fault.so", RTLD_NOW); /* for dlerror() */
        return NULL;
    }
    return next(path, flags);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument)
{
    NEXT(pthread_create);
    FAIL(THREAD, EAGAIN, EAGAIN)
    return next(thread, attributes, run, argument);
}

int pipe2(int ends[2], int flags)
{
    NEXT(pipe2);
    FAIL(PIPE, EMFILE, -1)
    return next(ends, flags);
}

int socketpair(int domain, int type, int protocol, int ends[2])
{
    NEXT(socketpair);
    FAIL(PIPE, EMFILE, -1)
    return next(domain, type, protocol, ends);
}

int memfd_create(const char *name, unsigned flags)
{
    NEXT(memfd_create);
    FAIL(PIPE, EMFILE, -1)
    return next(name, flags);
}

static long jump(void)
{
    return fault.active && fault.clock_jump ? fault.clock_jump * (++fault.clock_readings % 2) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    NEXT(clock_gettime);
    const int result = next(clock, now);
    if (clock == CLOCK_REALTIME)
        now->tv_sec += jump();
    return result;
}

time_t time(time_t *out)
{
    NEXT(time);
    const time_t now = next(NULL) + jump();
    if (out)
        *out = now;
    return now;
}

static assay_status (*take_error)(char *message, size_t message_bytes);

static assay_status lose_device(char *message, size_t message_bytes)
{
    if (!fails(DEVICE))
        return take_error(message, message_bytes);
    snprintf(message, message_bytes, "the device is gone");
    return ASSAY_ERR_DEVICE;
}

const simt_control *simt_take_control(void)
{
    static simt_control control;
    NEXT(simt_take_control);
    const simt_control *real = next();
    if (!real)
        return NULL;
    control = *real;
    take_error = real->take_error;
    control.take_error = lose_device;
    return &control;
}
