// Wrong: exports another name than the op's entry point.
#include <assay/kernel.h>
#include "add.h"

extern "C" assay_status add_start(const add_args *args, assay_stream stream)
{
    (void)args, (void)stream;
    return ASSAY_OK;
}
