/* A case of a workspace: what is known of it before it is timed, and whether its verdict is of what is
 * there now. Each change that makes results another problem's is made here once: dimensions, tolerances
 * and distribution in op.json, reference.c, the kernel. */
#include "tests/unit.h"
#include "core/json_file.h"
#include "results/case_verdict.h"
#include "results/describe_case.h"
#include "results/identity.h"
#include "results/problem_hash.h"
#include <sys/stat.h>

static const char op_json[] =
    "{\"schema\":1,\"name\":\"echo\",\"family\":\"elementwise\",\"torch\":\"t\",\"formula\":\"f\","
    "\"complexity\":\"c\",\"access\":\"a\",\"dtypes\":[\"f32\",\"f16\"],"
    "\"inputs\":[{\"name\":\"x\",\"shape\":[\"M\",\"N\"],\"distribution\":\"normal\"}],"
    "\"outputs\":[{\"name\":\"y\"}],"
    "\"params\":[{\"name\":\"N\",\"type\":\"integer\",\"default\":7}],"
    "\"sizes\":{\"small\":{\"M\":4,\"N\":3},\"medium\":{\"M\":8,\"N\":2},\"large\":{\"M\":16,\"N\":2}},"
    "\"cpu_sizes\":{\"large\":{\"M\":8,\"N\":2}},"
    "\"tolerances\":{\"f32\":{\"atol\":0,\"rtol\":1e-5},\"f16\":{\"atol\":0,\"rtol\":0}},"
    "\"edge_cases\":[{\"name\":\"one\",\"dims\":{\"M\":1,\"N\":1}}]}";

static char folder[256];
static workspace *ws;

static void write_op(const char *from, const char *to)
{
    char path[600], text[2000];
    const char *at = from ? strstr(op_json, from) : NULL;
    snprintf(path, sizeof path, "%s/echo", folder);
    if (at)
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - op_json), op_json, to, at + strlen(from));
    else
        snprintf(text, sizeof text, "%s", op_json);
    assert_true(!from || at);
    write_text(path, "op.json", text);
}

static void open_workspace(void)
{
    assay_error error = {0};
    workspace_close(ws);
    if (workspace_open(folder, &ws, &error) != ASSAY_OK)
        fail_msg("%s", error.message);
    workspace_use_slug(ws, "cpu-simt");
}

static void write_hash(char digit)
{
    char text[80];
    memset(text, digit, 64);
    snprintf(text + 64, sizeof text - 64, "\n");
    write_text(folder, "none.sha256", text);
}

static void write_module(const char *hash)
{
    char path[600];
    snprintf(path, sizeof path, "%s/modules", folder);
    mkdir(path, 0777);
    char text[400];
    snprintf(
        text, sizeof text,
        "{\"schema\":1,\"status\":\"ok\",\"source_sha256\":\"%s\",\"compiler\":\"GNU 12\",\"flags\":\"-O2\","
        "\"arch\":\"x86_64\",\"tunables\":{\"TILE\":16}}",
        hash);
    write_text(path, "echo.v1.f32.json", text);
}

static int setup(void **state)
{
    char path[600];
    make_folder(folder);
    snprintf(path, sizeof path, "%s/echo", folder);
    mkdir(path, 0777);
    write_text(path, "v1.cu", "// echo.\n");
    write_text(folder, "assay.json",
               "{\"schema\":1,\"device\":\"cpu\",\"source\":\"\",\"modules\":\"modules\",\"baselines\":"
               "\"baselines\","
               "\"results\":\"results\",\"libexec\":\".\",\"logs\":\"logs\",\"plots\":\"plots\","
               "\"templates\":\"templates\",\"ops\":[{\"name\":\"echo\",\"directory\":\"echo\",\"reference\":"
               "\"none.so\"}],\"git\":{\"commit\":\"abc\",\"dirty\":true}}");
    write_op(NULL, NULL);
    write_hash('1');
    write_module("aa");
    open_workspace();
    return 0;
}

static int teardown(void **state)
{
    workspace_close(ws);
    ws = NULL;
    remove_folder(folder);
    return 0;
}

static assay_case make_case(const char *size)
{
    assay_case c = {.op = &ws->ops[0], .variant = "v1", .dtype = ASSAY_F32};
    snprintf(c.size, sizeof c.size, "%s", size);
    return c;
}

static void write_verdict(const char *size, const char *hash, const char *status)
{
    char path[5000];
    const assay_case c = make_case(size);
    case_verdict_path(ws, &c, path, sizeof path);
    json_t *verdict =
        json_pack("{s:s, s:s, s:s}", "source_sha256", hash, "status", status, "reason", "of the verdict");
    case_verdict_identify(ws, &c, verdict);
    assert_int_equal(json_file_write(path, verdict, 0, NULL), ASSAY_OK);
    json_decref(verdict);
}

