/* Writes made-up results; see fixture.h. */
#include "fixture.h"
#include "core/json_file.h"
#include "core/list.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <ftw.h>

#ifndef FIXTURE_OPS
#error "FIXTURE_OPS must name the folder of the fixtures' ops"
#endif
#ifndef FIXTURE_TEMPLATES
#error "FIXTURE_TEMPLATES must name the folder of the report's templates"
#endif

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
             "{\"schema\":1,\"device\":\"%s\",\"source\":\"%s\",\"modules\":\"modules\",\"peers\":\"peers\","
             "\"results\":\"results\","
             "\"libexec\":\"libexec\",\"logs\":\"logs\",\"plots\":\"plots\",\"templates\":\"%s\",\"ops\":["
             "{\"name\":\"scale\",\"directory\":\"%s/scale\",\"reference\":\"\"},"
             "{\"name\":\"product\",\"directory\":\"%s/product\",\"reference\":\"\"}]}",
             device, FIXTURE_OPS, FIXTURE_TEMPLATES, FIXTURE_OPS, FIXTURE_OPS);
    must(text_file_write(path, manifest, strlen(manifest), &error), &error);
    must(workspace_open(f->root, &f->ws, &error), &error);
    workspace_use_slug(f->ws, f->cpu ? "cpu-simt" : "example-gpu");
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

static double extent_of(const fixture_case *c)
{
    static const struct {
        const char *size;
        double m;
    } known[] = {{"small", 256}, {"medium", 1024}, {"large", 4096}, {"xlarge", 8192}};
    for (int i = 0; i < 4 && c->m == 0; i++)
        if (strcmp(known[i].size, c->size) == 0)
            return known[i].m;
    return c->m;
}

static void costs_of(const fixture_case *c, double *flops, double *bytes)
{
    const double m = extent_of(c), element = strcmp(c->dtype, "f32") == 0 ? 4 : 2;
    const int product = strcmp(c->op, "product") == 0;
    *flops = product ? 2 * m * m * m : m * m;
    *bytes = (product ? 3 : 2) * m * m * element;
}

static const char *or_else(const char *text, const char *usual)
{
    return text ? text : usual;
}

static json_t *device_of(const fixture *f)
{
    return f->cpu ? json_pack("{s:s,s:s,s:s,s:s,s:i}", "kind", "cpu", "name", "Example CPU, 2 cores", "slug",
                              "cpu-simt", "uuid", "", "sm_count", 2)
                  : json_pack("{s:s,s:s,s:s,s:s,s:i,s:s,s:s}", "kind", "cuda", "name", "Example GPU", "slug",
                              "example-gpu", "uuid", "GPU-0000", "sm_count", 100, "driver", "580.1",
                              "runtime", "13.0");
}

static json_t *health_of(const fixture *f, int i)
{
    if (f->cpu)
        return json_pack("{s:i,s:i,s:i,s:i,s:i}", "sm_mhz", -1, "memory_mhz", -1, "power_w", -1,
                         "temperature_c", -1, "reasons", -1);
    return json_pack("{s:i,s:i,s:f,s:i,s:i}", "sm_mhz", 1980 - 15 * i, "memory_mhz", 2619, "power_w",
                     400.5 + i, "temperature_c", 50 + i, "reasons", i == 2 ? 4 : 0);
}

