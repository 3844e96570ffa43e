/* A workspace of its own for a test: see scratch.h. */
#include "tests/unit.h"
#include "scratch.h"
#include "core/json_file.h"
#include "results/case_verdict.h"
#include <unistd.h>

/* Where the test's programs lie; set by CMake. */
static const char *const module_folder = TEST_MODULE_FOLDER, *const program_folder = TEST_PROGRAM_FOLDER,
                         *const reference = TEST_REFERENCE;

static const char op_text[] =
    "{\"schema\": 1, \"name\": \"add\", \"family\": \"elementwise\", \"torch\": "
    "\"torch.add\", \"formula\": \"x + alpha y\","
    " \"complexity\": \"O(n)\", \"access\": \"in order\", \"dtypes\": [\"f32\"],"
    " \"inputs\": [{\"name\": \"x\", \"shape\": [\"M\", \"N\"]}, {\"name\": \"y\", "
    "\"shape\": [\"M\", \"N\"]}],"
    " \"outputs\": [{\"name\": \"out\"}], \"params\": [{\"name\": \"alpha\", "
    "\"type\": \"real\", \"default\": 0.5}],"
    " \"sizes\": {\"small\": {\"M\": 8, \"N\": 16}, \"medium\": {\"M\": 16, \"N\": "
    "16}, \"large\": {\"M\": 64, \"N\": 64}, \"gigantic\": {\"M\": 1048576, \"N\": 1048576}},"
    " \"tolerances\": {\"f32\": {\"atol\": 1e-5, \"rtol\": 1e-5}},"
    " \"baselines\": [\"torch_eager\", \"torch_compile\", \"triton\", \"right\", \"wrong\", \"refuses\", "
    "\"unranked\","
    " \"nothing\"]}";

static const char *const sizes[] = {"small", "medium", "large", "gigantic"};

static void write_json(const char *path, json_t *value)
{
    assay_error error = {0};
    if (json_file_write(path, value, 0, &error) != ASSAY_OK)
        fail_msg("%s", error.message);
    json_decref(value);
}

void scratch_create(scratch *s)
{
    char path[512];
    memset(s, 0, sizeof *s);
    make_folder(s->folder);
    snprintf(path, sizeof path, "%s/ops/add/op.json", s->folder);
    assert_int_equal(text_file_write(path, op_text, strlen(op_text), NULL), ASSAY_OK);
    snprintf(path, sizeof path, "%s/assay.json", s->folder);
    json_t *manifest = json_pack(
        "{s:i, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:[{s:s, s:s, s:s}], s:{}, s:{s:s, s:b}}",
        "schema", 1, "device", "cpu", "source", "", "modules", "modules", "baselines", "baselines", "results",
        "results", "libexec", program_folder, "logs", "logs", "plots", "plots", "templates", "templates",
        "ops", "name", "add", "directory", "ops/add", "reference", reference, "toolchain", "git", "commit",
        "0123456789abcdef0123456789abcdef01234567", "dirty", 0);
    assert_non_null(manifest);
    write_json(path, manifest);
}

static void write_verdicts(const scratch *s, const char *variant, const char *hash, const char *status)
{
    char path[512];
    workspace *ws = NULL;
    assert_int_equal(workspace_open(s->folder, &ws, NULL), ASSAY_OK);
    for (int i = 0; i < 4; i++) {
        assay_case c = {.op = &ws->ops[0], .dtype = ASSAY_F32};
        snprintf(c.size, sizeof c.size, "%s", sizes[i]);
        snprintf(path, sizeof path, "%s/results/cpu-simt/verify/add.%s.f32.%s.json", s->folder, variant,
                 sizes[i]);
        json_t *verdict = json_pack("{s:i, s:s, s:s, s:s, s:[{s:s}]}", "schema", 1, "status", status,
                                    "reason", strcmp(status, "pass") == 0 ? "" : "invented reason",
                                    "source_sha256", hash, "attempts", "time", "2026-01-31T12:00:00Z");
        case_verdict_identify(ws, &c, verdict);
        write_json(path, verdict);
    }
    workspace_close(ws);
}

