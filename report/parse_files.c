/* Files dealt out to a few threads: see parse_files.h. */
#include "report/parse_files.h"
#include "core/json_file.h"
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { MOST_THREADS = 8, FILES_A_THREAD = 16 };

typedef struct parse_job {
    parsed_file *files;
    const char *const *unread;
    int count;
    atomic_int next;
} parse_job;

static void *work(void *context)
{
    parse_job *job = context;
    for (int i; (i = atomic_fetch_add(&job->next, 1)) < job->count;)
        if (json_file_read_without(job->files[i].path, job->unread, &job->files[i].root,
                                   &job->files[i].error) != ASSAY_OK)
            job->files[i].root = NULL;
    return NULL;
}

void parse_files(parsed_file *files, int count, const char *const *unread)
{
    parse_job job = {.files = files, .unread = unread, .count = count};
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
