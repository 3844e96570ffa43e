/* Kept contents come back as they were, and nothing else does. */
#include "tests/unit.h"
#include "fake_op.h"
#include "verify/expected_store.h"
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static expected_output make(int64_t rows, int64_t columns, float first)
{
    expected_output t;
    const assay_problem shapes = fake_problem(rows, columns);
    assert_int_equal(expected_output_open(&fake_impl, &shapes, &t, NULL), ASSAY_OK);
    float *x = t.host.inputs[0].data;
    for (int64_t i = 0; i < rows * columns; i++)
        x[i] = first + (float)i;
    if (!t.sampled)
        assert_int_equal(expected_output_compute(&fake_impl, &t, NULL), ASSAY_OK);
    return t;
}

static void what_is_kept_comes_back(void **state)
{
    expected_store *store = expected_store_open(1 << 20);
    expected_output one = make(3, 5, 1), two = make(3, 5, 2), got = make(3, 5, 0), other = make(5, 5, 0);
    expected_store_keep(store, "small", 0, &one);
    expected_store_keep(store, "small", 1, &two);
    expected_store_keep(store, "small", 0, &two); /* the first one stays */
    assert_true(expected_store_take(store, "small", 0, &got));
    assert_memory_equal(got.host.inputs[0].data, one.host.inputs[0].data, 15 * sizeof(float));
    assert_memory_equal(got.host.outputs[0].data, one.host.outputs[0].data, 15 * sizeof(double));
    assert_memory_equal(got.scale, one.scale, 15 * sizeof(double));
    assert_true(expected_store_take(store, "small", 1, &got));
    assert_memory_equal(got.host.outputs[0].data, two.host.outputs[0].data, 15 * sizeof(double));
    assert_false(expected_store_take(store, "small", 2, &got));
    assert_false(expected_store_take(store, "large", 0, &got));
    assert_false(expected_store_take(store, "small", 0, &other));
    assert_false(expected_store_take(store, NULL, 0, &got));
    assert_false(expected_store_take(NULL, "small", 0, &got));
    expected_store_keep(NULL, "small", 0, &one);
    expected_output *const all[] = {&one, &two, &got, &other};
    for (int i = 0; i < 4; i++)
        expected_output_close(all[i]);
    expected_store_close(store);
    expected_store_close(NULL);
}

static void a_full_store_keeps_no_more(void **state)
{
    expected_output t = make(3, 5, 1);
    expected_store *store = expected_store_open(2 * 15 * (4 + 8 + 8));
    for (int i = 0; i < 3; i++) {
        expected_store_keep(store, "small", i, &t);
        assert_int_equal(expected_store_take(store, "small", i, &t), i < 2);
    }
    expected_output_close(&t);
    expected_store_close(store);
}

/* The parent's problem has the same bounds on both sides of a fork: the child may find the pages and try. */
static void a_kernel_cannot_write_what_is_kept(void **state)
{
    expected_output t = make(64, 64, 12345);
    expected_store *store = expected_store_open(1 << 20);
    expected_store_keep(store, "small", 0, &t);
    const pid_t child = fork();
    if (child == 0) {
        /* The store's first member behind the two counts is the list, whose entries name the pages: look for the values instead. */
        char line[256];
        FILE *maps = fopen("/proc/self/maps", "r");
        while (maps && fgets(line, sizeof line, maps)) {
            unsigned long from, to;
            char access[5];
            if (sscanf(line, "%lx-%lx %4s", &from, &to, access) != 3 || strcmp(access, "r--p") != 0)
                continue;
            if (to - from == 64 * 64 * (4 + 8 + 8) && *(float *)from == 12345) {
                signal(SIGSEGV, SIG_DFL);
                *(volatile float *)from = 0;
            }
        }
        _exit(0); /* not found, or written */
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
    expected_output_close(&t);
    expected_store_close(store);
}

/* Judged twice with a store: the second time nothing is computed, and the report is the same. */
static assay_status right(const fake_args *args, assay_stream stream)
{
    return fake_double(args);
}

static void a_kept_output_judges_alike(void **state)
{
    for (int costly = 0; costly < 2; costly++) {
        check_subject subject;
        static check_report reports[2];
        expected_store *store = expected_store_open(64 << 20);
        const check_options options = {.seed = 3, .label = "small", .kept = store};
        fake_is_costly = costly;
        const assay_problem problem = fake_problem(100, 30);
        fake_open(&subject, (assay_run_fn)(void (*)(void))right);
        for (int i = 0; i < 2; i++) {
            fake_references = 0;
            assert_int_equal(check_problem(&subject, &problem, &options, &reports[i], NULL), ASSAY_OK);
            assert_int_equal(reports[i].verdict, CHECK_PASS);
            assert_true(i == 0 ? fake_references >= 3 : fake_references == 0);
        }
        assert_int_equal(reports[0].item_count, reports[1].item_count);
        for (int i = 0; i < reports[0].item_count; i++) {
            assert_string_equal(reports[0].items[i].name, reports[1].items[i].name);
            assert_int_equal(reports[0].items[i].elements, reports[1].items[i].elements);
            assert_true(reports[0].items[i].compared.worst_ratio == reports[1].items[i].compared.worst_ratio);
        }
        fake_close(&subject);
        expected_store_close(store);
    }
    fake_is_costly = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_kept_comes_back),
        cmocka_unit_test(a_full_store_keeps_no_more),
        cmocka_unit_test(a_kernel_cannot_write_what_is_kept),
        cmocka_unit_test(a_kept_output_judges_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
