/* resources_inspect: the sources' metrics put together for each kernel, and summed up for each architecture. */
#include "resources/inspect.h"
#include "core/json_file.h"
#include "resources/occupancy.h"
#include "resources/resources.h"
#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* nvcc keeps FILE.compute_80.cubin, FILE.compute_80.sm_86.cubin where several share one PTX, and FILE.cubin where there is but one;
 * *_dlink* belong to no kernel. */
static int is_cubin(const struct dirent *entry)
{
    const char *end = strrchr(entry->d_name, '.');
    return end != NULL && strcmp(end, ".cubin") == 0 && strstr(entry->d_name, "_dlink.") == NULL;
}

/* "sm_90a" of "v1.compute_90a.cubin" or "v1.compute_90.sm_90a.cubin"; of "v1.cubin" what the report speaks of. */
static int cubin_arch(const char *file, const json_t *architectures, char arch[16])
{
    char number[12];
    const char *only = json_object_iter_key(json_object_iter((json_t *)architectures));
    const char *sm = strstr(file, ".sm_"), *compute = strstr(file, ".compute_");
    if ((sm != NULL && sscanf(sm, ".sm_%11[0-9af]", number) == 1) ||
        (compute != NULL && sscanf(compute, ".compute_%11[0-9af]", number) == 1))
        snprintf(arch, 16, "sm_%s", number);
    else if (json_object_size(architectures) == 1)
        snprintf(arch, 16, "%s", only);
    else
        return 0;
    return 1;
}

static void read_ptx(const char *folder, const char *cubin, json_t *kernels)
{
    char path[PATH_MAX], *text = NULL;
    const char *at = strstr(cubin, ".compute_"), *end = strrchr(cubin, '.');
    const size_t stem = at ? (size_t)(at - cubin) + 1 + strcspn(at + 1, ".") : (size_t)(end - cubin);
    snprintf(path, sizeof path, "%s/%.*s.ptx", folder, (int)stem, cubin);
    if (text_file_read(path, &text, NULL, NULL) == ASSAY_OK)
        ptx_read(text, kernels);
    free(text);
}

/* The first reason of its kind stands in the record; the same holds for the other cubins. */
static void keep_reason(json_t *out, const char *key, const assay_error *error)
{
    if (json_object_get(out, key) == NULL) /* a temporary folder's name is no use to anyone */
        json_object_set_new(out, key, json_string(file_base_name(error->message)));
}

static void read_cubins(const module_inspection *in, json_t *architectures, json_t *out)
{
    struct dirent **files;
    char nvdisasm[PATH_MAX], path[PATH_MAX], arch[16];
    assay_error error = {0};
    const int count = scandir(in->folder, &files, is_cubin, alphasort);
    const int there =
        disassembler_find(json_get_text(in->toolchain, "compiler", ""), nvdisasm, sizeof nvdisasm);
    if (!there) {
        assay_error_set(&error, ASSAY_ERR_ENVIRONMENT,
                        "no nvdisasm beside nvcc or on PATH when the module was compiled");
        keep_reason(out, "instructions_reason", &error);
    }
    for (int i = 0; i < count; i++) {
        const char *file = files[i]->d_name;
        snprintf(path, sizeof path, "%s/%s", in->folder, file);
        if (cubin_arch(file, architectures, arch)) {
            json_t *kernels = inspect_kernel(architectures, arch, strlen(arch));
            error = (assay_error){0};
            read_ptx(in->folder, file, kernels);
            if (cubin_read(path, kernels, &error) != ASSAY_OK)
                keep_reason(out, "code_reason", &error);
            error = (assay_error){0};
            if (there && disassembler_read(nvdisasm, path, kernels, &error) != ASSAY_OK)
                keep_reason(out, "instructions_reason", &error);
        }
        free(files[i]);
    }
    if (count >= 0)
        free(files);
}

static long get(const json_t *kernel, const char *key)
{
    const json_t *value = json_object_get(kernel, key);
    return json_is_integer(value) ? (long)json_integer_value(value) : -1;
}

/* Threads of a block, and where that is known from. Launch bounds are upper bounds, but kernels are written for them. */
static long find_block(const json_t *kernel, const json_t *tunables, const char **source)
{
    static const char *const names[] = {"BLOCK_THREADS", "THREADS"};
    long threads = get(kernel, "required_threads");
    *source = "required block size";
    if (threads <= 0) {
        threads = get(kernel, "max_threads");
        *source = "launch bounds";
    }
    for (int i = 0; threads <= 0 && i < 2; i++) {
        threads = get(tunables, names[i]);
        *source = names[i];
    }
    return threads > 0 ? threads : 0;
}

static void put_occupancy(json_t *out, const json_t *kernel, const char *arch, long threads)
{
    const sm_limits *limits = occupancy_limits(arch);
    const long registers = get(kernel, "registers"), shared = get(kernel, "static_shared_bytes");
    const char *reason = threads == 0     ? "the block size is chosen at launch"
                         : limits == NULL ? "the limits of this architecture are not known"
                         : registers < 0  ? "the compiler did not report registers"
                                          : NULL;
    if (reason != NULL) {
        json_object_set_new(out, "occupancy", json_null());
        json_object_set_new(out, "occupancy_reason", json_string(reason));
        return;
    }
    const occupancy o = occupancy_compute(limits, (int)threads, (int)registers, shared > 0 ? shared : 0);
    /* Shared memory that is sized at launch can only lower it. */
    json_object_set_new(out, "occupancy",
                        json_pack("{s:i, s:i, s:o, s:s, s:b}", "blocks", o.blocks, "warps", o.warps,
                                  "percent", json_number(o.percent), "limited_by", o.limited_by,
                                  "upper_bound", json_is_true(json_object_get(kernel, "dynamic_shared"))));
}