static json_t *figure_of(const fixture *f, const fixture_case *c, double us)
{
    double flops, bytes;
    costs_of(c, &flops, &bytes);
    json_t *repetitions = json_array();
    for (int r = 0; r < 3; r++) {
        json_t *samples = json_array();
        for (int s = 0; s < (c->samples ? c->samples : 3); s++)
            json_array_append_new(samples, json_real(us * (1 + 0.001 * (r - 1) + 0.0005 * (s % 3 - 1))));
        json_array_append_new(repetitions,
                              json_pack("{s:f,s:f,s:o,s:o,s:o}", "mean_us", us * (1 + 0.001 * (r - 1)),
                                        "median_us", us, "samples_us", samples, "before", health_of(f, r),
                                        "after", health_of(f, r)));
    }
    const double half = c->interval > 0 ? c->interval : 0.001;
    json_t *figure =
        json_pack("{s:f,s:f,s:f,s:f,s:f,s:[f,f],s:f,s:f,s:n,s:b,s:o}", "mean_us", us, "median_us", us * 0.999,
                  "min_us", us * 0.99, "p95_us", us * 1.02, "stddev_us", us * 0.001, "ci95_us",
                  us * (1 - half), us * (1 + half), "gbs", bytes / us * 1e-3, "tflops", flops / us * 1e-6,
                  "percent_of_roof", "above_roof", c->above_roof, "repetitions", repetitions);
    if (c->flaw) /* of a result with all that newer ones have */
        json_object_set_new(figure, "during",
                            json_pack("{s:i,s:[f,f,f],s:{s:f}}", "samples", 9, "sm_mhz", 1275.0, 1350.0,
                                      1410.0, "reasons", "0x4", 0.8));
    if (c->flaw)
        json_object_set_new(figure, "quality", json_pack("{s:[s, s]}", "flags", c->flaw, "outliers"));
    if (c->above_roof)
        json_object_set_new(figure, "percent_of_roof", json_real(131));
    return figure;
}

static void write_json(const fixture *f, const char *folder, const fixture_case *c, json_t *object)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s/%s.%s.%s.%s.json", f->ws->results, folder, c->op, c->name, c->dtype,
             c->size);
    write_object(path, object);
}

void fixture_result(const fixture *f, const fixture_case *c)
{
    const char *kind = or_else(c->kind, strncmp(c->name, "peer_", 5) == 0 ? "peer" : "variant");
    const char *status = or_else(c->status, "ok");
    double flops, bytes;
    char rerun[256];
    costs_of(c, &flops, &bytes);
    snprintf(rerun, sizeof rerun, "assay bench %s --variant %s --dtype %s --size %s", c->op, c->name,
             c->dtype, c->size);
    json_t *figures = json_object(), *dims = json_object();
    const double times[] = {c->cold_us, c->hot_us, c->burst_us, c->sustained_us};
    static const char *const names[] = {"cold", "hot", "burst", "sustained"};
    for (int i = 0; i < 4; i++)
        if (times[i] > 0)
            json_object_set_new(figures, names[i], figure_of(f, c, times[i]));
    json_object_set_new(dims, "M", json_integer((json_int_t)extent_of(c)));
    json_object_set_new(dims, "N", json_integer((json_int_t)extent_of(c)));
    json_t *assay = json_pack("{s:i,s:s,s:s,s:s,s:s,s:o,s:s,s:s,s:s,s:s,s:o}", "schema", 1, "op", c->op,
                              "variant", c->name, "dtype", c->dtype, "size", c->size, "dims", dims, "kind",
                              kind, "status", status, "reason", or_else(c->reason, ""), "math_mode",
                              or_else(c->math_mode, "ieee"), "figures", figures);
    json_object_update_new(
        assay, json_pack("{s:{s:s,s:i},s:o,s:{s:s,s:s,s:[s,s]},s:{s:s,s:b},s:s,s:{s:s},s:f,s:f}", "inputs",
                         "distribution", "normal", "seed", 42, "device", device_of(f), "toolchain",
                         "compiler", f->cpu ? "g++" : "nvcc", "compiler_version", f->cpu ? "12.2" : "13.0",
                         "flags", "-O3", f->cpu ? "-fPIC" : "-arch=sm_90a", "git", "commit",
                         "0123456789abcdef0123", "dirty", 0, "source_sha256", or_else(c->sha, "aa"),
                         "verdict", "status", "pass", "flops", flops, "bytes", bytes));
    json_object_update_new(assay, json_pack("{s:{s:i,s:i,s:i,s:s},s:{s:f,s:f},s:s,s:s,s:s}", "method",
                                            "repetitions", 3, "warmup_ms", 25, "sample_ms", 100, "flush",
                                            or_else(c->flush, "memset"), "floor_us", "cold",
                                            c->floor_us > 0 ? c->floor_us : 3.05, "hot", 0.8, "output_check",
                                            or_else(c->output_check, "pass"), "time",
                                            or_else(c->time, "2026-01-31T12:00:00Z"), "rerun", rerun));
    json_t *method = json_object_get(assay, "method");
    if (c->cold_batch)
        json_object_set_new(method, "cold_batch", json_integer(c->cold_batch));
    if (c->cold_rotation)
        json_object_set_new(method, "cold_rotation", json_integer(c->cold_rotation));
    if (c->locked_mhz)
        json_object_set_new(method, "locked_mhz", json_integer(c->locked_mhz));
    if (c->moved > 0)
        json_object_set_new(
            assay, "counters",
            json_pack("{s:f,s:f}", "dram_bytes", c->moved * bytes, "l2_bytes", 2 * c->moved * bytes));
    json_t *benchmarks = json_pack("[{s:s,s:s,s:f},{s:s,s:s,s:s,s:f}]", "name", c->name, "run_type",
                                   "iteration", "real_time", c->cold_us, "name", c->name, "run_type",
                                   "aggregate", "aggregate_name", "mean", "real_time", c->cold_us);
    write_json(
        f, "bench", c,
        json_pack("{s:{s:i},s:o,s:o}", "context", "num_cpus", 2, "benchmarks", benchmarks, "assay", assay));
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

void fixture_verdict(const fixture *f, const fixture_case *c, const char *status, const char *reason,
                     const char *attempts)
{
    const int pass = strcmp(status, "pass") == 0;
    char rerun[256];
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
                               "device", device_of(f), "source_sha256", or_else(c->sha, "aa"), "status",
                               status, "reason", reason, "seconds", 0.5, "checks", checks, "attempts",
                               attempts_of(attempts ? attempts : status, reason, or_else(c->sha, "aa")),
                               "git", "commit", "0123456789abcdef0123", "dirty", 0, "rerun", rerun);
    write_json(f, "verify", c, object);
}

