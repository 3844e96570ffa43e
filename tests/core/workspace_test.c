/* A workspace of one small op: case lists and filters, module compilation, and what makes a verdict usable. */
#include "tests/unit.h"
#include "resources/code_hash.h"
#include "core/json_file.h"
#include "build_module/compile.h"
#include <sys/stat.h>
#include <unistd.h>

static const char op_json[] =
    "{\"schema\":1,\"name\":\"echo\",\"family\":\"elementwise\",\"torch\":\"t\",\"formula\":\"f\","
    "\"complexity\":\"c\",\"access\":\"a\","
    "\"dtypes\":[\"f32\",\"f16\"],\"inputs\":[{\"name\":\"x\",\"shape\":[\"M\"]}],\"outputs\":[{\"name\":"
    "\"y\"}],"
    "\"sizes\":{\"small\":{\"M\":4},\"medium\":{\"M\":8},\"large\":{\"M\":16}},"
    "\"tolerances\":{\"f32\":{\"atol\":0,\"rtol\":0},\"f16\":{\"atol\":0,\"rtol\":0}},"
    "\"edge_cases\":[{\"name\":\"one\",\"dims\":{\"M\":1}}],\"tunables\":{\"v2_right\":{\"TILE\":{\"values\":"
    "[8,16],\"default\":16}}},\"variant_dtypes\":{\"v2a_half\":[\"f16\"]}}";

static char folder[256];
static workspace *ws;

static int setup(void **state)
{
    char path[600];
    make_folder(folder);
    snprintf(path, sizeof path, "%s/echo", folder);
    mkdir(path, 0777);
    write_text(path, "op.json", op_json);
    write_text(path, "v1_broken.cu", "// echo, broken.\nthis is not C++;\n");
    write_text(
        path, "v2_right.cu",
        "// echo, right.\n//\n// Says nothing.\n#include \"v2/tile.h\"\nextern \"C\" int echo_run(const "
        "void *, void *) { return TILE - SIZE; }\n");
    write_text(path, "v2a_half.cu", "// echo, between steps 2 and 3, for f16 only.\n");
    snprintf(path, sizeof path, "%s/echo/v2",
             folder); /* parts of a kernel may lie in a folder of their own */
    mkdir(path, 0777);
    write_text(path, "tile.h", "#define SIZE 16\n");
    snprintf(path, sizeof path, "%s/echo", folder);
    write_text(path, "v3_nameless.cu", "extern \"C\" int other_run(const void *, void *) { return 0; }\n");
    snprintf(path, sizeof path, "%s/written", folder); /* by the build */
    mkdir(path, 0777);
    write_text(path, "v2z_written.cu", "// echo, from another language.\n");
    write_text(folder, "assay.json",
               "{\"schema\":1,\"device\":\"cpu\",\"source\":\"\",\"modules\":\"modules\",\"baselines\":"
               "\"baselines\","
               "\"results\":\"results\",\"libexec\":\".\","
               "\"logs\":\"logs\",\"plots\":\"plots\",\"templates\":\"templates\",\"ops\":[{\"name\":"
               "\"echo\",\"directory\":\"echo\",\"reference\":\"none.so\",\"generated\":\"written\"}],"
               "\"toolchain\":{\"compiler\":\"c++\",\"kind\":\"cxx\",\"flags\":[\"-shared\",\"-fPIC\"],"
               "\"include\":[],\"link\":[],\"arch\":[],\"compiler_version\":\"c++\"},"
               "\"git\":{\"commit\":\"abc\",\"dirty\":true}}");
    assay_error error = {0};
    if (workspace_open(folder, &ws, &error) != ASSAY_OK)
        fail_msg("%s", error.message);
    workspace_use_slug(ws, "cpu-simt");
    return 0;
}

static int teardown(void **state)
{
    workspace_close(ws);
    remove_folder(folder);
    return 0;
}

static int count_cases(case_filter filter, int with_edge)
{
    assay_case *cases;
    int count;
    assert_int_equal(workspace_list_cases(ws, &filter, with_edge, &cases, &count, NULL), ASSAY_OK);
    free(cases);
    return count;
}

static void lists_and_filters(void **state)
{
    assert_int_equal(count_cases((case_filter){0}, 0), (4 * 2 + 1) * 3);
    assert_int_equal(count_cases((case_filter){0}, 1), (4 * 2 + 1) * 4);
    assert_int_equal(count_cases((case_filter){.variants = "v2"}, 0), 2 * 3);
    assert_int_equal(
        count_cases((case_filter){.variants = "v1,v2_right", .dtypes = "f16", .sizes = "small,edge"}, 1), 4);
}