static void expect(const char *status, const char *reason)
{
    const assay_case c = make_case("small");
    char path[5000];
    module_record module;
    case_verdict verdict;
    case_module_path(ws, &c, path, sizeof path);
    assert_int_equal(module_record_read(path, &module, NULL), ASSAY_OK);
    case_verdict_read(ws, &c, &module, &verdict);
    assert_string_equal(verdict.status, status);
    if (!strstr(verdict.reason, reason))
        fail_msg("\"%s\", wanted \"%s\"", verdict.reason, reason);
    case_verdict_release(&verdict);
    module_record_release(&module);
}

static void only_a_pass_of_what_is_there_counts(void **state)
{
    expect("missing", "");
    assert_false(case_is_verified(ws, &(assay_case){.op = ws->ops, .variant = "v1", .size = "small"}));
    write_verdict("small", "0000", "pass");
    expect("stale", "verdict is of another kernel (0000, now aa)");
    write_verdict("small", "aa", "fail");
    expect("fail", "of the verdict");
    write_verdict("small", "aa", "pass");
    expect("missing", ""); /* the edge cases were not run */
    write_verdict("edge", "aa", "crash");
    expect("crash", "of the verdict");
    write_verdict("edge", "aa", "pass");
    expect("pass", "");
    assert_true(case_is_verified(ws, &(assay_case){.op = ws->ops, .variant = "v1", .size = "small"}));
}

static void another_reference_makes_a_verdict_stale(void **state)
{
    write_verdict("small", "aa", "pass");
    write_verdict("edge", "aa", "pass");
    write_hash('2');
    expect("stale", "verdict is of another reference.c (11111111, now 22222222)");
    assert_false(case_is_verified(ws, &(assay_case){.op = ws->ops, .variant = "v1", .size = "small"}));
    write_hash('1');
    expect("pass", "");
}

/* op.json with one thing changed: does the verdict still hold? */
static void after_a_change(const char *from, const char *to, const char *status)
{
    write_op(from, to);
    open_workspace();
    expect(status, strcmp(status, "stale") == 0 ? "verdict is of another op.json (" : "");
    write_op(NULL, NULL);
    open_workspace();
}

static void op_json_counts_where_it_decides(void **state)
{
    write_verdict("small", "aa", "pass");
    write_verdict("edge", "aa", "pass");
    after_a_change("\"small\":{\"M\":4", "\"small\":{\"M\":5", "stale");
    after_a_change("\"rtol\":1e-5", "\"rtol\":1e-4", "stale");
    after_a_change("\"normal\"", "\"uniform\"", "stale");
    after_a_change("\"default\":7", "\"default\":8", "stale");
    after_a_change("\"dims\":{\"M\":1,", "\"dims\":{\"M\":2,", "stale"); /* the edge cases' */
    after_a_change("\"complexity\":\"c\"", "\"complexity\":\"other\"", "pass");
    after_a_change("\"large\":{\"M\":16", "\"large\":{\"M\":17", "pass");
    after_a_change("\"f16\":{\"atol\":0,\"rtol\":0}", "\"f16\":{\"atol\":1,\"rtol\":0}", "pass");
    expect("pass", "");
}

static result *describe(const char *size, const char *device_kind)
{
    result *r = result_new();
    assert_int_equal(describe_case(r, &ws->ops[0], "v1", 0, ASSAY_F32, size, device_kind, NULL), ASSAY_OK);
    return r;
}

static void a_case_is_described(void **state)
{
    result *r = describe("large", "cuda"), *on_cpu = describe("large", "cpu");
    char path[600], words[400];
    module_record module;
    assert_string_equal(r->id.op, "echo");
    assert_int_equal(r->problem.dims[0].value, 16);
    assert_int_equal(on_cpu->problem.dims[0].value, 8);
    assert_int_equal(r->problem.params[0].integer, 2); /* the dimension of its name sets it */
    assert_string_equal(r->problem.distribution, "normal");
    assert_int_equal(strlen(r->hashes.op_json), 64);
    assert_string_equal(r->hashes.reference,
                        "1111111111111111111111111111111111111111111111111111111111111111");
    assert_int_equal(result_differs(r, on_cpu, TIMING_MODES, IDENTITY_TABLE, " and ", words, sizeof words),
                     IDENTITY_BIT(IDENTITY_DIMS) | IDENTITY_BIT(IDENTITY_OP_JSON));
    snprintf(path, sizeof path, "%s/modules/echo.v1.f32.json", folder);
    assert_int_equal(module_record_read(path, &module, NULL), ASSAY_OK);
    describe_module(r, &module);
    assert_string_equal(r->toolchain.compiler, "GNU 12");
    assert_string_equal(r->toolchain.arch, "x86_64");
    assert_string_equal(r->hashes.kernel, "aa");
    assert_string_equal(r->tunables[0].name, "TILE");
    describe_host(r);
    assert_true(r->host.name[0] && r->host.cpus > 0);
    module_record_release(&module);
    result_free(on_cpu);
    result_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(only_a_pass_of_what_is_there_counts, setup, teardown),
        cmocka_unit_test_setup_teardown(another_reference_makes_a_verdict_stale, setup, teardown),
        cmocka_unit_test_setup_teardown(op_json_counts_where_it_decides, setup, teardown),
        cmocka_unit_test_setup_teardown(a_case_is_described, setup, teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