void fixture_ceilings(const fixture *f)
{
    static const struct {
        const char *name, *unit;
        double median, theoretical;
    } all[] = {{"copy", "GB/s", 2910, 3352},
               {"read", "GB/s", 3020, 3352},
               {"l2", "GB/s", 7200, 0},
               {"fma_f32", "TFLOP/s", 60.2, 66.9},
               {"fma_f16", "TFLOP/s", 118, 133.8},
               {"tensor_f16", "TFLOP/s", 768, 989},
               {"tensor_bf16", "TFLOP/s", 757, 989},
               {"tensor_tf32", "TFLOP/s", 410, 494}};
    char path[600];
    json_t *list = json_array();
    if (f->cpu) {
        json_array_append_new(list,
                              json_pack("{s:s,s:s,s:f}", "name", "copy", "unit", "GB/s", "median", 14.2));
        json_array_append_new(list,
                              json_pack("{s:s,s:s,s:f}", "name", "read", "unit", "GB/s", "median", 19.5));
        json_array_append_new(
            list, json_pack("{s:s,s:s,s:f}", "name", "fma_f32", "unit", "TFLOP/s", "median", 0.115));
    }
    for (size_t i = 0; !f->cpu && i < sizeof all / sizeof *all; i++)
        json_array_append_new(
            list,
            json_pack("{s:s,s:s,s:f,s:f,s:f,s:o,s:s}", "name", all[i].name, "unit", all[i].unit, "median",
                      all[i].median, "min", all[i].median * 0.99, "max", all[i].median * 1.01, "theoretical",
                      json_number(all[i].theoretical > 0 ? all[i].theoretical : NAN), "method", "made up"));
    json_t *root = json_pack("{s:i,s:o,s:s,s:o}", "schema", 1, "device", device_of(f), "time",
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
