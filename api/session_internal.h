/* Shared by the files of libassay. */
#ifndef ASSAY_API_SESSION_INTERNAL_H
#define ASSAY_API_SESSION_INTERNAL_H

#include "core/tuned_variant.h"
#include <assay/assay.h>
#include <assay/device.h>

struct assay_session {
    workspace *ws; /* with the device's results folder chosen */
    char values[OPSPEC_MAX_VALUES * 24];
};

/* A selection as names of the workspace, and the filter that selects it. The filter's texts lie in it: do not copy. */
typedef struct chosen_kernel {
    const workspace_op *op;
    char variant[ASSAY_NAME_MAX]; /* with the mark of a configuration */
    char size[ASSAY_NAME_MAX];    /* or a shape */
    assay_dtype dtype;
    case_filter filter;
} chosen_kernel;

/* Check the names, add shape and configuration to the workspace in place of those before, and make the configuration's module. */
assay_status session_choose(assay_session *s, const assay_selection *which, chosen_kernel *out,
                            assay_error *error);
assay_case session_case(const chosen_kernel *k);

#endif
