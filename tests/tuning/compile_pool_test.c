/* Compiling beside each other: a job that is killed. */
#include "tests/unit.h"
#include "tune/evaluate/compile_pool.h"
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

/* A compiler that takes long stands in the place of assay-module. */
static void make_slow_compiler(const char *folder)
{
    char path[300];
    write_text(folder, "assay-module", "#!/bin/sh\nexec sleep 5\n");
    snprintf(path, sizeof path, "%s/assay-module", folder);
    assert_int_equal(chmod(path, 0755), 0);
}

static void a_killed_job_is_an_error(void **state)
{
    char folder[256];
    workspace *ws;
    tuned_variant tuned;
    compile_pool pool;
    assay_error error = {0};
    make_folder(folder);
    make_slow_compiler(folder);
    assert_int_equal(workspace_open(NULL, &ws, &error), ASSAY_OK);
    snprintf(ws->libexec, sizeof ws->libexec, "%s", folder);
    snprintf(ws->modules, sizeof ws->modules, "%s", folder);
    const workspace_op *op = workspace_find_op(ws, "softmax");
    assert_int_equal(tuned_variant_parse(op->spec, "v2_tiling", "TILE=1024", &tuned, NULL), ASSAY_OK);
    const tuned_module module = {.ws = ws, .op = op, .tuned = &tuned, .dtype = ASSAY_F32};
    for (int waits = 0; waits < 2; waits++) {
        assert_int_equal(compile_pool_begin(&module, 1, 1, 50, &pool, &error), ASSAY_OK);
        assert_int_equal(pool.jobs, 1);
        assert_false(compile_pool_is_done(&pool));
        assert_int_equal(kill((pid_t)pool.pids[0], SIGKILL), 0);
        while (!waits && !compile_pool_is_done(&pool))
            usleep(1000);
        compile_pool_wait(&pool);
        assert_true(pool.modules[0].done);
        assert_int_equal(pool.modules[0].status, ASSAY_ERR_ENVIRONMENT);
        assert_string_equal(pool.modules[0].message, "a compile job was killed");
        compile_pool_release(&pool);
    }
    workspace_close(ws);
    remove_folder(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_killed_job_is_an_error)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
