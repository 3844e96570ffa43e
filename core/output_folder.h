/* Making a folder ready for results before anything is computed for it. */
#ifndef ASSAY_CORE_OUTPUT_FOLDER_H
#define ASSAY_CORE_OUTPUT_FOLDER_H

#include <assay/status.h>

/* Create the folder and its parents, remove what killed processes left in it, and write and remove a file of 64 KiB to see that the
 * results will find room. ASSAY_ERR_IO: it cannot be used; the error names folder and cause. */
assay_status output_folder_prepare(const char *path, assay_error *error);

/* Remove temporary files (NAME.tmp.PID, NAME.PID.part) of processes that no longer run, unless they are younger than ten seconds: on a
 * shared file system the process may run on another machine, and such a file lives for moments. Returns how many. */
int output_folder_sweep(const char *path);

#endif
