/* The Python process that measures torch peers: started once a run, when the first group needs it. */
#ifndef ASSAY_BENCH_TORCH_SERVER_H
#define ASSAY_BENCH_TORCH_SERVER_H

#include "workspace.h"
#include <sys/types.h>

typedef struct torch_server {
    pid_t pid;        /* 0: not running */
    char folder[64];  /* private, holds the socket */
    char socket[108]; /* "" : not usable */
    char reason[256]; /* why not */
    int tried;
} torch_server;

/* 1 if this Python can import torch (asked without importing it) and torch_peer.py is there; else the reason.
 */
int torch_server_possible(const workspace *ws, const char *python, char *reason, size_t reason_bytes);
/* Start on first use; later calls return what is known. The socket's path, or NULL with `reason` set. */
const char *torch_server_start(torch_server *server, const workspace *ws, const char *python);
void torch_server_stop(torch_server *server);

#endif
