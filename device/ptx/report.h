/* Reports while they are made. */
#ifndef ASSAY_DEVICE_PTX_REPORT_H
#define ASSAY_DEVICE_PTX_REPORT_H

#include "device/ptx/exec.h"

typedef struct kept_findings kept_findings;

/* Never NULL; its status is PTX_NO_MEMORY where there is none. */
ptx_report *report_new(void);
kept_findings *report_kept(ptx_report *report);
void report_finish(ptx_report *report);

#endif
