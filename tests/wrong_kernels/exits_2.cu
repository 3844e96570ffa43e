// Wrong: ends the process that judges it, with its judge's status of wrong use.
#include <assay/kernel.h>
#include "add.h"
#include <cstdlib>

extern "C" assay_status add_run(const add_args *args, assay_stream stream)
{
    (void)args, (void)stream;
    _Exit(2);
}
