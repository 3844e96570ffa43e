/* assay env: what this machine offers to Assay, and what each lack costs. Only looks; changes nothing. */
#include "cli/cli.h"
#include "core/utf8.h"
#include "bench/environment/environment.h"
#include "core/confine.h"
#include "core/json_file.h"
#include "core/process.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One finding. `detail` says what was found, or how to get what was not. */
static void add_finding(json_t *findings, const char *name, int found, const char *detail, const char *cost)
{
    json_array_append_new(findings, json_pack("{s:s, s:b, s:s, s:s}", "name", name, "found", found,
                                              found ? "detail" : "how_to_get", detail, "without_it", cost));
}

/* Where a program is found on PATH; "" if it is not. */
static void find_on_path(const char *name, char *out, size_t out_bytes)
{
    const char *folders = getenv("PATH");
    for (const char *at = folders ? folders : ""; *at != '\0'; at += strcspn(at, ":"), at += *at == ':') {
        snprintf(out, out_bytes, "%.*s/%s", (int)strcspn(at, ":"), at, name);
        if (access(out, X_OK) == 0)
            return;
    }
    out[0] = '\0';
}

/* The line that a program prints for an option like --version, the one with `part` in it if that is not NULL; 0 if it does not run. */
static int ask_program(const char *const *argv, const char *part, char *line, size_t line_bytes)
{
    process_result result;
    process_run(argv, 30, 1, &result);
    const int ok = result.end == PROCESS_EXITED && result.code == 0;
    const char *text = result.output ? result.output : "";
    const char *found = part ? strstr(text, part) : NULL;
    while (found && found > text && found[-1] != '\n')
        found--;
    text = found ? found : text;
    snprintf(line, line_bytes, "%.*s", ok ? (int)strcspn(text, "\n") : 0, text);
    process_result_release(&result);
    return ok;
}

static void find_device(json_t *findings, const char *kind, const char *cost)
{
    assay_device *device;
    assay_error error = {0};
    char name[32], detail[640];
    snprintf(name, sizeof name, "device %s", kind);
    if (assay_device_open(kind, 0, &device, &error) != ASSAY_OK) {
        add_finding(findings, name, 0, error.message, cost);
        return;
    }
    const assay_device_info *info = assay_device_get_info(device);
    if (strcmp(kind, "cuda") == 0)
        snprintf(detail, sizeof detail,
                 "%s, %d SMs, compute capability %d.%d, %.1f GiB, driver %s, runtime %s", info->name,
                 info->sm_count, info->compute_major, info->compute_minor,
                 (double)info->memory_bytes / (1 << 30), info->driver, info->runtime);
    else if (strcmp(kind, "ptx") == 0)
        snprintf(detail, sizeof detail, "stands for compute capability %d.%d, on %s", info->compute_major,
                 info->compute_minor, info->name);
    else
        snprintf(detail, sizeof detail, "%s, %d worker threads", info->name, info->sm_count);
    add_finding(findings, name, 1, detail, cost);
    assay_device_close(device);
}

typedef struct program {
    const char *name;
    const char *argv[5];
    const char *how_to_get, *cost;
    const char *line_with; /* part of the line that has the version; NULL: the first */
} program;

static const program programs[] = {
    {"nvcc",
     {"nvcc", "--version"},
     "install the CUDA toolkit, or let ./run fetch one into the build folder",
     "kernels cannot be compiled for a GPU",
     "release"},
    {"gnuplot",
     {"gnuplot", "--version"},
     "apt-get install gnuplot-nox",
     "logs are written without plots",
     NULL},
    {"git", {"git", "--version"}, "apt-get install git", "results carry no commit", NULL},
    {"ncu",
     {"ncu", "--version"},
     "install Nsight Compute (in the CUDA toolkit)",
     "no hardware counters: assay profile goes by times and the compiler's report; no cross-check of timings",
     NULL},
    {"compute-sanitizer",
     {"compute-sanitizer", "--version"},
     "it is part of the CUDA toolkit",
     "no memory and race checks on the GPU",
     NULL},
    {"torch",
     {"python3", "-c", "import torch; print('torch', torch.__version__)"},
     "pip install torch",
     "no torch rows among the baselines",
     NULL},
};

