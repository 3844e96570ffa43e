/* The whole way from a kernel to a budget that fails: a kernel made to spill is compiled as a module, its record has the spill, and
 * a budget of no spills is exceeded by it and kept by a kernel of the op. Needs nvcc, no GPU. */
#include "tests/unit.h"
#include "core/json_file.h"
#include "resources/resources.h"
#include "build_module/compile.h"
#include <unistd.h>

static workspace *ws;
static module_record injected, plain;
static char folder[] = "/tmp/assay-injected-XXXXXX";

static int compile(const char *source, module_record *record)
{
    char path[512];
    assay_error error = {0};
    snprintf(path, sizeof path, "%s/module.json", folder);
    const module_request request = {.op = workspace_find_op(ws, "add"),
                                    .source = source,
                                    .dtype = ASSAY_F32,
                                    .record = path,
                                    .inspect = resources_inspect};
    const assay_status status = module_compile(ws, &request, record, &error);
    if (status != ASSAY_OK || strcmp(record->status, "ok") != 0) {
        fprintf(stderr, "%s: %s\n", source, status != ASSAY_OK ? error.message : record->log);
        return -1;
    }
    return 0;
}

typedef struct seen {
    int spills, others;
    double bytes;
} seen;

static void note(void *context, const resources_excess *excess)
{
    seen *s = context;
    s->spills += strcmp(excess->limit, "spill_bytes") == 0;
    s->others += strcmp(excess->limit, "spill_bytes") != 0;
    s->bytes = excess->value;
    assert_string_equal(excess->kernel, "spill");
}

/* A budget without spills for every architecture that was compiled. */
static json_t *no_spills(const json_t *resources)
{
    const char *arch;
    json_t *unused, *budget = json_object();
    json_object_foreach(json_object_get(resources, "architectures"), arch, unused)
        json_object_set_new(budget, arch, json_pack("{s:i}", "spill_bytes", 0));
    return budget;
}

static void a_injected_spill_is_found(void **state)
{
    seen s = {0};
    int checked;
    const json_t *resources = json_object_get(injected.json, "resources");
    json_t *budget = no_spills(resources);
    const int architectures = (int)json_object_size(budget);
    assert_true(architectures > 0);
    assert_int_equal(resources_check(resources, budget, "f32", note, &s, &checked), architectures);
    assert_int_equal(s.spills, architectures);
    assert_true(s.bytes > 0);
    assert_null(strstr(injected.log, "bytes spill stores")); /* the log is for messages */
    json_decref(budget);
}

static void a_kernel_of_the_op_does_not_spill(void **state)
{
    seen s = {0};
    int checked;
    const json_t *resources = json_object_get(plain.json, "resources");
    json_t *budget = no_spills(resources);
    assert_int_equal(resources_check(resources, budget, "f32", note, &s, &checked), 0);
    assert_true(checked > 0);
    json_decref(budget);
}

static void every_figure_is_there(void **state)
{
    static const char *const keys[] = {"registers",   "spill_store_bytes",   "spill_load_bytes",
                                       "stack_bytes", "static_shared_bytes", "block_threads"};
    const char *arch;
    json_t *part;
    json_t *resources = json_object_get(injected.json, "resources");
    json_object_foreach(json_object_get(resources, "architectures"), arch, part)
    {
        const json_t *kernel = json_array_get(json_object_get(part, "kernels"), 0);
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
            if (!json_is_integer(json_object_get(kernel, keys[i])))
                fail_msg("%s: \"%s\" is no number", arch, keys[i]);
        assert_int_equal(json_integer_value(json_object_get(kernel, "block_threads")), 1024);
        assert_int_equal(json_integer_value(json_object_get(kernel, "registers")), 32); /* 65536 / 2048 */
        assert_true(json_get_number(json_object_get(kernel, "occupancy"), "percent", 0) == 100.0);
        assert_true(json_is_false(json_object_get(kernel, "dynamic_shared")));
        /* Without libelf there is a reason instead. */
        assert_true(json_is_integer(json_object_get(kernel, "code_bytes")) ||
                    json_is_string(json_object_get(resources, "code_reason")));
        assert_true(json_is_object(json_object_get(kernel, "instructions")) ||
                    json_is_string(json_object_get(resources, "instructions_reason")));
    }
}

static int set_up(void **state)
{
    assay_error error = {0};
    if (workspace_open(getenv("ASSAY_BUILD"), &ws, &error) != ASSAY_OK) {
        fprintf(stderr, "%s\n", error.message);
        return -1;
    }
    if (mkdtemp(folder) == NULL)
        return -1;
    char source[8192];
    snprintf(source, sizeof source, "%s/tests/resources/spills.cu", getenv("ASSAY_SOURCE"));
    if (compile(source, &injected) != 0)
        return -1;
    snprintf(source, sizeof source, "%s/v1_baseline.cu", workspace_find_op(ws, "add")->spec->directory);
    return compile(source, &plain);
}

static int tear_down(void **state)
{
    static const char *const files[] = {"module.json", "module.so"};
    char path[512];
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        unlink(path);
    }
    module_record_release(&injected);
    module_record_release(&plain);
    workspace_close(ws);
    return rmdir(folder); /* fails where a compile left something behind */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_injected_spill_is_found),
        cmocka_unit_test(a_kernel_of_the_op_does_not_spill),
        cmocka_unit_test(every_figure_is_there),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
