/* Walking and reading a results folder: see results_folder.h. */
#include "results/results_folder.h"
#include "core/json_file.h"
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEEPEST = 16, BATCH = 256, MOST_THREADS = 8, FILES_A_THREAD = 16 };

typedef struct found_file {
    char *path;
    results_item_kind kind;
    result *result;
    json_t *verdict;
    assay_error fault;
} found_file;

typedef struct file_list {
    found_file *files;
    int count, capacity;
} file_list;

static assay_status add_file(file_list *list, const char *path, results_item_kind kind, assay_error *error)
{
    if (list->count == list->capacity) {
        const int capacity = list->capacity ? 2 * list->capacity : 64;
        found_file *grown = realloc(list->files, (size_t)capacity * sizeof *grown);
        if (!grown)
            return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for the list of files");
        list->files = grown;
        list->capacity = capacity;
    }
    found_file *file = &list->files[list->count];
    *file = (found_file){.path = strdup(path), .kind = kind};
    list->count += file->path != NULL;
    return file->path ? ASSAY_OK
                      : assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for the list of files");
}

static int is_json(const char *name)
{
    const size_t length = strlen(name);
    return name[0] != '.' && length > 5 && strcmp(name + length - 5, ".json") == 0;
}

/* OP.NAME.DTYPE.SIZE.json */
static int is_result_name(const char *name)
{
    int points = 0;
    for (const char *c = name; *c; c++)
        points += *c == '.';
    return is_json(name) && points == 4;
}

static int is_snapshot_name(const char *name)
{
    return strcmp(name, "ceilings.json") == 0 || strcmp(name, "env.json") == 0;
}

/* Reading a pipe that lies there would wait for ever; a folder of such a name is walked through. */
static int is_file(const struct dirent *item, const char *path)
{
    struct stat info;
    return item->d_type == DT_REG || (stat(path, &info) == 0 && S_ISREG(info.st_mode)) ||
           (item->d_type == DT_LNK &&
            access(path, F_OK) != 0); /* a link to nothing is reported as unreadable */
}

static int is_folder(const struct dirent *item, const char *path)
{
    struct stat info;
    return item->d_type == DT_DIR ||
           (item->d_type == DT_UNKNOWN && stat(path, &info) == 0 && S_ISDIR(info.st_mode));
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* 1 and its kind if the file is one of those wanted. */
static int classify(const char *folder, const char *name, unsigned which, results_item_kind *kind)
{
    *kind = strcmp(folder, "verify") == 0 ? RESULTS_VERDICT
            : is_snapshot_name(name)      ? RESULTS_SNAPSHOT
                                          : RESULTS_RESULT;
    return *kind == RESULTS_VERDICT ? (which & RESULTS_WITH_VERDICTS) && is_json(name)
           : *kind == RESULTS_SNAPSHOT
               ? (which & RESULTS_WITH_SNAPSHOTS) != 0
               : (which & RESULTS_WITH_RESULTS) && strcmp(folder, "sanitizer") != 0 &&
                     (is_result_name(name) || (strcmp(folder, "bench") == 0 && is_json(name)));
}

static assay_status walk(const char *folder, int depth, unsigned which, file_list *list, assay_error *error)
{
    DIR *dir = opendir(folder);
    struct dirent *item;
    assay_status status = ASSAY_OK;
    if (!dir)
        return assay_error_set(error, ASSAY_ERR_INVALID, "cannot read folder %s: %s", folder,
                               strerror(errno));
    while (status == ASSAY_OK && (item = readdir(dir)) != NULL) {
        char path[4352];
        results_item_kind kind;
        snprintf(path, sizeof path, "%s/%s", folder, item->d_name);
        if (item->d_name[0] == '.')
            continue;
        if (classify(base_of(folder), item->d_name, which, &kind) && is_file(item, path))
            status = add_file(list, path, kind, error);
        else if (depth < DEEPEST && is_folder(item, path))
            status = walk(path, depth + 1, which, list, error);
    }
    closedir(dir);
    return status;
}

static assay_status find_files(const char *whole, unsigned which, file_list *list, assay_error *error)
{
    struct stat info;
    if (stat(whole, &info) != 0)
        return assay_error_set(error, ASSAY_ERR_INVALID, "%s: %s", whole, strerror(errno));
    if (S_ISDIR(info.st_mode))
        return walk(whole, 0, which, list, error);
    if (is_snapshot_name(base_of(whole)))
        return which & RESULTS_WITH_SNAPSHOTS ? add_file(list, whole, RESULTS_SNAPSHOT, error) : ASSAY_OK;
    return add_file(list, whole, RESULTS_RESULT, error);
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const found_file *)a)->path, ((const found_file *)b)->path);
}

