/* Modules of configurations (core/tuned_variant.h), compiled when they are asked for: by the program assay-module, as the build compiles
 * those of the tree. A module that is there is used again if it is of the same kernel, headers, flags, compiler, architecture and values. */
#ifndef ASSAY_BUILD_MODULE_TUNED_MODULE_H
#define ASSAY_BUILD_MODULE_TUNED_MODULE_H

#include "build_module/request.h"
#include "core/tuned_variant.h"

/* What to make: one configuration for one dtype. Borrowed. */
typedef struct tuned_module {
    const workspace *ws;
    const workspace_op *op;
    const tuned_variant *tuned;
    assay_dtype dtype;
} tuned_module;

/* 1 if its record is there and of what would be compiled now; also of a kernel that does not compile. */
int tuned_module_is_current(const tuned_module *m);

enum { TUNED_MODULE_WORDS = 2 * OPSPEC_MAX_TUNABLES + 16 };
typedef struct tuned_module_command {
    const char *words[TUNED_MODULE_WORDS]; /* NULL-terminated */
    char program[4200], source[4400], record[4400], depfile[4400];
    char defines[OPSPEC_MAX_TUNABLES][ASSAY_NAME_MAX + 24];
} tuned_module_command;

/* Let a request of another kind (watched accesses) be of the configuration. The request borrows from both. */
typedef struct tuned_defines {
    char text[OPSPEC_MAX_TUNABLES][ASSAY_NAME_MAX + 24];
} tuned_defines;
void tuned_module_request(const tuned_variant *tuned, tuned_defines *storage, module_request *request);

/* Make it unless it is current. ASSAY_OK also if the kernel does not compile: the record says so. ASSAY_ERR_ENVIRONMENT: no compiler, or
 * a bundle, which has none; ASSAY_ERR_CHECK: the compiler did not end within the limit. */
assay_status tuned_module_make(const tuned_module *m, double time_limit_s, assay_error *error);

/* The source_sha256 of its record, which was made; *compiles: 0 where the kernel does not. */
assay_status tuned_module_hash(const tuned_module *m, char hash[65], int *compiles, assay_error *error);

#endif
