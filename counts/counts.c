/* One launch of a case on the device ptx, and what came of it: see counts.h. */
#include "counts/counts.h"
#include "bench/run/problem_set.h"
#include "core/json_file.h"
#include "device/ptx/backend_ptx.h"
#include "resources/inspect.h"
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const counts_figure_names[COUNTS_FIGURES] = {"instructions_per_element", "sectors_per_request",
                                                         "shared_conflicts", "barriers_per_warp",
                                                         "divergent_branches"};

static double ratio(double part, double of)
{
    return of > 0 ? part / of : NAN;
}

double counts_figure_of(const case_counts *counts, counts_figure figure)
{
    const ptx_line *t = &counts->total;
    switch (figure) {
    case COUNTS_INSTRUCTIONS_PER_ELEMENT:
        return ratio(32.0 * (double)t->instructions, (double)counts->elements);
    case COUNTS_SECTORS_PER_REQUEST:
        return ratio((double)t->global_sectors, (double)t->global_requests);
    case COUNTS_SHARED_CONFLICTS:
        return (double)(t->shared_wavefronts - t->shared_ideal);
    case COUNTS_BARRIERS_PER_WARP:
        return ratio((double)t->barriers, (double)counts->warps);
    default:
        return (double)t->divergent;
    }
}

counts_warp counts_warp_of(const case_counts *counts)
{
    counts_warp sum = {0};
    for (int i = 0; i < counts->count; i++) {
        const counts_kernel *k = &counts->kernels[i];
        const double part = (double)k->of.launches / fmax(1, (double)k->of.warps);
        sum.instructions += part * (double)k->total.instructions;
        sum.requests += part * (double)k->total.global_requests;
        sum.barriers += part * (double)k->total.barriers;
    }
    return sum;
}

/* All members of a ptx_line behind file and line, by the names that JSON and results have for them. */
static const struct {
    const char *name;
    size_t offset;
} counters[] = {
#define COUNTER(name, member)            \
    {                                    \
        name, offsetof(ptx_line, member) \
    }
    COUNTER("instructions", instructions),
    COUNTER("lanes", lanes),
    COUNTER("integer", integer),
    COUNTER("floating", floating),
    COUNTER("special", special),
    COUNTER("conversion", conversion),
    COUNTER("control", control),
    COUNTER("memory", memory),
    COUNTER("other", other),
    COUNTER("tensor", tensor),
    COUNTER("tensor_flops", tensor_flops),
    COUNTER("barriers", barriers),
    COUNTER("branches", branches),
    COUNTER("divergent_branches", divergent),
    COUNTER("global_requests", global_requests),
    COUNTER("global_sectors", global_sectors),
    COUNTER("global_least_sectors", global_ideal),
    COUNTER("global_bytes", global_bytes),
    COUNTER("shared_requests", shared_requests),
    COUNTER("shared_wavefronts", shared_wavefronts),
    COUNTER("shared_least_wavefronts", shared_ideal),
    COUNTER("atomics", atomics),
    COUNTER("async_bytes", async_bytes),
#undef COUNTER
};
enum { COUNTERS = sizeof counters / sizeof *counters };

const char *counts_counter(const ptx_line *line, int i, uint64_t *value)
{
    if (i >= COUNTERS)
        return NULL;
    memcpy(value, (const char *)line + counters[i].offset, sizeof *value);
    return counters[i].name;
}

static void add_line(ptx_line *to, const ptx_line *from)
{
    for (int i = 0; i < COUNTERS; i++) {
        uint64_t sum, more;
        counts_counter(to, i, &sum);
        counts_counter(from, i, &more);
        sum += more;
        memcpy((char *)to + counters[i].offset, &sum, sizeof sum);
    }
}

/* ---- taking over what the device counted ---- */

typedef struct taking {
    case_counts *out;
    const char *root; /* of the source tree, with a slash at its end */
    int no_memory;
} taking;

/* "v4/../rows.h" -> "rows.h" in place, as an include from a header's folder leaves it. */
static void fold_parents(char *path)
{
    for (char *up = strstr(path, "/../"); up; up = strstr(path, "/../")) {
        char *folder = up;
        while (folder > path && folder[-1] != '/')
            folder--;
        memmove(folder, up + 4, strlen(up + 4) + 1);
    }
}

/* The same on every machine: a path below the root; of a toolkit's header "cuda/" and its name; of another file its name. */
static char *stable_name(const char *file, const char *root)
{
    char name[PATH_MAX], full[PATH_MAX];
    const size_t length = strlen(root);
    snprintf(full, sizeof full, "%s", file);
    fold_parents(full);
    if (length > 1 && strncmp(full, root, length) == 0)
        return strdup(full + length);
    const int is_toolkit = strstr(file, "/cuda") != NULL && strstr(file, "/include/") != NULL;
    snprintf(name, sizeof name, "%s%s", is_toolkit ? "cuda/" : "", file_base_name(file));
    return strdup(name);
}

static int by_place(const void *a, const void *b)
{
    const ptx_line *x = a, *y = b;
    const int order = strcmp(x->file, y->file);
    return order ? order : (x->line > y->line) - (x->line < y->line);
}