/* v2a_half stands between v2_right and v3_nameless, "v2" does not mean it, and it has cases of its dtype only. */
static void a_step_between_two_others(void **state)
{
    assay_case *cases;
    int count;
    assert_int_equal(workspace_list_cases(ws, &(case_filter){.sizes = "small"}, 0, &cases, &count, NULL),
                     ASSAY_OK);
    static const char *const order[] = {"v1_broken", "v2_right", "v2z_written", "v3_nameless", "v1_broken",
                                        "v2_right",  "v2a_half", "v2z_written", "v3_nameless"};
    assert_int_equal(count, 9);
    for (int i = 0; i < count; i++)
        assert_string_equal(cases[i].variant, order[i]);
    free(cases);
    assert_int_equal(count_cases((case_filter){.variants = "v2a"}, 0), 3);
    assert_int_equal(count_cases((case_filter){.variants = "v2a", .dtypes = "f16"}, 0), 3);
}

/* A kernel file that the build wrote is found where it is. */
static void written_by_the_build(void **state)
{
    static const char *const names[] = {"v2_right", "v2z_written"};
    static const char *const folders[] = {"echo", "written"};
    for (int i = 0; i < 2; i++) {
        char path[4600], expected[600];
        snprintf(expected, sizeof expected, "%s/%s/%s.cu", folder, folders[i], names[i]);
        workspace_variant_source(&ws->ops[0], names[i], path, sizeof path);
        assert_string_equal(path, expected);
    }
}

static void unknown_names_are_errors(void **state)
{
    const case_filter wrong[] = {
        {.ops = "ehco"}, {.variants = "v9"}, {.dtypes = "bf16"}, {.sizes = "small,huge"}};
    const char *const parts[] = {"unknown op \"ehco\"; there are: echo",
                                 "unknown variant \"v9\"; there are: v1_broken, v2_right, v2a_half",
                                 "unknown dtype \"bf16\"; there are: f32, f16",
                                 "unknown size \"huge\"; there are: small, medium, large"};
    for (int i = 0; i < 4; i++) {
        assay_error error = {0};
        assay_case *cases;
        int count;
        assert_int_equal(workspace_list_cases(ws, &wrong[i], 0, &cases, &count, &error), ASSAY_ERR_INVALID);
        if (strstr(error.message, parts[i]) == NULL)
            fail_msg("expected \"%s\" in: %s", parts[i], error.message);
    }
}

static void compile(const char *variant, const char *define, module_record *record)
{
    char source[400], path[400], depfile[400];
    snprintf(source, sizeof source, "%s/echo/%s.cu", folder, variant);
    snprintf(path, sizeof path, "%s/modules/echo.%s.f32.json", folder, variant);
    snprintf(depfile, sizeof depfile, "%s/modules/dep.d", folder);
    module_request request = {.op = &ws->ops[0],
                              .source = source,
                              .dtype = ASSAY_F32,
                              .record = path,
                              .depfile = depfile,
                              .code_hash = code_hash};
    if (define != NULL)
        request.defines[request.define_count++] = define;
    assay_error error = {0};
    if (module_compile(ws, &request, record, &error) != ASSAY_OK)
        fail_msg("%s", error.message);
}

static void compiles_loads_and_describes(void **state)
{
    module_record record;
    assay_run_fn run;
    char depfile[400], *text;
    compile("v2_right", NULL, &record);
    assert_string_equal(record.status, "ok");
    assert_string_equal(json_get_text(record.json, "title", ""), "echo, right.");
    assert_non_null(strstr(json_get_text(record.json, "technique", ""), "Says nothing."));
    assert_int_equal(module_load(&record, "echo", &run, NULL), ASSAY_OK);
    assert_int_equal(run(NULL, NULL), 0);
    snprintf(depfile, sizeof depfile, "%s/modules/dep.d", folder);
    assert_int_equal(text_file_read(depfile, &text, NULL, NULL), ASSAY_OK);
    assert_non_null(strstr(text, "echo.v2_right.f32.json:"));
    assert_non_null(strstr(text, "v2/tile.h"));
    free(text);
    module_record_release(&record);
}

