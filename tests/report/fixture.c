/* Writes made-up results; see fixture.h. */
#include "fixture.h"
#include "core/json_file.h"
#include "core/list.h"
#include "results/describe_case.h"
#include "results/result_file.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <ftw.h>

static void must(assay_status status, const assay_error *error)
{
    if (status != ASSAY_OK) {
        fprintf(stderr, "fixture: %s\n", error->message);
        abort();
    }
}

void fixture_open(fixture *f, const char *root, const char *device)
{
    char path[300], manifest[2048];
    assay_error error = {0};
    *f = (fixture){.cpu = strcmp(device, "cpu") == 0};
    snprintf(f->root, sizeof f->root, "%s", root ? root : "/tmp/assay-report-XXXXXX");
    if (!root && !mkdtemp(f->root))
        abort();
    snprintf(path, sizeof path, "%s/assay.json", f->root);
    snprintf(manifest, sizeof manifest,
             "{\"schema\":1,\"device\":\"%s\",\"source\":\"%s\",\"modules\":\"modules\",\"baselines\":"
             "\"baselines\","
             "\"results\":\"results\","
             "\"libexec\":\"libexec\",\"logs\":\"logs\",\"plots\":\"plots\",\"templates\":\"%s\",\"ops\":["
             "{\"name\":\"scale\",\"directory\":\"%s/scale\",\"reference\":\"\"},"
             "{\"name\":\"product\",\"directory\":\"%s/product\",\"reference\":\"\"}]}",
             device, FIXTURE_OPS, FIXTURE_TEMPLATES, FIXTURE_OPS, FIXTURE_OPS);
    must(text_file_write(path, manifest, strlen(manifest), &error), &error);
    must(workspace_open(f->root, &f->ws, &error), &error);
    workspace_use_slug(f->ws, f->cpu ? "cpu-simt" : "example-gpu");
}

void fixture_attach(fixture *f, const char *build, const char *results)
{
    assay_error error = {0};
    *f = (fixture){.cpu = 0};
    must(workspace_open(build, &f->ws, &error), &error);
    snprintf(f->ws->results, sizeof f->ws->results, "%s", results);
}

/* Without the fsync of json_file_write(): hundreds of files are written a test. */
static void write_plain(const char *path, const char *text)
{
    char folder[4200];
    snprintf(folder, sizeof folder, "%s", path);
    *strrchr(folder, '/') = '\0';
    assay_error error = {0};
    must(make_folders(folder, &error), &error);
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0)
        abort();
}

static void write_object(const char *path, json_t *object)
{
    char *text = json_dumps(object, JSON_INDENT(1) | JSON_REAL_PRECISION(15));
    if (!text)
        abort();
    write_plain(path, text);
    free(text);
    json_decref(object);
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *walk)
{
    (void)info, (void)type, (void)walk;
    return remove(path);
}

