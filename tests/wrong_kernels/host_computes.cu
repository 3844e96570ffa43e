// Wrong: launches nothing; host code reads the inputs and writes the output.
#include "add_rightly.h"
extern "C" assay_status add_run(const add_args *a, assay_stream)
{
    for (int64_t i = 0; i < a->count; i++)
        ((scalar_t *)a->out)[i] =
            sum1(((const scalar_t *)a->x)[i], ((const scalar_t *)a->y)[i], (float)a->alpha);
    return ASSAY_OK;
}
