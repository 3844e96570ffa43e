// Wrong: reports a failure.
#include <assay/kernel.h>
#include "add.h"

extern "C" assay_status add_run(const add_args *args, assay_stream stream)
{
    (void)args, (void)stream;
    return ASSAY_ERR_DEVICE;
}