/* Without its linker the compiler refuses every file: that is no kernel's fault. */
static void an_empty_path_is_the_environment(void **state)
{
    char *path = strdup(getenv("PATH")), source[400], record_path[400];
    const char *compiler = access("/usr/bin/c++", X_OK) == 0 ? "/usr/bin/c++" : NULL;
    assay_error error = {0};
    module_record record;
    if (!compiler)
        skip();
    json_object_set_new(json_object_get(ws->manifest, "toolchain"), "compiler", json_string(compiler));
    snprintf(source, sizeof source, "%s/echo/v2_right.cu", folder);
    snprintf(record_path, sizeof record_path, "%s/modules/echo.v2_right.f32.json", folder);
    const module_request request = {
        .op = &ws->ops[0], .source = source, .dtype = ASSAY_F32, .record = record_path};
    setenv("PATH", "", 1);
    const assay_status status = module_compile(ws, &request, &record, &error);
    setenv("PATH", path, 1);
    free(path);
    assert_int_equal(status, ASSAY_ERR_ENVIRONMENT);
    assert_non_null(strstr(error.message, "cannot even compile an empty file; is PATH right?"));
    assert_int_not_equal(access(record_path, F_OK), 0);
    compile("v1_broken", NULL, &record); /* a kernel that is wrong is still its own fault */
    assert_string_equal(record.status, "does not compile");
    module_record_release(&record);
}

/* It cannot say so itself. */
static void a_killed_compiler_is_named(void **state)
{
    (void)state;
    char path[400];
    module_record record;
    json_t *toolchain = json_object_get(ws->manifest, "toolchain");
    json_t *compiler = json_incref(json_object_get(toolchain, "compiler"));
    write_text(folder, "killed", "#!/bin/sh\necho half a line\nkill -KILL $$\n");
    snprintf(path, sizeof path, "%s/killed", folder);
    assert_int_equal(chmod(path, 0755), 0);
    json_object_set_new(toolchain, "compiler", json_string(path));
    compile("v2_right", NULL, &record);
    json_object_set_new(toolchain, "compiler", compiler);
    assert_string_equal(record.status, "does not compile");
    assert_string_equal(record.log, "error: compiler killed by signal 9 (Killed)\nhalf a line\n");
    module_record_release(&record);
}

static void hash_follows_source_header_and_tunables(void **state)
{
    module_record a, b, c, d;
    char path[400];
    compile("v2_right", NULL, &a);
    compile("v2_right", NULL, &b);
    assert_string_equal(a.source_sha256, b.source_sha256);
    compile("v2_right", "TILE=8", &c);
    assert_string_not_equal(a.source_sha256, c.source_sha256);
    snprintf(path, sizeof path, "%s/echo/v2", folder);
    write_text(path, "tile.h", "#define SIZE 15\n");
    compile("v2_right", NULL, &d);
    assert_string_not_equal(a.source_sha256, d.source_sha256);
    module_record_release(&a), module_record_release(&b), module_record_release(&c),
        module_record_release(&d);
}

/* A comment is another source and the same machine code; another constant is another code. */
static void code_hash_follows_what_runs(void **state)
{
    static const char *const texts[] = {"#define SIZE 15\n", "// A comment.\n#define SIZE 15\n",
                                        "#define SIZE 14\n"};
    module_record records[3];
    char path[400], code[3][80];
    snprintf(path, sizeof path, "%s/echo/v2", folder);
    for (int i = 0; i < 3; i++) {
        write_text(path, "tile.h", texts[i]);
        compile("v2_right", NULL, &records[i]);
        snprintf(code[i], sizeof code[i], "%s", json_get_text(records[i].json, "code_sha256", "none"));
    }
    assert_string_not_equal(records[0].source_sha256, records[1].source_sha256);
    assert_string_equal(code[0], code[1]);
    if (code[0][0] != '\0') { /* libelf was there when Assay was built */
        assert_int_equal(strlen(code[0]), 64);
        assert_string_not_equal(code[0], code[2]);
    }
    for (int i = 0; i < 3; i++)
        module_record_release(&records[i]);
}

/* The same sources elsewhere are the same module: results of one machine are judged against the sources of another. */
static void hash_does_not_depend_on_the_place(void **state)
{
    module_record here, there;
    char other[300], command[700], source[400], path[400];
    compile("v2_right", NULL, &here);
    snprintf(other, sizeof other, "%s/zz elsewhere", folder);
    snprintf(command, sizeof command, "mkdir -p '%s' && cp -r '%s'/echo/v2_right.cu '%s'/echo/v2 '%s'", other,
             folder, folder, other);
    assert_int_equal(system(command), 0);
    snprintf(source, sizeof source, "%s/v2_right.cu", other);
    snprintf(path, sizeof path, "%s/modules/elsewhere.json", folder);
    const module_request request = {.op = &ws->ops[0], .source = source, .dtype = ASSAY_F32, .record = path};
    assert_int_equal(module_compile(ws, &request, &there, NULL), ASSAY_OK);
    assert_string_equal(here.source_sha256, there.source_sha256);
    module_record_release(&here), module_record_release(&there);
}

