/* Each piece is done once, whatever the number of threads, and no more threads than allowed take part. */
#include "tests/unit.h"
#include "core/parallel_for.h"
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

enum { PIECES = 100 };

typedef struct marks {
    atomic_int done[PIECES];
    atomic_int at_once, most_at_once;
} marks;

static void mark(void *context, int64_t piece)
{
    marks *m = context;
    const int now = atomic_fetch_add(&m->at_once, 1) + 1;
    int most = atomic_load(&m->most_at_once);
    while (now > most && !atomic_compare_exchange_weak(&m->most_at_once, &most, now))
        ;
    nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
    atomic_fetch_add(&m->done[piece], 1);
    atomic_fetch_sub(&m->at_once, 1);
}

static void expect_all(int count, int most)
{
    static marks m;
    m = (marks){.at_once = 0};
    parallel_for(count, mark, &m);
    for (int i = 0; i < PIECES; i++)
        assert_int_equal(atomic_load(&m.done[i]), i < count);
    assert_true(atomic_load(&m.most_at_once) <= most);
}

static void pieces_are_done_once(void **state)
{
    const int all = parallel_for_threads();
    assert_true(all >= 1);
    expect_all(PIECES, all);
    expect_all(1, 1);
    expect_all(0, 0);
}

static void a_limit_holds(void **state)
{
    parallel_for_limit(1);
    assert_int_equal(parallel_for_threads(), 1);
    expect_all(PIECES, 1);
    parallel_for_limit(0); /* a job of more than there are processors */
    assert_int_equal(parallel_for_threads(), 1);
    parallel_for_limit(1 << 20);
    assert_true(parallel_for_threads() < 1 << 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pieces_are_done_once),
                                       cmocka_unit_test(a_limit_holds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
