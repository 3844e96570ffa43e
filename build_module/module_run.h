/* Running the compiler over a kernel. */
#ifndef ASSAY_CORE_MODULE_RUN_H
#define ASSAY_CORE_MODULE_RUN_H

#include "build_module/module_compile.h"

/* process_run() of a command, captured. For a kernel from outside the compiler is confined, as far as the machine allows: it reads the kernel's
 * folder, the op's, the toolchain's and the system's, writes job->scratch, and is limited in time and memory. */
void compile_run(const compile_job *job, const compile_command *command, double time_limit_s,
                 process_result *result);

/* Remove a folder of intermediate files. */
void compile_remove_folder(const char *folder);

#endif