void fixture_close(fixture *f)
{
    workspace_close(f->ws);
    if (strncmp(f->root, "/tmp/assay-report-", 18) == 0)
        nftw(f->root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static const char *or_else(const char *text, const char *usual)
{
    return text ? text : usual;
}

static const workspace_op *op_of(const fixture *f, const char *name)
{
    const workspace_op *op = workspace_find_op(f->ws, name);
    if (!op)
        abort();
    return op;
}

static assay_dtype dtype_of(const char *name)
{
    assay_dtype dtype;
    if (!assay_dtype_parse(name, &dtype))
        abort();
    return dtype;
}

static void fill_device(const fixture *f, const fixture_case *c, result *r)
{
    r->device = f->cpu ? (result_device){.kind = "cpu",
                                         .name = "Example CPU, 2 cores",
                                         .slug = "cpu-simt",
                                         .uuid = "",
                                         .driver = "",
                                         .runtime = "",
                                         .sm_count = 2}
                       : (result_device){.kind = "cuda",
                                         .name = "Example GPU",
                                         .slug = "example-gpu",
                                         .uuid = or_else(c->uuid, "GPU-0000"),
                                         .driver = or_else(c->driver, "580.1"),
                                         .runtime = "13.0",
                                         .sm_count = 100};
    r->host = (result_host){.name = or_else(c->host, "node1"), .cpu = "Example processor", .cpus = 16};
}

static json_t *device_json(const fixture *f)
{
    return f->cpu ? json_pack("{s:s,s:s,s:s,s:s,s:i}", "kind", "cpu", "name", "Example CPU, 2 cores", "slug",
                              "cpu-simt", "uuid", "", "sm_count", 2)
                  : json_pack("{s:s,s:s,s:s,s:s,s:i,s:s,s:s}", "kind", "cuda", "name", "Example GPU", "slug",
                              "example-gpu", "uuid", "GPU-0000", "sm_count", 100, "driver", "580.1",
                              "runtime", "13.0");
}

static assay_device_health health_of(const fixture *f, int i)
{
    return f->cpu ? (assay_device_health){-1, -1, -1, -1, -1}
                  : (assay_device_health){1980 - 15 * i, 2619, 400.5 + i, 50 + i, i == 2 ? 4 : 0};
}

static void fill_repetition(const fixture *f, const fixture_case *c, result *r, result_repetition *out, int i,
                            double us)
{
    *out = (result_repetition){.mean_us = us * (1 + 0.001 * (i - 1)),
                               .median_us = us,
                               .position = -1,
                               .sample_count = c->samples ? c->samples : 3,
                               .before = health_of(f, i),
                               .after = health_of(f, i)};
    out->samples_us = result_alloc(r, (size_t)out->sample_count * sizeof(double));
    for (int s = 0; s < out->sample_count; s++)
        out->samples_us[s] = us * (1 + 0.001 * (i - 1) + 0.0005 * (s % 3 - 1));
}

static void fill_times(const fixture *f, const fixture_case *c, result *r, timing_mode mode, double us)
{
    result_times *t = &r->times[mode];
    const double half = c->interval > 0 ? c->interval : 0.001;
    if (!(us > 0))
        return;
    r->method.modes |= timing_mode_bit(mode);
    t->present = 1;
    t->method_version = timing_mode_get(mode)->version;
    t->mean_us = us;
    t->median_us = us * 0.999;
    t->min_us = us * 0.99;
    t->p95_us = us * 1.02;
    t->stddev_us = us * 0.001;
    t->low_us = us * (1 - half);
    t->high_us = us * (1 + half);
    t->gbs = r->bytes / us * 1e-3;
    t->tflops = r->flops / us * 1e-6;
    t->quality.flaws = c->flaws;
    if (c->flaws) { /* of a result with all that a card tells */
        t->during.samples = 9;
        t->during.low[RESULT_SM_MHZ] = 1275;
        t->during.median[RESULT_SM_MHZ] = 1350;
        t->during.high[RESULT_SM_MHZ] = 1410;
        t->during.reason_share[2] = 0.8;
    }
    t->repetition_count = 3;
    t->repetitions = result_alloc(r, 3 * sizeof *t->repetitions);
    for (int i = 0; i < 3; i++)
        fill_repetition(f, c, r, &t->repetitions[i], i, us);
}

/* Work and traffic of the op's definition. */
static void fill_costs(const fixture_case *c, result *r)
{
    const double m = r->problem.dim_count ? (double)r->problem.dims[0].value : 0,
                 element = strcmp(c->dtype, "f32") == 0 ? 4 : 2;
    const int product = strcmp(c->op, "product") == 0;
    r->flops = product ? 2 * m * m * m : m * m;
    r->bytes = (product ? 3 : 2) * m * m * element;
}

static void fill_method(const fixture_case *c, result *r)
{
    result_method *m = &r->method;
    m->version = c->method_version == 0  ? RESULT_METHOD_VERSION
                 : c->method_version < 0 ? 0
                                         : c->method_version;
    m->repetitions = 3;
    m->warmup_ms = 25;
    m->sample_ms = 100;
    m->locked_mhz = c->locked_mhz;
    snprintf(m->flush, sizeof m->flush, "%s", or_else(c->flush, "memset"));
    if (!c->with)
        return;
    m->other_count = 1;
    m->others = result_alloc(r, sizeof *m->others);
    m->others[0] = result_text(r, c->with);
}

static result *make_result(const fixture *f, const fixture_case *c)
{
    result *r = result_new();
    char rerun[256];
    assay_error error = {0};
    must(describe_case(r, op_of(f, c->op), c->name, c->unranked, dtype_of(c->dtype), c->size,
                       f->cpu ? "cpu" : "cuda", &error),
         &error);
    if (c->m)
        r->problem.dims[0].value = c->m;
    if (c->reference)
        r->hashes.reference = c->reference;
    if (c->op_json)
        r->hashes.op_json = c->op_json;
    snprintf(rerun, sizeof rerun, "assay bench %s --variant %s --dtype %s --size %s", c->op, c->name,
             c->dtype, c->size);
    must(result_status_parse(or_else(c->status, "ok"), &r->status) ? ASSAY_OK : ASSAY_ERR_INVALID, &error);
    r->rerun = result_text(r, rerun);
    r->reason = or_else(c->reason, "");
    r->math_mode = or_else(c->math_mode, "ieee");
    r->output_check = or_else(c->output_check, "pass");
    r->problem.seed = 42;
    if (r->id.kind == RESULT_VARIANT) {
        r->toolchain =
            (result_toolchain){f->cpu ? "g++ 12.2" : "nvcc 13.0", f->cpu ? "-O3 -fPIC" : "-O3", ""};
        r->hashes.kernel = or_else(c->sha, "aa");
        r->verdict.status = "pass";
    }
    r->time = result_time_parse(or_else(c->time, "2026-01-31T12:00:00Z"));
    snprintf(r->commit, sizeof r->commit, "0123456789abcdef0123");
    fill_device(f, c, r);
    fill_method(c, r);
    fill_costs(c, r);
    const double times[] = {c->cold_us, c->hot_us, c->burst_us, c->sustained_us};
    static const timing_mode modes[] = {TIMING_COLD, TIMING_HOT, TIMING_BURST, TIMING_SUSTAINED};
    for (int i = 0; i < 4; i++)
        fill_times(f, c, r, modes[i], times[i]);
    r->overhead_us[TIMING_COLD] = c->overhead_us > 0 ? c->overhead_us : 3.05;
    r->overhead_us[TIMING_HOT] = 0.8;
    if (c->moved > 0) {
        result_add_fact(r, &r->counters, "dram_bytes", c->moved * r->bytes, NULL);
        result_add_fact(r, &r->counters, "l2_bytes", 2 * c->moved * r->bytes, NULL);
        result_add_fact(r, &r->counters, "bottleneck", 0, "memory-bound (DRAM)");
    }
    return r;
}

void fixture_result(const fixture *f, const fixture_case *c)
{
    char path[600], name[200], *text = NULL;
    size_t bytes;
    assay_error error = {0};
    result *r = make_result(f, c);
    result_file_name(&r->id, name, sizeof name);
    snprintf(path, sizeof path, "%s/bench/%s", f->ws->results, name);
    must(result_write_text(r, RESULT_LOAD_SAMPLES, &text, &bytes, &error), &error);
    write_plain(path, text);
    free(text);
    result_free(r);
}

static json_t *attempts_of(const char *list, const char *reason, const char *sha)
{
    json_t *out = json_array();
    int n = 0;
    for (list_item item = {0}; list_next(list, &item); n++) {
        char status[32], time[32];
        snprintf(status, sizeof status, "%.*s", item.length, item.text);
        snprintf(time, sizeof time, "2026-01-31T11:%02d:00Z", n % 60);
        json_array_append_new(out,
                              json_pack("{s:s,s:s,s:s,s:s,s:f}", "time", time, "status", status, "reason",
                                        strcmp(status, "pass") == 0 ? ""
                                        : *reason                   ? reason
                                                                    : "out[3] is 7, expected 6",
                                        "source_sha256", sha, "seconds", 0.5));
    }
    return out;
}

/* A verdict of what op.json does not have (any more) names nothing. */
static void set_hashes(const fixture *f, const fixture_case *c, json_t *verdict)
{
    result *today = result_new();
    assay_dtype dtype;
    if (assay_dtype_parse(c->dtype, &dtype) && strcmp(c->size, "huge") != 0)
        (void)describe_case(today, op_of(f, c->op), c->name, 0, dtype, c->size, f->cpu ? "cpu" : "cuda",
                            NULL);
    json_object_set_new(verdict, "reference_sha256",
                        json_string(or_else(c->reference, today->hashes.reference)));
    json_object_set_new(verdict, "op_json_sha256", json_string(or_else(c->op_json, today->hashes.op_json)));
    result_free(today);
}

void fixture_verdict(const fixture *f, const fixture_case *c, const char *status, const char *reason,
                     const char *attempts)
{
    const int pass = strcmp(status, "pass") == 0;
    char rerun[256], path[600];
    snprintf(rerun, sizeof rerun, "assay verify %s --variant %s --dtype %s --size %s", c->op, c->name,
             c->dtype, c->size);
    json_t *checks =
        json_pack("[{s:s,s:s,s:s,s:i,s:f,s:i,s:f,s:f}]", "name", "values", "status", pass ? "pass" : "fail",
                  "reason", reason, "elements", 65536, "max_abs_error", 1e-7, "max_ulp", pass ? 1 : 4000,
                  "rel_frobenius", 1e-8, "worst_ratio", pass ? 0.25 : 17.5);
    if (!pass && strcmp(status, "fail") != 0)
        json_array_clear(checks);
    json_t *object = json_pack("{s:i,s:s,s:s,s:s,s:s,s:o,s:s,s:s,s:s,s:f,s:o,s:o,s:{s:s,s:b},s:s}", "schema",
                               1, "op", c->op, "variant", c->name, "dtype", c->dtype, "size", c->size,
                               "device", device_json(f), "source_sha256", or_else(c->sha, "aa"), "status",
                               status, "reason", reason, "seconds", 0.5, "checks", checks, "attempts",
                               attempts_of(attempts ? attempts : status, reason, or_else(c->sha, "aa")),
                               "git", "commit", "0123456789abcdef0123", "dirty", 0, "rerun", rerun);
    set_hashes(f, c, object);
    snprintf(path, sizeof path, "%s/verify/%s.%s.%s.%s.json", f->ws->results, c->op, c->name, c->dtype,
             c->size);
    write_object(path, object);
}

void fixture_ceilings(const fixture *f)
{
    static const struct ceiling {
        const char *name, *unit;
        double median, theoretical;
    } cpu[] = {{"copy", "GB/s", 14.2, 0}, {"read", "GB/s", 19.5, 0}, {"fma_f32", "TFLOP/s", 0.115, 0}};
    static const struct ceiling all[] = {{"copy", "GB/s", 2910, 3352},
                                         {"read", "GB/s", 3020, 3352},
                                         {"l2", "GB/s", 7200, 0},
                                         {"fma_f32", "TFLOP/s", 60.2, 66.9},
                                         {"fma_f16", "TFLOP/s", 118, 133.8},
                                         {"tensor_f16", "TFLOP/s", 768, 989},
                                         {"tensor_bf16", "TFLOP/s", 757, 989},
                                         {"tensor_tf32", "TFLOP/s", 410, 494}};
    char path[600];
    json_t *list = json_array();
    for (size_t i = 0; f->cpu && i < sizeof cpu / sizeof *cpu; i++)
        json_array_append_new(list, json_pack("{s:s,s:s,s:f}", "name", cpu[i].name, "unit", cpu[i].unit,
                                              "median", cpu[i].median));
    for (size_t i = 0; !f->cpu && i < sizeof all / sizeof *all; i++)
        json_array_append_new(
            list,
            json_pack("{s:s,s:s,s:f,s:f,s:f,s:o,s:s}", "name", all[i].name, "unit", all[i].unit, "median",
                      all[i].median, "min", all[i].median * 0.99, "max", all[i].median * 1.01, "theoretical",
                      json_number(all[i].theoretical > 0 ? all[i].theoretical : NAN), "method", "made up"));
    json_t *root = json_pack("{s:i,s:o,s:s,s:o}", "schema", 1, "device", device_json(f), "time",
                             "2026-01-31T10:00:00Z", "ceilings", list);
    snprintf(path, sizeof path, "%s/ceilings.json", f->ws->results);
    write_object(path, root);
}

void fixture_module(const fixture *f, const fixture_case *c, const char *status, const char *sha)
{
    char path[600];
    json_t *root =
        json_pack("{s:i,s:s,s:s,s:s,s:s,s:s,s:s,s:{s:i},s:{s:{s:{s:{s:i,s:i,s:i,s:n}}}}}", "schema", 1, "op",
                  c->op, "variant", c->name, "dtype", c->dtype, "device", f->ws->device, "status", status,
                  "source_sha256", sha, "tunables", "ITEMS", 8, "resources", "architectures", "sm_90a",
                  "summary", "kernels", 1, "registers", 32, "spill_bytes", 0, "code_bytes");
    snprintf(path, sizeof path, "%s/%s.%s.%s.json", f->ws->modules, c->op, c->name, c->dtype);
    write_object(path, root);
}

void fixture_text(const fixture *f, const char *file, const char *text)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", f->ws->results, file);
    write_plain(path, text);
}

char *fixture_read(const fixture *f, const char *file)
{
    char path[600], *text = NULL;
    assay_error error = {0};
    snprintf(path, sizeof path, "%s/%s", f->root, file);
    must(text_file_read(path, &text, NULL, &error), &error);
    return text;
}

int fixture_exists(const fixture *f, const char *file)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", f->root, file);
    return access(path, R_OK) == 0;
}
