/* Memory for a problem that is judged: what it needs, whether it fits, and room for a right output. */
#ifndef ASSAY_VERIFY_CHECK_MEMORY_H
#define ASSAY_VERIFY_CHECK_MEMORY_H

#include "verify/launch.h"

/* Device memory that is free; negative where it is not known. */
int64_t check_free_bytes(worker *w);

/* Of the device, and without a GPU of the host, too. */
int64_t check_need_bytes(const check_subject *subject, const assay_problem *shapes);

/* 0: the problem does not fit; `reason` has need and have. */
int check_fits(const check_subject *subject, const assay_problem *shapes, char *reason, size_t reason_bytes);

/* guarded->read: room for a right output, with which further runs are compared byte by byte. Without memory there is none. */
void check_open_read(guarded_problem *guarded);
void check_close_read(guarded_problem *guarded);

#endif
