/* Finding result files below folders: see ingest_files.h. */
#include "history/ingest_files.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEEPEST = 16 };

void file_list_release(file_list *list)
{
    for (int i = 0; i < list->count; i++)
        free(list->paths[i]);
    free(list->paths);
    *list = (file_list){0};
}

static assay_status add_path(file_list *list, const char *path, assay_error *error)
{
    if (list->count == list->capacity) {
        const int capacity = list->capacity ? 2 * list->capacity : 64;
        char **grown = realloc(list->paths, (size_t)capacity * sizeof *grown);
        if (!grown)
            return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for the list of files");
        list->paths = grown;
        list->capacity = capacity;
    }
    list->paths[list->count] = strdup(path);
    return list->paths[list->count++]
               ? ASSAY_OK
               : assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for the list of files");
}

/* OP.NAME.DTYPE.SIZE.json: four points, none of them first. */
static int is_result_name(const char *name)
{
    const size_t length = strlen(name);
    int points = 0;
    for (const char *c = name; *c; c++)
        points += *c == '.';
    return name[0] != '.' && points == 4 && length > 5 && strcmp(name + length - 5, ".json") == 0;
}

/* Reading a pipe that lies there would wait for ever; a folder of such a name is walked through. */
static int is_file(const struct dirent *item, const char *path)
{
    struct stat info;
    return item->d_type == DT_REG || (stat(path, &info) == 0 && S_ISREG(info.st_mode)) ||
           (item->d_type == DT_LNK &&
            access(path, F_OK) != 0); /* a link to nothing is reported as unreadable */
}

static int is_snapshot_name(const char *name)
{
    return strcmp(name, "ceilings.json") == 0 || strcmp(name, "env.json") == 0;
}

static assay_status walk(const char *folder, int depth, file_list *results, file_list *snapshots,
                         assay_error *error)
{
    DIR *dir = opendir(folder);
    struct dirent *item;
    assay_status status = ASSAY_OK;
    if (!dir)
        return assay_error_set(error, ASSAY_ERR_INVALID, "cannot read folder %s: %s", folder,
                               strerror(errno));
    while (status == ASSAY_OK && (item = readdir(dir)) != NULL) {
        char path[4352];
        struct stat info;
        const char *name = item->d_name;
        snprintf(path, sizeof path, "%s/%s", folder, name);
        if (is_result_name(name) && is_file(item, path))
            status = add_path(results, path, error);
        else if (snapshots && is_snapshot_name(name))
            status = add_path(snapshots, path, error);
        else if (name[0] != '.' && strcmp(name, "verify") != 0 && depth < DEEPEST &&
                 (item->d_type == DT_DIR ||
                  (item->d_type == DT_UNKNOWN && stat(path, &info) == 0 && S_ISDIR(info.st_mode))))
            status = walk(path, depth + 1, results, snapshots, error);
    }
    closedir(dir);
    return status;
}

assay_status find_result_files(const char *path, file_list *results, file_list *snapshots, assay_error *error)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return assay_error_set(error, ASSAY_ERR_INVALID, "%s: %s", path, strerror(errno));
    if (S_ISDIR(info.st_mode))
        return walk(path, 0, results, snapshots, error);
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    if (is_snapshot_name(name))
        return snapshots ? add_path(snapshots, path, error) : ASSAY_OK;
    return add_path(results, path, error);
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void file_list_sort(file_list *list)
{
    int kept = 0;
    if (list->count > 0)
        qsort(list->paths, (size_t)list->count, sizeof *list->paths, by_bytes);
    for (int i = 0; i < list->count; i++) {
        if (kept > 0 && strcmp(list->paths[kept - 1], list->paths[i]) == 0)
            free(list->paths[i]);
        else
            list->paths[kept++] = list->paths[i];
    }
    list->count = kept;
}
