/* The Python process that measures torch baselines: started once a run, at the latest when the first group needs it. */
#ifndef ASSAY_BENCH_TORCH_SERVER_H
#define ASSAY_BENCH_TORCH_SERVER_H

#include "core/workspace.h"
#include <sys/types.h>

typedef struct torch_server {
    pid_t pid;        /* 0: not running */
    char folder[64];  /* private, holds the socket and what the server's torch would keep of its choices */
    char socket[108]; /* "" : not usable */
    char reason[256]; /* why not */
    int begun, tried;
} torch_server;

/* 1 if this Python can import torch (asked without importing it) and torch_baseline.py is there; else the reason.
 */
int torch_server_possible(const workspace *ws, const char *python, char *reason, size_t reason_bytes);
/* Start without waiting: importing torch takes seconds, the first use of its compiler many more (`warm`: 1 to have it made, too), and both may
 * run beside whatever the caller does next. What goes wrong is known at torch_server_start(). */
void torch_server_begin(torch_server *server, const workspace *ws, const char *python, int warm);
/* Start on first use; later calls return what is known. The socket's path, or NULL with `reason` set. */
const char *torch_server_start(torch_server *server, const workspace *ws, const char *python);
void torch_server_stop(torch_server *server);

#endif
