// Wrong: refuses whatever is not of a size that is timed.
#include "add_rightly.h"

extern "C" assay_status add_run(const add_args *args, assay_stream stream)
{
    if (args->count < 65536 || args->count % 65536)
        return ASSAY_ERR_UNSUPPORTED;
    return right_launch(args, stream);
}
