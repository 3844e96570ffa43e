/* Running nvdisasm, which the toolkit may or may not have. */
#include "resources/inspect.h"
#include "core/process.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DISASSEMBLY_LIMIT_S = 120 };

static int try_folder(const char *folder, size_t length, char *out, size_t out_bytes)
{
    snprintf(out, out_bytes, "%.*s/nvdisasm", (int)length, folder);
    return access(out, X_OK) == 0;
}

int disassembler_find(const char *compiler, char *out, size_t out_bytes)
{
    const char *slash = compiler ? strrchr(compiler, '/') : NULL;
    if (slash != NULL && try_folder(compiler, (size_t)(slash - compiler), out, out_bytes))
        return 1;
    for (const char *at = getenv("PATH"); at != NULL && *at != '\0';) {
        const size_t length = strcspn(at, ":");
        if (length > 0 && try_folder(at, length, out, out_bytes))
            return 1;
        at += length + (at[length] == ':');
    }
    out[0] = '\0';
    return 0;
}

assay_status disassembler_read(const char *nvdisasm, const char *cubin, json_t *kernels, assay_error *error)
{
    char listing[PATH_MAX + 8];
    snprintf(listing, sizeof listing, "%s.sass", cubin);
    /* Code only, and no analysis of branches, which takes a third of the time. Megabytes of listing do not fit what process_run keeps; the paths are arguments, not part of the script. */
    const char *const command[] = {
        "/bin/sh", "-c", "exec \"$1\" -c -ndf \"$2\" >\"$3\"", "sh", nvdisasm, cubin, listing, NULL};
    process_result run;
    process_run(command, DISASSEMBLY_LIMIT_S, 1, &run);
    assay_status status = ASSAY_OK;
    FILE *file = NULL;
    if (run.end != PROCESS_EXITED || run.code != 0) {
        char how[128];
        process_describe(&run, how, sizeof how);
        const char *said = run.output ? run.output : "";
        status = assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "%s %s: %.*s", nvdisasm, how,
                                 (int)strcspn(said, "\n"), said);
    } else if ((file = fopen(listing, "r")) == NULL) {
        status = assay_error_set(error, ASSAY_ERR_IO, "cannot read %s: %s", listing, strerror(errno));
    } else {
        listing_read(file, kernels);
        fclose(file);
    }
    process_result_release(&run);
    unlink(listing);
    return status;
}
