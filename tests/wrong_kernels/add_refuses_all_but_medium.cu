// Wrong: refuses every problem but one, so that no edge case passes.
#include "add_rightly.h"

extern "C" assay_status add_run(const add_args *args, assay_stream stream)
{
    return args->count == 1024 * 1024 ? right_launch(args, stream) : ASSAY_ERR_UNSUPPORTED;
}
