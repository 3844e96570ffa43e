/* The compiler as a process; see module_run.h. */
#include "build_module/module_run.h"
#include "core/confine.h"
#include "core/json_file.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_READABLE = 96 };

/* 8 GiB a process: nvcc's parts take up to 2 GiB for the largest kernels of the tree. */
static const int64_t memory_limit = INT64_C(8) << 30;

typedef struct readable {
    const char *paths[MOST_READABLE + 1];
    char storage[MOST_READABLE * 256];
    size_t used;
    int count;
} readable;

static void add(readable *r, const char *path, size_t length)
{
    if (length == 0 || r->count == MOST_READABLE || r->used + length + 1 > sizeof r->storage)
        return;
    char *copy = r->storage + r->used;
    memcpy(copy, path, length);
    copy[length] = '\0';
    r->used += length + 1;
    r->paths[r->count++] = copy;
}

static void add_folder_of(readable *r, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (slash)
        add(r, path, (size_t)(slash - path));
    else
        add(r, ".", 1);
}

/* The parts of a toolkit that lies anywhere, beside its folder of programs. Not the folder above: that may be a home. */
static void add_installation(readable *r, const char *program)
{
    static const char *const parts[] = {"bin",  "include", "lib",     "lib64",
                                        "nvvm", "targets", "libexec", "share"};
    char path[PATH_MAX], *real = realpath(program, NULL), *slash = real ? strrchr(real, '/') : NULL;
    if (slash)
        *slash = '\0';
    for (size_t i = 0; slash && i < sizeof parts / sizeof *parts; i++)
        add(r, path, (size_t)snprintf(path, sizeof path, "%s/../%s", real, parts[i]) % sizeof path);
    free(real);
}

/* Paths that the words of a command name: -I/a, -L/a, -Wl,-rpath,/a, --compiler-bindir=/a, /a. The last part of a word counts. */
static void add_words(readable *r, const compile_command *command)
{
    for (int i = 1; i < command->count; i++) {
        const char *at = strchr(command->words[i], '/');
        if (at == NULL || (at != command->words[i] && strchr("=,ILB", at[-1]) == NULL))
            continue;
        add(r, at, strcspn(at, ","));
    }
}

static void list_readable(const compile_job *job, const compile_command *command, readable *r)
{
    char common[PATH_MAX];
    add_installation(r, command->words[0]);
    add_words(r, command);
    add_folder_of(r, job->request->source);
    snprintf(common, sizeof common, "%s/../common", job->request->op->spec->directory);
    add(r, common, strlen(common)); /* what the kernels of several ops include */
}

void compile_run(const compile_job *job, const compile_command *command, double time_limit_s,
                 process_result *result)
{
    unsigned measures;
    readable *r = job->request->is_outside ? calloc(1, sizeof *r) : NULL;
    if (r == NULL && job->request->is_outside) {
        *result = (process_result){.end = PROCESS_NOT_STARTED, .code = ENOMEM};
        return;
    }
    if (r == NULL) {
        process_run(command->words, time_limit_s, 1, result);
        return;
    }
    list_readable(job, command, r);
    const char *const writable[] = {job->scratch, NULL};
    const confine_rules rules = {.readable = r->paths,
                                 .writable = writable,
                                 .starts_programs = 1,
                                 .cpu_s = time_limit_s,
                                 .memory_bytes = memory_limit};
    confine_run(command->words, &rules, time_limit_s, &measures, result);
    free(r);
}

void compile_remove_folder(const char *folder)
{
    char path[PATH_MAX + 272];
    DIR *entries = opendir(folder);
    for (struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (unlink(path) != 0)
            compile_remove_folder(path);
    }
    if (entries != NULL)
        closedir(entries);
    rmdir(folder);
}
