// Wrong: crashes on the host.
#include <assay/kernel.h>
#include "add.h"

extern "C" assay_status add_run(const add_args *args, assay_stream stream)
{
    (void)stream;
    volatile int *nowhere = nullptr;
    *nowhere = (int)args->count;
    return ASSAY_OK;
}
