/* A client of a measuring server on a Unix socket: one JSON object a line, one answer a request.
 *
 * Requests, each answered by {"ok": true, ...} or {"ok": false, "reason": ".."}:
 *   {"cmd": "prepare", "op": .., "torch": .., "dtype": .., "dims": {}, "inputs": [[shape], ..], "params": {},
 *    "mode": "eager" | "compile", "l2_bytes": N}                                      adds "version": ".."
 *   {"cmd": "measure", "figure": "cold" | "hot", "warmup_ms": .., "sample_ms": .., "max_samples": N,
 *    "flush": ".."}                               adds "samples_us": [..] and "launches_per_sample": N
 *   {"cmd": "release"}, {"cmd": "quit"} */
#ifndef ASSAY_BENCH_REMOTE_H
#define ASSAY_BENCH_REMOTE_H

#include <assay/status.h>
#include <jansson.h>

typedef struct remote remote;

assay_status remote_connect(const char *socket_path, remote **r, assay_error *error);
/* Send `request` (the reference is taken) and wait for the answer. An answer with "ok": false is
 * ASSAY_ERR_ENVIRONMENT with its reason; silence for longer than time_limit_s or a broken line are errors
 * after which the connection is unusable. *answer is a new reference, or NULL on failure. */
assay_status remote_call(remote *r, json_t *request, double time_limit_s, json_t **answer,
                         assay_error *error);
void remote_close(remote *r);

#endif
