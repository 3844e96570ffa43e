/* What a run needs of the machine: see environment_gate.h. */
#include "optimize/environment_gate.h"
#include "core/json_file.h"
#include "core/list.h"
#include "core/process.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int version_at_least(const char *found, const char *needed)
{
    while (*needed) {
        char *after_found, *after_needed;
        const long have = strtol(found, &after_found, 10), want = strtol(needed, &after_needed, 10);
        if (after_found == found || have != want)
            return after_found != found && have > want;
        found = after_found + (*after_found == '.');
        needed = after_needed + (*after_needed == '.');
    }
    return 1;
}

/* The first "1.2" or "1.2.3" in a program's output; "" where it does not run. */
static void ask_version(const char *const *argv, char *out, size_t bytes)
{
    process_result result;
    out[0] = '\0';
    process_run(argv, 60, 1, &result);
    if (result.end == PROCESS_EXITED && result.code == 0)
        for (const char *at = result.output; at && *at; at++) {
            const size_t digits = strspn(at, "0123456789");
            if (digits > 0 && at[digits] == '.' && isdigit((unsigned char)at[digits + 1])) {
                snprintf(out, bytes, "%.*s", (int)strspn(at, "0123456789."), at);
                break;
            }
            at += digits ? digits - 1 : 0;
        }
    process_result_release(&result);
}

static void add(json_t *list, const char *name, const char *needed, const char *found, int used, int *missing)
{
    const int passed = found[0] != '\0' && version_at_least(found, needed);
    *missing += used && !passed;
    json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:b, s:b}", "name", name, "needed", needed,
                                          "found", found, "used", used, "passed", passed));
}

static void ask_python(const char *what, char *out, size_t bytes)
{
    const char *python = getenv("ASSAY_PYTHON");
    ask_version((const char *const[]){python && python[0] ? python : "python3", "-c", what, NULL}, out,
                bytes);
}

static int names_baseline_of(const char *baselines, const char *library)
{
    const size_t length = strlen(library);
    if (baselines == NULL)
        return 1;
    for (list_item item = {0}; list_next(baselines, &item);)
        if ((size_t)item.length >= length && strncmp(item.text, library, length) == 0)
            return 1;
    return 0;
}

static int is_used(const char *baselines, const char *library, const char *found)
{
    return found[0] != '\0' && names_baseline_of(baselines, library);
}

json_t *environment_gate(const workspace *ws, const assay_device_info *device, int use_ncu,
                         const char *baselines, int *missing)
{
    json_t *list = json_array();
    const json_t *toolchain = json_object_get(ws->manifest, "toolchain");
    const char *compiler = json_get_text(toolchain, "compiler", "");
    const int cuda = strcmp(ws->device, "cuda") == 0;
    char found[64], torch[64], triton[64];
    *missing = 0;
    snprintf(found, sizeof found, "%d.%d", device->compute_major, device->compute_minor);
    add(list, "compute capability", "7.0", cuda ? found : "", cuda, missing);
    ask_version((const char *const[]){compiler[0] ? compiler : "no-compiler", "--version", NULL}, found,
                sizeof found);
    add(list, cuda ? "CUDA (nvcc)" : "C++ compiler", cuda ? "11.6" : "4.8", found, 1, missing);
    ask_version((const char *const[]){"ncu", "--version", NULL}, found, sizeof found);
    add(list, "ncu", "2024.3.2", found, use_ncu, missing);
    ask_python("import torch; print(torch.__version__)", torch, sizeof torch);
    ask_python("import triton; print(triton.__version__)", triton, sizeof triton);
    ask_python("import sys; print('%d.%d.%d' % sys.version_info[:3])", found, sizeof found);
    const int uses_torch = is_used(baselines, "torch", torch),
              uses_triton = is_used(baselines, "triton", triton);
    add(list, "Python", "3.10", found, uses_torch || uses_triton, missing);
    add(list, "torch", "2.0", torch, uses_torch, missing);
    add(list, "Triton", "2.0", triton, uses_triton, missing);
    return list;
}
