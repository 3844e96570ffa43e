/* See output_folder.h. Knows how temporary files are named (json_file.c, verify/worker.c, report/plots/plot_draw.c), not what they hold. */
#include "core/output_folder.h"
#include "core/json_file.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LEAST_AGE_S = 10, PROBE_BYTES = 65536 };

/* The process in the name of a temporary file; 0 if the name is not one of those. */
static long owner_of(const char *name)
{
    size_t end = strlen(name), start;
    const int part = end > 5 && strcmp(name + end - 5, ".part") == 0;
    if (part)
        end -= 5;
    for (start = end; start > 0 && isdigit((unsigned char)name[start - 1]); start--)
        ;
    const int temporary = start >= 5 && strncmp(name + start - 5, ".tmp.", 5) == 0;
    if (start == end || end - start > 18 || start == 0 || name[start - 1] != '.' || (!part && !temporary))
        return 0;
    return strtol(name + start, NULL, 10);
}

int output_folder_sweep(const char *path)
{
    int removed = 0;
    struct stat info;
    DIR *folder = opendir(path);
    if (folder == NULL)
        return 0;
    for (struct dirent *item; (item = readdir(folder)) != NULL;) {
        const long owner = owner_of(item->d_name);
        if (owner <= 0 || kill((pid_t)owner, 0) == 0 || errno != ESRCH ||
            fstatat(dirfd(folder), item->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(info.st_mode) ||
            time(NULL) - info.st_mtime < LEAST_AGE_S)
            continue;
        removed += unlinkat(dirfd(folder), item->d_name, 0) == 0;
    }
    closedir(folder);
    return removed;
}

assay_status output_folder_prepare(const char *path, assay_error *error)
{
    static const char zeros[PROBE_BYTES];
    char probe[4200];
    assay_status status = make_folders(path, error);
    if (status != ASSAY_OK)
        return status;
    output_folder_sweep(path);
    snprintf(probe, sizeof probe, "%s/.probe.tmp.%ld", path, (long)getpid());
    const int file = open(probe, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    const int opened = file >= 0;
    ssize_t wrote = opened ? write(file, zeros, sizeof zeros) : -1;
    if (wrote == (ssize_t)sizeof zeros && fsync(file) != 0)
        wrote = -1;
    const int code = wrote >= 0 ? ENOSPC : errno; /* a short write sets none */
    if (opened) {
        close(file);
        unlink(probe);
    }
    if (wrote == (ssize_t)sizeof zeros)
        return ASSAY_OK;
    return assay_error_set(error, ASSAY_ERR_IO, "cannot write into %s: %s", path, strerror(code));
}
