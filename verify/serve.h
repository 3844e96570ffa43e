/* The worker's side of protocol.h: opens a device and does the steps that the judge sends. Must know nothing by which a kernel could be
 * judged: the program assay-verify-worker links this and no other part of verify/. */
#ifndef ASSAY_VERIFY_SERVE_H
#define ASSAY_VERIFY_SERVE_H

#include "verify/protocol.h"

/* Serve until the judge closes its end of `socket`. `run`: a kernel that is there already (tests), or NULL. Returns an exit status: 0
 * served, 3 the device could not be opened, which the judge was told. */
int serve(int socket, const char *device_kind, assay_run_fn run);

#endif
