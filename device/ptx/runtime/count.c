/* Counts of source lines over all launches of a kernel, and their table. */
#include "device/ptx/runtime/control.h"
#include "device/ptx/runtime/runtime.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is handed out, with memory that is written here. */
typedef struct counted_kernel {
    ptx_counted_kernel seen; /* its texts and lines are those below */
    char *name;
    ptx_line *lines;
} counted_kernel;

static counted_kernel *kernels;
static size_t kernel_count;

/* All counters behind file and line, in their order. */
static const size_t counters[] = {
    offsetof(ptx_line, instructions),    offsetof(ptx_line, lanes),
    offsetof(ptx_line, integer),         offsetof(ptx_line, floating),
    offsetof(ptx_line, special),         offsetof(ptx_line, conversion),
    offsetof(ptx_line, control),         offsetof(ptx_line, memory),
    offsetof(ptx_line, other),           offsetof(ptx_line, tensor),
    offsetof(ptx_line, tensor_flops),    offsetof(ptx_line, barriers),
    offsetof(ptx_line, branches),        offsetof(ptx_line, divergent),
    offsetof(ptx_line, global_requests), offsetof(ptx_line, global_sectors),
    offsetof(ptx_line, global_ideal),    offsetof(ptx_line, global_bytes),
    offsetof(ptx_line, shared_requests), offsetof(ptx_line, shared_wavefronts),
    offsetof(ptx_line, shared_ideal),    offsetof(ptx_line, atomics),
    offsetof(ptx_line, async_bytes),
};

static void add_counters(ptx_line *to, const ptx_line *from)
{
    for (size_t i = 0; i < sizeof counters / sizeof counters[0]; i++) {
        uint64_t sum, more;
        memcpy(&sum, (char *)to + counters[i], sizeof sum);
        memcpy(&more, (const char *)from + counters[i], sizeof more);
        sum += more;
        memcpy((char *)to + counters[i], &sum, sizeof sum);
    }
}

static counted_kernel *find_kernel(const char *name)
{
    for (size_t i = 0; i < kernel_count; i++)
        if (strcmp(kernels[i].name, name) == 0)
            return &kernels[i];
    counted_kernel *grown = realloc(kernels, (kernel_count + 1) * sizeof *grown);
    if (!grown)
        return NULL;
    kernels = grown;
    counted_kernel *k = &kernels[kernel_count];
    *k = (counted_kernel){.name = strdup(name)};
    k->seen.name = k->name;
    return k->name ? &kernels[kernel_count++] : NULL;
}

static void add_line(counted_kernel *k, const ptx_line *line)
{
    const char *file = line->file ? line->file : "?";
    for (size_t i = 0; i < k->seen.line_count; i++)
        if (k->lines[i].line == line->line && strcmp(k->lines[i].file, file) == 0) {
            add_counters(&k->lines[i], line);
            return;
        }
    ptx_line *grown = realloc(k->lines, (k->seen.line_count + 1) * sizeof *grown);
    char *copy = strdup(file); /* the report's own goes with it */
    if (grown)
        k->lines = grown;
    if (!grown || !copy) {
        free(copy);
        return;
    }
    k->lines[k->seen.line_count] = *line;
    k->lines[k->seen.line_count++].file = copy;
}

void rt_count(const rt_launch *launch, const ptx_report *report)
{
    counted_kernel *k = report->line_count ? find_kernel(launch->kernel->name) : NULL;
    if (!k)
        return;
    const dim3 g = launch->grid, b = launch->block;
    const uint64_t blocks = (uint64_t)g.x * g.y * g.z, threads = (uint64_t)b.x * b.y * b.z;
    k->seen.launches++;
    k->seen.blocks += blocks;
    k->seen.warps += blocks * ((threads + 31) / 32);
    memcpy(k->seen.grid, (uint32_t[]){g.x, g.y, g.z}, sizeof k->seen.grid);
    memcpy(k->seen.block, (uint32_t[]){b.x, b.y, b.z}, sizeof k->seen.block);
    k->seen.dynamic_shared = launch->shared;
    for (uint32_t i = 0; i < report->line_count; i++)
        add_line(k, &report->lines[i]);
    k->seen.lines = k->lines;
}

static int by_place(const void *a, const void *b)
{
    const ptx_line *x = a, *y = b;
    const int order = strcmp(x->file, y->file);
    return order ? order : (x->line > y->line) - (x->line < y->line);
}

static double ratio(uint64_t a, uint64_t b)
{
    return b ? (double)a / (double)b : 0;
}

/* Requests, what one costs, and the least that could hold its bytes; blank where there are none. */
static void print_memory(FILE *out, uint64_t requests, uint64_t cost, uint64_t ideal)
{
    if (requests)
        fprintf(out, " %10llu %6.2f %6.2f", (unsigned long long)requests, ratio(cost, requests),
                ratio(ideal, requests));
    else
        fprintf(out, " %10s %6s %6s", "", "", "");
}

static void print_line(FILE *out, const char *place, const ptx_line *l)
{
    fprintf(out, "%-32s %12llu %6.2f", place, (unsigned long long)l->instructions,
            ratio(l->lanes, l->instructions));
    print_memory(out, l->global_requests, l->global_sectors, l->global_ideal);
    print_memory(out, l->shared_requests, l->shared_wavefronts, l->shared_ideal);
    fprintf(out, " %9llu %9llu %9llu %9llu\n", (unsigned long long)l->divergent,
            (unsigned long long)l->barriers, (unsigned long long)l->atomics, (unsigned long long)l->tensor);
}

void assay_ptx_print_kernel(const ptx_counted_kernel *k)
{
    FILE *out = stdout;
    ptx_line total = {.file = NULL};
    fprintf(out, "%s, %llu launch%s\n", k->name, (unsigned long long)k->launches,
            k->launches == 1 ? "" : "es");
    fprintf(out, "%-32s %12s %6s %10s %6s %6s %10s %6s %6s %9s %9s %9s %9s\n", "source line", "warp instr.",
            "lanes", "global", "sect.", "least", "shared", "wavef.", "least", "divergent", "barriers",
            "atomics", "tensor");
    for (size_t i = 0; i < k->line_count; i++) {
        char place[512];
        const char *slash = strrchr(k->lines[i].file, '/');
        snprintf(place, sizeof place, "%s:%u", slash ? slash + 1 : k->lines[i].file, k->lines[i].line);
        print_line(out, place, &k->lines[i]);
        add_counters(&total, &k->lines[i]);
    }
    print_line(out, "all", &total);
}

static void forget_kernel(counted_kernel *k)
{
    for (size_t i = 0; i < k->seen.line_count; i++)
        free((char *)k->lines[i].file);
    free(k->lines);
    free(k->name);
}

void assay_ptx_take_counts(void (*take)(void *context, const ptx_counted_kernel *kernel), void *context)
{
    rt_lock();
    for (size_t i = 0; i < kernel_count; i++) {
        counted_kernel *k = &kernels[i];
        qsort(k->lines, k->seen.line_count, sizeof *k->lines, by_place);
        take(context, &k->seen);
        forget_kernel(k);
    }
    kernel_count = 0;
    rt_unlock();
}

static void print(void *context, const ptx_counted_kernel *kernel)
{
    (void)context;
    assay_ptx_print_kernel(kernel);
}

void assay_ptx_print_counts(void)
{
    assay_ptx_take_counts(print, NULL);
    fflush(stdout);
}