static void find_programs(json_t *findings)
{
    char line[256 + 4096 + 4], path[4096];
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        const int found = ask_program(programs[i].argv, programs[i].line_with, line, 256);
        find_on_path(programs[i].argv[0], path, sizeof path);
        if (found && path[0] != '\0')
            snprintf(line + strlen(line), sizeof line - strlen(line), " (%s)", path);
        add_finding(findings, programs[i].name, found, found ? line : programs[i].how_to_get,
                    programs[i].cost);
    }
}

/* What a kernel from outside is confined by (docs/security.md). */
static void find_confinement(json_t *findings)
{
    char found[256];
    confine_describe(confine_offers(), found, sizeof found);
    add_finding(findings, "confinement", found[0] != '\0',
                found[0] ? found : "a Linux kernel with Landlock (5.13), or the right to make namespaces",
                "kernels of assay verify --source run with your rights");
}

static json_t *toolchain_json(const workspace *ws)
{
    const json_t *toolchain = ws ? json_object_get(ws->manifest, "toolchain") : NULL;
    return toolchain ? json_deep_copy(toolchain) : json_null();
}

/* What surrounds measurements with the workspace's device; of the GPU, if there is one, where there is no workspace. */
static json_t *check_environment(const workspace *ws)
{
    assay_device *device = NULL;
    if (assay_device_open(ws ? ws->device : "cuda", 0, &device, NULL) != ASSAY_OK)
        return environment_check(NULL);
    json_t *findings = environment_check(assay_device_get_info(device));
    assay_device_close(device);
    return findings;
}

static void print_checks(const json_t *checks)
{
    size_t index;
    json_t *check;
    printf("\nfor measurements:\n");
    json_array_foreach(checks, index, check)
    {
        const char *verdict = json_get_text(check, "verdict", "");
        clean_printf(stdout, "%-7s %-28s %s\n", strcmp(verdict, "fine") == 0 ? "" : verdict,
                     json_get_text(check, "name", ""), json_get_text(check, "value", ""));
        if (strcmp(verdict, "fine") != 0)
            clean_printf(stdout, "%-36s %s\n", "", json_get_text(check, "effect", ""));
    }
}

static void print_text(const workspace *ws, const json_t *findings)
{
    size_t index;
    json_t *finding;
    if (ws != NULL)
        printf("build        %s (device %s)\n", ws->path, ws->device);
    json_array_foreach(findings, index, finding)
    {
        const int found = json_is_true(json_object_get(finding, "found"));
        clean_printf(stdout, "%-3s %-18s %s\n", found ? "yes" : "no", json_get_text(finding, "name", ""),
                     json_get_text(finding, found ? "detail" : "how_to_get", ""));
        if (!found)
            clean_printf(stdout, "%-22s without it: %s\n", "", json_get_text(finding, "without_it", ""));
    }
}

int command_env(int argc, char **argv)
{
    static const struct argp argp = {
        .parser = cli_parse_plain,
        .doc = "Show what was found: devices, compilers, libraries, and what each lack costs.",
        .children = cli_no_filter_children};
    cli_options options = {0};
    cli_parse(&argp, argc, argv, &options);
    workspace *ws = NULL;
    if (options.build != NULL) {
        const int exit_status = cli_open("env", &options, &ws);
        if (exit_status != ASSAY_EXIT_OK)
            return exit_status;
    } else {
        workspace_open(NULL, &ws, NULL); /* `assay env` also helps before anything is configured */
    }
    json_t *findings = json_array();
    find_device(findings, "cpu", "nothing can be checked without a GPU");
    find_device(findings, "ptx", "what nvcc compiles cannot be executed without a GPU");
    find_device(findings, "cuda", "kernels run on the CPU SIMT device only: correctness yes, GPU speed no");
    find_programs(findings);
    find_confinement(findings);
    json_t *checks = check_environment(ws);
    if (options.json)
        cli_print_json(json_pack("{s:i, s:s, s:s, s:o, s:O, s:O, s:O?}", "schema", 1, "build",
                                 ws ? ws->path : "", "device", ws ? ws->device : "", "toolchain",
                                 toolchain_json(ws), "findings", findings, "checks", checks, "versions",
                                 ws ? json_object_get(ws->manifest, "versions") : NULL));
    else {
        print_text(ws, findings);
        print_checks(checks);
    }
    json_decref(findings);
    json_decref(checks);
    workspace_close(ws);
    return ASSAY_EXIT_OK;
}
