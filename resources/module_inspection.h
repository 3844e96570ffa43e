/* What a finished compile offers to whoever reads static metrics from it. build_module fills it; resources reads it. */
#ifndef ASSAY_RESOURCES_MODULE_INSPECTION_H
#define ASSAY_RESOURCES_MODULE_INSPECTION_H

#include <jansson.h>

/* What a compile leaves for those who want to look into it. All borrowed, valid during the call only. */
typedef struct module_inspection {
    const char *folder; /* the compiler's intermediate files */
    const char *report; /* all it printed */
    const json_t *toolchain, *tunables;
} module_inspection;

#endif
