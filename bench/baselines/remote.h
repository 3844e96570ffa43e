/* A client of a measuring server on a Unix socket: one JSON object a line, one answer a request.
 *
 * Requests, each answered by {"ok": true, ...} or {"ok": false, "reason": ".."}, with "unsupported": true where the server will
 * never do it:
 *   {"cmd": "prepare", "op": .., "directory": .., "torch": .., "dtype": .., "dims": {}, "inputs": [[shape], ..], "data": [path, ..],
 *    "params": {}, "mode": "eager" | "compile" | "triton", "math_mode": "ieee" | "tf32", "l2_bytes": N}
 *                                                                       adds "version": ".." and "choice": ".."
 *   {"cmd": "measure", "mode": "cold" | "hot", "warmup_ms": .., "sample_ms": .., "max_samples": N,
 *    "flush": ".."}                               adds "samples_us": [..] and "launches_per_sample": N
 *   {"cmd": "output", "path": ..}                what the last measured call made of the inputs in "data", as a file
 *   {"cmd": "release"}, {"cmd": "quit"}
 * Files hold tensors raw and row-major. */
#ifndef ASSAY_BENCH_REMOTE_H
#define ASSAY_BENCH_REMOTE_H

#include <assay/status.h>
#include <jansson.h>

typedef struct remote remote;

assay_status remote_connect(const char *socket_path, remote **r, assay_error *error);
/* Send `request` (the reference is taken) and wait for the answer. An answer with "ok": false is
 * ASSAY_ERR_ENVIRONMENT with its reason, or ASSAY_ERR_UNSUPPORTED; silence for longer than time_limit_s or a broken line are errors
 * after which the connection is unusable. *answer is a new reference, or NULL on failure. */
assay_status remote_call(remote *r, json_t *request, double time_limit_s, json_t **answer,
                         assay_error *error);
void remote_close(remote *r);

#endif
