// Wrong: computes once for each address of the output.
#include "add_rightly.h"

extern "C" assay_status add_run(const add_args *args, assay_stream stream)
{
    static void *done[4096];
    static int count;
    for (int i = 0; i < count; i++)
        if (done[i] == args->out)
            return ASSAY_OK;
    if (count < 4096)
        done[count++] = args->out;
    return right_launch(args, stream);
}
