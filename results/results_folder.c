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

/* A file, or a line of an archive. */
typedef struct found_file {
    char *path;
    results_item_kind kind;
    int line;            /* from 1 on; 0 of a file */
    const char *archive; /* its name */
    const char *text;    /* the line */
    size_t bytes;
    result *result;
    json_t *verdict;
    assay_error fault;
} found_file;

typedef struct file_list {
    found_file *files;
    int count, capacity;
    char **archives; /* names and texts of archives, by turns */
    int archive_count;
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

static int ends_in(const char *name, const char *end)
{
    const size_t length = strlen(name), tail = strlen(end);
    return name[0] != '.' && length > tail && strcmp(name + length - tail, end) == 0;
}

static int is_json(const char *name)
{
    return ends_in(name, ".json");
}

static int is_archive(const char *name)
{
    return ends_in(name, ".jsonl");
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

static assay_status keep_archive(file_list *list, char *name, char *text, assay_error *error)
{
    char **grown = realloc(list->archives, (size_t)(list->archive_count + 2) * sizeof *grown);
    if (grown)
        list->archives = grown;
    if (!grown || !name) {
        free(name);
        free(text);
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for an archive");
    }
    list->archives[list->archive_count++] = name;
    list->archives[list->archive_count++] = text;
    return ASSAY_OK;
}

static assay_status add_line(file_list *list, const char *archive, int number, const char *line, size_t bytes,
                             results_item_kind kind, assay_error *error)
{
    char name[4400];
    snprintf(name, sizeof name, "%s:%d", archive, number);
    const assay_status status = add_file(list, name, kind, error);
    if (status != ASSAY_OK)
        return status;
    found_file *file = &list->files[list->count - 1];
    file->line = number;
    file->archive = archive;
    file->text = line;
    file->bytes = bytes;
    return ASSAY_OK;
}

/* An archive that cannot be read is one fault. */
static assay_status add_archive(file_list *list, const char *path, results_item_kind kind, assay_error *error)
{
    char *text = NULL;
    assay_error fault = {0};
    if (text_file_read(path, &text, NULL, &fault) != ASSAY_OK) {
        const assay_status added = add_file(list, path, kind, error);
        if (added == ASSAY_OK)
            list->files[list->count - 1].fault = fault;
        return added;
    }
    char *name = strdup(path), *line = text;
    assay_status status = keep_archive(list, name, text, error);
    for (int number = 1; status == ASSAY_OK && *line; number++) {
        const size_t bytes = strcspn(line, "\n");
        if (bytes > 0)
            status = add_line(list, name, number, line, bytes, kind, error);
        line += bytes + (line[bytes] == '\n');
    }
    return status;
}

/* 1 and its kind if the file is one of those wanted. */
static int classify(const char *folder, const char *name, unsigned which, results_item_kind *kind)
{
    *kind = strcmp(folder, "verify") == 0 ? RESULTS_VERDICT
            : is_snapshot_name(name)      ? RESULTS_SNAPSHOT
                                          : RESULTS_RESULT;
    if (*kind == RESULTS_SNAPSHOT)
        return (which & RESULTS_WITH_SNAPSHOTS) != 0;
    if (*kind == RESULTS_VERDICT)
        return (which & RESULTS_WITH_VERDICTS) && (is_json(name) || is_archive(name));
    return (which & RESULTS_WITH_RESULTS) && strcmp(folder, "sanitizer") != 0 &&
           (is_result_name(name) || (strcmp(folder, "bench") == 0 && (is_json(name) || is_archive(name))));
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
        if (classify(file_base_name(folder), item->d_name, which, &kind) && is_file(item, path))
            status = is_archive(item->d_name) ? add_archive(list, path, kind, error)
                                              : add_file(list, path, kind, error);
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
    if (is_snapshot_name(file_base_name(whole)))
        return which & RESULTS_WITH_SNAPSHOTS ? add_file(list, whole, RESULTS_SNAPSHOT, error) : ASSAY_OK;
    return is_archive(file_base_name(whole)) ? add_archive(list, whole, RESULTS_RESULT, error)
                                             : add_file(list, whole, RESULTS_RESULT, error);
}

/* Lines of archives first, in their order, then files by name. */
static int by_path(const void *a, const void *b)
{
    const found_file *first = a, *second = b;
    if (!first->line != !second->line)
        return first->line ? -1 : 1;
    const int order = strcmp(first->path, second->path);
    if (!first->line || strcmp(first->archive, second->archive) != 0)
        return order;
    return (first->line > second->line) - (first->line < second->line);
}

static void read_result(found_file *file, result_load load)
{
    if (file->line)
        (void)result_read_text(file->text, file->bytes, file->path, load, &file->result, &file->fault);
    else
        (void)result_read_file(file->path, load, &file->result, &file->fault);
}

static assay_status read_verdict_line(found_file *file)
{
    char *copy = strndup(file->text, file->bytes);
    const assay_status status =
        copy ? json_text_read_without(copy, file->bytes, file->path, NULL, &file->verdict, &file->fault)
             : assay_error_set(&file->fault, ASSAY_ERR_NO_MEMORY, "no memory for a verdict");
    free(copy);
    return status;
}

static void read_verdict(found_file *file)
{
    if ((file->line ? read_verdict_line(file) : json_file_read(file->path, &file->verdict, &file->fault)) !=
        ASSAY_OK)
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
        if (file->fault.status != ASSAY_OK)
            continue;
        if (file->kind == RESULTS_RESULT)
            read_result(file, job->load);
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
                         .name = file_base_name(file->path),
                         .reason = "",
                         .is_verdict = file->kind == RESULTS_VERDICT};
    if (strncmp(file->path, root, length) == 0 && file->path[length] == '/')
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
    for (int i = 0; i < list->archive_count; i++)
        free(list->archives[i]);
    free(list->archives);
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
