/* See environment.h: the findings of the host and of the programs, and the page. environment_card.c has those of the card. */
#include "bench/environment/environment.h"
#include "bench/timing/clock.h"
#include "bench/environment/environment_card.h"
#include "core/json_file.h"
#include "core/text_stream.h"
#include <dirent.h>
#include <gnu/libc-version.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* The first line of a small file; "" if it cannot be read. */
static void read_first_line(const char *path, char *line, size_t line_bytes)
{
    FILE *file = fopen(path, "r");
    line[0] = '\0';
    if (!file)
        return;
    if (!fgets(line, (int)line_bytes, file))
        line[0] = '\0';
    fclose(file);
    line[strcspn(line, "\n")] = '\0';
}

static void add_governor(json_t *findings)
{
    char governor[64];
    read_first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", governor, sizeof governor);
    if (!governor[0])
        environment_add(findings, "CPU governor", "note",
                        "unknown (a virtual machine, usually): host times may vary with the host's clock",
                        "not visible here");
    else if (strcmp(governor, "performance") == 0)
        environment_add(findings, "CPU governor", "fine", "host times do not vary with the host's clock",
                        "%s", governor);
    else
        environment_add(findings, "CPU governor", "note",
                        "the host's clock rises only under load: `host` times and launch latencies are too "
                        "long and vary; "
                        "device times do not depend on it",
                        "%s", governor);
}

static void add_load(json_t *findings, const assay_device_info *device)
{
    double load = 0.0;
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (getloadavg(&load, 1) != 1)
        return;
    const int on_host = !device || strcmp(device->kind, "cpu") == 0;
    const int busy = load > 0.6 * (double)processors;
    environment_add(
        findings, "Load of the host",
        !busy     ? "fine"
        : on_host ? "warning"
                  : "note",
        !busy     ? "little else runs"
        : on_host ? "other programs take, or took a moment ago, the processors that are measured: times "
                    "may be too slow and vary"
                  : "`host` times and launch latencies are too long; device times hardly depend on it",
        "%.2f on %ld processors", load, processors);
}

static void add_host(json_t *findings, const assay_device_info *device)
{
    struct utsname kernel;
    if (uname(&kernel) == 0)
        environment_add(findings, "Operating system", "fine", "part of a result's identity", "%s %s, %s",
                        kernel.sysname, kernel.release, kernel.machine);
    add_governor(findings);
    add_load(findings, device);
}

static int add_object(struct dl_phdr_info *info, size_t bytes, void *context)
{
    char resolved[4096];
    char *list = context;
    (void)bytes;
    if (!info->dlpi_name || info->dlpi_name[0] != '/' || !realpath(info->dlpi_name, resolved))
        return 0;
    const char *name = strrchr(resolved, '/') + 1;
    const size_t used = strlen(list);
    snprintf(list + used, 1000 - used, "%s%s", used ? ", " : "", name);
    return 0;
}

/* The names of the files that are loaded hold their versions. */
static void add_versions(json_t *findings)
{
    char list[1000] = "";
    dl_iterate_phdr(add_object, list);
    environment_add(findings, "Compiler of the harness", "fine", "part of a result's identity", "%s",
                    __VERSION__);
    environment_add(findings, "C library", "fine", "part of a result's identity", "glibc %s",
                    gnu_get_libc_version());
    environment_add(findings, "JSON library", "fine", "none on times", "jansson %s", jansson_version_str());
    environment_add(findings, "Google Benchmark", "fine", "it replays times that are measured: none on times",
                    "%s", ASSAY_BENCHMARK_VERSION);
    environment_add(findings, "Loaded libraries", "fine", "part of a result's identity", "%s", list);
}

json_t *environment_check(const assay_device_info *device)
{
    json_t *findings = json_array();
    if (device)
        environment_add_card(findings, device);
    add_host(findings, device);
    add_versions(findings);
    return findings;
}

int environment_warnings(const json_t *findings)
{
    int warnings = 0;
    for (size_t i = 0; i < json_array_size(findings); i++)
        warnings += strcmp(json_get_text(json_array_get(findings, i), "verdict", ""), "warning") == 0;
    return warnings;
}

assay_status environment_write(const char *folder, const assay_device_info *device, const json_t *findings,
                               assay_error *error)
{
    char path[4200], now[32], *text = NULL;
    size_t bytes = 0;
    FILE *page = text_stream_open(&text, &bytes);
    if (!page)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for a page");
    clock_utc_text(now);
    const int warnings = environment_warnings(findings);
    fprintf(page, "# Environment of the measurements: %s\n\n%s. %d warning%s.\n\n",
            device ? device->name : "host", now, warnings, warnings == 1 ? "" : "s");
    fprintf(page, "| | finding | what it does to the times |\n|---|---|---|\n");
    for (size_t i = 0; i < json_array_size(findings); i++) {
        const json_t *f = json_array_get(findings, i);
        const char *verdict = json_get_text(f, "verdict", "");
        const int strong = strcmp(verdict, "warning") == 0;
        fprintf(page, "| %s | %s | %s%s%s |\n", json_get_text(f, "name", ""), json_get_text(f, "value", ""),
                strong                         ? "**warning:** "
                : strcmp(verdict, "note") == 0 ? "note: "
                                               : "",
                json_get_text(f, "effect", ""), "");
    }
    if (!text_stream_close(page, &text))
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for a page");
    snprintf(path, sizeof path, "%s/env_check.md", folder);
    const assay_status status = text_file_write(path, text, bytes, error);
    free(text);
    return status;
}
