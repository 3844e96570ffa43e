/* A module that stands in for another one and makes it slower by a known time: it runs the other, then keeps
 * the stream busy. For measuring how well `assay compare` finds slowdowns; never part of a normal run.
 *
 * A copy of this library lies beside each module; its name with ".txt" behind is a file of three lines: the
 * other module, the op and the delay in nanoseconds. A delay of 0 still enqueues the delaying kernel, so that
 * two such modules differ by the delay alone. */
#include "tools/aa/delayed.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static assay_run_fn original;
static double delay_ns;

static int read_line(FILE *file, char *out, int bytes)
{
    if (!fgets(out, bytes, file))
        return 0;
    out[strcspn(out, "\n")] = '\0';
    return out[0] != '\0';
}

static assay_status find_original(void)
{
    Dl_info self;
    char path[4200], library[4096], op[64], delay[64], symbol[80];
    if (!dladdr((void *)&original, &self))
        return ASSAY_ERR_ENVIRONMENT;
    snprintf(path, sizeof path, "%s.txt", self.dli_fname);
    FILE *file = fopen(path, "r");
    const int read = file && read_line(file, library, sizeof library) && read_line(file, op, sizeof op) &&
                     read_line(file, delay, sizeof delay);
    if (file)
        fclose(file);
    void *module = read ? dlopen(library, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!module) {
        fprintf(stderr, "delayed: %s: %s\n", path, read ? dlerror() : "module, op and delay are expected");
        return ASSAY_ERR_ENVIRONMENT;
    }
    snprintf(symbol, sizeof symbol, "%s_run", op);
    delay_ns = strtod(delay, NULL);
    *(void **)&original = dlsym(module, symbol);
    return original ? ASSAY_OK : ASSAY_ERR_ENVIRONMENT;
}

static assay_status delayed_run(const void *args, assay_stream stream)
{
    assay_status status = original ? ASSAY_OK : find_original();
    if (status == ASSAY_OK)
        status = original(args, stream);
    return status == ASSAY_OK ? delayed_delay(delay_ns, stream) : status;
}

/* One entry point for every op there is: DELAYED_ENTRY(softmax) ... */
#define DELAYED_ENTRY(op)                                                 \
    ASSAY_EXPORT assay_status op##_run(const void *args, assay_stream s); \
    ASSAY_EXPORT assay_status op##_run(const void *args, assay_stream s)  \
    {                                                                     \
        return delayed_run(args, s);                                      \
    }
#include "delayed_entries.h"
