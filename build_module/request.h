/* What is asked of module_compile() (compile.h): which kernel file, for which dtype, and where the module goes. */
#ifndef ASSAY_BUILD_MODULE_REQUEST_H
#define ASSAY_BUILD_MODULE_REQUEST_H

#include "core/workspace.h"
#include "resources/module_inspection.h"

typedef struct module_request {
    const workspace_op *op;
    const char *source;  /* the .cu file */
    const char *variant; /* NULL: the file's stem */
    assay_dtype dtype;
    const char *record;  /* where the module record goes; the library is put beside it */
    const char *depfile; /* NULL or a make-style dependency file to write, with the record as its target */
    int checked;         /* 1: so that the CPU device watches every access (assay.json's checked_toolchain) */
    int is_outside;      /* 1: from outside the tree: its device code may not use what is the host's
                          * (module_device_code.h), and it gets assay.json's outside_toolchain in addition */
    int define_count;    /* overrides of the variant's tunables, "NAME=VALUE" */
    const char *defines[32];
    /* NULL, or called after nvcc has compiled the kernel; the object it returns (a new reference) is the record's "resources". */
    json_t *(*inspect)(const module_inspection *inspection);
    /* NULL, or what makes the record's "code_sha256" of the library and the cubins in it (resources/code_hash.h). */
    int (*code_hash)(const char *const *files, int count, char hex[65]);
} module_request;

#endif