static void write_record(const scratch *s, const char *variant, const char *library, const char *hash)
{
    char path[512];
    snprintf(path, sizeof path, "%s/modules/add.%s.f32.json", s->folder, variant);
    write_json(path, json_pack("{s:i, s:s, s:s, s:s, s:s, s:s, s:s, s:{s:i}, s:s, s:s}", "schema", 1, "op",
                               "add", "variant", variant, "status", "ok", "library", library, "source",
                               "invented.cu", "source_sha256", hash, "tunables", "BLOCK_THREADS", 256,
                               "compiler", "cc", "flags", "-O2"));
}

void scratch_add_variant(const scratch *s, const char *variant, const char *module, const char *verdict)
{
    char path[512];
    snprintf(path, sizeof path, "%s/ops/add/%s.cu", s->folder, variant);
    assert_int_equal(text_file_write(path, "// invented\n", 12, NULL), ASSAY_OK);
    snprintf(path, sizeof path, "%s/%s.so", module_folder, module);
    write_record(s, variant, path, variant);
    if (verdict[0])
        write_verdicts(s, variant, variant, verdict);
}

void scratch_edit_variant(const scratch *s, const char *variant, const char *hash, int verified)
{
    char path[512];
    json_t *record = NULL;
    snprintf(path, sizeof path, "%s/modules/add.%s.f32.json", s->folder, variant);
    assert_int_equal(json_file_read(path, &record, NULL), ASSAY_OK);
    json_object_set_new(record, "source_sha256", json_string(hash));
    write_json(path, record);
    if (verified)
        write_verdicts(s, variant, hash, "pass");
}

void scratch_verify(const scratch *s, const char *variant)
{
    char path[512];
    for (int i = 0; i < 4; i++) {
        json_t *verdict = NULL, *record = NULL;
        assay_case c = {.op = &s->ws->ops[0], .dtype = ASSAY_F32};
        snprintf(c.size, sizeof c.size, "%s", sizes[i]);
        snprintf(c.variant, sizeof c.variant, "%s", variant);
        case_module_path(s->ws, &c, path, sizeof path);
        assert_int_equal(json_file_read(path, &record, NULL), ASSAY_OK);
        case_verdict_path(s->ws, &c, path, sizeof path);
        assert_int_equal(json_file_read(path, &verdict, NULL), ASSAY_OK);
        json_object_set(verdict, "source_sha256", json_object_get(record, "source_sha256"));
        case_verdict_identify(s->ws, &c, verdict);
        write_json(path, verdict);
        json_decref(record);
    }
}

void scratch_open(scratch *s)
{
    assay_error error = {0};
    if (workspace_open(s->folder, &s->ws, &error) != ASSAY_OK)
        fail_msg("%s", error.message);
    workspace_use_slug(s->ws, "cpu-simt");
}

void scratch_close(scratch *s)
{
    if (s->ws)
        workspace_close(s->ws);
    remove_folder(s->folder);
    memset(s, 0, sizeof *s);
}

void scratch_result_path(const scratch *s, const char *name, const char *size, char *out, size_t out_bytes)
{
    snprintf(out, out_bytes, "%s/results/cpu-simt/bench/add.%s.f32.%s.json", s->folder, name, size);
}

json_t *scratch_result(const scratch *s, const char *name, const char *size)
{
    char path[512];
    json_t *result = NULL;
    scratch_result_path(s, name, size, path, sizeof path);
    return json_file_read(path, &result, NULL) == ASSAY_OK ? result : NULL;
}

const char *scratch_text(const scratch *s, const char *name, const char *size, const char *key)
{
    static char text[512];
    json_t *result = scratch_result(s, name, size);
    snprintf(text, sizeof text, "%s", json_get_text(json_object_get(result, "assay"), key, ""));
    json_decref(result);
    return text;
}

double scratch_metric(const scratch *s, const char *name, const char *size, const char *mode, const char *key)
{
    json_t *result = scratch_result(s, name, size);
    const json_t *modes = json_object_get(json_object_get(result, "assay"), "modes");
    const double value = json_get_number(json_object_get(modes, mode), key, -1.0);
    json_decref(result);
    return value;
}
