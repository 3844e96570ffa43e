// Says of every problem that it does not support it.
#include <assay/kernel.h>
#include "add.h"

extern "C" assay_status add_run(const add_args *args, assay_stream stream)
{
    (void)args, (void)stream;
    return ASSAY_ERR_UNSUPPORTED;
}