static void read_verdict(found_file *file)
{
    if (json_file_read(file->path, &file->verdict, &file->fault) != ASSAY_OK)
        return;
    if (json_get_number(file->verdict, "schema", 0) != 1 || !*json_get_text(file->verdict, "status", ""))
        assay_error_set(&file->fault, ASSAY_ERR_FORMAT, "%.200s: no verdict of schema 1", file->path);
}

typedef struct read_job {
    found_file *files;
    int count;
    result_load load;
    atomic_int next;
} read_job;

static void *work(void *context)
{
    read_job *job = context;
    for (int i; (i = atomic_fetch_add(&job->next, 1)) < job->count;) {
        found_file *file = &job->files[i];
        if (file->kind == RESULTS_RESULT)
            (void)result_read_file(file->path, job->load, &file->result, &file->fault);
        else if (file->kind == RESULTS_VERDICT)
            read_verdict(file);
    }
    return NULL;
}

static void read_batch(found_file *files, int count, result_load load)
{
    read_job job = {.files = files, .count = count, .load = load};
    pthread_t threads[MOST_THREADS];
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    int started = 0;
    json_object_seed(0); /* before the threads make objects */
    while (started + 1 < processors && started < MOST_THREADS && started < count / FILES_A_THREAD &&
           pthread_create(&threads[started], NULL, work, &job) == 0)
        started++;
    work(&job); /* also where no thread could be started */
    for (int i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
}

/* A message without the path, which stands beside it. */
static const char *reason_of(const found_file *file)
{
    const char *message = file->fault.message;
    const size_t length = strlen(file->path);
    if (strncmp(message, file->path, length) != 0)
        return message;
    message += length;
    return message + strspn(message, ": ");
}

static assay_status visit_one(const char *root, found_file *file, results_visitor visit, void *context,
                              assay_error *error)
{
    const size_t length = strlen(root);
    results_item item = {.kind = file->kind,
                         .path = file->path,
                         .name = base_of(file->path),
                         .reason = "",
                         .is_verdict = file->kind == RESULTS_VERDICT};
    if (strncmp(file->path, root, length) == 0 && file->path[length] != '\0')
        item.name = file->path + length + strspn(file->path + length, "/");
    if (file->fault.status != ASSAY_OK) {
        item.kind = RESULTS_FAULT;
        item.reason = reason_of(file);
    } else {
        item.result = file->result;
        item.verdict = file->verdict;
        file->result = NULL;
        file->verdict = NULL;
    }
    return visit(context, &item, error);
}

static void release(file_list *list)
{
    for (int i = 0; i < list->count; i++) {
        free(list->files[i].path);
        result_free(list->files[i].result);
        json_decref(list->files[i].verdict);
    }
    free(list->files);
}

assay_status results_each(const char *path, unsigned which, result_load load, results_visitor visit,
                          void *context, assay_error *error)
{
    file_list list = {0};
    char whole[4096];
    snprintf(whole, sizeof whole, "%s", path);
    for (size_t end = strlen(whole); end > 1 && whole[end - 1] == '/'; end--)
        whole[end - 1] = '\0';
    assay_status status = find_files(whole, which, &list, error);
    if (list.count > 0)
        qsort(list.files, (size_t)list.count, sizeof *list.files, by_path);
    for (int first = 0; status == ASSAY_OK && first < list.count; first += BATCH) {
        const int count = list.count - first < BATCH ? list.count - first : BATCH;
        read_batch(&list.files[first], count, load);
        for (int i = 0; status == ASSAY_OK && i < count; i++)
            status = visit_one(whole, &list.files[first + i], visit, context, error);
    }
    release(&list);
    return status;
}
