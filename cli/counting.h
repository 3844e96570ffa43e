/* Counting on the device ptx from a command: its device beside the build's, and the modules to be counted. */
#ifndef ASSAY_CLI_COUNTING_H
#define ASSAY_CLI_COUNTING_H

#include "cli/verify_modules.h"
#include <assay/device.h>

typedef struct counting {
    const workspace *ws; /* after counting_open() one of the device ptx */
    assay_device *device;
    int has_modules; /* it was built for the device ptx, so its modules are there */
} counting;

/* Make `ws` one of the device ptx (cli_choose_device()), open the device and let it count. ASSAY_ERR_ENVIRONMENT: this build has no
 * such device, with what to do. Close it also after a failure. */
assay_status counting_open(workspace *ws, counting *out, assay_error *error);
void counting_close(counting *c);

/* The modules of the filter: the build's own where it was built for this device, else compiled now. `source` may be NULL. Release with
 * made_modules_release, also on failure. */
assay_status counting_modules(const counting *c, const case_filter *filter, const char *source,
                              made_modules *made, assay_error *error);

#endif
