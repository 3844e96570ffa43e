/* Stands in for cubin.c where libelf was not found when the build was configured: says so, so that the metrics it would have
 * given are null with that reason. */
#include "resources/inspect.h"

assay_status cubin_read(const char *path, json_t *kernels, assay_error *error)
{
    (void)path;
    (void)kernels;
    return assay_error_set(error, ASSAY_ERR_ENVIRONMENT,
                           "built without libelf (apt-get install libelf-dev, then configure again)");
}