static void broken_kernel_costs_itself_only(void **state)
{
    module_record record;
    assay_run_fn run;
    assay_error error = {0};
    compile("v1_broken", NULL, &record);
    assert_string_equal(record.status, "does not compile");
    assert_non_null(strstr(record.log, "error"));
    assert_int_equal(module_load(&record, "echo", &run, &error), ASSAY_ERR_CHECK);
    assert_non_null(strstr(error.message, "does not compile"));
    module_record_release(&record);
}

static void missing_entry_point_is_named(void **state)
{
    module_record record;
    assay_run_fn run;
    assay_error error = {0};
    compile("v3_nameless", NULL, &record);
    assert_int_equal(module_load(&record, "echo", &run, &error), ASSAY_ERR_CHECK);
    assert_non_null(strstr(error.message, "no entry point"));
    assert_non_null(strstr(error.message, "echo_run"));
    module_record_release(&record);
}

static void wrong_requests(void **state)
{
    module_record record;
    assay_error error = {0}, second = {0};
    module_request request = {
        .op = &ws->ops[0], .source = "/nonexistent.cu", .dtype = ASSAY_F32, .record = "/tmp/x.json"};
    assert_int_equal(module_compile(ws, &request, &record, &error), ASSAY_ERR_INVALID);
    assert_non_null(strstr(error.message, "/nonexistent.cu"));
    char source[400];
    snprintf(source, sizeof source, "%s/echo/v2_right.cu", folder);
    request.source = source;
    request.defines[request.define_count++] = "SIEZ=3";
    assert_int_equal(module_compile(ws, &request, &record, &second), ASSAY_ERR_INVALID);
    assert_non_null(strstr(second.message, "SIEZ"));
}

static void commit_of_a_bundle_is_the_recorded_one(void **state)
{
    char commit[64];
    int dirty;
    workspace_commit(ws, commit, &dirty);
    assert_string_equal(commit, "abc");
    assert_int_equal(dirty, 1);
}

static void broken_manifests(void **state)
{
    workspace *none = NULL;
    assay_error a = {0}, b = {0}, c = {0};
    assert_int_equal(workspace_open("/nonexistent", &none, &a), ASSAY_ERR_INVALID);
    assert_non_null(strstr(a.message, "/nonexistent"));
    write_text(folder, "assay.json", "{\"schema\":1,");
    assert_int_equal(workspace_open(folder, &none, &b), ASSAY_ERR_FORMAT);
    write_text(folder, "assay.json", "{\"schema\":1,\"device\":\"tpu\"}");
    assert_int_equal(workspace_open(folder, &none, &c), ASSAY_ERR_FORMAT);
    assert_non_null(strstr(c.message, "allowed: cpu, cuda"));
}

static void removed_folder_says_configure(void **state)
{
    char there[600], away[600];
    workspace *again = NULL;
    assay_error error = {0};
    snprintf(there, sizeof there, "%s/echo", folder);
    snprintf(away, sizeof away, "%s/away", folder);
    assert_int_equal(rename(there, away), 0);
    assert_int_equal(workspace_open(folder, &again, &error), ASSAY_ERR_INVALID);
    assert_non_null(
        strstr(error.message, "/echo of an op that was configured is gone; configure again: cmake "));
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(lists_and_filters),
        TEST(a_step_between_two_others),
        TEST(written_by_the_build),
        TEST(unknown_names_are_errors),
        TEST(compiles_loads_and_describes),
        TEST(an_empty_path_is_the_environment),
        TEST(a_killed_compiler_is_named),
        TEST(hash_follows_source_header_and_tunables),
        TEST(code_hash_follows_what_runs),
        TEST(hash_does_not_depend_on_the_place),
        TEST(broken_kernel_costs_itself_only),
        TEST(missing_entry_point_is_named),
        TEST(wrong_requests),
        TEST(commit_of_a_bundle_is_the_recorded_one),
        TEST(broken_manifests),
        TEST(removed_folder_says_configure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
