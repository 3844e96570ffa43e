/* Runs the ceilings' program in a process of its own: a card that hangs in it costs only the percentages. */
#include "ceilings_ensure.h"
#include "process.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CEILINGS_LIMIT_S = 120 };

assay_status ceilings_ensure(const workspace *ws, FILE *progress, assay_error *error)
{
    char program[PATH_MAX + 32], out[PATH_MAX + 32], end[256];
    snprintf(out, sizeof out, "%s/ceilings.json", ws->results);
    if (access(out, R_OK) == 0)
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
        assay_error_set(error, ASSAY_ERR_ENVIRONMENT,
                        "the ceilings could not be measured, so percentages of the roof are missing: "
                        "assay-ceilings %s: %.*s",
                        end, (int)strcspn(text, "\n"), text);
    process_result_release(&result);
    return done ? ASSAY_OK : ASSAY_ERR_ENVIRONMENT;
}
