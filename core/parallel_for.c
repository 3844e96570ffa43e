/* Threads that take pieces by turns: see parallel_for.h. */
#include "core/parallel_for.h"
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { MOST_THREADS = 64 };

static int limit; /* 0: none */

void parallel_for_limit(int most)
{
    limit = most > 1 ? most : 1;
}

int parallel_for_threads(void)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const int most = processors < 1 ? 1 : processors < MOST_THREADS ? (int)processors : MOST_THREADS;
    return limit > 0 && limit < most ? limit : most;
}

typedef struct work_list {
    parallel_for_fn work;
    void *context;
    int64_t count;
    atomic_llong next;
} work_list;

static void *take_pieces(void *argument)
{
    work_list *list = argument;
    for (;;) {
        const int64_t piece = atomic_fetch_add(&list->next, 1);
        if (piece >= list->count)
            return NULL;
        list->work(list->context, piece);
    }
}

void parallel_for(int64_t count, parallel_for_fn work, void *context)
{
    work_list list = {.work = work, .context = context, .count = count};
    pthread_t threads[MOST_THREADS];
    const int wanted = parallel_for_threads();
    int started = 0;
    atomic_init(&list.next, 0);
    while (started + 1 < wanted && started + 1 < count &&
           pthread_create(&threads[started], NULL, take_pieces, &list) == 0)
        started++;
    take_pieces(&list);
    for (int i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
}
