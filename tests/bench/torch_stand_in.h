/* A folder with stand-ins for Python and for torch_baseline.py, and what tests of processes started there look at. */
#ifndef ASSAY_TESTS_BENCH_TORCH_STAND_IN_H
#define ASSAY_TESTS_BENCH_TORCH_STAND_IN_H

#include "core/workspace.h"

/* Says yes when asked whether torch is there, and is Python otherwise. */
extern const char stand_in_python[];

/* Makes a folder and in it bench/baselines/torch/torch_baseline.py with `script`; `ws` gets it as its source, with a results folder that is not made yet. */
void stand_in_open(workspace *ws, const char *script);
void stand_in_close(const workspace *ws);
/* An executable file of the folder; `path` gets where it lies. */
void stand_in_write(const workspace *ws, const char *name, const char *text, char path[256]);

int is_alive(int pid); /* runs, and is no zombie */

/* In a process of its own `begin` starts something by a "Python" that is still importing and looks for no parent yet; that process is
 * then killed. What it had started must have run, and must end as well. */
void ends_with_the_killed(const workspace *ws, void (*begin)(const workspace *ws, const char *python));

#endif