static int copy_lines(counts_kernel *to, const ptx_counted_kernel *from, const char *root)
{
    to->lines = calloc(from->line_count + 1, sizeof *to->lines);
    for (size_t i = 0; to->lines && i < from->line_count; i++) {
        ptx_line *line = &to->lines[i];
        *line = from->lines[i];
        line->file = stable_name(line->file, root);
        if (!line->file)
            return 0;
        to->of.line_count++;
        add_line(&to->total, line);
    }
    if (to->of.line_count)
        qsort(to->lines, to->of.line_count, sizeof *to->lines, by_place);
    to->of.lines = to->lines;
    return to->lines != NULL;
}

static void take_kernel(void *context, const ptx_counted_kernel *from)
{
    taking *t = context;
    case_counts *out = t->out;
    counts_kernel *grown = realloc(out->kernels, (size_t)(out->count + 1) * sizeof *grown);
    if (grown)
        out->kernels = grown;
    if (!grown) {
        t->no_memory = 1;
        return;
    }
    counts_kernel *k = &out->kernels[out->count++];
    *k = (counts_kernel){.of = *from};
    k->of.name = symbol_name(from->name);
    k->of.lines = NULL;
    k->of.line_count = 0;
    if (!k->of.name || !copy_lines(k, from, t->root))
        t->no_memory = 1;
    add_line(&out->total, &k->total);
    out->blocks += k->of.blocks;
    out->warps += k->of.warps;
}

/* OPS/softmax lies in the root's folder ops/. */
void counts_root(const workspace_op *op, char *root)
{
    snprintf(root, PATH_MAX, "%s", op->spec->directory);
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(root, '/');
        if (slash)
            slash[up == 1] = '\0';
    }
}

/* ---- the launch ---- */

static int64_t largest_tensor(const assay_problem *p)
{
    int64_t most = 0;
    for (int i = 0; i < p->input_count + p->output_count; i++) {
        const assay_tensor *t = i < p->input_count ? &p->inputs[i] : &p->outputs[i - p->input_count];
        const int64_t elements = assay_tensor_count(t);
        most = elements > most ? elements : most;
    }
    return most;
}

static assay_status launch(assay_device *device, assay_run_fn run, const problem_set *set, assay_error *error)
{
    assay_status returned = ASSAY_OK, status = assay_device_call(device, run, set->args[0], &returned, error);
    if (status == ASSAY_OK)
        status = assay_device_sync_all(device, error);
    if (status == ASSAY_OK && returned != ASSAY_OK)
        status = assay_error_set(error, returned, "the kernel returned an error: %s",
                                 assay_status_describe(returned));
    return status;
}

assay_status counts_take(assay_device *device, const workspace_op *op, const module_record *module,
                         const char *size, const char *dims_of, case_counts *out, assay_error *error)
{
    const assay_op_impl *impl = NULL;
    problem_set *set = NULL;
    assay_run_fn run = NULL;
    assay_dtype dtype;
    char root[PATH_MAX];
    *out = (case_counts){.seed = COUNTS_SEED, .dims_of = dims_of};
    const opspec_size *dims = opspec_find_size(op->spec, size);
    if (!dims || !assay_dtype_parse(json_get_text(module->json, "dtype", ""), &dtype))
        return assay_error_set(error, ASSAY_ERR_INVALID, "op %s has no size %s", op->spec->name, size);
    assay_status status = module_load(module, op->spec->name, &run, error);
    if (status == ASSAY_OK)
        status = workspace_load_impl(op, &impl, error);
    if (status == ASSAY_OK)
        status = problem_set_create(device, op->spec, impl, dtype, opspec_size_dims(dims, dims_of),
                                    COUNTS_SEED, 0, &set, error);
    if (status != ASSAY_OK)
        return status;
    counts_root(op, root);
    taking t = {out, root, 0};
    status = launch(device, run, set, error);
    device_ptx_take_counts(take_kernel, &t);
    out->elements = largest_tensor(&set->host);
    out->flops = set->flops;
    out->bytes = set->bytes;
    out->dims = opspec_size_dims(dims, dims_of);
    problem_set_release(set);
    if (status == ASSAY_OK && t.no_memory)
        status = assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for what was counted");
    if (status == ASSAY_OK && out->count == 0)
        status =
            assay_error_set(error, ASSAY_ERR_CHECK, "the module launched no kernel, so nothing was counted");
    return status;
}

void counts_dims_text(const case_counts *counts, char *out, size_t bytes)
{
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; counts->dims && i < counts->dims->count && used < bytes; i++)
        used += (size_t)snprintf(out + used, bytes - used, "%s%s=%lld", used ? " " : "",
                                 counts->dims->dim[i].name, (long long)counts->dims->dim[i].value);
}

void counts_release(case_counts *counts)
{
    for (int i = 0; i < counts->count; i++) {
        counts_kernel *k = &counts->kernels[i];
        for (size_t j = 0; j < k->of.line_count; j++)
            free((char *)k->lines[j].file);
        free(k->lines);
        free((char *)k->of.name);
    }
    free(counts->kernels);
    *counts = (case_counts){0};
}
