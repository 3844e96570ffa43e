/* Locks on files; see run_lock.h. */
#include "core/run_lock.h"
#include "core/json_file.h"
#include "core/process.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* The open files are what holds the locks: they are never closed. */
static struct held {
    char *path;
    struct held *next;
} * all_held;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

static int is_held(const char *path)
{
    for (const struct held *h = all_held; h; h = h->next)
        if (strcmp(h->path, path) == 0)
            return 1;
    return 0;
}

static assay_status make_folder_of(const char *path, assay_error *error)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (!slash || slash == folder)
        return ASSAY_OK;
    *slash = '\0';
    return make_folders(folder, error);
}

/* By poll, as a signal's handler restarts a blocking flock(). */
static assay_status wait_for(int file, const char *path, assay_error *error)
{
    fprintf(stderr, "assay: waiting for another run that uses these files (lock: %s)\n", path);
    while (flock(file, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return assay_error_set(error, ASSAY_ERR_IO, "cannot lock %s: %s", path, strerror(errno));
        if (process_interrupted())
            return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "interrupted while waiting for %s", path);
        usleep(50000);
    }
    return ASSAY_OK;
}

static assay_status take(const char *path, assay_error *error)
{
    assay_status status = make_folder_of(path, error);
    if (status != ASSAY_OK)
        return status;
    struct held *h = malloc(sizeof *h);
    char *name = strdup(path);
    const int file = h && name ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666) : -1;
    if (!h || !name)
        status = assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    else if (file < 0)
        status = assay_error_set(error, ASSAY_ERR_IO, "cannot open %s: %s", path, strerror(errno));
    else if (flock(file, LOCK_EX | LOCK_NB) != 0)
        status = wait_for(file, path, error);
    if (status != ASSAY_OK) {
        if (file >= 0)
            close(file);
        free(name);
        free(h);
        return status;
    }
    *h = (struct held){name, all_held};
    all_held = h;
    return ASSAY_OK;
}

assay_status run_lock_hold(const char *path, assay_error *error)
{
    pthread_mutex_lock(&guard);
    const assay_status status = is_held(path) ? ASSAY_OK : take(path, error);
    pthread_mutex_unlock(&guard);
    return status;
}

assay_status run_lock_try(const char *path, int *lock, assay_error *error)
{
    *lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (*lock < 0)
        return assay_error_set(error, ASSAY_ERR_IO, "cannot open %s: %s", path, strerror(errno));
    if (flock(*lock, LOCK_EX | LOCK_NB) != 0) {
        close(*lock);
        *lock = -1;
    }
    return ASSAY_OK;
}

void run_lock_release(int lock)
{
    if (lock < 0)
        return;
    flock(lock, LOCK_UN);
    close(lock);
}
