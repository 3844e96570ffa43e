/* assay-ceilings: measure the roofline's ceilings of one device and write ceilings.json. */
#include "bench/ceilings/ceilings.h"
#include "core/json_file.h"
#include "core/memory.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] = "usage: assay-ceilings --device cuda|cpu [--ordinal N] --out FILE\n"
                            "Measures the roofline's ceilings of a device and writes them as JSON.\n";

typedef struct options {
    const char *device, *out;
    int ordinal;
} options;

static int parse(int argc, char **argv, options *parsed)
{
    *parsed = (options){NULL, NULL, 0};
    for (int i = 1; i < argc; i += 2) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        char *end = NULL;
        if (!value)
            return 0;
        if (strcmp(argv[i], "--device") == 0)
            parsed->device = value;
        else if (strcmp(argv[i], "--out") == 0)
            parsed->out = value;
        else if (strcmp(argv[i], "--ordinal") == 0 && (parsed->ordinal = (int)strtol(value, &end, 10)) >= 0 &&
                 !*end)
            continue;
        else
            return 0;
    }
    return parsed->device && parsed->out;
}

static assay_status measure(const options *chosen, assay_error *error)
{
    assay_device *device = NULL;
    json_t *ceilings = NULL;
    assay_status status = assay_device_open(chosen->device, chosen->ordinal, &device, error);
    if (status == ASSAY_OK)
        status = ceilings_measure(device, &ceilings, error);
    if (status == ASSAY_OK)
        status = json_file_write(chosen->out, ceilings, 0, error);
    json_decref(ceilings);
    assay_device_close(device);
    return status;
}

int main(int argc, char **argv)
{
    memory_require_for_json();
    options chosen;
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        fputs(usage, stdout);
        return ASSAY_EXIT_OK;
    }
    if (!parse(argc, argv, &chosen)) {
        fputs(usage, stderr);
        return ASSAY_EXIT_USAGE;
    }
    assay_error error = {ASSAY_OK, ""};
    const assay_status status = measure(&chosen, &error);
    if (status != ASSAY_OK)
        fprintf(stderr, "assay-ceilings: %s\n",
                error.message[0] ? error.message : assay_status_describe(status));
    return assay_status_exit(status);
}