static void copy_or_null(json_t *out, const json_t *kernel, const char *key)
{
    json_t *value = json_object_get(kernel, key);
    json_object_set(out, key, value);
    if (value == NULL)
        json_object_set_new(out, key, json_null());
}

static json_t *finish_kernel(const char *symbol, const json_t *kernel, const char *arch,
                             const json_t *tunables)
{
    static const char *const keys[] = {
        "registers",           "spill_store_bytes", "spill_load_bytes", "stack_bytes",
        "static_shared_bytes", "dynamic_shared",    "constant_bytes",   "barriers",
        "code_bytes",          "min_blocks",        "cluster_blocks"};
    char *name = symbol_name(symbol);
    json_t *out = json_pack("{s:s, s:s}", "name", name ? name : symbol, "symbol", symbol);
    free(name);
    const int entry = !json_is_false(json_object_get(kernel, "entry"));
    json_object_set_new(out, "entry", json_boolean(entry));
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        copy_or_null(out, kernel, keys[i]);
    if (entry) {
        const char *source;
        const long threads = find_block(kernel, tunables, &source);
        json_object_set_new(out, "block_threads", threads ? json_integer(threads) : json_null());
        json_object_set_new(out, "block_from", threads ? json_string(source) : json_null());
        put_occupancy(out, kernel, arch, threads);
    }
    copy_or_null(out, kernel, "instructions");
    json_t *warnings = json_object_get(kernel, "warnings");
    json_object_set_new(out, "warnings", warnings ? json_incref(warnings) : json_array());
    return out;
}

/* Raise a summary's metric to a kernel's; a metric that is not known of one kernel is not known of the whole. */
static void raise(json_t *summary, const char *key, double value)
{
    const json_t *before = json_object_get(summary, key);
    if (before != NULL && (json_is_null(before) || value <= json_number_value(before)))
        return;
    json_object_set_new(summary, key, value == value ? json_integer((json_int_t)value) : json_null());
}

static void add(json_t *summary, const char *key, double value)
{
    const json_t *before = json_object_get(summary, key);
    if (before != NULL && json_is_null(before))
        return;
    json_object_set_new(summary, key,
                        value == value ? json_integer(json_integer_value(before) + (json_int_t)value)
                                       : json_null());
}

/* Metrics of an architecture: the largest of any kernel, code of all, lowest occupancy where any is known. */
static json_t *summarize(const json_t *kernels)
{
    json_t *summary = json_object(), *kernel, *warnings;
    size_t index;
    double lowest = -1;
    json_int_t entries = 0, warning_count = 0;
    json_object_set_new(summary, "kernels", json_integer(0));
    json_array_foreach(kernels, index, kernel)
    {
        const int entry = json_is_true(json_object_get(kernel, "entry"));
        entries += entry;
        for (int i = 0; i < RESOURCES_LIMIT_COUNT; i++)
            if (strcmp(resources_limit_names[i], "code_bytes") != 0 &&
                strcmp(resources_limit_names[i], "warnings") != 0 &&
                (entry || strcmp(resources_limit_names[i], "registers") != 0))
                raise(summary, resources_limit_names[i], resources_metric(kernel, resources_limit_names[i]));
        if (entry)
            add(summary, "code_bytes", resources_metric(kernel, "code_bytes"));
        warnings = json_object_get(kernel, "warnings");
        warning_count += (json_int_t)json_array_size(warnings);
        const double percent = json_get_number(json_object_get(kernel, "occupancy"), "percent", -1);
        if (percent >= 0 && (lowest < 0 || percent < lowest))
            lowest = percent;
    }
    json_object_set_new(summary, "kernels", json_integer(entries));
    json_object_set_new(summary, "warnings", json_integer(warning_count));
    json_object_set_new(summary, "occupancy_percent", lowest >= 0 ? json_number(lowest) : json_null());
    return summary;
}

static json_t *finish_arch(const char *arch, json_t *kernels, const json_t *tunables)
{
    json_t *list = json_array(), *kernel;
    const char *symbol;
    json_object_foreach(kernels, symbol, kernel)
    {
        json_t *finished = finish_kernel(symbol, kernel, arch, tunables);
        /* The probe in Assay's own header is in every module that asks for Hopper code, and is no part of the op. */
        if (strncmp(json_get_text(finished, "name", ""), "assay::detail::", 15) == 0)
            json_decref(finished);
        else
            json_array_append_new(list, finished);
    }
    return json_pack("{s:o, s:o}", "summary", summarize(list), "kernels", list);
}

json_t *resources_inspect(const module_inspection *in)
{
    json_t *architectures = json_object(), *kernels;
    json_t *out = json_object(), *finished = json_object();
    const char *arch;
    report_read(in->report, architectures);
    read_cubins(in, architectures, out);
    json_object_foreach(architectures, arch, kernels)
        json_object_set_new(finished, arch, finish_arch(arch, kernels, in->tunables));
    json_object_set_new(out, "architectures", finished);
    json_decref(architectures);
    return out;
}
