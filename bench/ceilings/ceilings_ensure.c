/* Runs the ceilings' program in a process of its own: a card that hangs in it costs only the percentages. */
#include "bench/ceilings/ceilings_ensure.h"
#include "bench/ceilings/ceilings.h"
#include "core/json_file.h"
#include "core/process.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { CEILINGS_LIMIT_S = 120 };

/* A file of an older revision lacks ceilings or has some by another method. */
static int is_current(const char *path, const assay_device_info *card)
{
    json_t *file = NULL;
    const int is_read = json_file_read(path, &file, NULL) == ASSAY_OK;
    const json_t *of = json_object_get(file, "device");
    const int current = is_read && json_get_number(file, "revision", 1) >= CEILINGS_REVISION &&
                        strcmp(json_get_text(of, "name", ""), card->name) == 0 &&
                        strcmp(json_get_text(of, "uuid", ""), card->uuid) == 0;
    json_decref(file);
    return current;
}

int ceilings_are_known(const workspace *ws, const assay_device_info *card)
{
    char out[PATH_MAX + 32];
    snprintf(out, sizeof out, "%s/ceilings.json", ws->results);
    return is_current(out, card);
}

assay_status ceilings_ensure(const workspace *ws, const assay_device_info *card, FILE *progress,
                             assay_error *error)
{
    char program[PATH_MAX + 32], out[PATH_MAX + 32], end[256];
    snprintf(out, sizeof out, "%s/ceilings.json", ws->results);
    if (ceilings_are_known(ws, card))
        return ASSAY_OK;
    if (progress != NULL) {
        fprintf(progress, "measuring the ceilings of this device (once; kept in ceilings.json)\n");
        fflush(progress);
    }
    snprintf(program, sizeof program, "%s/assay-ceilings", ws->libexec);
    process_result result;
    process_run((const char *const[]){program, "--device", ws->device, "--out", out, NULL}, CEILINGS_LIMIT_S,
                1, &result);
    process_describe(&result, end, sizeof end);
    const int done = result.end == PROCESS_EXITED && result.code == 0;
    const char *text = result.output ? result.output : "";
    if (!done)
        assay_error_set(
            error, ASSAY_ERR_ENVIRONMENT,
            "the ceilings could not be measured, so percentages of the roofline bound are missing: "
            "assay-ceilings %s: %.*s",
            end, (int)strcspn(text, "\n"), text);
    process_result_release(&result);
    return done ? ASSAY_OK : ASSAY_ERR_ENVIRONMENT;
}
