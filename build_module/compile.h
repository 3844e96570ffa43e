/* Compile one kernel file into a module, by the toolchain of a workspace. The only place that knows how: the build, kernels from
 * outside the tree and tuner candidates all come here. */
#ifndef ASSAY_BUILD_MODULE_COMPILE_H
#define ASSAY_BUILD_MODULE_COMPILE_H

#include "build_module/request.h"

/* Compile. Returns ASSAY_OK also when the compiler rejects the kernel: the record then says "does not compile" and holds the log.
 * Errors: ASSAY_ERR_INVALID (no such file, unknown tunable), ASSAY_ERR_ENVIRONMENT (no compiler), ASSAY_ERR_IO. */
assay_status module_compile(const workspace *ws, const module_request *request, module_record *record,
                            assay_error *error);

/* SHA-256 over the files that a compiler's make-style dependency file lists, as a line of hexadecimal text in the file `out`: what a
 * reference was made of. ASSAY_ERR_IO, or ASSAY_ERR_FORMAT for an empty list. */
assay_status compile_hash_listed(const char *depfile, const char *out, assay_error *error);

#endif
