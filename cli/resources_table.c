/* assay resources: the table and the JSON. */
#include "cli/resources_command.h"
#include "core/utf8.h"
#include "core/json_file.h"
#include <stdio.h>
#include <string.h>

static void print_cell(const json_t *object, const char *key, int width)
{
    const json_t *value = json_object_get(object, key);
    if (json_is_number(value))
        printf(" %*.0f", width, json_number_value(value));
    else
        printf(" %*s", width, "-");
}

static void print_kernel(const json_t *kernel)
{
    const json_t *occupancy = json_object_get(kernel, "occupancy");
    clean_printf(stdout, "    %s\n", json_get_text(kernel, "name", "?"));
    fputs("     ", stdout);
    print_cell(kernel, "registers", 4);
    printf(" registers,");
    print_cell(kernel, "spill_store_bytes", 1);
    printf(" +");
    print_cell(kernel, "spill_load_bytes", 1);
    printf(" bytes spilled,");
    print_cell(kernel, "stack_bytes", 1);
    printf(" stack,");
    print_cell(kernel, "static_shared_bytes", 1);
    printf(" shared%s,",
           json_is_true(json_object_get(kernel, "dynamic_shared")) ? " and more at launch" : "");
    print_cell(kernel, "code_bytes", 1);
    printf(" code");
    if (json_is_object(occupancy))
        clean_printf(stdout, "; %.0f threads a block (%s): occupancy %s%.0f%%, limited by %s",
                     json_get_number(kernel, "block_threads", 0), json_get_text(kernel, "block_from", "?"),
                     json_is_true(json_object_get(occupancy, "upper_bound")) ? "at most " : "",
                     json_get_number(occupancy, "percent", 0), json_get_text(occupancy, "limited_by", "?"));
    else if (json_object_get(kernel, "occupancy_reason") != NULL)
        clean_printf(stdout, "; occupancy not known: %s", json_get_text(kernel, "occupancy_reason", ""));
    putchar('\n');
    size_t index;
    json_t *warning;
    json_array_foreach(json_object_get(kernel, "warnings"), index, warning)
        clean_printf(stdout, "      %s\n", json_string_value(warning));
}

/* "      412 instructions: global_load 32:4 128:8, fma 64, ..." */
static void print_mix(const json_t *mix)
{
    const char *class, *key;
    json_t *value, *inner;
    const char *between = ": ";
    if (!json_is_object(mix))
        return;
    printf("      %.0f instructions", json_get_number(mix, "total", 0));
    json_object_foreach((json_t *)mix, class, value)
    {
        if (strcmp(class, "total") == 0)
            continue;
        clean_printf(stdout, "%s%s", between, class);
        between = ", ";
        if (json_is_integer(value))
            printf(" %lld", (long long)json_integer_value(value));
        json_object_foreach(value, key, inner)
            clean_printf(stdout, " %s:%lld", key, (long long)json_integer_value(inner));
    }
    putchar('\n');
}

static void print_arch(const module *m, const char *arch, const json_t *part, int with_kernels)
{
    static const struct {
        const char *key;
        int width;
    } columns[] = {{"kernels", 7},     {"registers", 9},    {"spill_bytes", 7},
                   {"stack_bytes", 6}, {"shared_bytes", 7}, {"code_bytes", 8}};
    const json_t *summary = json_object_get(part, "summary");
    clean_printf(stdout, "%-36s %-8s", m->name, arch);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        print_cell(summary, columns[i].key, columns[i].width);
    const json_t *percent = json_object_get(summary, "occupancy_percent");
    if (json_is_number(percent))
        printf(" %8.0f%%\n", json_number_value(percent));
    else
        printf(" %9s\n", "-");
    size_t index;
    json_t *kernel;
    json_array_foreach(json_object_get(part, "kernels"), index, kernel)
    {
        if (with_kernels) {
            print_kernel(kernel);
            print_mix(json_object_get(kernel, "instructions"));
        }
    }
}

void resources_print_table(const module_list *list, const resources_arguments *a)
{
    const char *reason = "";
    printf("%-36s %-8s %7s %9s %7s %6s %7s %8s %9s\n", "module", "arch", "kernels", "registers", "spilled",
           "stack", "shared", "code", "occupancy");
    for (int i = 0; i < list->count; i++) {
        const module *m = &list->items[i];
        const char *arch;
        json_t *part;
        if (m->resources == NULL)
            clean_printf(stdout, "%-36s %s\n", m->name,
                         strcmp(m->record.status, "ok") ? m->record.status : "no metrics");
        json_object_foreach(json_object_get(m->resources, "architectures"), arch, part)
        {
            if (a->arch == NULL || strcmp(a->arch, arch) == 0)
                print_arch(m, arch, part, a->kernels);
        }
        reason = *reason ? reason : json_get_text(m->resources, "instructions_reason", "");
    }
    puts("\nLargest of a module's kernels, in bytes; code is of all of them, occupancy the lowest.");
    if (a->kernels && *reason)
        clean_printf(stdout, "Instructions are not shown: %s\n", reason);
}

json_t *resources_modules_json(const module_list *list, const char *arch)
{
    json_t *modules = json_array();
    for (int i = 0; i < list->count; i++) {
        const module *m = &list->items[i];
        json_t *resources = m->resources ? json_copy((json_t *)m->resources) : json_null();
        if (arch != NULL && m->resources != NULL) {
            json_t *only = json_object();
            json_object_set(only, arch, (json_t *)resources_of_arch(m->resources, arch));
            json_object_set_new(resources, "architectures", only);
        }
        json_array_append_new(modules, json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:o}", "name", m->name, "op",
                                                 m->op->spec->name, "variant", m->variant, "dtype", m->dtype,
                                                 "status", m->record.status, "compiler", m->record.compiler,
                                                 "resources", resources));
    }
    return modules;
}
